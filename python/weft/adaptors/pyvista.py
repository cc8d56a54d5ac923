"""A step of a file as a mesh of pyvista, with its fields; File.to_pyvista() makes one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyvista

if TYPE_CHECKING:
    from weft.field import Field
    from weft.reading import File


def mesh_of(file: File) -> pyvista.UnstructuredGrid:
    """The mesh of a file, without fields. Raises ValueError where it has none."""
    if "/mesh/points" not in file.arrays:
        raise ValueError(f"{file.path}: has no mesh")
    offsets, connectivity = file.offsets, file.connectivity
    # VTK's cells are flat: the number of points of each, then the points.
    cells = np.insert(connectivity, offsets[:-1], np.diff(offsets))
    return pyvista.UnstructuredGrid(cells, file.cell_types, file.points)


def data_of(grid: pyvista.UnstructuredGrid, field: Field) -> pyvista.DataSetAttributes | None:
    """Where a field's values go: with the points or with the cells; None where it stands on neither."""
    on = {"nodes": (grid.point_data, grid.n_points), "cells": (grid.cell_data, grid.n_cells)}
    data, length = on.get(field.support, (None, None))
    return data if field.per_step[:1] == (length,) else None


def grid_of(file: File, step: int = -1, fields: Sequence[str] | None = None) -> pyvista.UnstructuredGrid:
    """The mesh of a file, with the values of these fields [all on its nodes or cells] at one step.

    Raises ValueError where the file has no mesh, IndexError where the step is not committed, KeyError for a field that
    there is not.
    """
    grid = mesh_of(file)
    for name in file if fields is None else fields:
        data = data_of(grid, file[name])
        if data is not None:
            data[name] = file[name].snapshot(step)
        elif fields is not None:
            raise ValueError(f"{file.path}: {name} does not stand on the nodes or cells of the mesh")
    return grid
