"""Two folders of results of one campaign, cell by cell: another file system, another version, another machine. Pure.

A cell is a setting and a way. The folder that was written into is no part of it where each side has one alone, as that is
what is compared. Cells whose runs had other parameters, or measured something else, are not compared, and the reason is
told. A ratio is paired by repeat, and judged as those of one report are: see statistics.py.

Worked: A has 1.0, 1.1 and 0.9 s of a cell, B 2.0, 2.1 and 2.0 s: ratios 2.0, 1.91 and 2.22, B / A is 2.04.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.campaign.model import Measure
from weft.report.comparison import pair_up, verdict
from weft.report.loading import Loaded
from weft.report.samples import Group, Sample, sorted_axes
from weft.report.statistics import Ratio, holm

FOLDER = "folder"
MOST_NAMES = 4  # parameters that are told as different


@dataclass(frozen=True, order=True)
class Cell:
    group: Group  # the setting
    way: str


@dataclass(frozen=True)
class Row:
    """A cell by one measure."""

    cell: Cell
    measure: Measure
    a: tuple[float, ...]  # by repeat
    b: tuple[float, ...]
    ratio: Ratio | None  # B / A; nothing where no repeat is in both
    verdict: str  # of B


@dataclass(frozen=True)
class LeftOut:
    why: str
    cells: tuple[Cell, ...]  # none: it is about the whole


@dataclass(frozen=True)
class Between:
    a: str
    b: str
    rows: tuple[Row, ...]  # by setting, way and measure, as A's file has them
    left_out: tuple[LeftOut, ...]


@dataclass(frozen=True)
class Ran:
    """What one side has of a cell."""

    choice: Mapping[str, str]
    settings: Mapping[str, Any]
    samples: Sequence[Sample]


def between(
    a: Loaded, b: Loaded, names: tuple[str, str], each: Callable[[Sequence[Cell]], Iterable[Cell]] = iter
) -> Between:
    """`each` hands out the cells one by one: whoever waits may be told how far it is."""
    one_store = all(_stores(side) <= 1 and side.campaign.report.compare != FOLDER for side in (a, b))
    ours, theirs = _cells_of(a, one_store), _cells_of(b, one_store)
    measures, left_out = _measures(a, b, names)
    reasons: dict[str, list[Cell]] = {}
    rows: list[Row] = []
    for cell in each([*ours, *(cell for cell in theirs if cell not in ours)]):
        why = _why_not(ours.get(cell), theirs.get(cell), names)
        if why:
            reasons.setdefault(why, []).append(cell)
        else:
            for measure in measures:
                other = _measured_otherwise(a, b, ours[cell].choice, theirs[cell].choice, measure, names)
                if other:
                    reasons.setdefault(other, []).append(cell)
                else:
                    rows += _row(cell, measure, ours[cell].samples, theirs[cell].samples, a.campaign.seed)
    left_out += [LeftOut(why, tuple(cells)) for why, cells in reasons.items()]
    return Between(*names, tuple(_judged(rows)), tuple(left_out))


def _stores(side: Loaded) -> int:
    return len({result["choice"].get(FOLDER) for result in side.found.of_experiments})


def _cells_of(side: Loaded, one_store: bool) -> dict[Cell, Ran]:
    """In the order of the file."""
    left_out = {side.campaign.report.compare, *([FOLDER] if one_store else [])}

    def cell_of(choice: Mapping[str, str]) -> Cell:
        axes = sorted_axes(side.campaign, choice)
        return Cell(
            tuple((axis, name) for axis, name in axes if axis not in left_out), choice[side.campaign.report.compare]
        )

    samples: dict[Cell, list[Sample]] = {}
    for sample in side.samples.all:
        samples.setdefault(cell_of({**dict(sample.group), side.campaign.report.compare: sample.way}), []).append(sample)
    found: dict[Cell, Ran] = {}
    for result in side.found.of_experiments:
        cell = cell_of(result["choice"])
        settings = {name: value for name, value in result["settings"].items() if name != FOLDER}
        found.setdefault(cell, Ran(result["choice"], settings, samples.get(cell, [])))
    order = {axis.name: [value.name for value in axis.values] for axis in side.campaign.axes}

    def place(cell: Cell) -> list[tuple[int, str]]:
        names = [*cell.group, (side.campaign.report.compare, cell.way)]
        return [(order[axis].index(name) if name in order.get(axis, []) else len(found), name) for axis, name in names]

    return {cell: found[cell] for cell in sorted(found, key=place)}


def _measures(a: Loaded, b: Loaded, names: tuple[str, str]) -> tuple[list[Measure], list[LeftOut]]:
    """Those that both have, alike."""
    both, left_out = [], []
    theirs = {measure.name: measure for measure in b.samples.measures}
    for measure in a.samples.measures:
        other = theirs.get(measure.name)
        if other is None:
            left_out.append(LeftOut(f"the measure {measure.name} is {names[0]}'s alone", ()))
        elif (other.unit, other.higher_is_better) != (measure.unit, measure.higher_is_better):
            left_out.append(LeftOut(f"the measure {measure.name} has another unit or direction in {names[1]}", ()))
        else:
            both.append(measure)
    known = {measure.name for measure in a.samples.measures}
    left_out += [LeftOut(f"the measure {name} is {names[1]}'s alone", ()) for name in theirs if name not in known]
    return both, left_out


def _why_not(ours: Ran | None, theirs: Ran | None, names: tuple[str, str]) -> str:
    """Nothing where the two can be compared."""
    if ours is None or theirs is None:
        return f"{names[0] if ours is None else names[1]} has no run of it"
    for ran, name in ((ours, names[0]), (theirs, names[1])):
        if not ran.samples:
            return f"every run of {name} failed"
    before, now = ours.settings, theirs.settings
    differing = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
    told = [
        f"{name} is {before.get(name, 'not set')} in {names[0]} and {now.get(name, 'not set')} in {names[1]}"
        for name in differing[:MOST_NAMES]
    ]
    more = len(differing) - MOST_NAMES
    return ", ".join([*told, *([f"and {more} more differ"] if more > 0 else [])])


def _measured_otherwise(
    a: Loaded, b: Loaded, ours: Mapping[str, str], theirs: Mapping[str, str], measure: Measure, names: tuple[str, str]
) -> str:
    if _definition(a, ours, measure.name) == _definition(b, theirs, measure.name):
        return ""
    return f"{measure.name} is measured in another way in {names[1]}; --campaign FILE reads both in one way"


def _definition(side: Loaded, choice: Mapping[str, str], name: str) -> list[str]:
    """The expression that a measure is, or those of its parts."""
    changed: dict[str, str] = {}
    for axis in side.campaign.axes:
        for value in axis.values:
            if choice.get(axis.name) == value.name:
                changed |= {measure: expression.text for measure, expression in value.measures.items()}
    whole = name == side.campaign.report.total
    parts = [measure for measure in side.campaign.measures if measure.name == name or (whole and not measure.shown)]
    return [changed.get(measure.name, measure.value.text) for measure in parts]


def _row(cell: Cell, measure: Measure, ours: Iterable[Sample], theirs: Iterable[Sample], seed: int) -> list[Row]:
    """None where either side is without the measure, which some ways are."""
    of_a = [sample for sample in ours if measure.name in sample.values]
    of_b = [sample for sample in theirs if measure.name in sample.values]
    if not of_a or not of_b:
        return []
    values_a, values_b = (
        tuple(sample.values[measure.name] for sample in sorted(side, key=lambda sample: sample.repeat))
        for side in (of_a, of_b)
    )
    return [Row(cell, measure, values_a, values_b, pair_up(of_b, of_a, measure.name, seed), "")]


def _judged(rows: Sequence[Row]) -> list[Row]:
    """The ways of a setting are tested together, as they are in one report."""
    families: dict[tuple[Group, str], list[Row]] = {}
    for row in rows:
        families.setdefault((row.cell.group, row.measure.name), []).append(row)
    apart: set[tuple[Cell, str]] = set()
    for family in families.values():
        tested = [(row, row.ratio.p) for row in family if row.ratio is not None and row.ratio.pairs > 1]
        holds = holm([p for _, p in tested])
        apart |= {(row.cell, row.measure.name) for (row, _), held in zip(tested, holds, strict=True) if held}
    return [
        Row(row.cell, row.measure, row.a, row.b, row.ratio,
            verdict(False, row.ratio, (row.cell, row.measure.name) in apart, row.measure.higher_is_better))
        for row in rows
    ]  # fmt: skip
