/* The bar of examples/write_series.cpp in C, call for call: the files are to be equal byte for byte.
 *   mpirun -n 2 weft_c_bar bar.h5 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <weft.h>

enum { POINTS = 1000, STEPS = 50, LINE = 3 };

static void check(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "weft_c_bar: %s\n", weft_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int more = POINTS % ranks;
  const int mine = POINTS / ranks + (rank < more), first = POINTS / ranks * rank + (rank < more ? rank : more);
  const int cells = first + mine == POINTS ? mine - 1 : mine;
  const size_t points = (size_t)mine, lines = (size_t)cells;

  double *coordinates = calloc(3 * points + 1, sizeof(double)), *heat = malloc((points + 1) * sizeof(double));
  uint8_t *types = malloc(lines + 1), *material = malloc(lines + 1);
  int64_t *sizes = malloc((lines + 1) * sizeof *sizes), *ends = malloc((2 * lines + 2) * sizeof *ends);
  for (size_t i = 0; i < points; ++i) coordinates[3 * i] = 0.1 * (first + (int)i);
  for (size_t i = 0; i < lines; ++i) {
    types[i] = LINE;
    material[i] = 1;
    sizes[i] = 2;
    ends[2 * i] = first + (int)i;
    ends[2 * i + 1] = first + (int)i + 1;
  }

  weft_spec* spec = weft_spec_new();
  const uint64_t all_points[] = {POINTS}, all_cells[] = {POINTS - 1};
  check(weft_set(spec, "steps", "50"));
  check(weft_set(spec, "time_units", "ms"));
  check(weft_set_mesh(spec, POINTS, points, NULL, coordinates, lines, types, sizes, ends));
  check(weft_add_field(spec, "heat", WEFT_FLOAT64, 1, all_points));
  check(weft_set_field(spec, "heat", "units", "K"));
  if (argc > 2) check(weft_set_field(spec, "heat", "filters", argv[2]));
  check(weft_add_field(spec, "material", WEFT_UINT8, 1, all_cells));
  check(weft_set_field(spec, "material", "support", "cells"));
  check(weft_add_field(spec, "energy", WEFT_FLOAT64, 0, NULL));
  check(weft_set_field(spec, "energy", "units", "J"));

  weft_writer* out;
  check(weft_create_mpi(spec, argv[1], MPI_COMM_WORLD, &out));
  weft_spec_free(spec);
  for (int step = 0; step < STEPS; ++step) {
    const double energy = step;
    for (int i = 0; i < mine; ++i) heat[i] = sin(0.01 * (first + i) + 0.1 * step);
    check(weft_put(out, "heat", WEFT_FLOAT64, heat, points));
    check(weft_put(out, "material", WEFT_UINT8, material, lines));
    check(weft_put(out, "energy", WEFT_FLOAT64, &energy, 1));
    check(weft_end_step(out, 0.5 * step));
  }
  check(weft_close(out));
  free(coordinates);
  free(heat);
  free(types);
  free(material);
  free(sizes);
  free(ends);
  MPI_Finalize();
  return 0;
}
