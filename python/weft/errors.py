"""Errors as users meet them: one line, with where it happened, what is wrong and what to do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable


class WeftError(Exception):
    """The machine said no, or a file is not what it should be: the command ends with 1."""

    exit_code = 1

    def __init__(self, where: str, what: str, remedy: str = "") -> None:
        line = ": ".join(part for part in (where, what) if part)
        # File names and messages of others may hold newlines; the promise is one line.
        super().__init__(" ".join((f"{line}; {remedy}" if remedy else line).split()))


class UsageError(WeftError):
    """The caller's mistake, in an argument or in a campaign's file: the command ends with 2."""

    exit_code = 2


def ending_with_a_line(command: Callable[[], None]) -> int:
    """Runs a command and returns its exit code; what went wrong is one line on standard error, as weft itself has it."""
    try:
        command()
    except WeftError as error:
        print(f"weft: error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return 0
