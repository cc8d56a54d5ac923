"""Programs in C: the bytes of C++, and the example as its first lines say."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from pathlib import Path

import h5py
import numpy
import pytest

EXAMPLES = Path(os.environ["WEFT_EXAMPLES"])
BAR_IN_C = EXAMPLES.parent / "tests" / "weft_c_bar"
LAUNCH = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n"]


def run(ranks: int, *command: object) -> str:
    words = [*LAUNCH, str(ranks), *map(str, command)]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


def differing(one: Path, other: Path) -> set[int]:
    a, b = (numpy.frombuffer(path.read_bytes(), numpy.uint8) for path in (one, other))
    assert len(a) == len(b)
    return set(numpy.flatnonzero(a != b).tolist())


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_bytes_are_those_of_cpp(tmp_path: Path, ranks: int) -> None:
    cpp, later, in_c = (tmp_path / name for name in ("cpp.h5", "later.h5", "c.h5"))
    run(ranks, EXAMPLES / "example_write_series", cpp)
    time.sleep(1.1)
    run(ranks, EXAMPLES / "example_write_series", later)
    run(ranks, BAR_IN_C, in_c)
    # HDF5 notes in which second it made an object, and sums that up (in words of 4 bytes): nothing else differs between
    # two runs of C++.
    of_time = {byte + i for byte in differing(cpp, later) for i in range(-3, 4)}
    assert differing(cpp, in_c) <= of_time and len(of_time) < 4000


def test_a_rod_cools(tmp_path: Path) -> None:
    path = tmp_path / "heat.h5"
    assert run(3, EXAMPLES / "example_c_heat", path) == "the middle cools from 1.000 to 0.007\n"
    nodes = numpy.arange(1000)
    with h5py.File(path) as file:
        expected = numpy.exp(-0.1 * numpy.arange(50))[:, None] * numpy.sin(3.14159 * nodes / 999)
        assert numpy.allclose(file["T"][:], expected, rtol=0, atol=1e-12)
        assert file["T"].attrs["units"] in ("K", b"K")
