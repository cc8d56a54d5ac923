"""The table of docs/readers.md: every reader on every kind of file, value for value. `make test-readers-table`.

It is not in `make test`, since the readers come from npm and Maven, too. With WEFT_TABLE_WRITE set it writes the page.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import weft_run as w
from judging import Cell, cell
from killing import Killer
from kinds import Kind
from known_wrong import KNOWN_WRONG
from page import BEGIN, END, TABLES, generated
from readers import READERS, Reader

PAGE = w.REPO / "docs" / "readers.md"


@pytest.fixture(scope="module")
def cells(tmp_path_factory: pytest.TempPathFactory) -> list[Cell]:
    folder = tmp_path_factory.mktemp("table")
    killer = Killer(folder)
    kinds = [kind for kinds in TABLES.values() for kind in kinds]
    files = {kind.name: kind.made_in(folder / kind.name.replace(", ", "-").replace(" ", "-"), killer) for kind in kinds}

    def judge(pair: tuple[Reader, Kind]) -> Cell:
        reader, kind = pair
        return cell(reader, kind.name, files[kind.name])

    with ThreadPoolExecutor(2) as pool:
        judged = list(pool.map(judge, [(reader, kind) for reader in READERS for kind in kinds]))
    report(judged, Path(os.environ.get("WEFT_TABLE_REPORT", folder / "findings.txt")))
    return judged


def report(judged: list[Cell], path: Path) -> None:
    """All that is not equal, in full: what the readers said, and what they showed."""
    lines = []
    for one in judged:
        for name, finding in one.found.items():
            if finding.verdict != "equal":
                detail = " ".join(finding.detail.split())
                lines.append(f"{one.reader} | {one.kind} | {name} | {finding.verdict} | {detail}")
    path.write_text("\n".join(lines) + "\n")
    print(f"every finding: {path}")


def test_nothing_else_is_wrong(cells: list[Cell]) -> None:
    wrong = {(one.reader, one.kind): one.found for one in cells if one.verdict == "WRONG"}
    unknown = {place: found for place, found in wrong.items() if place not in KNOWN_WRONG}
    assert not unknown
    assert not set(KNOWN_WRONG) - set(wrong), "known as wrong, and right now"


def test_the_page_says_so(cells: list[Cell]) -> None:
    page = PAGE.read_text()
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    wanted = before + generated(cells) + after
    if os.environ.get("WEFT_TABLE_WRITE"):
        PAGE.write_text(wanted)
        return
    assert page == wanted, "docs/readers.md differs: make test-readers-table WRITE=1 writes it"
