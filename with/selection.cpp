#include "with/selection.hpp"

#include <algorithm>
#include <array>

namespace weft::with {

namespace {

constexpr std::size_t kMostAxes = H5S_MAX_RANK;
using Extents = std::array<hsize_t, kMostAxes>;

Shape first(const Extents& values, std::size_t count) { return {values.begin(), values.begin() + count}; }

// Where the bounds begin elsewhere than the selection, it has been moved (H5Soffset_simple): then it is none of ours.
bool is_moved(const Extents& lowest, const Shape& start) {
  return !std::equal(start.begin(), start.end(), lowest.begin());
}

}  // namespace

std::optional<Shape> extents(Library& library, hid_t space) {
  if (WEFT_CALL(library, H5Sget_simple_extent_type)(space) != H5S_SIMPLE) return std::nullopt;
  Extents dims{};
  const int axes = WEFT_CALL(library, H5Sget_simple_extent_dims)(space, dims.data(), nullptr);
  if (axes < 1) return std::nullopt;
  return first(dims, static_cast<std::size_t>(axes));
}

Selection selection_of(Library& library, hid_t space, const Shape& shape) {
  Selection selection;
  const H5S_sel_type type = WEFT_CALL(library, H5Sget_select_type)(space);
  if (type == H5S_SEL_NONE) {
    selection.kind = Selection::Kind::none;
    return selection;
  }
  if (type == H5S_SEL_ALL) return file_selection(library, H5S_ALL, shape);
  const hssize_t elements = WEFT_CALL(library, H5Sget_select_npoints)(space);
  if (elements < 0) return selection;
  selection.elements = static_cast<std::uint64_t>(elements);
  if (elements == 0) {
    selection.kind = Selection::Kind::none;
    return selection;
  }
  Extents lowest{};
  Extents highest{};
  if (WEFT_CALL(library, H5Sget_select_bounds)(space, lowest.data(), highest.data()) < 0) return selection;
  selection.box.start = first(lowest, shape.size());
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    selection.box.count.push_back(highest[axis] - lowest[axis] + 1);
  }
  if (type == H5S_SEL_POINTS) {
    selection.kind = Selection::Kind::points;
    return selection;
  }
  selection.kind = Selection::Kind::strided;
  if (WEFT_CALL(library, H5Sis_regular_hyperslab)(space) <= 0) return selection;
  Extents start{};
  Extents stride{};
  Extents count{};
  Extents block{};
  if (WEFT_CALL(library, H5Sget_regular_hyperslab)(space, start.data(), stride.data(), count.data(), block.data()) <
          0 ||
      is_moved(lowest, first(start, shape.size()))) {
    return selection;
  }
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (count[axis] != 1 && stride[axis] != block[axis]) return selection;  // gaps
  }
  // Without a gap it fills what it lies in.
  if (selection.elements == element_count(selection.box.count)) selection.kind = Selection::Kind::box;
  return selection;
}

Selection file_selection(Library& library, hid_t file_space, const Shape& shape) {
  if (file_space != H5S_ALL) return selection_of(library, file_space, shape);
  Selection selection;
  selection.elements = std::find(shape.begin(), shape.end(), 0) == shape.end() ? element_count(shape) : 0;
  selection.kind = selection.elements == 0 ? Selection::Kind::none : Selection::Kind::box;
  selection.box = whole(shape);
  return selection;
}

const char* name_of(Access access) {
  switch (access) {
    case Access::whole: return "whole";
    case Access::snapshot: return "snapshot";
    case Access::trace: return "trace";
    case Access::block: return "block";
    case Access::element: return "element";
    case Access::points: return "points";
    case Access::strided: return "strided";
    case Access::none: return "none";
  }
  return "none";
}

Access access_of(const Selection& selection, const Shape& shape) {
  switch (selection.kind) {
    case Selection::Kind::none: return Access::none;
    case Selection::Kind::points: return Access::points;
    case Selection::Kind::strided:
    case Selection::Kind::other: return Access::strided;
    case Selection::Kind::box: break;
  }
  const Shape& count = selection.box.count;
  if (count == shape) return Access::whole;
  if (selection.elements == 1) return Access::element;
  if (shape.size() == 1) return Access::block;
  if (count[0] == 1) return Access::snapshot;
  const std::uint64_t rest = selection.elements / count[0];
  std::uint64_t all = 1;
  for (std::size_t axis = 1; axis < shape.size(); ++axis) all *= shape[axis];
  return count[0] * 2 >= shape[0] && rest <= std::max<std::uint64_t>(1, all / 100) ? Access::trace : Access::block;
}

}  // namespace weft::with
