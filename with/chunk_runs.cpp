#include "with/chunk_runs.hpp"

#include <algorithm>

#include "weft/survey/box_copy.hpp"

namespace weft::with {

namespace {

// The runs of one box, in chunk coordinates.
void add_runs(const Shape& chunk, const Box& box, std::uint64_t element_bytes, std::vector<ByteRun>& runs) {
  std::vector<std::uint64_t> stride(chunk.size(), element_bytes);  // of one index along each axis, in bytes
  for (std::size_t axis = chunk.size() - 1; axis > 0; --axis) stride[axis - 1] = stride[axis] * chunk[axis];
  std::size_t split = chunk.size() - 1;  // the last axis that the box does not fill with all behind it
  while (split > 0 && box.count[split] == chunk[split]) --split;
  const std::uint64_t bytes = box.count[split] * stride[split];
  Box outer = box;
  for (std::size_t axis = split; axis < chunk.size(); ++axis) outer.count[axis] = 1;
  survey::for_each_index(outer, [&](const Shape& index) {
    std::uint64_t offset = 0;
    for (std::size_t axis = 0; axis < index.size(); ++axis) offset += index[axis] * stride[axis];
    runs.push_back({offset, bytes});
  });
}

}  // namespace

std::vector<ByteRun> runs_in_chunk(const Box& chunk, const std::vector<Box>& boxes, std::uint64_t element_bytes) {
  std::vector<ByteRun> runs;
  for (const Box& box : boxes) {
    Box part = survey::common_part(box, chunk);
    if (survey::is_empty(part)) continue;
    part.start = survey::minus(part.start, chunk.start);
    add_runs(chunk.count, part, element_bytes, runs);
  }
  std::sort(runs.begin(), runs.end(), [](const ByteRun& a, const ByteRun& b) { return a.offset < b.offset; });
  std::vector<ByteRun> joined;
  for (const ByteRun& run : runs) {
    if (!joined.empty() && joined.back().offset + joined.back().bytes == run.offset) {
      joined.back().bytes += run.bytes;
    } else {
      joined.push_back(run);
    }
  }
  return joined;
}

Box with_padding(const Box& box, const Shape& extents, const Box& chunk) {
  Box longer = box;
  for (std::size_t axis = 1; axis < extents.size(); ++axis) {
    const std::uint64_t end = chunk.start[axis] + chunk.count[axis];
    if (box.start[axis] + box.count[axis] == extents[axis] && end > extents[axis]) {
      longer.count[axis] = end - box.start[axis];
    }
  }
  return longer;
}

}  // namespace weft::with
