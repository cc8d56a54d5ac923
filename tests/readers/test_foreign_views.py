"""Views of files that Weft did not write: the data stay in them, a small file beside shows them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from vtk_readers import read_vtkhdf, read_xdmf
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import VTK_TETRA, VTK_TRIANGLE, VTK_VERTEX, vtkUnstructuredGrid
from vtkmodules.vtkIOXML import vtkXMLUnstructuredGridWriter

CHASTE = w.DATA / "chaste"
needs_chaste = pytest.mark.skipif(not CHASTE.is_dir(), reason="the recorded files are not here")


def mesh_of(points: int) -> Any:
    """A mesh of so many points: tetrahedra, triangles and vertices in turn."""
    grid = vtkUnstructuredGrid()
    coordinates = np.random.default_rng(points).random((points, 3))
    vtk_points = vtkPoints()
    vtk_points.SetData(numpy_to_vtk(coordinates, deep=True))
    grid.SetPoints(vtk_points)
    for first in range(points):
        kind, corners = [(VTK_TETRA, 4), (VTK_TRIANGLE, 3), (VTK_VERTEX, 1)][first % 3]
        grid.InsertNextCell(kind, corners, [(first + i) % points for i in range(corners)])
    return grid, coordinates


def write_mesh(path: Path, points: int, mode: str = "appended", compressed: bool = True, wide: bool = True) -> Any:
    grid, coordinates = mesh_of(points)
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(grid)
    {
        "ascii": writer.SetDataModeToAscii,
        "binary": writer.SetDataModeToBinary,
        "appended": writer.SetDataModeToAppended,
        "appended base64": writer.SetDataModeToAppended,
    }[mode]()
    writer.SetEncodeAppendedData(mode == "appended base64")
    if not compressed:
        writer.SetCompressorTypeToNone()
    (writer.SetHeaderTypeToUInt64 if wide else writer.SetHeaderTypeToUInt32)()
    assert writer.Write() == 1
    return coordinates


def write_series(path: Path, steps: int = 6, nodes: int = 40, components: int = 2) -> Any:
    values = np.random.default_rng(1).random((steps, nodes, components))
    with h5py.File(path, "w") as file:
        file.create_dataset("Data", data=values, chunks=(2, 7, 1), compression="gzip")
        file["moments"] = np.arange(steps) * 0.25
    return values


@pytest.mark.parametrize("mode", ["ascii", "binary", "appended", "appended base64"])
@pytest.mark.parametrize("compressed", [True, False])
@pytest.mark.parametrize("wide", [True, False])
def test_every_way_vtk_writes_a_mesh(tmp_path: Path, mode: str, compressed: bool, wide: bool) -> None:
    coordinates = write_mesh(tmp_path / "mesh.vtu", 4000, mode, compressed, wide)
    values = write_series(tmp_path / "series.h5", nodes=4000)
    report = w.weft_ok("view", tmp_path / "series.h5", "--mesh", tmp_path / "mesh.vtu", "--json").json
    times, grids = read_vtkhdf(Path(report["file"]))
    assert times == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0], "no times are known, so they are counted"
    assert np.array_equal(grids[0][""].points, coordinates.astype(grids[0][""].points.dtype))
    grid, _ = mesh_of(4000)
    assert len(grids[0][""].types) == grid.GetNumberOfCells()
    for step, blocks in enumerate(grids):
        assert np.array_equal(blocks[""].nodes["Data_0"], values[step, :, 0])
        assert np.array_equal(blocks[""].nodes["Data_1"], values[step, :, 1])


def test_the_file_itself_is_left_alone(tmp_path: Path) -> None:
    write_mesh(tmp_path / "mesh.vtu", 40)
    values = write_series(tmp_path / "series.h5")
    before = hashlib.sha256((tmp_path / "series.h5").read_bytes()).digest()
    out = tmp_path / "elsewhere" / "look.vtkhdf"
    out.parent.mkdir()
    arguments = ["--dataset", "/Data", "--axes", "step,node,component", "--time", "/moments"]
    report = w.weft_ok(
        "view", tmp_path / "series.h5", *arguments, "--mesh", tmp_path / "mesh.vtu", "--out", out, "--json"
    ).json
    assert hashlib.sha256((tmp_path / "series.h5").read_bytes()).digest() == before
    assert report["file"] == str(out) and report["steps"] == 6
    for times, grids in (read_vtkhdf(out), read_xdmf(Path(report["xdmf"]))):
        assert times == [0.25 * s for s in range(6)]
        for step, blocks in enumerate(grids):
            for grid in blocks.values():
                assert np.array_equal(grid.nodes["Data_1"], values[step, :, 1])


@needs_chaste
@pytest.mark.parametrize(
    ("name", "nodes", "names"),
    [
        ("bidomain_3d", 375, ["V", "Phi_e"]),
        ("full_format_extended", 100, ["Node", "I_K", "I_Na"]),
        ("postprocessing_apd", 11, ["V"]),
        ("three_variables", 101, ["Vm_1", "Vm_2", "Phi_e"]),
    ],
)
def test_recorded_files(tmp_path: Path, name: str, nodes: int, names: list[str]) -> None:
    source = CHASTE / f"{name}.h5"
    write_mesh(tmp_path / "mesh.vtu", nodes)
    out = tmp_path / "view.vtkhdf"
    w.weft_ok("view", source, "--mesh", tmp_path / "mesh.vtu", "--out", out)
    with h5py.File(source) as file:
        values = file["Data"][:]
        recorded = file["Data_Unlimited" if "Data_Unlimited" in file else "Time"][:]
    times, grids = read_vtkhdf(out)
    assert times == list(recorded)
    for step, blocks in enumerate(grids):
        for c, variable in enumerate(names):
            assert np.array_equal(blocks[""].nodes[variable], values[step, :, c])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--axes", "node,step,component", "--mesh", "six.vtu"],
            "cannot be shown without copying it: the step is not its first axis",
        ),
        (["--axes", "node,step,component", "--mesh", "mesh.vtu"], "has 40 points, /Data of series.h5 has 6 nodes"),
        (["--axes", "step,node", "--mesh", "mesh.vtu"], "axes"),
        (["--axes", "step,node,component"], "no mesh is named"),
        (["--mesh", "other.vtu"], "other.vtu: has 41 points, /Data of"),
        (["--mesh", "absent.vtu"], "absent.vtu: cannot open"),
        (["--mesh", "series.h5"], "series.h5"),
        (["--mesh", "torn.vtu"], "torn.vtu"),
        (["--mesh", "mesh.vtu", "--dataset", "/Nothing"], "/Nothing"),
        (["--mesh", "mesh.vtu", "--time", "/Nothing"], "/Nothing"),
        (["--mesh", "mesh.vtu", "--time", "/Data"], "/Data has 480 values for 6 steps"),
        (["--mesh", "mesh.vtu", "--out", "series.h5"], "is the input file"),
        ([], "no mesh is named"),
    ],
)
def test_what_cannot_be_shown_gets_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    write_series(tmp_path / "series.h5")
    write_mesh(tmp_path / "mesh.vtu", 40)
    write_mesh(tmp_path / "other.vtu", 41)
    write_mesh(tmp_path / "six.vtu", 6)
    (tmp_path / "torn.vtu").write_bytes((tmp_path / "mesh.vtu").read_bytes()[:2000])
    outcome = w.call([w.WEFT, "view", "series.h5", *arguments], cwd=tmp_path)
    assert outcome.code in (1, 2) and outcome.out == ""
    assert len(outcome.err.splitlines()) == 1 and outcome.err.startswith("weft: error: ")
    assert words in outcome.err
    assert not (tmp_path / "series.vtkhdf").exists()


@pytest.mark.parametrize("mode", ["ascii", "binary", "appended", "appended base64"])
def test_damaged_meshes_never_crash(tmp_path: Path, mode: str) -> None:
    write_series(tmp_path / "series.h5", nodes=30)
    write_mesh(tmp_path / "mesh.vtu", 30, mode)
    whole = (tmp_path / "mesh.vtu").read_bytes()
    random = np.random.default_rng(7)
    for number in range(25):
        damaged = bytearray(whole)
        if number % 2:
            del damaged[int(random.integers(len(whole))) :]
        for at in random.integers(0, len(damaged) or 1, 5 if damaged else 0):
            damaged[int(at)] = int(random.integers(256))
        (tmp_path / "bad.vtu").write_bytes(bytes(damaged))
        outcome = w.call([w.WEFT, "view", "series.h5", "--mesh", "bad.vtu", "--no-xdmf"], cwd=tmp_path, patience=20)
        assert outcome.code in (0, 1, 2), f"{number}: {outcome}"
        if outcome.code != 0:
            assert len(outcome.err.splitlines()) == 1 and outcome.err.startswith("weft: error: "), outcome.err
