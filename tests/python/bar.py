"""The bar of examples/write_series.cpp, from Python: bar.py FILE FILTERS [--mpi]. A program of its own, for ranks."""

from __future__ import annotations

import math
import sys

import numpy as np

import weft

POINTS, STEPS = 1000, 50


def main(path: str, filters: str, mpi: bool) -> None:
    comm = None
    rank, size = 0, 1
    if mpi:
        from mpi4py import MPI

        comm = MPI.COMM_WORLD
        rank, size = comm.rank, comm.size
    mine = weft.even_share(POINTS, rank, size)
    numbers = np.arange(mine.start, mine.stop)
    begins = numbers[numbers + 1 < POINTS]
    points = np.zeros((len(numbers), 3))
    points[:, 0] = 0.1 * numbers
    mesh = weft.Mesh(points, cells=np.stack((begins, begins + 1), axis=1), types=3, total=POINTS)
    fields = {
        "heat": weft.FieldSpec(units="K", filters=filters),
        "material": weft.FieldSpec(dtype="uint8", support="cells"),
        "energy": weft.FieldSpec(support="global", units="J"),
    }
    kind = np.ones(len(begins), np.uint8)
    with weft.create(path, fields, steps=STEPS, mesh=mesh, time_units="ms", comm=comm) as out:
        for step in range(STEPS):
            # C++ has this sine, too; NumPy's own may differ in the last bit.
            heat = np.array([math.sin(0.01 * n + 0.1 * step) for n in numbers.tolist()])
            out.step(0.5 * step, heat=heat, material=kind, energy=float(step))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], "--mpi" in sys.argv[3:])
