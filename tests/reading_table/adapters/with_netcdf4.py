"""netCDF4-python. What it masks, it has not read."""

from __future__ import annotations

from typing import Any

import netCDF4
import numpy as np
from answers import Absent, answer_all


def read(path: str, name: str) -> Any:
    with netCDF4.Dataset(path) as file:
        *groups, last = name.split("/")
        group: Any = file
        for part in groups:
            if part not in group.groups:
                raise Absent(name)
            group = group.groups[part]
        if last not in group.variables:
            raise Absent(name)
        values = group.variables[last][...]
        if np.ma.is_masked(values):
            raise ValueError(f"{int(np.ma.count_masked(values))} values are masked")
        return np.ma.getdata(values)


answer_all(read)
