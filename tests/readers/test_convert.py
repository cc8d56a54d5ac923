"""Copies in VTK's XML formats: VTK's own readers see every step, field, cell and place of them."""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import h5py
import numpy as np
import pytest
import weft_run as w
from vtk_readers import Grid, grid_of
from vtkmodules.vtkIOXML import (
    vtkXMLImageDataReader,
    vtkXMLPUnstructuredGridReader,
    vtkXMLUnstructuredGridReader,
)

CASES = Path(os.environ["WEFT_READER_CASES"])
STEPS = 7
READERS = {
    ".vtu": vtkXMLUnstructuredGridReader,
    ".pvtu": vtkXMLPUnstructuredGridReader,
    ".vti": vtkXMLImageDataReader,
}


def write_case(name: str, path: Path, ranks: int = 1) -> Path:
    outcome = w.call(w.on_ranks(ranks, [str(CASES), name, str(path)]))
    assert outcome.code == 0, outcome
    return path


def read_pvd(path: Path) -> list[tuple[float, Path]]:
    entries = ElementTree.parse(path).getroot().iter("DataSet")
    return [(float(entry.attrib["timestep"]), path.parent / entry.attrib["file"]) for entry in entries]


def read_file(path: Path) -> Grid:
    reader = READERS[path.suffix]()
    errors: list[str] = []
    reader.AddObserver("ErrorEvent", lambda *_: errors.append(str(path)))
    reader.SetFileName(str(path))
    reader.Update()
    assert not errors and reader.GetErrorCode() == 0
    grid = grid_of(reader.GetOutput())
    # A reader that knows times fills this in; it says which steps there are, not which one is here.
    assert "TimeValue" in grid.globals
    return grid


def mesh_of(path: Path) -> tuple[Any, Any, list[list[int]]]:
    with h5py.File(path) as file:
        points, types = file["mesh/points"][:], file["mesh/types"][:] if "mesh/types" in file else np.empty(0, np.uint8)
        if len(types) == 0:
            return points, types, []
        connectivity, offsets = file["mesh/connectivity"][:], file["mesh/offsets"][:]
    return points, types, [list(connectivity[a:b]) for a, b in itertools.pairwise(offsets)]


def corners_of(grid: Grid, sizes: list[int]) -> list[Any]:
    assert len(grid.connectivity) == sum(sizes)
    return np.split(grid.connectivity, np.cumsum(sizes)[:-1]) if sizes else []


def places_of(grid: Grid, points: Any) -> Any:
    """Which node of the mesh each point of the grid is, by where it stands: no two nodes stand in one place."""
    known = {tuple(point): node for node, point in enumerate(points.astype(grid.points.dtype))}
    assert len(known) == len(points)
    return np.array([known[tuple(point)] for point in grid.points], dtype=np.int64)


def check_mesh(grid: Grid, source: Path) -> Any:
    """The grid has the mesh's cells in order and all its points. Returns the node each point is."""
    points, types, cells = mesh_of(source)
    nodes = places_of(grid, points)
    assert set(nodes) == set(range(len(points)))
    assert np.array_equal(grid.types, types)
    for got, cell in zip(corners_of(grid, [len(c) for c in cells]), cells, strict=True):
        assert list(nodes[got]) == cell
    return nodes


def converted(source: Path, out: Path, *arguments: object, ranks: int | None = None) -> Any:
    report = w.weft_ok("convert", source, "--to", "vtu", "--out", out, "--json", *arguments, ranks=ranks).json
    files = [path for path in out.iterdir()]
    assert not [path for path in files if path.suffix == ".weft-part"]
    assert report["files"] == len(files) and report["bytes"] == sum(path.stat().st_size for path in files)
    assert report["ranks"] == (ranks or 1)
    return report


@pytest.mark.parametrize("compress", [[], ["--compress", 6]], ids=["plain", "compressed"])
@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4, 7])
def test_every_kind_of_field_and_cell(tmp_path: Path, ranks: int | None, compress: list[object]) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    report = converted(source, tmp_path / "copies", *compress, ranks=ranks)
    assert report["steps"] == STEPS and report["left_out"] == []
    listing = read_pvd(Path(report["out"]))
    assert [time for time, _ in listing] == [0.5 * s for s in range(STEPS)]
    with h5py.File(source) as file:
        for step, (time, path) in enumerate(listing):
            assert path.suffix == (".pvtu" if (ranks or 1) > 1 else ".vtu")
            grid = read_file(path)
            nodes = check_mesh(grid, source)
            if (ranks or 1) == 1:
                assert np.array_equal(nodes, np.arange(48)), "alone, the mesh is as it was"
            assert set(grid.nodes) == {"number", "vector", "left", "right", "front"}
            for name, values in {
                "number": file["number"][step],
                "vector": file["vector"][step],
                "left": file["pair"][step, :, 0],
                "right": file["pair"][step, :, 1],
            }.items():
                assert w.same_bits(grid.nodes[name], values[nodes]), f"{name} at step {step}"
            front = np.full(48, np.nan)
            front[:10] = file["front"][step]
            assert np.array_equal(grid.nodes["front"], front[nodes], equal_nan=True)
            assert w.same_bits(grid.cells["on cells"], file["on cells"][step])
            assert list(grid.globals["TimeValue"]) == [time]
            assert list(grid.globals["energy"]) == [file["energy"][step]]
            assert list(grid.globals["budget"]) == list(file["budget"][step])


@pytest.mark.parametrize("ranks", [1, 3])
def test_a_field_on_listed_nodes_has_files_of_its_own(tmp_path: Path, ranks: int) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    report = converted(source, tmp_path / "copies", ranks=ranks)
    assert len(report["further"]) == 1
    listing = read_pvd(Path(report["further"][0]))
    assert len(listing) == STEPS
    with h5py.File(source) as file:
        points, subset = file["mesh/points"][:], file["weft/subsets/listed"][:]
        for step, (_, path) in enumerate(listing):
            grid = read_file(path)
            nodes = places_of(grid, points[subset])
            assert set(nodes) == set(range(len(subset)))
            assert set(grid.nodes) == {"listed"}
            assert w.same_bits(grid.nodes["listed"], file["listed"][step][nodes])
            assert len(grid.types) > 0, "cells that lie wholly among these nodes"


@pytest.mark.parametrize(
    ("nodes", "ranks", "arguments"),
    [
        (1013, None, ["--fields", "joint"]),
        (1013, 3, ["--fields", "separate"]),
        (211, 2, ["--fields", "separate", "--unknown-steps", "--target", "2KiB"]),
        (3, 4, []),
        (1, 2, []),
        (9, 7, []),
    ],
)
def test_a_run(tmp_path: Path, nodes: int, ranks: int | None, arguments: list[str]) -> None:
    """More ranks than cells too: those without any write nothing."""
    source = tmp_path / "out.h5"
    steps = 70 if "--unknown-steps" in arguments else 6
    w.run_ecg(source, "--nodes", nodes, "--steps", steps, *arguments)
    report = converted(source, tmp_path / "copies", ranks=ranks)
    v, phi_e = w.wave(nodes, steps)
    listing = read_pvd(Path(report["out"]))
    assert [time for time, _ in listing] == [float(s) for s in range(steps)]
    for step, (_, path) in enumerate(listing):
        grid = read_file(path)
        at = check_mesh(grid, source)
        assert w.same_bits(grid.nodes["V"], v[step][at]) and w.same_bits(grid.nodes["phi_e"], phi_e[step][at])


@pytest.mark.parametrize(("case", "shape"), [("grid", (3, 4, 5)), ("flat-grid", (4, 5))])
@pytest.mark.parametrize(("ranks", "compress"), [(None, 0), (3, 0), (2, 9), (9, 1)])
def test_a_grid_is_image_data(
    tmp_path: Path, case: str, shape: tuple[int, ...], ranks: int | None, compress: int
) -> None:
    source = write_case(case, tmp_path / "out.h5")
    report = converted(source, tmp_path / "copies", *(["--compress", compress] if compress else []), ranks=ranks)
    assert report["files"] == STEPS + 1
    with h5py.File(source) as file:
        for step, (time, path) in enumerate(read_pvd(Path(report["out"]))):
            grid = read_file(path)
            assert grid.kind == "vtkImageData" and time == 0.5 * step
            z, y, x = np.meshgrid(*[np.arange(n) for n in (1, *shape)[-3:]], indexing="ij")
            places = np.stack([1 + 0.1 * x, 2 + 0.2 * y, 3 + 0.3 * z], axis=-1).reshape(-1, 3)
            assert np.allclose(grid.points, places, rtol=0, atol=1e-12)
            assert w.same_bits(grid.nodes["number"], file["number"][step].ravel())
            assert w.same_bits(grid.nodes["vector"], file["vector"][step].reshape(-1, 3))


@pytest.mark.parametrize("ranks", [None, 2])
def test_precision_and_choice(tmp_path: Path, ranks: int | None) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    arguments = ["--precision", "float32", "--fields", "pair,energy", "--steps", "-5::3"]
    report = converted(source, tmp_path / "copies", *arguments, ranks=ranks)
    assert report["steps"] == 2 and report["further"] == []
    listing = read_pvd(Path(report["out"]))
    assert [time for time, _ in listing] == [1.0, 2.5]
    with h5py.File(source) as file:
        for step, (_, path) in zip([2, 5], listing, strict=True):
            assert f"_{step:04d}" in path.name
            grid = read_file(path)
            nodes = check_mesh(grid, source)
            assert grid.points.dtype == np.float32
            assert set(grid.nodes) == {"left", "right"} and grid.cells == {}
            assert w.same_bits(grid.nodes["right"], file["pair"][step, :, 1].astype(np.float32)[nodes])
            assert set(grid.globals) == {"TimeValue", "energy"}


def test_only_what_fits_the_budget_is_in_memory(tmp_path: Path) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 1013, "--steps", 20, "--fields", "separate")
    outcome = w.weft("convert", source, "--to", "vtu", "--out", tmp_path / "copies", "--budget", 1000)
    assert outcome.code == 2 and len(outcome.error_lines) == 1 and "give at least --budget " in outcome.err
    least = int(outcome.err.split("--budget ")[1].split()[0])
    assert w.weft("convert", source, "--to", "vtu", "--out", tmp_path / "copies", "--budget", least - 1).code == 2
    assert not (tmp_path / "copies").exists()
    report = converted(source, tmp_path / "copies", "--budget", least)
    assert w.weft("convert", source, "--to", "vtu", "--out", tmp_path / "copies", "--budget", least - 1).code == 2
    v, _ = w.wave(1013, 20)  # and what was there before is there still
    for step, (_, path) in enumerate(read_pvd(Path(report["out"]))):
        assert w.same_bits(read_file(path).nodes["V"], v[step])


def test_of_an_unfinished_run_the_committed_steps(tmp_path: Path) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 300, "--steps", 30)
    with h5py.File(source, "r+") as file:  # as if the run had ended there
        slots = file["weft/commit"]
        slots[:] = np.where(slots[:] == w.IDLE_SLOT, slots[:], 17)
    assert converted(source, tmp_path / "copies")["steps"] == 17
    with h5py.File(source, "r+") as file:
        slots = file["weft/commit"]
        slots[:] = np.where(slots[:] == w.IDLE_SLOT, slots[:], 0)
    outcome = w.weft("convert", source, "--to", "vtu", "--out", tmp_path / "more")
    assert outcome.code == 2 and "no steps are committed yet" in outcome.err


def test_the_text_names_the_next_command(tmp_path: Path) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    outcome = w.weft_ok("convert", source, "--to", "vtu")
    assert outcome.out.splitlines()[-1] == f"open it: paraview {tmp_path / 'out_vtu' / 'out.pvd'}"
    assert (tmp_path / "out_vtu" / "out.pvd").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "vtk"], "--to vtk: is not a format"),
        (["--to", "vtu", "--steps", "7:7"], "selects none of the 7 steps"),
        (["--to", "vtu", "--steps", "7"], "is not one of the 7 steps"),
        (["--to", "vtu", "--steps", "::-1"], "counts backwards"),
        (["--to", "vtu", "--steps", "a:b"], "'a' is not a step"),
        (["--to", "vtu", "--fields", "number,volts"], "has no field 'volts' that can be converted"),
        (["--to", "vtu", "--compress", 10], "is not a level of zlib"),
        (["--to", "vtu", "--precision", "float16"], "is not a precision"),
        (["--to", "vtu", "--budget", "0"], "a budget of 0 B does not hold"),
        (["--to", "vtu", "--budget", "much"], "much"),
        (["--to", "vtu", "--out", "out.h5"], "out.h5"),
    ],
)
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_converted_gets_one_line(
    tmp_path: Path, arguments: list[object], words: str, ranks: int | None
) -> None:
    write_case("mesh", tmp_path / "out.h5")
    command = [w.WEFT, "convert", "out.h5", *map(str, arguments)]
    outcome = w.call(w.on_ranks(ranks, command), cwd=tmp_path)
    assert outcome.code == 2 or (outcome.code == 1 and "--out" in arguments)
    assert len(outcome.error_lines) == 1 and words in outcome.error_lines[0]
    assert not list(tmp_path.glob("out_vtu/*"))


def test_a_file_without_a_mesh(tmp_path: Path) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 100, "--steps", 3, "--mesh", "none")
    outcome = w.weft("convert", source, "--to", "vtu")
    assert outcome.code == 2 and len(outcome.error_lines) == 1 and "has no mesh" in outcome.err


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    """Where a file cannot be written to its end, neither it nor a list of files is there under its name."""
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 300_000, "--steps", 9)
    out = tmp_path / "copies"
    command = [w.WEFT, "convert", str(source), "--to", "vtu", "--out", str(out)]
    # The limit leaves room for the MPI library's shared memory; a file of this mesh is larger still.
    outcome = w.call(["bash", "-c", f"trap '' XFSZ; ulimit -f {32 << 10}; exec \"$@\"", "bash", *command])
    assert outcome.code == 1 and len(outcome.error_lines) == 1 and "writing at byte" in outcome.err
    assert not out.exists()


def test_one_rank_that_fails_ends_all(tmp_path: Path) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 2000, "--steps", 4)
    out = tmp_path / "copies"
    (out / "out_0002_p1.vtu").mkdir(parents=True)  # in the way of rank 1's piece
    outcome = w.weft("convert", source, "--to", "vtu", "--out", out, ranks=3)
    assert outcome.code == 1 and len(outcome.error_lines) == 1
    assert "rank 1: " in outcome.err and "out_0002_p1.vtu: cannot create" in outcome.err
    assert not [path for path in out.iterdir() if path.suffix in (".weft-part", ".pvtu", ".pvd")]
