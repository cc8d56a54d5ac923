/* A rod that cools from its ends, in C: writes a step now and then, and reads a node over time.
 *   mpirun -n 2 example_c_heat heat.h5        (without MPI: example_c_heat heat.h5) */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include <weft.h>

enum { NODES = 1000, STEPS = 50 };

/* Weft never ends a program; this one ends all its ranks. */
static void check(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "example_c_heat: %s\n", weft_last_error());
#ifdef WITH_MPI
  MPI_Abort(MPI_COMM_WORLD, 1);
#endif
  exit(1);
}

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "heat.h5";
  int rank = 0, ranks = 1;
#ifdef WITH_MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
#endif
  const int first = NODES * rank / ranks, mine = NODES * (rank + 1) / ranks - first;
  const uint64_t shape[] = {NODES}, start[] = {(uint64_t)first}, count[] = {(uint64_t)mine};

  weft_spec* spec = weft_spec_new();
  check(weft_set(spec, "steps", "50"));
  check(weft_set(spec, "time_units", "s"));
  check(weft_add_field(spec, "T", WEFT_FLOAT64, 1, shape));
  check(weft_set_field(spec, "T", "units", "K"));
  check(weft_own_boxes(spec, "T", 1, start, count));
  weft_writer* out;
#ifdef WITH_MPI
  check(weft_create_mpi(spec, path, MPI_COMM_WORLD, &out));
#else
  check(weft_create(spec, path, &out));
#endif
  weft_spec_free(spec);

  double* T = malloc((count[0] + 1) * sizeof *T);
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < mine; ++i) T[i] = exp(-0.1 * step) * sin(3.14159 * (first + i) / (NODES - 1));
    check(weft_put(out, "T", WEFT_FLOAT64, T, count[0]));
    check(weft_end_step(out, 0.5 * step));
  }
  check(weft_close(out));
  free(T);

  if (rank == 0) {
    weft_reader* in;
    double trace[STEPS];
    check(weft_open(path, &in));
    check(weft_trace(in, "T", NODES / 2, WEFT_FLOAT64, trace, STEPS));
    weft_close_reader(in);
    printf("the middle cools from %.3f to %.3f\n", trace[0], trace[STEPS - 1]);
  }
#ifdef WITH_MPI
  MPI_Finalize();
#endif
  return 0;
}
