// weft/storage/write_plan.hpp - the positioned writes that bring a window of steps into the file.
//
// A window holds steps [first, first + count) of some tiles of one dataset (exchange/window.hpp). Inside one chunk the
// steps of a tile are one contiguous run; runs that meet in the file are joined into one request, up to a limit. Pure:
// nothing is written.
//
// Example: dataset (151, 400000, 2) of doubles in chunks (19, 3449, 2), steps 0..18 of tiles 0..115: the 116 whole
// chunks lie one behind the other, 121.6 MB, and become 15 requests of at most 8 MiB.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weft/storage/byte_store.hpp"
#include "weft/storage/series_catalog.hpp"

namespace weft::storage {

struct WriteRequest {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::vector<Bytes> pieces;  // memory of the window, which must outlive the request
  // Where the chunk that it ends in ends; from the request's end to there nothing that counts has been written.
  std::uint64_t chunk_end = 0;
};

// Where a window's bytes are: `steps` steps of the tile in `slot`, from the window's step `first` on.
using TileBytes = std::function<Bytes(std::uint64_t slot, std::uint64_t first, std::uint64_t steps)>;

// `first_step` counts from the start of the array (a segment). `tiles` are ascending tile numbers, the slot of each its
// place in the list; `all_tiles` is how many a step has.
void plan_writes(const ArrayEntry& array, std::uint64_t first_step, std::uint64_t steps,
                 std::span<const std::uint64_t> tiles, std::uint64_t all_tiles, const TileBytes& bytes,
                 std::vector<WriteRequest>& requests, std::uint64_t most_bytes = 8ULL << 20);

// Bytes of the file that will be written.
struct FileRange {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  bool operator==(const FileRange&) const = default;
};

// For what is shorter, room is asked for so many bytes at once.
inline constexpr std::uint64_t kRoomAhead = 16ULL << 20;

// The chunks that a window is the first to write to (it holds their first step), those that follow one another as one
// range: what to ask the file system for room for, before the window's requests. Where the chunks of a row (all tiles)
// are less than `ahead` bytes, the rank that has the first tile asks for as many rows at once, and the others for none.
//
// Example: as above, steps 0..4: one range, the 116 chunks of the first row. Steps 5..9: none. Chunks (22, 1, 5876) of
// (10000, 2, 5876) doubles, and 16 MiB ahead: whoever has tile 0 asks for 9 rows, in every ninth window.
std::vector<FileRange> plan_room(const ArrayEntry& array, std::uint64_t first_step, std::uint64_t steps,
                                 std::span<const std::uint64_t> tiles, std::uint64_t all_tiles,
                                 std::uint64_t ahead = kRoomAhead);

}  // namespace weft::storage
