"""Functions of DOLFINx over time: waves.py FOLDER. A program of its own, for ranks, and for the Python that has DOLFINx."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from dolfinx import fem, mesh
from mpi4py import MPI
from weft.adaptors import dolfinx

import weft

STEPS = 4
COMM = MPI.COMM_WORLD


def wave(t: float) -> Any:
    return lambda x: np.sin(x[0] + t) + x[1] * x[1]


def flow(t: float) -> Any:
    return lambda x: np.stack((x[1] + t, -x[0], x[2] * t))


def function(domain: Any, kind: str, degree: int, *components: int) -> Any:
    if hasattr(fem, "functionspace"):  # since DOLFINx 0.7
        return fem.Function(fem.functionspace(domain, (kind, degree, components) if components else (kind, degree)))
    if components:
        return fem.Function(fem.VectorFunctionSpace(domain, (kind, degree), dim=components[0]))
    return fem.Function(fem.FunctionSpace(domain, (kind, degree)))


def write(path: Path, domain: Any, degree: int) -> None:
    u, v = function(domain, "Lagrange", degree), function(domain, "Lagrange", degree, 3)
    on_cells = function(domain, "DG", 0)
    functions: dict[str, Any] = {
        "u": (u, weft.FieldSpec(units="K", filters="shuffle+deflate:1")),
        "v": v,
        "q": on_cells,
    }
    energy = weft.FieldSpec((), support="global", units="J")
    with dolfinx.create(path, functions, fields={"energy": energy}, time_units="s") as out:
        for step in range(STEPS):
            t = 0.5 * step
            u.interpolate(wave(t))
            v.interpolate(flow(t))
            on_cells.interpolate(wave(t))
            out.write(t, energy=2.0 * t)


def main(folder: Path) -> None:
    cube = mesh.create_unit_cube(COMM, 3, 2, 4)
    write(folder / "tetrahedra.h5", cube, 1)
    write(folder / "quadratic.h5", cube, 2)
    write(folder / "hexahedra.h5", mesh.create_unit_cube(COMM, 3, 2, 4, mesh.CellType.hexahedron), 1)
    write(folder / "triangles.h5", mesh.create_unit_square(COMM, 5, 4), 3)
    q = function(cube, "DG", 0)
    q.interpolate(wave(0.0))
    with dolfinx.create(folder / "cells.h5", {"q": q}) as out:
        out.write(0.0)

    u = function(cube, "Lagrange", 1)
    refused: dict[str, dict[str, Any]] = {
        "two spaces": {"u": u, "w": function(cube, "Lagrange", 2)},
        "two meshes": {"u": u, "w": function(mesh.create_unit_cube(COMM, 3, 2, 4), "Lagrange", 1)},
        "no space": {"w": function(cube, "DG", 1)},
        "no function": {},
    }
    for name, functions in refused.items():
        try:
            dolfinx.create(folder / "refused.h5", functions)
        except ValueError as error:
            (folder / f"{name}.{COMM.rank}").write_text(str(error))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
