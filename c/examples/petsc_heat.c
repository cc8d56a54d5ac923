/* Heat in a plate, solved by PETSc; a monitor writes every 5th step.
 *   mpirun -n 2 example_c_petsc_heat plate.h5 */
#include <weft_petsc.h>

enum { NX = 31, NY = 21 };

static PetscErrorCode rate(TS ts, PetscReal time, Vec u, Vec f, void* none) {
  DM dm;
  Vec local;
  const PetscScalar** v;
  PetscScalar** out;
  PetscInt x, y, nx, ny;

  PetscFunctionBeginUser;
  (void)time, (void)none;
  PetscCall(TSGetDM(ts, &dm));
  PetscCall(DMGetLocalVector(dm, &local));
  PetscCall(DMGlobalToLocal(dm, u, INSERT_VALUES, local));
  PetscCall(DMDAVecGetArrayRead(dm, local, (void*)&v));
  PetscCall(DMDAVecGetArray(dm, f, (void*)&out));
  PetscCall(DMDAGetCorners(dm, &x, &y, NULL, &nx, &ny, NULL));
  for (PetscInt j = y; j < y + ny; ++j) {
    for (PetscInt i = x; i < x + nx; ++i) { /* 0 around the plate */
      const PetscReal left = i > 0 ? v[j][i - 1] : 0, right = i < NX - 1 ? v[j][i + 1] : 0;
      const PetscReal below = j > 0 ? v[j - 1][i] : 0, above = j < NY - 1 ? v[j + 1][i] : 0;
      out[j][i] = left + right + below + above - 4 * v[j][i];
    }
  }
  PetscCall(DMDAVecRestoreArray(dm, f, (void*)&out));
  PetscCall(DMDAVecRestoreArrayRead(dm, local, (void*)&v));
  PetscCall(DMRestoreLocalVector(dm, &local));
  PetscFunctionReturn((PetscErrorCode)0);
}

int main(int argc, char** argv) {
  DM dm;
  Vec u;
  TS ts;
  TSAdapt adapt;
  PetscScalar** v;
  PetscInt x, y, nx, ny;
  weft_writer* out;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCall(DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, NX, NY, PETSC_DECIDE,
                         PETSC_DECIDE, 1, 1, NULL, NULL, &dm));
  PetscCall(DMSetUp(dm));
  PetscCall(DMCreateGlobalVector(dm, &u));
  PetscCall(DMDAVecGetArray(dm, u, (void*)&v));
  PetscCall(DMDAGetCorners(dm, &x, &y, NULL, &nx, &ny, NULL));
  for (PetscInt j = y; j < y + ny; ++j) {
    for (PetscInt i = x; i < x + nx; ++i)
      v[j][i] = PetscSinReal(PETSC_PI * (i + 1) / (NX + 1)) * PetscSinReal(PETSC_PI * 2 * (j + 1) / (NY + 1));
  }
  PetscCall(DMDAVecRestoreArray(dm, u, (void*)&v));

  weft_spec* spec = weft_spec_new();
  PetscCall(WeftAddVec(spec, "u", u));
  WeftCall(weft_set_field(spec, "u", "units", "K"));
  const uint64_t shape[] = {NY, NX};
  WeftCall(weft_set_grid(spec, 2, shape, NULL, NULL));
  WeftCall(weft_create_mpi(spec, argc > 1 ? argv[1] : "plate.h5", PETSC_COMM_WORLD, &out));
  weft_spec_free(spec);

  WeftMonitor monitor = {out, "u", 5};
  PetscCall(TSCreate(PETSC_COMM_WORLD, &ts));
  PetscCall(TSSetDM(ts, dm));
  PetscCall(TSSetType(ts, TSRK));
  PetscCall(TSSetRHSFunction(ts, NULL, rate, NULL));
  PetscCall(TSGetAdapt(ts, &adapt));
  PetscCall(TSAdaptSetType(adapt, TSADAPTNONE));
  PetscCall(TSSetTimeStep(ts, 0.1));
  PetscCall(TSSetMaxTime(ts, 10));
  PetscCall(TSSetExactFinalTime(ts, TS_EXACTFINALTIME_MATCHSTEP));
  PetscCall(TSMonitorSet(ts, WeftTSMonitor, &monitor, NULL));
  PetscCall(TSSolve(ts, u));
  WeftCall(weft_close(out));

  PetscCall(TSDestroy(&ts));
  PetscCall(VecDestroy(&u));
  PetscCall(DMDestroy(&dm));
  PetscCall(PetscFinalize());
  return 0;
}
