"""h5dump: the header says type and shape, `-b LE` writes the values."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from answers import Absent, answer_all

TYPES = {
    "H5T_IEEE_F64LE": "<f8",
    "H5T_IEEE_F32LE": "<f4",
    "H5T_STD_I64LE": "<i8",
    "H5T_STD_I32LE": "<i4",
    "H5T_STD_U8LE": "|u1",
}


def h5dump(*arguments: str) -> str:
    done = subprocess.run(
        ["/usr/bin/h5dump", *arguments], check=False, capture_output=True, text=True, errors="replace"
    )
    said = done.stdout + done.stderr
    if done.returncode != 0:
        if "unable to get link info" in said:
            raise Absent(said)
        raise OSError(said.strip().splitlines()[-1])
    return said


def read(path: str, name: str) -> Any:
    header = h5dump("-H", "-d", f"/{name}", path)
    kind = re.search(r"DATATYPE\s+(\w+)", header)
    extent = re.search(r"DATASPACE\s+SIMPLE \{ \( ([\d, ]+) \)", header)
    assert kind and extent, header
    with tempfile.TemporaryDirectory() as folder:
        values = Path(folder) / "values"
        h5dump("-d", f"/{name}", "-b", "LE", "-o", str(values), path)
        return np.fromfile(values, TYPES[kind.group(1)]).reshape([int(n) for n in extent.group(1).split(",")])


answer_all(read)
