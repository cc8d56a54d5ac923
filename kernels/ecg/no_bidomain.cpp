// Instead of bidomain/ where PETSc is not linked.
#include "kernels/ecg/step_source.hpp"
#include "weft/support/error.hpp"

namespace weft::kernels::ecg {

std::unique_ptr<StepSource> solve_source(MPI_Comm, const SolveOptions&, std::optional<std::uint64_t>, bool, bool) {
  throw Error(ErrorKind::usage, "--source solve", "this weft was built without PETSc",
              "install it for the MPI it was built with (Debian, Open MPI: libpetsc-real-dev) and build weft again")
      .agreed();
}

}  // namespace weft::kernels::ecg
