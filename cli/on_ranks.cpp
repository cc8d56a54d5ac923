#include "cli/on_ranks.hpp"

#include <fmt/format.h>

#include <CLI/Error.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string_view>

#ifdef WEFT_HAVE_MPI
#include <mpi.h>

#include "weft/support/error.hpp"
#include "weft/support/mpi_communicator.hpp"
#endif

namespace weft::cli {

namespace {

// Launchers say in the environment which rank this is, before MPI runs.
std::optional<std::string_view> launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(name); rank != nullptr) return rank;
  }
  return std::nullopt;
}

}  // namespace

bool is_launched() { return launched_rank().has_value(); }

bool is_launched_behind_another() { return launched_rank().value_or("0") != "0"; }

#ifdef WEFT_HAVE_MPI

namespace {

// One rank's failure alone: the others may be waiting for it for ever, so all are stopped.
void stop_all(int rank, const std::string& line, int exit_code) {
  fmt::print(stderr, "weft: error: rank {}: {}\n", rank, line);
  std::fflush(stderr);
  MPI_Abort(MPI_COMM_WORLD, exit_code);
}

void leave_together() {
  int is_started = 0;
  MPI_Initialized(&is_started);
  if (is_started != 0) return;
  MPI_Init(nullptr, nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
}

}  // namespace

void on_ranks(const std::function<void(Communicator&)>& work) {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int exit_code = 0;
  try {
    MpiCommunicator comm(MPI_COMM_WORLD);
    work(comm);
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
  if (exit_code != 0) throw CLI::RuntimeError(exit_code);
}

#else

namespace {
void leave_together() {}
}  // namespace

void on_ranks(const std::function<void(Communicator&)>& work) {
  SelfCommunicator comm;
  work(comm);
}

#endif  // WEFT_HAVE_MPI

void say_once(const std::string& line) {
  const auto rank = launched_rank();
  if (!rank || *rank == "0") fmt::print(stderr, "weft: error: {}\n", line);
  if (rank) leave_together();
}

}  // namespace weft::cli
