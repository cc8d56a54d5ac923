/* weft_petsc.h - vectors of PETSc as fields of a series; a monitor that writes the steps of a TS. With weft.h and
 * PETSc's headers alone: everything is inline, and libweft.so knows nothing of PETSc.
 *
 *   WeftAddVec(spec, "u", u);                            the field, and what this rank holds of it
 *   weft_create_mpi(spec, "heat.h5", PETSC_COMM_WORLD, &out);
 *   WeftMonitor monitor = {out, "u", 10};                every 10th step
 *   TSMonitorSet(ts, WeftTSMonitor, &monitor, NULL);
 *
 * A vector of a DMDA is a field on its grid: (y, x) or (z, y, x), behind that its components, if it has several. Any
 * other one is a field on rows, of as many components as its block size. Vectors are on the ranks of the series'
 * communicator.
 */
#ifndef WEFT_PETSC_H
#define WEFT_PETSC_H

#include <petscdmda.h>
#include <petscts.h>

#include "weft.h"

#if defined(PETSC_USE_COMPLEX)
#error "weft_petsc.h: Weft has no complex numbers; put the real and the imaginary part as two components"
#endif
#if defined(PETSC_USE_REAL_SINGLE)
#define WEFT_PETSC_TYPE WEFT_FLOAT32
#elif defined(PETSC_USE_REAL_DOUBLE)
#define WEFT_PETSC_TYPE WEFT_FLOAT64
#else
#error "weft_petsc.h: Weft has float32 and float64, and this PETSc has another PetscReal"
#endif

/* Weft's line as PETSc's error. */
#define WeftCall(call)                                                                      \
  do {                                                                                      \
    PetscCheck((call) == WEFT_OK, PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", weft_last_error()); \
  } while (0)

/* Adds a field of this vector's shape to a spec, with its ownership. Not collective. */
static inline PetscErrorCode WeftAddVec(weft_spec* spec, const char* field, Vec vec) {
  uint64_t shape[4], start[4], count[4];
  int axes = 0;
  DM dm = NULL;
  PetscBool is_grid = PETSC_FALSE;

  PetscFunctionBeginUser;
  PetscCall(VecGetDM(vec, &dm));
  if (dm != NULL) PetscCall(PetscObjectTypeCompare((PetscObject)dm, DMDA, &is_grid));
  if (is_grid) {
    PetscInt dim, extent[3], components, first[3], here[3];
    PetscCall(DMDAGetInfo(dm, &dim, &extent[0], &extent[1], &extent[2], NULL, NULL, NULL, &components, NULL, NULL, NULL,
                          NULL, NULL));
    PetscCall(DMDAGetCorners(dm, &first[0], &first[1], &first[2], &here[0], &here[1], &here[2]));
    for (PetscInt axis = dim - 1; axis >= 0; --axis, ++axes) { /* x is PETSc's first axis, and the fastest */
      shape[axes] = (uint64_t)extent[axis];
      start[axes] = (uint64_t)first[axis];
      count[axes] = (uint64_t)here[axis];
    }
    if (components > 1) {
      shape[axes] = count[axes] = (uint64_t)components;
      start[axes++] = 0;
    }
  } else {
    PetscInt rows, first, end, components;
    PetscCall(VecGetSize(vec, &rows));
    PetscCall(VecGetOwnershipRange(vec, &first, &end));
    PetscCall(VecGetBlockSize(vec, &components));
    shape[0] = (uint64_t)(rows / components);
    start[0] = (uint64_t)(first / components);
    count[0] = (uint64_t)((end - first) / components);
    axes = 1;
    if (components > 1) {
      shape[1] = count[1] = (uint64_t)components;
      start[1] = 0;
      axes = 2;
    }
  }
  WeftCall(weft_add_field(spec, field, WEFT_PETSC_TYPE, axes, shape));
  WeftCall(weft_own_boxes(spec, field, 1, start, count));
  PetscFunctionReturn((PetscErrorCode)0);
}

/* This rank's values of a vector for the current step. Not collective. */
static inline PetscErrorCode WeftPutVec(weft_writer* writer, const char* field, Vec vec) {
  const PetscScalar* values;
  PetscInt count;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(vec, &count));
  PetscCall(VecGetArrayRead(vec, &values));
  const weft_status status = weft_put(writer, field, WEFT_PETSC_TYPE, values, (size_t)count);
  PetscCall(VecRestoreArrayRead(vec, &values));
  WeftCall(status);
  PetscFunctionReturn((PetscErrorCode)0);
}

typedef struct {
  weft_writer* writer;
  const char* field;
  PetscInt every; /* steps from one that is written to the next */
} WeftMonitor;

/* For TSMonitorSet(ts, WeftTSMonitor, &monitor, NULL): puts the solution, and ends the step. Collective. */
static inline PetscErrorCode WeftTSMonitor(TS ts, PetscInt step, PetscReal time, Vec solution, void* monitor) {
  const WeftMonitor* to = (const WeftMonitor*)monitor;

  PetscFunctionBeginUser;
  (void)ts;
  if (step < 0 || step % to->every != 0)
    PetscFunctionReturn((PetscErrorCode)0); /* -1: TSSolve's last word on an interpolated time */
  PetscCall(WeftPutVec(to->writer, to->field, solution));
  WeftCall(weft_end_step(to->writer, (double)time));
  PetscFunctionReturn((PetscErrorCode)0);
}

#endif
