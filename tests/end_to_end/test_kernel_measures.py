"""What the kernels say of single calls and of single ranks, reading back, and the plan of ecg."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import kernel_checks as k
import pytest
import weft_run as w

SMALL = {
    "awp": ["--grid", "24x20x16", "--steps-per-file", "4"],
    "blast": ["--tasks", "12"],
    "mhm": ["--ccross", "2"],
    "picmss": ["--grid", "12x12x12", "--steps", "2"],
}


def check_latency(latency: Any) -> None:
    """A histogram that adds up: every call in one bin, percentiles in order, bounds doubling."""
    bounds, counts = latency["bounds_seconds"], latency["counts"]
    assert sum(counts) == latency["calls"] > 0
    assert len(counts) in (len(bounds), len(bounds) + 1)
    assert all(after == pytest.approx(2 * before) for before, after in itertools.pairwise(bounds))
    assert 0 <= latency["p50_seconds"] <= latency["p99_seconds"] <= latency["max_seconds"]


@pytest.mark.parametrize("kernel", sorted(SMALL))
@pytest.mark.parametrize("ranks", [1, 3])
def test_calls_and_ranks(kernel: str, ranks: int, tmp_path: Path) -> None:
    out = tmp_path / "out"
    report = k.run(kernel, out, *SMALL[kernel], "--read-back", ranks=ranks)
    for latency in report["latency"].values():
        check_latency(latency)
    app, system = report["counters"]["app"], report["counters"]["syscall"]
    opens = system if system["opens"] else app
    assert report["latency"]["open"]["calls"] == opens["opens"]
    assert report["latency"]["write"]["calls"] == (system if system["opens"] else app)["writes"]
    for spread in report["seconds_per_rank"].values():
        assert 0 <= spread["min"] <= spread["median"] <= spread["max"]
    assert report["seconds_per_rank"]["output"]["max"] <= report["seconds"]["output"] * 1.001

    files = [path for path in out.rglob("*") if path.is_file()]
    back = report["read_back"]
    assert back["files"] == len(files)
    assert back["bytes"] == sum(path.stat().st_size for path in files)
    assert back["latency"]["read"]["calls"] == back["reads"] >= 1
    check_latency(back["latency"]["read"])


@pytest.mark.parametrize("kernel", ["awp", "picmss"])
def test_a_series_tells_puts_from_steps(kernel: str, tmp_path: Path) -> None:
    report = k.run(kernel, tmp_path / "out", *SMALL[kernel], "--strategy", "series", ranks=2)
    assert report["latency"]["write"]["calls"] == report["counters"]["app"]["writes"]
    assert {"open", "write", "end_step", "close"} == report["latency"].keys()


@pytest.mark.parametrize("ownership", ["blocks", "uneven", "scatter"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_ecg_does_what_its_plan_says(ownership: str, ranks: int, tmp_path: Path) -> None:
    arguments = ["--nodes", 1013, "--steps", 9, "--ownership", ownership]
    plan = k.plan_of("ecg", *arguments, ranks=ranks)
    out = tmp_path / "heart.h5"
    report = w.weft_ok("run", "ecg", *arguments, "--out", out, "--read-back", "--json", ranks=ranks).json
    assert report["plan"] == plan
    assert report["as_planned"] is True
    assert report["per_rank"] == plan["per_rank"]
    assert report["chunk"] == plan["fields"][0]["chunk"]
    assert plan["bytes"] == plan["file_bytes"] == 1013 * 9 * 2 * 8
    assert report["latency"]["end_step"]["calls"] == 9 * ranks
    assert report["read_back"]["bytes"] == out.stat().st_size


def test_a_plan_of_ecg_writes_nothing(tmp_path: Path) -> None:
    told = w.weft_ok("run", "ecg", "--plan", "--ranks", 100_000, "--nodes", 10_000_000, "--out", tmp_path / "a.h5")
    assert "100,000 ranks" in told.out
    assert "chunks of" in told.out
    assert not list(tmp_path.iterdir())


def test_a_plan_of_a_replay_has_the_recording_in_it(tmp_path: Path) -> None:
    recording = tmp_path / "a.h5"
    w.weft_ok("run", "ecg", "--nodes", 500, "--steps", 5, "--fields", "separate", "--out", recording)
    plan = k.plan_of("ecg", "--source", "replay", "--from", f"{recording}:V", ranks=2)
    assert (plan["nodes"], plan["steps"]) == (500, 5)
    assert [field["name"] for field in plan["fields"]] == ["V"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--plan", "--source", "solve"], "cannot be planned: its nodes are known when the mesh is made"),
        (["--plan", "--append"], "depends on its file"),
        (["--plan", "--nodes", "0"], "without nodes"),
        (["--ranks", "3"], "goes with --plan"),
    ],
)
def test_what_cannot_be_planned_is_a_line(arguments: list[str], words: str, tmp_path: Path) -> None:
    told = w.weft("run", "ecg", "--out", tmp_path / "a.h5", *arguments)
    assert told.code != 0
    assert words in told.err
    assert len(told.err.strip().splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_a_run_names_its_file() -> None:
    told = w.weft("run", "ecg", "--nodes", 10)
    assert told.code != 0
    assert "no output file is named; add --out FILE" in told.error_lines[0]
