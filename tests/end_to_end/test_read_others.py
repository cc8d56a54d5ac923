"""`weft read` and `weft reduce` of files that Weft did not write, and of filtered Weft files, against h5py and numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from other_files import FILES, STEPS, ocean, openpmd, wave


def read(path: Path | str, *arguments: object) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    report = w.weft_ok("read", path, *arguments, "--json").json
    values = np.array(report["values"], dtype=object)
    return np.where(values == None, np.nan, values).astype(report["dtype"]), report


@pytest.mark.parametrize("kind", FILES)
def test_every_read_of_every_field(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"
    for name, values in FILES[kind](path).items():
        field = ["--field", name]
        places = values.shape[1:-1] if name in ("W", "Data") else values.shape[1:]
        place = tuple(size // 2 for size in places)
        number = int(np.ravel_multi_index(place, places))
        got, report = read(path, *field, "--trace", ",".join(map(str, place)))
        np.testing.assert_array_equal(got, values[(slice(None), *place)], err_msg=name)
        assert report["requests"]["app"]["reads"] > 0
        np.testing.assert_array_equal(read(path, *field, "--trace", number)[0], got, err_msg=name)
        for step in (0, len(values) - 1):
            np.testing.assert_array_equal(read(path, *field, "--snapshot", step)[0], values[step], err_msg=name)
        box = tuple(slice(size // 3, size // 3 + (size + 1) // 2) for size in values.shape)
        text = ",".join(f"{axis.start}:{axis.stop}" for axis in box)
        np.testing.assert_array_equal(read(path, *field, "--box", text)[0], values[box], err_msg=name)
        assert report["dtype"] == str(values.dtype), name


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("kind", FILES)
def test_reduce_of_every_field(tmp_path: Path, kind: str, ranks: int | None) -> None:
    path, out = tmp_path / "file.h5", tmp_path / "maps.h5"
    for name, values in FILES[kind](path).items():
        if name == "count":
            continue
        wanted = f"{name}:1" if name in ("W", "Data") else name
        of_one = values[..., 1] if name in ("W", "Data") else values
        command = ["reduce", path, "--field", wanted, "--quantity", "max,mean", "--out", out]
        w.weft_ok(*command, ranks=ranks)
        with h5py.File(out, "r") as file:  # values that are missing are passed over
            np.testing.assert_array_equal(file["max"][...], np.nanmax(of_one, axis=0), err_msg=name)
            np.testing.assert_allclose(file["mean"][...], np.nanmean(of_one.astype("f8"), axis=0), err_msg=name)


def test_times_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    ocean(path)
    report = w.weft_ok("read", path, "--field", "temp", "--trace", "0,0,0", "--json").json
    assert report["times"] == [6.0 * step for step in range(STEPS)] and report["units"] == "K"
    assert w.weft_ok("info", path, "--json").json["time"]["units"] == "hours since 1990-01-01"
    openpmd(path)
    times = w.weft_ok("read", path, "--field", "fields/E/x", "--trace", "0,0", "--json").json["times"]
    np.testing.assert_allclose(times, [0.009, 0.04, 0.1, 0.2])


def test_what_is_told_goes_before_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    values = wave(8, 50)
    with h5py.File(path, "w") as file:
        file["nodes_first"] = values
        file["when"] = np.arange(50.0) * 2
    got, report = read(f"{path}:nodes_first", "--axes", "node,time", "--time", "when", "--trace", 3)
    np.testing.assert_array_equal(got, values[3])
    assert report["times"][1] == 2.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--field", "temp", "--trace", "3,0,0"],
            "has no node 3,0,0; its nodes are a grid of 3x5x7, numbered 0 to 104",
        ),
        (["--field", "temp", "--trace", "105"], "has no node 105"),
        (["--field", "temp", "--trace", "1,2"], "has no node 1,2"),
        (["--field", "temp", "--trace", "one"], "is not a node"),
        (["--field", "wind", "--trace", "0"], "has no field 'wind'; its fields are: big, count, last, salt, temp"),
        (["--trace", "0"], "holds 5 fields"),
        (["--field", "temp", "--snapshot", "20"], "20 of 20 steps"),
    ],
)
def test_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    ocean(tmp_path / "file.h5")
    outcome = w.weft("read", tmp_path / "file.h5", *arguments)
    assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
    assert words in outcome.error_lines[0]


def test_a_file_without_steps(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file["points"] = np.zeros((5, 3))
    outcome = w.weft("read", tmp_path / "file.h5", "--trace", 0)
    assert outcome.code == 1 and "no dataset that is known to hold steps" in outcome.err
