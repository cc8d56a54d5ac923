#include "weft/storage/write_plan.hpp"

#include <algorithm>
#include <climits>

namespace weft::storage {

namespace {

// Appends to the last request where the bytes meet it in the file and there is room, else begins another.
void add(std::vector<WriteRequest>& requests, std::uint64_t offset, Bytes piece, std::uint64_t most_bytes) {
  while (!piece.empty()) {
    WriteRequest* last = requests.empty() ? nullptr : &requests.back();
    if (last == nullptr || last->offset + last->bytes != offset || last->bytes >= most_bytes ||
        last->pieces.size() >= IOV_MAX) {
      last = &requests.emplace_back(WriteRequest{offset, 0, {}, 0});
    }
    const Bytes part = piece.first(std::min<std::uint64_t>(piece.size(), most_bytes - last->bytes));
    Bytes* before = last->pieces.empty() ? nullptr : &last->pieces.back();
    if (before != nullptr && before->data() + before->size() == part.data()) {
      *before = Bytes(before->data(), before->size() + part.size());
    } else {
      last->pieces.push_back(part);
    }
    last->bytes += part.size();
    offset += part.size();
    piece = piece.subspan(part.size());
  }
}

}  // namespace

void plan_writes(const ArrayEntry& array, std::uint64_t first_step, std::uint64_t steps,
                 std::span<const std::uint64_t> tiles, std::uint64_t all_tiles, const TileBytes& bytes,
                 std::vector<WriteRequest>& requests, std::uint64_t most_bytes) {
  check_addresses(array);
  const std::uint64_t chunk_steps = array.chunk[0];
  const std::uint64_t end = first_step + steps;
  for (std::uint64_t step = first_step; step < end;) {
    const std::uint64_t row = step / chunk_steps;
    const std::uint64_t inside = step % chunk_steps;
    const std::uint64_t count = std::min(chunk_steps - inside, end - step);
    for (std::uint64_t slot = 0; slot < tiles.size(); ++slot) {
      const Bytes piece = bytes(slot, step - first_step, count);
      const std::uint64_t tile_bytes = piece.size() / count;
      const std::uint64_t chunk = array.addresses.at(row * all_tiles + tiles[slot]);
      add(requests, chunk + inside * tile_bytes, piece, most_bytes);
      if (!requests.empty()) requests.back().chunk_end = chunk + chunk_steps * tile_bytes;
    }
    step += count;
  }
}

std::vector<FileRange> plan_room(const ArrayEntry& array, std::uint64_t first_step, std::uint64_t steps,
                                 std::span<const std::uint64_t> tiles, std::uint64_t all_tiles, std::uint64_t ahead) {
  check_addresses(array);
  const std::uint64_t chunk_steps = array.chunk[0];
  const std::uint64_t chunk_bytes = array.chunk_bytes();
  const std::uint64_t row_bytes = all_tiles * chunk_bytes;
  const std::uint64_t rows_at_once =
      array.addresses.are_in_a_row() ? std::max<std::uint64_t>(ceil_div(ahead, row_bytes), 1) : 1;
  std::vector<FileRange> ranges;
  for (std::uint64_t row = ceil_div(first_step, chunk_steps); row * chunk_steps < first_step + steps; ++row) {
    if (rows_at_once > 1) {
      if (row % rows_at_once != 0 || tiles.empty() || tiles.front() != 0) continue;
      const std::uint64_t end = std::min((row + rows_at_once) * all_tiles, array.chunks());
      const std::uint64_t at = array.addresses.at(row * all_tiles);
      ranges.push_back({at, array.addresses.at(end - 1) + chunk_bytes - at});
      continue;
    }
    for (const std::uint64_t tile : tiles) {
      const std::uint64_t at = array.addresses.at(row * all_tiles + tile);
      if (!ranges.empty() && ranges.back().offset + ranges.back().bytes == at) {
        ranges.back().bytes += chunk_bytes;
      } else {
        ranges.push_back({at, chunk_bytes});
      }
    }
  }
  return ranges;
}

}  // namespace weft::storage
