"""weft report of the sample results that come with the campaigns, and of a small one whose numbers are known."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import time
import zlib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from campaign_run import REPO, WEFT, Outcome, lines_of, weft, write_campaign

SAMPLE = REPO / "campaigns" / "ecg-table-1" / "results" / "local-disk"
WAYS = ["default", "new", "new + cache", "Weft"]
PAPER = {"Output": 29.9 / 49.5, "DataConv": 30.6 / 431.2, "PostProc": 14.6 / 608.7}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("sample") / "report"
    done = weft("report", SAMPLE, "--out", out)
    assert done.code == 0, done
    assert (out / "report.html").name in done.out
    return out


def sample_values() -> dict[str, dict[str, list[float]]]:
    """By way and measure, read from the results with json alone; Weft's phases are summed as its maps are in passing."""
    values: dict[str, dict[str, list[float]]] = {way: {} for way in WAYS}
    for record in lines_of(SAMPLE):
        if record["record"] == "result":
            after = record["report"].get("afterwards")
            of = values[record["choice"]["way"]]
            if after:
                of.setdefault("Output", []).append(record["report"]["seconds"]["output"])
                of.setdefault("PostProc", []).append(after["post_processing"]["seconds"])
                of.setdefault("time in all", []).append(
                    of["Output"][-1] + of["PostProc"][-1] + after["conversion"]["seconds"]
                )
            else:
                of.setdefault("time in all", []).append(record["report"]["seconds"]["output"])
    return values


def rows_of(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.read_text())))


def test_the_values_are_those_of_the_results(report: Path) -> None:
    rows = {(row["way"], row["measure"]): row for row in rows_of(report / "values.csv")}
    for way, measures in sample_values().items():
        for measure, values in measures.items():
            row = rows[way, measure]
            assert int(row["runs"]) == len(values) == 6 and row["unit"] == "s"
            assert float(row["mean"]) == pytest.approx(np.mean(values))
            assert float(row["sd"]) == pytest.approx(np.std(values, ddof=1))
            assert float(row["median"]) == pytest.approx(np.median(values))
            assert min(values) <= float(row["low"]) <= float(row["mean"]) <= float(row["high"]) <= max(values)
    assert len(rows) == 16


def test_the_ratios_are_paired_by_repeat(report: Path) -> None:
    by_repeat: dict[tuple[str, int], float] = {}
    for record in lines_of(SAMPLE):
        if record["record"] == "result":
            by_repeat[record["choice"]["way"], record["repeat"]] = record["measures"]["Output"]
    logs = [np.log(by_repeat["new + cache", n] / by_repeat["default", n]) for n in range(1, 7)]
    row = next(r for r in rows_of(report / "ratios.csv") if (r["way"], r["measure"]) == ("new + cache", "Output"))
    assert float(row["ratio"]) == pytest.approx(np.exp(np.mean(logs))) and row["pairs"] == "6"


def test_every_run_is_told(report: Path) -> None:
    rows = rows_of(report / "runs.csv")
    assert len(rows) == 24 and {row["status"] for row in rows} == {"ok"}


def test_the_text(report: Path) -> None:
    text = (report / "report.md").read_text()
    for heading in ("## Answer", "## What would change it", "## Values", "## Against the baseline", "## Beside the paper",
                    "## How it was measured"):  # fmt: skip
        assert f"\n{heading}\n" in text
    assert re.search(
        r"\*\*The least time in all is that of Weft, [\d.]+ s: 0\.\d+ times \(95 %: .*\) that of default chunks\.\*\*",
        text,
    )
    assert "random over everything (seed 2018)" in text and "Open MPI" in text and "ext4" in text
    for measure, ratio in PAPER.items():
        (line,) = [x for x in text.splitlines() if x.startswith(f"| new chunks, cached / default chunks | {measure} ")]
        assert f"| {ratio:.2f}" in line or f"| {ratio:#.2g}" in line
        assert re.search(r"agrees|the other way|not seen here|only here|neither can tell", line)
    assert "](values.svg)" in text and ".png" not in text, "what it shows is kept beside it"
    assert "NaN" not in text and "nan" not in text.replace("finance", "")


def test_the_page_needs_nothing_beside_it(report: Path) -> None:
    page = (report / "report.html").read_text()
    assert page.count('src="data:image/png;base64,') == 2
    assert not re.search(r"<(script|link|iframe)|src=\"(?!data:)|@import|url\(", page)
    body = page.partition("<body>")[2].partition("</body>")[0].replace("&ndash;", "-")
    closed = re.sub(r"<img([^>]*)>", r"<img\1/>", body)
    ElementTree.fromstring("<body>" + closed + "</body>")  # every tag is closed


def pixels(png: bytes) -> tuple[int, int, set[bytes]]:
    """Width, height and the colours of a PNG of 8-bit RGBA, unfiltered by hand."""
    width, height, depth, colour = struct.unpack(">IIBB", png[16:26])
    assert (depth, colour) == (8, 6)
    data, at = b"", 8
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        data += png[at + 8 : at + 8 + length] if kind == b"IDAT" else b""
        at += length + 12
    raw = zlib.decompress(data)
    return width, height, {raw[i : i + 40] for i in range(0, len(raw), 4001)}


@pytest.mark.parametrize("name", ["values", "ratios"])
def test_the_pictures(report: Path, name: str) -> None:
    width, height, parts = pixels((report / f"{name}.png").read_bytes())
    assert 600 < width < 2500 and 400 < height < 2500
    assert len(parts) > 10, "it is not empty"
    root = ElementTree.parse(report / f"{name}.svg").getroot()
    assert root.tag.endswith("svg") and len(list(root.iter())) > 50


def test_the_same_results_give_the_same_report(report: Path, tmp_path: Path) -> None:
    again = tmp_path / "again"
    assert weft("report", SAMPLE, "--out", again).code == 0
    for file in sorted(report.iterdir()):
        assert (again / file.name).read_bytes() == file.read_bytes(), file.name


def test_beside_the_results_where_nothing_else_is_said(tmp_path: Path) -> None:
    results = tmp_path / "results"
    results.mkdir()
    for name in ("results.jsonl", "campaign.toml"):
        shutil.copy(SAMPLE / name, results / name)
    assert weft("report", results).code == 0
    assert (results / "report" / "report.html").is_file()


def small(tmp_path: Path, text: str, *records: dict[str, Any]) -> Path:
    """Results of a made-up campaign: (way, size, repeat) -> seconds."""
    results = tmp_path / "results"
    results.mkdir()
    (results / "campaign.toml").write_text(text)
    session = {"record": "session", "format": 1, "session": 1, "began": "now", "machine": {"cores": 2},
               "campaign": {"experiments": 4, "order": "all", "seed": 1, "pause": 0, "cache": "warm", "scale": 1.0,
                            "runs": "weft run mhm", "options": ""}}  # fmt: skip
    (results / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (session, *records)))
    return results


def record(way: str, size: int, repeat: int, seconds: float | None) -> dict[str, Any]:
    choice = {"way": way, "size": str(size), "folder": "work"}
    told = {"record": "result", "session": 1, "key": f"{choice}#{repeat}", "choice": choice, "labels": choice, "repeat": repeat,
            "settings": {"size": size}, "began": "now", "status": "failed", "message": "the <disk> | is full"}  # fmt: skip
    return (
        told
        if seconds is None
        else told | {"status": "ok", "report": {"seconds": {"output": seconds}, "bytes": size * 10**6}}
    )


LINES = """\
title = "Lines"
question = "Which?"
[run]
kernel = "mhm"
[matrix]
way = ["a", "b"]
size = [1, 10, 100]
[report]
compare = "way"
lines = "size"
x = "bytes / 1e6"
x-label = "size (MB)"
"""


def test_lines_over_the_size(tmp_path: Path) -> None:
    records = [record(way, size, n, size * f * (1 + 0.01 * n)) for way, f in (("a", 1.0), ("b", 0.5)) for size in (1, 10, 100)
               for n in (1, 2, 3, 4)]  # fmt: skip
    results = small(tmp_path, LINES, *records)
    done = weft("report", results)
    assert done.code == 0, done
    assert "In all 3 settings the least output is that of b: 0.50 times that of a." in done.out
    names = {file.name for file in (results / "report").iterdir()}
    assert {"lines.png", "lines.svg", "ratios.png"} <= names and "values.png" not in names
    assert pixels((results / "report" / "lines.png").read_bytes())[0] > 500


def test_two_sizes_at_one_place(tmp_path: Path) -> None:
    """As the least sizes of a campaign that is scaled down far."""
    text = LINES.replace('x = "bytes / 1e6"', 'x = "1"')
    records = [record(way, size, n, size + 0.01 * n) for way in "ab" for size in (1, 10) for n in (1, 2)]
    assert weft("report", small(tmp_path, text, *records)).code == 0


def test_sessions_on_different_machines_are_told(tmp_path: Path) -> None:
    results = small(tmp_path, LINES, *(record(way, 1, n, 1.0 + 0.01 * n) for way in "ab" for n in (1, 2)))
    lines = (results / "results.jsonl").read_text().splitlines()
    other = json.loads(lines[0]) | {"session": 2, "machine": {"cores": 2, "cpu": "another", "weft": "weft 9"}}
    (results / "results.jsonl").write_text("\n".join([lines[0], json.dumps(other), *lines[1:]]) + "\n")
    assert weft("report", results).code == 0
    text = (results / "report" / "report.md").read_text()
    assert "Run in 2 sessions" in text and "processor and weft differed" in text


def test_failed_runs_are_told(tmp_path: Path) -> None:
    records = [record("a", 1, 1, 1.0), record("a", 1, 2, 1.1), record("b", 1, 1, 0.5), record("b", 1, 2, None)]
    results = small(tmp_path, LINES.partition("[report]")[0], *records)
    assert weft("report", results).code == 0
    text = (results / "report" / "report.md").read_text()
    assert "## Experiments that failed" in text and "the <disk> | is full" in text and "too few repeats" in text
    assert "the &lt;disk&gt; | is full" in (results / "report" / "report.html").read_text()


def test_nothing_but_failures(tmp_path: Path) -> None:
    results = small(tmp_path, LINES, record("a", 1, 1, None))
    done = weft("report", results)
    assert done.code == 0 and "No experiment ended" in done.out


def refusals(tmp_path: Path) -> list[tuple[Outcome, int, str]]:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    other = write_campaign(tmp_path / "other")
    shutil.copy(SAMPLE / "results.jsonl", other.parent / "results.jsonl")
    return [
        (weft("report"), 2, "the following arguments are required: results"),
        (weft("report", tmp_path / "empty"), 2, "cannot be read: No such file"),
        (weft("report", SAMPLE, "--out", tmp_path / "file" / "x"), 1, "cannot be written: Not a directory"),
        (weft("report", SAMPLE, "--campaign", other, "--out", tmp_path / "o"), 2, "is not of this campaign"),
    ]


def test_wrong_words(tmp_path: Path) -> None:
    for outcome, code, words in refusals(tmp_path):
        assert outcome.code == code and len(outcome.error_lines) == 1 and words in outcome.error_lines[0], outcome


def test_ctrl_c_while_matplotlib_is_imported(tmp_path: Path) -> None:
    (tmp_path / "matplotlib").mkdir()
    (tmp_path / "matplotlib" / "__init__.py").write_text(
        f"import pathlib, time\npathlib.Path({str(tmp_path / 'begun')!r}).touch()\ntime.sleep(60)\n"
    )
    command = [WEFT, "report", str(SAMPLE), "--out", str(tmp_path / "report")]
    with subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(tmp_path)}, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (130, b"")
