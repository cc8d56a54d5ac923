"""Two folders of results as text, as a page, as CSV and as JSON. Pure."""

from __future__ import annotations

import html
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weft.quantities import format_number
from weft.report.between import Between, Row
from weft.report.between_words import HOW, CellNames, answer_words, differing, left_out_words, ratio_cell
from weft.report.html_parts import Picture, document, items, list_section, shown, text, wide
from weft.report.loading import Loaded
from weft.report.tables import Table, csv_text, unit_words
from weft.report.wording import verdict_words


@dataclass(frozen=True)
class BetweenReport:
    """All that is said, before it is laid out."""

    title: str
    question: str
    found: Between
    names: CellNames
    answer: str
    tables: list[Table]
    left_out: list[str]
    differs: list[tuple[str, str, str]]


def compose(a: Loaded, b: Loaded, found: Between) -> BetweenReport:
    names = CellNames.of(a.samples, found)
    groups = list(dict.fromkeys(row.cell.group for row in found.rows))
    compare = a.campaign.report.compare
    return BetweenReport(
        title=a.campaign.title,
        question=a.campaign.question,
        found=found,
        names=names,
        answer=answer_words(found, a.campaign.report.answers),
        tables=[
            cells_table(found, names, compare, [row for row in found.rows if row.cell.group == group])
            for group in groups
        ],
        left_out=[left_out_words(out, names) for out in found.left_out],
        differs=differing(a, b),
    )


def cells_table(found: Between, names: CellNames, compare: str, rows: Sequence[Row]) -> Table:
    """Of a setting."""
    span = "least – greatest"
    header = [
        compare,
        "measure",
        "runs",
        found.a,
        span,
        found.b,
        span,
        f"{found.b} / {found.a} (95 %)",
        f"{found.b} is",
    ]
    cells = [
        [
            names.way(row.cell),
            unit_words(row.measure),
            str(len(row.a)) if len(row.a) == len(row.b) else f"{len(row.a)} and {len(row.b)}",
            *(words for side in (row.a, row.b) for words in (format_number(statistics.median(side)), _span(side))),
            ratio_cell(row.ratio, max(len(row.a), len(row.b))),
            verdict_words(row.verdict, row.measure),
        ]
        for row in rows
    ]
    return Table(header, cells, names.setting(rows[0].cell), words=2)


def _span(values: Sequence[float]) -> str:
    return f"{format_number(min(values))} – {format_number(max(values))}" if len(values) > 1 else ""


def heading(report: BetweenReport) -> str:
    return f"{report.title}: {report.found.b} against {report.found.a}"


def differs_table(report: BetweenReport) -> Table:
    return Table(["", report.found.a, report.found.b], [list(row) for row in report.differs], words=3)


def markdown(report: BetweenReport, picture: Picture) -> str:
    parts = [
        f"# {heading(report)}",
        report.question,
        f"**{report.answer}**",
        f"![{picture.caption}]({picture.name}.svg)",
    ]
    parts += list_section("## What cannot be compared", report.left_out)
    parts.append("## Cell by cell")
    for table in report.tables:
        parts += [f"### {table.title}"] * bool(table.title) + [table.markdown().rstrip()]
    parts.append(HOW)
    if report.differs:
        parts += ["## What else differs", differs_table(report).markdown().rstrip()]
    return "\n\n".join(parts) + "\n"


def page(report: BetweenReport, picture: Picture) -> str:
    parts = [f"<h1>{html.escape(heading(report))}</h1>", f"<p>{text(report.question)}</p>"]
    parts += [f'<p class="answer">{text(report.answer)}</p>', shown(picture)]
    if report.left_out:
        parts += ["<h2>What cannot be compared</h2>", items(report.left_out)]
    parts += ["<h2>Cell by cell</h2>", *map(wide, report.tables), f'<p class="quiet">{text(HOW)}</p>']
    if report.differs:
        parts += ["<h2>What else differs</h2>", wide(differs_table(report))]
    return document(heading(report), parts)


def as_json(report: BetweenReport) -> dict[str, Any]:
    found = report.found
    return {
        "title": report.title,
        "a": {"name": found.a},
        "b": {"name": found.b},
        "answer": report.answer,
        "cells": [_cell_json(row) for row in found.rows],
        "not_comparable": [
            {"cells": [report.names.whole(cell) for cell in out.cells], "why": out.why} for out in found.left_out
        ],
        "differs": [{"what": what, "a": ours, "b": theirs} for what, ours, theirs in report.differs],
    }


def _cell_json(row: Row) -> dict[str, Any]:
    return {
        "setting": dict(row.cell.group),
        "way": row.cell.way,
        "measure": row.measure.name,
        "unit": row.measure.unit,
        "better": "higher" if row.measure.higher_is_better else "lower",
        "a": _side_json(row.a),
        "b": _side_json(row.b),
        "ratio": {name: None if isinstance(value, float) and math.isnan(value) else value
                  for name, value in _ratio_of(row).items()} if row.ratio is not None else None,
        "verdict": verdict_words(row.verdict, row.measure),
    }  # fmt: skip


def _side_json(values: Sequence[float]) -> dict[str, Any]:
    return {"runs": len(values), "median": statistics.median(values), "least": min(values), "greatest": max(values)}


def _ratio_of(row: Row) -> dict[str, Any]:
    return {name: getattr(row.ratio, name, math.nan) for name in ("pairs", "ratio", "low", "high", "p")}


def cells_csv(report: BetweenReport, compare: str) -> str:
    rows = report.found.rows
    axes = [axis for axis, _ in rows[0].cell.group]
    sides = [f"{side}_{name}" for side in "ab" for name in ("runs", "median", "least", "greatest")]
    header = [*axes, compare, "measure", "unit", *sides, "pairs", "ratio", "low", "high", "p", "verdict"]
    cells = [
        [
            *(name for _, name in row.cell.group), row.cell.way, row.measure.name, row.measure.unit,
            *_side_json(row.a).values(), *_side_json(row.b).values(), *_ratio_of(row).values(),
            verdict_words(row.verdict, row.measure),
        ]
        for row in rows
    ]  # fmt: skip
    return csv_text(header, cells)
