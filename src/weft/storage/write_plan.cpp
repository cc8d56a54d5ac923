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
      last = &requests.emplace_back(WriteRequest{offset, 0, {}});
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

void plan_writes(const ArrayMap& array, std::uint64_t first_step, std::uint64_t steps,
                 std::span<const std::uint64_t> tiles, std::uint64_t all_tiles, const TileBytes& bytes,
                 std::vector<WriteRequest>& requests, std::uint64_t most_bytes) {
  const std::uint64_t chunk_steps = array.chunk[0];
  const std::uint64_t end = first_step + steps;
  for (std::uint64_t step = first_step; step < end;) {
    const std::uint64_t row = step / chunk_steps;
    const std::uint64_t inside = step % chunk_steps;
    const std::uint64_t count = std::min(chunk_steps - inside, end - step);
    for (std::uint64_t slot = 0; slot < tiles.size(); ++slot) {
      const Bytes piece = bytes(slot, step - first_step, count);
      const std::uint64_t tile_bytes = piece.size() / count;
      add(requests, array.addresses.at(row * all_tiles + tiles[slot]) + inside * tile_bytes, piece, most_bytes);
    }
    step += count;
  }
}

namespace {

// The bytes [from, to) of a request, counted from its start.
WriteRequest part_of(const WriteRequest& request, std::uint64_t from, std::uint64_t to) {
  WriteRequest part{request.offset + from, to - from, {}};
  std::uint64_t at = 0;
  for (const Bytes& piece : request.pieces) {
    const std::uint64_t begin = std::max(from, at);
    const std::uint64_t end = std::min(to, at + piece.size());
    if (begin < end) part.pieces.push_back(piece.subspan(begin - at, end - begin));
    at += piece.size();
  }
  return part;
}

}  // namespace

PageSplit split_at_pages(std::span<const WriteRequest> requests, std::uint64_t page_bytes, std::uint64_t least_bytes) {
  PageSplit split;
  for (const WriteRequest& request : requests) {
    const std::uint64_t begin = ceil_div(request.offset, page_bytes) * page_bytes;
    const std::uint64_t end = (request.offset + request.bytes) / page_bytes * page_bytes;
    if (end < begin + std::max(page_bytes, least_bytes)) {
      split.edges.push_back(request);
      continue;
    }
    const std::uint64_t head = begin - request.offset;
    const std::uint64_t tail = end - request.offset;
    if (head > 0) split.edges.push_back(part_of(request, 0, head));
    split.whole.push_back(part_of(request, head, tail));
    if (tail < request.bytes) split.edges.push_back(part_of(request, tail, request.bytes));
  }
  return split;
}

std::vector<FileRange> plan_room(const ArrayMap& array, std::uint64_t first_step, std::uint64_t steps,
                                 std::span<const std::uint64_t> tiles, std::uint64_t all_tiles) {
  const std::uint64_t chunk_steps = array.chunk[0];
  const std::uint64_t chunk_bytes = element_count(array.chunk) * size_of(array.type);
  std::vector<FileRange> ranges;
  for (std::uint64_t row = ceil_div(first_step, chunk_steps); row * chunk_steps < first_step + steps; ++row) {
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
