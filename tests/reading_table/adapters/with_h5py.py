"""h5py, of whichever Python runs this; with the word `plugins` in front of the file, with the filters of hdf5plugin."""

from __future__ import annotations

import sys
from typing import Any

from answers import Absent, answer_all

if sys.argv[1] == "plugins":
    del sys.argv[1]
    import hdf5plugin  # noqa: F401 (it registers its filters)
import h5py


def read(path: str, name: str) -> Any:
    with h5py.File(path, "r") as file:
        if name not in file:
            raise Absent(name)
        return file[name][...]


answer_all(read)
