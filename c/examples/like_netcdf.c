/* A model that wrote netCDF-4, and what takes the place of each of its calls. The file is still one that ncdump, netCDF
 * and xarray open, with dimensions, coordinates and units; a node over time is read from it quickly, too.
 *   mpirun -n 2 example_c_like_netcdf weather.h5        (without MPI: example_c_like_netcdf weather.h5) */
#include <stdio.h>
#include <stdlib.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <weft.h>

enum { NY = 45, NX = 60, STEPS = 48 };

static void check(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "example_c_like_netcdf: %s\n", weft_last_error());
#ifdef WITH_MPI
  MPI_Abort(MPI_COMM_WORLD, 1);
#endif
  exit(1);
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "weather.h5";
  int rank = 0, ranks = 1;
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  const uint64_t first = (uint64_t)(NY * rank / ranks), rows = (uint64_t)(NY * (rank + 1) / ranks) - first;
  const uint64_t grid[] = {NY, NX}, winds[] = {NY, NX, 2};
  const double origin[] = {0, 0, 0}, spacing[] = {2.5e3, 2.5e3, 1};

  weft_spec* spec = weft_spec_new(); /* nc_create_par; nc_def_dim of an unlimited time: no number of steps is set */
  check(weft_set(spec, "time_units", "h"));
  check(weft_set_grid(spec, 2, grid, origin, spacing));               /* nc_def_dim of y and x, and their variables */
  check(weft_add_field(spec, "t2m", WEFT_FLOAT32, 2, grid));          /* nc_def_var */
  check(weft_set_field(spec, "t2m", "units", "K"));                   /* nc_put_att_text */
  check(weft_set_field(spec, "t2m", "filters", "shuffle+deflate:1")); /* nc_def_var_deflate */
  check(weft_add_field(spec, "wind", WEFT_FLOAT32, 3, winds));
  check(weft_set_field(spec, "wind", "units", "m s-1"));
  const uint64_t start[] = {first, 0, 0}, count[] = {rows, NX, 2}; /* of nc_put_vara, once and for all steps */
  check(weft_own_boxes(spec, "t2m", 1, start, count));
  check(weft_own_boxes(spec, "wind", 1, start, count));
  weft_writer* out; /* nc_enddef */
#ifdef WITH_MPI
  check(weft_create_mpi(spec, path, MPI_COMM_WORLD, &out));
#else
  check(weft_create(spec, path, &out));
#endif
  weft_spec_free(spec);

  float t2m[NY][NX], wind[NY][NX][2];
  for (int step = 0; step < STEPS; ++step) {
    for (uint64_t y = 0; y < rows; ++y) {
      for (int x = 0; x < NX; ++x) {
        t2m[y][x] = 280 + 0.1f * (float)(first + y) + 0.25f * (float)step;
        wind[y][x][0] = (float)x;
        wind[y][x][1] = -0.5f * (float)step;
      }
    }
    check(weft_put(out, "t2m", WEFT_FLOAT32, t2m, rows * NX)); /* nc_put_vara_float */
    check(weft_put(out, "wind", WEFT_FLOAT32, wind, rows * NX * 2));
    check(weft_end_step(out, step)); /* nc_put_vara_double of the time */
  }
  check(weft_close(out)); /* nc_close */
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
