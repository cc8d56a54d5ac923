"""What every Python adapter does: `adapter FILE OUT NAME..` reads these datasets of FILE, each by itself.

It leaves in OUT `answers.jsonl`, a line a dataset, and the values, `0.bin`, `1.bin`, .. (row-major, little-endian).

Where the reader lists no such dataset, the adapter raises Absent. What raises anything else has refused.
"""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np


class Absent(Exception):
    """The reader lists no dataset of this name."""


def answer(name: str, number: int, out: Path, read: Callable[[str], Any]) -> dict[str, Any]:
    try:
        array = np.asarray(read(name))
        if array.dtype.kind == "O":
            raise ValueError(f"what it gives is no array: {array.item() if array.shape == () else array.dtype}")
    except Absent as error:
        return {"name": name, "state": "absent", "error": str(error)}
    except Exception as error:  # noqa: BLE001 (whatever a reader raises)
        return {"name": name, "state": "refused", "error": f"{type(error).__name__}: {error}"}
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)
    (out / f"{number}.bin").write_bytes(array.tobytes())
    return {"name": name, "state": "read", "dtype": array.dtype.str, "shape": list(array.shape)}


def answer_all(read: Callable[[str, str], Any]) -> None:
    """`read(file, name)` returns an array."""
    warnings.simplefilter("ignore")
    file, out, names = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    with (out / "answers.jsonl").open("w") as lines:
        for number, name in enumerate(names):
            found = answer(name, number, out, lambda wanted: read(file, wanted))
            lines.write(json.dumps(found) + "\n")
            lines.flush()  # a reader may end the whole process at the next dataset
