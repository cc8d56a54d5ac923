"""What kernels report beside their seconds: how long single calls took, how ranks differed, and reading back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from campaign_run import REPO, weft

CAMPAIGN = """\
title = "Calls"
question = "Which?"
[run]
kernel = "mhm"
[matrix]
ranks = [2, 4]
[[matrix.way]]
name = "files"
label = "a file each"
[[matrix.way]]
name = "one"
[report]
compare = "way"
"""


def latency(calls: int, p50: float, p99: float, most: float) -> dict[str, Any]:
    return {"calls": calls, "bounds_seconds": [p50, p99], "counts": [calls // 2, calls - calls // 2, 0],
            "p50_seconds": p50, "p99_seconds": p99, "max_seconds": most}  # fmt: skip


def kernels_report(repeat: int, slower: float = 1.0) -> dict[str, Any]:
    """As kernels print it; every repeat takes a little longer."""
    times = slower * (1 + 0.1 * repeat)
    return {
        "seconds": {"output": times},
        "latency": {"write": latency(4000, 0.001 * times, 0.016 * times, 0.25 * times),
                    "close": latency(2, 0.002 * times, 0.004 * times, 0.004 * times)},
        "seconds_per_rank": {"output": {"min": 0.5 * times, "median": 0.8 * times, "max": times},
                             "write": {"min": 0.1, "median": 0.2, "max": 0.2}},
        "read_back": {"files": 64, "bytes": 2_000_000, "reads": 128, "seconds": 0.01 * times, "cold": True,
                      "latency": {"read": latency(128, 0.001, 0.002, 0.003 * times)}},
    }  # fmt: skip


def folder_of(tmp_path: Path, reports: Mapping[tuple[int, str], list[dict[str, Any]]]) -> Path:
    results = tmp_path / "results"
    results.mkdir()
    (results / "campaign.toml").write_text(CAMPAIGN)
    session = {"record": "session", "format": 2, "session": 1, "began": "now", "machine": {"cores": 2},
               "campaign": {"experiments": 6, "order": "all", "seed": 1, "pause": 0, "cache": "warm", "scale": 1.0,
                            "runs": "weft run mhm", "options": ""}}  # fmt: skip
    lines: list[dict[str, Any]] = [session]
    for (ranks, way), told in reports.items():
        choice = {"ranks": str(ranks), "way": way, "folder": "work"}
        for repeat, report in enumerate(told, 1):
            lines.append({"record": "result", "session": 1, "key": f"{choice} #{repeat}", "choice": choice,
                          "labels": choice | {"way": {"files": "a file each"}.get(way, way)}, "repeat": repeat,
                          "settings": {"ranks": ranks}, "began": "now", "status": "ok", "report": report})  # fmt: skip
    (results / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return results


def report_of(results: Path) -> tuple[str, str]:
    """As Markdown and as HTML."""
    done = weft("report", results)
    assert done.code == 0, done
    return (results / "report" / "report.md").read_text(), (results / "report" / "report.html").read_text()


def section(text: str, heading: str) -> str:
    assert f"\n## {heading}\n" in text
    return text.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


def test_all_of_it(tmp_path: Path) -> None:
    both = {
        (2, "files"): [kernels_report(n) for n in (1, 2, 3)],
        (2, "one"): [kernels_report(n, 2.0) for n in (1, 2, 3)],
    }
    text, page = report_of(folder_of(tmp_path, both))
    calls = section(text, "Single calls")
    assert "| way | call | calls | half within (ms) | 99 % within (ms) | the longest (ms) |" in calls
    assert "| a file each | write | 4,000 | 1.20 | 19.2 | 325 |" in calls, (
        "medians of the repeats, and the longest of all"
    )
    assert "| a file each | close | 2 | 2.40 |   | 5.20 |" in calls, "two calls have no 99 %"
    assert "| one | write | 4,000 | 2.40 | 38.4 | 650 |" in calls
    ranks = section(text, "Ranks")
    assert "| way | seconds of | least | median | most | most / median |" in ranks
    assert "| a file each | output | 0.600 | 0.960 | 1.20 | 1.25 |" in ranks
    assert "| one | write | 0.100 | 0.200 | 0.200 | 1.00 |" in ranks
    back = section(text, "Reading back")
    assert (
        "| way | files | bytes | reads | MB/s | least – greatest | from | half within (ms) | 99 % within (ms) | the longest (ms) |"
        in back
    )
    assert "| a file each | 64 | 1.9 MiB | 128 | 167 | 154 – 182 | the disk | 1.00 | 2.00 | 3.90 |" in back
    for heading in ("Single calls", "Ranks", "Reading back"):
        assert f"<h2>{heading}</h2>" in page
    assert "\n### " not in calls, "one setting needs no name"


def test_settings_have_a_table_each(tmp_path: Path) -> None:
    text, _ = report_of(folder_of(tmp_path, {(2, "one"): [kernels_report(1)], (4, "one"): [kernels_report(2)]}))
    assert "### ranks 2\n" in section(text, "Single calls") and "### ranks 4\n" in section(text, "Single calls")


def test_reading_back_from_memory(tmp_path: Path) -> None:
    warm = kernels_report(2)
    warm["read_back"]["cold"] = False
    text, _ = report_of(folder_of(tmp_path, {(2, "one"): [kernels_report(1), warm]}))
    assert "| memory, at least in part |" in section(text, "Reading back")


def test_some_ways_have_none(tmp_path: Path) -> None:
    bare = {"seconds": {"output": 1.0}}
    text, _ = report_of(folder_of(tmp_path, {(2, "files"): [bare, bare], (4, "one"): [kernels_report(1)]}))
    calls = section(text, "Single calls")
    assert "a file each" not in calls and "| one | write |" in calls
    assert "\n### ranks 2" not in calls, "a setting without any has no table"


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"latency": {}, "seconds_per_rank": {}},
        {"latency": 0.3, "seconds_per_rank": [1, 2], "read_back": "yes"},
        {"latency": {"write": 0.3, "open": {"calls": 1}, "close": {**latency(1, 1, 1, 1), "max_seconds": "long"}},
         "seconds_per_rank": {"output": 1.0, "write": {"min": 1.0, "median": None, "max": 1.0}},
         "read_back": {"bytes": 3, "seconds": 0.0, "files": 1, "reads": 1, "cold": True}},
    ],
)  # fmt: skip
def test_without_them_there_is_no_section(tmp_path: Path, odd: dict[str, Any]) -> None:
    """Any program may be run, and mean something else by these names."""
    text, page = report_of(folder_of(tmp_path, {(2, "one"): [{"seconds": {"output": 1.0}, **odd}] * 2}))
    for heading in ("Single calls", "Ranks", "Reading back"):
        assert heading not in text and heading not in page


def test_a_read_back_whose_calls_are_not_told(tmp_path: Path) -> None:
    report = kernels_report(1)
    del report["read_back"]["latency"]
    text, _ = report_of(folder_of(tmp_path, {(2, "one"): [report]}))
    assert "| one | 64 | 1.9 MiB | 128 | 182 |   | the disk |   |   |   |" in section(text, "Reading back")


def test_old_results_say_nothing_of_it() -> None:
    text = (REPO / "campaigns/ecg-table-1/results/local-disk/report/report.md").read_text()
    assert "## Single calls" not in text
