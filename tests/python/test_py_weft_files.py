"""Weft's own files in Python: meshes, grids, cells, global values, compressed and appended series, running writers."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from weft._core import Requests

import weft
from weft import reading

STEPS = 14
# A strip of tetrahedra, one for each point but the last three.
POINTS = np.random.default_rng(1).normal(size=(40, 3))
CELLS = np.arange(37)[:, None] + np.arange(4)
GRID = (3, 5, 7)
RANDOM = np.random.default_rng(5)
original = reading.File


def on_mesh(path: Path, filters: str = "", **options: Any) -> dict[str, Any]:
    values: dict[str, Any] = {
        "V": RANDOM.normal(size=(STEPS, 40)),
        "u": RANDOM.normal(size=(STEPS, 40, 3)).astype(np.float32),
        "stress": RANDOM.normal(size=(STEPS, 37)),
        "energy": RANDOM.normal(size=STEPS),
    }
    fields = {
        "V": weft.FieldSpec(units="mV", filters=filters),
        "u": weft.FieldSpec((..., 3), dtype="float32", components="xyz", filters=filters),
        "stress": weft.FieldSpec(support="cells", units="Pa"),
        "energy": weft.FieldSpec((), support="global", units="J"),
    }
    mesh = weft.Mesh(POINTS, CELLS, 10)
    with weft.create(path, fields, mesh=mesh, time_units="ms", **options) as out:
        for step in range(STEPS):
            out.step(0.5 * step, **{name: of_steps[step] for name, of_steps in values.items()})
    return values


def on_grid(path: Path, **options: Any) -> dict[str, Any]:
    values = {"p": RANDOM.normal(size=(STEPS, *GRID)), "B": RANDOM.normal(size=(STEPS, *GRID, 3))}
    grid = weft.Grid(GRID, origin=(1.0, 2.0, 3.0), spacing=(0.1, 0.2, 0.3))
    fields = {"p": weft.FieldSpec(units="kPa"), "B": weft.FieldSpec((..., 3))}
    with weft.create(path, fields, grid=grid, time_units="s", **options) as out:
        for step in range(STEPS):
            out.step(0.5 * step, **{name: of_steps[step] for name, of_steps in values.items()})
    return values


def appended(path: Path) -> dict[str, Any]:
    values = on_mesh(path, steps=STEPS)
    more = {name: RANDOM.normal(size=of_steps.shape).astype(of_steps.dtype) for name, of_steps in values.items()}
    with weft.append(path) as out:
        for step in range(STEPS):
            out.step(100.0 + step, **{name: of_steps[step] for name, of_steps in more.items()})
    return {name: np.concatenate((of_steps, more[name])) for name, of_steps in values.items()}


MAKERS: dict[str, Any] = {
    "mesh": on_mesh,
    "mesh-known": lambda path: on_mesh(path, steps=STEPS),
    "mesh-ended-early": lambda path: on_mesh(path, steps=3 * STEPS),
    "mesh-deflate": lambda path: on_mesh(path, "shuffle+deflate:1"),
    "mesh-zstd": lambda path: on_mesh(path, "shuffle+zstd"),
    "grid": on_grid,
    "grid-known": lambda path: on_grid(path, steps=STEPS),
    "appended": appended,
}


@pytest.fixture(params=MAKERS)
def made(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    path = tmp_path / "a.h5"
    return path, MAKERS[request.param](path)


def test_every_read_of_every_field(made: tuple[Path, dict[str, Any]]) -> None:
    path, values = made
    with weft.open(path) as file:
        assert file.is_weft and list(file) == list(values)
        for name, expected in values.items():
            field = file[name]
            assert field.shape == expected.shape and field.dtype == expected.dtype
            np.testing.assert_array_equal(field[...], expected)
            np.testing.assert_array_equal(field.snapshot(-2), expected[-2])
            np.testing.assert_array_equal(np.array(list(field.sweep(3, 9))), expected[3:9])
            np.testing.assert_array_equal(field[::-4], expected[::-4])
            nodes = expected.reshape(
                len(expected), int(np.prod(field.places)), *expected.shape[1 + len(field.places) :]
            )
            chosen = [0, nodes.shape[1] - 1, nodes.shape[1] // 3]
            np.testing.assert_array_equal(field.trace(chosen[2]), nodes[:, chosen[2]])
            np.testing.assert_array_equal(field.traces(chosen), nodes[:, chosen].swapaxes(0, 1))


def test_what_stands_on_what(tmp_path: Path) -> None:
    on_mesh(tmp_path / "mesh.h5")
    with weft.open(tmp_path / "mesh.h5") as file:
        assert [file[name].support for name in file] == ["nodes", "nodes", "cells", "global"]
        assert [file[name].units for name in file] == ["mV", "", "Pa", "J"]
        assert file["u"].components == ("x", "y", "z") and file["energy"].places == ()
        np.testing.assert_array_equal(file.points, POINTS)
        np.testing.assert_array_equal(file.connectivity.reshape(-1, 4), CELLS)
        np.testing.assert_array_equal(np.diff(file.offsets), 4)
        assert set(file.cell_types) == {10}
    values = on_grid(tmp_path / "grid.h5")
    with weft.open(tmp_path / "grid.h5") as file:
        assert file["p"].places == GRID == file["B"].places
        np.testing.assert_array_equal(file["B"].trace((2, 0, -1)), values["B"][:, 2, 0, -1])
        np.testing.assert_array_equal(file["p"].block(1, 2, 4, 5), values["p"][4:9, 1:3])
        with pytest.raises(IndexError, match="no node at"):
            file["p"].trace((3, 0, 0))


def test_xarray_reads_its_fields_by_weft(made: tuple[Path, dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    path, values = made
    requests = Requests()
    monkeypatch.setattr(reading, "File", lambda path, options: original(path, options, requests))
    with xarray.open_dataset(path, engine="weft") as ours, xarray.open_dataset(path, engine="h5netcdf") as theirs:
        for name, expected in values.items():
            before = requests.reads
            np.testing.assert_array_equal(ours[name], expected)
            assert requests.reads > before, f"{name} was read by another"
            assert ours[name].encoding["preferred_chunks"] == theirs[name].encoding["preferred_chunks"]
        shared = ours.drop_vars(
            [name for name in "xyz" if name in ours and name not in theirs]
        )  # of the mesh, which is in a group
        xarray.testing.assert_identical(shared.load(), theirs.load())
        assert ours["time"].attrs["units"] in ("ms", "s")
    with netCDF4.Dataset(path) as file:
        for name, expected in values.items():
            np.testing.assert_array_equal(file[name][...], expected)


def test_dask_asks_for_each_chunk_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.h5"
    values = RANDOM.normal(size=(24, 300))
    field = weft.FieldSpec(300, layout="given", chunk=(6, 100), filters="deflate:1")
    with weft.create(path, {"V": field}) as out:
        for step in range(24):
            out.step(float(step), V=values[step])
    requests = Requests()
    monkeypatch.setattr(reading, "File", lambda path, options: original(path, options, requests))
    with xarray.open_dataset(path, engine="weft", chunks={}, budget=0) as data:
        assert data["V"].chunks == ((6,) * 4, (100,) * 3)
        mean = data["V"].mean("time")
        before = requests.reads
        np.testing.assert_allclose(mean.compute(scheduler="threads"), values.mean(axis=0))
        assert requests.reads - before == 12


def test_coordinates_of_grids(tmp_path: Path) -> None:
    on_grid(tmp_path / "a.h5")
    with xarray.open_dataset(tmp_path / "a.h5", engine="weft") as data:
        assert data["p"].dims == ("time", "z", "y", "x")
        np.testing.assert_allclose(data["x"], 1.0 + 0.1 * np.arange(7))
        np.testing.assert_allclose(data["z"], 3.0 + 0.3 * np.arange(3))
        assert float(data["p"].sel(x=1.21, y=2.0, z=3.3, method="nearest")[3]) == float(data["p"][3, 1, 0, 2])


def test_coordinates_of_meshes(tmp_path: Path) -> None:
    points = np.random.default_rng(3).normal(size=(12, 3))
    mesh = weft.Mesh(points, np.arange(12).reshape(3, 4), 10)
    fields = {"V": weft.FieldSpec(), "q": weft.FieldSpec(support="cells"), "few": weft.FieldSpec(3, subset=[0, 5, 7])}
    with weft.create(tmp_path / "a.h5", fields, mesh=mesh) as out:
        for step in range(4):
            out.step(float(step), V=points[:, 0] + step, q=np.zeros(3), few=np.zeros(3))
    with xarray.open_dataset(tmp_path / "a.h5", engine="weft") as data:
        assert data["V"].dims == ("time", "node") and set(data["V"].coords) == {"time", "x", "y", "z"}
        assert set(data["q"].coords) == {"time"}
        np.testing.assert_array_equal(data["z"], points[:, 2])
        right = data["V"].where(data["x"] > 0, drop=True)
        np.testing.assert_array_equal(right[2], points[points[:, 0] > 0, 0] + 2)
        again = pickle.loads(pickle.dumps(data))
        np.testing.assert_array_equal(again["y"][[3, 1]], points[[3, 1], 1])


# Steps that are not committed are no one's to see.
def test_a_running_series_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    program = f"""
import sys, numpy as np, weft
with weft.create({str(path)!r}, {{"V": weft.FieldSpec(50)}}, steps=40, commit_steps=4) as out:
    for step in range(40):
        out.step(float(step), V=np.full(50, float(step)))
        if step % 4 == 3:
            out.flush()
            print(step, flush=True)
            sys.stdin.readline()
"""
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdin is not None and writer.stdout is not None
        assert writer.stdout.readline() == "3\n"
        file = weft.open(path)
        assert file.committed == 4 and file.steps == 40 and file["V"].shape == (4, 50)
        with xarray.open_dataset(path, engine="weft") as data:
            assert data.sizes["time"] == 4
        seen = []
        for step in file.follow(timeout=20.0, poll=0.01):
            np.testing.assert_array_equal(file["V"].snapshot(step), step)
            seen.append(step)
            if step % 4 == 3 and step < 39:
                assert file.committed == step + 1
                writer.stdin.write("\n")
                writer.stdin.flush()
                writer.stdout.readline()
            if step == 39:
                break
        assert seen == list(range(40))
        writer.communicate("\n", timeout=20)
    assert writer.returncode == 0
    with h5py.File(path) as closed:
        np.testing.assert_array_equal(closed["V"][:, 0], np.arange(40.0))


def test_attributes_are_those_of_the_file(tmp_path: Path) -> None:
    given = {"solver": "cg", "steps": 7, "weights": np.array([0.5, 1.0]), "names": ["x", "y"], "few": np.int64(3)}
    spec = weft.FieldSpec(5, attributes={"sensor": "a", "gain": np.float32(0.5)})
    with weft.create(tmp_path / "run.h5", {"V": spec}, attributes=given) as out:
        out.step(0.0, V=np.zeros(5))
    with weft.open(tmp_path / "run.h5") as file, h5py.File(tmp_path / "run.h5") as seen:
        assert file.attrs == {"solver": "cg", "steps": 7, "weights": [0.5, 1.0], "names": ["x", "y"], "few": 3}
        assert file["V"].attrs["sensor"] == "a" and file["V"].attrs["gain"] == 0.5
        assert list(seen.attrs["names"]) == ["x", "y"] and seen.attrs["steps"] == 7
        assert not {"DIMENSION_LIST", "REFERENCE_LIST"} & file["V"].attrs.keys()


def test_a_file_that_h5py_is_writing_is_said_to_be(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HDF5_USE_FILE_LOCKING", "TRUE")
    with weft.create(tmp_path / "run.h5", {"V": weft.FieldSpec(5)}) as out:
        out.step(0.0, V=np.zeros(5))
    with h5py.File(tmp_path / "run.h5", "a"), pytest.raises(OSError, match="another program has it open for writing"):
        weft.open(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5"), weft.open(tmp_path / "run.h5") as file:
        assert file["V"].shape == (1, 5)
