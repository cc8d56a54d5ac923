"""Weft in Python: campaigns (weft.campaign) and their reports (weft.report), and the library itself (weft._core).

A campaign is a set of runs of `weft run`, described in a file and done in random order; a report is what can be said
of their results. Parts that decide (parsing, order, statistics, wording) touch no file and start no process; those that
act are few: weft.campaign.runner, weft.campaign.preparation, and the two commands.

What is offered here by name is imported when it is first asked for: campaigns need neither the extension nor NumPy.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# name -> the module that has it
_LAZY: dict[str, str] = {
    "DataError": "weft._core",
    "Field": "weft.field",
    "FieldSpec": "weft.specs",
    "File": "weft.reading",
    "Grid": "weft.specs",
    "Mesh": "weft.specs",
    "Writer": "weft.writing",
    "append": "weft.writing",
    "convert": "weft.functions",
    "create": "weft.writing",
    "ecg": "weft.cardiogram",
    "even_share": "weft.specs",
    "import_series": "weft.functions",
    "inspect": "weft.inspection",
    "layout": "weft.functions",
    "open": "weft.reading",
    "reduce": "weft.functions",
    "refs": "weft.functions",
    "repack": "weft.functions",
    "verify": "weft.functions",
    "view": "weft.functions",
}


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        value = getattr(importlib.import_module(_LAZY[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'weft' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
