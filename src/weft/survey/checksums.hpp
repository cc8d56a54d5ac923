// weft/survey/checksums.hpp - a CRC-32 of every chunk of a dataset, kept in the file (docs/format.md, "Checksums").
//
// The checksums of a dataset /V are the dataset /weft/checksums/V: uint32, one for each piece of /V, in the shape of
// the grid of pieces, with the attributes `algorithm` ("crc32") and `chunk` (the shape of a piece, which is that of a
// chunk where /V has chunks). A checksum is over the values of the piece that lie within the dataset, row-major, in the
// type the dataset has. Filters and padding do not enter, so no layout changes it, and anybody can check it: with h5py,
// zlib.crc32(V[box].tobytes()).
//
// Worked: /V of (5, 7) in chunks of (2, 4) has 3 x 2 checksums; the last is over V[4:5, 4:7], which is 3 values, though
// the chunk holds 8.
//
// None of the calls is collective.
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "weft/storage/series_file.hpp"
#include "weft/support/shape.hpp"
#include "weft/survey/pieces.hpp"

namespace weft::survey {

using storage::kChecksumsGroup;
// What is not chunked is cut into pieces of whole rows, of at most so many bytes.
inline constexpr std::uint64_t kPieceBytes = 1ULL << 20;

// CRC-32 as zlib, gzip and PNG have it. `before` goes on from the checksum of the bytes before these.
std::uint32_t chunk_checksum(std::span<const std::byte> chunk, std::uint32_t before = 0);

// The same of a decoded chunk that has padding: only its first `inside[i]` elements along every axis i count. Where
// there is no padding it equals chunk_checksum(chunk). Throws Error(usage) where the bytes are not those of `extents`,
// or `inside` does not lie in them.
std::uint32_t chunk_checksum(std::span<const std::byte> chunk, const Shape& extents, const Shape& inside,
                             std::uint64_t element_bytes);

// How many values of chunk `number` (row-major over the grid) lie within the dataset, along every axis.
inline Shape inside_of(const Pieces& chunks, std::uint64_t number) { return chunks.box(number).count; }

// The checksums of one dataset.
struct ChecksumTable {
  std::string dataset;              // its path in the file, "/V"
  Pieces pieces;                    // of the dataset's shape ({1} for a scalar)
  std::vector<std::uint32_t> sums;  // one a piece

  bool operator==(const ChecksumTable& other) const {
    return dataset == other.dataset && pieces.shape() == other.pieces.shape() &&
           pieces.piece() == other.pieces.piece() && sums == other.sums;
  }
};

// Writes a table into a file that is open for writing; one that was there for this dataset is replaced. Throws
// Error(usage) where there is not one checksum a piece, Error(system) where HDF5 refuses.
void store_checksums(hid_t file, const ChecksumTable& table);

// The table of a dataset that is in the file; nothing where it has none. Throws Error(data) where the table is not what
// this page says, or not one of the dataset as it is.
std::optional<ChecksumTable> load_checksums(hid_t file, const std::string& dataset);

// The paths of all datasets that have a table, in order. Throws Error(data) where the group cannot be walked.
std::vector<std::string> datasets_with_checksums(hid_t file);

}  // namespace weft::survey
