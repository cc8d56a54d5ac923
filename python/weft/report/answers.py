"""The answer, in one sentence. Nothing is said to be better than something it cannot be told from. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from weft.quantities import format_number
from weft.report.comparison import BETTER, WORSE, Compared, Comparison
from weft.report.samples import Samples
from weft.report.statistics import Ratio
from weft.report.wording import MANY, enumerate_words, times, value_words

TOO_FEW = "One repeat says nothing of noise, so nothing can be told apart."


def answer(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    """One sentence about what the campaign asks for; one for each of several measures where there are several settings."""
    if not samples.all:
        return "No experiment ended, so there is no answer."
    names = samples.campaign.report.answers
    if len(names) > 1 and len({c.group for c in comparisons}) == 1:
        return _of_several_measures(samples, comparisons)
    return " ".join(_of_measure(samples, comparisons, name) for name in names)


def _of_measure(samples: Samples, comparisons: Sequence[Comparison], name: str) -> str:
    asked = [c for c in comparisons if c.measure.name == name]
    if not asked:
        return f"No run that came to its end has '{name}', so there is no answer."
    if len({c.way for comparison in asked for c in comparison.ways}) == 1:
        return _of_one_way(samples, asked)
    # A setting that only one way came through says nothing of ways.
    asked = [comparison for comparison in asked if len(comparison.known) > 1]
    if not asked:
        return TOO_FEW
    if len(asked) == 1:
        label = samples.group_label(asked[0].group)
        return _capital((f"{label}: " if label else "") + _of_setting(samples, asked[0])) + "."
    leading = {tuple(c.way for c in comparison.leaders) for comparison in asked}
    if len(leading) == 1 and len({len(c.leaders) == len(c.known) for c in asked}) == 1:
        return _everywhere(samples, asked)
    if len(asked) <= MANY:
        parts = [f"{samples.group_label(c.group)}: {_of_setting(samples, c)}" for c in asked]
        return f"It depends. {_capital('; '.join(parts))}."
    return _tally(samples, asked)


def _of_one_way(samples: Samples, asked: Sequence[Comparison]) -> str:
    """Nothing to compare: what it took."""
    values = [c.ways[0].summary.mean for c in asked]
    unit = asked[0].measure.unit
    span = value_words(min(values), unit)
    if len(asked) > 1:
        span = f"{format_number(min(values))} to {value_words(max(values), unit)} in {len(asked)} settings"
    return f"{samples.way_label(asked[0].ways[0].way)}: {asked[0].measure.name} {span}, and nothing beside it."


def _of_several_measures(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    """As in: Least write: Weft (0.21 s); least trace: Weft and raw, which cannot be told apart."""
    told = []
    for name in samples.campaign.report.answers:
        comparison = next((c for c in comparisons if c.measure.name == name), None)
        if comparison is None or len(comparison.known) < 2:
            continue
        superlative = "greatest" if comparison.measure.higher_is_better else "least"
        leaders = comparison.leaders
        if len(leaders) == len(comparison.known):
            told.append(f"by {name}, none can be told from another")
            continue
        names = enumerate_words([samples.way_label(c.way) for c in leaders])
        value = value_words(leaders[0].summary.mean, comparison.measure.unit)
        told.append(
            f"{superlative} {name}: {names}" + (f" ({value})" if len(leaders) == 1 else ", which cannot be told apart")
        )
    if not told:
        return TOO_FEW
    return f"{_capital('; '.join(told))}."


def _of_setting(samples: Samples, comparison: Comparison) -> str:
    measure = comparison.measure
    leaders = comparison.leaders
    names = enumerate_words([samples.way_label(c.way) for c in leaders])
    if len(leaders) == len(comparison.known):
        return f"{names} cannot be told apart by their {measure.name}" + _untold(samples, comparison)
    superlative = "greatest" if measure.higher_is_better else "least"
    if len(leaders) > 1:
        told = f"the {superlative} {measure.name} is that of {names}, which cannot be told apart"
    else:
        first = leaders[0]
        told = f"the {superlative} {measure.name} is that of {names}, {value_words(first.summary.mean, measure.unit)}"
    return told + _against_baseline(samples, comparison) + _untold(samples, comparison)


def _untold(samples: Samples, comparison: Comparison) -> str:
    """Ways whose runs failed but for one or none."""
    names = [samples.way_label(c.way) for c in comparison.ways if c.way in comparison.untold]
    return f"; of {enumerate_words(names)} there are too few repeats" if names else ""


def _against_baseline(samples: Samples, comparison: Comparison) -> str:
    """ "; 0.10 times (95 %: 0.09 – 0.11) that of the baseline"."""
    leaders = comparison.leaders
    baseline = samples.campaign.report.baseline
    if any(c.way == baseline for c in leaders):
        return _followers(samples, comparison.next_to_leaders)
    apart = [(samples.way_label(c.way), c.ratio) for c in leaders if c.ratio is not None and _is_told(c)]
    if not apart:
        return ""
    base = samples.way_label(baseline)
    if len(leaders) == 1:
        return f": {_ratio_of(apart[0][1])} that of {base}"
    if len(apart) == len(leaders):
        return f": {_span(min(r.ratio for _, r in apart), max(r.ratio for _, r in apart))} times that of {base}"
    # One that leads may still be too noisy to be told from the baseline: of it no ratio is claimed.
    others = enumerate_words([samples.way_label(c.way) for c in leaders if not _is_told(c)])
    told = enumerate_words([f"{name} has {_ratio_of(ratio)}" for name, ratio in apart])
    return f": {told} that of {base}, from which {others} cannot be told"


def _followers(samples: Samples, following: Sequence[Compared]) -> str:
    """Those behind a baseline that leads: with a ratio only where they can be told from it."""
    told = [(samples.way_label(c.way), c.ratio.ratio) for c in following if c.ratio is not None and _is_told(c)]
    others = [samples.way_label(c.way) for c in following if not _is_told(c)]
    baseline = samples.way_label(samples.campaign.report.baseline)
    parts = []
    if told:
        span = _span(min(ratio for _, ratio in told), max(ratio for _, ratio in told))
        parts.append(f"{enumerate_words([name for name, _ in told])}, with {span} times as much")
    if others:
        parts.append(f"{enumerate_words(others)}, which cannot be told from {baseline}")
    return f"; next {'is' if len(following) == 1 else 'are'} {', and '.join(parts)}" if parts else ""


def _is_told(compared: Compared) -> bool:
    """From the baseline, and by a ratio."""
    return compared.verdict in (BETTER, WORSE) and compared.ratio is not None and not math.isnan(compared.ratio.ratio)


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
    if len(leaders) == len(first.known):
        return f"{where} {names} cannot be told apart by their {first.measure.name}."
    superlative = "greatest" if first.measure.higher_is_better else "least"
    alike = ", which cannot be told apart" if len(leaders) > 1 else ""
    ratios = [c.ratio.ratio for each in asked for c in each.leaders if c.ratio is not None and _is_told(c)]
    baseline = samples.way_label(samples.campaign.report.baseline)
    against = f": {_span(min(ratios), max(ratios))} times that of {baseline}" if ratios else ""
    return f"{where} the {superlative} {first.measure.name} is that of {names}{alike}{against}."


def _tally(samples: Samples, asked: Sequence[Comparison]) -> str:
    """Too many settings to tell one by one."""
    counts: dict[str, int] = {}
    for comparison in asked:
        leaders = comparison.leaders
        alone = enumerate_words([samples.way_label(c.way) for c in leaders])
        key = alone if len(leaders) < len(comparison.known) else ""
        counts[key] = counts.get(key, 0) + 1
    apart = [f"{names} in {n}" for names, n in sorted(counts.items(), key=lambda item: -item[1]) if names]
    none = f"{counts['']} in which nothing can be told apart" if "" in counts else ""
    superlative = "greatest" if asked[0].measure.higher_is_better else "least"
    return f"It depends: the {superlative} {asked[0].measure.name} in {len(asked)} settings is that of " + (
        enumerate_words([*apart, *([none] if none else [])]) + "."
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
