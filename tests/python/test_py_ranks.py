"""Series written by ranks of mpi4py: the bytes of C++, whoever writes; errors that end all ranks."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from same_bytes import assert_bytes_of_cpp, assert_chunks_of_cpp

EXAMPLE = Path(os.environ["WEFT_EXAMPLES"]) / "example_write_series"
BAR = Path(__file__).parent / "bar.py"
LAUNCH = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n"]


def on_ranks(ranks: int, *command: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*LAUNCH, str(ranks), *map(str, command)], capture_output=True, text=True, timeout=120, check=False
    )


def python_on_ranks(ranks: int, program: str) -> subprocess.CompletedProcess[str]:
    return on_ranks(ranks, sys.executable, "-c", program)


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_the_bytes_are_those_of_cpp(tmp_path: Path, ranks: int) -> None:
    python = tmp_path / "other.h5"

    def write(path: Path, filters: str = "") -> None:
        outcome = on_ranks(ranks, sys.executable, BAR, path, filters, "--mpi")
        assert outcome.returncode == 0, outcome.stderr

    def write_cpp(path: Path, filters: str = "") -> None:
        assert on_ranks(ranks, EXAMPLE, path, filters).returncode == 0

    assert_bytes_of_cpp(tmp_path, write_cpp, write)
    with h5py.File(python) as file:
        assert file["heat"].shape == (50, 1000) and file["energy"][-1] == 49
    filters = "shuffle+deflate:1"
    assert_chunks_of_cpp(tmp_path, "heat", lambda path: write_cpp(path, filters), lambda path: write(path, filters))


def test_one_process_needs_no_mpi(tmp_path: Path) -> None:
    program = f"import sys; sys.modules['mpi4py'] = None; sys.path.insert(0, {str(BAR.parent)!r}); import bar; "
    program += f"bar.main({str(tmp_path / 'a.h5')!r}, '', False)"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)
    assert on_ranks(1, EXAMPLE, tmp_path / "cpp.h5").returncode == 0
    with h5py.File(tmp_path / "a.h5") as one, h5py.File(tmp_path / "cpp.h5") as other:
        np.testing.assert_array_equal(one["heat"][...], other["heat"][...])


@pytest.mark.parametrize("ranks", [2, 3])
def test_scattered_uneven_and_empty_ranks_append_on_others(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "a.h5"
    program = """
import sys, numpy as np, weft
from mpi4py import MPI
comm = MPI.COMM_WORLD
path, first, last, how = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
ids = np.random.default_rng(3).permutation(500)
if how == "scattered":
    mine = ids[comm.rank :: comm.size]
else:  # the last rank has nothing
    mine = np.array_split(np.arange(500), max(1, comm.size - 1))[comm.rank] if comm.rank < comm.size - 1 else ids[:0]
if first == 0:
    out = weft.create(path, {"V": weft.FieldSpec((500, 2), owned=mine, filters="shuffle+lzf")}, comm=comm)
else:
    out = weft.append(path, owned={"V": mine}, comm=comm)
with out:
    for step in range(first, last):
        out.step(float(step), V=np.stack((mine * 1.0 + step, mine * -1.0), axis=1))
"""
    for first, last, how in ((0, 20, "scattered"), (20, 45, "empty")):
        outcome = on_ranks(ranks, sys.executable, "-c", program, path, first, last, how)
        assert outcome.returncode == 0, outcome.stderr
    nodes = np.arange(500.0)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["V"][:, :, 0], nodes + np.arange(45.0)[:, None])
        np.testing.assert_array_equal(file["V"][:, :, 1], np.broadcast_to(-nodes, (45, 500)))


def test_ranks_without_a_communicator_are_refused(tmp_path: Path) -> None:
    outcome = python_on_ranks(2, f"import weft; weft.create({str(tmp_path / 'a.h5')!r}, {{'V': weft.FieldSpec(5)}})")
    assert outcome.returncode != 0 and "runs on 2 ranks" in outcome.stderr and "MPI.COMM_WORLD" in outcome.stderr
    assert not (tmp_path / "a.h5").exists()


# Each ends within the time-out of on_ranks(), or the test fails.
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("out.put('V', np.zeros(3))", "shape (250,), not (3,)"),
        ("raise RuntimeError('my own')", "my own"),
        ("sys.exit('enough')", "enough"),
        ("out.put('V', np.zeros(250)); out.end_step(-1.0)", "later"),
    ],
)
def test_one_rank_that_fails_ends_all(tmp_path: Path, wrong: str, words: str) -> None:
    path = tmp_path / "a.h5"
    program = f"""
import sys, numpy as np, weft
from mpi4py import MPI
comm = MPI.COMM_WORLD
with weft.create({str(path)!r}, {{"V": weft.FieldSpec(500)}}, comm=comm) as out:
    for step in range(10):
        if step == 5:
            out.flush()
            if comm.rank == 1:
                {wrong}
        out.step(float(step), V=np.full(250, float(step)))
"""
    outcome = python_on_ranks(2, program)
    assert outcome.returncode != 0 and words in outcome.stderr
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["V"][:5], np.arange(5.0)[:, None] * np.ones(500))


def test_an_error_of_all_ranks_can_be_caught_by_all(tmp_path: Path) -> None:
    program = f"""
import pathlib, weft
from mpi4py import MPI
comm = MPI.COMM_WORLD
folder = pathlib.Path({str(tmp_path)!r})
try:
    weft.create(folder / "absent" / "a.h5", {{"V": weft.FieldSpec(500)}}, comm=comm)
except OSError as error:
    (folder / f"caught.{{comm.rank}}").write_text(type(error).__name__)
"""
    outcome = python_on_ranks(2, program)
    assert outcome.returncode == 0, outcome.stderr
    assert {(tmp_path / f"caught.{rank}").read_text() for rank in range(2)} == {"FileNotFoundError"}


@pytest.mark.parametrize("launcher", ["mpiexec.mpich", "mpiexec.openmpi --oversubscribe"])
def test_a_launcher_of_another_mpi_is_refused(tmp_path: Path, launcher: str) -> None:
    if launcher.split()[0] == Path(LAUNCH[0]).name or shutil.which(launcher.split()[0]) is None:
        pytest.skip("not another MPI here")
    program = f"""
import os
from mpi4py import MPI
import weft
try:
    weft.create("{tmp_path}/a.h5", {{"V": weft.FieldSpec(3)}}, comm=MPI.COMM_WORLD)
except RuntimeError as error:
    print(error)
with weft.create(f"{tmp_path}/own{{os.getpid()}}.h5", {{"V": weft.FieldSpec(1)}}, comm=MPI.COMM_SELF) as out:
    pass
"""
    command = [*launcher.split(), "-n", "2", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.count("the launcher started 2 ranks, and mpi4py's MPI (") == 2, done.stdout + done.stderr
    assert not (tmp_path / "a.h5").exists()
