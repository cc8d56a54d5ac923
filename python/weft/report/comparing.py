"""weft report A B: reads two folders of results, and writes what can be said of one against the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from weft.errors import UsageError
from weft.report import between_page, between_plot
from weft.report.between import Between, Cell, between
from weft.report.between_page import BetweenReport
from weft.report.between_words import CellNames, left_out_words, names_apart
from weft.report.loading import Loaded, load
from weft.report.making import HTML, MARKDOWN, picture, write
from weft.waiting import Waiting

CAPTION = (
    "Repeats of each cell, and their medians with a line between them: green where the second is better, red where it is "
    "worse, grey within the noise. At the right the ratio, with its 95 % interval."
)


@dataclass(frozen=True)
class Folders:
    a: Path
    b: Path
    names: tuple[str, str]

    @staticmethod
    def of(a: Path, b: Path) -> Folders:
        if a.resolve() == b.resolve():
            raise UsageError(str(b), "the two folders are one", "name two, of which the second is put beside the first")
        return Folders(a, b, names_apart(a, b))

    @property
    def report(self) -> Path:
        """Where it is written if nothing else is said: beside the second's own report."""
        return self.b / "report" / f"against-{self.names[0].replace('/', '-')}"


def compare_folders(folders: Folders, campaign_file: Path | None) -> tuple[BetweenReport, Loaded]:
    """Raises UsageError where nothing of the two can be compared."""
    a, b = (_loaded(folder, campaign_file) for folder in (folders.a, folders.b))
    if a.campaign.title != b.campaign.title or a.campaign.runs != b.campaign.runs:
        raise UsageError(str(folders.b), f"its results are of the campaign '{b.campaign.title}', and those of "
                         f"{folders.names[0]} of '{a.campaign.title}'", "name two folders of one campaign")  # fmt: skip
    found = between(a, b, folders.names, _one_by_one)
    if not found.rows:
        raise UsageError(str(folders.b), f"has nothing that can be compared with {folders.names[0]}: {_why(a, found)}")
    return between_page.compose(a, b, found), a


def _one_by_one(cells: Sequence[Cell]) -> Iterator[Cell]:
    with Waiting("comparing", "cell", len(cells)) as waiting:
        for cell in cells:
            yield cell
            waiting.step()


def _loaded(folder: Path, campaign_file: Path | None) -> Loaded:
    loaded = load(folder, campaign_file)
    if not loaded.found.of_experiments:
        raise UsageError(str(folder), "has no results", "name a folder that weft campaign run has filled")
    return loaded


def _why(a: Loaded, found: Between) -> str:
    names = CellNames.of(a.samples, found)
    words = [left_out_words(out, names) for out in found.left_out]
    return "; ".join(words[:2]) + (f"; and {len(words) - 2} more of the kind" if len(words) > 2 else "")


def write_comparison(report: BetweenReport, compare: str, out: Path) -> None:
    drawn = picture(between_plot.pairs_figure(report.found, report.names), "pairs", CAPTION)
    texts = {
        HTML: between_page.page(report, drawn),
        MARKDOWN: between_page.markdown(report, drawn),
        "cells.csv": between_page.cells_csv(report, compare),
    }
    write(out, texts, [drawn])
