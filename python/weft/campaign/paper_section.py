"""What a paper measured, in a campaign's file: to be put beside what is measured here.

[[paper.values]]
way = "default chunks"          an axis of the matrix, and the value's name
Output = [49.5, 13.0]           a measure: its mean, and its spread
PostProc = { each = [1, 2] }    or every single value

[[paper.ratios]]                where the paper gives no values
way = "one file"
against = "a file each"
measure = "elapsed"
ratio = 0.1                     or direction = "faster", "slower", "same"
where = "Lustre"
"""

from __future__ import annotations

import math
import statistics
from typing import Any

from weft.campaign.matrix_section import name_of
from weft.campaign.model import Axis, Measure, Paper, PaperRatio, PaperValue, ReportWishes
from weft.campaign.section import Section, nearest, setting_of

# Ratios nearer to 1 than this are told as "the same" where the paper's words do not say otherwise.
SAME = 0.05


def read_paper(section: Section, axes: tuple[Axis, ...], measures: tuple[Measure, ...], report: ReportWishes) -> Paper:
    names = [measure.name for measure in measures if not measure.shown] + ([report.total] if report.total else [])
    why = section.section("why")
    paper = Paper(
        cite=section.text("cite"),
        where=section.text("where"),
        values=tuple(value for row in section.sections("values") for value in _values(row, axes, names)),
        ratios=tuple(_ratio(row, axes, names, report, measures) for row in section.sections("ratios")),
        why={name: why.text(name) for name in why.rest() if _is_measure(why, name, names)},
    )
    section.done()
    return paper


def _is_measure(section: Section, name: str, names: list[str]) -> bool:
    if name not in names:
        section.fail(name, f"'{name}' is not a measure that is compared", nearest(name, names))
    return True


def _choice(row: Section, axes: tuple[Axis, ...]) -> dict[str, str]:
    """The axes a row names. A value the matrix has not is no mistake: the paper may have measured more."""
    return {axis.name: _name(row, axis.name) for axis in axes if row.has(axis.name)}


def _name(row: Section, key: str) -> str:
    try:
        return name_of(setting_of(row.table[key]))
    except TypeError:
        row.fail(key, f"{key} = {row.table[key]!r} is not a value of an axis", "write the value, or its name")


def _values(row: Section, axes: tuple[Axis, ...], names: list[str]) -> list[PaperValue]:
    choice = _choice(row, axes)
    values = []
    for name in row.rest():
        if name not in names:
            row.fail(name, f"'{name}' is neither an axis nor a measure that is compared",
                     nearest(name, [*names, *(axis.name for axis in axes)]))  # fmt: skip
        try:
            values.append(PaperValue(choice, name, *mean_and_spread(row.table[name])))
        except (TypeError, ValueError, KeyError):
            row.fail(
                name, f"{name} = {row.table[name]!r} is not a figure", f"write {name} = [49.5, 13.0], mean and spread"
            )
    return values


def mean_and_spread(raw: Any) -> tuple[float, float | None]:
    """49.5; [49.5, 13.0]; { each = [..] }: their mean and standard error. Raises TypeError, ValueError, KeyError."""
    if isinstance(raw, dict):
        each = [_figure(value) for value in raw["each"]]
        return statistics.fmean(each), statistics.stdev(each) / math.sqrt(len(each)) if len(each) > 1 else None
    if isinstance(raw, list):
        mean, spread = raw
        return _figure(mean), _figure(spread)
    return _figure(raw), None


def _figure(raw: Any) -> float:
    if isinstance(raw, bool) or not isinstance(raw, (int, float)):
        raise TypeError
    if not raw >= 0:
        raise ValueError
    return float(raw)


def _ratio(
    row: Section, axes: tuple[Axis, ...], names: list[str], report: ReportWishes, measures: tuple[Measure, ...]
) -> PaperRatio:
    measure = row.text("measure", report.answer)
    if measure not in names:
        row.fail("measure", f"'{measure}' is not a measure that is compared", nearest(measure, names))
    ratio = row.positive("ratio", 1.0) if row.has("ratio") else None
    higher = any(m.higher_is_better for m in measures if m.name == measure)
    told = "same"
    if ratio is not None and abs(ratio - 1) > SAME:
        told = "faster" if (ratio > 1) == higher else "slower"
    if ratio is None and not row.has("direction"):
        row.fail(None, "neither ratio nor direction is given", 'write ratio = 0.67 or direction = "slower"')
    found = PaperRatio(
        choice=_choice(row, axes),
        against=_name(row, "against") if row.has("against") else report.baseline,
        measure=measure,
        ratio=ratio,
        direction=row.one_of("direction", ["faster", "slower", "same"], told),
        where=row.text("where", ""),
        words=row.text("words", ""),
    )
    row.done()
    return found
