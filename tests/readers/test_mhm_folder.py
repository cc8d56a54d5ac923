"""The folder of text files that a multiscale run leaves, joined by weft convert: VTK sees the whole square, every value
at its place, of a file for each problem and of one shared file."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
import weft_run as w
from vtk_readers import Grid, grid_of
from vtkmodules.vtkFiltersCore import vtkProbeFilter
from vtkmodules.vtkIOXML import vtkXMLPUnstructuredGridReader, vtkXMLUnstructuredGridReader

C, S, K, PHASES = 2, 7, 3, 2
PROBLEMS, VALUES = 4**C, (S + 1) * (S + 2) // 2
SMALL: list[object] = ["--ccross", C, "--sub-elements", S, "--dims", K, "--phases", PHASES, "--source", "solve"]


@pytest.fixture(scope="module")
def flow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("flow") / "flow"
    w.weft_ok("run", "mhm", *SMALL, "--out", out)
    return out


def read(path: Path) -> tuple[Any, Grid]:
    reader = vtkXMLPUnstructuredGridReader() if path.suffix == ".pvtu" else vtkXMLUnstructuredGridReader()
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0
    return reader, grid_of(reader.GetOutput())


def expected(folder: Path, phase: int) -> tuple[Any, Any]:
    """Places and pressures of all problems' points, from the text files alone."""
    ij = np.array([(i, j) for j in range(S + 1) for i in range(S + 1 - j)]) / S
    places, pressures = [], []
    for problem in range(PROBLEMS):
        at = folder / f"problem_{problem:05d}"
        a, b, c = np.loadtxt(at / "element.txt")
        places.append(a + ij[:, :1] * (b - a) + ij[:, 1:] * (c - a))
        portions = np.loadtxt(at / f"solution_{phase:04d}.txt").reshape(K, VALUES // K)
        pressures.append(portions.T.ravel())
    return np.concatenate(places), np.concatenate(pressures)


def triangles() -> Any:
    """The points of all small triangles, problem after problem."""
    number = {ij: n for n, ij in enumerate((i, j) for j in range(S + 1) for i in range(S + 1 - j))}
    one = []
    for (i, j), here in number.items():
        if i + j < S:
            one.append([here, number[i + 1, j], number[i, j + 1]])
        if i + j < S - 1:
            one.append([number[i + 1, j + 1], number[i, j + 1], number[i + 1, j]])
    return (np.arange(PROBLEMS)[:, None, None] * VALUES + np.array(one)).reshape(-1, 3)


@pytest.mark.parametrize("ranks", [None, 3])
def test_vtk_sees_every_value_at_its_place(flow: Path, tmp_path: Path, ranks: int | None) -> None:
    report = w.weft_ok("convert", f"{flow}/", "--to", "vtu", "--out", tmp_path / "out", "--json", ranks=ranks).json
    assert report["steps"] == PHASES
    entries = list(ElementTree.parse(tmp_path / "out" / "flow.pvd").getroot().iter("DataSet"))
    assert [entry.attrib["timestep"] for entry in entries] == ["0", "1"]
    for phase, entry in enumerate(entries):
        reader, grid = read(tmp_path / "out" / entry.attrib["file"])
        places, pressures = expected(flow, phase)
        assert grid.types.tolist() == [5] * (PROBLEMS * S * S)
        # Cells are in order; a point that two ranks' cells use is in the pieces of both.
        corners = grid.connectivity.reshape(-1, 3)
        assert np.allclose(grid.points[corners][:, :, :2], places[triangles()], atol=1e-15)
        assert w.same_bits(grid.nodes["solution"][corners], pressures[triangles()])
        assert not grid.points[:, 2].any()
        a, b, c = (grid.points[corners[:, i], :2] for i in range(3))
        areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
        assert np.allclose(areas, 1 / (PROBLEMS * S * S))
        # Any place in the square is in some triangle, and near a point there is its value.
        probe = vtkProbeFilter()
        probe.SetSourceConnection(reader.GetOutputPort())
        probe.SetInputData(reader.GetOutput())
        probe.Update()
        probed = grid_of(probe.GetOutput())
        assert probed.nodes["vtkValidPointMask"].all()
        assert np.allclose(probed.nodes["solution"], grid.nodes["solution"], atol=1e-6 * np.abs(pressures).max())


@pytest.mark.parametrize("strategy", ["shared-buffered", "shared-aligned"])
def test_a_shared_file_is_joined_alike(flow: Path, tmp_path: Path, strategy: str) -> None:
    shared = tmp_path / "shared"
    w.weft_ok("run", "mhm", *SMALL, "--strategy", strategy, "--out", shared, ranks=2)
    for folder in (flow, shared):
        w.weft_ok("convert", folder, "--to", "csv", "--out", tmp_path / f"{folder.name}_csv")
    for phase in range(PHASES):
        one, other = (
            (tmp_path / f"{folder.name}_csv" / f"{folder.name}_{phase:04d}.csv").read_bytes()
            for folder in (flow, shared)
        )
        assert one == other and one.count(b"\n") == PROBLEMS * VALUES + 1


def check_refused(path: Path, words: str, code: int = 1) -> None:
    outcome = w.weft("convert", path, "--to", "csv", "--out", path.parent / "refused")
    assert outcome.code == code, outcome
    [line] = outcome.error_lines
    assert words in line, line


def test_what_cannot_be_joined_is_refused(flow: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    check_refused(tmp_path / "empty", "is a folder, and not one of weft run mhm")

    copy = tmp_path / "flow"
    shutil.copytree(flow, copy)
    last = copy / f"problem_{PROBLEMS - 1:05d}" / "solution_0001.txt"
    whole = last.read_bytes()
    last.write_bytes(whole[:-13])
    check_refused(copy, "455 bytes for a problem, whose 36 values take 468; the run may not have ended")
    last.write_bytes(b"x" + whole[1:])
    check_refused(copy, "is not a value")
    last.unlink()
    check_refused(copy, "solution_0001.txt")
    (copy / "problem_00002" / "element.txt").write_text("0 0\n1 0\n")
    check_refused(copy, "does not have the corners of a triangle")
    (copy / "problem_00000" / "parameters.txt").write_text("ccross 2\nsub_elements 7\ndims 5\n")
    check_refused(copy, "5 dimensions do not divide 36 values")
    (copy / "problem_00000" / "parameters.txt").write_text("ccross 99\n")
    check_refused(copy, "has no usable value of ccross")

    new = tmp_path / "new"
    (new / "problem_00000").mkdir(parents=True)
    shutil.copy(flow / "problem_00000" / "parameters.txt", new / "problem_00000")
    check_refused(new, "no solution is written yet")
    w.weft_ok("run", "mhm", *SMALL, "--strategy", "series", "--out", tmp_path / "series")
    check_refused(tmp_path / "series", "convert that: solution.h5", code=2)
