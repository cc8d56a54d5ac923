#include "kernels/ecg/bidomain/gmsh_mesh.hpp"

#include <fmt/format.h>
#include <petscdmplex.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "weft/storage/byte_store.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels {

namespace {

Error bad(const std::string& path, const std::string& what, std::string_view remedy) {
  return {ErrorKind::data, path, what, remedy};
}

class Plex {
 public:
  explicit Plex(const std::string& path) : path_(path) {
    // Corners alone; points where the file has them; physical volumes under "Cell Sets", by number.
    for (const char* option : {"-dm_plex_gmsh_highorder", "-dm_plex_gmsh_periodic", "-dm_plex_gmsh_use_regions"}) {
      check(PetscOptionsSetValue(nullptr, option, "0"));
    }
    check(DMPlexCreateGmshFromFile(PETSC_COMM_SELF, path.c_str(), PETSC_FALSE, &mesh_));
  }
  ~Plex() { DMDestroy(&mesh_); }
  Plex(const Plex&) = delete;
  Plex& operator=(const Plex&) = delete;

  DM handle() const { return mesh_; }

  void check(PetscErrorCode code) const {
    if (code == 0) return;
    const char* text = nullptr;
    PetscErrorMessage(code, &text, nullptr);
    throw bad(path_,
              fmt::format("PETSc cannot read it: {}", text != nullptr ? text : fmt::format("its error {}", code)),
              "check that it is a whole .msh file of format 2.2 or 4.1");
  }

 private:
  std::string path_;
  DM mesh_ = nullptr;
};

// The tissues that physical volumes have by their names, by the volumes' numbers. The list of names is text, in binary
// files too, and comes before points and elements.
std::map<PetscInt, Tissue> named_tissues(const std::string& path) {
  constexpr std::array<std::string_view, 5> kNames{"torso", "heart", "blood", "lung", "bone"};
  std::map<PetscInt, Tissue> tissues;
  std::ifstream in(path, std::ios::binary);
  std::string line;
  bool inside = false;
  while (std::getline(in, line)) {
    if (line.starts_with("$EndPhysicalNames") || line.starts_with("$Nodes")) break;
    if (line.starts_with("$PhysicalNames")) inside = true;
    if (!inside) continue;
    std::istringstream words(line);
    int dimension = 0;
    PetscInt number = 0;
    std::string name;
    if (!(words >> dimension >> number >> name) || dimension != 3) continue;
    for (std::size_t t = 0; t < kNames.size(); ++t) {
      if (name == fmt::format("\"{}\"", kNames[t])) tissues[number] = static_cast<Tissue>(t);
    }
  }
  return tissues;
}

// Of tetrahedra whose physical volumes have these numbers, 0 or less for none.
std::vector<Tissue> tissues_of(const std::vector<PetscInt>& volumes, const std::string& path) {
  const std::map<PetscInt, Tissue> named = named_tissues(path);
  const bool none = std::all_of(volumes.begin(), volumes.end(), [](PetscInt volume) { return volume <= 0; });
  std::vector<Tissue> tissues;
  for (const PetscInt volume : volumes) {
    const auto found = named.find(volume);
    if (found != named.end()) {
      tissues.push_back(found->second);
    } else if (volume <= 0) {
      tissues.push_back(none ? Tissue::heart : Tissue::torso);
    } else if (volume <= static_cast<PetscInt>(Tissue::bone)) {
      tissues.push_back(static_cast<Tissue>(volume));
    } else {
      throw bad(path, fmt::format("physical volume {} is no tissue", volume),
                "number it 0 torso, 1 heart, 2 blood, 3 lung or 4 bone, or name it so");
    }
  }
  return tissues;
}

}  // namespace

MeshContents read_gmsh_contents(const std::string& path) {
  storage::open_posix(path, storage::OpenMode::read);  // its errors are clearer than PETSc's
  const Plex plex(path);
  MeshContents contents;
  contents.path = path;
  PetscInt dimension = 0;
  plex.check(DMGetDimension(plex.handle(), &dimension));
  if (dimension < 3) return contents;  // which have no tetrahedra

  PetscInt cell = 0;
  PetscInt cells_end = 0;
  PetscInt point = 0;
  PetscInt points_end = 0;
  plex.check(DMPlexGetHeightStratum(plex.handle(), 0, &cell, &cells_end));
  plex.check(DMPlexGetDepthStratum(plex.handle(), 0, &point, &points_end));

  Vec vector = nullptr;
  PetscInt coordinates = 0;
  plex.check(DMGetCoordinatesLocal(plex.handle(), &vector));
  plex.check(VecGetLocalSize(vector, &coordinates));
  if (coordinates != 3 * (points_end - point)) {
    throw bad(path, fmt::format("has {} coordinates for {} points", coordinates, points_end - point),
              "give each point three");
  }
  const PetscScalar* at = nullptr;
  plex.check(VecGetArrayRead(vector, &at));
  for (PetscInt i = 0; i < coordinates; i += 3) contents.points.push_back({at[i], at[i + 1], at[i + 2]});
  plex.check(VecRestoreArrayRead(vector, &at));

  DMLabel sets = nullptr;
  plex.check(DMGetLabel(plex.handle(), "Cell Sets", &sets));
  std::vector<PetscInt> volumes;
  for (; cell < cells_end; ++cell) {
    DMPolytopeType type = DM_POLYTOPE_UNKNOWN;
    const PetscInt* corners = nullptr;
    PetscInt volume = -1;
    plex.check(DMPlexGetCellType(plex.handle(), cell, &type));
    if (type != DM_POLYTOPE_TETRAHEDRON) {
      throw bad(path, fmt::format("has a volume that is no tetrahedron ({})", DMPolytopeTypes[type]),
                "mesh it with tetrahedra alone");
    }
    plex.check(DMPlexGetCone(plex.handle(), cell, &corners));
    if (std::any_of(corners, corners + 4, [&](PetscInt n) { return n < point || n >= points_end; })) {
      throw bad(path, "has a tetrahedron of points that are not there", "mend the mesh");
    }
    if (sets != nullptr) plex.check(DMLabelGetValue(sets, cell, &volume));
    // PETSc's tetrahedra have their first two corners the other way round.
    contents.tetrahedra.push_back({corners[1] - point, corners[0] - point, corners[2] - point, corners[3] - point});
    volumes.push_back(volume);
  }
  contents.tissues = tissues_of(volumes, path);
  return contents;
}

}  // namespace weft::kernels
