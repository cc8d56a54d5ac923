"""The picture of two folders of results: each cell's repeats in both, a line between the medians, and the ratio."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator

from weft.report.between import Between, Row
from weft.report.between_words import CellNames
from weft.report.comparison import BETTER, WORSE
from weft.report.plots import COLOURS, GREY, plain_log, say_what_is_left_out, styled
from weft.report.wording import ratio_words

A, B = COLOURS[0], COLOURS[1]
LINES = {BETTER: COLOURS[2], WORSE: COLOURS[5]}
MOST_ROWS = 60
FEW_ROWS = 24  # of a panel: several measures stand side by side up to here


@styled
def pairs_figure(found: Between, names: CellNames) -> Figure:
    """A panel for each measure. Values of 0 have no place on a logarithmic axis; the tables have them."""
    measures = list(dict.fromkeys(row.measure for row in found.rows))
    panels = [[row for row in found.rows if row.measure == measure] for measure in measures]
    tallest = min(max(len(rows) for rows in panels), MOST_ROWS)
    columns = 1 if tallest > FEW_ROWS else min(len(panels), 2)
    lines = -(-len(panels) // columns)
    figure, grid = plt.subplots(
        lines, columns, figsize=(7.6 if columns == 1 else 6.0 * columns, lines * (1.2 + 0.3 * tallest)), squeeze=False,
        layout="constrained",
    )  # fmt: skip
    axes = [axis for row in grid for axis in row]
    for unused in axes[len(panels) :]:
        unused.remove()
    for panel, rows in zip(axes, panels, strict=False):
        _panel(panel, rows[:MOST_ROWS], names)
    say_what_is_left_out(figure, max(len(rows) for rows in panels), MOST_ROWS, "cells")
    marks = [Line2D([], [], color=colour, marker="o", linestyle="none", label=name)
             for colour, name in ((A, found.a), (B, found.b))]  # fmt: skip
    figure.legend(handles=marks, loc="outside upper right", ncols=2, frameon=False)
    return figure


def _panel(panel: Axes, rows: Sequence[Row], names: CellNames) -> None:
    measure = rows[0].measure
    for place, row in enumerate(rows):
        sides = [[value for value in side if value > 0] for side in (row.a, row.b)]
        if all(sides):
            medians = [statistics.median(side) for side in sides]
            panel.plot(medians, [place, place], color=LINES.get(row.verdict, GREY), linewidth=2.2, zorder=2)
        for values, colour in zip(sides, (A, B), strict=True):
            panel.plot(values, [place] * len(values), "o", color=colour, markersize=4, alpha=0.45, zorder=3, mew=0)
            if values:
                panel.plot(statistics.median(values), place, "o", color=colour, markersize=7, zorder=4)
        panel.annotate(ratio_words(row.ratio), (1, place), xycoords=("axes fraction", "data"), xytext=(6, 0),
                       textcoords="offset points", va="center", fontsize=9, annotation_clip=False)  # fmt: skip
    panel.set_yticks(range(len(rows)), [names.whole(row.cell) for row in rows])
    panel.set_ylim(len(rows) - 0.4, -0.6)
    panel.tick_params(axis="y", length=0)
    if any(value > 0 for row in rows for value in (*row.a, *row.b)):
        panel.set_xscale("log")
        plain_log(panel.xaxis)
        low, high = panel.get_xlim()
        if high / low < 3:  # within a decade no tick would be left
            panel.xaxis.set_major_locator(LogLocator(base=10, subs=(1, 1.5, 2, 3, 5, 7)))
    panel.grid(axis="x", color="#e4e4e4", linewidth=0.8)
    better = "more is better" if measure.higher_is_better else "less is better"
    panel.set_xlabel(f"{measure.name} ({measure.unit})" if measure.unit else measure.name)
    panel.set_title(f"{measure.name} ({better}); right: the ratio", loc="left")
