"""`weft run awp`: every strategy leaves the files of a serial writer in NumPy, whatever the ranks; the plan says what a run
does, the paper's 30,000 ranks too."""

from __future__ import annotations

import itertools
import time
from pathlib import Path
from typing import Any

import h5py
import kernel_checks as k
import numpy as np
import pytest
import weft_run as w

FILES = ["hindexed", "hindexed-rows", "subarray"]
STRATEGIES = [*FILES, "series"]


def values_of(
    grid: tuple[int, int, int], skip: int, variable: int, first_step: int, steps: int, seed: int = 1
) -> w.Values:
    """(steps, z, y, x) of one variable."""
    nx, ny, nz = (n // skip for n in grid)
    points = nx * ny * nz
    return k.random_floats(seed, variable, first_step * points, steps * points).reshape(steps, nz, ny, nx)


def files_of(
    grid: tuple[int, int, int], skip: int, variables: int, steps: int, sets: int, seed: int = 1
) -> dict[str, bytes]:
    """Every file, by name: what a serial writer would leave."""
    return {
        f"v{variable}_set{s:04}.bin": values_of(grid, skip, variable, s * steps, steps, seed).astype("<f4").tobytes()
        for variable, s in itertools.product(range(variables), range(sets))
    }


def check_series(out: Path, grid: tuple[int, int, int], skip: int, variables: int, steps: int, sets: int) -> None:
    assert {path.name for path in out.iterdir()} == {f"set{s:04}.h5" for s in range(sets)}
    for s in range(sets):
        with h5py.File(out / f"set{s:04}.h5") as file:
            for variable in range(variables):
                assert w.same_bits(file[f"v{variable}"][...], values_of(grid, skip, variable, s * steps, steps))
            assert list(file["time"]) == list(range(s * steps, (s + 1) * steps))
            assert file["VTKHDF"].attrs["Type"] == b"ImageData"
            assert set(file["VTKHDF/PointData"]) == {f"v{variable}" for variable in range(variables)}


# 11 x 8 x 7 points: no axis is even on 3 ranks, nor x on 2.
GRID, SKIP, VARIABLES, PER_FILE, SETS = (23, 17, 15), 2, 2, 3, 2
OPTIONS = ["--grid", "23x17x15", "--variables", VARIABLES, "--steps-per-file", PER_FILE, "--steps", PER_FILE * SETS]
EXPECTED = files_of(GRID, SKIP, VARIABLES, PER_FILE, SETS)


@pytest.mark.parametrize("ranks", [None, 2, 3, 4, 6, 8])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_on_any_ranks(tmp_path: Path, strategy: str, ranks: int | None) -> None:
    out = tmp_path / "out"
    report = k.run("awp", out, "--strategy", strategy, *OPTIONS, ranks=ranks)
    if strategy == "series":
        check_series(out, GRID, SKIP, VARIABLES, PER_FILE, SETS)
    else:
        k.check_same_files(out, EXPECTED)
        assert report["counters"]["mpi"] == report["counters"]["app"]
    assert report["bytes"] == report["file_bytes"] == sum(map(len, EXPECTED.values()))
    assert report["seconds"]["output"] > 0 and report["seconds"]["write"] > 0


@pytest.mark.parametrize(
    ("ranks", "arguments", "case"),
    [
        (6, ["--grid", "9x7x5", "--skip", 1, "--procs", "1x2x3"], ((9, 7, 5), 1, 3, 20, 1)),
        (6, ["--grid", "9x7x5", "--skip", 3, "--procs", "3x2x1"], ((9, 7, 5), 3, 3, 20, 1)),
        (8, ["--grid", "11x5x4", "--skip", 1, "--procs", "8x1x1", "--variables", 1], ((11, 5, 4), 1, 1, 20, 1)),
        (3, ["--grid", "3x1x1", "--skip", 1, "--steps-per-file", 1, "--phases", 2], ((3, 1, 1), 1, 3, 1, 2)),
    ],
    ids=["slabs", "as-many-as-points", "rows-cut", "tiny"],
)
def test_process_grids(tmp_path: Path, ranks: int, arguments: list[object], case: Any) -> None:
    for strategy in STRATEGIES:
        out = tmp_path / strategy
        k.run("awp", out, "--strategy", strategy, *arguments, ranks=ranks)
        if strategy == "series":
            check_series(out, *case)
        else:
            k.check_same_files(out, files_of(*case))


def test_seed_hints_and_yardstick(tmp_path: Path) -> None:
    hints = ["--cb-nodes", 1, "--hint", "romio_cb_write=enable", "--stripe-size", "1MiB", "--stripe-count", 2]
    for strategy in ("subarray", "series"):
        out = tmp_path / strategy
        report = k.run("awp", out, "--strategy", strategy, *OPTIONS, *hints, "--seed", 7, "--yardstick", ranks=2)
        assert report["seconds"]["raw"] > 0
    k.check_same_files(tmp_path / "subarray", files_of(GRID, SKIP, VARIABLES, PER_FILE, SETS, seed=7))
    with h5py.File(tmp_path / "series" / "set0001.h5") as file:
        assert w.same_bits(file["v1"][...], values_of(GRID, SKIP, 1, PER_FILE, PER_FILE, seed=7))


def test_an_aligned_series(tmp_path: Path) -> None:
    # 240 KB a step: what is smaller stays packed.
    large = ["--grid", "40x30x50", "--skip", 1, "--steps-per-file", 2]
    k.run("awp", tmp_path / "out", "--strategy", "series", *large, "--align", "64KiB", ranks=2)
    check_series(tmp_path / "out", (40, 30, 50), 1, 3, 2, 1)
    for variable in range(3):
        assert w.chunk_range(tmp_path / "out" / "set0000.h5", f"v{variable}")[0] % 65536 == 0


def test_what_a_series_asks_of_the_system(tmp_path: Path) -> None:
    k.needs_strace()
    out = tmp_path / "out"
    report, seen = k.traced_writes(tmp_path / "log", out, "run", "awp", "--strategy", "series", "--out", out, "--json",
                                   *OPTIONS)  # fmt: skip
    assert report["counters"]["syscall"]["write_sizes"] == seen
    assert report["counters"]["syscall"]["opens"] == report["counters"]["syscall"]["closes"] == SETS


def test_the_papers_plan() -> None:
    run = ["--grid", "10125x5000x1060", "--skip", 2, "--procs", "75x40x10", "--steps-per-file", 20, "--variables", 3]
    points = 5062 * 2500 * 530
    for strategy in STRATEGIES:
        plan = k.plan_of("awp", *run, "--strategy", strategy, ranks=30000)
        assert plan["io_grid"] == [5062, 2500, 530]
        assert (plan["block_min"], plan["block_max"]) == ([67, 62, 53], [68, 63, 53])
        assert plan["bytes"] == plan["set_bytes"] == plan["file_bytes"] == 3 * 20 * points * 4
        assert round(plan["bytes"] / 2**40, 2) == 1.46  # the paper's "TB"
        files, steps = (1, 20) if strategy == "series" else (3, 1)
        assert plan["files"] == files
        assert plan["opens"] == plan["closes"] == 30000 * files and plan["writes"] == 30000 * 3 * steps
        sizes = {68 * 63 * 53: 37 * 20, 67 * 63 * 53: 38 * 20, 68 * 62 * 53: 37 * 20, 67 * 62 * 53: 38 * 20}
        together = 20 // steps
        assert plan["write_sizes"] == {str(4 * together * n): 3 * steps * 10 * times for n, times in sizes.items()}
        assert plan["per_rank"] == {"min_bytes": 240 * 67 * 62 * 53, "max_bytes": 240 * 68 * 63 * 53}
        mapped = {"hindexed": 20 * 68 * 63 * 53, "hindexed-rows": 63 * 53}.get(strategy, 0)
        assert (plan["mapped_blocks"], plan["map_bytes"]) == (mapped, 12 * mapped)
        assert plan["mpi"]["writes"] == (0 if strategy == "series" else plan["writes"])
    ten = k.plan_of("awp", *run, "--steps", 200, ranks=30000)
    assert (ten["sets"], ten["files"], ten["bytes"]) == (10, 30, 10 * 3 * 20 * points * 4)


def test_a_plan_of_many_ranks_takes_no_time(tmp_path: Path) -> None:
    began = time.monotonic()
    plan = k.plan_of("awp", "--grid", "10125x5000x1060", ranks=100_000)
    assert time.monotonic() - began < 5
    assert np.prod(plan["processes"]) == 100_000
    said = w.weft_ok("run", "awp", "--plan", "--ranks", 30000, "--grid", "10125x5000x1060").out
    assert "5062x2500x530" in said and "in 3 files" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--grid", "0x5x5"], ["--grid", "0x5x5"]),
        (["--grid", "-1x5x5"], ["--grid", "-1x5x5"]),
        (["--grid", "5x5"], ["--grid 5x5", "x, y and z"]),
        (["--grid", "99999999999999999999x1x1"], ["--grid", "64 bits"]),
        (["--grid", "4294967296x4294967296x2"], ["--grid", "2^63"]),
        (["--grid", "3000000000x1x1", "--skip", 1], ["--grid", "MPI"]),
        (["--grid", "9x9x3", "--skip", 4], ["--skip 4", "no point"]),
        (["--skip", 0], ["--skip 0"]),
        (["--skip", -2], ["--skip"]),
        (["--variables", 0], ["--variables 0"]),
        (["--variables", 2**62], ["2^63"]),
        (["--variables", 2**64 - 1], ["2^63"]),
        (["--variables", 2**64], []),  # CLI11 takes it for the number above until 2.4, and refuses it from there on
        (["--steps-per-file", 0], ["--steps-per-file 0"]),
        (["--steps-per-file", 3000000000], ["--steps-per-file 3000000000", "MPI"]),
        (["--steps", 30], ["--steps 30", "20"]),
        (["--steps", 0], ["--steps 0"]),
        (["--steps", 40, "--phases", 3], ["--steps 40", "--phases says 3"]),
        (["--phases", 0], ["--phases 0"]),
        (["--procs", "3x1x1"], ["--procs 3x1x1", "not 2"]),
        (["--procs", "2x1"], ["--procs 2x1"]),
        (["--grid", "2x9x9", "--procs", "2x1x1"], ["--procs 2x1x1", "1x4x4"]),
        (["--grid", "2x2x2"], ["2 ranks", "1x1x1"]),
        (["--strategy", "fast"], ["--strategy 'fast'", "subarray"]),
        (["--align", "4KiB"], ["--align", "series"]),
        (["--grid", "2000x1500x1500", "--skip", 1], ["2 ranks", "more than MPI counts"]),
        (["--strategy", "hindexed", "--grid", "800x800x800", "--skip", 1], ["2 ranks", "more than MPI counts"]),
        (["--strategy", "series", "--hint", "striping_unit=big"], ["striping_unit=big"]),
    ],
)
def test_what_cannot_be_gets_one_line(tmp_path: Path, arguments: list[object], words: list[str]) -> None:
    out = tmp_path / "out"
    if "--hint" not in arguments:
        k.check_refused(w.weft("run", "awp", "--plan", "--ranks", 2, *arguments), 2, *words)
    else:
        k.check_refused(w.weft("run", "awp", "--out", out, *arguments, ranks=2), 2, *words)
        assert not list(out.iterdir())


def test_refused_runs(tmp_path: Path) -> None:
    k.check_refused(w.weft("run", "awp", *OPTIONS, ranks=2), 2, "--out")
    full = tmp_path / "full"
    full.mkdir()
    (full / "mine").write_text("kept")
    k.check_refused(w.weft("run", "awp", "--out", full, *OPTIONS, ranks=2), 2, str(full), "mine")
    assert [path.name for path in full.iterdir()] == ["mine"]
    k.check_refused(w.weft("run", "awp", "--out", full / "mine", *OPTIONS, ranks=2), 2, "is not a folder")
    out = tmp_path / "out"
    k.check_refused(w.weft("run", "awp", "--out", out, "--grid", "6x6x6", ranks=7), 2, "7 ranks", "3x3x3")
    k.check_refused(w.weft("run", "awp", "--out", out, "--ranks", 5, ranks=2), 2, "--ranks 5", "--plan")
    k.check_refused(w.weft("run", "awp", "--out", "/proc/sys/out", *OPTIONS, ranks=2), 1, "/proc/sys/out")
    assert not out.exists()


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_full_disk(tmp_path: Path, strategy: str) -> None:
    # 240 KB a file, 160 KB for three of them.
    big = ["--grid", "40x30x50", "--skip", 1, "--steps-per-file", 1]
    for ranks in (1, 3):
        with k.small_disk(tmp_path / f"small{ranks}", 160 << 10) as disk:
            outcome = w.weft("run", "awp", "--out", disk / "out", "--strategy", strategy, *big, ranks=ranks)
            k.check_refused(outcome, 1, str(disk / "out"))
