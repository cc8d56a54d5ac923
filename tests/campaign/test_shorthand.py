"""What the runs of a setting have in common stands once in a file of results; reading gives every result whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weft.campaign.results import ResultsFile, parse_results, read_results
from weft.campaign.shorthand import Shorthand
from weft.errors import WeftError

SESSION: dict[str, Any] = {
    "record": "session", "format": 2, "session": 1, "began": "now", "machine": {"cores": 2},
    "campaign": {"runs": "weft run mhm", "options": "", "experiments": 3, "scale": 1.0, "seed": 1, "order": "all",
                 "pause": 0, "cache": "warm"},
}  # fmt: skip
PLAN = {"files": 4, "write_sizes": {"4096": 1000}, "problems": list(range(50))}


def result(way: str, repeat: int, seconds: float = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "record": "result", "session": 1, "key": f"way={way}, ranks=2 #{repeat}", "choice": {"way": way, "ranks": "2"},
        "labels": {"way": "The " + way, "ranks": "2"}, "repeat": repeat, "settings": {"ranks": 2}, "began": f"at {repeat}",
        "status": "ok", "report": {"seconds": {"output": seconds}, "plan": PLAN, **more}, "measures": {"output": seconds},
    }  # fmt: skip


def written(folder: Path, *records: dict[str, Any]) -> list[dict[str, Any]]:
    """The lines as they stand in the file."""
    file = ResultsFile(folder)
    for record in records:
        file.append(record)
    file.close()
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def test_what_repeats_is_written_once(tmp_path: Path) -> None:
    records = [result("a", 2), result("b", 1, 3.0), result("a", 1, 1.5)]
    _, first, other, again = written(tmp_path, SESSION, *records)
    assert first == {**records[0], "setting": 1} and other == {**records[1], "setting": 2}
    assert again == {"record": "result", "setting": 1, "repeat": 1, "began": "at 1",
                     "report": {"seconds": {"output": 1.5}}, "measures": {"output": 1.5}}  # fmt: skip
    assert read_results(tmp_path).of_experiments == records


def test_an_old_file_is_read_and_gone_on_with(tmp_path: Path) -> None:
    """Of format 1, in which every line was whole."""
    old = [{**SESSION, "format": 1}, result("a", 1), result("a", 2)]
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(record) + "\n" for record in old))
    assert read_results(tmp_path).of_experiments == old[1:]
    lines = written(tmp_path, {**SESSION, "session": 2}, result("a", 3), result("a", 4))
    assert "choice" in lines[-2] and "choice" not in lines[-1]
    assert read_results(tmp_path).of_experiments == [*old[1:], result("a", 3), result("a", 4)]


def test_going_on_knows_what_was_said(tmp_path: Path) -> None:
    written(tmp_path, SESSION, result("a", 1), result("b", 1))
    lines = written(tmp_path, result("b", 2))
    assert lines[-1]["setting"] == 2 and "choice" not in lines[-1]
    assert lines[-1].keys() == {"record", "setting", "repeat", "began"}


def test_what_failed_is_written_whole(tmp_path: Path) -> None:
    failed = {k: v for k, v in result("a", 1).items() if k not in ("report", "measures")} | {"status": "failed"}
    lines = written(tmp_path, SESSION, failed, result("a", 2), {**failed, "repeat": 3, "key": "way=a, ranks=2 #3"})
    assert "setting" not in lines[1] and lines[2]["setting"] == 1 and "setting" not in lines[3]


@pytest.mark.parametrize(
    "second",
    [
        {**result("a", 2), "key": "another"},
        result("a", 2, none=None),
        {**result("a", 2), "choice": {"ranks": "2", "way": "a"}, "key": "ranks=2, way=a #2"},
    ],
)
def test_what_cannot_be_said_shorter_is_written_whole(tmp_path: Path, second: dict[str, Any]) -> None:
    lines = written(tmp_path, SESSION, result("a", 1), second)
    assert lines[-1].keys() >= second.keys()
    assert read_results(tmp_path).of_experiments == [result("a", 1), second]


def test_a_setting_that_was_never_told() -> None:
    data = b"".join(json.dumps(r).encode() + b"\n" for r in (SESSION, {"record": "result", "setting": 4, "repeat": 1}))
    with pytest.raises(WeftError, match="r:2: is not a line of results"):
        parse_results(data, "r")


@pytest.mark.parametrize("name", ["choice", "repeat", "report"])
def test_a_line_that_takes_away_what_a_result_has(name: str) -> None:
    lines = (SESSION, {**result("a", 1), "setting": 1}, {"record": "result", "setting": 1, "repeat": 2, name: None})
    with pytest.raises(WeftError, match="r:3: is not a line of results"):
        parse_results(b"".join(json.dumps(r).encode() + b"\n" for r in lines), "r")


@pytest.mark.parametrize("setting", [True, "1", None, [1]])
def test_a_setting_is_a_number(setting: Any) -> None:
    data = b"".join(json.dumps(r).encode() + b"\n" for r in (SESSION, {**result("a", 1), "setting": setting}))
    with pytest.raises(WeftError, match="r:2: is not a line of results"):
        parse_results(data, "r")


leaves = st.sampled_from([None, True, 0, 1, 1.0, float("nan"), "x", [1], [{"a": None}], {}])
reports = st.dictionaries(st.sampled_from("abc"), leaves | st.dictionaries(st.sampled_from("ab"), leaves), max_size=3)


@given(st.lists(st.tuples(st.sampled_from("xy"), reports), min_size=1, max_size=6))
def test_any_report_comes_back_as_it_was(runs: list[tuple[str, dict[str, Any]]]) -> None:
    """To the letter: 1, 1.0 and true are not the same."""
    records = [{**result(way, number), "report": report} for number, (way, report) in enumerate(runs, 1)]
    writing, reading = Shorthand(), Shorthand()
    for record in records:
        line = json.dumps(writing.shortened(record))
        assert json.dumps(reading.whole(json.loads(line)), sort_keys=True) == json.dumps(record, sort_keys=True)
