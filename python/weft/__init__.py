"""Weft in Python: campaigns (weft.campaign) and their reports (weft.report), and the library itself (weft._core).

A campaign is a set of runs of `weft run`, described in a file and done in random order; a report is what can be said
of their results. Parts that decide (parsing, order, statistics, wording) touch no file and start no process; those that
act are few: weft.campaign.runner, weft.campaign.preparation, and the two commands.

What is offered here by name is imported when it is first asked for: campaigns need neither the extension nor NumPy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the names of _LAZY, for those who read types
    from weft._core import DataError as DataError
    from weft.cardiogram import ecg as ecg
    from weft.field import Field as Field
    from weft.functions import convert as convert
    from weft.functions import import_series as import_series
    from weft.functions import layout as layout
    from weft.functions import reduce as reduce
    from weft.functions import refs as refs
    from weft.functions import repack as repack
    from weft.functions import verify as verify
    from weft.functions import view as view
    from weft.inspection import inspect as inspect
    from weft.own_quantity import Quantity as Quantity
    from weft.reading import File as File
    from weft.reading import open as open
    from weft.specs import FieldSpec as FieldSpec
    from weft.specs import Grid as Grid
    from weft.specs import Mesh as Mesh
    from weft.specs import even_share as even_share
    from weft.writing import Writer as Writer
    from weft.writing import append as append
    from weft.writing import create as create

__version__ = "0.1.0"

# name -> the module that has it
_LAZY: dict[str, str] = {
    "DataError": "weft._core",
    "Field": "weft.field",
    "FieldSpec": "weft.specs",
    "File": "weft.reading",
    "Grid": "weft.specs",
    "Mesh": "weft.specs",
    "Quantity": "weft.own_quantity",
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


if not TYPE_CHECKING:  # so that names that there are not are found

    def __getattr__(name: str) -> Any:
        if name in _LAZY:
            value = getattr(importlib.import_module(_LAZY[name]), name)
            globals()[name] = value
            return value
        raise AttributeError(f"module 'weft' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
