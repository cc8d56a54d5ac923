// cli/solver.hpp - `weft run ecg --source solve` is done by a program of its own, weft-solve: the same command, linked
// with PETSc. PETSc's sixty libraries would cost every other command 40 ms.
#pragma once

namespace weft::cli {

// Becomes weft-solve, with the arguments of this process. Returns where this is it already, and where weft was built
// without PETSc. To be called before MPI is started. Throws Error(system) where it is missing or cannot be started.
void become_solver();

}  // namespace weft::cli
