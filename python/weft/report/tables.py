"""The tables of a report: made once, written as Markdown, CSV or HTML. Pure."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.campaign.model import Measure
from weft.quantities import format_number
from weft.report.beside_paper import Beside
from weft.report.comparison import BASELINE, Comparison
from weft.report.samples import Group, Sample, Samples
from weft.report.statistics import Summary
from weft.report.wording import ratio_words, times, verdict_words


@dataclass(frozen=True)
class Table:
    header: list[str]
    rows: list[list[str]]
    title: str = ""
    words: int = 1  # columns, from the left, that hold words; the others are numbers

    def markdown(self) -> str:
        def line(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") or " " for cell in cells) + " |"

        rule = line(["---" if i < self.words else "---:" for i in range(len(self.header))])
        return "\n".join([line(self.header), rule, *(line(row) for row in self.rows)]) + "\n"

    def html(self) -> str:
        def cells(tag: str, row: Sequence[str]) -> str:
            marked = (f'<{tag} class="{"word" if i < self.words else "number"}">' for i in range(len(row)))
            return "".join(f"{begin}{html.escape(cell)}</{tag}>" for begin, cell in zip(marked, row, strict=True))

        body = "\n".join(f"<tr>{cells('td', row)}</tr>" for row in self.rows)
        return f"<table>\n<thead><tr>{cells('th', self.header)}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>\n"


def csv_text(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([["" if isinstance(cell, float) and math.isnan(cell) else cell for cell in row] for row in rows])
    return out.getvalue()


def plus_minus(summary: Summary) -> str:
    """ "1.23 ± 0.05"."""
    return format_number(summary.mean) + (f" ± {format_number(summary.sd)}" if summary.sd > 0 else "")


def interval(summary: Summary) -> str:
    return "" if math.isnan(summary.low) else f"{format_number(summary.low)} – {format_number(summary.high)}"


def unit_words(measure: Measure) -> str:
    return f"{measure.name} ({measure.unit})" if measure.unit else measure.name


def values_table(samples: Samples, comparisons: Sequence[Comparison], group: Group) -> Table:
    """A setting: each way's measures as mean ± standard deviation, its median and interval by the measure asked for."""
    of = {c.measure.name: c for c in comparisons if c.group == group}
    asked = of.get(samples.campaign.report.answer) or next(iter(of.values()))  # a setting may be without it
    measures = [c.measure for c in of.values()]
    header = [samples.campaign.report.compare, "runs", *(unit_words(m) for m in measures)]
    header += [f"median {asked.measure.name}", "95 % of the mean", *(m.name for m in samples.shown)]
    rows = []
    for way, found in ways_of(samples, group):
        each = [of[m.name].of(way) for m in measures]
        compared = asked.of(way)
        rows.append(
            [
                samples.way_label(way),
                str(len(found)),
                *(plus_minus(c.summary) if c is not None else "" for c in each),
                *((format_number(compared.summary.median), interval(compared.summary)) if compared else ("", "")),
                *(shown_value(found, measure) for measure in samples.shown),
            ]
        )
    return Table(header, rows, samples.group_label(group))


def ways_of(samples: Samples, group: Group) -> list[tuple[str, list[Sample]]]:
    return [(way, found) for way in samples.ways if (found := samples.of(group, way))]


def shown_value(samples: Sequence[Sample], measure: Measure) -> str:
    """What is only told: one value where all repeats agree, else the range."""
    values = sorted(sample.values[measure.name] for sample in samples if measure.name in sample.values)
    if not values:
        return ""
    texts = [f"{value:,.0f}" if value == round(value) else format_number(value) for value in (values[0], values[-1])]
    return (texts[0] if texts[0] == texts[1] else " – ".join(texts)) + (f" {measure.unit}" if measure.unit else "")


def ratios_table(samples: Samples, comparisons: Sequence[Comparison], group: Group) -> Table:
    """A setting: each way's ratio to the baseline by every measure, and whether it is more than noise."""
    of = [c for c in comparisons if c.group == group]
    baseline = samples.way_label(samples.campaign.report.baseline)
    header = [f"against {baseline}"]
    for comparison in of:
        header += [comparison.measure.name, "", ""]
    rows = []
    for way, _ in ways_of(samples, group):
        row = [samples.way_label(way)]
        for comparison in of:
            compared = comparison.of(way)
            if compared is None:
                row += ["", "", ""]
                continue
            ratio = "1" if compared.verdict == BASELINE else ratio_words(compared.ratio)
            if compared.ratio is not None and compared.ratio.pairs < compared.summary.count:
                ratio += f" of {compared.ratio.pairs} pair{'s' * (compared.ratio.pairs != 1)}"
            row += [ratio, verdict_words(compared.verdict, comparison.measure), compared.letters]
        rows.append(row)
    return Table(header, rows, samples.group_label(group))


def paper_table(samples: Samples, put: Sequence[Beside]) -> Table:
    header = ["", "measure", "the paper", "ours", "direction"]
    several = len(samples.groups) > 1
    rows = []
    for b in put:
        finding = b.finding
        way = f"{samples.way_label(finding.way)} / {samples.way_label(finding.against)}"
        if several:
            way += f", {samples.group_label(b.group)}"
        elif finding.choice:
            way += f", {', '.join(finding.choice.values())}"
        if finding.where and finding.words:
            way += f" ({finding.where})"
        measure = next(m for m in samples.measures if m.name == finding.measure)
        theirs = verdict_words(finding.direction, measure)
        paper = theirs if finding.ratio is None else f"{times(finding.ratio)}, {theirs}"
        ours = f"{ratio_words(b.ratio)}, {verdict_words(b.verdict, measure)}" if b.ratio is not None else "not run"
        rows.append([way, finding.measure, paper, ours, b.agreement])
    return Table(header, rows, words=len(header))


def values_csv(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    axes = [axis for axis, _ in samples.groups[0]] if samples.groups else []
    compare = samples.campaign.report.compare
    header = [*axes, compare, "measure", "unit", "runs", "mean", "sd", "median", "low", "high"]
    rows = [
        [
            *(name for _, name in c.group),
            w.way,
            c.measure.name,
            c.measure.unit,
            s.count,
            s.mean,
            s.sd,
            s.median,
            s.low,
            s.high,
        ]
        for c in comparisons
        for w in c.ways
        for s in [w.summary]
    ]
    return csv_text(header, rows)


def ratios_csv(samples: Samples, comparisons: Sequence[Comparison]) -> str:
    axes = [axis for axis, _ in samples.groups[0]] if samples.groups else []
    compare, baseline = samples.campaign.report.compare, samples.campaign.report.baseline
    header = [*axes, compare, "baseline", "measure", "pairs", "ratio", "low", "high", "p", "verdict", "letters"]
    rows = [
        [
            *(name for _, name in c.group),
            w.way,
            baseline,
            c.measure.name,
            r.pairs,
            r.ratio,
            r.low,
            r.high,
            r.p,
            w.verdict,
            w.letters,
        ]
        for c in comparisons
        for w in c.ways
        if (r := w.ratio) is not None
    ]
    return csv_text(header, rows)


def runs_csv(samples: Samples, results: Sequence[Mapping[str, Any]]) -> str:
    """Every run, in the order they were done in."""
    values = {(s.group, s.way, s.repeat): s.values for s in samples.all}
    compare = samples.campaign.report.compare
    axes = list(results[0]["choice"]) if results else []
    measures = [m.name for m in (*samples.measures, *samples.shown)]
    header = ["began", *axes, "repeat", "status", *measures, "wall_seconds", "load", "message"]
    rows = []
    for result in results:
        choice = result["choice"]
        group = next((g for g in samples.groups if all(choice.get(axis) == name for axis, name in g)), ())
        known = values.get((group, choice[compare], result["repeat"]), {}) if result["status"] == "ok" else {}
        rows.append(
            [result["began"], *(choice.get(axis, "") for axis in axes), result["repeat"], result["status"],
             *(known.get(m, "") for m in measures), result.get("wall_seconds", ""), result.get("load", ""),
             result.get("message", "")]
        )  # fmt: skip
    return csv_text(header, rows)
