// weft/survey/piece_sums.hpp - the checksums of a dataset, computed from its values: every chunk read and decoded once.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weft/storage/writer_lock.hpp"
#include "weft/survey/checksums.hpp"
#include "weft/survey/object_walk.hpp"
#include "weft/survey/survey.hpp"

namespace weft::survey {

// The pieces a dataset's checksums are of: its chunks, or whole rows.
Pieces checksum_pieces(const DatasetFacts& facts);

// Whether a dataset can have checksums: its elements have one size, and lie in it. What Weft keeps books in has none.
bool may_have_checksums(const DatasetFacts& facts);

struct PieceSums {
  ChecksumTable table;
  std::vector<Problem> failures;  // pieces that cannot be read, whose checksums mean nothing
  std::uint64_t pieces_read = 0;
};

// Of a dataset without checksums only the chunks that are stored need be looked at: it may be large and all but empty.
enum class PieceChoice : std::uint8_t { all, stored };

// `read` is told bytes as they are done, on any thread but one at a time. Throws Error(data) where the dataset cannot
// be opened at all, Error(usage) where its elements are of variable length or a chunk passes the budget. Not
// collective.
PieceSums sum_pieces(hid_t file, const std::string& path, const Pieces& pieces, PieceChoice choice,
                     std::uint64_t budget_bytes, const std::function<void(std::uint64_t bytes)>& read);

// Gives a finished Weft file a checksum of every chunk of its fields and of its other arrays. The file is changed as
// docs/format.md says, so a crash meanwhile loses nothing; the caller has its lock (storage/take_file.hpp). Those it
// had are replaced. Returns how many there are now. Throws Error(usage) where the file is not Weft's, is being written
// or has filtered chunks, Error(data) where something in it cannot be read.
std::uint64_t add_checksums(const storage::WriterLock& lock, const std::string& path, std::uint64_t budget_bytes,
                            const std::function<void(std::uint64_t done, std::uint64_t total)>& progress);

}  // namespace weft::survey
