"""The answer, in one sentence. Nothing is said to be better than something it cannot be told from. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.report.comparison import BETTER, WORSE, Comparison
from weft.report.samples import Samples
from weft.report.statistics import Ratio
from weft.report.wording import MANY, enumerate_words, times, value_words


def answer(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    """One sentence about what the campaign asks for."""
    if len(samples.campaign.report.answers) > 1 and len({c.group for c in comparisons}) == 1:
        return _of_several_measures(samples, comparisons)
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


def _of_several_measures(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    """As in: Least write: Weft (0.21 s); least trace: Weft and raw, which cannot be told apart."""
    told = []
    for name in samples.campaign.report.answers:
        comparison = next((c for c in comparisons if c.measure.name == name), None)
        if comparison is None or max(c.summary.count for c in comparison.ways) < 2:
            continue
        superlative = "greatest" if comparison.measure.higher_is_better else "least"
        leaders = comparison.leaders
        if len(leaders) == len(comparison.ways) > 1:
            told.append(f"by {name}, none can be told from the best")
            continue
        names = enumerate_words([samples.way_label(c.way) for c in leaders])
        value = value_words(leaders[0].summary.mean, comparison.measure.unit)
        told.append(
            f"{superlative} {name}: {names}" + (f" ({value})" if len(leaders) == 1 else ", which cannot be told apart")
        )
    if not told:
        return "One repeat says nothing of noise, so nothing can be told apart."
    return f"{_capital('; '.join(told))}."


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
    apart = [
        (samples.way_label(c.way), c.ratio) for c in leaders if c.ratio is not None and c.verdict in (BETTER, WORSE)
    ]
    if not apart:
        return ""
    base = samples.way_label(baseline)
    if len(leaders) == 1:
        return f": {_ratio_of(apart[0][1])} that of {base}"
    if len(apart) == len(leaders):
        return f": {_span(min(r.ratio for _, r in apart), max(r.ratio for _, r in apart))} times that of {base}"
    # One that leads may still be too noisy to be told from the baseline: of it no ratio is claimed.
    others = enumerate_words([samples.way_label(c.way) for c in leaders if c.verdict not in (BETTER, WORSE)])
    told = enumerate_words([f"{name} has {_ratio_of(ratio)}" for name, ratio in apart])
    return f": {told} that of {base}, from which {others} cannot be told"


def _ratio_of(ratio: Ratio) -> str:
    """ "0.10 times (95 %: 0.09 – 0.11)"."""
    interval = "" if math.isnan(ratio.low) else f" (95 %: {times(ratio.low)} – {times(ratio.high)})"
    return f"{times(ratio.ratio)} times{interval}"


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
    ratios = [
        c.ratio.ratio for each in asked for c in each.leaders if c.ratio is not None and c.verdict in (BETTER, WORSE)
    ]
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


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
