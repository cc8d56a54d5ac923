"""The file of results: every line that was whole stays, whatever cut it off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from weft.campaign.results import ResultsFile, parse_results, read_results, whole_lines
from weft.errors import UsageError, WeftError

SESSION: dict[str, Any] = {
    "record": "session", "format": 1, "session": 1, "began": "now", "machine": {"cores": 2},
    "campaign": {"runs": "weft run ecg", "options": "", "experiments": 3, "scale": 1.0, "seed": 1, "order": "all",
                 "pause": 0, "cache": "warm"},
}  # fmt: skip


def result(key: str, status: str = "ok") -> dict[str, Any]:
    return {"record": "result", "session": 1, "key": key, "status": status, "message": "ä\n", "choice": {"way": key},
            "settings": {}, "repeat": 1, "began": "now", "report": {}}  # fmt: skip


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def data_of(*records: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


WHOLE = data_of(SESSION, result("a"), result("b"), result("c"))


@given(st.integers(0, len(WHOLE)))
def test_cut_off_anywhere_the_whole_lines_stay(end: int) -> None:
    lines, size = whole_lines(WHOLE[:end])
    assert b"".join(line + b"\n" for line in lines) == WHOLE[:size]
    assert size <= end and WHOLE[size:end].count(b"\n") == 0
    keys = list(parse_results(WHOLE[:end], "r").by_key)
    assert keys == ["a", "b", "c"][: max(0, WHOLE[:end].count(b"\n") - 1)]


def test_a_page_that_never_came() -> None:
    """A newline is there, and zeros before it."""
    torn = data_of(SESSION, result("a")) + b"\0" * 50 + b"\n"
    assert list(parse_results(torn, "r").by_key) == ["a"]


def test_the_last_result_of_a_key_counts() -> None:
    results = parse_results(data_of(SESSION, result("a", "failed"), result("b"), result("a")), "r")
    assert [r["status"] for r in results.of_experiments] == ["ok", "ok"]
    assert list(results.by_key) == ["b", "a"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"rubbish\n" + data_of(result("a")), "r:1: is not a line of results"),
        (data_of({"record": "result"}, result("a")), "r:1: is not a line of results"),
        (data_of(SESSION, {"record": "odd"}), "r:2: is not a line of results"),
        (data_of({**SESSION, "format": 9}), "results of format 9"),
        (b"[" * 5000 + b"\n" + data_of(SESSION), "r:1: is not a line of results"),
        (data_of(without(SESSION, "campaign"), result("a")), "r:1: is not a line of results"),
        (data_of(without(SESSION, "machine"), result("a")), "r:1: is not a line of results"),
        (data_of({**SESSION, "campaign": without(SESSION["campaign"], "cache")}), "r:1: is not a line of results"),
        (data_of({**SESSION, "machine": {"folders": {"work": "/"}}}), "r:1: is not a line of results"),
        *[
            (data_of(SESSION, without(result("a"), name)), "r:2: is not a line of results")
            for name in ("key", "status", "session", "choice", "settings", "repeat", "began", "report")
        ],
        *[
            (data_of(SESSION, {**result("a"), name: value}), "r:2: is not a line of results")
            for name, value in [
                ("key", ["a"]),
                ("status", "odd"),
                ("choice", {"way": 1}),
                ("labels", []),
                ("load", "high"),
                ("repeat", "1"),
            ]
        ],
    ],
)
def test_what_is_not_ours(data: bytes, words: str) -> None:
    with pytest.raises(WeftError, match=words):
        parse_results(data, "r")


def test_appending_behind_a_torn_line(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(data_of(SESSION, result("a")) + b'{"record": "resu')
    file = ResultsFile(tmp_path)
    assert list(file.results.by_key) == ["a"]
    file.append(result("b"))
    file.close()
    assert [json.loads(line)["record"] for line in path.read_bytes().splitlines()] == ["session", "result", "result"]
    assert list(read_results(tmp_path).by_key) == ["a", "b"]


def test_what_utf_8_cannot_hold(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path)
    file.append(SESSION)
    file.append({**result("folder=\udcff"), "report": {"name": "\ud800"}})
    file.close()
    (key,) = read_results(tmp_path).by_key
    assert key == "folder=\udcff"


def test_one_runner_at_a_time(tmp_path: Path) -> None:
    file = ResultsFile(tmp_path)
    with pytest.raises(WeftError, match="another weft campaign run writes here"):
        ResultsFile(tmp_path)
    file.close()
    ResultsFile(tmp_path).close()


def test_no_results(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_results(tmp_path)
