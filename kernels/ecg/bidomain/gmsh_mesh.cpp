#include "kernels/ecg/bidomain/gmsh_mesh.hpp"

#include <fmt/format.h>
#include <petscdmplex.h>

#include <algorithm>

#include "kernels/ecg/heart/gmsh_check.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

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

// Of tetrahedra whose physical volumes have these numbers.
std::vector<Tissue> tissues_of(const std::vector<PetscInt>& volumes, const GmshTissues& named) {
  const Tissue of_none = named.empty() ? Tissue::heart : Tissue::torso;
  std::vector<Tissue> tissues;
  for (const PetscInt volume : volumes) {
    const auto found = named.find(static_cast<std::int32_t>(volume));
    tissues.push_back(found != named.end() ? found->second : of_none);
  }
  return tissues;
}

}  // namespace

MeshContents read_gmsh_contents(const std::string& path) {
  const GmshTissues tissues = check_gmsh(path);
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
      throw bad(path, fmt::format("has a volume that is not a tetrahedron ({})", DMPolytopeTypes[type]),
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
  contents.tissues = tissues_of(volumes, tissues);
  return contents;
}

}  // namespace weft::kernels::ecg
