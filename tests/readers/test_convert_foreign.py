"""Copies of files that Weft did not write, on a mesh that is named: what a view shows is what is copied."""

from __future__ import annotations

import csv
import hashlib
import warnings
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
import weft_run as w
from vtk_readers import grid_of
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import VTK_TETRA, VTK_TRIANGLE, vtkUnstructuredGrid
from vtkmodules.vtkIOXML import (
    vtkXMLPUnstructuredGridReader,
    vtkXMLUnstructuredGridReader,
    vtkXMLUnstructuredGridWriter,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it misses Tecplot's own library, which it needs for other formats
    import tecio

CHASTE = w.DATA / "chaste"
needs_chaste = pytest.mark.skipif(not CHASTE.is_dir(), reason="the recorded files are not here")


def write_mesh(path: Path, points: int) -> Any:
    grid = vtkUnstructuredGrid()
    coordinates = np.random.default_rng(points).random((points, 3))
    vtk_points = vtkPoints()
    vtk_points.SetData(numpy_to_vtk(coordinates, deep=True))
    grid.SetPoints(vtk_points)
    for first in range(points - 3):
        kind, corners = [(VTK_TETRA, 4), (VTK_TRIANGLE, 3)][first % 2]
        grid.InsertNextCell(kind, corners, [first + i for i in range(corners)])
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(grid)
    assert writer.Write() == 1
    return coordinates


def check_copies(tmp_path: Path, source: Path, values: Any, times: Any, points: Any, names: list[str], ranks: int | None,
                 arguments: list[str]) -> None:  # fmt: skip
    """In all three formats."""
    before = hashlib.sha256(source.read_bytes()).digest()
    common = ["--mesh", tmp_path / "mesh.vtu", "--json", *arguments]

    report = w.weft_ok("convert", source, "--to", "vtu", "--out", tmp_path / "vtu", *common, ranks=ranks).json
    listing = list(ElementTree.parse(report["out"]).getroot().iter("DataSet"))
    assert [float(entry.attrib["timestep"]) for entry in listing] == list(times)
    for step, entry in enumerate(listing):
        path = tmp_path / "vtu" / entry.attrib["file"]
        reader = vtkXMLPUnstructuredGridReader() if path.suffix == ".pvtu" else vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(path))
        reader.Update()
        grid = grid_of(reader.GetOutput())
        known = {tuple(point): node for node, point in enumerate(points)}
        nodes = np.array([known[tuple(point)] for point in grid.points])
        assert set(nodes) == set(range(len(points)))
        for c, name in enumerate(names):
            assert w.same_bits(grid.nodes[name], values[step, :, c][nodes])

    out = tmp_path / "copy.plt"
    w.weft_ok("convert", source, "--to", "tecplot", "--out", out, *common, ranks=ranks)
    file = tecio.open(str(out))
    assert file.num_zones == len(times) and file.variables[3:] == names
    for step, time in enumerate(times):
        assert file.zones[step].solution_time == time
        for c, name in enumerate(names):
            assert w.same_bits(file.zones[step].get_array(name), values[step, :, c])

    common = ["1MiB" if argument == "40KiB" else argument for argument in common]  # text goes through half of that
    w.weft_ok("convert", source, "--to", "csv", "--out", tmp_path / "csv", *common, ranks=ranks)
    for step in range(len(times)):
        with (tmp_path / "csv" / f"{source.stem}_{step:04d}.csv").open(newline="") as text:
            head, *lines = list(csv.reader(text))
        assert [name.split(" (")[0] for name in head] == ["x", "y", "z", *names]
        assert np.array_equal(np.array(lines, dtype=float), np.concatenate([points, values[step]], axis=1))
    assert hashlib.sha256(source.read_bytes()).digest() == before


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("layout", [{"chunks": (2, 7, 1), "compression": "gzip"}, {}], ids=["gzip", "contiguous"])
@pytest.mark.parametrize("budget", ["256MiB", "40KiB"])
def test_any_hdf5_file(tmp_path: Path, ranks: int | None, layout: dict[str, Any], budget: str) -> None:
    points = write_mesh(tmp_path / "mesh.vtu", 150)
    values = np.random.default_rng(1).random((6, 150, 2))
    with h5py.File(tmp_path / "series.h5", "w") as file:
        file.create_dataset("Data", data=values, **layout)
        file["moments"] = np.arange(6) * 0.25
    arguments = ["--dataset", "/Data", "--axes", "step,node,component", "--time", "/moments", "--budget", budget]
    times = [0.25 * s for s in range(6)]
    check_copies(tmp_path, tmp_path / "series.h5", values, times, points, ["Data_0", "Data_1"], ranks, arguments)


@needs_chaste
@pytest.mark.parametrize(
    ("name", "names"), [("bidomain_3d", ["V", "Phi_e"]), ("three_variables", ["Vm_1", "Vm_2", "Phi_e"])]
)
def test_recorded_files(tmp_path: Path, name: str, names: list[str]) -> None:
    source = CHASTE / f"{name}.h5"
    with h5py.File(source) as file:
        values = file["Data"][:]
        times = file["Data_Unlimited" if "Data_Unlimited" in file else "Time"][:]
    points = write_mesh(tmp_path / "mesh.vtu", values.shape[1])
    check_copies(tmp_path, source, values, times, points, names, 2, [])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--dataset", "/Data"], "no mesh is named"),
        (["--mesh", "absent.vtu"], "absent.vtu: cannot open"),
        (["--mesh", "other.vtu"], "other.vtu: has 41 points, /Data of"),
        (["--mesh", "mesh.vtu", "--axes", "node,step,component"], "has 40 points, /Data of"),
        (["--mesh", "mesh.vtu", "--fields", "V"], "there are: Data_0, Data_1"),
        (["--mesh", "mesh.vtu", "--steps", "9"], "is not one of the 6 steps"),
        ([], "no mesh is named"),
    ],
)
def test_what_cannot_be_converted_gets_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    write_mesh(tmp_path / "mesh.vtu", 40)
    write_mesh(tmp_path / "other.vtu", 41)
    with h5py.File(tmp_path / "series.h5", "w") as file:
        file["Data"] = np.zeros((6, 40, 2))
    outcome = w.call([w.WEFT, "convert", "series.h5", "--to", "vtu", *arguments], cwd=tmp_path)
    assert outcome.code in (1, 2) and len(outcome.error_lines) == 1 and words in outcome.err, outcome
    assert not list(tmp_path.glob("series_vtu/*"))
