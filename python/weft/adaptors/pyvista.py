"""A step of a file as a mesh of pyvista, with its fields; File.to_pyvista() makes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyvista

if TYPE_CHECKING:
    from weft.reading import File


def grid_of(file: File, step: int = -1, fields: Sequence[str] | None = None) -> pyvista.UnstructuredGrid:
    """The mesh of a file, with the values of these fields [all on its nodes or cells] at one step.

    Raises ValueError where the file has no mesh, IndexError where the step is not committed, KeyError for a field that
    there is not.
    """
    if "/mesh/points" not in file.arrays:
        raise ValueError(f"{file.path}: has no mesh")
    offsets, connectivity = file.offsets, file.connectivity
    # VTK's cells are flat: the number of points of each, then the points.
    cells = np.insert(connectivity, offsets[:-1], np.diff(offsets))
    grid = pyvista.UnstructuredGrid(cells, file.cell_types, file.points)
    for name in file if fields is None else fields:
        field = file[name]
        on = {"nodes": grid.point_data, "cells": grid.cell_data}.get(field.support)
        if on is None or field.per_step[0] != (grid.n_points if field.support == "nodes" else grid.n_cells):
            if fields is not None:
                raise ValueError(f"{file.path}: {name} does not stand on the nodes or cells of the mesh")
            continue
        on[name] = field.snapshot(step)
    return grid
