"""weft inspect of files by the libraries that their conventions come from: netCDF-4's and VTK's own writers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
import vtk
import weft_run as w
from vtkmodules.util import numpy_support
from vtkmodules.util.vtkAlgorithm import VTKPythonAlgorithmBase

STEPS, NODES = 50, 300


def datasets(path: Path) -> dict[str, Any]:
    return {dataset["path"]: dataset for dataset in w.weft_ok("inspect", path, "--json").json["datasets"]}


def test_netcdf(tmp_path: Path) -> None:
    path = tmp_path / "weather.nc"
    with netCDF4.Dataset(path, "w") as file:
        for name, extent in {"time": None, "y": 60, "x": 80}.items():
            file.createDimension(name, extent)
        times = file.createVariable("time", "f8", ("time",))
        times.units = "hours since 2000-01-01"
        file.createVariable("temperature", "f4", ("y", "time", "x"), zlib=True)[:, :30, :] = 280
        file.createVariable("mask", "i1", ("y", "x"))[...] = 0
        group = file.createGroup("deeper")
        group.createDimension("z", 5)
        group.createVariable("wind", "f8", ("time", "z", "x"))[:30] = 1
        times[:] = np.arange(30.0)
    found = datasets(path)
    assert found["/temperature"]["axes"]["names"] == "y,time,x"
    assert found["/temperature"]["axes"]["time_units"] == "hours since 2000-01-01"
    assert found["/deeper/wind"]["axes"]["names"] == "time,z,x"
    assert found["/deeper/wind"]["axes"]["time"] == "/time"
    assert found["/mask"]["axes"] is None and found["/x"]["axes"] is None


class Steps(VTKPythonAlgorithmBase):  # type: ignore[misc]
    """A line of nodes that does not change, and a value on each that does."""

    def __init__(self) -> None:
        super().__init__(nInputPorts=0, nOutputPorts=1, outputType="vtkUnstructuredGrid")
        self.grid = vtk.vtkUnstructuredGrid()
        points = vtk.vtkPoints()
        for node in range(NODES):
            points.InsertNextPoint(node, 0, 0)
        self.grid.SetPoints(points)
        self.grid.Allocate(NODES)
        for node in range(NODES - 1):
            self.grid.InsertNextCell(vtk.VTK_LINE, 2, [node, node + 1])

    def RequestInformation(self, _request: Any, _inputs: Any, outputs: Any) -> int:
        pipeline = vtk.vtkStreamingDemandDrivenPipeline
        outputs.GetInformationObject(0).Set(pipeline.TIME_STEPS(), [0.5 * step for step in range(STEPS)], STEPS)
        outputs.GetInformationObject(0).Set(pipeline.TIME_RANGE(), [0.0, 0.5 * (STEPS - 1)], 2)
        return 1

    def RequestData(self, _request: Any, _inputs: Any, outputs: Any) -> int:
        information = outputs.GetInformationObject(0)
        time = information.Get(vtk.vtkStreamingDemandDrivenPipeline.UPDATE_TIME_STEP())
        output = vtk.vtkUnstructuredGrid.GetData(information)
        output.ShallowCopy(self.grid)
        values = numpy_support.numpy_to_vtk(np.sin(np.arange(NODES) + time), deep=1)
        values.SetName("V")
        output.GetPointData().AddArray(values)
        output.GetInformation().Set(vtk.vtkDataObject.DATA_TIME_STEP(), time)
        return 1


def test_vtk(tmp_path: Path) -> None:
    path = tmp_path / "line.vtkhdf"
    source = Steps()
    writer = vtk.vtkHDFWriter()
    writer.SetInputConnection(source.GetOutputPort())
    writer.SetFileName(str(path))
    writer.SetWriteAllTimeSteps(True)
    assert writer.Write() == 1
    found = datasets(path)
    v = found["/VTKHDF/PointData/V"]
    assert v["axes"]["names"] == "step,node" and v["axes"]["shape"] == [STEPS, NODES]
    assert v["axes"]["time"] == "/VTKHDF/Steps/Values"
    assert v["reads"]["trace"]["asked_bytes"] == STEPS * 8 and v["reads"]["snapshot"]["asked_bytes"] == NODES * 8
    assert found["/VTKHDF/Connectivity"]["axes"] is None
