"""meshio, on what `weft convert --to vtu --out FILE.vtu` makes: a file a step, and a block."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import meshio
import numpy as np
from answers import Absent, answer_all


def read(path: str, name: str) -> Any:
    block, _, array = name.rpartition("/")
    stem = Path(path).stem + (f".{block}" if block not in ("", "mesh") else "")
    steps = [meshio.read(file) for file in sorted(Path(f"{path}.vtu").glob(f"{stem}_[0-9]*.vt?"))]
    if not steps:
        raise OSError("no steps")
    if name == "time":
        if any("TimeValue" not in step.field_data for step in steps):
            raise Absent(name)
        return np.array([float(step.field_data["TimeValue"][0]) for step in steps])
    if any(array not in step.point_data for step in steps):
        raise Absent(name)
    return np.stack([step.point_data[array] for step in steps])


answer_all(read)
