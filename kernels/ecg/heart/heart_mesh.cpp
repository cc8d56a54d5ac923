#include "kernels/ecg/heart/heart_mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kernels/ecg/heart/reordered.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

namespace {

// Where a point comes along a curve that keeps near things near (Morton 1966): the bits of its coordinates, in turns.
std::uint64_t morton(const Vector3& p, const Vector3& low, double extent) {
  constexpr double kCells = 1 << 20;
  const auto cell = [&](double x, double from) {
    return static_cast<std::uint64_t>(std::clamp((x - from) / extent * kCells, 0.0, kCells - 1));
  };
  const std::uint64_t x = cell(p.x, low.x);
  const std::uint64_t y = cell(p.y, low.y);
  const std::uint64_t z = cell(p.z, low.z);
  std::uint64_t key = 0;
  for (int bit = 20; bit-- > 0;) key = key << 3 | (z >> bit & 1) << 2 | (y >> bit & 1) << 1 | (x >> bit & 1);
  return key;
}

}  // namespace

std::vector<std::int32_t> number_heart_first(HeartMesh& mesh, std::vector<std::uint32_t>* old_tetrahedra) {
  std::vector<std::uint8_t> kind(mesh.points.size(), 0);  // 0: of no tetrahedron, 1: outside the heart, 2: in it
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const std::uint8_t own = mesh.tissues[t] == Tissue::heart ? 2 : 1;
    for (const std::int32_t n : mesh.tetrahedra[t]) {
      std::uint8_t& there = kind[static_cast<std::size_t>(n)];
      there = std::max(there, own);
    }
  }
  Vector3 low{1e300, 1e300, 1e300};
  Vector3 high{-1e300, -1e300, -1e300};
  for (const Vector3& p : mesh.points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const double extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z, 1e-300});
  std::vector<std::uint64_t> place(mesh.points.size());
  for (std::size_t n = 0; n < place.size(); ++n) place[n] = morton(mesh.points[n], low, extent);

  std::vector<std::uint32_t> order;
  for (std::uint32_t n = 0; n < mesh.points.size(); ++n) {
    if (kind[n] > 0) order.push_back(n);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (kind[a] != kind[b]) return kind[a] > kind[b];
    return place[a] != place[b] ? place[a] < place[b] : a < b;
  });
  std::vector<std::int32_t> renumbered(mesh.points.size(), -1);
  for (std::size_t n = 0; n < order.size(); ++n) renumbered[order[n]] = static_cast<std::int32_t>(n);
  mesh.heart_nodes = static_cast<std::uint64_t>(std::count(kind.begin(), kind.end(), 2));
  take_in_order(mesh.points, order);
  for (Tetrahedron& t : mesh.tetrahedra) {
    for (std::int32_t& n : t) n = renumbered[static_cast<std::size_t>(n)];
  }

  std::vector<std::uint32_t> tetrahedra(mesh.tetrahedra.size());
  std::iota(tetrahedra.begin(), tetrahedra.end(), 0u);
  const auto first_node = [&](std::uint32_t t) {
    return *std::min_element(mesh.tetrahedra[t].begin(), mesh.tetrahedra[t].end());
  };
  std::sort(tetrahedra.begin(), tetrahedra.end(), [&](std::uint32_t a, std::uint32_t b) {
    const bool heart_a = mesh.tissues[a] == Tissue::heart;
    const bool heart_b = mesh.tissues[b] == Tissue::heart;
    if (heart_a != heart_b) return heart_a;
    const std::int32_t node_a = first_node(a);
    const std::int32_t node_b = first_node(b);
    return node_a != node_b ? node_a < node_b : a < b;
  });
  take_in_order(mesh.tetrahedra, tetrahedra);
  take_in_order(mesh.tissues, tetrahedra);
  mesh.heart_tetrahedra =
      static_cast<std::uint64_t>(std::count(mesh.tissues.begin(), mesh.tissues.end(), Tissue::heart));
  if (old_tetrahedra != nullptr) *old_tetrahedra = std::move(tetrahedra);
  return renumbered;
}

void check_mesh(const HeartMesh& mesh) {
  if (mesh.heart_tetrahedra == 0) {
    throw Error(ErrorKind::data, mesh.description, "has no heart", "mark some tetrahedra as tissue 1");
  }
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    std::array<Vector3, 4> at;
    for (std::size_t c = 0; c < 4; ++c) at[c] = mesh.points[static_cast<std::size_t>(mesh.tetrahedra[t][c])];
    const double edge = std::max({length(at[1] - at[0]), length(at[2] - at[0]), length(at[3] - at[0])});
    if (six_volumes(at[0], at[1], at[2], at[3]) > 1e-9 * edge * edge * edge) continue;
    throw Error(ErrorKind::data, mesh.description,
                fmt::format("the tetrahedron of nodes {}, {}, {} and {} is inside out or flat", mesh.tetrahedra[t][0],
                            mesh.tetrahedra[t][1], mesh.tetrahedra[t][2], mesh.tetrahedra[t][3]),
                "mend the mesh");
  }
}

HeartMesh slab_mesh(double spacing) {
  if (!(spacing > 0) || spacing > 1.5) {
    throw Error(ErrorKind::usage, "the slab", fmt::format("a spacing of {} mm", spacing),
                "give more than 0, to 1.5 mm");
  }
  constexpr Vector3 kExtent{20, 7, 3};
  const auto cubes = [&](double extent) { return std::max(1, static_cast<int>(std::lround(extent / spacing))); };
  const BisectedBox box({cubes(kExtent.x), cubes(kExtent.y), cubes(kExtent.z)}, [&](const Vector3& unit) {
    return Vector3{unit.x * kExtent.x, unit.y * kExtent.y, unit.z * kExtent.z};
  });
  HeartMesh mesh;
  mesh.description = fmt::format("a slab of 20 x 7 x 3 mm in cubes of {} mm", spacing);
  mesh.points = box.points();
  mesh.tetrahedra = box.tetrahedra();
  mesh.tissues.assign(mesh.tetrahedra.size(), Tissue::heart);
  number_heart_first(mesh);
  mesh.fibres.assign(mesh.tetrahedra.size(), {1, 0, 0});
  mesh.layers.assign(mesh.points.size(), CellLayer::epicardium);
  mesh.spacing = spacing;
  mesh.stimulus = -50.0 / (140 * 0.01);  // 50,000 uA/cm^3, in pA/pF
  for (std::size_t n = 0; n < mesh.points.size(); ++n) {
    const Vector3& p = mesh.points[n];
    constexpr double kCube = 1.5 + 1e-9;
    if (p.x <= kCube && p.y <= kCube && p.z <= kCube) mesh.stimuli.push_back({static_cast<std::int32_t>(n), 0});
  }
  return mesh;
}

}  // namespace weft::kernels::ecg
