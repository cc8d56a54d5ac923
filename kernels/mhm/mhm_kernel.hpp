// kernels/mhm/mhm_kernel.hpp - the output of a multiscale finite element simulation: many small problems, each writing
// its solution as text (MSLIO, after the library MHM).
//
// With --source solve the solutions are those of a flow that is solved for; opens, writes, sizes and closes are the
// same. docs/kernels/mhm.md has the files, byte by byte.
#pragma once

#include "kernels/mhm/mhm_plan.hpp"
#include "weft/support/mpi_communicator.hpp"

namespace weft::kernels::mhm {

// Collective; throws agreed errors. The report adds source, format and threads; kernel_run.hpp has the rest. Its
// seconds of open, write and close are those of all threads together.
nlohmann::ordered_json run_mhm(MpiCommunicator& comm, const RunOptions& run, const MhmOptions& options);

}  // namespace weft::kernels::mhm
