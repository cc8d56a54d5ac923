"""What is said of results beside the answer: ratios as words, what would change it, where the paper agrees. Pure."""

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
    """0.0904 -> "0.090", 1.04 -> "1.04", 47.1 -> "47"."""
    if ratio >= 10:
        return f"{ratio:,.0f}"
    return f"{ratio:.2f}" if ratio >= 0.095 or ratio == 0 else f"{ratio:#.2g}"


def ratio_words(ratio: Ratio | None) -> str:
    """With its interval: "0.097 (0.091 - 0.11)"."""
    if ratio is None or math.isnan(ratio.ratio):
        return ""
    if math.isnan(ratio.low):
        return times(ratio.ratio)
    return f"{times(ratio.ratio)} ({times(ratio.low)} – {times(ratio.high)})"


def value_words(value: float, unit: str) -> str:
    return f"{format_number(value)} {unit}".strip()


def verdict_words(verdict: str, measure: Measure) -> str:
    """Of times one says faster and slower."""
    return {BETTER: "faster", WORSE: "slower"}.get(verdict, verdict) if measure.unit in ("s", "ms") else verdict


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
    """ "Of 9 directions that the paper tells, 6 agree, 1 is not seen here, 1 is the other way and 1 has too few runs"."""
    if all(b.agreement == NOT_KNOWN for b in put):
        return "Nothing here can be put beside the paper's figures."
    kinds = (AGREES, OPPOSITE, NOT_SEEN, ONLY_HERE, NEITHER, NOT_KNOWN)
    counts = {kind: sum(b.agreement == kind for b in put) for kind in kinds}
    words = {
        AGREES: lambda n: f"{n} agree{'s' if n == 1 else ''}",
        NOT_SEEN: lambda n: f"{n} {'is' if n == 1 else 'are'} within the noise here",
        ONLY_HERE: lambda n: f"{n} differ{'s' if n == 1 else ''} here alone",
        OPPOSITE: lambda n: f"{n} go{'es' if n == 1 else ''} the other way",
        NEITHER: lambda n: f"{n} can be told by neither",
        NOT_KNOWN: lambda n: f"{n} {'has' if n == 1 else 'have'} too few runs here",
    }
    told = enumerate_words([words[kind](n) for kind, n in counts.items() if n])
    return f"Of {len(put)} directions that the paper's figures have, {told}."


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
        f"Each setting was run {'once' if span == '1' else f'{span} times'}.{typical} "
        "Ratios are geometric means over repeats, with a bootstrap 95 % "
        "interval. A difference counts where a paired t-test of the ratios' logarithms (of the differences, where a value "
        "is 0), corrected for all pairs of ways that are compared (Holm), gives p < 0.05; all else is within the noise. "
        "Ways that share a letter cannot be told apart."
    )
