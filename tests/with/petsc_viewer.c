/* A PETSc program writes a vector each step by PETSc's own HDF5 viewer. */
#include <petscvec.h>
#include <petscviewerhdf5.h>

int main(int argc, char** argv) {
  Vec u;
  PetscViewer viewer;
  PetscInt low, high;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, 5003, &u));
  PetscCall(PetscObjectSetName((PetscObject)u, "u"));
  PetscCall(VecGetOwnershipRange(u, &low, &high));
  PetscCall(PetscViewerHDF5Open(PETSC_COMM_WORLD, argv[1], FILE_MODE_WRITE, &viewer));
  PetscCall(PetscViewerHDF5PushTimestepping(viewer));
  for (PetscInt step = 0; step < 60; ++step) {
    for (PetscInt i = low; i < high; ++i) PetscCall(VecSetValue(u, i, (PetscScalar)(i + 0.5 * step), INSERT_VALUES));
    PetscCall(VecAssemblyBegin(u));
    PetscCall(VecAssemblyEnd(u));
    PetscCall(PetscViewerHDF5SetTimestep(viewer, step));
    PetscCall(VecView(u, viewer));
  }
  PetscCall(PetscViewerHDF5PopTimestepping(viewer));
  PetscCall(PetscViewerDestroy(&viewer));
  PetscCall(VecDestroy(&u));
  PetscCall(PetscFinalize());
  return 0;
}
