// cli/on_ranks.hpp - one subcommand on all ranks, and how its errors end them.
#pragma once

#include <functional>
#include <string>

#include "weft/support/communicator.hpp"

namespace weft::cli {

// Whether a launcher (mpirun, srun) started this as one of its ranks.
bool is_launched();

// Whether it is one of these, and not the first: then that one speaks for it.
bool is_launched_behind_another();

// Starts MPI, calls `work` with the group of all ranks and ends MPI. An agreed error is printed once and every rank
// ends with its exit code; any other is printed by its rank, which stops all of them (MPI_Abort). Throws
// CLI::RuntimeError with the exit code where that is not 0. In a build without MPI: calls `work` with a group of one.
void on_ranks(const std::function<void(Communicator&)>& work);

// The end of a command that failed before it was on ranks (all of them have the same command line): one rank prints the
// line. Then they leave together, as a launcher stops the others as soon as one has left with an exit code.
void say_once(const std::string& line);

}  // namespace weft::cli
