"""`weft run picmss`: every strategy leaves the Tecplot file of a serial writer in NumPy, byte for byte, whatever the ranks.

What others read in such a file is tests/readers/test_picmss_readers.py.
"""

from __future__ import annotations

import struct
import time
from pathlib import Path

import h5py
import kernel_checks as k
import numpy as np
import pytest
import weft_run as w

FILES = ["reopen-elementwise", "typed", "typed-collective"]
STRATEGIES = [*FILES, "series"]
NAMES = ["X", "Y", "Z", "U", "V", "W", "P", "T", "phi"]

Grid = tuple[int, int, int]


def values_of(grid: Grid, step: int, seed: int = 1) -> list[np.ndarray]:
    """The six variables of a step, counted over all files."""
    nodes = int(np.prod(grid))
    return [k.random_doubles(seed, v, step * nodes, nodes) for v in range(6)]


def coordinates_of(grid: Grid) -> list[np.ndarray]:
    nx, ny, nz = grid
    z, y, x = np.meshgrid(*[np.arange(n) / (n - 1) for n in (nz, ny, nx)], indexing="ij")
    return [x.ravel(), y.ravel(), z.ravel()]


def bricks_of(grid: Grid) -> np.ndarray:
    """Corners of all bricks, x fastest: around the lower face, then around the upper one."""
    nx, ny, nz = grid
    z, y, x = np.meshgrid(np.arange(nz - 1), np.arange(ny - 1), np.arange(nx - 1), indexing="ij")
    first = ((z * ny + y) * nx + x).reshape(-1, 1)
    return (first + np.array([0, 1, 1 + nx, nx, nx * ny, nx * ny + 1, nx * ny + 1 + nx, nx * ny + nx])).astype("<i4")


def text(words: str) -> bytes:
    return struct.pack(f"<{len(words) + 1}i", *words.encode(), 0)


def ranges(arrays: list[np.ndarray]) -> bytes:
    return b"".join(struct.pack("<2d", a.min(), a.max()) for a in arrays)


def file_of(grid: Grid, steps: int, phase: int = 0, seed: int = 1) -> bytes:
    """A whole file, as docs/kernels/picmss.md says it."""
    nodes, bricks = int(np.prod(grid)), int(np.prod([n - 1 for n in grid]))
    content = b"#!TDV112" + struct.pack("<2i", 1, 0) + text("Natural convection in a cube") + struct.pack("<i", 9)
    content += b"".join(text(name) for name in NAMES)
    assert len(content) == 8 + 52 * 4
    for step in range(phase * steps, (phase + 1) * steps):
        content += struct.pack("<f", 299.0) + text(f"step {step:05}") + struct.pack("<2i", -1, 0)
        content += struct.pack("<d", step) + struct.pack("<11i", -1, 5, 0, 0, 0, nodes, bricks, 0, 0, 0, 0)
    content += struct.pack("<f", 357.0)
    xyz = coordinates_of(grid)
    for step in range(steps):
        values = values_of(grid, phase * steps + step, seed)
        content += struct.pack("<f", 299.0) + struct.pack("<9i", *[2] * 9)
        if step == 0:
            content += struct.pack("<3i", 0, 0, -1) + ranges(xyz + values)
            content += b"".join(a.astype("<f8").tobytes() for a in xyz + values) + bricks_of(grid).tobytes()
        else:
            content += struct.pack("<12i", 0, 1, 0, 0, 0, -1, -1, -1, -1, -1, -1, 0) + ranges(values)
            content += b"".join(a.astype("<f8").tobytes() for a in values)
    return content


def check_series(path: Path, grid: Grid, steps: int, phase: int = 0) -> None:
    with h5py.File(path) as file:
        for step in range(steps):
            for name, values in zip(NAMES[3:], values_of(grid, phase * steps + step), strict=True):
                assert w.same_bits(file[name][step], values.reshape(grid[::-1])), (name, step)
        assert list(file["time"]) == list(range(phase * steps, (phase + 1) * steps))
        assert file["VTKHDF"].attrs["Type"] == b"ImageData"
        assert set(file["VTKHDF/PointData"]) == set(NAMES[3:])
        assert np.allclose(file["VTKHDF"].attrs["Spacing"], [1 / (n - 1) for n in grid])


# 12 lines: 8 ranks have 2 or 1, none of them whole planes; the ghosts of all reach over the ends.
GRID, STEPS = (5, 3, 4), 3
OPTIONS = ["--grid", "5x3x4", "--steps", STEPS]
EXPECTED = file_of(GRID, STEPS)


@pytest.mark.parametrize("ranks", [None, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_on_any_ranks(tmp_path: Path, strategy: str, ranks: int | None) -> None:
    out = tmp_path / "out"
    report = k.run("picmss", out, "--strategy", strategy, *OPTIONS, ranks=ranks)
    if strategy == "series":
        check_series(out / "picmss_0000.h5", GRID, STEPS)
        assert report["bytes"] == STEPS * 6 * 60 * 8
    else:
        k.check_same_files(out, {"picmss_0000.plt": EXPECTED})
        assert report["counters"]["mpi"] == report["counters"]["app"]
        assert report["bytes"] == report["file_bytes"] == len(EXPECTED)
    assert report["seconds"]["output"] > 0 and report["seconds"]["write"] > 0


@pytest.mark.parametrize(
    ("ranks", "grid", "steps", "more"),
    [
        (8, (2, 2, 2), 1, []),  # more ranks than lines; some have lines and no brick
        (6, (7, 2, 9), 2, ["--no-ghost"]),
        (3, (6, 11, 5), 1, ["--seed", 5]),  # blocks of more than a plane
        (2, (3, 2, 2), 2, ["--phases", 2, "--cb-nodes", 1, "--yardstick"]),
    ],
    ids=["few-lines", "no-ghosts", "planes", "phases"],
)
def test_other_grids(tmp_path: Path, ranks: int, grid: Grid, steps: int, more: list[object]) -> None:
    phases = 2 if "--phases" in more else 1
    seed = 5 if "--seed" in more else 1
    size = ["--grid", "x".join(map(str, grid)), "--steps", steps]
    for strategy in STRATEGIES:
        out = tmp_path / strategy
        report = k.run("picmss", out, "--strategy", strategy, *size, *more, ranks=ranks)
        assert report["phases"] == report["files"] == phases
        if strategy != "series":
            files = {f"picmss_{p:04}.plt": file_of(grid, steps, p, seed) for p in range(phases)}
            k.check_same_files(out, files)
        elif seed == 1:
            for p in range(phases):
                check_series(out / f"picmss_{p:04}.h5", grid, steps, p)


def test_what_a_series_asks_of_the_system(tmp_path: Path) -> None:
    k.needs_strace()
    out = tmp_path / "out"
    report, seen = k.traced_writes(tmp_path / "log", out, "run", "picmss", "--strategy", "series", "--out", out,
                                   "--json", *OPTIONS)  # fmt: skip
    assert report["counters"]["syscall"]["write_sizes"] == seen
    assert report["counters"]["syscall"]["opens"] == report["counters"]["syscall"]["closes"] == 1


def test_one_zone_takes_118_writes_and_later_ones_34() -> None:
    size = ["--grid", "256x256x256"]
    one = k.plan_of("picmss", *size, "--steps", 1, "--strategy", "reopen-elementwise", ranks=1)
    assert (one["first_header_writes"], one["step_header_writes"]) == (118, 34)
    data = 9 * 256**3 + 255**3
    assert one["writes"] == 118 + data and (one["opens"], one["seeks"], one["closes"]) == (1, 20, 1)
    ten = k.plan_of("picmss", *size, "--steps", 10, "--strategy", "reopen-elementwise", ranks=1)
    assert ten["first_header_writes"] == 118 + 9 * 26
    assert ten["writes"] == 118 + 9 * 26 + 9 * 34 + data + 9 * 6 * 256**3
    for strategy in ("typed", "typed-collective"):
        ten = k.plan_of("picmss", *size, "--steps", 10, "--strategy", strategy, ranks=1)
        assert (ten["first_header_writes"], ten["step_header_writes"]) == (6, 3)
        assert ten["writes"] == 6 + 9 * 3 + 10 + 9 * 6 and (ten["opens"], ten["seeks"]) == (1, 0)


def test_the_papers_plan() -> None:
    for strategy in STRATEGIES:
        plan = k.plan_of("picmss", "--grid", "256x256x256", "--steps", 10, "--strategy", strategy, ranks=3000)
        assert (plan["lines_min"], plan["lines_max"], plan["ranks_with_lines_max"]) == (21, 22, 2536)
        assert plan["held_lines_max"] == 22 + 2 * 256
        assert round(plan["first_step_bytes"] / 2**30, 2) == 1.62  # the paper's "GB"
        assert round(plan["step_bytes"] / 2**30, 2) == 0.75
        variables = 10 * 6 * 256**3 * 8
        headers = 416 + 10 * 108 + 9 * 184
        grid = 3 * 256**3 * 8 + 255**3 * 32
        assert plan["bytes"] == plan["file_bytes"] == variables + (0 if strategy == "series" else headers + grid)
        arrays = 63
        if strategy == "reopen-elementwise":
            assert plan["opens"] == plan["closes"] == 30000 and plan["seeks"] == 2 * 3000 * (arrays + 1)
        elif strategy == "series":
            assert plan["opens"] == plan["closes"] == 3000 and plan["mpi"]["writes"] == 0
            assert plan["write_sizes"] == {str(22 * 2048): 60 * 2536, str(21 * 2048): 60 * 464}
        else:
            assert plan["opens"] == plan["closes"] == 3000 and plan["seeks"] == 0
            assert plan["write_sizes"][str(22 * 2048)] == arrays * 2536
            assert plan["write_sizes"][str(21 * 2048)] == arrays * 464
            # Bricks: 3,000 writes together, or one for each rank that has some: 12 ranks have lines of the last plane alone.
            idle = sum(first >= 255 * 256 for first in first_lines(3000))
            assert plan["writes"] == 6 + 9 * 3 + arrays * 3000 + 3000 - (idle if strategy == "typed" else 0)
            assert plan["write_sizes"].get("0", 0) == (idle if strategy == "typed-collective" else 0)
        assert plan["per_rank"]["min_bytes"] > 0


def first_lines(ranks: int) -> list[int]:
    return [22 * r if r < 2536 else 22 * 2536 + 21 * (r - 2536) for r in range(ranks)]


def test_a_plan_of_many_ranks_takes_no_time() -> None:
    began = time.monotonic()
    plan = k.plan_of("picmss", "--grid", "1000x1000x1000", "--strategy", "typed", ranks=100_000)
    assert time.monotonic() - began < 5
    assert (plan["lines_min"], plan["lines_max"]) == (10, 10)
    said = w.weft_ok("run", "picmss", "--plan", "--ranks", 3000, "--grid", "256x256x256").out
    assert "65,536 lines of 256 nodes; 21 to 22 lines a rank" in said


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--grid", "1x5x5"], ["--grid 1x5x5", "no brick"]),
        (["--grid", "0x5x5"], ["--grid", "0x5x5"]),
        (["--grid", "5"], ["--grid 5", "x, y and z"]),
        (["--grid", "2048x2048x2048"], ["--grid 2048x2048x2048", "Tecplot"]),
        (["--grid", "99999999999999999999x2x2"], ["--grid", "64 bits"]),
        (["--steps", 0], ["--steps 0"]),
        (["--steps", -3], ["--steps"]),
        (["--steps", 100_001], ["--steps 100001", "100,000"]),
        (["--steps", 1000, "--phases", 101], ["101 phases"]),
        (["--steps", 2**63, "--phases", 2**63], ["100,000"]),
        (["--phases", 0], ["--phases 0"]),
        (["--strategy", "fast"], ["--strategy 'fast'", "typed"]),
        (["--align", "4KiB"], ["--align", "Tecplot"]),
        (["--ghost", "--no-ghost"], ["--ghost", "--no-ghost"]),
    ],
)
def test_what_cannot_be_gets_one_line(arguments: list[object], words: list[str]) -> None:
    k.check_refused(w.weft("run", "picmss", "--plan", "--ranks", 2, *arguments), 2, *words)


def test_refused_runs(tmp_path: Path) -> None:
    k.check_refused(w.weft("run", "picmss", *OPTIONS, ranks=2), 2, "--out")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("kept")
    k.check_refused(w.weft("run", "picmss", "--out", full, *OPTIONS, ranks=2), 2, str(full), "mine")
    assert [path.name for path in full.iterdir()] == ["mine"]
    k.check_refused(w.weft("run", "picmss", "--out", tmp_path / "out", "--grid", "2x2x1", ranks=2), 2, "2x2x1")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_full_disk(tmp_path: Path, strategy: str) -> None:
    # 1,000 nodes: 96 KB in the first step, 48 KB in the others.
    size = ["--grid", "10x10x10", "--steps", 4]
    for ranks in (1, 3):
        with k.small_disk(tmp_path / f"small{ranks}", 120 << 10) as disk:
            outcome = w.weft("run", "picmss", "--out", disk / "out", "--strategy", strategy, *size, ranks=ranks)
            k.check_refused(outcome, 1, str(disk / "out"))
