#include "cli/mpi_session.hpp"

#ifdef WEFT_HAVE_MPI

#include <fmt/format.h>
#include <mpi.h>

#include <cstdio>
#include <exception>

#include "weft/support/error.hpp"

namespace weft::cli {

namespace {

// One rank's failure alone: the others may be waiting for it for ever, so all are stopped.
void stop_all(int rank, const std::string& line, int exit_code) {
  fmt::print(stderr, "weft: error: rank {}: {}\n", rank, line);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

}  // namespace

int run_with_mpi(const std::function<void()>& action) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int exit_code = 0;
  try {
    action();
  } catch (const Error& error) {
    exit_code = error.exit_code();
    if (!error.is_agreed() && size > 1) {
      stop_all(rank, error.what(), exit_code);
    } else if (rank == 0) {
      fmt::print(stderr, "weft: error: {}\n", error.what());
    }
  } catch (const std::exception& error) {
    exit_code = 1;
    stop_all(rank, error.what(), exit_code);
  }
  MPI_Finalize();
  return exit_code;
}

}  // namespace weft::cli

#endif  // WEFT_HAVE_MPI
