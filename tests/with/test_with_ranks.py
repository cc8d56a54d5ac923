"""`weft with` on programs of several ranks: paper 1's writer, with PETSc's vectors, and whatever h5py can do."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import h5py
import numpy as np
import programs as p
import pytest
import weft_run as w

OPEN_MPI_RUNS = os.environ.get("WEFT_MPI_FLAVOUR", "openmpi") == "openmpi"
SMALL = ["--nodes", 2011, "--steps", 53]


def expected(steps: int, nodes: int, variables: int) -> w.Values:
    step, node, variable = np.ogrid[:steps, :nodes, :variables]
    return (step * 7919 + node * 31 + variable * 17) % 65537 / 64.0 - 80.0


def check(path: Path, steps: int, nodes: int, variables: int = 2) -> None:
    with h5py.File(path) as file:
        assert np.array_equal(file["Data"][...], expected(steps, nodes, variables))
        assert np.array_equal(file["Data_Time"][...], np.arange(steps) * 0.5)


OPTIONS: dict[str, list[object]] = {
    "rows": ["--chunk", 1, 0, 0],
    "deep": ["--chunk", 10, 100, 2],
    "deeper-than-it-is-long": ["--chunk", 100, 2011, 2],
    "whole-rows": ["--chunk", 7, 0, 0],
    "striped": ["--chunk", 10, 100, 2, "--striped"],
    "independent": ["--chunk", 10, 100, 2, "--independent"],
    "deflate": ["--chunk", 10, 300, 2, "--deflate", 1],
    "fixed": ["--chunk", 10, 100, 1, "--fixed"],
    "flushed": ["--chunk", 10, 100, 2, "--flush-every", 17],
    "read-back": ["--chunk", 10, 100, 2, "--read-every", 6],
    "read-back-striped": ["--chunk", 10, 100, 2, "--read-every", 6, "--striped"],
    "three-variables": ["--chunk", 8, 100, 2, "--variables", 3, "--striped"],
}


# The first ones on all, the others on one of them in turn.
CASES = [(name, ranks) for name in ("deep", "striped") for ranks in (1, 2, 4)]
CASES += [(name, (2, 4)[at % 2]) for at, name in enumerate(sorted(set(OPTIONS) - {"deep", "striped"}))]


@pytest.mark.parametrize("name, ranks", CASES)
def test_a_writer_like_paper_1(tmp_path: Path, name: str, ranks: int) -> None:
    options = OPTIONS[name]
    path = tmp_path / "steps.h5"
    behind: list[object] = ["--write-behind", "--budget", "1MiB"] if ranks == 2 else ["--write-behind"]
    done = p.run(p.on_ranks(behind, ranks, [p.STEP_WRITER, path, *SMALL, *options]))
    check(path, 53, 2011, 3 if "--variables" in options else 2)
    gathered = {line.split(":")[1].strip() for line in p.said(done) if "gathered" in line}
    # Rows of chunks that are written quickly are left as they are.
    assert gathered >= {"/Data_Time"} if options[1] == 1 else gathered == {"/Data", "/Data_Time"}
    assert w.call(["h5dump", "-H", str(path)]).code == 0


@pytest.mark.parametrize("ranks", [3, 7])
def test_uneven_and_empty_ranks(tmp_path: Path, ranks: int) -> None:
    for nodes in (5, 211):
        path = tmp_path / f"{nodes}.h5"
        words = [p.STEP_WRITER, path, "--nodes", nodes, "--steps", 45, "--chunk", 10, 4, 2]
        p.run(p.on_ranks(["--layout", "reads", "--write-behind"], ranks, words))
        check(path, 45, nodes)


def test_it_is_laid_out_and_written_behind(tmp_path: Path) -> None:
    path = tmp_path / "steps.h5"
    more = ["--nodes", 20011, "--steps", 100, "--chunk", 1, 0, 0]
    report = tmp_path / "report.json"
    way = ["--layout", "reads", "--steps", 100, "--write-behind", "--json", report]
    done = p.run(p.on_ranks(way, 2, [p.STEP_WRITER, path, *more]))
    with h5py.File(path) as file:
        chunk = file["Data"].chunks
    assert chunk[0] > 10 and f"weft with: /Data: chunks of {chunk[0]}x{chunk[1]}x2 instead of 1x20011x2" in p.said(done)
    check(path, 100, 20011)
    data = next(d for d in json.loads(report.read_text())["datasets"] if d["path"] == "/Data")
    ranks = json.loads(report.read_text())["processes"]
    assert data["gathered_steps"] == ranks * 100
    # A whole chunk in one request, or several of them; where two ranks meet, each writes a run a step.
    requests = data["writes"]["snapshot"]["requests"]
    written = requests["write_bytes"]
    chunks = -(-100 // chunk[0]) * -(-20011 // chunk[1])
    assert requests["writes"] <= 4 * chunks + 2 * 100 + 10
    assert 0.98 < written / (100 * 20011 * 8 * ranks) < 1.3


@pytest.mark.parametrize("seed", range(4))
def test_any_operations(tmp_path: Path, seed: int) -> None:
    """As in test_with_programs.py, on ranks of an h5py with MPI."""
    if OPEN_MPI_RUNS and shutil.which("mpiexec.openmpi") and _h5py_has_mpi():
        for ranks in (1, 3):
            plain, behind = tmp_path / f"plain{ranks}.h5", tmp_path / f"behind{ranks}.h5"
            words = [p.DEBIAN_PYTHON, str(p.HERE / "operations.py")]
            p.run(w.on_ranks(ranks, [*words, str(plain), str(seed)]), extra={"WITH_MPI": "1"})
            way = ["--write-behind", "--budget", "400KiB"]
            p.run(p.on_ranks(way, ranks, [*words, behind, seed]), extra={"WITH_MPI": "1"})
            for rank in range(ranks):
                assert Path(f"{behind}.{rank}.said").read_text() == Path(f"{plain}.{rank}.said").read_text()
            p.same(plain, behind)
    else:
        pytest.skip("no h5py with this MPI")


def _h5py_has_mpi() -> bool:
    return os.path.isdir("/usr/lib/python3/dist-packages/h5py/_debian_h5py_mpi")


def test_petsc_viewer(tmp_path: Path) -> None:
    """PETSc's own viewer of HDF5, on 1 and 3 ranks."""
    if not OPEN_MPI_RUNS or shutil.which("pkg-config") is None or w.call(["pkg-config", "--exists", "PETSc"]).code != 0:
        pytest.skip("no PETSc with this MPI")
    program = tmp_path / "petsc_viewer"
    flags = w.call(["pkg-config", "--cflags", "--libs", "PETSc", "hdf5-openmpi"]).out.split()
    p.run(["mpicc.openmpi", p.HERE / "petsc_viewer.c", "-o", program, *flags])
    for ranks in (1, 3):
        plain, behind = tmp_path / f"plain{ranks}.h5", tmp_path / f"behind{ranks}.h5"
        p.run(w.on_ranks(ranks, [str(program), str(plain)]))
        for way in (["--watch"], ["--write-behind"], ["--layout", "reads", "--write-behind"]):
            behind.unlink(missing_ok=True)
            p.run(p.on_ranks(way, ranks, [program, behind]))
            p.same(plain, behind)


def steps_readable(path: Path) -> int:
    """The steps that a reader finds after the program died: none where the file does not open."""
    try:
        with h5py.File(path) as file:
            data = file["Data"][...]
    except (OSError, KeyError, RuntimeError):
        return 0
    right = (data == expected(len(data), data.shape[1], 2)).all(axis=(1, 2))
    return int(np.argmin(right)) if not right.all() else len(right)


@pytest.mark.parametrize("ranks", [1, 2])
@pytest.mark.parametrize("flush_every", [0, 6])
def test_killed_runs_are_no_worse(tmp_path: Path, ranks: int, flush_every: int) -> None:
    """What was flushed is there, with and without; a file that was never flushed opens in neither case."""
    for die_at in (0, 14, 25):
        found = {}
        for name, way in dict[str, list[object]](plain=[], behind=["--write-behind"]).items():
            path = tmp_path / f"{name}-{die_at}.h5"
            words = [p.STEP_WRITER, path, *SMALL, "--chunk", 10, 100, 2, "--flush-every", flush_every]
            words += ["--die-at", die_at]
            assert w.call([str(word) for word in p.on_ranks(way, ranks, words)]).code != 0
            found[name] = steps_readable(path)
        flushed = die_at // flush_every * flush_every if flush_every else 0
        assert found["behind"] >= flushed and found["plain"] >= flushed
