#include "weft/reduce/edge_paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <utility>

#include "weft/support/cell_type.hpp"
#include "weft/support/error.hpp"

namespace weft::reduce {

namespace {

using Corners = std::span<const std::int64_t>;
using Edge = std::pair<std::uint8_t, std::uint8_t>;

// Pairs of corners, by VTK's numbers for the types and its order of the corners.
constexpr Edge kTriangle[] = {{0, 1}, {1, 2}, {2, 0}};
constexpr Edge kPixel[] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}};
constexpr Edge kQuad[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}};
constexpr Edge kTetra[] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
constexpr Edge kVoxel[] = {{0, 1}, {1, 3}, {3, 2}, {2, 0}, {4, 5}, {5, 7},
                           {7, 6}, {6, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
constexpr Edge kHexahedron[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
constexpr Edge kWedge[] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
constexpr Edge kPyramid[] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};

std::span<const Edge> edges_of(std::uint8_t type) {
  switch (type) {
    case cell_type::triangle: return kTriangle;
    case cell_type::pixel: return kPixel;
    case cell_type::quad: return kQuad;
    case cell_type::tetra: return kTetra;
    case cell_type::voxel: return kVoxel;
    case cell_type::hexahedron: return kHexahedron;
    case cell_type::wedge: return kWedge;
    case cell_type::pyramid: return kPyramid;
    default:
      throw Error(ErrorKind::data, "the mesh", fmt::format("has cells of VTK type {}, whose edges are not known", type),
                  "distances are measured along the edges of linear cells");
  }
}

// Calls `visit(a, b)` for each edge of a cell.
template <typename Visit>
void for_each_edge(std::uint8_t type, Corners corners, const Visit& visit) {
  constexpr std::uint8_t kVertex = 1;
  constexpr std::uint8_t kPolyVertex = 2;
  constexpr std::uint8_t kLine = 3;
  constexpr std::uint8_t kPolyLine = 4;
  constexpr std::uint8_t kPolygon = 7;
  if (type == kVertex || type == kPolyVertex) return;
  if (type == kLine || type == kPolyLine || type == kPolygon) {
    for (std::size_t i = 1; i < corners.size(); ++i) visit(corners[i - 1], corners[i]);
    if (type == kPolygon && corners.size() > 2) visit(corners.back(), corners.front());
    return;
  }
  for (const auto& [a, b] : edges_of(type)) {
    if (std::max(a, b) >= corners.size()) {
      throw Error(ErrorKind::data, "the mesh",
                  fmt::format("has a cell of VTK type {} with {} corners", type, corners.size()));
    }
    visit(corners[a], corners[b]);
  }
}

// The neighbours of point p: ends[first[p]] .. ends[first[p + 1] - 1]; each as often as cells share the edge.
struct Neighbours {
  std::vector<std::uint64_t> first;
  std::vector<std::int64_t> ends;
};

Neighbours neighbours_of(std::uint64_t points, const view::Cells& cells) {
  Neighbours neighbours;
  neighbours.first.assign(points + 2, 0);
  const auto for_all = [&](const auto& visit) {
    for (std::size_t cell = 0; cell < cells.types.size(); ++cell) {
      const std::int64_t begin = cells.offsets.at(cell);
      const std::int64_t end = cells.offsets.at(cell + 1);
      if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > cells.connectivity.size()) {
        throw Error(ErrorKind::data, "the mesh", fmt::format("cell {} has no sound list of corners", cell));
      }
      const Corners corners(cells.connectivity.data() + begin, static_cast<std::size_t>(end - begin));
      for_each_edge(cells.types[cell], corners, visit);
    }
  };
  for_all([&](std::int64_t a, std::int64_t b) {
    for (const std::int64_t corner : {a, b}) {
      if (corner < 0 || static_cast<std::uint64_t>(corner) >= points) {
        throw Error(ErrorKind::data, "the mesh", fmt::format("has {} points, a cell names point {}", points, corner));
      }
      ++neighbours.first[static_cast<std::uint64_t>(corner) + 2];
    }
  });
  for (std::size_t p = 2; p < neighbours.first.size(); ++p) neighbours.first[p] += neighbours.first[p - 1];
  neighbours.ends.resize(neighbours.first.back());
  for_all([&](std::int64_t a, std::int64_t b) {  // first[p + 1] moves on to where p's neighbours end
    neighbours.ends[neighbours.first[static_cast<std::uint64_t>(a) + 1]++] = b;
    neighbours.ends[neighbours.first[static_cast<std::uint64_t>(b) + 1]++] = a;
  });
  return neighbours;
}

}  // namespace

std::vector<double> edge_distances(std::span<const double> points, const view::Cells& cells, std::uint64_t origin) {
  const std::uint64_t count = points.size() / 3;
  if (origin >= count) {
    throw Error(ErrorKind::usage, "the mesh", fmt::format("has {} points, and no point {}", count, origin),
                "name one of them: --origin NODE, from 0");
  }
  const Neighbours neighbours = neighbours_of(count, cells);
  const auto length = [&](std::uint64_t a, std::uint64_t b) {
    return std::hypot(points[3 * a] - points[3 * b], points[3 * a + 1] - points[3 * b + 1],
                      points[3 * a + 2] - points[3 * b + 2]);
  };
  std::vector<double> distances(count, std::numeric_limits<double>::infinity());
  using Reached = std::pair<double, std::uint64_t>;
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> next;
  distances[origin] = 0;
  next.emplace(0.0, origin);
  while (!next.empty()) {
    const auto [distance, point] = next.top();
    next.pop();
    if (distance > distances[point]) continue;  // a shorter way was found meanwhile
    for (std::uint64_t n = neighbours.first[point]; n < neighbours.first[point + 1]; ++n) {
      const auto other = static_cast<std::uint64_t>(neighbours.ends[n]);
      const double further = distance + length(point, other);
      if (further >= distances[other]) continue;
      distances[other] = further;
      next.emplace(further, other);
    }
  }
  return distances;
}

}  // namespace weft::reduce
