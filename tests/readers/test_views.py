"""VTK's own readers see what was written: every step, every field, the mesh and the times; and a view stays small."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from vtk_readers import Grid, read_vtkhdf, read_xdmf

CASES = Path(os.environ["WEFT_READER_CASES"])
STEPS = 7
KINDS = [(12, 8), (13, 6), (14, 5), (10, 4), (9, 4), (5, 3), (3, 2), (1, 1)]


def write_case(name: str, path: Path, ranks: int) -> None:
    outcome = w.call(w.on_ranks(ranks, [str(CASES), name, str(path)]))
    assert outcome.code == 0, outcome


def expected(shape: tuple[int, ...], step: int) -> Any:
    """1000 step + element + component / 4, in the shape of a step."""
    at = np.arange(int(np.prod(shape)))
    row = int(np.prod(shape[1:]))
    return (1000.0 * step + at // row + 0.25 * (at % row)).reshape(shape)


def crossing(shape: tuple[int, ...]) -> Any:
    """When the straight line from step to step comes to 1005.5; NaN where it begins above."""
    start = expected(shape, 0).ravel()
    return np.where(start < 1005.5, 0.5 * (1005.5 - start) / 1000.0, np.nan)


def check_wave(grid: Grid, step: int, nodes: int) -> None:
    wave = np.stack([v[step] for v in w.wave(nodes, step + 1)], axis=-1)
    assert np.array_equal(grid.nodes["V"], wave[:, 0]) and np.array_equal(grid.nodes["phi_e"], wave[:, 1])


@pytest.mark.parametrize(
    ("nodes", "ranks", "arguments"),
    [
        (1013, 1, ["--fields", "joint"]),
        (1013, 3, ["--fields", "separate", "--ownership", "scatter"]),
        (125, 7, ["--fields", "separate", "--ownership", "uneven"]),
        (1013, 2, ["--fields", "joint", "--layout", "isotropic", "--strategy", "cached"]),
        (1013, 2, ["--fields", "separate", "--layout", "rows", "--strategy", "per-step"]),
        (211, 2, ["--fields", "separate", "--unknown-steps", "--target", "2KiB"]),
        (3, 2, []),
        (1, 1, []),
    ],
)
def test_a_run_is_a_vtkhdf_file(tmp_path: Path, nodes: int, ranks: int, arguments: list[str]) -> None:
    path = tmp_path / "out.h5"
    steps = 170 if "--unknown-steps" in arguments else 12
    w.run_ecg(path, "--nodes", nodes, "--steps", steps, *arguments, ranks=ranks)
    times, grids = read_vtkhdf(path)
    assert times == [float(s) for s in range(steps)]
    with h5py.File(path) as file:
        points, connectivity, types = (file[f"mesh/{name}"][:] for name in ("points", "connectivity", "types"))
    for step, blocks in enumerate(grids):
        grid = blocks[""]
        assert grid.kind == "vtkUnstructuredGrid" and len(grid.points) == nodes
        assert np.array_equal(grid.points, points) and np.array_equal(grid.types, types)
        assert np.array_equal(grid.connectivity, connectivity)
        check_wave(grid, step, nodes)


def test_going_on_and_back_keeps_the_view(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    small = ["--nodes", 211, "--target", "2KiB"]
    w.run_ecg(path, *small, "--steps", 70, "--unknown-steps")
    w.run_ecg(path, *small, "--steps", 90, "--append", ranks=2)
    w.run_ecg(path, *small, "--steps", 80, "--append", "--from-step", 60, ranks=3)
    times, grids = read_vtkhdf(path)
    assert times == [float(s) for s in range(80)]
    for step, blocks in enumerate(grids):
        check_wave(blocks[""], step, 211)


@pytest.mark.parametrize("ranks", [1, 3])
def test_maps_are_in_the_view(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "out.h5"
    arguments = ["--fields", "separate", "--reduce", "peak,max"]
    w.run_ecg(path, "--nodes", 1013, "--steps", 130, *arguments, ranks=ranks)
    with h5py.File(path) as file:
        maximum, peak = file["maps/V/max"][:], file["maps/V/peak"][0]
    views = [read_vtkhdf(path)]
    report = w.weft_ok("view", path, "--json").json
    views += [read_vtkhdf(path), read_xdmf(Path(report["xdmf"]))]
    for _, grids in views:
        for step in (0, 64, 129):
            grid = next(iter(grids[step].values()))
            check_wave(grid, step, 1013)
            assert np.array_equal(grid.nodes["V_max"], maximum, equal_nan=True)
            assert np.array_equal(grid.nodes["V_peak"], peak, equal_nan=True)
            assert "V_peak_2" not in grid.nodes
    w.weft_ok("verify", path)


def test_maps_that_are_not_made_yet_are_not_in_the_view(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", 100, "--steps", 30, "--fields", "separate", "--reduce", "max")
    w.weft_ok("run", "ecg", "--append", "--nodes", 100, "--steps", 40, "--fields", "separate", "--out", path)
    _, grids = read_vtkhdf(path)
    assert set(grids[35][""].nodes) == {"V", "phi_e"}
    w.weft_ok("verify", path)


def test_without_a_mesh_there_is_no_view(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", 100, "--steps", 3, "--mesh", "none")
    with h5py.File(path) as file:
        assert "VTKHDF" not in file and "mesh" not in file
    outcome = w.weft("view", path)
    assert outcome.code == 2 and len(outcome.error_lines) == 1 and "no mesh" in outcome.err


def test_of_an_unfinished_run_the_committed_steps_are_shown(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", 300, "--steps", 30, "--fields", "separate")
    with h5py.File(path, "r+") as file:  # as if the run had ended there
        slots = file["weft/commit"]
        slots[:] = np.where(slots[:] == w.IDLE_SLOT, slots[:], 17)
    report = w.weft_ok("view", path, "--json").json
    assert report["steps"] == 17 and report["left_out"] == []
    for times, grids in (read_vtkhdf(path), read_xdmf(Path(report["xdmf"]))):
        assert times == [float(s) for s in range(17)]
        assert len(grids) == 17
    for step, blocks in enumerate(read_vtkhdf(path)[1]):
        check_wave(blocks[""], step, 300)
    with h5py.File(path) as file:
        assert file["V"].shape == (30, 300), "what others see of the series is left as it was"
    w.run_ecg(path, "--nodes", 300, "--steps", 30, "--fields", "separate", "--append")
    assert len(read_vtkhdf(path)[0]) == 30


@pytest.mark.parametrize(("nodes", "runs"), [(216, 1), (230, 2)])
def test_xdmf_shows_the_same(tmp_path: Path, nodes: int, runs: int) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", nodes, "--steps", 5, "--fields", "separate")
    report = w.weft_ok("view", path, "--json").json
    times, grids = read_xdmf(Path(report["xdmf"]))
    assert times == [0.0, 1.0, 2.0, 3.0, 4.0]
    hdf = read_vtkhdf(path)[1]
    for step, blocks in enumerate(grids):
        assert len(blocks) == runs
        whole = hdf[step][""]
        for grid in blocks.values():
            assert np.array_equal(grid.points, whole.points)
            check_wave(grid, step, nodes)
        assert np.array_equal(np.concatenate([g.types for g in blocks.values()]), as_in_xdmf(whole.types))
        assert np.array_equal(np.concatenate([g.connectivity for g in blocks.values()]), whole.connectivity)


# XDMF has no lone vertex and no single line: a list of one point, or of two, is VTK's type next to it.
AS_IN_XDMF = {1: 2, 3: 4}


def as_in_xdmf(types: Any) -> Any:
    return np.array([AS_IN_XDMF.get(int(t), int(t)) for t in types])


def check_mesh_case(step: int, blocks: dict[str, Grid], xdmf: bool = False) -> None:
    main = next(grid for name, grid in blocks.items() if "nodes_of" not in name)
    part = next(grid for name, grid in blocks.items() if "nodes_of_listed" in name)
    assert np.array_equal(main.nodes["number"], expected((48,), step))
    assert np.array_equal(main.nodes["vector"], expected((48, 3), step).astype(np.float32))
    assert np.array_equal(main.nodes["left"], expected((48, 2), step)[:, 0])
    assert np.array_equal(main.nodes["right"], expected((48, 2), step)[:, 1])
    front = main.nodes["front"]
    assert np.array_equal(front[:10], expected((10,), step)) and np.isnan(front[10:]).all()
    corners = [[(c + i) % 48 for i in range(KINDS[c % 8][1])] for c in range(40)]
    kinds = np.array([KINDS[c % 8][0] for c in range(40)])
    assert np.array_equal(main.types, as_in_xdmf(kinds) if xdmf else kinds)
    assert list(main.connectivity) == [p for cell in corners for p in cell]
    assert np.array_equal(main.cells["on cells"], expected((40,), step).astype(np.int32))
    listed = list(range(5, 17))
    assert np.array_equal(part.nodes["listed"], expected((12,), step).astype(np.int64))
    assert np.array_equal(part.points, main.points[listed])
    inside = [c for c in range(40) if set(corners[c]) <= set(listed)]
    assert np.array_equal(part.types, as_in_xdmf(kinds[inside]) if xdmf else kinds[inside]) and len(inside) > 3
    assert list(part.connectivity) == [p - 5 for c in inside for p in corners[c]]


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_every_kind_of_field_on_mixed_cells(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "case.h5"
    write_case("mesh", path, ranks)
    times, grids = read_vtkhdf(path)
    assert times == [0.5 * s for s in range(STEPS)]
    for step, blocks in enumerate(grids):
        check_mesh_case(step, blocks)
    # VTK 9.7 reads the field data of a lone mesh and not those of blocks, so these are looked at in the file.
    with h5py.File(path) as file:
        for block in ("mesh", "nodes_of_listed"):
            data = file[f"VTKHDF/{block}/FieldData"]
            assert np.array_equal(data["energy"][:], 1000.0 * np.arange(STEPS))
            assert np.array_equal(data["budget"][:4], expected((4,), 0)) and data["budget"].shape == (4 * STEPS,)
    report = w.weft_ok("view", path, "--json").json  # made anew, it is the same
    for step, blocks in enumerate(read_vtkhdf(path)[1]):
        check_mesh_case(step, blocks)
    times, grids = read_xdmf(Path(report["xdmf"]))
    assert times == [0.5 * s for s in range(STEPS)]
    for step, blocks in enumerate(grids):
        check_mesh_case(step, blocks, xdmf=True)


def test_a_file_of_before_has_no_mesh_for_listed_nodes(tmp_path: Path) -> None:
    """Then it is copied out of the whole one."""
    path = tmp_path / "case.h5"
    write_case("mesh", path, 2)
    with h5py.File(path, "r+") as file:
        del file["weft/meshes"]
        arrays = file["weft"].attrs["fixed_arrays"]
        text = arrays.decode() if isinstance(arrays, bytes) else arrays
        kept = "".join(line for line in text.splitlines(True) if "/meshes/" not in line)
        assert len(kept) < len(text)
        file["weft"].attrs["fixed_arrays"] = kept
    w.weft_ok("view", path)
    with h5py.File(path) as file:
        assert "weft/view/listed/points" in file
    for step, blocks in enumerate(read_vtkhdf(path)[1]):
        check_mesh_case(step, blocks)
    assert w.weft_ok("verify", path, "--json").json["sound"]


def test_a_damaged_mesh_of_listed_nodes_is_found(tmp_path: Path) -> None:
    path = tmp_path / "case.h5"
    write_case("mesh", path, 2)
    with h5py.File(path, "r+") as file:
        file["weft/meshes/listed/connectivity"][0] = 12
    done = w.weft("verify", path)
    assert done.code == 1
    assert "/weft/meshes/listed/connectivity[0] is point 12 of 12" in done.out


def test_values_of_a_step_are_field_data(tmp_path: Path) -> None:
    path = tmp_path / "case.h5"
    write_case("globals", path, 2)
    times, grids = read_vtkhdf(path)
    assert times == [0.5 * s for s in range(STEPS)]
    for step, blocks in enumerate(grids):
        assert blocks[""].globals["energy"] == 1000.0 * step
        assert np.array_equal(blocks[""].globals["budget"], expected((4,), step))


@pytest.mark.parametrize(("name", "shape"), [("grid", (3, 4, 5)), ("flat-grid", (4, 5))])
@pytest.mark.parametrize("ranks", [1, 3])
def test_regular_grids_are_image_data(tmp_path: Path, name: str, shape: tuple[int, ...], ranks: int) -> None:
    path = tmp_path / "case.h5"
    write_case(name, path, ranks)
    report = w.weft_ok("view", path, "--json").json
    layers = shape[0] if len(shape) == 3 else 1
    for source, kind in ((read_vtkhdf(path), "vtkImageData"), (read_xdmf(Path(report["xdmf"])), None)):
        times, grids = source
        assert times == [0.5 * s for s in range(STEPS)]
        for step, blocks in enumerate(grids):
            grid = next(iter(blocks.values()))
            assert kind is None or grid.kind == kind
            assert np.array_equal(grid.nodes["number"].ravel(), expected(shape, step).astype(np.float32).ravel())
            assert np.array_equal(grid.nodes["vector"], expected((*shape, 3), step).reshape(-1, 3))
            assert np.array_equal(grid.nodes["number_max"].ravel(), expected(shape, STEPS - 1).ravel())
            assert np.array_equal(grid.nodes["number_first_crossing"].ravel(), crossing(shape), equal_nan=True)
            assert np.allclose(grid.points[0], [1, 2, 3]) and len(grid.points) == layers * 20
            assert np.allclose(grid.points[-1], [1 + 0.1 * 4, 2 + 0.2 * 3, 3 + 0.3 * (layers - 1)])


@pytest.mark.parametrize("steps", [1, 50, 2000])
def test_a_view_is_small(tmp_path: Path, steps: int) -> None:
    arguments = ["--nodes", 64, "--steps", steps, "--fields", "separate"]
    w.run_ecg(tmp_path / "with.h5", *arguments)
    w.run_ecg(tmp_path / "without.h5", *arguments, "--mesh", "none")
    with h5py.File(tmp_path / "with.h5") as file:
        mesh = sum(dataset.id.get_storage_size() for dataset in file["mesh"].values())
    added = (tmp_path / "with.h5").stat().st_size - (tmp_path / "without.h5").stat().st_size - mesh
    assert 0 < added <= 64 * 1024 + 8 * (7 + 2) * steps
    report = w.weft_ok("view", tmp_path / "with.h5", "--json").json
    assert report["bytes_added"] <= 64 * 1024 + 8 * (7 + 2) * steps
