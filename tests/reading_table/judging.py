"""A cell of the table: what one reader made of one kind of file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import weft_run as w
from kinds import Made
from readers import Answer, Reader

WORST_FIRST = ("WRONG", "refused", "absent", "equal")


@dataclass
class Finding:
    """What became of one dataset."""

    verdict: str
    more: bool = False  # it showed steps behind the committed ones
    detail: str = ""


@dataclass
class Cell:
    reader: str
    kind: str
    found: dict[str, Finding]

    @property
    def verdict(self) -> str:
        verdicts = {finding.verdict for finding in self.found.values()}
        return next(word for word in WORST_FIRST if word in verdicts)

    @property
    def more(self) -> bool:
        return any(finding.more for finding in self.found.values())

    @property
    def mixture(self) -> str:
        """Which dataset is what, where they differ."""
        if len({finding.verdict for finding in self.found.values()}) == 1:
            return ""
        parts = []
        for word in WORST_FIRST:
            names = [f"`{name}`" for name, finding in self.found.items() if finding.verdict == word]
            if names:
                parts.append(f"{', '.join(names)} {word}")
        return "; ".join(parts)


def same(got: w.Values, wanted: w.Values) -> bool:
    """Every bit, except that one NaN is as good as another."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    if wanted.dtype.kind != "f":
        return np.array_equal(got, wanted)
    return np.array_equal(got, wanted, equal_nan=True) and np.array_equal(np.signbit(got), np.signbit(wanted))


def difference(got: w.Values, wanted: w.Values) -> str:
    if got.dtype != wanted.dtype or got.shape[1:] != wanted.shape[1:] or len(got) < len(wanted):
        return f"{got.dtype} {got.shape} in place of {wanted.dtype} {wanted.shape}"
    got = got[: len(wanted)]
    wrong = (got != wanted) & ~(np.isnan(got) & np.isnan(wanted))
    shown = np.unique(got[wrong])
    some = f"{shown[:3].tolist()}" + (" and others" if len(shown) > 3 else "")
    return f"{int(wrong.sum())} of {wanted.size} values wrong, first at {np.argwhere(wrong)[0].tolist()}: {some}"


def judged(answer: Answer, wanted: w.Values, committed: int | None) -> Finding:
    if answer.values is None:
        return Finding(answer.state, detail=answer.error)
    got = answer.values
    more = committed is not None and len(got) > committed
    if same(got[:committed] if more else got, wanted):
        return Finding("equal", more)
    return Finding("WRONG", more, difference(got, wanted))


def cell(reader: Reader, kind: str, made: Made) -> Cell:
    truth = made.view if reader.looks_at == "view" else made.truth
    # What is made by `weft view` and `weft convert` has the committed steps alone; more of them would be wrong.
    committed = made.committed if reader.of == made.path.name else None
    answers = reader.read(made)
    return Cell(reader.name, kind, {name: judged(answers[name], truth[name], committed) for name in truth})
