"""Every way of a setting against the baseline and against every other, measure by measure. Pure.

What is told apart is decided for all pairs of a setting's ways at once, so that the verdicts do not contradict each
other. Ways that cannot be told apart share a letter and are not ranked: "a" and "ab" share one, "a" and "b" do not.
Who leads follows from the same pairs, not from the means: one slow repeat moves a mean, and a failed one leaves it out.
"""

from __future__ import annotations

import itertools
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
    beaten: frozenset[tuple[str, str]]  # pairs that can be told apart: who is better than whom
    untold: frozenset[str]  # ways with too few repeats to say anything of them

    def of(self, way: str) -> Compared | None:
        return next((compared for compared in self.ways if compared.way == way), None)

    @property
    def apart(self) -> frozenset[frozenset[str]]:
        """Pairs that can be told apart."""
        return unordered(self.beaten)

    @property
    def known(self) -> list[Compared]:
        """The ways that something can be said of."""
        return [compared for compared in self.ways if compared.way not in self.untold]

    @property
    def leaders(self) -> list[Compared]:
        """Those that none is better than, in the order of the file. None of them is told from another: they have no
        rank."""
        return self._unbeaten(self.known)

    @property
    def next_to_leaders(self) -> list[Compared]:
        return self._unbeaten([compared for compared in self.known if compared not in self.leaders])

    def _unbeaten(self, ways: list[Compared]) -> list[Compared]:
        """All, where each is beaten by another: tests of different repeats can go round in a circle."""
        unbeaten = [c for c in ways if not any((other.way, c.way) in self.beaten for other in ways)]
        return unbeaten or ways


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
    tested = {pair: ratio for pair in pairs if (ratio := ratios[pair]) is not None and ratio.pairs > 1}
    holds = dict(zip(tested, holm([ratio.p for ratio in tested.values()]), strict=True))
    beaten = frozenset(
        pair if (ratio.sign > 0) == measure.higher_is_better else (pair[1], pair[0])
        for pair, ratio in tested.items()
        if holds[pair]
    )
    apart = unordered(beaten)
    summaries = {way: summarise([s.values[measure.name] for s in found], seed) for way, found in by_way.items()}
    untold = frozenset(way for way in by_way if not any(way in pair for pair in tested))
    letters = letters_of([way for way in by_rank(summaries, measure) if way not in untold], apart)
    ways = []
    for way, found in by_way.items():
        ratio = pair_up(found, by_way.get(baseline, []), measure.name, seed) if way != baseline else None
        told = verdict(way == baseline, ratio, frozenset((way, baseline)) in apart, measure.higher_is_better)
        ways.append(Compared(way, summaries[way], ratio, told, letters.get(way, "")))
    return Comparison(group, measure, tuple(ways), beaten, untold)


def unordered(pairs: Iterable[tuple[str, str]]) -> frozenset[frozenset[str]]:
    return frozenset(frozenset(pair) for pair in pairs)


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
    return BETTER if (ratio.sign > 0) == higher_is_better else WORSE


def by_rank(summaries: Mapping[str, Summary], measure: Measure) -> list[str]:
    return sorted(summaries, key=lambda way: summaries[way].mean * (-1 if measure.higher_is_better else 1))


def letters_of(ways: list[str], apart: frozenset[frozenset[str]]) -> dict[str, str]:
    """A letter for each largest set of ways none of which is told from another: the compact letter display."""

    def together(a: str, b: str) -> bool:
        return frozenset((a, b)) not in apart

    cliques: list[list[str]] = []

    def grow(clique: list[str], candidates: list[str], excluded: list[str]) -> None:
        """Bron and Kerbosch: all maximal cliques. A clique has the pivot or one that is not together with it, so only
        those are tried; without it, n ways that are all alike would take 2^n steps."""
        if not candidates and not excluded:
            cliques.append(clique)
            return
        pivot = max([*candidates, *excluded], key=lambda way: sum(together(way, other) for other in candidates))
        for way in [way for way in candidates if way == pivot or not together(way, pivot)]:
            grow(
                [*clique, way],
                [other for other in candidates if other != way and together(way, other)],
                [other for other in excluded if together(way, other)],
            )
            candidates = [other for other in candidates if other != way]
            excluded = [*excluded, way]

    grow([], ways, [])
    ranked = sorted(sorted(ways.index(way) for way in clique) for clique in cliques)
    return {
        way: "".join(letter_of(i) for i, clique in enumerate(ranked) if number in clique)
        for number, way in enumerate(ways)
    }


def letter_of(number: int) -> str:
    """a to z, then with a number: a2, b2, .."""
    letter = chr(ord("a") + number % 26)
    return letter if number < 26 else f"{letter}{number // 26 + 1}"
