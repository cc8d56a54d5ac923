"""What VTK's own readers make of a file, as NumPy arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonExecutionModel import vtkStreamingDemandDrivenPipeline as Pipeline
from vtkmodules.vtkIOHDF import vtkHDFReader
from vtkmodules.vtkIOXdmf2 import vtkXdmfReader

Array = NDArray[Any]


@dataclass
class Grid:
    """One mesh at one step."""

    kind: str
    points: Array
    connectivity: Array
    types: Array
    nodes: dict[str, Array] = field(default_factory=dict)
    cells: dict[str, Array] = field(default_factory=dict)
    globals: dict[str, Array] = field(default_factory=dict)


def _arrays(data: Any) -> dict[str, Array]:
    named = {}
    for i in range(data.GetNumberOfArrays()):
        array = data.GetArray(i)
        if array is not None:
            named[data.GetArrayName(i)] = vtk_to_numpy(array).copy()
    return named


def grid_of(data: Any) -> Grid:
    unstructured = data.IsA("vtkUnstructuredGrid")
    if unstructured:
        points = vtk_to_numpy(data.GetPoints().GetData()).copy() if data.GetNumberOfPoints() else np.empty((0, 3))
        connectivity = vtk_to_numpy(data.GetCells().GetConnectivityArray()).copy()
    else:
        points = np.array([data.GetPoint(i) for i in range(data.GetNumberOfPoints())])
        connectivity = np.empty(0, dtype=np.int64)
    types = np.array([data.GetCellType(i) for i in range(data.GetNumberOfCells())])
    return Grid(
        data.GetClassName(),
        points,
        connectivity,
        types,
        _arrays(data.GetPointData()),
        _arrays(data.GetCellData()),
        _arrays(data.GetFieldData()),
    )


def _leaves(data: Any) -> dict[str, Grid]:
    """All grids in a data object, by name; a lone one is ''."""
    if data.IsA("vtkPartitionedDataSetCollection"):
        return {
            data.GetMetaData(i).Get(data.NAME()): grid_of(data.GetPartition(i, 0))
            for i in range(data.GetNumberOfPartitionedDataSets())
        }
    if data.IsA("vtkMultiBlockDataSet"):
        found: dict[str, Grid] = {}
        for i in range(data.GetNumberOfBlocks()):
            name = data.GetMetaData(i).Get(data.NAME()) if data.HasMetaData(i) else str(i)
            for below, grid in _leaves(data.GetBlock(i)).items():
                found[f"{name}/{below}" if below else name] = grid
        return found
    return {"": grid_of(data)}


def times_of(reader: Any) -> list[float]:
    reader.UpdateInformation()
    information = reader.GetOutputInformation(0)
    return [information.Get(Pipeline.TIME_STEPS(), i) for i in range(information.Length(Pipeline.TIME_STEPS()))]


def every_step(reader: Any) -> tuple[list[float], list[dict[str, Grid]]]:
    times = times_of(reader)
    steps = []
    for step, time in enumerate(times):
        # Of a file with several blocks VTK 9.7 reads the step it was set to, whatever time the pipeline asks for.
        if isinstance(reader, vtkHDFReader):
            reader.SetStep(step)
        reader.UpdateTimeStep(time)
        steps.append(_leaves(reader.GetOutputDataObject(0)))
    return times, steps


def read_vtkhdf(path: Path) -> tuple[list[float], list[dict[str, Grid]]]:
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    return every_step(reader)


def read_xdmf(path: Path) -> tuple[list[float], list[dict[str, Grid]]]:
    reader = vtkXdmfReader()
    reader.SetFileName(str(path))
    return every_step(reader)
