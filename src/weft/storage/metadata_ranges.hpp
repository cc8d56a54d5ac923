// weft/storage/metadata_ranges.hpp - which bytes of a Weft file are metadata, and copying them from one file to
// another.
//
// Metadata is all that is not known to be data: what HDF5 keeps of its objects, and what lies unused between. A file of
// terabytes has kilobytes of it. Nothing here is collective.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/data_of_others.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

// The bytes of [0, size) that are no array's data, nor in `data`, in ascending order.
// Slots belong to the ranks, and a copy of them would be stale: they count as data, but where they are new. So do the
// times: new ones hold what says that their steps are to come. New is what lies behind `old_size` (0: all), or ends
// there: a change that was killed leaves the file longer than it is for HDF5.
std::vector<ByteRange> metadata_ranges(const SeriesCatalog& catalog, std::vector<ByteRange> data, std::uint64_t size,
                                       std::uint64_t old_size);

std::uint64_t bytes_of(const std::vector<ByteRange>& ranges);

// Calls `use` with pieces of the range, one after another: a range may be larger than the memory.
template <typename Use>
void each_piece(const ByteRange& range, const Use& use) {
  constexpr std::uint64_t kPiece = 1 << 20;
  for (std::uint64_t at = range.begin; at < range.end; at += kPiece) {
    use(ByteRange{at, std::min(at + kPiece, range.end)});
  }
}

std::vector<std::byte> read_range(ByteStore& store, const ByteRange& range);

// Blocks of zeros stay holes where the target has been empty.
void copy_range(ByteStore& from, ByteStore& to, const ByteRange& range);

}  // namespace weft::storage
