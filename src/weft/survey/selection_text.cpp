#include "weft/survey/selection_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "weft/survey/pieces.hpp"

namespace weft::survey {

namespace {

std::vector<std::string> blocks_of(hid_t space, std::size_t rank) {
  const auto blocks = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_select_hyper_nblocks(space)));
  std::vector<hsize_t> corners(2 * rank * blocks);  // the first element of each, then the last
  H5Sget_select_hyper_blocklist(space, 0, blocks, corners.data());
  std::vector<std::string> words;
  for (std::size_t b = 0; b < blocks; ++b) {
    std::vector<std::string> ranges;
    for (std::size_t i = 0; i < rank; ++i) {
      ranges.push_back(fmt::format("{}:{}", corners[2 * rank * b + i], corners[2 * rank * b + rank + i] + 1));
    }
    words.push_back(fmt::format("[{}]", fmt::join(ranges, ", ")));
  }
  return words;
}

std::vector<std::string> points_of(hid_t space, std::size_t rank) {
  const auto points = static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_select_elem_npoints(space)));
  std::vector<hsize_t> places(rank * points);
  H5Sget_select_elem_pointlist(space, 0, points, places.data());
  std::vector<std::string> words;
  for (std::size_t p = 0; p < points; ++p) {
    const auto at = places.begin() + static_cast<std::ptrdiff_t>(rank * p);
    words.push_back(index_text(Shape(at, at + static_cast<std::ptrdiff_t>(rank))));
  }
  return words;
}

}  // namespace

std::string selection_text(hid_t space) {
  const auto rank = static_cast<std::size_t>(std::max(0, H5Sget_simple_extent_ndims(space)));
  switch (H5Sget_select_type(space)) {
    case H5S_SEL_HYPERSLABS: return fmt::format("{}", fmt::join(blocks_of(space, rank), " "));
    case H5S_SEL_POINTS: return fmt::format("{}", fmt::join(points_of(space, rank), " "));
    case H5S_SEL_ALL: return "[all]";
    default: return "[none]";
  }
}

}  // namespace weft::survey
