"""Arguments of the commands. What declares them imports nothing but Python's own modules, as the manual is made of it."""

from __future__ import annotations

import argparse
from typing import NoReturn

from weft.errors import UsageError


class Parser(argparse.ArgumentParser):
    """Mistakes end as those of `weft` do: one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("", f"{message}; see {self.prog} --help")
