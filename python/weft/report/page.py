"""A report as text and as one HTML page that needs nothing beside it. Pure, but for drawing into memory."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft.quantities import format_bytes, format_duration
from weft.report.answers import answer
from weft.report.beside_paper import AGREES, NOT_KNOWN, Beside
from weft.report.calls import Section, sections
from weft.report.comparison import Comparison
from weft.report.html_parts import Picture, document, items, list_section, shown, text, wide
from weft.report.samples import Samples
from weft.report.tables import Table, paper_table, ratios_table, values_table
from weft.report.wording import Doings, agreement_words, enumerate_words, noise_words, what_would_change_it


@dataclass(frozen=True)
class Report:
    """All that a report says, before it is laid out."""

    title: str
    question: str
    reproduces: str
    answer: str
    would_change: list[str]
    noise: str
    pictures: list[Picture]
    values: list[Table]
    ratios: list[Table]
    calls: list[Section]
    paper: Table | None
    paper_words: list[str]
    method: list[str]
    machine: list[tuple[str, str]]
    failed: list[str]


def compose(
    samples: Samples,
    comparisons: Sequence[Comparison],
    put: Sequence[Beside],
    sessions: Sequence[dict[str, Any]],
    results: Sequence[Mapping[str, Any]],
    pictures: list[Picture],
) -> Report:
    campaign = samples.campaign
    told = {comparison.group for comparison in comparisons}
    done = Doings.of(sessions, results)
    groups = [group for group in samples.groups if group in told]
    return Report(
        title=campaign.title,
        question=campaign.question,
        reproduces=campaign.reproduces,
        answer=answer(samples, comparisons),
        would_change=what_would_change_it(samples, comparisons, done),
        noise=noise_words(samples, comparisons),
        pictures=pictures,
        values=[values_table(samples, comparisons, group) for group in groups],
        ratios=[ratios_table(samples, comparisons, group) for group in groups] if len(samples.ways) > 1 else [],
        calls=sections(samples, results),
        paper=paper_table(samples, put) if put else None,
        paper_words=paper_words(samples, put),
        method=method_words(samples, sessions),
        machine=machine_rows(sessions, done),
        failed=failed_words(samples.failed),
    )


def paper_words(samples: Samples, put: Sequence[Beside]) -> list[str]:
    paper = samples.campaign.paper
    if paper is None:
        return []
    words = [f"{paper.cite}: {paper.where}. {agreement_words(put)}"]
    differing = list(dict.fromkeys(b.finding.measure for b in put if b.agreement not in (AGREES, NOT_KNOWN)))
    words += [
        f"Why {measure} may go another way here: {paper.why[measure]}" for measure in differing if measure in paper.why
    ]
    words += [b.finding.words for b in put if b.finding.words]
    return list(dict.fromkeys(words))


def method_words(samples: Samples, sessions: Sequence[dict[str, Any]]) -> list[str]:
    if not sessions:
        return []
    last = sessions[-1]
    how = last["campaign"]
    order = {
        "all": "in an order random over everything",
        "rounds": "in rounds, each setting once a round in random order",
    }[how["order"]]
    pause = f", {format_duration(how['pause'])} apart" if how["pause"] else ""
    words = [
        f"{len(samples.all) + len(samples.failed)} of {how['experiments']} experiments, one at a time, {order} (seed "
        f"{how['seed']}){pause}. Caches: {how['cache']}. Scale {how['scale']:g} of the full size. Each is `{how['runs']}`"
        + (f" with {how['options']}." if how["options"] else ".")
    ]
    if len(sessions) > 1:
        words.append(f"Run in {len(sessions)} sessions, one resuming the other.")
        words += _changed_between(sessions)
    return words


def _changed_between(sessions: Sequence[dict[str, Any]]) -> list[str]:
    """Results of different machines are compared as they are; that they were is told."""
    told = {"cpu": "processor", "memory_bytes": "memory", "kernel": "kernel", "weft": "weft", "mpi": "MPI"}
    differing = [word for key, word in told.items() if len({str(s["machine"].get(key)) for s in sessions}) > 1]
    if not differing:
        return []
    return [
        f"The sessions were not all on the same system: {enumerate_words(differing)} differed; the last is told below."
    ]


def machine_rows(sessions: Sequence[dict[str, Any]], done: Doings) -> list[tuple[str, str]]:
    """Of the last session; folders with the file system they lie on."""
    if not sessions:
        return []
    machine: Mapping[str, Any] = sessions[-1]["machine"]
    rows = [("processor", f"{machine.get('cpu', '?')}, {machine.get('cores', '?')} cores")]
    if "memory_bytes" in machine:
        rows.append(("memory", format_bytes(machine["memory_bytes"])))
    rows.append(("system", f"{machine.get('system', '?')}, kernel {machine.get('kernel', '?')}"))
    for label, folder in machine.get("folders", {}).items():
        free = f"{format_bytes(folder['free_bytes'])} of {format_bytes(folder['bytes'])} free"
        striping = f"; {folder['striping']}" if "striping" in folder else ""
        rows.append((f"folder {label}", f"{folder.get('type', '?')} ({folder.get('options', '')}), {free}{striping}"))
    for name, key in (("weft", "weft"), ("MPI", "mpi"), ("launcher", "launcher")):
        if machine.get(key):
            rows.append((name, str(machine[key])))
    rows.append(("Python", f"{machine.get('python', '?')}, NumPy {machine.get('numpy', '?')}"))
    rows.append(("began", ", ".join(session["began"] for session in sessions)))
    if done.loads:
        rows.append(("load", f"{min(done.loads):g} to {max(done.loads):g} processes wanted a core when runs began"))
    return rows


def failed_words(failed: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"{result['key']}: {result.get('message', 'no message')}" for result in failed]


def markdown(report: Report) -> str:
    parts = [f"# {report.title}", report.question]
    if report.reproduces:
        parts.append(f"After {report.reproduces}.")
    parts += ["## Answer", f"**{report.answer}**"]
    parts += list_section("## What would change it", report.would_change)
    for picture in report.pictures[:1]:  # the one that stays beside it where results are kept; the page has all
        parts.append(f"![{picture.caption}]({picture.name}.svg)")
    for heading, tables in (("## Values", report.values), ("## Against the baseline", report.ratios)):
        if tables:
            parts.append(heading)
        for table in tables:
            parts += _titled(table)
    parts += [report.noise] * bool(report.noise)
    for section in report.calls:
        parts += [f"## {section.heading}", section.words]
        for table in section.tables:
            parts += _titled(table)
    if report.paper_words:
        parts += ["## Beside the paper", *report.paper_words]
        parts += [report.paper.markdown().rstrip()] if report.paper is not None else []
    parts += ["## How it was measured", *report.method]
    parts.append(Table(["", ""], [list(row) for row in report.machine], words=2).markdown().rstrip())
    parts += list_section("## Experiments that failed", report.failed)
    return "\n\n".join(parts) + "\n"


def _titled(table: Table) -> list[str]:
    return [f"### {table.title}"] * bool(table.title) + [table.markdown().rstrip()]


def page(report: Report) -> str:
    parts = [f"<h1>{html.escape(report.title)}</h1>", f"<p>{text(report.question)}</p>"]
    if report.reproduces:
        parts.append(f'<p class="quiet">After {text(report.reproduces)}.</p>')
    parts.append(f'<p class="answer">{text(report.answer)}</p>')
    if report.would_change:
        parts += ["<h2>What would change it</h2>", items(report.would_change)]
    parts += [shown(picture) for picture in report.pictures]
    if report.values:
        parts += ["<h2>Values</h2>", *map(wide, report.values)]
    if report.ratios:
        parts += ["<h2>Against the baseline</h2>", *map(wide, report.ratios)]
    if report.noise:
        parts.append(f'<p class="quiet">{text(report.noise)}</p>')
    for section in report.calls:
        parts += [f"<h2>{html.escape(section.heading)}</h2>", *map(wide, section.tables)]
        parts.append(f'<p class="quiet">{text(section.words)}</p>')
    if report.paper_words:
        parts.append("<h2>Beside the paper</h2>")
        parts += [f"<p>{text(words)}</p>" for words in report.paper_words]
        parts += [wide(report.paper)] if report.paper is not None else []
    parts += ["<h2>How it was measured</h2>", *(f"<p>{text(words)}</p>" for words in report.method)]
    parts.append(wide(Table(["", ""], [list(row) for row in report.machine], words=2)))
    if report.failed:
        parts += ["<h2>Experiments that failed</h2>", items(report.failed)]
    return document(report.title, parts)
