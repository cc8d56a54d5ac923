"""Programs in Fortran: the bytes of C++, with MPI's old and new modules; orders, numbers and errors; the example."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import h5py
import numpy
import pytest
from same_bytes import assert_bytes_of_cpp, assert_chunks_of_cpp

EXAMPLES = Path(os.environ["WEFT_EXAMPLES"])
PROGRAMS = EXAMPLES.parent / "tests"
LAUNCH = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n"]


def run(ranks: int, *command: object) -> str:
    words = [*LAUNCH, str(ranks), *map(str, command)]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_bytes_are_those_of_cpp(tmp_path: Path, ranks: int) -> None:
    assert_bytes_of_cpp(
        tmp_path,
        lambda path: run(ranks, EXAMPLES / "example_write_series", path),
        lambda path: run(ranks, PROGRAMS / "weft_fortran_bar", path),
    )


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("filters", ["shuffle+deflate:1", "shuffle+lzf"])
def test_the_compressed_chunks_are_those_of_cpp(tmp_path: Path, ranks: int, filters: str) -> None:
    assert_chunks_of_cpp(
        tmp_path,
        "heat",
        lambda path: run(ranks, EXAMPLES / "example_write_series", path, filters),
        lambda path: run(ranks, PROGRAMS / "weft_fortran_bar", path, filters),
    )


def test_orders_numbers_types_and_errors(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    done = subprocess.run(
        [PROGRAMS / "weft_fortran_orders", path], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout == "all as expected\n"
    # An error without stat= is one line, and the end.
    assert done.returncode == 1 and done.stderr.startswith(f"weft: error: {path}.none: cannot open: ")
    assert len(done.stderr.splitlines()) == 1
    with h5py.File(path) as file:  # v(3, 5) is (nodes, components) to everyone else
        assert file["v"].shape == (4, 5, 3) and file["v"][0, 1].tolist() == [104, 105, 106]


def test_a_rank_that_stops_ends_all(tmp_path: Path) -> None:
    command = [*LAUNCH, "2", str(EXAMPLES / "example_fortran_heat"), str(tmp_path / "none" / "a.h5")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "weft: error: " in done.stderr and "No such file or directory" in done.stderr


def test_a_rod_cools(tmp_path: Path) -> None:
    path = tmp_path / "heat.h5"
    assert run(3, EXAMPLES / "example_fortran_heat", path) == "the middle cools from 1.000 to 0.007\n"
    with h5py.File(path) as file:
        expected = numpy.exp(-0.1 * numpy.arange(50))[:, None] * numpy.sin(3.14159 * numpy.arange(1000) / 999)
        assert numpy.allclose(file["T"][:], expected, rtol=0, atol=1e-12)
