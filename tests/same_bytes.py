"""Whether a program in another language wrote the file that C++ writes, byte for byte."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np


def differing(one: Path, other: Path) -> set[int]:
    a, b = (np.frombuffer(path.read_bytes(), np.uint8) for path in (one, other))
    assert len(a) == len(b)
    return set(np.flatnonzero(a != b).tolist())


def assert_bytes_of_cpp(folder: Path, write_cpp: Callable[[Path], object], write: Callable[[Path], object]) -> None:
    """write() makes the file that write_cpp() makes; each is given the path."""
    cpp, later, other = (folder / name for name in ("cpp.h5", "later.h5", "other.h5"))
    write_cpp(cpp)
    time.sleep(1.1)
    write_cpp(later)
    write(other)
    # HDF5 notes in which second it made an object, and sums that up (in words of 4 bytes): nothing else differs between
    # two runs of C++.
    of_time = {byte + i for byte in differing(cpp, later) for i in range(-3, 4)}
    assert differing(cpp, other) <= of_time and len(of_time) < 4000
