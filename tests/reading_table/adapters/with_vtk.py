"""VTK's reader of VTKHDF files. A name is an array of the view, NAME or BLOCK/NAME; its steps one behind the other."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
from answers import Absent, answer_all

sys.path.append(str(Path(__file__).resolve().parents[2] / "readers"))
from vtk_readers import read_vtkhdf
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow

# VTK raises nothing: it prints, and goes on without the array.
PRINTED = vtkStringOutputWindow()
vtkOutputWindow.SetInstance(PRINTED)


def read(path: str, name: str) -> Any:
    times, steps = read_vtkhdf(Path(path))
    if not times:
        raise OSError("no steps")
    if name == "time":
        return np.array(times)
    block, _, array = name.rpartition("/")
    found = []
    for grids in steps:
        grid = grids.get(block)
        values = None if grid is None else grid.nodes.get(array)
        if values is None:
            if PRINTED.GetOutput():
                raise OSError(PRINTED.GetOutput())
            raise Absent(name)
        found.append(values)
    return np.stack(found)


answer_all(read)
