// The torso's mesh: fine in the ventricles' wall, growing coarser with the distance from it, with nodes near the wall's
// surface moved onto it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/ecg/heart/heart_mesh.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

namespace {

constexpr double kGrowth = 0.7;      // of the spacing, for each mm from the wall
constexpr double kLargest = 30;      // mm
constexpr double kWallVolume = 2e5;  // mm^3, about: a first guess of the spacing

// Edge of the cube whose six equal tetrahedra are as large as this one.
double spacing_of(const std::array<Vector3, 4>& c) { return std::cbrt(std::fabs(six_volumes(c[0], c[1], c[2], c[3]))); }

// A torso whose wall has about this spacing.
BisectedBox refined_torso(double spacing, std::uint64_t most_points) {
  // Halving cubes three times over, the largest ones become the wanted ones exactly, along the axis where they fit
  // worst.
  double cube = spacing;
  while (cube * 2 <= kLargest * 1.5) cube *= 2;
  const auto cubes = [&](double extent) { return static_cast<int>(std::ceil(extent / cube)); };
  BisectedBox box({cubes(kTorsoExtent.x), cubes(kTorsoExtent.y), cubes(kTorsoExtent.z)}, in_torso);
  box.refine(
      [&](const std::array<Vector3, 4>& c) {
        const Vector3 middle = 0.25 * (c[0] + c[1] + c[2] + c[3]);
        double reach = 0;
        for (const Vector3& corner : c) reach = std::max(reach, length(corner - middle));
        const double away = std::max(0.0, std::fabs(wall_distance(middle)) - reach);
        const bool in_wall = wall_distance(middle) < 0;
        const double wanted = in_wall ? spacing : std::min(spacing + kGrowth * away, kLargest);
        return spacing_of(c) <= 1.12 * wanted;
      },
      most_points);
  return box;
}

// Moves nodes that lie nearly on the wall's surface onto it, where no tetrahedron becomes much flatter by it.
void snap_to_wall(std::vector<Vector3>& points, const std::vector<Tetrahedron>& tetrahedra, double spacing) {
  std::vector<std::vector<std::uint32_t>> around(points.size());
  for (std::uint32_t t = 0; t < tetrahedra.size(); ++t) {
    for (const std::int32_t n : tetrahedra[t]) around[static_cast<std::size_t>(n)].push_back(t);
  }
  const auto size_of_tetrahedron = [&](std::uint32_t t) {
    const auto at = [&](std::size_t c) { return points[static_cast<std::size_t>(tetrahedra[t][c])]; };
    return six_volumes(at(0), at(1), at(2), at(3));
  };
  const double reach = 0.5 * spacing;
  const double delta = 1e-3 * spacing;
  for (std::size_t n = 0; n < points.size(); ++n) {
    const Vector3 before = points[n];
    const double away = wall_distance(before);
    if (std::fabs(away) > reach || away == 0) continue;
    const auto slope = [&](const Vector3& step) {
      return (wall_distance(before + step) - wall_distance(before - step)) / (2 * delta);
    };
    const Vector3 gradient{slope({delta, 0, 0}), slope({0, delta, 0}), slope({0, 0, delta})};
    const double steepness = dot(gradient, gradient);
    if (steepness < 0.1) continue;
    points[n] = before - (away / steepness) * gradient;
    // A tetrahedron keeps at least this share of what six of make a cube of the wanted spacing.
    const double least = 0.12 * spacing * spacing * spacing;
    const bool flat = std::any_of(around[n].begin(), around[n].end(),
                                  [&](std::uint32_t t) { return size_of_tetrahedron(t) < least; });
    if (flat || length(points[n] - before) > 1.5 * reach) points[n] = before;
  }
}

// A field on the heart's nodes shows just the heart when no other tetrahedron stands on heart nodes alone.
void fill_notches(HeartMesh& mesh) {
  bool changed = true;
  while (changed) {
    changed = false;
    std::vector<bool> in_heart(mesh.points.size(), false);
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
      if (mesh.tissues[t] != Tissue::heart) continue;
      for (const std::int32_t n : mesh.tetrahedra[t]) in_heart[static_cast<std::size_t>(n)] = true;
    }
    for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
      if (mesh.tissues[t] == Tissue::heart) continue;
      const Tetrahedron& c = mesh.tetrahedra[t];
      if (!std::all_of(c.begin(), c.end(), [&](std::int32_t n) { return in_heart[static_cast<std::size_t>(n)]; })) {
        continue;
      }
      mesh.tissues[t] = Tissue::heart;
      changed = true;
    }
  }
}

Vector3 middle_of(const HeartMesh& mesh, std::size_t tetrahedron) {
  Vector3 middle;
  for (const std::int32_t n : mesh.tetrahedra[tetrahedron]) {
    middle = middle + 0.25 * mesh.points[static_cast<std::size_t>(n)];
  }
  return middle;
}

// In the wall or out of it by its corners, some of which lie just on the wall's surface; else by its middle.
Tissue tissue_of(const HeartMesh& mesh, std::size_t tetrahedron) {
  double away = 0;
  for (const std::int32_t n : mesh.tetrahedra[tetrahedron]) {
    away += wall_distance(mesh.points[static_cast<std::size_t>(n)]);
  }
  const Vector3 middle = middle_of(mesh, tetrahedron);
  return away < 0 ? Tissue::heart : tissue_outside(middle);
}

// The largest spacing's search: nodes fall with its third power, nearly.
BisectedBox torso_of(std::uint64_t nodes, double& spacing) {
  const auto most = static_cast<std::uint64_t>(1.5 * static_cast<double>(nodes)) + 1000;
  spacing = std::cbrt(2.2 * kWallVolume / static_cast<double>(nodes));
  std::optional<BisectedBox> best;
  double best_spacing = 0;
  double low = 0;     // too many nodes
  double high = 1e9;  // few enough
  for (int trial = 0; trial < 12; ++trial) {
    std::uint64_t count = most;
    std::optional<BisectedBox> box;
    try {
      box = refined_torso(spacing, most);
      count = box->points().size();
    } catch (const Error&) {
    }
    if (count <= nodes) {
      high = std::min(high, spacing);
      if (!best || box->points().size() > best->points().size()) {
        best = std::move(box);
        best_spacing = spacing;
      }
      if (static_cast<double>(count) > 0.95 * static_cast<double>(nodes)) break;
    } else {
      low = std::max(low, spacing);
    }
    double next = spacing * std::cbrt(static_cast<double>(count) / (0.97 * static_cast<double>(nodes)));
    if (next <= low || next >= high) next = high < 1e9 ? (low + high) / 2 : low * 1.1;
    spacing = next;
  }
  if (!best) {
    throw Error(ErrorKind::usage, "the torso", fmt::format("cannot be made with {} nodes", nodes), "give more --nodes");
  }
  spacing = best_spacing;
  return std::move(*best);
}

}  // namespace

HeartMesh torso_mesh(std::uint64_t nodes) {
  constexpr std::uint64_t kFewest = 3000;
  if (nodes < kFewest || nodes > 0x7fffffff / 8) {
    throw Error(ErrorKind::usage, "the torso", fmt::format("cannot be made with {} nodes", nodes),
                fmt::format("give {} or more, below {}", kFewest, 0x7fffffff / 8));
  }
  double spacing = 0;
  const BisectedBox box = torso_of(nodes, spacing);
  HeartMesh mesh;
  mesh.points = box.points();
  mesh.tetrahedra = box.tetrahedra();
  snap_to_wall(mesh.points, mesh.tetrahedra, spacing);
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) mesh.tissues.push_back(tissue_of(mesh, t));
  fill_notches(mesh);
  const std::vector<bool> skin_before = box.on_surface();
  const std::vector<std::int32_t> renumbered = number_heart_first(mesh);

  std::vector<std::int32_t> skin;
  for (std::size_t n = 0; n < skin_before.size(); ++n) {
    if (skin_before[n]) skin.push_back(renumbered[n]);
  }
  for (const ElectrodePlace& place : electrode_places()) {
    const auto nearest = std::min_element(skin.begin(), skin.end(), [&](std::int32_t a, std::int32_t b) {
      return length(mesh.points[static_cast<std::size_t>(a)] - place.at) <
             length(mesh.points[static_cast<std::size_t>(b)] - place.at);
    });
    mesh.electrodes.push_back({place.name, *nearest});
    if (place.name == "RL") mesh.ground = *nearest;
  }

  double volumes = 0;
  for (std::size_t t = 0; t < mesh.heart_tetrahedra; ++t) {
    mesh.fibres.push_back(fibre_at(middle_of(mesh, t)));
    const auto at = [&](std::size_t c) { return mesh.points[static_cast<std::size_t>(mesh.tetrahedra[t][c])]; };
    volumes += six_volumes(at(0), at(1), at(2), at(3));
  }
  mesh.spacing = std::cbrt(volumes / static_cast<double>(std::max<std::uint64_t>(1, mesh.heart_tetrahedra)));

  std::vector<bool> at_blood(mesh.heart_nodes, false);
  for (std::size_t t = mesh.heart_tetrahedra; t < mesh.tetrahedra.size(); ++t) {
    if (mesh.tissues[t] != Tissue::blood) continue;
    for (const std::int32_t n : mesh.tetrahedra[t]) {
      if (static_cast<std::uint64_t>(n) < mesh.heart_nodes) at_blood[static_cast<std::size_t>(n)] = true;
    }
  }
  // A little over twice what starts a wave in cells as far apart as those of coarse meshes; a stronger one would show.
  mesh.stimulus = -22;
  for (std::size_t n = 0; n < mesh.heart_nodes; ++n) {
    mesh.layers.push_back(layer_at(mesh.points[n]));
    if (at_blood[n]) {
      mesh.stimuli.push_back({static_cast<std::int32_t>(n), activation_of_inner_surface(mesh.points[n])});
    }
  }
  mesh.description = fmt::format("a torso of {} nodes, {} of them the ventricles' at {:.2g} mm", mesh.points.size(),
                                 mesh.heart_nodes, mesh.spacing);
  check_mesh(mesh);
  return mesh;
}

}  // namespace weft::kernels::ecg
