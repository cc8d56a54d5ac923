"""What a program does around a series: it changes its folder, forks, fails, pickles, and replaces files."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import xarray

import weft
from weft import xarray_engine

NODES, STEPS = 60, 9
VALUES = np.random.default_rng(5).normal(size=(STEPS, NODES))
FILTERED = weft.FieldSpec(NODES, filters="shuffle+deflate:1")


def write(path: Path, values: np.ndarray = VALUES, spec: weft.FieldSpec = FILTERED) -> None:
    with weft.create(path, {"V": spec}, attributes={"title": "a run"}) as out:
        for step, row in enumerate(values):
            out.step(float(step), V=row)


def test_a_reader_in_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "a.h5")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    write(elsewhere / "a.h5", VALUES[:4] + 1)
    monkeypatch.chdir(tmp_path)
    with weft.open("a.h5") as file, xarray.open_dataset("a.h5", engine="weft") as dataset:
        monkeypatch.chdir(elsewhere)
        np.testing.assert_array_equal(file["V"].trace(7), VALUES[:, 7])
        assert file.reload() == STEPS and file.path == "a.h5" and file.attrs["title"] == "a run"
        for one in (pickle.loads(pickle.dumps(file))["V"], pickle.loads(pickle.dumps(dataset["V"]))):
            np.testing.assert_array_equal(one[:], VALUES)


@pytest.mark.parametrize("kind", ["filtered", "foreign"])
def test_a_file_that_is_replaced_before_its_first_read(tmp_path: Path, kind: str) -> None:
    def make(path: Path, values: np.ndarray) -> None:
        if kind == "filtered":
            return write(path, values)
        with h5py.File(path, "w") as file:
            file.create_dataset("V", data=values, maxshape=(None, NODES), chunks=(3, NODES), compression=1)

    make(tmp_path / "a.h5", VALUES)
    with weft.open(tmp_path / "a.h5") as file:
        make(tmp_path / "b.h5", VALUES[:2])
        os.replace(tmp_path / "b.h5", tmp_path / "a.h5")
        with pytest.raises(weft.DataError, match="has been replaced by another file of its name; open it again"):
            file["V"].trace(7)
        with pytest.raises(weft.DataError, match="has been replaced"):
            file.attrs  # noqa: B018


def test_a_file_that_is_written_anew_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    for length in (STEPS, 2):
        with h5py.File(path, "w") as file:
            file.create_dataset("V", data=VALUES[:length], maxshape=(None, NODES), chunks=(3, NODES), compression=1)
        if length == STEPS:
            opened = weft.open(path)
    with pytest.raises(weft.DataError, match=r"/V is 2x60, and was 9x60 when the file was opened; open it again"):
        opened["V"].trace(7)


def test_an_array_of_xarray_keeps_its_length(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with weft.create(path, {"V": weft.FieldSpec(NODES)}) as out:
        for step in range(4):
            out.step(float(step), V=VALUES[step])
        out.flush()
        with xarray.open_dataset(path, engine="weft") as dataset:
            there = pickle.dumps(dataset["V"])
            for step in range(4, STEPS):
                out.step(float(step), V=VALUES[step])
            out.flush()
            assert dataset["V"][2:2][::-1].shape == (0, NODES)
            again = pickle.loads(there)
            assert again.shape == (4, NODES)
            for one in (again, dataset["V"]):
                np.testing.assert_array_equal(one[:], VALUES[:4])
                np.testing.assert_array_equal(one[::-1, -2:], VALUES[:4][::-1, -2:])
                np.testing.assert_array_equal(one[-1], VALUES[3])
    write(path, VALUES[:3])
    np.testing.assert_array_equal(pickle.loads(there)[:], VALUES[:4])  # this process has the old file open
    xarray_engine._opened.cache_clear()
    with pytest.raises(ValueError, match="open it again"):
        pickle.loads(there).load()


def test_a_forked_child_leaves_the_series_alone(tmp_path: Path) -> None:
    """It ends as a child does that was not meant to: by leaving the `with` it was forked in."""
    path = tmp_path / "a.h5"
    program = f"""
import os, sys, numpy as np, weft
with weft.create({str(path)!r}, {{"V": weft.FieldSpec(10)}}, sync="window") as out:
    for step in range(6):
        out.step(float(step), V=np.full(10, float(step)))
        if step == 3 and os.fork() == 0:
            try:
                out.step(9.0, V=np.zeros(10))
            except ValueError as error:
                print(error)
            sys.exit(7)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "is written by process" in ended.stdout and "is a child of it" in ended.stdout
    with weft.open(path) as file:
        np.testing.assert_array_equal(file["V"].trace(0), np.arange(6.0))


def test_an_error_that_is_kept_keeps_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with (
        pytest.raises(ValueError, match="a later time") as kept,
        weft.create(path, {"V": weft.FieldSpec(NODES)}) as out,
    ):
        out.step(1.0, V=VALUES[0])
        out.put("V", VALUES[1])
        out._writer.end_step(1.0)
    assert kept.tb is not None
    with weft.append(path) as more:
        assert more.next_step == 1


def test_a_series_that_nobody_closes_keeps_its_steps(tmp_path: Path) -> None:
    """With a quantity of one's own: it and the writer refer to each other."""
    path = tmp_path / "a.h5"
    program = f"""
import numpy as np, weft
squares = weft.Quantity("squares", lambda state, values, times, first: state + (values[first:] ** 2).sum(axis=0))
out = weft.create({str(path)!r}, {{"V": weft.FieldSpec(10)}}, reduce={{"V": squares}})
for step in range(5):
    out.step(float(step), V=np.full(10, float(step)))
squares.out = out
"""
    program = program.replace("squares.out = out\n", "cycle = [out]\ncycle.append(cycle)\ndel out\n")
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 0 and "Traceback" not in ended.stderr, ended.stderr
    with weft.open(path) as file:
        assert file.committed == 5


def test_a_refused_step_can_be_repeated(tmp_path: Path) -> None:
    fields = {"V": weft.FieldSpec(NODES), "W": weft.FieldSpec(NODES)}
    with weft.create(tmp_path / "a.h5", fields) as out:
        with pytest.raises(ValueError, match="has the shape"):
            out.step(0.0, V=VALUES[0], W=VALUES[0, 1:])
        out.step(0.0, V=VALUES[0], W=VALUES[1])
        with pytest.raises(ValueError, match="not later"):
            out.step(0.0, V=VALUES[0], W=VALUES[1])
        out.step(1.0, V=VALUES[2], W=VALUES[3])
    with weft.open(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(file["W"][:], VALUES[[1, 3]])


def test_rows_by_a_mask(tmp_path: Path) -> None:
    mask = np.arange(NODES) % 2 == 0
    spec = weft.FieldSpec(NODES, owned=np.ones(NODES, bool))
    write(tmp_path / "a.h5", VALUES, spec)
    with weft.open(tmp_path / "a.h5") as file:
        np.testing.assert_array_equal(file["V"][:], VALUES)
    refused: list[tuple[Any, type[Exception], str]] = [
        (mask[1:], ValueError, r"a mask has the shape \(60,\)"),
        (np.arange(60.0), TypeError, "holds whole numbers, not float64"),
        ([-1, 2], ValueError, "-1 to 2 are not within 0 to 59"),
    ]
    for owned, error, words in refused:
        with pytest.raises(error, match=words):
            weft.create(tmp_path / "b.h5", {"V": weft.FieldSpec(NODES, owned=owned)})
    with pytest.raises(TypeError, match="subset: holds whole numbers, not bool"):
        weft.create(tmp_path / "b.h5", {"V": weft.FieldSpec(30, subset=mask)})
    assert not (tmp_path / "b.h5").exists()


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"cells": [[0.5, 1, 2, 3]]}, TypeError, "cells: holds whole numbers, not float64"),
        ({"cells": [[0, 1, 2, 4]]}, ValueError, "cells: 0 to 4 are not within 0 to 3"),
        ({"types": 300}, ValueError, "types: 300 to 300 are not within 0 to 255"),
        ({"types": [10, 10]}, ValueError, "2 types for 1 cells"),
        ({"sizes": [4.0]}, TypeError, "sizes: holds whole numbers"),
    ],
)
def test_meshes_that_are_none(tmp_path: Path, change: dict, error: type[Exception], words: str) -> None:
    mesh = {"points": np.eye(4, 3), "cells": [[0, 1, 2, 3]], "types": 10, **change}
    with pytest.raises(error, match=words):
        weft.create(tmp_path / "a.h5", {"V": weft.FieldSpec(...)}, mesh=weft.Mesh(**mesh))


def test_numbers_of_numpy(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    fields = {"V": weft.FieldSpec(np.int64(300)), "g": weft.FieldSpec(3, support="global")}
    with weft.create(path, fields) as out:
        for step in range(5):
            out.step(float(step), V=np.arange(300.0) + step, g=np.array([1.0, 2.0, 3.0]) * step)
    with weft.open(path) as file:
        block = file["V"].block(np.uint8(200), np.uint8(100), np.int8(1), np.int8(3))
        np.testing.assert_array_equal(block, np.arange(200.0, 300.0) + np.arange(1, 4)[:, None])
        np.testing.assert_array_equal(file["g"].trace(0), np.outer(np.arange(5.0), [1, 2, 3]))


def test_the_calendar_of_the_times(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    units = "days since 2000-02-28"
    with weft.create(path, {"V": weft.FieldSpec(NODES)}, time_units=units, calendar="noleap") as out:
        for step in range(3):
            out.step(float(step), V=VALUES[step])
    with weft.open(path) as file:
        assert file.calendar == "noleap" and file.time_units == units
    for engine in ("weft", "h5netcdf"):
        coder = xarray.coders.CFDatetimeCoder(use_cftime=True)
        with xarray.open_dataset(path, engine=engine, decode_times=coder) as dataset:
            assert dataset["time"].values[1].isoformat() == "2000-03-01T00:00:00"


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"attributes": {"a": None}}, TypeError, "attribute a: None is neither a text, a number, nor a row of them"),
        ({"attributes": {"a": []}}, TypeError, r"attribute a: \[\] is neither"),
        ({"attributes": {"a": np.eye(2)}}, TypeError, "is neither"),
        ({"budget": -1}, ValueError, "budget: -1; give 0 or more"),
        ({"steps": -3}, ValueError, "steps: -3; give 0 or more"),
        ({"commit_steps": -1}, ValueError, "commit_steps: -1"),
    ],
)
def test_what_cannot_be_said(tmp_path: Path, options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        weft.create(tmp_path / "a.h5", {"V": weft.FieldSpec(NODES)}, **options)
    write(tmp_path / "a.h5")
    with pytest.raises(ValueError, match="from_step: -1; give 0 or more"):
        weft.append(tmp_path / "a.h5", from_step=-1)


def test_attributes_of_many_kinds(tmp_path: Path) -> None:
    said = {"b": b"bytes", "flag": True, "n": np.int16(3), "x": (1, 2.5), "row": np.arange(3), "names": ["a", "b"]}
    path: Any = os.fsencode(tmp_path / "a.h5")
    with weft.create(path, {"V": weft.FieldSpec(NODES, dtype=">f8")}, attributes=said) as out:
        out.step(0.0, V=VALUES[0].astype(">f8"))
    with weft.open(path) as file:
        got = file.attrs
        assert {name: got[name] for name in said} == {
            "b": "bytes", "flag": 1, "n": 3, "x": [1.0, 2.5], "row": [0, 1, 2], "names": ["a", "b"],
        }  # fmt: skip
        np.testing.assert_array_equal(file["V"].snapshot(0), VALUES[0])
