"""The file of results: one JSON object a line, appended as soon as an experiment has ended.

    {"record": "session", "session": 1, "campaign": {..}, "machine": {..}, "began": ..}     each time the runner starts
    {"record": "result", "session": 1, "key": "way=a, ranks=2 #3", "status": "ok", "report": {..}, ..}

What the runs of a setting have in common is said once (shorthand.py); of format 1, every line was whole.
A line is on the disk before the next experiment begins. Whatever kills the runner, at most its last line is torn; the
next one to open the file cuts it off, and that experiment is done again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.campaign.shorthand import Shorthand
from weft.errors import UsageError, WeftError

FILE_NAME = "results.jsonl"
FORMAT = 2
READABLE = (1, 2)

NUMBER = (int, float)
Shape = Mapping[str, type | tuple[type, ...]]
SESSION: Shape = {"session": int, "began": str, "campaign": dict, "machine": dict}
CAMPAIGN: Shape = {"runs": str, "options": str, "experiments": int, "scale": NUMBER, "seed": int, "order": str,
                   "pause": NUMBER, "cache": str}  # fmt: skip
RESULT: Shape = {
    "session": int,
    "key": str,
    "status": str,
    "choice": dict,
    "settings": dict,
    "repeat": int,
    "began": str,
}
OPTIONAL: Shape = {
    "labels": dict,
    "report": dict,
    "measures": dict,
    "load": NUMBER,
    "wall_seconds": NUMBER,
    "message": str,
}


@dataclass(frozen=True)
class Results:
    """What a file of results holds. Of an experiment that was done again (--retry-failed) the last result counts."""

    sessions: list[dict[str, Any]]
    by_key: Mapping[str, dict[str, Any]]

    @property
    def of_experiments(self) -> list[dict[str, Any]]:
        return list(self.by_key.values())


def whole_lines(data: bytes) -> tuple[list[bytes], int]:
    """Lines that ended and hold JSON, and how many bytes they take: a line that was cut off by a crash is the last."""
    lines = data.split(b"\n")[:-1]
    end = sum(len(line) + 1 for line in lines)
    if lines and not _is_json(lines[-1]):  # a page of it may have come to the disk later than the newline behind it
        end -= len(lines.pop()) + 1
    return lines, end


def _is_json(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def parse_results(data: bytes, file: str) -> Results:
    return _parse(data, file, Shorthand())


def _parse(data: bytes, file: str, shorthand: Shorthand) -> Results:
    sessions: list[dict[str, Any]] = []
    by_key: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(whole_lines(data)[0], 1):
        where = f"{file}:{number}"
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            record = {}
        kind = record.get("record") if isinstance(record, dict) else None
        if kind == "session" and record.get("format") not in READABLE:
            raise WeftError(where, f"results of format {record.get('format')}", f"this version reads up to {FORMAT}")
        if kind == "result":
            try:
                record = shorthand.whole(record)
            except ValueError:
                kind = None
        if kind == "session" and _is_session(record):
            sessions.append(record)
        elif kind == "result" and _is_result(record):
            by_key.pop(record["key"], None)  # so that the last one also stands last
            by_key[record["key"]] = record
        else:
            raise WeftError(where, "is not a line of results", "mend or remove it")
    return Results(sessions, by_key)


def _has(record: Mapping[str, Any], shape: Shape) -> bool:
    return all(isinstance(record.get(name), kind) for name, kind in shape.items())


def _is_session(record: Mapping[str, Any]) -> bool:
    if not _has(record, SESSION) or not _has(record["campaign"], CAMPAIGN):
        return False
    folders = record["machine"].get("folders", {})
    return isinstance(folders, dict) and all(isinstance(folder, dict) for folder in folders.values())


def _is_result(record: Mapping[str, Any]) -> bool:
    present = {name: kind for name, kind in OPTIONAL.items() if name in record}
    if not _has(record, RESULT) or not _has(record, present):
        return False
    told = record["status"] == "failed" or (record["status"] == "ok" and "report" in record)
    return told and all(isinstance(name, str) for name in record["choice"].values())


def read_results(folder: Path) -> Results:
    file = folder / FILE_NAME
    try:
        return parse_results(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(str(file), f"cannot be read: {error.strerror}",
                         "name a folder that weft campaign run has filled") from None  # fmt: skip


class ResultsFile:
    """The file open for appending, by one runner at a time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        except OSError as error:
            raise WeftError(str(self.path), f"cannot be written: {error.strerror}", "choose another --out") from None
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise WeftError(str(folder), "another weft campaign run writes here", "wait for it, or end it") from None
        data = self.path.read_bytes()
        self._shorthand = Shorthand()
        self.results = _parse(data, str(self.path), self._shorthand)
        end = whole_lines(data)[1]
        if end != len(data):
            os.ftruncate(self._file, end)

    def append(self, record: dict[str, Any]) -> None:
        # In ASCII: what a program prints and what a folder is called may hold what UTF-8 cannot.
        line = json.dumps(self._shorthand.shortened(record), separators=(",", ":")).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._file, line) :]
            os.fsync(self._file)
        except OSError as error:
            raise WeftError(str(self.path), f"cannot be written: {error.strerror}",
                            "the results so far are kept; free some space and use --resume") from None  # fmt: skip

    def close(self) -> None:
        os.close(self._file)
