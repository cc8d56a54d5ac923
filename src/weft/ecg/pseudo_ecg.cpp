#include "weft/ecg/pseudo_ecg.hpp"

#include <fmt/format.h>

#include <cmath>

#include "weft/support/cell_type.hpp"
#include "weft/support/error.hpp"
#include "weft/support/vector3.hpp"

namespace weft::ecg {

namespace {

// Dimension of an element by VTK's number of its type; 0 where it has no extent.
int dimension_of(std::uint8_t type) {
  switch (type) {
    case cell_type::vertex: return 0;
    case cell_type::line: return 1;
    case cell_type::triangle: return 2;
    case cell_type::tetra: return 3;
    default:
      throw Error(ErrorKind::data, "the mesh", fmt::format("has cells of VTK's type {}", type),
                  "a pseudo-ECG takes lines, triangles and tetrahedra");
  }
}

// The gradients of the linear functions that are 1 at one corner and 0 at the others, and the element's extent.
struct Element {
  std::array<Vector3, 4> gradients{};
  double extent = 0;
};

Element element_of(int dimension, const std::array<Vector3, 4>& corners) {
  Element element;
  const Vector3 a = corners[1] - corners[0];
  const Vector3 b = corners[2] - corners[0];
  const Vector3 c = corners[3] - corners[0];
  if (dimension == 1) {
    element.extent = std::sqrt(dot(a, a));
    element.gradients[1] = (1 / dot(a, a)) * a;
  } else if (dimension == 2) {
    const Vector3 normal = cross(a, b);
    const double squared = dot(normal, normal);
    element.extent = std::sqrt(squared) / 2;
    element.gradients[1] = (1 / squared) * cross(b, normal);
    element.gradients[2] = (1 / squared) * cross(normal, a);
  } else {
    const double volume = dot(a, cross(b, c));
    element.extent = std::fabs(volume) / 6;
    element.gradients[1] = (1 / volume) * cross(b, c);
    element.gradients[2] = (1 / volume) * cross(c, a);
    element.gradients[3] = (1 / volume) * cross(a, b);
  }
  for (int corner = 1; corner <= dimension; ++corner) {
    element.gradients[0] = element.gradients[0] - element.gradients[static_cast<std::size_t>(corner)];
  }
  return element;
}

// The mean of grad(1/r) over an element: Stroud's rule of second degree, a point near each corner.
Vector3 mean_gradient(int dimension, const std::array<Vector3, 4>& corners, const Vector3& electrode) {
  const double others = (1 - 1 / std::sqrt(dimension + 2.0)) / (dimension + 1);
  const double own = 1 - dimension * others;
  Vector3 mean{};
  for (int near = 0; near <= dimension; ++near) {
    Vector3 to_electrode = electrode;
    for (int corner = 0; corner <= dimension; ++corner) {
      to_electrode = to_electrode - (corner == near ? own : others) * corners[static_cast<std::size_t>(corner)];
    }
    const double r = length(to_electrode);
    mean = mean + (1 / (r * r * r) / (dimension + 1)) * to_electrode;
  }
  return mean;
}

}  // namespace

std::vector<double> pseudo_ecg_weights(std::span<const double> points, const view::Cells& cells,
                                       const std::array<double, 3>& electrode, double diffusivity) {
  const std::uint64_t nodes = points.size() / 3;
  if (cells.offsets.size() != cells.types.size() + 1) {
    throw Error(ErrorKind::data, "the mesh", "has not as many offsets as cells, and one", "write it again");
  }
  const Vector3 place{electrode[0], electrode[1], electrode[2]};
  std::vector<double> weights(nodes, 0.0);
  for (std::size_t cell = 0; cell < cells.types.size(); ++cell) {
    const int dimension = dimension_of(cells.types[cell]);
    if (dimension == 0) continue;
    const auto first = static_cast<std::size_t>(cells.offsets[cell]);
    std::array<std::size_t, 4> nodes_of{};
    std::array<Vector3, 4> corners{};
    for (std::size_t corner = 0; corner <= static_cast<std::size_t>(dimension); ++corner) {
      const std::int64_t node = first + corner < cells.connectivity.size() ? cells.connectivity[first + corner] : -1;
      if (node < 0 || static_cast<std::uint64_t>(node) >= nodes) {
        throw Error(ErrorKind::data, "the mesh", fmt::format("cell {} has a corner that is no point", cell),
                    "check its connectivity");
      }
      nodes_of[corner] = static_cast<std::size_t>(node);
      const double* at = points.data() + 3 * nodes_of[corner];
      corners[corner] = {at[0], at[1], at[2]};
      if (corners[corner] == place) {
        throw Error(ErrorKind::usage, "the electrode", fmt::format("lies on node {} of the heart", node),
                    "place it away from the heart: the potential is unbounded there");
      }
    }
    const Element element = element_of(dimension, corners);
    if (!(element.extent > 0)) {
      throw Error(ErrorKind::data, "the mesh", fmt::format("cell {} has no extent", cell), "take it out of the mesh");
    }
    const Vector3 seen = mean_gradient(dimension, corners, place);
    for (std::size_t corner = 0; corner <= static_cast<std::size_t>(dimension); ++corner) {
      weights[nodes_of[corner]] -= diffusivity * element.extent * dot(element.gradients[corner], seen);
    }
  }
  return weights;
}

}  // namespace weft::ecg
