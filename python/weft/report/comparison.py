"""Every way of a setting against the baseline and against every other, measure by measure. Pure.

What is told apart is decided for all pairs of a setting's ways at once, so that the verdicts do not contradict each
other. Ways that cannot be told apart share a letter and are not ranked: "a" and "ab" share one, "a" and "b" do not.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from weft.campaign.model import Measure
from weft.report.samples import Group, Sample, Samples
from weft.report.statistics import Ratio, Summary, holm, paired_ratio, summarise

BETTER, WORSE, NOISE, BASELINE, UNKNOWN = "better", "worse", "within the noise", "baseline", "too few repeats"


@dataclass(frozen=True)
class Compared:
    """A way in a setting, by one measure."""

    way: str
    summary: Summary
    ratio: Ratio | None  # to the baseline; None for itself, and where there is nothing to pair
    verdict: str
    letters: str


@dataclass(frozen=True)
class Comparison:
    group: Group
    measure: Measure
    ways: tuple[Compared, ...]  # in the order of the file
    apart: frozenset[frozenset[str]]  # pairs that can be told apart

    def of(self, way: str) -> Compared | None:
        return next((compared for compared in self.ways if compared.way == way), None)

    @property
    def leaders(self) -> list[Compared]:
        """The best and those that cannot be told from it, in the order of the file: they have no rank."""
        return self._alike(list(self.ways))

    @property
    def next_to_leaders(self) -> list[Compared]:
        return self._alike([compared for compared in self.ways if compared not in self.leaders])

    def _alike(self, ways: list[Compared]) -> list[Compared]:
        sign = -1 if self.measure.higher_is_better else 1
        best = min(ways, key=lambda compared: sign * compared.summary.mean, default=None)
        return [c for c in ways if best is not None and frozenset((c.way, best.way)) not in self.apart]


def compare_all(samples: Samples) -> list[Comparison]:
    return [
        compared
        for group in samples.groups
        for measure in samples.measures
        if (compared := compare(samples, group, measure)) is not None
    ]


def compare(samples: Samples, group: Group, measure: Measure) -> Comparison | None:
    baseline = samples.campaign.report.baseline
    seed = samples.campaign.seed
    having = {way: [s for s in samples.of(group, way) if measure.name in s.values] for way in samples.ways}
    by_way = {way: found for way, found in having.items() if found}
    if not by_way:
        return None
    pairs = list(itertools.combinations(by_way, 2))
    ratios = {pair: pair_up(by_way[pair[0]], by_way[pair[1]], measure.name, seed) for pair in pairs}
    tested = [pair for pair in pairs if (ratio := ratios[pair]) is not None and ratio.pairs > 1]
    holds = holm([ratio.p if (ratio := ratios[pair]) is not None else 1.0 for pair in tested])
    apart = frozenset(frozenset(pair) for pair, told in zip(tested, holds, strict=True) if told)
    summaries = {way: summarise([s.values[measure.name] for s in found], seed) for way, found in by_way.items()}
    letters = letters_of(by_rank(summaries, measure), apart)
    ways = []
    for way, found in by_way.items():
        ratio = pair_up(found, by_way.get(baseline, []), measure.name, seed) if way != baseline else None
        told = verdict(way == baseline, ratio, frozenset((way, baseline)) in apart, measure.higher_is_better)
        ways.append(Compared(way, summaries[way], ratio, told, letters[way]))
    return Comparison(group, measure, tuple(ways), apart)


def pair_up(ours: Iterable[Sample], others: Iterable[Sample], measure: str, seed: int) -> Ratio | None:
    """By repeat; a repeat in which one of the two failed is left out."""
    theirs = {sample.repeat: sample.values[measure] for sample in others if measure in sample.values}
    pairs = [(s.values[measure], theirs[s.repeat]) for s in ours if s.repeat in theirs and measure in s.values]
    if not pairs:
        return None
    return paired_ratio([mine for mine, _ in pairs], [other for _, other in pairs], seed)


def verdict(is_baseline: bool, ratio: Ratio | None, apart: bool, higher_is_better: bool) -> str:
    if is_baseline:
        return BASELINE
    if ratio is None or ratio.pairs < 2:
        return UNKNOWN
    if not apart:
        return NOISE
    if math.isnan(ratio.ratio):  # against a baseline of nothing
        return BETTER if higher_is_better else WORSE
    return BETTER if (ratio.ratio > 1) == higher_is_better else WORSE


def by_rank(summaries: Mapping[str, Summary], measure: Measure) -> list[str]:
    return sorted(summaries, key=lambda way: summaries[way].mean * (-1 if measure.higher_is_better else 1))


def letters_of(ways: list[str], apart: frozenset[frozenset[str]]) -> dict[str, str]:
    """A letter for each largest set of ways none of which is told from another: the compact letter display."""

    def together(a: str, b: str) -> bool:
        return frozenset((a, b)) not in apart

    cliques: list[list[str]] = []

    def grow(clique: list[str], candidates: list[str], excluded: list[str]) -> None:
        """Bron and Kerbosch: all maximal cliques."""
        if not candidates and not excluded:
            cliques.append(clique)
        while candidates:
            way, *candidates = candidates
            grow(
                [*clique, way],
                [other for other in candidates if together(way, other)],
                [other for other in excluded if together(way, other)],
            )
            excluded = [*excluded, way]

    grow([], ways, [])
    ranked = sorted(cliques, key=lambda clique: [ways.index(way) for way in clique])
    names = "abcdefghijklmnopqrstuvwxyz"
    return {way: "".join(names[i % 26] for i, clique in enumerate(ranked) if way in clique) for way in ways}
