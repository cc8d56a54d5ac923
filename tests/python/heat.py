"""A rod that cools, by PETSc: heat.py FILE. A program of its own, for ranks, and for the Python that has petsc4py."""

from __future__ import annotations

import sys

from petsc4py import PETSc
from weft.adaptors import petsc

import weft

NODES, STEPS = 101, 20


def main(path: str) -> None:
    comm = PETSc.COMM_WORLD
    u = PETSc.Vec().createMPI(NODES, comm=comm)
    first, end = u.getOwnershipRange()
    u.array = [1.0 if 40 <= i <= 60 else 0.0 for i in range(first, end)]
    laplace = PETSc.Mat().createAIJ([NODES, NODES], nnz=3, comm=comm)
    for i in range(first, end):
        for j in range(max(0, i - 1), min(NODES, i + 2)):
            laplace.setValue(i, j, -2.0 if i == j else 1.0)
    laplace.assemble()

    stepper = PETSc.TS().create(comm=comm)
    stepper.setProblemType(PETSc.TS.ProblemType.LINEAR)
    stepper.setType(PETSc.TS.Type.BEULER)
    stepper.setRHSFunction(lambda _ts, _t, x, f: laplace.mult(x, f), u.duplicate())
    # The stepper scales and shifts what it is given.
    stepper.setRHSJacobian(lambda _ts, _t, _x, _a, jacobian: laplace.copy(jacobian), laplace.duplicate())
    stepper.setTimeStep(0.1)
    stepper.setMaxSteps(STEPS)
    stepper.setExactFinalTime(PETSc.TS.ExactFinalTime.STEPOVER)
    stepper.setMaxTime(1e9)

    with petsc.create(path, {"u": (u, weft.FieldSpec(units="K"))}, time_units="s") as out:
        stepper.setMonitor(petsc.monitor(out, "u"))
        stepper.solve(u)
    print("total", u.sum())


if __name__ == "__main__":
    main(sys.argv[1])
