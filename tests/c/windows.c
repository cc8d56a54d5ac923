/* Twenty-one steps in several windows, for tests that kill it: v[node] = 1000 step + node.
 *   mpirun -n 2 weft_c_windows FILE [late]
 * late: the series is closed when MPI has ended, which is refused; every rank prints the line. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <weft.h>

enum { NODES = 211, STEPS = 21 };

static void check(weft_status status) {
  if (status == WEFT_OK) return;
  fprintf(stderr, "weft_c_windows: %s\n", weft_last_error());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, ranks;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double v[NODES];
  uint64_t mine[NODES];
  size_t count = 0;
  for (int node = rank; node < NODES; node += ranks) mine[count++] = (uint64_t)node; /* scattered */

  weft_spec* spec = weft_spec_new();
  const uint64_t shape[] = {NODES};
  check(weft_set(spec, "steps", "21"));
  check(weft_set(spec, "budget", "30KiB"));
  check(weft_add_field(spec, "v", WEFT_FLOAT64, 1, shape));
  check(weft_set_field(spec, "v", "target", "2KiB"));
  check(weft_own_ids(spec, "v", count, mine, NULL));
  weft_writer* out;
  check(weft_create_mpi(spec, argv[1], MPI_COMM_WORLD, &out));
  weft_spec_free(spec);
  for (int step = 0; step < STEPS; ++step) {
    for (size_t i = 0; i < count; ++i) v[i] = 1000.0 * step + (double)mine[i];
    check(weft_put(out, "v", WEFT_FLOAT64, v, count));
    check(weft_end_step(out, step));
  }
  if (argc > 2 && strcmp(argv[2], "late") == 0) {
    MPI_Finalize();
    if (weft_close(out) != WEFT_OK) puts(weft_last_error());
    return 0;
  }
  check(weft_close(out));
  MPI_Finalize();
  return 0;
}
