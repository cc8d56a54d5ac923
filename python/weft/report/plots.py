"""The pictures of a report.

values_figure    bars stacked by phase with error bars, a panel for each setting, as in paper 1's Figure 5; or a panel for
                 each measure where they are no parts of a whole
lines_figure     a line for each way over the size, on logarithmic axes, as in paper 2's Figures 4 to 6
ratios_figure    every way's ratio to the baseline with its interval, and the paper's; grey where it is within the noise
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from weft.quantities import format_number
from weft.report.beside_paper import Beside
from weft.report.comparison import BETTER, WORSE, Comparison
from weft.report.samples import Group, Samples
from weft.report.wording import times

P = ParamSpec("P")
F = TypeVar("F", bound="Figure | None")

# Okabe and Ito's colours, which those who see few colours tell apart too.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#999999", "#F0E442"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
GREY = "#9a9a9a"
STYLE: dict[Any, Any] = {
    "font.size": 10.0,
    "axes.titlesize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "figure.dpi": 100,
    "svg.hashsalt": "weft",  # names that are no random ones: report.making.with_counted_names
    "svg.fonttype": "none",  # words stay words, which takes half the room
    "font.sans-serif": ["DejaVu Sans"],  # Matplotlib's own, so that every machine lays out alike
}
MOST_PANELS = 12
MOST_RATIOS = 60
LABEL_WIDTH = 11  # letters that fit below a bar


def styled(draw: Callable[P, F]) -> Callable[P, F]:
    def drawn(*arguments: P.args, **named: P.kwargs) -> F:
        with matplotlib.rc_context(STYLE):
            return draw(*arguments, **named)

    return drawn


def close(figure: Figure) -> None:
    """Matplotlib keeps what it has drawn until it is told."""
    plt.close(figure)


def wrapped(text: str, width: int = LABEL_WIDTH) -> str:
    return "\n".join(textwrap.wrap(text, width, break_long_words=False)) or text


def say_what_is_left_out(figure: Figure, there: int, most: int, what: str) -> None:
    if there > most:
        figure.supxlabel(f"the first {most} of {there} {what}; the tables have all", fontsize=9, color="#555555")


@styled
def values_figure(samples: Samples, comparisons: Sequence[Comparison]) -> Figure | None:
    if not comparisons:
        return None
    if samples.campaign.report.total:
        return _stacked(samples, comparisons)
    return _side_by_side(samples, comparisons)


def _panels(count: int, columns: int, width: float, height: float) -> tuple[Figure, list[Axes]]:
    rows = math.ceil(count / columns)
    figure, grid = plt.subplots(
        rows, columns, figsize=(width * columns, height * rows), squeeze=False, layout="constrained"
    )
    axes = [axis for row in grid for axis in row]
    for unused in axes[count:]:
        unused.remove()
    return figure, axes[:count]


def _stacked(samples: Samples, comparisons: Sequence[Comparison]) -> Figure:
    """A bar for each way, its phases one on the other; the phase's standard deviation at its top."""
    groups = samples.groups[:MOST_PANELS]
    parts = [measure for measure in samples.measures if measure.name != samples.campaign.report.total]
    total = samples.campaign.report.total
    columns = min(len(groups), 3)
    figure, panels = _panels(len(groups), columns, max(3.2, 1.2 * len(samples.ways) + 0.8), 3.7)
    for panel, group in zip(panels, groups, strict=True):
        of = {c.measure.name: c for c in comparisons if c.group == group}
        ways = [compared.way for compared in of[total].ways]
        bottoms = [0.0] * len(ways)
        tops = [0.0] * len(ways)  # of what is drawn, error bars and all
        for number, part in enumerate(parts):
            each = [of[part.name].of(way) for way in ways]
            heights = [c.summary.mean if c is not None else 0.0 for c in each]
            colour = COLOURS[number % len(COLOURS)]
            panel.bar(range(len(ways)), heights, 0.66, bottom=bottoms, color=colour, label=part.name, edgecolor="white",
                      linewidth=0.6)  # fmt: skip
            bottoms = [bottom + height for bottom, height in zip(bottoms, heights, strict=True)]
            # Side by side, so that the error bars of thin phases do not hide one another.
            shift = (number - (len(parts) - 1) / 2) * 0.16
            spread = [c.summary.sd if c is not None else math.nan for c in each]
            drawn = [i for i, sd in enumerate(spread) if sd > 0]
            tops = [max(top, bottom + (max(0, sd))) for top, bottom, sd in zip(tops, bottoms, spread, strict=True)]
            panel.errorbar([i + shift for i in drawn], [bottoms[i] for i in drawn], yerr=[spread[i] for i in drawn],
                           fmt="none", ecolor="#222222", elinewidth=1.0, capsize=2.5)  # fmt: skip
        for i, compared in enumerate(of[total].ways):
            panel.annotate(format_number(compared.summary.mean), (i, tops[i]), xytext=(0, 5), textcoords="offset points",
                           ha="center", fontsize=9, color="#222222")  # fmt: skip
        panel.set_ylim(0, max(tops) * 1.14 or 1)
        _name_bars(panel, [samples.way_label(way) for way in ways])
        panel.set_ylabel(f"time ({parts[0].unit})" if parts[0].unit in ("s", "ms") else parts[0].unit)
        panel.set_title(samples.group_label(group))
    say_what_is_left_out(figure, len(samples.groups), MOST_PANELS, "settings")
    # Read from the top, as the phases stand.
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles[::-1], names[::-1], loc="outside right upper", frameon=False)
    return figure


def _side_by_side(samples: Samples, comparisons: Sequence[Comparison]) -> Figure:
    """A panel for each measure and setting; every panel has an axis of its own, as the measures are no parts of a whole."""
    shown = list(comparisons)[:MOST_PANELS]
    columns = min(len({c.measure.name for c in shown}) if len(samples.measures) > 1 else len(shown), 4)
    longest = max(len(samples.way_label(way)) for way in samples.ways)
    figure, panels = _panels(len(shown), columns, 3.2 + 0.06 * longest, 0.75 + 0.36 * len(samples.ways))
    for panel, comparison in zip(panels, shown, strict=True):
        labels = [samples.way_label(c.way) for c in comparison.ways]
        colours = [COLOURS[samples.ways.index(c.way) % len(COLOURS)] for c in comparison.ways]
        means = [c.summary.mean for c in comparison.ways]
        spread = [0 if math.isnan(c.summary.sd) else c.summary.sd for c in comparison.ways]
        panel.barh(range(len(means)), means, 0.7, color=colours)
        panel.errorbar(means, range(len(means)), xerr=spread, fmt="none", ecolor="#222222", elinewidth=1.0, capsize=2.5)
        reach = max(mean + sd for mean, sd in zip(means, spread, strict=True))
        for i, (mean, sd) in enumerate(zip(means, spread, strict=True)):
            panel.annotate(format_number(mean), (mean + sd, i), xytext=(4, 0), textcoords="offset points", va="center",
                           fontsize=9)  # fmt: skip
        panel.set_xlim(0, reach * 1.22 or 1)
        panel.set_yticks(range(len(labels)), labels)
        panel.invert_yaxis()
        panel.xaxis.set_major_locator(MaxNLocator(4))
        panel.set_xlabel(comparison.measure.unit)
        better = "more is better" if comparison.measure.higher_is_better else "less is better"
        title = ", ".join(part for part in (samples.group_label(comparison.group), comparison.measure.name) if part)
        panel.set_title(f"{title} ({better})")
    say_what_is_left_out(figure, len(comparisons), MOST_PANELS, "measures of settings")
    return figure


def _name_bars(panel: Axes, labels: Sequence[str]) -> None:
    panel.set_xticks(range(len(labels)), [wrapped(label) for label in labels])
    panel.tick_params(axis="x", length=0, labelsize=9.5)
    panel.set_xlim(-0.6, len(labels) - 0.4)
    panel.yaxis.set_major_locator(MaxNLocator(6))
    panel.grid(axis="y", color="#e4e4e4", linewidth=0.8)


@styled
def lines_figure(samples: Samples, comparisons: Sequence[Comparison]) -> Figure | None:
    """The measure that is asked for, over where the values of the axis `lines` lie."""
    axis = samples.campaign.report.lines
    asked = [c for c in comparisons if c.measure.name == samples.campaign.report.answer]
    if not axis or not asked:
        return None
    groups = list(dict.fromkeys(_without(c.group, axis) for c in asked))
    rest = groups[:MOST_PANELS]
    figure, panels = _panels(len(rest), min(len(rest), 3), 4.6, 3.8)
    for panel, group in zip(panels, rest, strict=True):
        of = [c for c in asked if _without(c.group, axis) == group]
        for number, way in enumerate(samples.ways):
            points = sorted(
                ((x, c) for c in of for x in [_x_of(samples, c.group, way)] if x is not None and c.of(way) is not None),
                key=lambda point: point[0],  # two sizes may lie at one place
            )
            known = [(x, compared.summary) for x, c in points if (compared := c.of(way)) is not None]
            panel.errorbar(
                [x for x, _ in known], [s.mean for _, s in known], yerr=[0 if math.isnan(s.sd) else s.sd for _, s in known],
                color=COLOURS[number % len(COLOURS)], marker=MARKERS[number % len(MARKERS)], markersize=5, linewidth=1.4,
                capsize=2.5, label=samples.way_label(way),
            )  # fmt: skip
        measure = of[0].measure
        panel.set_xscale("log")
        panel.set_yscale("log")
        for which in (panel.xaxis, panel.yaxis):
            plain_log(which)
        panel.grid(which="major", color="#e4e4e4", linewidth=0.8)
        panel.set_xlabel(samples.campaign.report.x_label)
        panel.set_ylabel(f"{measure.name} ({measure.unit})" if measure.unit else measure.name)
        panel.set_title(_label_without(samples, group))
    say_what_is_left_out(figure, len(groups), MOST_PANELS, "settings")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", frameon=False)
    return figure


def _without(group: Group, axis: str) -> Group:
    return tuple(item for item in group if item[0] != axis)


def _label_without(samples: Samples, group: Group) -> str:
    return ", ".join(samples.label(axis, name) for axis, name in group if axis in samples.telling_axes)


def _x_of(samples: Samples, group: Group, way: str) -> float | None:
    return next((sample.x for sample in samples.of(group, way)), None)


def plain_log(axis: Any) -> None:
    """Numbers as people write them, at 1, 2 and 5 where there are few decades."""
    low, high = axis.get_view_interval()
    few = low > 0 and high / low < 300
    axis.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0) if few else (1.0,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())
    axis.set_minor_locator(NullLocator())


@styled
def ratios_figure(samples: Samples, comparisons: Sequence[Comparison], put: Sequence[Beside]) -> Figure | None:
    """All measures of all ways, on one axis of ratios."""
    every = [
        (comparison, compared, compared.ratio)
        for comparison in comparisons
        for compared in comparison.ways
        if compared.ratio is not None and compared.ratio.ratio > 0 and math.isfinite(compared.ratio.ratio)
    ]
    if not every:
        return None
    rows = every[:MOST_RATIOS]
    several = len({comparison.measure.name for comparison, _, _ in rows}) > 1
    figure, panel = plt.subplots(figsize=(7.6, 1.1 + 0.27 * len(rows)), layout="constrained")
    labels = []
    paper_drawn = False
    for number, (comparison, compared, ratio) in enumerate(rows):
        better, worse = compared.verdict == BETTER, compared.verdict == WORSE
        colour = "#009E73" if better else "#D55E00" if worse else GREY
        if not math.isnan(ratio.low):
            panel.plot([ratio.low, ratio.high], [number, number], color=colour, linewidth=2.4, solid_capstyle="butt")
        panel.plot(ratio.ratio, number, "o", color=colour, markersize=6, zorder=3)
        for paper in _papers(put, comparison, compared.way):
            panel.plot(paper, number, "D", markersize=6, markerfacecolor="none", markeredgecolor="#222222", zorder=4,
                       label=None if paper_drawn else "the paper's")  # fmt: skip
            paper_drawn = True
        where = samples.group_label(comparison.group)
        way = samples.way_label(compared.way)
        labels.append(", ".join([f"{comparison.measure.name}: {way}" if several else way, *([where] if where else [])]))
        if number > 0 and (rows[number - 1][0].measure, rows[number - 1][0].group) != (
            comparison.measure,
            comparison.group,
        ):
            panel.axhline(number - 0.5, color="#e4e4e4", linewidth=0.8)
    panel.axvline(1, color="#222222", linewidth=1)
    panel.set_xscale("log")
    low, high = panel.get_xlim()
    panel.set_xlim(min(low, 0.5), max(high, 2))
    plain_log(panel.xaxis)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: times(value) if value < 0.095 else f"{value:g}"))
    panel.set_yticks(range(len(rows)), labels)
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.grid(axis="x", color="#e4e4e4", linewidth=0.8)
    panel.tick_params(axis="y", length=0)
    higher = any(comparison.measure.higher_is_better for comparison, _, _ in rows)
    baseline = samples.way_label(samples.campaign.report.baseline)
    panel.set_xlabel(f"times {baseline}" + ("" if higher else " (left of 1: less)") + "; grey: within the noise")
    say_what_is_left_out(figure, len(every), MOST_RATIOS, "ratios")
    if paper_drawn:
        figure.legend(loc="outside upper right", frameon=False)
    return figure


def _papers(put: Sequence[Beside], comparison: Comparison, way: str) -> list[float]:
    return [
        b.finding.ratio
        for b in put
        if b.group == comparison.group
        and b.finding.measure == comparison.measure.name
        and b.finding.way == way
        and b.finding.values is not None
        and b.finding.ratio is not None
        and b.finding.ratio > 0
    ]
