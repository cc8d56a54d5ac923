"""Two folders of results in words: names, cells, what came out and what else differs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.quantities import format_bytes, format_duration
from weft.report.between import Between, Cell, LeftOut, Row
from weft.report.comparison import BETTER, NOISE, UNKNOWN, WORSE
from weft.report.loading import Loaded
from weft.report.samples import Samples
from weft.report.statistics import Ratio
from weft.report.wording import MANY, enumerate_words, ratio_words, times, verdict_words

HOW = (
    "Values are medians, with the least and the greatest of the repeats. A ratio is a geometric mean, repeat by repeat, "
    "with a bootstrap 95 % interval. A difference counts where a paired t-test of the ratios' logarithms (of the "
    "differences, where a value is 0), corrected for all ways of a setting (Holm), gives p < 0.05; all else is within "
    "the noise."
)


def names_apart(a: Path, b: Path) -> tuple[str, str]:
    """As little of two paths as tells them apart: "local-disk", or "old/results" and "new/results"."""
    ours, theirs = a.resolve().parts, b.resolve().parts
    most = max(len(ours), len(theirs))
    count = next((n for n in range(1, most) if ours[-n:] != theirs[-n:]), most)
    return "/".join(ours[-count:]), "/".join(theirs[-count:])


@dataclass(frozen=True)
class CellNames:
    """What cells are called: by the axes in which they differ."""

    samples: Samples  # whose labels they have
    axes: frozenset[str]  # that tell settings apart

    @staticmethod
    def of(samples: Samples, found: Between) -> CellNames:
        cells = [*(row.cell for row in found.rows), *(cell for out in found.left_out for cell in out.cells)]
        values: dict[str, set[str]] = {}
        for cell in cells:
            for axis, name in cell.group:
                values.setdefault(axis, set()).add(name)
        return CellNames(samples, frozenset(axis for axis, names in values.items() if len(names) > 1))

    def setting(self, cell: Cell) -> str:
        """ "ranks 4, gluster"; nothing where there is one setting."""
        labels = [(axis, self.samples.label(axis, name)) for axis, name in cell.group if axis in self.axes]
        return ", ".join(f"{axis} {label}" if label.replace(".", "").isdigit() else label for axis, label in labels)

    def way(self, cell: Cell) -> str:
        return self.samples.way_label(cell.way)

    def whole(self, cell: Cell) -> str:
        return ", ".join(part for part in (self.setting(cell), self.way(cell)) if part)


def left_out_words(out: LeftOut, names: CellNames) -> str:
    """ "size 1, b: B has no run of it"."""
    told = [names.whole(cell) for cell in out.cells]
    if len(told) > MANY:
        told = [*told[:MANY], f"{len(told) - MANY} more cells"]
    return f"{'; '.join(told)}: {out.why}" if told else out.why


def answer_words(found: Between, asked: Sequence[str]) -> str:
    """A sentence for each measure that the campaign asks for, or for all, where those cannot be compared."""
    having = list(dict.fromkeys(row.measure.name for row in found.rows))
    chosen = [name for name in asked if name in having] or having
    return " ".join(_of_measure(found, [row for row in found.rows if row.measure.name == name]) for name in chosen)


def _of_measure(found: Between, rows: Sequence[Row]) -> str:
    """As in "By output, net is slower than disk in 3 of 4 cells (1.2 to 2.1 times) and within the noise of it in 1."""
    measure = rows[0].measure
    whole = f" of {len(rows)} cell{'s' * (len(rows) > 1)}"  # told once
    told: list[str] = []
    for verdict in (BETTER, WORSE):
        ratios = [row.ratio.ratio for row in rows if row.verdict == verdict and row.ratio is not None]
        if ratios:
            span = " to ".join(dict.fromkeys((times(min(ratios)), times(max(ratios)))))
            words = f"{verdict_words(verdict, measure)} than {found.a} in {len(ratios)}"
            told.append(f"{words}{'' if told else whole} ({span} times)")
    for verdict, words in ((NOISE, f"within the noise of {found.a}"), (UNKNOWN, "run too few times to say")):
        count = sum(row.verdict == verdict for row in rows)
        if count:
            told.append(f"{words} in {count}{'' if told else whole}")
    return f"By {measure.name}, {found.b} is {enumerate_words(told)}."


def ratio_cell(ratio: Ratio | None, runs: int) -> str:
    if ratio is None:
        return ""
    few = f" of {ratio.pairs} pair{'s' * (ratio.pairs != 1)}" if ratio.pairs < runs else ""
    return ratio_words(ratio) + few


def differing(a: Loaded, b: Loaded) -> list[tuple[str, str, str]]:
    """What else is not the same: of the last session of each."""
    sessions = [side.found.sessions[-1] if side.found.sessions else {"machine": {}, "campaign": {}} for side in (a, b)]
    rows = []
    for what, told in TOLD.items():
        ours, theirs = (told(session["machine"], session["campaign"]) for session in sessions)
        if ours != theirs:
            rows.append((what, ours, theirs))
    return rows


def _file_systems(machine: Mapping[str, Any]) -> str:
    folders = machine.get("folders", {})
    told = {label: f"{of.get('type', '?')} ({of.get('options', '')})" for label, of in folders.items()}
    return ", ".join(told.values() if len(told) == 1 else (f"{label}: {words}" for label, words in told.items()))


TOLD: dict[str, Callable[[Mapping[str, Any], Mapping[str, Any]], str]] = {
    "file system": lambda machine, _: _file_systems(machine),
    "weft": lambda machine, _: str(machine.get("weft", "")),
    "MPI": lambda machine, _: str(machine.get("mpi", "")),
    "launcher": lambda machine, _: str(machine.get("launcher", "")),
    "processor": lambda machine, _: str(machine.get("cpu", "")),
    "cores": lambda machine, _: str(machine.get("cores", "")),
    "memory": lambda machine, _: format_bytes(machine["memory_bytes"]) if "memory_bytes" in machine else "",
    "system": lambda machine, _: str(machine.get("system", "")),
    "kernel": lambda machine, _: str(machine.get("kernel", "")),
    "caches": lambda _, campaign: str(campaign.get("cache", "")),
    "order": lambda _, campaign: str(campaign.get("order", "")),
    "pause": lambda _, campaign: format_duration(campaign["pause"]) if "pause" in campaign else "",
}
