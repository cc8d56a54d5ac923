"""`weft run hard`: every strategy leaves the bytes of a serial writer in NumPy, on any number of ranks, as planned."""

from __future__ import annotations

from pathlib import Path

import h5py
import kernel_checks as k
import numpy as np
import pytest
import weft_run as w

STRATEGIES = ["files", "raw", "collective", "hdf5", "series"]
RECORDS, BYTES, PHASES = 23, 1912, 2  # a record is no multiple of a page
OPTIONS = ["--records", RECORDS, "--record", BYTES, "--phases", PHASES, "--transfer", 5000]


def records_of(rank: int, seed: int = 1) -> np.ndarray:
    """(records, words) of a rank: random words, of which the first is the record's number."""
    words = k.random_bits(seed, rank, np.arange(BYTES // 8, dtype=np.uint64))
    records = np.tile(words, (RECORDS, 1))
    records[:, 0] = np.arange(RECORDS)
    return records.view(np.int64)


def check_files(out: Path, strategy: str, ranks: int, seed: int = 1) -> None:
    values = np.stack([records_of(rank, seed) for rank in range(ranks)], axis=1)  # (records, ranks, words)
    if strategy == "files":
        k.check_same_files(
            out,
            {f"easy{p:04}_{r:06}.bin": values[:, r].tobytes() for p in range(PHASES) for r in range(ranks)},
        )
    elif strategy in ("raw", "collective"):
        k.check_same_files(out, {f"hard{p:04}.bin": values.tobytes() for p in range(PHASES)})
    else:
        assert {path.name for path in out.iterdir()} == {f"hard{p:04}.h5" for p in range(PHASES)}
        for path in out.iterdir():
            with h5py.File(path) as file:
                assert np.array_equal(file["record"][...], values)


@pytest.mark.parametrize("ranks", [None, 2, 3, 4, 7])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategy_on_any_ranks(tmp_path: Path, strategy: str, ranks: int | None) -> None:
    report = k.run("hard", tmp_path / "out", "--strategy", strategy, *OPTIONS, ranks=ranks)
    check_files(tmp_path / "out", strategy, ranks or 1)
    assert report["bytes"] == report["file_bytes"] == PHASES * (ranks or 1) * RECORDS * BYTES


def test_seed_sync_and_reads(tmp_path: Path) -> None:
    for strategy in STRATEGIES:
        out = tmp_path / strategy
        k.run("hard", out, "--strategy", strategy, *OPTIONS, "--seed", 5, "--sync", "--read", "trace=1", ranks=2)
        check_files(out, strategy, 2, seed=5)
    with h5py.File(tmp_path / "series" / "hard0000.h5") as file:
        assert file["record"].chunks[:2] == (RECORDS, 1), "a rank's records lie together"


@pytest.mark.parametrize("options", [["--sync"], []])
def test_a_synced_series_is_on_its_way_to_the_disk_before_its_end(tmp_path: Path, options: list[str]) -> None:
    k.needs_strace()
    strace = ["strace", "-f", "-qq", "-o", str(tmp_path / "log"), "-e", "trace=sync_file_range,fdatasync"]
    run = ["run", "hard", "--strategy", "series", "--records", "400", "--out", str(tmp_path / "out"), *options]
    outcome = w.call([*strace, w.WEFT, *run])
    assert outcome.code == 0, outcome
    log = (tmp_path / "log").read_text()
    assert log.count("sync_file_range(") > 10 if options else "sync" not in log, log


def test_the_pattern_of_io500() -> None:
    plan = k.plan_of("hard", "--strategy", "raw", "--records", 400_000, ranks=10_000)
    assert plan["write_sizes"] == {"47008": 4_000_000_000} and plan["files"] == 1
    easy = k.plan_of("hard", "--strategy", "files", "--records", 400_000, ranks=10_000)
    assert easy["bytes"] == plan["bytes"] == 47_008 * 4_000_000_000 and easy["files"] == 10_000
    assert easy["writes"] == 10_000 * -(-400_000 * 47_008 // (2 << 20))


def test_what_reaches_the_system(tmp_path: Path) -> None:
    k.needs_strace()
    for strategy in ("files", "raw"):
        out = tmp_path / strategy
        report, seen = k.traced_writes(
            tmp_path / f"{strategy}.log", out, "run", "hard", "--strategy", strategy, "--out", out, "--json", *OPTIONS
        )
        assert report["counters"]["syscall"]["write_sizes"] == seen == report["plan"]["write_sizes"]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_full_disk(tmp_path: Path, strategy: str) -> None:
    with k.small_disk(tmp_path / "disk", 2 << 20) as disk:
        outcome = w.weft("run", "hard", "--strategy", strategy, "--out", disk / "out", "--records", 2000, ranks=2)
        assert outcome.code == 1, outcome
        assert "No space left" in outcome.err or "no room" in outcome.err or "full" in outcome.err, outcome


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--record", 47009], ["--record 47009", "multiple of 8"]),
        (["--records", 0], ["--records 0"]),
        (["--transfer", 0], ["--transfer 0"]),
        (["--strategy", "easy"], ["--strategy 'easy'", "files, raw, collective, hdf5 or series"]),
        (["--strategy", "raw", "--align", "1MiB"], ["--align"]),
    ],
)
def test_refused(tmp_path: Path, arguments: list[object], words: list[str]) -> None:
    k.check_refused(w.weft("run", "hard", "--out", tmp_path / "out", *arguments), 2, *words)
    k.check_refused(w.weft("run", "hard", "--plan", "--ranks", 3, *arguments), 2, *words)
