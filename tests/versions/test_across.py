"""Files that one weft made and another goes on with: two builds on HDF5 of different versions, in both directions.

By hand: `make test-across OTHER="words that start the other weft"`. The other one has to see the same folders; one of
another Debian release is started through a script that enters its chroot. Where it is built without MPI it runs no
kernels, and what it would have to make first is left out.
"""

from __future__ import annotations

import functools
import os
import shlex
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

OTHER = shlex.split(os.environ.get("WEFT_OTHER", ""))
COMMANDS = {"this": [w.WEFT], "other": OTHER}
WAYS = [("this", "other"), ("other", "this")]
NODES, STEPS, MORE = 811, 37, 64

pytestmark = [
    pytest.mark.skipif(not OTHER, reason="WEFT_OTHER names no other weft"),
    pytest.mark.parametrize(("first", "second"), WAYS, ids=["this-other", "other-this"]),
]


def weft(which: str, *arguments: object, code: int = 0) -> w.Outcome:
    outcome = w.call([*COMMANDS[which], *map(str, arguments)])
    assert outcome.code == code, f"{which}: weft {' '.join(map(str, arguments))}: {outcome}"
    return outcome


@functools.cache
def has_kernels(which: str) -> bool:
    return "without MPI" not in weft(which, "--version").out


def run(which: str, path: Path, *arguments: object) -> None:
    if not has_kernels(which):
        pytest.skip(f"the {which} weft is built without MPI")
    weft(which, "run", "ecg", "--nodes", NODES, "--target", "4KiB", "--out", path, *arguments)


def check_sound(path: Path) -> None:
    for which in COMMANDS:
        assert weft(which, "verify", path, "--json").json["sound"]


def check_equal(one: Path, other: Path, *arguments: object) -> None:
    for which in COMMANDS:
        for pair in ([one, other], [other, one]):
            assert weft(which, "verify", *pair, "--json", *arguments).json["equal"]


def test_the_versions_differ(first: str, second: str) -> None:
    assert weft(first, "--version").out != weft(second, "--version").out


@pytest.mark.parametrize("how", [[], ["--reduce", "activation_time,peak"], ["--unknown-steps"]], ids=" ".join)
def test_both_write_the_same(tmp_path: Path, first: str, second: str, how: list[str]) -> None:
    """What Weft makes is in encodings of HDF5 1.10 whoever makes it, down to the length of the file."""
    one, other = tmp_path / "one.h5", tmp_path / "other.h5"
    run(first, one, "--steps", STEPS, *how)
    run(second, other, "--steps", STEPS, *how)
    check_equal(one, other)
    assert one.stat().st_size == other.stat().st_size


@pytest.mark.parametrize("from_step", [None, 20])
def test_appended(tmp_path: Path, first: str, second: str, from_step: int | None) -> None:
    path = tmp_path / "out.h5"
    run(first, path, "--steps", STEPS)
    back = [] if from_step is None else ["--from-step", from_step]
    run(second, path, "--steps", MORE, "--append", *back)
    w.check_file(path, NODES, MORE)
    run(first, path, "--steps", 2 * MORE, "--append")
    w.check_file(path, NODES, 2 * MORE)
    check_sound(path)


def test_viewed_recovered_and_summed(tmp_path: Path, first: str, second: str) -> None:
    path = tmp_path / "out.h5"
    run(first, path, "--steps", STEPS)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 30  # as a killed run leaves it
    weft(second, "view", path)
    weft(second, "recover", path)
    weft(second, "verify", path, "--add-checksums")
    w.check_file(path, NODES, 30)
    check_sound(path)
    with h5py.File(path) as file:
        assert file["VTKHDF/Steps"].attrs["NSteps"] == 30
    weft(first, "view", path)
    check_sound(path)


def test_repacked(tmp_path: Path, first: str, second: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    run(first, source, "--steps", STEPS, "--fields", "separate")
    weft(second, "repack", source, target, "--read", "trace", "--filter", "shuffle+deflate", "--checksums")
    check_equal(source, target)
    check_sound(target)
    weft(first, "repack", target, "--in-place", "--filter", "none", "--target", "16KiB")
    check_equal(source, target)
    check_sound(target)
    for which in COMMANDS:
        read = weft(which, "read", target, "--field", "V", "--trace", 123, "--csv").out
        values = np.array([float(line.split(",")[-1]) for line in read.splitlines() if line[:1].isdigit()])
        assert w.same_bits(values, np.ascontiguousarray(w.wave(NODES, STEPS)[0][:, 123]))


def everything(path: Path) -> None:
    """Types and objects that no run makes."""
    pair = np.dtype([("a", "i1"), ("b", "f8")])
    with h5py.File(path, "w") as file:
        file["Data"] = np.random.default_rng(1).normal(size=(31, 400, 2))
        file["time"] = np.arange(31.0)
        file["time"].make_scale("time")
        file["Data"].dims[0].attach_scale(file["time"])
        file["pairs"] = np.array([(1, 2.5), (3, 4.5)], pair)
        file["pair"] = pair
        file["switch"] = np.array([0, 1, 1], dtype=h5py.enum_dtype({"OFF": 0, "ON": 1}, basetype="i2"))
        lists: Any = file.create_dataset("lists", (3,), dtype=h5py.vlen_dtype("i4"))
        lists[0] = [1, 2, 3]
        places = file.create_dataset("places", (2,), dtype=h5py.ref_dtype)
        places[0], places[1] = file["time"].ref, file["Data"].ref
        file.create_dataset("regions", (1,), dtype=h5py.regionref_dtype)[0] = file["Data"].regionref[3:5, 0:7, 0]
        file["words"] = ["a", "bc", ""]
        file["soft"] = h5py.SoftLink("/Data")


def test_what_others_wrote(tmp_path: Path, first: str, second: str) -> None:
    paths = [tmp_path / "a.h5", tmp_path / "b.h5", tmp_path / "c.h5"]
    everything(paths[0])
    weft(first, "repack", *paths[:2], "--dataset", "Data", "--target", "8KiB")
    weft(second, "repack", *paths[1:], "--dataset", "Data", "--target", "16KiB")
    for path in paths[1:]:
        check_equal(paths[0], path)
        check_sound(path)
