"""weft run mhm: the solution files hold the values that docs/kernels/mhm.md describes, byte for byte, whatever the
strategy, the ranks and the threads; what a run asks of its files is what its plan says and what strace sees; and with
--source solve, where the values are those of a flow, it asks exactly the same.

The values are made again here with NumPy alone, and the flow is put into its equations.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

C, S, K, SEED, PHASES = 2, 7, 3, 5, 2
PROBLEMS, VALUES = 4**C, (S + 1) * (S + 2) // 2
SMALL: list[object] = ["--ccross", C, "--sub-elements", S, "--dims", K, "--seed", SEED, "--phases", PHASES]

# Buffers of 8 values, and of 3 problems.
STRATEGIES: dict[str, list[object]] = {
    "files": [],
    "files-buffered": ["--buffer", 110],
    "shared": [],
    "shared-buffered": ["--buffer", 110],
    "shared-collective": ["--buffer", 3 * VALUES * 13],
    "shared-aligned": ["--align", 200],
    "series": [],
}


def bits(seed: int, stream: int, index: w.Values) -> w.Values:
    gamma = 0x9E3779B97F4A7C15

    def mixed(z: w.Values) -> w.Values:
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return z ^ (z >> np.uint64(31))

    start = mixed(np.array([(seed + gamma * (stream + 1)) % 2**64], dtype=np.uint64))
    return mixed(start + np.uint64(gamma) * (index.astype(np.uint64) + np.uint64(1)))


def expected_values(phase: int) -> w.Values:
    """(problem, point, dimension), as memory has them."""
    points = VALUES // K
    index = np.arange(PROBLEMS * points)
    dims = [(bits(SEED, phase * K + d, index) >> np.uint64(11)).astype(np.float64) * 2.0**-53 for d in range(K)]
    return np.stack(dims, axis=-1).reshape(PROBLEMS, points, K)


def text_of(values: w.Values) -> bytes:
    """A problem's file: one portion for each dimension."""
    return "".join(f"{value:12.5e}\n" for value in values.T.ravel()).encode()


def expected_files(phase: int) -> list[bytes]:
    return [text_of(values) for values in expected_values(phase)]


def run(out: Path, strategy: str, *arguments: object, ranks: int | None = None) -> Any:
    how = ["--strategy", strategy, *STRATEGIES[strategy]]
    return w.weft_ok("run", "mhm", "--out", out, *SMALL, *how, *arguments, "--json", ranks=ranks).json


def check_as_planned(report: Any) -> None:
    assert report["as_planned"]
    plan, counters = report["plan"], report["counters"]
    for key in ("opens", "closes", "seeks", "writes", "bytes", "write_sizes"):
        assert plan[key] == counters["app"][key], key
        assert plan["mpi"][key] == counters["mpi"][key], key
    assert plan["per_rank"] == report["per_rank"]


def solutions(out: Path, phase: int) -> list[bytes]:
    return [(out / f"problem_{p:05d}" / f"solution_{phase:04d}.txt").read_bytes() for p in range(PROBLEMS)]


def check_files(out: Path, strategy: str) -> None:
    """All that a strategy leaves, and nothing more."""
    for problem in range(PROBLEMS):
        names = {path.name for path in (out / f"problem_{problem:05d}").iterdir()} - {"solution_0000.txt"}
        extra = {"solution_0001.txt"} if strategy.startswith("files") else set()
        assert names == {"element.txt", "parameters.txt", "mesh.txt"} | extra
    for phase in range(PHASES):
        expected = expected_files(phase)
        if strategy.startswith("files"):
            assert solutions(out, phase) == expected
            continue
        shared = (out / f"solution_{phase:04d}.txt").read_bytes()
        if strategy != "shared-aligned":
            assert shared == b"".join(expected)
            continue
        region = -(-len(expected[0]) // 200) * 200
        assert shared == b"".join(text.ljust(region, b"\n") for text in expected)
        # What fills the regions is nothing to a reader of columns.
        assert np.loadtxt(out / f"solution_{phase:04d}.txt").shape == (PROBLEMS * VALUES,)


def check_series(out: Path) -> None:
    with h5py.File(out / "solution.h5") as file:
        got = file["solution"][...]
        assert got.shape == (PHASES, PROBLEMS * VALUES)
        for phase in range(PHASES):
            assert w.same_bits(got[phase], expected_values(phase).ravel())
        assert list(file["time"][...]) == [0.0, 1.0]
        view = file["VTKHDF"]
        points, corners = view["Points"][...], view["Connectivity"][...].reshape(-1, 3)
        assert points.shape == (PROBLEMS * VALUES, 3) and corners.shape == (PROBLEMS * S * S, 3)
        assert view["PointData/solution"].shape == (PHASES * PROBLEMS * VALUES,)
        # The triangles fill the unit square once.
        a, b, c = (points[corners[:, i], :2] for i in range(3))
        areas = ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
        assert np.allclose(areas, 1 / (PROBLEMS * S * S))


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 6, 8])
def test_every_strategy_leaves_the_same_bytes(tmp_path: Path, ranks: int) -> None:
    for number, strategy in enumerate(STRATEGIES):
        out = tmp_path / strategy
        how = ["--threads", 1 + (number + ranks) % 2, "--format", "stdio" if ranks % 2 else "fast"]
        report = run(out, strategy, *how, ranks=ranks)
        check_as_planned(report)
        if strategy == "series":
            check_series(out)
        else:
            check_files(out, strategy)
        seconds = report["seconds"]
        assert all(seconds[part] > 0 for part in ("output", "open", "write", "close"))


def test_more_ranks_than_problems(tmp_path: Path) -> None:
    for strategy in STRATEGIES:
        out = tmp_path / strategy
        few: list[object] = ["--ccross", 1, "--sub-elements", 1, "--strategy", strategy]
        report = w.weft_ok("run", "mhm", "--out", out, *few, "--json", ranks=6).json
        check_as_planned(report)
        assert report["per_rank"]["min_bytes"] == 0


def test_the_files_beside_the_solution(tmp_path: Path) -> None:
    out = tmp_path / "out"
    run(out, "files")
    assert sorted(path.name for path in out.iterdir()) == [f"problem_{p:05d}" for p in range(PROBLEMS)]
    corners = np.array([np.loadtxt(out / f"problem_{p:05d}" / "element.txt") for p in range(PROBLEMS)])
    assert corners.shape == (PROBLEMS, 3, 2)
    assert np.array_equal(corners[0], np.array([[0, 0], [0.5, 0], [0.25, 0.25]]))
    assert (out / "problem_00003" / "parameters.txt").read_text() == "problem 3\nccross 2\nsub_elements 7\ndims 3\n"
    assert (out / "problem_00003" / "mesh.txt").read_text() == "refinement 7\npoints 36\ntriangles 49\n"


@pytest.mark.parametrize(
    ("ccross", "sub_elements", "files", "mebibytes"),
    [(3, 64, 64, 1.7), (4, 1024, 256, 1668.9), (5, 512, 1024, 1673.8), (6, 64, 4096, 108.9), (7, 128, 16384, 1703.2),
     (8, 64, 65536, 1742.8), (9, 32, 262144, 1823.2)],
)  # fmt: skip
def test_totals_are_those_of_table_one(ccross: int, sub_elements: int, files: int, mebibytes: float) -> None:
    shape = ["--ccross", ccross, "--sub-elements", sub_elements]
    plan = w.weft_ok("run", "mhm", "--plan", "--ranks", 16, *shape, "--json").json
    assert plan["files"] == plan["opens"] == plan["closes"] == files
    assert plan["bytes"] / 2**20 == pytest.approx(mebibytes, abs=0.1)
    assert plan["write_sizes"] == {"13": plan["bytes"] // 13}


def test_a_plan_needs_no_ranks() -> None:
    for strategy, how in STRATEGIES.items():
        began = time.monotonic()
        large: list[object] = ["--ccross", 12, "--sub-elements", 64, "--strategy", strategy, *how]
        plan = w.weft_ok("run", "mhm", *large, "--plan", "--ranks", 100_000, "--json").json
        assert time.monotonic() - began < 5
        assert {"kernel", "strategy", "ranks", "files", "bytes", "opens", "closes", "seeks", "writes", "write_sizes",
                "per_rank"} <= plan.keys()  # fmt: skip
        assert plan["opens"] == plan["closes"] == (4**12 if strategy.startswith("files") else 100_000)
        assert sum(int(size) * times for size, times in plan["write_sizes"].items()) == plan["bytes"]
        assert plan["per_rank"]["max_bytes"] >= plan["bytes"] / 100_000 >= plan["per_rank"]["min_bytes"]


traced = pytest.mark.skipif(shutil.which("strace") is None, reason="no strace")
SYSTEM_CALLS = ["openat", "close", "write", "lseek", "pwrite64", "writev", "pwritev"]


def trace(log: Path, out: Path, *arguments: object, ranks: int | None = None) -> tuple[Any, Counter[tuple[str, ...]]]:
    """Runs mhm under strace; what it saw of the solution files: file, call, and bytes of a write, each with its
    number."""
    command = ["strace", "-f", "-y", "-o", str(log), "-e", f"trace={','.join(SYSTEM_CALLS)}"]
    command += [w.WEFT, "run", "mhm", "--out", str(out), *map(str, [*SMALL, *arguments]), "--json"]
    outcome = w.call(w.on_ranks(ranks, command))
    assert outcome.code == 0, outcome
    seen: Counter[tuple[str, ...]] = Counter()
    begun: dict[str, str] = {}
    for line in log.read_text(errors="replace").splitlines():
        thread, said = line.split(maxsplit=1)
        if said.endswith("<unfinished ...>"):  # another thread was faster
            begun[thread] = said.removesuffix(" <unfinished ...>")
            continue
        if resumed := re.match(r"<\.\.\. \w+ resumed>(.*)", said):
            said = begun.pop(thread) + resumed[1]
        file = re.search(re.escape(str(out)) + r"/((?:problem_\d+/)?solution[\w.]+)", said)
        match = re.match(r"(\w+)\(.*= (-?\d+)", said)
        if file and match:
            seen[(file[1], match[1], match[2] if "write" in match[1] else "")] += 1
    return outcome.json, seen


def check_system_calls(report: Any, seen: Counter[tuple[str, ...]]) -> None:
    system = report["counters"]["syscall"]
    by_name: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for (_, name, size), times in seen.items():
        by_name[name] += times
        if name == "write":
            sizes[size] += times
    expected = {"openat": system["opens"], "close": system["closes"], "write": system["writes"]}
    assert by_name == expected and system["seeks"] == 0
    assert sizes == system["write_sizes"]


@traced
@pytest.mark.parametrize("strategy", ["files", "files-buffered"])
def test_the_system_sees_what_is_counted_and_a_simulation_does_the_same(tmp_path: Path, strategy: str) -> None:
    how = ["--strategy", strategy, *STRATEGIES[strategy], "--threads", 2]
    kernel, seen = trace(tmp_path / "log", tmp_path / "kernel", *how)
    check_system_calls(kernel, seen)
    assert kernel["counters"]["syscall"]["opens"] == PHASES * PROBLEMS
    if strategy == "files-buffered":
        assert kernel["counters"]["syscall"]["write_sizes"] == kernel["counters"]["app"]["write_sizes"]
    # Side by side: the same files, opened, written and closed as often, with the same sizes.
    solved, seen_solved = trace(tmp_path / "log", tmp_path / "solved", *how, "--source", "solve")
    check_system_calls(solved, seen_solved)
    assert seen_solved == seen
    for level in ("app", "mpi", "syscall"):
        assert solved["counters"][level] == kernel["counters"][level]


@traced
def test_the_system_sees_the_writes_of_a_series(tmp_path: Path) -> None:
    report, seen = trace(tmp_path / "log", tmp_path / "out", "--strategy", "series")
    system = report["counters"]["syscall"]
    writes = {size: times for (_, name, size), times in seen.items() if name == "pwritev"}
    assert system["writes"] == sum(writes.values()) > 0
    assert system["write_sizes"] == {str(size): times for size, times in writes.items()}


def lattice() -> tuple[w.Values, w.Values]:
    """(i, j) of the points of a refined triangle, and its small triangles."""
    ij = np.array([(i, j) for j in range(S + 1) for i in range(S + 1 - j)])
    number = {(i, j): n for n, (i, j) in enumerate(map(tuple, ij))}
    corners = []
    for i, j in ij:
        if i + j < S:
            corners.append([number[i, j], number[i + 1, j], number[i, j + 1]])
        if i + j < S - 1:
            corners.append([number[i + 1, j + 1], number[i, j + 1], number[i + 1, j]])
    return ij, np.array(corners)


def permeability(at: w.Values) -> w.Values:
    x, y = 2 * np.pi / 0.08 * at.T
    return (2 + 1.8 * np.sin(x)) / (2 + 1.8 * np.cos(y)) + (2 + 1.8 * np.sin(y)) / (2 + 1.8 * np.sin(x))


def source(at: w.Values, phase: int) -> w.Values:
    turn = 2 * np.pi * phase / 40
    centre = 0.25 * np.array([np.cos(turn), np.sin(turn)])

    def well(middle: w.Values) -> w.Values:
        return np.exp(-((at - middle) ** 2).sum(axis=1) / (2 * 0.05**2)) / (2 * np.pi * 0.05**2)

    return well(0.5 + centre) - well(0.5 - centre)


def test_the_flow_that_is_solved_satisfies_its_equations(tmp_path: Path) -> None:
    """In every problem: linear on its sides, flow balanced at every point within; the same at shared corners, and zero
    around the square."""
    out = tmp_path / "out"
    run(out, "files", "--source", "solve")
    ij, triangles = lattice()
    inner = (ij > 0).all(axis=1) & (ij.sum(axis=1) < S)
    hats = np.stack([1 - ij.sum(axis=1) / S, ij[:, 0] / S, ij[:, 1] / S], axis=-1)
    for phase in range(PHASES):
        at_corners: dict[tuple[float, ...], list[float]] = {}
        largest = 0.0
        for problem, text in enumerate(solutions(out, phase)):
            portions = np.array(text.split(), dtype=np.float64).reshape(K, -1)
            pressure = portions.T.ravel()  # in the order of memory, which is the lattice's
            largest = max(largest, np.abs(pressure).max())
            corners = np.loadtxt(out / f"problem_{problem:05d}" / "element.txt")
            at = hats @ corners
            sides = np.roll(corners, 1, axis=0) - np.roll(corners, -1, axis=0)
            area = abs(np.linalg.det(corners[1:] - corners[0])) / 2
            k = permeability(at[triangles].mean(axis=1))
            flow = np.zeros(VALUES)
            np.add.at(flow, triangles, k[:, None] * (pressure[triangles] @ (sides @ sides.T / (4 * area))))
            np.add.at(flow, triangles, -source(at, phase)[triangles] * area / S**2 / 3)
            own = pressure[[np.flatnonzero(hats[:, c] == 1)[0] for c in range(3)]]
            assert np.abs(pressure - hats @ own)[~inner].max() < 2e-5 * np.abs(own).max() + 1e-12
            # Values have six digits.
            assert np.abs(flow[inner]).max() < 20 * k.max() * 1e-5 * np.abs(pressure).max()
            for corner, value in zip(corners, own, strict=True):
                at_corners.setdefault(tuple(corner), []).append(float(value))
        assert len(at_corners) == 13 and largest > 1e-3
        for (x, y), found in at_corners.items():
            assert len(set(found)) == 1
            assert found[0] == 0 or not (x in (0, 1) or y in (0, 1))


def test_a_flow_is_the_same_on_any_ranks_and_threads(tmp_path: Path) -> None:
    run(tmp_path / "one", "files", "--source", "solve")
    expected = [solutions(tmp_path / "one", phase) for phase in range(PHASES)]
    assert expected[0] != expected[1]
    for strategy, ranks in (("files", 3), ("shared-buffered", 4), ("shared-collective", 3)):
        out = tmp_path / strategy
        report = run(out, strategy, "--source", "solve", "--threads", 2, ranks=ranks)
        check_as_planned(report)
        for phase in range(PHASES):
            if strategy == "files":
                assert solutions(out, phase) == expected[phase]
            else:
                assert (out / f"solution_{phase:04d}.txt").read_bytes() == b"".join(expected[phase])


@contextmanager
def small_disk(folder: Path, limit: str) -> Iterator[Path]:
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", limit, "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("no right to mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


# Full in the middle of a solution; without room for another file; full before the first phase.
@pytest.mark.parametrize("limit", ["size=500k", "nr_inodes=66", "nr_inodes=20"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_full_disk_is_one_line(tmp_path: Path, limit: str, ranks: int | None) -> None:
    for strategy in STRATEGIES:
        if limit == "nr_inodes=20" and strategy != "files":
            continue  # nothing has begun that would differ
        with small_disk(tmp_path / "small", limit) as disk:
            big: list[object] = ["--ccross", 2, "--sub-elements", 64, "--strategy", strategy, "--threads", 2]
            outcome = w.weft("run", "mhm", "--out", disk / "out", *big, ranks=ranks, patience=30)
        assert outcome.code == 1, (strategy, outcome)
        [line] = outcome.error_lines
        assert str(tmp_path / "small" / "out") in line, line
        (tmp_path / "small").rmdir()


USAGE: list[tuple[list[str], str]] = [
    ([], "no folder is named to write into; add --out DIR"),
    (["--out", "FULL"], "is not empty (here is in it)"),
    (["--out", "OUT", "--dims", "2", "--sub-elements", "64"], "give one of 1, 3, 5, 11, 13, 15, 33, 39, .."),
    (["--out", "OUT", "--strategy", "alone"], "use files, files-buffered, shared, shared-buffered"),
    (["--out", "FULL/here"], "is not a folder"),
    (["--out", "OUT", "--ccross", "0"], "--ccross 0"),
    (["--out", "OUT", "--ccross", "-1"], "--ccross"),
    (["--out", "OUT", "--ccross", "40"], "--ccross 40"),
    (["--out", "OUT", "--ccross", "99999999999999999999"], "--ccross"),
    (["--out", "OUT", "--sub-elements", "0"], "--sub-elements 0"),
    (["--out", "OUT", "--sub-elements", "3000000000"], "2^63 bytes"),
    (["--out", "OUT", "--dims", "0"], "--dims 0"),
    (["--out", "OUT", "--threads", "0"], "--threads 0"),
    (["--out", "OUT", "--buffer", "12"], "--buffer 12"),
    (["--out", "OUT", "--buffer", "much"], "size 'much'"),
    (["--out", "OUT", "--strategy", "shared-collective", "--buffer", "3GiB"], "MPI call"),
    (["--out", "OUT", "--source", "oracle"], "--source 'oracle'"),
    (["--out", "OUT", "--source", "solve", "--sub-elements", "1024"], "too fine"),
    (["--out", "OUT", "--format", "binary"], "--format 'binary'"),
    (["--out", "OUT", "--phases", "0"], "--phases 0"),
    (["--out", "OUT", "--ranks", "7"], "goes with --plan"),
]


@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_is_refused(tmp_path: Path, ranks: int | None) -> None:
    full = tmp_path / "full"
    full.mkdir()
    (full / "here").touch()
    out = tmp_path / "out"
    # On ranks one after another takes long; what differs there is who tells, so a few are enough.
    for arguments, words in USAGE if ranks is None else USAGE[:4]:
        said = [a.replace("OUT", str(out)).replace("FULL", str(full)) for a in arguments]
        outcome = w.weft("run", "mhm", *said, ranks=ranks)
        assert outcome.code == 2, (arguments, outcome)
        [line] = outcome.error_lines
        assert words in line, line
        assert not out.exists()
