"""convert, view, replay and ecg of files of the known conventions: what is copied and shown is what the file holds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
import weft_run as w
from other_files import STEPS, chaste, compressed_weft, ocean, openpmd, vtkhdf
from vtk_readers import Grid, grid_of, read_vtkhdf, read_xdmf
from vtkmodules.util.numpy_support import numpy_to_vtk
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.vtkCommonDataModel import VTK_TETRA, vtkUnstructuredGrid
from vtkmodules.vtkIOXML import vtkXMLImageDataReader, vtkXMLUnstructuredGridReader, vtkXMLUnstructuredGridWriter

Values = dict[str, np.ndarray[Any, Any]]


def write_mesh(path: Path, points: int) -> None:
    mesh = vtkUnstructuredGrid()
    places = vtkPoints()
    places.SetData(numpy_to_vtk(np.random.default_rng(1).random((points, 3)), deep=True))
    mesh.SetPoints(places)
    for first in range(points - 3):
        mesh.InsertNextCell(VTK_TETRA, 4, [first + i for i in range(4)])
    writer = vtkXMLUnstructuredGridWriter()
    writer.SetFileName(str(path))
    writer.SetInputData(mesh)
    assert writer.Write() == 1


def copies(listing: str) -> tuple[list[float], list[Grid]]:
    entries = list(ElementTree.parse(listing).getroot().iter("DataSet"))
    grids = []
    for entry in entries:
        path = Path(listing).parent / entry.attrib["file"]
        reader = vtkXMLImageDataReader() if path.suffix == ".vti" else vtkXMLUnstructuredGridReader()
        reader.SetFileName(str(path))
        reader.Update()
        grids.append(grid_of(reader.GetOutput()))
    return [float(entry.attrib["timestep"]) for entry in entries], grids


def check(grids: list[Grid], name: str, values: np.ndarray[Any, Any]) -> None:
    assert len(grids) == len(values)
    for grid, step in zip(grids, values, strict=True):
        shown = grid.nodes[name]
        np.testing.assert_array_equal(shown, step.reshape(shown.shape), err_msg=name)


def test_netcdf_is_converted(tmp_path: Path) -> None:
    values = ocean(tmp_path / "ocean.nc")
    report = w.weft_ok("convert", tmp_path / "ocean.nc", "--to", "vtu", "--json").json
    times, grids = copies(report["out"])
    assert times == [6.0 * step for step in range(STEPS)]
    check(grids, "temp", values["temp"])  # packed, with a value that is missing
    check(grids, "last", values["last"])  # the step is its last axis
    assert any("salt: steps of 5x7 on a grid of 3x5x7" in line for line in report["left_out"])
    report = w.weft_ok("convert", tmp_path / "ocean.nc", "--dataset", "/salt", "--to", "csv", "--json", ranks=2).json
    rows: Any = np.genfromtxt(tmp_path / "ocean_csv" / "ocean_0004.csv", delimiter=",", names=True)
    np.testing.assert_array_equal(rows["salt"].astype("f4"), values["salt"][4].ravel())


def test_openpmd_is_converted(tmp_path: Path) -> None:
    values = openpmd(tmp_path / "laser.h5")
    report = w.weft_ok("convert", tmp_path / "laser.h5", "--to", "vtu", "--json").json
    times, grids = copies(report["out"])
    np.testing.assert_allclose(times, [0.009, 0.04, 0.1, 0.2])
    check(grids, "fields_E_x", values["x"])
    check(grids, "fields_E_y", values["y"])


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize(("write", "points"), [(vtkhdf, 30), (chaste, 25), (compressed_weft, 101)])
def test_nodes_are_converted_on_a_mesh(
    tmp_path: Path, write: Callable[[Path], Values], points: int, ranks: int | None
) -> None:
    values = write(tmp_path / "run.h5")
    write_mesh(tmp_path / "mesh.vtu", points)
    arguments = [tmp_path / "run.h5", "--to", "csv", "--mesh", tmp_path / "mesh.vtu"]
    w.weft_ok("convert", *arguments, ranks=ranks)
    for step in (0, len(next(iter(values.values()))) - 1):
        rows: Any = np.genfromtxt(tmp_path / "run_csv" / f"run_{step:04d}.csv", delimiter=",", names=True)
        names = rows.dtype.names or ()
        columns = [name for name in names if name not in ("x", "y", "z")]
        assert len(names) == len(columns) + 3
        wanted = np.concatenate([data[step].reshape(points, -1) for data in values.values()], axis=1)
        np.testing.assert_array_equal(np.stack([rows[name] for name in columns], axis=1), wanted)


def test_the_step_may_be_any_axis_of_a_copy(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((6, 9, 2))
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["Data"] = values
    write_mesh(tmp_path / "mesh.vtu", 6)
    arguments = ["--axes", "node,step,component", "--mesh", tmp_path / "mesh.vtu"]
    report = w.weft_ok("convert", tmp_path / "run.h5", "--to", "vtu", "--dataset", "Data", *arguments, "--json").json
    _, grids = copies(report["out"])
    for component in (0, 1):
        check(grids, f"Data_{component}", np.moveaxis(values, 1, 0)[:, :, component])


def test_openpmd_is_shown(tmp_path: Path) -> None:
    values = openpmd(tmp_path / "laser.h5")
    report = w.weft_ok("view", tmp_path / "laser.h5", "--json").json
    times, blocks = read_vtkhdf(Path(report["file"]))
    np.testing.assert_allclose(times, [0.009, 0.04, 0.1, 0.2])
    check([step[""] for step in blocks], "fields_E_x", values["x"])
    check([step[""] for step in blocks], "fields_E_y", values["y"])
    times, blocks = read_xdmf(Path(report["xdmf"]))
    check([next(iter(step.values())) for step in blocks], "fields_E_y", values["y"])


def test_netcdf_is_shown(tmp_path: Path) -> None:
    values = ocean(tmp_path / "ocean.nc")
    report = w.weft_ok("view", tmp_path / "ocean.nc", "--dataset", "big", "--json").json
    times, blocks = read_vtkhdf(Path(report["file"]))
    assert times == [6.0 * step for step in range(STEPS)]
    check([step[""] for step in blocks], "big", values["big"])  # compressed, of the other byte order
    outcome = w.weft("view", tmp_path / "ocean.nc")
    assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
    assert "cannot be shown without copying it" in outcome.err


def test_vtkhdf_is_shown_on_another_mesh(tmp_path: Path) -> None:
    values = vtkhdf(tmp_path / "run.h5")
    write_mesh(tmp_path / "mesh.vtu", 30)
    report = w.weft_ok("view", tmp_path / "run.h5", "--mesh", tmp_path / "mesh.vtu", "--json").json
    times, blocks = read_vtkhdf(Path(report["file"]))
    assert times == [0.5 * step for step in range(6)]
    check([step[""] for step in blocks], "V", values["V"])
    check([step[""] for step in blocks], "W", values["W"])


@pytest.mark.parametrize("mesh", [True, False])
def test_a_weft_file_is_shown_beside(tmp_path: Path, mesh: bool) -> None:
    w.run_ecg(tmp_path / "run.h5", "--nodes", 1000, "--steps", 5, *([] if mesh else ["--mesh", "none"]))
    with h5py.File(tmp_path / "run.h5") as file:
        values, points = file["Data"][...], file["mesh/points"][...] if mesh else np.empty((0, 3))
    before = (tmp_path / "run.h5").read_bytes()
    arguments = ["view", tmp_path / "run.h5", "--out", tmp_path / "look.vtkhdf"]
    if not mesh:
        write_mesh(tmp_path / "mesh.vtu", 1000)
        arguments += ["--mesh", tmp_path / "mesh.vtu"]
    w.weft_ok(*arguments)
    assert (tmp_path / "run.h5").read_bytes() == before
    _, blocks = read_vtkhdf(tmp_path / "look.vtkhdf")
    check([step[""] for step in blocks], "V", values[:, :, 0])
    if mesh:
        np.testing.assert_array_equal(blocks[0][""].points, points)


@pytest.mark.parametrize(
    ("write", "field", "nodes"),
    [
        (ocean, "temp", 105),
        (openpmd, "fields/E/y", 48),
        (vtkhdf, "V", 30),
        (chaste, "Data", 25),
        (compressed_weft, "Data", 101),
    ],
)
@pytest.mark.parametrize("ranks", [1, 3])
def test_is_replayed(tmp_path: Path, write: Callable[[Path], Values], field: str, nodes: int, ranks: int) -> None:
    values = write(tmp_path / "file.h5")[field.rsplit("/", 1)[-1]]
    w.run_ecg(
        tmp_path / "series.h5", "--source", "replay", "--from", f"{tmp_path}/file.h5:{field}", "--ownership", "scatter",
        ranks=ranks,
    )  # fmt: skip
    units = w.weft_ok("info", tmp_path / "file.h5", "--json").json["time"]["units"]
    with h5py.File(tmp_path / "series.h5") as file:
        replayed = file[field.replace("/", "_")]
        np.testing.assert_array_equal(replayed[...].reshape(values.shape), values)
        assert replayed.shape[1] == nodes
        assert file["time"].attrs.get("units", b"") in (units, units.encode())


def test_ecg_on_a_mesh_that_is_named(tmp_path: Path) -> None:
    w.run_ecg(tmp_path / "run.h5", "--nodes", 1000, "--steps", 20)
    with h5py.File(tmp_path / "run.h5") as file, h5py.File(tmp_path / "plain.h5", "w") as plain:
        plain.create_dataset("V", data=file["Data"][:, :, 0], compression=1)
        plain["time"] = file["time"][...]
    report = w.weft_ok("convert", tmp_path / "run.h5", "--to", "vtu", "--steps", "0:1", "--json").json
    mesh = next(Path(report["out"]).parent.glob("*.vtu"))
    electrodes = ["--electrode", "A=30,3,3", "--electrode", "B=-5,0,0", "--json"]
    wanted = w.weft_ok("ecg", tmp_path / "run.h5", "--field", "Data:0", *electrodes).json["signals"]
    got = w.weft_ok("ecg", tmp_path / "plain.h5", "--field", "V", "--mesh", mesh, *electrodes).json["signals"]
    for one, other in zip(got, wanted, strict=True):
        np.testing.assert_allclose(one["values"], other["values"], rtol=1e-4, atol=1e-6)  # a .vtu has float32 points
    write_mesh(tmp_path / "other.vtu", 999)
    outcome = w.weft("ecg", tmp_path / "plain.h5", "--field", "V", "--mesh", tmp_path / "other.vtu", *electrodes)
    assert outcome.code == 2 and "has 999 points, field 'V'" in outcome.err
