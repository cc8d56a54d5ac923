"""xarray.open_dataset as it is called by default: `with_xarray.py ENGINE FILE OUT NAME..`."""

from __future__ import annotations

import sys
from typing import Any

import xarray
from answers import Absent, answer_all

ENGINE = sys.argv.pop(1)


def read(path: str, name: str) -> Any:
    group, _, last = name.rpartition("/")
    with xarray.open_dataset(path, engine=ENGINE, group=group or None) as dataset:
        if last not in dataset.variables:
            raise Absent(name)
        return dataset[last].values


answer_all(read)
