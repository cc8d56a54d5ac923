#include "predict/chunk_pieces.hpp"

#include <algorithm>
#include <functional>

namespace weft::predict {

namespace {

// The slowest axis on which a box is not whole; the axes behind it make one stretch with it.
std::size_t first_axis_of_stretch(const Shape& count, const Shape& of) {
  std::size_t axis = count.size() - 1;
  while (axis > 0 && count[axis] == of[axis]) --axis;
  return axis;
}

std::uint64_t product(const Shape& count, std::size_t from_axis) {
  std::uint64_t all = 1;
  for (std::size_t axis = from_axis; axis < count.size(); ++axis) all *= count[axis];
  return all;
}

// Calls `visit` for every place of [first, last] on the first `axes` axes, the last of them fastest.
void each_place(const Shape& first, const Shape& last, std::size_t axes,
                const std::function<void(const Shape&)>& visit) {
  Shape at = first;
  while (true) {
    visit(at);
    std::size_t axis = axes;
    while (axis > 0 && at[axis - 1] == last[axis - 1]) {
      --axis;
      at[axis] = first[axis];
    }
    if (axis == 0) return;
    ++at[axis - 1];
  }
}

// The part of a box that lies in one chunk, from the chunk's own first element on.
Box within(const Box& box, const Shape& chunk, const Shape& index) {
  Box part = box;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    const std::uint64_t first = index[axis] * chunk[axis];
    const std::uint64_t from = std::max(box.start[axis], first);
    part.start[axis] = from - first;
    part.count[axis] = std::min(box.start[axis] + box.count[axis], first + chunk[axis]) - from;
  }
  return part;
}

std::uint64_t number_of(const Shape& place, const Shape& extents) {
  std::uint64_t number = 0;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) number = number * extents[axis] + place[axis];
  return number;
}

}  // namespace

std::optional<Given> given_of(const ChunkedArray& array, const Box& box, const Shape& memory) {
  Given given;
  given.memory_in_one = box.count == memory;
  if (std::ranges::find(box.count, 0U) != box.count.end()) return given;
  const std::size_t axes = array.chunk.size();
  const std::uint64_t pitch =
      array.pitch_bytes > 0 ? array.pitch_bytes : element_count(array.chunk) * array.element_bytes;
  Shape chunks;
  Shape first;
  Shape last;
  for (std::size_t axis = 0; axis < axes; ++axis) {
    chunks.push_back(ceil_div(array.extents[axis], array.chunk[axis]));
    first.push_back(box.start[axis] / array.chunk[axis]);
    last.push_back((box.start[axis] + box.count[axis] - 1) / array.chunk[axis]);
  }
  bool too_many = false;
  each_place(first, last, axes, [&](const Shape& index) {
    const Box part = within(box, array.chunk, index);
    const std::size_t axis = first_axis_of_stretch(part.count, array.chunk);
    const std::uint64_t stretch = product(part.count, axis);
    const std::uint64_t row = product(part.count, first_axis_of_stretch(part.count, memory));
    too_many = too_many || given.pieces.size() + product(part.count, 0) / stretch > kMostPieces;
    if (too_many) return;
    const std::uint64_t chunk_begins = number_of(index, chunks) * pitch;
    Shape end = part.start;
    for (std::size_t i = 0; i < axis; ++i) end[i] += part.count[i] - 1;
    each_place(part.start, end, axis, [&](const Shape& place) {
      given.pieces.push_back({chunk_begins + number_of(place, array.chunk) * array.element_bytes,
                              stretch * array.element_bytes, stretch / std::min(row, stretch)});
    });
  });
  if (too_many) return std::nullopt;
  // Of several chunks HDF5 makes a type of their parts, whether these lie one behind the other or not.
  given.memory_in_one &= first == last;
  return given;
}

std::optional<Requests> written_together(const ChunkedArray& array, const std::vector<Box>& boxes,
                                         const std::vector<Shape>& memory) {
  if (boxes.size() > kMostRanks) return std::nullopt;
  std::vector<Given> ranks;
  for (std::size_t rank = 0; rank < boxes.size(); ++rank) {
    std::optional<Given> given = given_of(array, boxes[rank], memory[rank]);
    if (!given) return std::nullopt;
    ranks.push_back(std::move(*given));
  }
  return written_together(mpi_io(), ranks);
}

}  // namespace weft::predict
