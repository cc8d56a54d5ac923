"""What is said of results: the answer in one sentence, what would change it, where the paper agrees. Pure.

Nothing is said to be better than something it cannot be told from.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.campaign.model import Measure
from weft.quantities import format_number
from weft.report.beside_paper import AGREES, NEITHER, NOT_KNOWN, NOT_SEEN, ONLY_HERE, OPPOSITE, Beside
from weft.report.comparison import BETTER, NOISE, WORSE, Compared, Comparison
from weft.report.samples import Samples
from weft.report.statistics import Ratio, repeats_to_tell

MANY = 4  # settings that are told one by one


@dataclass(frozen=True)
class Doings:
    """What the machine did when runs began."""

    cores: int
    most_ranks: int
    loads: Sequence[float]

    @staticmethod
    def of(sessions: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> Doings:
        ranks = [result["settings"].get("ranks", 1) for result in results]
        return Doings(
            cores=next((session["machine"]["cores"] for session in sessions if "cores" in session["machine"]), 0),
            most_ranks=max((number for number in ranks if isinstance(number, int)), default=1),
            loads=[result["load"] for result in results if "load" in result],
        )


def enumerate_words(words: Sequence[str]) -> str:
    """a; a and b; a, b and c."""
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else list(words))


def times(ratio: float) -> str:
    """0.0973 -> "0.097", 1.04 -> "1.04", 47.1 -> "47"."""
    if math.isnan(ratio):
        return "?"
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return f"{ratio:.2f}" if ratio >= 0.095 else f"{ratio:.2g}"


def ratio_words(ratio: Ratio | None) -> str:
    """With its interval: "0.097 (0.091 - 0.11)"."""
    if ratio is None:
        return ""
    if math.isnan(ratio.low):
        return times(ratio.ratio)
    return f"{times(ratio.ratio)} ({times(ratio.low)} – {times(ratio.high)})"


def value_words(value: float, unit: str) -> str:
    return f"{format_number(value)} {unit}".strip()


def verdict_words(verdict: str, measure: Measure) -> str:
    """Of times one says faster and slower."""
    return {BETTER: "faster", WORSE: "slower"}.get(verdict, verdict) if measure.unit in ("s", "ms") else verdict


def answer(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    """One sentence about the measure that the campaign asks about."""
    asked = [c for c in comparisons if c.measure.name == samples.campaign.report.answer]
    if not asked:
        return "No experiment came to its end, so there is no answer."
    if max(c.summary.count for comparison in asked for c in comparison.ways) < 2:
        return "One repeat says nothing of noise, so nothing can be told apart."
    if len(asked) == 1:
        return f"{_capital(_of_setting(samples, asked[0]))}."
    leading = {tuple(c.way for c in comparison.leaders) for comparison in asked}
    if len(leading) == 1:
        return _everywhere(samples, asked)
    if len(asked) <= MANY:
        parts = [f"{samples.group_label(c.group)}: {_of_setting(samples, c)}" for c in asked]
        return f"It depends. {_capital('; '.join(parts))}."
    return _tally(samples, asked)


def _of_setting(samples: Samples, comparison: Comparison) -> str:
    measure = comparison.measure
    if len(comparison.ways) == 1:
        only = comparison.ways[0]
        return f"{samples.way_label(only.way)}: {value_words(only.summary.mean, measure.unit)}"
    leaders = comparison.leaders
    names = enumerate_words([samples.way_label(c.way) for c in leaders])
    if len(leaders) == len(comparison.ways):
        return f"{names} cannot be told apart by their {measure.name}"
    superlative = "greatest" if measure.higher_is_better else "least"
    if len(leaders) > 1:
        told = f"the {superlative} {measure.name} is that of {names}, which cannot be told apart"
    else:
        first = leaders[0]
        told = f"the {superlative} {measure.name} is that of {names}, {value_words(first.summary.mean, measure.unit)}"
    return told + _against_baseline(samples, comparison)


def _against_baseline(samples: Samples, comparison: Comparison) -> str:
    """ "; 0.10 times (95 %: 0.09 – 0.11) that of the baseline"."""
    leaders = comparison.leaders
    baseline = samples.campaign.report.baseline
    if any(c.way == baseline for c in leaders):
        following = [
            (samples.way_label(c.way), c.ratio.ratio) for c in comparison.next_to_leaders if c.ratio is not None
        ]
        if not following:
            return ""
        names = enumerate_words([name for name, _ in following])
        span = _span(min(ratio for _, ratio in following), max(ratio for _, ratio in following))
        return f"; next {'is' if len(following) == 1 else 'are'} {names}, with {span} times as much"
    ratios = [c.ratio for c in leaders if c.ratio is not None]
    if not ratios:
        return ""
    if len(ratios) == 1:
        interval = "" if math.isnan(ratios[0].low) else f" (95 %: {times(ratios[0].low)} – {times(ratios[0].high)})"
        return f": {times(ratios[0].ratio)} times{interval} that of {samples.way_label(baseline)}"
    least, most = min(r.ratio for r in ratios), max(r.ratio for r in ratios)
    return f": {_span(least, most)} times that of {samples.way_label(baseline)}"


def _span(least: float, most: float) -> str:
    return times(least) if times(least) == times(most) else f"{times(least)} to {times(most)}"


def _everywhere(samples: Samples, asked: Sequence[Comparison]) -> str:
    """The same lead in all settings."""
    first = asked[0]
    leaders = first.leaders
    names = enumerate_words([samples.way_label(c.way) for c in leaders])
    where = f"In all {len(asked)} settings"
    if len(leaders) == len(first.ways):
        return f"{where} {names} cannot be told apart by their {first.measure.name}."
    superlative = "greatest" if first.measure.higher_is_better else "least"
    alike = ", which cannot be told apart" if len(leaders) > 1 else ""
    ratios = [c.ratio.ratio for comparison in asked for c in comparison.leaders if c.ratio is not None]
    baseline = samples.way_label(samples.campaign.report.baseline)
    against = f": {_span(min(ratios), max(ratios))} times that of {baseline}" if ratios else ""
    return f"{where} the {superlative} {first.measure.name} is that of {names}{alike}{against}."


def _tally(samples: Samples, asked: Sequence[Comparison]) -> str:
    """Too many settings to tell one by one."""
    counts: dict[str, int] = {}
    for comparison in asked:
        leaders = comparison.leaders
        alone = enumerate_words([samples.way_label(c.way) for c in leaders])
        key = alone if len(leaders) < len(comparison.ways) else ""
        counts[key] = counts.get(key, 0) + 1
    apart = [f"{names} in {n}" for names, n in sorted(counts.items(), key=lambda item: -item[1]) if names]
    none = f"{counts['']} in which nothing can be told apart" if "" in counts else ""
    superlative = "greatest" if asked[0].measure.higher_is_better else "least"
    return f"It depends: the {superlative} {asked[0].measure.name} in {len(asked)} settings is that of " + (
        enumerate_words([*apart, *([none] if none else [])]) + "."
    )


def what_would_change_it(samples: Samples, comparisons: Sequence[Comparison], done: Doings) -> list[str]:
    """What the campaign's file says, and what follows from the results themselves."""
    said = [samples.campaign.report.would_change] if samples.campaign.report.would_change else []
    asked = [c for c in comparisons if c.measure.name == samples.campaign.report.answer]
    for comparison in asked:
        for compared in comparison.ways:
            if compared.verdict == NOISE and compared.ratio is not None:
                said.append(_more_repeats(samples, comparison, compared, compared.ratio))
    return said[: 2 * MANY] + _busy(done)


def _more_repeats(samples: Samples, comparison: Comparison, compared: Compared, ratio: Ratio) -> str:
    label = samples.group_label(comparison.group)
    where = f" ({label})" if label else ""
    told = f"{samples.way_label(compared.way)} against {samples.way_label(samples.campaign.report.baseline)}{where}: "
    told += f"{ratio_words(ratio)} times is within the noise"
    count = repeats_to_tell(ratio)
    if count is None:
        return told + "."
    if count <= ratio.pairs:
        return told + ", as so many ways are compared at once; more repeats would tell."
    return told + f"; if ratio and spread stayed what they are, {count} repeats would tell them apart."


def _busy(done: Doings) -> list[str]:
    """Whether the machine did much else: more wanted a core, run after run, than cores and ranks account for."""
    if not done.loads or not done.cores or statistics.median(done.loads) <= max(done.cores, done.most_ranks) + 0.5:
        return []
    typical = format_number(statistics.median(done.loads))
    return [
        f"A quiet machine: when runs began, {typical} processes wanted its {done.cores} cores (median), so others shared it."
    ]


def agreement_words(put: Sequence[Beside]) -> str:
    """ "Of 9 directions that the paper tells, 7 agree, 1 is not seen here and 1 is the other way"."""
    known = [b for b in put if b.agreement != NOT_KNOWN]
    if not known:
        return "Nothing here can be put beside the paper's figures."
    counts = {
        kind: sum(b.agreement == kind for b in known) for kind in (AGREES, OPPOSITE, NOT_SEEN, ONLY_HERE, NEITHER)
    }
    words = {
        AGREES: lambda n: f"{n} agree{'s' if n == 1 else ''}",
        NOT_SEEN: lambda n: f"{n} {'is' if n == 1 else 'are'} within the noise here",
        ONLY_HERE: lambda n: f"{n} differ{'s' if n == 1 else ''} here alone",
        OPPOSITE: lambda n: f"{n} go{'es' if n == 1 else ''} the other way",
        NEITHER: lambda n: f"{n} can be told by neither",
    }
    told = enumerate_words([words[kind](n) for kind, n in counts.items() if n])
    return f"Of {len(known)} directions that the paper's figures have, {told}."


def noise_words(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    """How differences are judged here."""
    repeats = sorted({c.summary.count for comparison in comparisons for c in comparison.ways})
    if not repeats:
        return ""
    span = str(repeats[0]) if len(repeats) == 1 else f"{repeats[0]} to {repeats[-1]}"
    spread = [
        c.summary.sd / c.summary.mean for comparison in comparisons for c in comparison.ways if c.summary.mean > 0
    ]
    known = [value for value in spread if not math.isnan(value)]
    typical = (
        f" The standard deviation is typically {100 * statistics.median(known):.0f} % of the mean." if known else ""
    )
    return (
        f"Each setting was run {span} times.{typical} Ratios are geometric means over repeats, with a bootstrap 95 % "
        "interval. A difference counts where a paired t-test of the ratios' logarithms, corrected for all pairs of ways "
        "that are compared (Holm), gives p < 0.05; all else is within the noise. Ways that share a letter cannot be told "
        "apart."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
