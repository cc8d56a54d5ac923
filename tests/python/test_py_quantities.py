"""Quantities that Python functions make while a series is written: on one process and on ranks, across windows."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import weft

STEPS, NODES = 40, 777
VALUES = np.random.default_rng(2).normal(size=(STEPS, NODES))
TIMES = np.cumsum(np.random.default_rng(3).uniform(0.5, 1.5, STEPS))


def longest(state: Any, values: Any, times: Any, first: int) -> None:
    """The longest time above 0, in one go."""
    for row in range(first, len(times)):
        span = times[row] - times[row - 1] if row > 0 else 0.0
        state[0] = np.where(values[row] > 0, state[0] + span, 0.0)
        state[1] = np.maximum(state[0], state[1])


def whole(values: Any) -> Any:
    state = np.zeros((2, values.shape[1]))
    longest(state, values, TIMES, 0)
    return state[1]


def square_sum(state: Any, values: Any, times: Any, first: int) -> Any:
    return state + (values[first:] ** 2).sum(axis=0)


LONGEST = weft.Quantity("longest", longest, start=(0, 0), result=lambda state: state[1], units="ms")
SQUARES = weft.Quantity("squares", square_sum)


@pytest.mark.parametrize("budget", [256 << 20, 1 << 17], ids=["one window", "many windows"])
def test_maps_are_those_of_the_whole(tmp_path: Path, budget: int) -> None:
    path = tmp_path / "a.h5"
    wanted: Any = {"V": ["max,mean", LONGEST, SQUARES], "E:1": SQUARES}
    fields = {"V": weft.FieldSpec(NODES), "E": weft.FieldSpec((NODES, 3))}
    with weft.create(path, fields, reduce=wanted, budget=budget, time_units="ms") as out:
        for time, values in zip(TIMES, VALUES, strict=True):
            out.step(time, V=values, E=np.stack((values, 2 * values, 3 * values), axis=1))
    with h5py.File(path) as file:
        maps = file["maps/V"]
        np.testing.assert_array_equal(maps["max"], VALUES.max(axis=0))
        np.testing.assert_allclose(maps["longest"], whole(VALUES), rtol=1e-12)
        np.testing.assert_allclose(maps["squares"], (VALUES**2).sum(axis=0))
        assert maps["longest"].attrs["units"] == "ms"
        np.testing.assert_allclose(file["maps/E_1/squares"], 4 * (VALUES**2).sum(axis=0))


PROGRAM = """
import sys; sys.path.insert(0, {here!r})
import numpy as np, weft, test_py_quantities as q
from mpi4py import MPI
comm = MPI.COMM_WORLD
mine = weft.even_share(q.NODES, comm.rank, comm.size)
def wrong(state, values, times, first):
    if comm.rank == comm.size - 1:
        raise RuntimeError("my own mistake")
quantity = weft.Quantity("wrong", wrong) if {fails} else q.LONGEST
with weft.create({path!r}, {{"V": weft.FieldSpec(q.NODES)}}, reduce={{"V": quantity}}, comm=comm, budget=1 << 17) as out:
    for time, values in zip(q.TIMES, q.VALUES):
        out.step(time, V=values[mine])
"""


def on_ranks(ranks: int, path: Path, fails: bool) -> subprocess.CompletedProcess[str]:
    program = PROGRAM.format(here=str(Path(__file__).parent), path=str(path), fails=fails)
    launch = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n", str(ranks)]
    return subprocess.run(
        [*launch, sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_on_ranks(tmp_path: Path, ranks: int) -> None:
    done = on_ranks(ranks, tmp_path / "a.h5", fails=False)
    assert done.returncode == 0, done.stderr
    with h5py.File(tmp_path / "a.h5") as file:
        np.testing.assert_allclose(file["maps/V/longest"], whole(VALUES), rtol=1e-12)


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_function_that_fails_ends_all_ranks(tmp_path: Path, ranks: int) -> None:
    done = on_ranks(ranks, tmp_path / "a.h5", fails=True)
    assert (
        done.returncode != 0
        and "quantity wrong: its function failed: RuntimeError: my own mistake (<string>:9)" in done.stderr
    )


def test_what_cannot_be_used_is_refused(tmp_path: Path) -> None:
    fields = {"V": weft.FieldSpec(NODES)}
    wrong: list[tuple[Any, str]] = [
        (weft.Quantity("a/b", square_sum), "name"),
        ([], "no quantity"),
        ([SQUARES, SQUARES], "squares"),
        ("walk", "walk"),
    ]
    for wanted, words in wrong:
        with pytest.raises(ValueError, match=words):
            weft.create(tmp_path / "a.h5", fields, reduce={"V": wanted})
    grown = weft.Quantity("grown", lambda state, *_: np.zeros((3, 3)))
    with (
        pytest.raises(ValueError, match="another shape"),
        weft.create(tmp_path / "a.h5", fields, reduce={"V": grown}) as out,
    ):
        out.step(0.0, V=VALUES[0])
