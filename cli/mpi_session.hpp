// cli/mpi_session.hpp - MPI around one subcommand, and how its errors end all ranks.
#pragma once

#include <functional>

namespace weft::cli {

// Starts MPI, runs `action` on every rank and ends MPI. An agreed error is printed once and every rank ends with its
// exit code; any other is printed by its rank, which stops all of them (MPI_Abort). Returns the exit code.
int run_with_mpi(const std::function<void()>& action);

}  // namespace weft::cli
