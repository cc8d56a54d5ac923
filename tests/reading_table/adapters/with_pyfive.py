"""pyfive: HDF5 in Python alone."""

from __future__ import annotations

from typing import Any

import pyfive
from answers import Absent, answer_all


def read(path: str, name: str) -> Any:
    with pyfive.File(path) as file:
        if name not in file:
            raise Absent(name)
        return file[name][...]


answer_all(read)
