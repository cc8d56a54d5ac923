"""Programs in C: the bytes of C++, and the example as its first lines say."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from pathlib import Path

import h5py
import numpy
import pytest
from same_bytes import assert_bytes_of_cpp, assert_chunks_of_cpp

EXAMPLES = Path(os.environ["WEFT_EXAMPLES"])
BAR_IN_C = EXAMPLES.parent / "tests" / "weft_c_bar"
LAUNCH = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n"]


def run(ranks: int, *command: object) -> str:
    words = [*LAUNCH, str(ranks), *map(str, command)]
    return subprocess.run(words, check=True, capture_output=True, text=True, timeout=60).stdout


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_bytes_are_those_of_cpp(tmp_path: Path, ranks: int) -> None:
    assert_bytes_of_cpp(
        tmp_path,
        lambda path: run(ranks, EXAMPLES / "example_write_series", path),
        lambda path: run(ranks, BAR_IN_C, path),
    )


@pytest.mark.parametrize("ranks", [1, 2, 4])
@pytest.mark.parametrize("filters", ["shuffle+deflate:1", "shuffle+lzf"])
def test_the_compressed_chunks_are_those_of_cpp(tmp_path: Path, ranks: int, filters: str) -> None:
    assert_chunks_of_cpp(
        tmp_path,
        "heat",
        lambda path: run(ranks, EXAMPLES / "example_write_series", path, filters),
        lambda path: run(ranks, BAR_IN_C, path, filters),
    )


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_series_that_is_closed_when_mpi_has_ended(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "late.h5"
    said = run(ranks, EXAMPLES.parent / "tests" / "weft_c_windows", path, "late")
    assert said.count("call weft_close before MPI_Finalize") == ranks, said  # a launcher may join the ranks' lines
    with h5py.File(path) as file:  # what was committed before is whole
        values = file["v"][:]
    for step, row in enumerate(values):
        committed = step > 0 and row[0] == 1000 * step
        assert not committed or numpy.array_equal(row, 1000.0 * step + numpy.arange(211))


def test_a_rod_cools(tmp_path: Path) -> None:
    path = tmp_path / "heat.h5"
    assert run(3, EXAMPLES / "example_c_heat", path) == "the middle cools from 1.000 to 0.007\n"
    nodes = numpy.arange(1000)
    with h5py.File(path) as file:
        expected = numpy.exp(-0.1 * numpy.arange(50))[:, None] * numpy.sin(3.14159 * nodes / 999)
        assert numpy.allclose(file["T"][:], expected, rtol=0, atol=1e-12)
        assert file["T"].attrs["units"] in ("K", b"K")


def test_a_program_of_an_older_header(tmp_path: Path) -> None:
    """Compiled with weft.h as it was when it was frozen, it runs with the library of today."""
    assert_bytes_of_cpp(
        tmp_path,
        lambda path: run(2, EXAMPLES / "example_write_series", path),
        lambda path: run(2, EXAMPLES.parent / "tests" / "weft_c_bar_of_frozen", path),
    )


@pytest.mark.parametrize("ranks", [1, 2])
def test_netcdf_reads_it(tmp_path: Path, ranks: int) -> None:
    path, reader = tmp_path / "weather.h5", tmp_path / "reader"
    run(ranks, EXAMPLES / "example_c_like_netcdf", path)
    with h5py.File(path) as file:
        t2m = file["t2m"][:]
        assert t2m.shape == (48, 45, 60) and file["t2m"].compression == "gzip"
        assert numpy.array_equal(file["wind"][7, 3, :, 0], numpy.arange(60))
    if shutil.which("nc-config") is None:
        pytest.skip("no netCDF for C")
    flags = subprocess.run(["nc-config", "--cflags", "--libs"], check=True, capture_output=True, text=True)
    source = Path(__file__).parent / "read_netcdf.c"
    subprocess.run(["cc", source, "-o", reader, *shlex.split(flags.stdout)], check=True)
    seen = subprocess.run([reader, path], check=True, capture_output=True, text=True).stdout.split()
    assert [word.split("=")[1] for word in seen[:3]] == ["48", "45", "60"] and seen[3] == seen[2].split("=")[0]
    assert seen[4:7] == ["293.0", "K", "40"] and seen[7].startswith("h")


@pytest.mark.skipif(os.environ.get("WEFT_MPI_FLAVOUR") != "openmpi", reason="Debian's PETSc is Open MPI's")
@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_petsc_cools_a_plate(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "plate.h5"
    run(ranks, EXAMPLES / "example_c_petsc_heat", path)
    with h5py.File(path) as file:
        u, times = file["u"][:], file["time"][:]
        assert file["u"].attrs["units"] in ("K", b"K")
    assert u.shape == (21, 21, 31) and numpy.allclose(times, 0.5 * numpy.arange(21))
    x, y = numpy.arange(1, 32) / 32, numpy.arange(1, 22) / 22
    wave = numpy.sin(2 * numpy.pi * y)[:, None] * numpy.sin(numpy.pi * x)
    # The wave is one of the discrete operator's own: it decays, and keeps its shape.
    rate = 4 - 2 * numpy.cos(numpy.pi / 32) - 2 * numpy.cos(2 * numpy.pi / 22)
    assert numpy.allclose(u, numpy.exp(-rate * times)[:, None, None] * wave, rtol=0, atol=1e-6)
