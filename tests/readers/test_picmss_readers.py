"""The Tecplot files of `weft run picmss`, read by two packages of PyPI: tecio-python (all of a file) and tecio, which
fails on zones that share their elements with another, so of it files of one step. VTK shows the series."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

import kernel_checks as k
import numpy as np
import pytest
import weft_run as w
from vtk_readers import read_vtkhdf

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it misses Tecplot's own library, which it needs for other formats
    import tecio

HERE = Path(__file__).parent
OTHER_TECIO = Path(sys.prefix) / "tecio"
NAMES = ["U", "V", "W", "P", "T", "phi"]
GRID = (5, 3, 4)


def written(folder: Path, strategy: str, *arguments: object, ranks: int) -> Path:
    k.run("picmss", folder / "out", "--strategy", strategy, "--grid", "5x3x4", *arguments, ranks=ranks)
    [path] = (folder / "out").iterdir()
    return path


def values(variable: int, step: int) -> np.ndarray:
    return k.random_doubles(1, variable, step * 60, 60)


def corners() -> np.ndarray:
    """Where the corners of a brick are, seen from its first one; Tecplot goes around the lower face, then the upper."""
    around = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]])
    return around / (np.array(GRID) - 1)


@pytest.mark.parametrize(("strategy", "ranks"), [("reopen-elementwise", 3), ("typed", 8), ("typed-collective", 6)])
def test_tecio_python_reads_every_step(tmp_path: Path, strategy: str, ranks: int) -> None:
    file = tecio.open(str(written(tmp_path, strategy, "--steps", 3, ranks=ranks)))
    assert file.title == "Natural convection in a cube"
    assert file.variables == ["X", "Y", "Z", *NAMES] and file.num_zones == 3
    for step, zone in enumerate(file.zones):
        assert zone.zone_type.name == "FEBRICK" and zone.title == f"step {step:05}"
        assert zone.strand_id == 1 and zone.solution_time == float(step)
        for variable, name in enumerate(NAMES):
            assert w.same_bits(zone.get_array(name).ravel(), values(variable, step)), (name, step)
            assert zone.variables[name].shared_zone is None
        places = np.stack([zone.get_array(axis).ravel() for axis in "XYZ"], axis=-1)
        z, y, x = np.meshgrid(*[np.arange(n) / (n - 1) for n in reversed(GRID)], indexing="ij")
        assert np.array_equal(places, np.stack([x, y, z], axis=-1).reshape(-1, 3))
        bricks = np.asarray(zone.node_map).reshape(-1, 8)
        assert len(bricks) == 4 * 2 * 3 and len(np.unique(bricks[:, 0])) == len(bricks)
        assert np.allclose(places[bricks] - places[bricks[:, :1]], corners(), rtol=0, atol=1e-12)
        shared = None if step == 0 else 0
        assert zone.shared_connectivity == shared
        assert all(zone.variables[axis].shared_zone == shared for axis in "XYZ")


@pytest.mark.parametrize(("strategy", "ranks"), [("reopen-elementwise", 2), ("typed", 3), ("typed-collective", 8)])
def test_tecio_reads_one_step(tmp_path: Path, strategy: str, ranks: int) -> None:
    path = written(tmp_path, strategy, "--steps", 1, ranks=ranks)
    arrays = tmp_path / "arrays.npz"
    outcome = w.call([sys.executable, str(HERE / "read_with_tecio.py"), str(path), str(arrays)],
                     env={**os.environ, "PYTHONPATH": str(OTHER_TECIO)})  # fmt: skip
    assert outcome.code == 0, outcome
    file = dict(np.load(arrays))
    assert list(file["variables"]) == ["X", "Y", "Z", *NAMES] and list(file["times"]) == [0.0]
    for variable, name in enumerate(NAMES):
        expected = values(variable, 0)
        assert w.same_bits(file[f"0 {name}"].ravel(), expected)
        assert list(file[f"0 {name} range"]) == [expected.min(), expected.max()]
    assert list(file["0 Z range"]) == [0.0, 1.0]
    bricks = file["0 elements"].reshape(-1, 8)
    places = np.stack([file[f"0 {axis}"].ravel() for axis in "XYZ"], axis=-1)
    assert np.allclose(places[bricks] - places[bricks[:, :1]], corners(), rtol=0, atol=1e-12)


def test_vtk_shows_the_series(tmp_path: Path) -> None:
    times, grids = read_vtkhdf(written(tmp_path, "series", "--steps", 3, ranks=6))
    assert times == [0.0, 1.0, 2.0]
    for step, blocks in enumerate(grids):
        grid = blocks[""]
        assert grid.kind == "vtkImageData" and set(grid.nodes) == set(NAMES)
        points: Any = grid.points
        assert np.allclose(points.max(axis=0), 1.0) and np.allclose(points.min(axis=0), 0.0)
        for variable, name in enumerate(NAMES):
            assert np.array_equal(grid.nodes[name], values(variable, step))
