"""What the runs of a setting have in common is said once in a file of results. Pure.

    {"record": "result", "setting": 1, "key": "way=a #2", "choice": {..}, "repeat": 2, "report": {"bytes": 16, "s": 0.41}, ..}
    {"record": "result", "setting": 1, "repeat": 1, "report": {"s": 0.38}}

The first line of a setting is whole. A later one has what differs from it: objects are merged, and null takes a name
away (RFC 7396). Its key follows from the choice and the repeat. A line without `setting` stands alone: those of runs that
failed, and all of format 1.
"""

from __future__ import annotations

import json
from typing import Any

from weft.campaign.experiments import key_of

Record = dict[str, Any]


class Shorthand:
    """Of one file. Every line goes through, in order: those that are there by whole(), then new ones by shortened()."""

    def __init__(self) -> None:
        self._first: dict[int, Record] = {}  # by setting
        self._settings: dict[str, int] = {}  # by its choice, whose order the key has

    def whole(self, line: Record) -> Record:
        """Raises ValueError for a line of a setting that no line before has told."""
        if "setting" not in line:
            return line
        setting = line["setting"]
        if type(setting) is not int:
            raise ValueError("its setting is no number")
        said = {name: value for name, value in line.items() if name != "setting"}
        record: Record = merge(self._first.get(setting, {}), said)
        if not isinstance(record.get("choice"), dict) or "repeat" not in record:
            raise ValueError("nothing says which experiment it is")
        if setting in self._first:
            return {**record, "key": key_of(record["choice"], record["repeat"])}
        self._remember(setting, said)
        return said

    def shortened(self, record: Record) -> Record:
        """The line to write; whole() of it is the record."""
        if record["record"] != "result" or record["status"] != "ok":
            return record
        setting = self._settings.get(json.dumps(record["choice"]))
        if setting is None:
            setting = max(self._first, default=0) + 1
            self._remember(setting, record)
            return {**record, "setting": setting}
        said = difference(self._first[setting], {**record, "key": self._first[setting]["key"]})
        line = {"record": record["record"], "setting": setting, **said}
        return line if text_of(self.whole(line)) == text_of(record) else record

    def _remember(self, setting: int, record: Record) -> None:
        self._first[setting] = record
        self._settings.setdefault(json.dumps(record["choice"]), setting)


def merge(first: Any, said: Any) -> Any:
    """RFC 7396: {"a": 1, "b": {"c": 2}} with {"a": null, "b": {"d": 3}} is {"b": {"c": 2, "d": 3}}."""
    if not isinstance(first, dict) or not isinstance(said, dict):
        return said
    kept = {name: value for name, value in first.items() if name not in said or said[name] is not None}
    return kept | {name: merge(first.get(name), value) for name, value in said.items() if value is not None}


def difference(first: Record, record: Record) -> Record:
    """What merge() makes the record of, unless the record has a null of its own."""
    said: Record = {name: None for name in first if name not in record}
    for name, value in record.items():
        before = first.get(name)
        if name in first and text_of(before) == text_of(value):
            continue
        said[name] = difference(before, value) if isinstance(before, dict) and isinstance(value, dict) else value
    return said


def text_of(value: Any) -> str:
    """By which two values are the same: 1, 1.0 and true differ, and the order of names in an object is nothing."""
    return json.dumps(value, sort_keys=True)
