"""The paper's figures beside ours: does the direction agree? Pure.

A direction is that of a way against another: better, worse, or the same. The paper's values give it where their
difference is more than twice what their spreads make of it (or, with no spread told, more than 5 %).

Worked: 29.9 +- 6.5 against 49.5 +- 13.0 s is a ratio of 0.60, whose logarithm, -0.50, is within twice
sqrt((6.5 / 29.9)^2 + (13.0 / 49.5)^2) = 0.34: by its own spread the paper cannot tell the two apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from weft.campaign.model import Campaign, Measure, Paper, PaperRatio
from weft.report.comparison import BETTER, NOISE, WORSE, Comparison, compare, pair_up, verdict
from weft.report.samples import Group, Samples, compared_measures
from weft.report.statistics import Ratio

SAME = "the same"
WITHIN = "within its spread"
AGREES, OPPOSITE, NOT_SEEN, ONLY_HERE = "agrees", "the other way", "not seen here", "only here"
NEITHER, NOT_KNOWN = "neither can tell", "not known"


@dataclass(frozen=True)
class Finding:
    """What the paper says of a way against another."""

    choice: Mapping[str, str]  # the axes it was measured at, the compared one left out
    way: str
    against: str
    measure: str
    ratio: float | None
    direction: str
    where: str
    values: tuple[float, float] | None = None  # of way and against
    words: str = ""


@dataclass(frozen=True)
class Beside:
    finding: Finding
    group: Group
    ratio: Ratio | None  # ours
    verdict: str
    agreement: str


def findings(campaign: Campaign, paper: Paper) -> list[Finding]:
    """Every way against the baseline at the same place, and what the paper says in ratios."""
    found = []
    compare_axis, baseline = campaign.report.compare, campaign.report.baseline
    table: dict[tuple[tuple[str, str], ...], dict[str, dict[str, tuple[float, float | None]]]] = {}
    for value in paper.values:
        place = tuple(sorted((axis, name) for axis, name in value.choice.items() if axis != compare_axis))
        way = value.choice.get(compare_axis, "")
        table.setdefault(place, {}).setdefault(way, {})[value.measure] = (value.mean, value.spread)
    for place, ways in table.items():
        for way in ways:
            for measure in compared_measures(campaign):
                ours, base = _value(campaign, ways, way, measure), _value(campaign, ways, baseline, measure)
                if way != baseline and ours is not None and base is not None:
                    found.append(
                        Finding(
                            choice=dict(place),
                            way=way,
                            against=baseline,
                            measure=measure.name,
                            ratio=ours[0] / base[0] if base[0] > 0 else None,
                            direction=direction(ours, base, measure.higher_is_better),
                            where=paper.where,
                            values=(ours[0], base[0]),
                        )
                    )
    return found + [_of_ratio(campaign, paper, ratio) for ratio in paper.ratios]


def _value(
    campaign: Campaign, ways: Mapping[str, Mapping[str, tuple[float, float | None]]], way: str, measure: Measure
) -> tuple[float, float | None] | None:
    """A measure's value; the total's from its parts, where all of them are told."""
    values = ways.get(way, {})
    if measure.name in values:
        return values[measure.name]
    if measure.name != campaign.report.total:
        return None
    parts = [values.get(m.name) for m in campaign.measures if not m.shown]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    spreads = [spread for _, spread in known if spread is not None]
    spread = math.hypot(*spreads) if len(spreads) == len(known) else None
    return sum(mean for mean, _ in known), spread


def direction(ours: tuple[float, float | None], base: tuple[float, float | None], higher_is_better: bool) -> str:
    if ours[0] <= 0 or base[0] <= 0:  # a phase that one of them does without
        if ours[0] == base[0]:
            return WITHIN
        return BETTER if (ours[0] > base[0]) == higher_is_better else WORSE
    distance = math.log(ours[0] / base[0])
    if ours[1] is None or base[1] is None:
        noise = math.log(1.05)
    else:
        noise = 2 * math.hypot(ours[1] / ours[0], base[1] / base[0])
    if abs(distance) <= noise:
        return WITHIN
    return BETTER if (distance > 0) == higher_is_better else WORSE


def _of_ratio(campaign: Campaign, paper: Paper, ratio: PaperRatio) -> Finding:
    compare_axis = campaign.report.compare
    return Finding(
        choice={axis: name for axis, name in ratio.choice.items() if axis != compare_axis},
        way=ratio.choice.get(compare_axis, ""),
        against=ratio.against,
        measure=ratio.measure,
        ratio=ratio.ratio,
        direction={"faster": BETTER, "slower": WORSE, "same": SAME}[ratio.direction],
        where=ratio.where or paper.where,
        words=ratio.words,
    )


def beside(samples: Samples) -> list[Beside]:
    """Each finding with each of our settings that it is about."""
    campaign = samples.campaign
    if campaign.paper is None:
        return []
    return [
        put
        for finding in findings(campaign, campaign.paper)
        for group in samples.groups
        if _is_about(finding, group, samples)
        for put in [_put(samples, finding, group)]
    ]


def _is_about(finding: Finding, group: Group, samples: Samples) -> bool:
    """An axis that our results do not have, or have one value of, sets nothing apart: the paper's 192 ranks may stand beside
    our two. Not so a place that the campaign has and that was left out."""
    ours = dict(group)
    left_out = {axis.name: axis.left_out for axis in samples.campaign.axes}
    return not any(
        name in left_out.get(axis, ()) or (axis in samples.telling_axes and ours.get(axis) != name)
        for axis, name in finding.choice.items()
    )


def _put(samples: Samples, finding: Finding, group: Group) -> Beside:
    measure = next(m for m in samples.measures if m.name == finding.measure)
    comparison: Comparison | None = compare(samples, group, measure)
    ours, others = samples.of(group, finding.way), samples.of(group, finding.against)
    ratio = pair_up(ours, others, measure.name, samples.campaign.seed)
    told = comparison is not None and frozenset((finding.way, finding.against)) in comparison.apart
    judged = verdict(False, ratio, told, measure.higher_is_better)
    return Beside(finding, group, ratio, judged, agreement(finding.direction, judged))


def agreement(paper: str, ours: str) -> str:
    if ours not in (BETTER, WORSE, NOISE):
        return NOT_KNOWN
    if ours == NOISE:
        return {SAME: AGREES, WITHIN: NEITHER}.get(paper, NOT_SEEN)
    if paper in (SAME, WITHIN):
        return ONLY_HERE
    return AGREES if paper == ours else OPPOSITE
