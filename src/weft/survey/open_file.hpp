// weft/survey/open_file.hpp - opening an HDF5 file that anybody wrote, and saying what is wrong where it does not open.
#pragma once

#include <memory>
#include <string>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/hdf5_handle.hpp"

namespace weft::survey {

// The bytes of a file, for reading. Throws Error(system).
std::unique_ptr<storage::ByteStore> open_bytes(const std::string& path);

// Opens for reading. Throws Error(system) where the system does not let us, Error(data) where it is no HDF5 file, ends
// too early, is marked as being written, or HDF5 refuses it for another reason. Not collective.
storage::Handle open_file(const std::string& path);

// FILE:DATASET taken apart; a file of the whole name goes first, as a colon may be part of it.
struct NamedFile {
  std::string path;
  std::string dataset{};  // "" where none is named
};
NamedFile named_file(const std::string& from);

}  // namespace weft::survey
