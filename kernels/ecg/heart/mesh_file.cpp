#include "kernels/ecg/heart/mesh_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "kernels/ecg/heart/reordered.hpp"
#include "kernels/ecg/heart/skin.hpp"
#include "weft/support/cell_type.hpp"
#include "weft/support/error.hpp"
#include "weft/view/vtu_mesh.hpp"

namespace weft::kernels::ecg {

namespace {

// VTK's cell types of fewer than three dimensions: linear ones, quadratic ones, of any order.
bool is_flat(std::uint8_t type) {
  constexpr std::uint8_t kFlat[] = {21, 22, 23, 28, 30, 34, 35, 36, 60, 61, 62, 63, 68, 69, 70, 75, 76, 77};
  return type < cell_type::tetra || std::find(std::begin(kFlat), std::end(kFlat), type) != std::end(kFlat);
}

Error bad(const std::string& path, const std::string& what, std::string_view remedy) {
  return {ErrorKind::data, path, what, remedy};
}

const view::VtuArray* array_of(const std::map<std::string, view::VtuArray>& arrays, const std::string& path,
                               const char* name, std::size_t components) {
  const auto found = arrays.find(name);
  if (found == arrays.end()) return nullptr;
  if (found->second.components != components) {
    throw bad(path, fmt::format("array {} has {} components", name, found->second.components),
              fmt::format("give it {}", components));
  }
  return &found->second;
}

// One of the whole numbers 0 to `most`.
std::uint8_t whole_number(double value, int most, const std::string& path, const char* what, std::size_t of) {
  if (value >= 0 && value <= most && value == std::floor(value)) return static_cast<std::uint8_t>(value);
  throw bad(path,
            fmt::format("{} {} has {} {}", std::string_view(what) == "tissue" ? "cell" : "point", of, what, value),
            fmt::format("give it one of 0 to {}", most));
}

// The tetrahedra must be one piece: the potential of another one would be known up to a constant only, and a heart in
// two is mostly one whose points were written twice.
void check_connected(const MeshContents& contents) {
  std::vector<std::int32_t> leads_to(contents.points.size());
  std::iota(leads_to.begin(), leads_to.end(), 0);
  const auto end_of = [&](std::int32_t n) {
    const auto next = [&](std::int32_t at) -> std::int32_t& { return leads_to[static_cast<std::size_t>(at)]; };
    while (next(n) != n) n = next(n) = next(next(n));
    return n;
  };
  for (const Tetrahedron& t : contents.tetrahedra) {
    for (std::size_t c = 1; c < 4; ++c) leads_to[static_cast<std::size_t>(end_of(t[c]))] = end_of(t[0]);
  }
  for (const Tetrahedron& t : contents.tetrahedra) {
    if (end_of(t[0]) == end_of(contents.tetrahedra[0][0])) continue;
    throw bad(contents.path,
              fmt::format("points {} and {} are in parts that share no point", contents.tetrahedra[0][0], t[0]),
              "merge points that lie on each other (ParaView: Clean to Grid), or leave a part out");
  }
}

// Where nodes and tetrahedra of the mesh came from.
struct Origin {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> tetrahedra;
  std::string said;
};

// Nodes in the file's order but those of no tetrahedron; tetrahedra in the file's order, the heart's first.
Origin keep_numbers(HeartMesh& mesh, const std::vector<std::uint8_t>& kind) {
  Origin origin;
  std::vector<std::int32_t> number(mesh.points.size(), -1);
  for (std::uint32_t n = 0; n < number.size(); ++n) {
    if (kind[n] == 0) continue;
    number[n] = static_cast<std::int32_t>(origin.nodes.size());
    origin.nodes.push_back(n);
  }
  take_in_order(mesh.points, origin.nodes);
  for (Tetrahedron& t : mesh.tetrahedra) {
    for (std::int32_t& n : t) n = number[static_cast<std::size_t>(n)];
  }
  origin.tetrahedra.resize(mesh.tetrahedra.size());
  std::iota(origin.tetrahedra.begin(), origin.tetrahedra.end(), 0U);
  const auto in_heart = [&](std::uint32_t t) { return mesh.tissues[t] == Tissue::heart; };
  const bool in_order = std::is_partitioned(origin.tetrahedra.begin(), origin.tetrahedra.end(), in_heart);
  std::stable_partition(origin.tetrahedra.begin(), origin.tetrahedra.end(), in_heart);
  take_in_order(mesh.tetrahedra, origin.tetrahedra);
  take_in_order(mesh.tissues, origin.tetrahedra);
  mesh.heart_nodes = static_cast<std::uint64_t>(std::count(kind.begin(), kind.end(), 2));
  origin.said =
      in_order ? "numbered as in the file" : "nodes numbered as in the file, the heart's tetrahedra put first";
  return origin;
}

Origin number(HeartMesh& mesh) {
  std::vector<std::uint8_t> kind(mesh.points.size(), 0);  // 0: of no tetrahedron, 1: outside the heart, 2: in it
  for (std::size_t t = 0; t < mesh.tetrahedra.size(); ++t) {
    const std::uint8_t own = mesh.tissues[t] == Tissue::heart ? 2 : 1;
    for (const std::int32_t n : mesh.tetrahedra[t]) {
      std::uint8_t& there = kind[static_cast<std::size_t>(n)];
      there = std::max(there, own);
    }
  }
  const auto left_out = std::count(kind.begin(), kind.end(), 0);
  std::vector<std::uint8_t> used;
  std::copy_if(kind.begin(), kind.end(), std::back_inserter(used), [](std::uint8_t k) { return k > 0; });
  Origin origin;
  if (std::is_sorted(used.rbegin(), used.rend())) {
    origin = keep_numbers(mesh, kind);
  } else {
    const std::vector<std::int32_t> renumbered = number_heart_first(mesh, &origin.tetrahedra);
    origin.nodes.resize(mesh.points.size());
    for (std::uint32_t n = 0; n < renumbered.size(); ++n) {
      if (renumbered[n] >= 0) origin.nodes[static_cast<std::size_t>(renumbered[n])] = n;
    }
    origin.said = "renumbered, the heart first";
  }
  if (left_out > 0) origin.said += fmt::format("; points of no tetrahedron left out: {}", left_out);
  return origin;
}

void set_fibres(HeartMesh& mesh, const MeshContents& contents, Origin& origin) {
  std::uint64_t without = 0;
  for (std::size_t t = 0; t < mesh.heart_tetrahedra; ++t) {
    const Vector3 fibre = contents.fibres.empty() ? Vector3{} : contents.fibres[origin.tetrahedra[t]];
    const double long_as = length(fibre);
    const bool there = long_as > 0 && std::isfinite(long_as);
    mesh.fibres.push_back(there ? (1 / long_as) * fibre : Vector3{1, 0, 0});
    without += there ? 0 : 1;
  }
  if (without == mesh.heart_tetrahedra) {
    origin.said += "; fibres along x";
  } else if (without > 0) {
    origin.said += fmt::format("; {} of the heart's tetrahedra without a fibre, along x", without);
  }
}

void set_stimuli(HeartMesh& mesh, const MeshContents& contents, const MeshFileOptions& options, Origin& origin) {
  mesh.stimulus = -50.0 / (140 * 0.01);  // as the slab's: 50,000 uA/cm^3, in pA/pF
  for (std::size_t n = 0; n < mesh.heart_nodes; ++n) {
    double start = std::numeric_limits<double>::quiet_NaN();
    if (!options.stimulated.empty()) {
      const bool inside = std::any_of(options.stimulated.begin(), options.stimulated.end(), [&](const Ball& ball) {
        return length(mesh.points[n] - ball.middle) <= ball.radius;
      });
      if (inside) start = 0;
    } else if (!contents.stimulated.empty()) {
      start = contents.stimulated[origin.nodes[n]];
    }
    if (start >= 0 && std::isfinite(start)) mesh.stimuli.push_back({static_cast<std::int32_t>(n), start});
  }
  if (mesh.stimuli.empty()) origin.said += "; nothing is stimulated";
}

void set_electrodes(HeartMesh& mesh, const MeshFileOptions& options) {
  std::vector<std::int32_t> skin;
  for (const auto& face : skin_faces(mesh)) skin.insert(skin.end(), face.begin(), face.end());
  std::sort(skin.begin(), skin.end());
  skin.erase(std::unique(skin.begin(), skin.end()), skin.end());
  if (skin.empty()) throw bad(mesh.description, "has no surface", "leave out tetrahedra that are there twice");
  mesh.ground = skin.back();
  for (const weft::ecg::Electrode& electrode : options.electrodes) {
    const Vector3 place{electrode.place[0], electrode.place[1], electrode.place[2]};
    const auto away = [&](std::int32_t n) { return length(mesh.points[static_cast<std::size_t>(n)] - place); };
    const auto nearest =
        std::min_element(skin.begin(), skin.end(), [&](std::int32_t a, std::int32_t b) { return away(a) < away(b); });
    mesh.electrodes.push_back({electrode.name, *nearest});
    if (electrode.name == "RL") mesh.ground = *nearest;
  }
}

double spacing_of_heart(const HeartMesh& mesh) {
  double volumes = 0;
  for (std::size_t t = 0; t < mesh.heart_tetrahedra; ++t) {
    const auto at = [&](std::size_t c) { return mesh.points[static_cast<std::size_t>(mesh.tetrahedra[t][c])]; };
    volumes += six_volumes(at(0), at(1), at(2), at(3));
  }
  return std::cbrt(volumes / static_cast<double>(mesh.heart_tetrahedra));
}

}  // namespace

MeshContents read_vtu_contents(const std::string& path) {
  const view::VtuFields fields = view::read_vtu_fields(path, {"layer", "stimulus"}, {"tissue", "fibre"});
  const view::VtuArray* const tissue = array_of(fields.on_cells, path, "tissue", 1);
  const view::VtuArray* const fibre = array_of(fields.on_cells, path, "fibre", 3);
  const view::VtuArray* const layer = array_of(fields.on_points, path, "layer", 1);
  const view::VtuArray* const stimulus = array_of(fields.on_points, path, "stimulus", 1);
  const view::Cells& cells = fields.mesh.cells;
  const std::size_t points = fields.mesh.points.size() / 3;
  if (points > 0x7fffffff) throw bad(path, fmt::format("has {} points", points), "give at most 2,147,483,647");

  MeshContents contents;
  contents.path = path;
  for (std::size_t n = 0; n < points; ++n) {
    const double* const at = fields.mesh.points.data() + 3 * n;
    contents.points.push_back({at[0], at[1], at[2]});
  }
  std::vector<bool> in_heart(points, false);
  for (std::size_t c = 0; c < cells.types.size(); ++c) {
    if (is_flat(cells.types[c])) continue;
    const auto first = static_cast<std::size_t>(cells.offsets[c]);
    if (cells.types[c] != cell_type::tetra || cells.offsets[c + 1] - cells.offsets[c] != 4) {
      throw bad(path, fmt::format("cell {} is not a tetrahedron (VTK type {})", c, cells.types[c]),
                "cut every cell into tetrahedra of four points (ParaView: Tetrahedralize)");
    }
    Tetrahedron corners{};
    for (std::size_t i = 0; i < 4; ++i) corners[i] = static_cast<std::int32_t>(cells.connectivity[first + i]);
    contents.tetrahedra.push_back(corners);
    const auto own =
        tissue == nullptr ? Tissue::heart : static_cast<Tissue>(whole_number(tissue->values[c], 4, path, "tissue", c));
    contents.tissues.push_back(own);
    for (const std::int32_t n : corners) {
      if (own == Tissue::heart) in_heart[static_cast<std::size_t>(n)] = true;
    }
    if (fibre == nullptr) continue;
    contents.fibres.push_back({fibre->values[3 * c], fibre->values[3 * c + 1], fibre->values[3 * c + 2]});
  }
  for (std::size_t n = 0; layer != nullptr && n < points; ++n) {
    // What a layer outside the heart should be, nobody knows.
    contents.layers.push_back(in_heart[n] ? static_cast<CellLayer>(whole_number(layer->values[n], 2, path, "layer", n))
                                          : CellLayer::epicardium);
  }
  if (stimulus != nullptr) contents.stimulated = stimulus->values;
  return contents;
}

HeartMesh heart_mesh_of(const MeshContents& contents, const MeshFileOptions& options) {
  if (!options.electrodes.empty()) weft::ecg::check_electrodes(options.electrodes);
  if (contents.tetrahedra.empty()) {
    throw bad(contents.path, "has no tetrahedra", "give a mesh of the heart's volume, not of its surface");
  }
  HeartMesh mesh;
  mesh.description = contents.path;
  mesh.points = contents.points;
  for (Vector3& p : mesh.points) p = options.unit * p;
  mesh.tetrahedra = contents.tetrahedra;
  mesh.tissues = contents.tissues;
  mesh.heart_tetrahedra =
      static_cast<std::uint64_t>(std::count(mesh.tissues.begin(), mesh.tissues.end(), Tissue::heart));
  check_mesh(mesh);  // before anything is renumbered: its error names nodes as the file does
  check_connected(contents);

  Origin origin = number(mesh);
  for (const std::uint32_t old : origin.nodes) {
    if (mesh.layers.size() == mesh.heart_nodes) break;
    mesh.layers.push_back(contents.layers.empty() ? CellLayer::epicardium : contents.layers[old]);
  }
  set_fibres(mesh, contents, origin);
  set_stimuli(mesh, contents, options, origin);
  set_electrodes(mesh, options);
  mesh.spacing = spacing_of_heart(mesh);
  mesh.description = fmt::format("{}: {} nodes, {} of them the heart's at {:.2g} mm; {}", contents.path,
                                 mesh.points.size(), mesh.heart_nodes, mesh.spacing, origin.said);
  return mesh;
}

}  // namespace weft::kernels::ecg
