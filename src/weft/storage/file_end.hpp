// weft/storage/file_end.hpp - the end of a file that grows by filtered chunks.
//
// HDF5 reads no byte behind the end that the superblock names. So that end is kept ahead of the chunks that are to be
// written, and cut back when the last one is there. In between the file has a hole at its end, which takes no room on
// the disk. Not collective: rank 0 does this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// As the superblock has it. Throws Error(data) where it is damaged.
std::uint64_t end_of_file(const std::string& path);
// Makes the file so long, and then lets the superblock say so; to be called before any rank writes behind its old end.
// The file remembers where its data end: durably, or like what a power cut may take. The first waits until the disk has
// all that it was given. Throws Error(system) where the file may not become so long.
void move_end_ahead(const SeriesCatalog& catalog, std::uint64_t data_end, std::uint64_t ahead, bool durably);
// The other way round: what lies behind `end` goes. Nobody may be writing.
void cut_end(const SeriesCatalog& catalog, std::uint64_t end, bool durably = true);

// Where the data of a file end that a killed writer has left with its end ahead; nothing where that is no such file.
std::optional<std::uint64_t> forgotten_end(const SeriesCatalog& catalog);

}  // namespace weft::storage
