"""What kernels report beside their seconds: how long single calls took, how the ranks differed, and reading back. Pure.

A figure is the median of the repeats; the longest call is the longest of all. What a report does not have, or has in
another form, is left out: any program may be run, and mean something else by the same name.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.quantities import format_bytes, format_number
from weft.report.samples import Samples, group_of
from weft.report.tables import Table
from weft.report.wording import times

ENOUGH_FOR_PERCENTS = 100  # calls: of fewer, 99 % are all
WITHIN = ["half within (ms)", "99 % within (ms)", "the longest (ms)"]

LATENCY = ("p50_seconds", "p99_seconds", "max_seconds")

CALLS = (
    "Calls are counted in bins that double: half and 99 % are right within a factor of two, and the longest is exact. "
    "Medians of the repeats, and the longest of all."
)
RANKS = "Of the rank that took least, of the one in the middle and of the one that took most; medians of the repeats."
BACK = "The files that a run wrote, read again, by another rank than the one that wrote them; medians of the repeats."

Report = Mapping[str, Any]
Rows = Callable[[str, Sequence[Report]], list[list[str]]]  # of a way, from what its repeats reported


@dataclass(frozen=True)
class Section:
    heading: str
    words: str
    tables: list[Table]


def sections(samples: Samples, results: Iterable[Mapping[str, Any]]) -> list[Section]:
    """Those that there is something for."""
    reports: dict[Any, list[Report]] = {}
    for result in results:
        if result["status"] == "ok":
            way = result["choice"][samples.campaign.report.compare]
            reports.setdefault((group_of(samples.campaign, result["choice"]), way), []).append(result["report"])

    def section(heading: str, words: str, header: list[str], rows: Rows, left: int) -> Section:
        """`left`: columns of words, from the left."""
        tables = []
        for group in samples.groups:
            lines = [
                line
                for way in samples.ways
                if (group, way) in reports
                for line in rows(samples.way_label(way), reports[group, way])
            ]
            if lines:
                label = samples.group_label(group)
                tables.append(Table([samples.campaign.report.compare, *header], lines, label, left))
        return Section(heading, words, tables)

    found = [
        section("Single calls", CALLS, ["call", "calls", *WITHIN], _calls, 2),
        section("Ranks", RANKS, ["seconds of", "least", "median", "most", "most / median"], _ranks, 2),
        section(
            "Reading back",
            BACK,
            ["files", "bytes", "reads", "MB/s", "least – greatest", "from", *WITHIN],
            _read_back,
            1,
        ),
    ]
    return [each for each in found if each.tables]


def _calls(way: str, reports: Sequence[Report]) -> list[list[str]]:
    found = [_objects(report.get("latency")) for report in reports]
    names = list(dict.fromkeys(name for calls in found for name in calls))
    rows = []
    for name in names:
        told = _with_numbers([calls[name] for calls in found if name in calls], "calls", *LATENCY)
        if told:
            rows.append([way, name, f"{_median(told, 'calls'):,.0f}", *_within(told)])
    return rows


def _within(told: Sequence[Report]) -> list[str]:
    """In milliseconds."""
    p50, p99 = (format_number(1000 * _median(told, name)) for name in LATENCY[:2])
    longest = format_number(1000 * max(latency[LATENCY[2]] for latency in told))
    return [p50, p99 if _median(told, "calls") >= ENOUGH_FOR_PERCENTS else "", longest]


def _ranks(way: str, reports: Sequence[Report]) -> list[list[str]]:
    found = [_objects(report.get("seconds_per_rank")) for report in reports]
    rows = []
    for name in dict.fromkeys(name for phases in found for name in phases):
        told = _with_numbers([phases[name] for phases in found if name in phases], "min", "median", "max")
        if told:
            least, middle, most = (_median(told, key) for key in ("min", "median", "max"))
            uneven = times(most / middle) if middle > 0 else ""
            rows.append([way, name, *(format_number(value) for value in (least, middle, most)), uneven])
    return rows


def _read_back(way: str, reports: Sequence[Report]) -> list[list[str]]:
    found = [report["read_back"] for report in reports if isinstance(report.get("read_back"), dict)]
    told = [back for back in _with_numbers(found, "files", "bytes", "reads", "seconds") if back["seconds"] > 0]
    if not told:
        return []
    speeds = [back["bytes"] / back["seconds"] / 1e6 for back in told]
    reads = [_objects(back.get("latency")).get("read", {}) for back in told]
    latencies = _with_numbers(reads, "calls", *LATENCY)
    counts = [f"{_median(told, 'files'):,.0f}", format_bytes(_median(told, "bytes")), f"{_median(told, 'reads'):,.0f}"]
    span = f"{format_number(min(speeds))} – {format_number(max(speeds))}" if len(speeds) > 1 else ""
    where = "the disk" if all(back.get("cold") is True for back in told) else "memory, at least in part"
    within = _within(latencies) if latencies else [""] * len(WITHIN)
    return [[way, *counts, format_number(statistics.median(speeds)), span, where, *within]]


def _objects(value: Any) -> dict[str, Report]:
    """What of an object are objects."""
    return {name: inner for name, inner in value.items() if isinstance(inner, dict)} if isinstance(value, dict) else {}


def _with_numbers(objects: Iterable[Report], *names: str) -> list[Report]:
    """Those that have numbers under all these names."""

    def is_number(value: Any) -> bool:
        return isinstance(value, (int, float)) and not isinstance(value, bool)

    return [each for each in objects if all(is_number(each.get(name)) for name in names)]


def _median(objects: Sequence[Report], name: str) -> float:
    return float(statistics.median(each[name] for each in objects))
