"""A line on standard error for whoever waits more than two seconds; on a terminal it is rewritten in place and goes away."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Self, TextIO

from weft.quantities import format_duration

FIRST, ON_TERMINAL, ELSEWHERE = 2.0, 0.2, 5.0  # seconds: until the first line, and between lines


class Waiting:
    def __init__(
        self,
        what: str,
        unit: str,
        total: int,
        out: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """As in "comparing: cell 120 of 400, 30 %, about 3.1 s left"."""
        self.what, self.unit, self.total = what, unit, total
        self.out = sys.stderr if out is None else out
        self.clock = clock
        self.terminal = self.out.isatty()
        self.began = clock()
        self.next = FIRST
        self.done = 0
        self.written = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *how: object) -> None:
        if self.written and self.terminal:
            self._write("\r\x1b[K")

    def step(self) -> None:
        self.done += 1
        now = self.clock() - self.began
        if now < self.next or self.done >= self.total:
            return
        self.next = now + (ON_TERMINAL if self.terminal else ELSEWHERE)
        left = format_duration(now / self.done * (self.total - self.done))
        part = f"{self.unit} {self.done} of {self.total}, {100 * self.done / self.total:.0f} %, about {left} left"
        begin, end = ("\r", "\x1b[K") if self.terminal else ("", "\n")
        self._write(f"{begin}{self.what}: {part}{end}")
        self.written = True

    def _write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()
