"""weft report A B: the same cells of two results folders, what cannot be compared, and what is refused."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from campaign_run import REPO, lines_of, weft

BLAST = REPO / "campaigns" / "blast-table-2" / "results"
CAMPAIGN = """\
title = "Ways"
question = "Which?"
[run]
kernel = "mhm"
[matrix]
way = ["a", "b"]
size = [1, 10]
[report]
compare = "way"
"""
NOISE = (1.0, 1.02, 0.99, 1.01)


def made_up(folder: Path, results: Sequence[dict[str, Any]], text: str = CAMPAIGN, **machine: Any) -> Path:
    folder.mkdir(parents=True)
    (folder / "campaign.toml").write_text(text)
    session = {"record": "session", "format": 2, "session": 1, "began": "now", "machine": {"cores": 2, **machine},
               "campaign": {"experiments": 4, "order": "all", "seed": 1, "pause": 0, "cache": "warm", "scale": 1.0,
                            "runs": "weft run mhm", "options": ""}}  # fmt: skip
    (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (session, *results)))
    return folder


def runs(
    way: str, size: int, seconds: Sequence[float | None], store: str = "disk", **settings: Any
) -> list[dict[str, Any]]:
    """A cell: its repeats' seconds, None for one that failed."""
    told = []
    for repeat, value in enumerate(seconds, 1):
        choice = {"way": way, "size": str(size), "folder": store}
        how: dict[str, Any] = {"status": "failed", "message": "full"}
        if value is not None:
            how = {"status": "ok", "report": {"seconds": {"output": value}, "bytes": size}}
        told.append({"record": "result", "session": 1, "key": f"{choice} #{repeat}", "choice": choice, "labels": choice,
                     "repeat": repeat, "settings": {"size": size, **settings}, "began": "now", **how})  # fmt: skip
    return told


def times_noise(seconds: float, noise: Sequence[float] = NOISE) -> list[float | None]:
    return [seconds * n for n in noise]


def both(tmp_path: Path, **words: Any) -> tuple[Path, Path]:
    """B takes twice as long for way a, and the same for way b."""
    a = made_up(tmp_path / "disk", runs("a", 1, times_noise(1.0)) + runs("b", 1, times_noise(0.5)))
    b = made_up(tmp_path / "net", runs("a", 1, times_noise(2.0, NOISE[::-1]), "net")
                + runs("b", 1, times_noise(0.5, NOISE[::-1]), "net"), **words)  # fmt: skip
    return a, b


def as_json(*words: object) -> dict[str, Any]:
    done = weft("report", *words, "--json")
    assert done.code == 0 and done.err == "", done
    told: dict[str, Any] = json.loads(done.out)
    return told


def test_the_cells_of_two_folders(tmp_path: Path) -> None:
    a, b = both(tmp_path)
    told = as_json(a, b)
    assert (told["a"]["name"], told["b"]["name"]) == ("disk", "net") and told["title"] == "Ways"
    cells = {cell["way"]: cell for cell in told["cells"]}
    assert cells.keys() == {"a", "b"} and told["not_comparable"] == []
    slow = cells["a"]
    assert slow["measure"] == "output" and slow["unit"] == "s" and slow["setting"] == {"size": "1"}
    assert slow["a"]["runs"] == 4 and slow["a"]["median"] == pytest.approx(1.005)
    assert (slow["b"]["least"], slow["b"]["greatest"]) == (pytest.approx(1.98), pytest.approx(2.04))
    ratios = [2 * y / x for x, y in zip(NOISE, NOISE[::-1], strict=True)]
    assert slow["ratio"]["ratio"] == pytest.approx(np.exp(np.mean(np.log(ratios)))) and slow["ratio"]["pairs"] == 4
    assert min(ratios) <= slow["ratio"]["low"] <= slow["ratio"]["ratio"] <= slow["ratio"]["high"] <= max(ratios)
    assert slow["verdict"] == "slower" and cells["b"]["verdict"] == "within the noise"
    assert not (b / "report").exists(), "--json writes nothing but what it prints"


def test_the_report(tmp_path: Path) -> None:
    a, b = both(tmp_path)
    done = weft("report", a, b)
    assert done.code == 0, done
    assert (
        "By output, net is slower than disk in 1 of 2 cells (2.00 times) and within the noise of disk in 1." in done.out
    )
    out = b / "report" / "against-disk"
    assert {file.name for file in out.iterdir()} == {"report.md", "report.html", "cells.csv", "pairs.png", "pairs.svg"}
    text = (out / "report.md").read_text()
    assert (
        "| way | measure | runs | disk | least – greatest | net | least – greatest | net / disk (95 %) | net is |"
        in text
    )
    assert "| a | output (s) | 4 | 1.00 | 0.990 – 1.02 | 2.01 | 1.98 – 2.04 | 2.00 (" in text and "| slower |" in text
    rows = list(csv.DictReader(io.StringIO((out / "cells.csv").read_text())))
    assert [row["way"] for row in rows] == ["a", "b"] and float(rows[0]["ratio"]) == pytest.approx(2.0, rel=0.02)
    assert ElementTree.parse(out / "pairs.svg").getroot().tag.endswith("svg")
    page = (out / "report.html").read_text()
    assert page.count('src="data:image/png;base64,') == 1 and "<table>" in page


def test_the_same_results_give_the_same_report(tmp_path: Path) -> None:
    a, b = both(tmp_path)
    for out in ("one", "two"):
        assert weft("report", a, b, "--out", tmp_path / out).code == 0
    for file in sorted((tmp_path / "one").iterdir()):
        assert (tmp_path / "two" / file.name).read_bytes() == file.read_bytes(), file.name


def test_json_and_a_report(tmp_path: Path) -> None:
    a, b = both(tmp_path)
    assert as_json(a, b, "--out", tmp_path / "out")["cells"]
    assert (tmp_path / "out" / "report.md").is_file()


def test_several_settings_have_a_table_each(tmp_path: Path) -> None:
    cells = [("a", 1), ("b", 1), ("a", 10), ("b", 10)]
    a = made_up(tmp_path / "A", [r for way, size in cells for r in runs(way, size, times_noise(size))])
    b = made_up(tmp_path / "B", [r for way, size in cells for r in runs(way, size, times_noise(3 * size), "net")])
    assert weft("report", a, b, "--out", tmp_path / "out").code == 0
    text = (tmp_path / "out" / "report.md").read_text()
    assert "### size 1\n" in text and "### size 10\n" in text and text.count("| way | measure | runs | A |") == 2


def test_missing_cells_are_told(tmp_path: Path) -> None:
    a = made_up(
        tmp_path / "A", runs("a", 1, times_noise(1)) + runs("b", 1, times_noise(1)) + runs("b", 10, times_noise(1))
    )
    b = made_up(
        tmp_path / "B", runs("a", 1, times_noise(1)) + runs("a", 10, times_noise(1)) + runs("b", 10, [None] * 4)
    )
    told = as_json(a, b)
    assert [(cell["way"], cell["setting"]["size"]) for cell in told["cells"]] == [("a", "1")]
    assert told["not_comparable"] == [
        {"cells": ["size 1, b"], "why": "B has no run of it"},
        {"cells": ["size 10, b"], "why": "every run of B failed"},
        {"cells": ["size 10, a"], "why": "A has no run of it"},
    ]
    assert weft("report", a, b, "--out", tmp_path / "out").code == 0
    text = (tmp_path / "out" / "report.md").read_text()
    assert "## What cannot be compared" in text and "- size 1, b: B has no run of it" in text


def test_other_parameters_are_not_compared(tmp_path: Path) -> None:
    a = made_up(tmp_path / "A", runs("a", 1, times_noise(1), nodes=100) + runs("b", 1, times_noise(1), nodes=100))
    b = made_up(tmp_path / "B", runs("a", 1, times_noise(1), nodes=800) + runs("b", 1, times_noise(1), nodes=100))
    told = as_json(a, b)
    assert [cell["way"] for cell in told["cells"]] == ["b"]
    assert told["not_comparable"] == [{"cells": ["a"], "why": "nodes is 100 in A and 800 in B"}]


def test_measures_that_differ_are_not_compared(tmp_path: Path) -> None:
    measure = '[[measure]]\nname = "output"\nvalue = "seconds.output"\n[[measure]]\nname = "{}"\nvalue = "bytes"\nunit = "B"\n'
    a = made_up(tmp_path / "A", runs("a", 1, times_noise(1)), CAMPAIGN + measure.format("size"))
    b = made_up(tmp_path / "B", runs("a", 1, times_noise(1)),
                CAMPAIGN + measure.format("bytes").replace("seconds.output", "seconds.output * 1"))  # fmt: skip
    outcome = weft("report", a, b)
    assert outcome.code == 2 and len(outcome.error_lines) == 1
    again = made_up(tmp_path / "C", runs("a", 1, times_noise(1)), CAMPAIGN + measure.format("bytes"))
    told = as_json(a, again)
    assert [cell["measure"] for cell in told["cells"]] == ["output"]
    assert {entry["why"] for entry in told["not_comparable"]} == {
        "the measure size is A's alone", "the measure bytes is C's alone"}  # fmt: skip
    told = as_json(a, b, "--campaign", again / "campaign.toml")
    assert {cell["measure"] for cell in told["cells"]} == {"output", "bytes"}, "one file reads both"


def test_pairs_are_those_of_the_same_repeat(tmp_path: Path) -> None:
    a = made_up(tmp_path / "A", runs("a", 1, [1.0, None, 1.0, 1.0]))
    b = made_up(tmp_path / "B", runs("a", 1, [2.0, 2.0]))
    (cell,) = as_json(a, b)["cells"]
    assert cell["ratio"]["pairs"] == 1 and cell["verdict"] == "too few repeats" and cell["ratio"]["low"] is None
    assert weft("report", a, b, "--out", tmp_path / "out").code == 0
    assert "2.00 of 1 pair |" in (tmp_path / "out" / "report.md").read_text()


def test_what_else_differs_is_told(tmp_path: Path) -> None:
    a, b = both(tmp_path, weft="weft 9", folders={"net": {"type": "nfs4", "mount": "/", "options": "rw", "bytes": 1,
                                                          "free_bytes": 1}})  # fmt: skip
    assert as_json(a, b)["differs"] == [
        {"what": "file system", "a": "", "b": "nfs4 (rw)"},
        {"what": "weft", "a": "", "b": "weft 9"},
    ]


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    a = made_up(tmp_path / "old" / "results", runs("a", 1, times_noise(1)))
    b = made_up(tmp_path / "new" / "results", runs("a", 1, times_noise(1)))
    told = as_json(a, b)
    assert (told["a"]["name"], told["b"]["name"]) == ("old/results", "new/results")
    assert weft("report", a, b).code == 0
    assert (b / "report" / "against-old-results" / "report.md").is_file()


def test_the_results_that_come_with_weft(tmp_path: Path) -> None:
    told = as_json(BLAST / "local-disk", BLAST / "striped-1ms")

    def seconds(folder: Path, way: str) -> list[float]:
        return [
            r["measures"][measure] for r in lines_of(folder) if r["record"] == "result" and r["choice"]["way"] == way
        ]

    for cell in told["cells"]:
        measure = cell["measure"]
        for side, name in (("a", "local-disk"), ("b", "striped-1ms")):
            assert cell[side]["median"] == pytest.approx(np.median(seconds(BLAST / name, cell["way"])))
    assert len(told["cells"]) >= 3 and told["not_comparable"] == []
    assert any(entry["what"] == "file system" for entry in told["differs"])


@pytest.mark.parametrize("case", ["no folder", "no results", "no lines", "all failed", "another campaign", "itself",
                                  "nothing alike", "three", "json of one"])  # fmt: skip
def test_what_is_refused(tmp_path: Path, case: str) -> None:
    a, b = both(tmp_path)
    (tmp_path / "empty").mkdir()
    title = CAMPAIGN.replace('"Ways"', '"Other"')
    words: dict[str, tuple[list[object], str]] = {
        "no folder": ([a, tmp_path / "gone"], "cannot be read: No such file"),
        "no results": ([tmp_path / "empty", b], "name a folder that weft campaign run has filled"),
        "no lines": ([a, made_up(tmp_path / "none", [])], "has no results"),
        "all failed": ([a, made_up(tmp_path / "bad", runs("a", 1, [None]))], "a: every run of bad failed; b: bad has no run of it"),
        "another campaign": ([a, made_up(tmp_path / "C", runs("a", 1, times_noise(1)), title)],
                             "are of the campaign 'Other', and those of disk of 'Ways'"),
        "itself": ([a, a / ".." / "disk"], "the two folders are one"),
        "nothing alike": ([a, made_up(tmp_path / "D", runs("a", 1, times_noise(1), nodes=3))],
                          "has nothing that can be compared with disk: "),
        "three": ([a, b, a], "takes one folder, or two"),
        "json of one": ([a], "--json is for two folders"),
    }  # fmt: skip
    given, said = words[case]
    for more in (["--json"],) if case == "json of one" else ([], ["--json"]):
        outcome = weft("report", *given, *more)
        assert outcome.code == 2 and outcome.out == "" and len(outcome.err.splitlines()) == 1, outcome
        assert outcome.err.startswith("weft: error: ") and said in outcome.err, outcome
