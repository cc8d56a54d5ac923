"""How far it is, for whoever waits: nothing for two seconds, then a line now and then."""

from __future__ import annotations

import io

from weft.waiting import Waiting


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def told(out: io.StringIO, *times: float, total: int = 400) -> str:
    """`times`: the clock's, at the beginning and at each step."""
    clock = iter(times)
    with Waiting("comparing", "cell", total, out, lambda: next(clock)) as waiting:
        for _ in times[1:]:
            waiting.step()
    return out.getvalue()


def test_nothing_is_said_for_two_seconds() -> None:
    assert told(io.StringIO(), 10.0, 10.5, 11.0, 11.9) == ""


def test_a_line_after_two_seconds_and_every_five() -> None:
    assert told(io.StringIO(), 0.0, 2.5, 3.0, 7.0, 7.6) == (
        "comparing: cell 1 of 400, 0 %, about 16 min 38 s left\ncomparing: cell 4 of 400, 1 %, about 12 min 32 s left\n"
    )


def test_a_terminal_has_one_line_that_goes_away() -> None:
    text = told(Terminal(), 0.0, 2.0, 2.1, 2.3, total=10)
    assert text.count("\r") == 3 and "\n" not in text and "comparing: cell 3 of 10, 30 %, about 5.4 s left" in text
    assert text.endswith("\r\x1b[K")


def test_the_end_needs_no_line() -> None:
    assert told(io.StringIO(), 0.0, 1.0, 3.0, total=2) == ""
