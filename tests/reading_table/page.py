"""The generated part of docs/readers.md: tables, what differs within a cell, and why the wrong ones are wrong."""

from __future__ import annotations

import textwrap

from judging import Cell
from kinds import CONTENTS, FILTERS, HISTORIES, Kind
from known_wrong import KNOWN_WRONG
from readers import READERS

BEGIN = "<!-- made by make test-readers-table -->"
END = "<!-- end -->"
TABLES = {
    "How the run went": HISTORIES,
    "Filters": FILTERS,
    "What is in it": CONTENTS,
}


def wrapped(text: str) -> str:
    return textwrap.fill(text, 100, initial_indent="- ", subsequent_indent="  ", break_long_words=False)


def table(kinds: list[Kind], cells: dict[tuple[str, str], Cell], notes: list[str]) -> list[str]:
    def shown(cell: Cell) -> str:
        text = cell.verdict + (" +" if cell.more else "")
        if cell.mixture:
            if cell.mixture not in notes:
                notes.append(cell.mixture)
            text += f" ({notes.index(cell.mixture) + 1})"
        return text

    rows = [["reader", *(kind.name for kind in kinds)]]
    rows += [[reader.name, *(shown(cells[reader.name, kind.name]) for kind in kinds)] for reader in READERS]
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def generated(cells: list[Cell]) -> str:
    by_place = {(cell.reader, cell.kind): cell for cell in cells}
    notes: list[str] = []
    lines = [BEGIN]
    for title, kinds in TABLES.items():
        lines += ["", f"### {title}", "", *(wrapped(f"{kind.name}: {kind.meaning}") for kind in kinds), ""]
        lines += table(kinds, by_place, notes)
    lines += ["", "Where a cell has a number, it is the worst of these:", ""]
    lines += [f"{number}. {note}" for number, note in enumerate(notes, 1)]
    lines += ["", "### What is WRONG, and why", ""]
    reasons: dict[str, list[str]] = {}
    for (reader, _), reason in KNOWN_WRONG.items():
        readers = reasons.setdefault(reason, [])
        if reader not in readers:
            readers.append(reader)
    lines += [wrapped(f"{', '.join(readers)}: {reason}") for reason, readers in reasons.items()]
    return "\n".join([*lines, "", END])
