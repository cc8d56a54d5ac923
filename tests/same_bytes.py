"""Whether a program in another language wrote the file, or the compressed chunks, that C++ writes, byte for byte."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import h5py
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


def chunks_of(path: Path, dataset: str) -> dict[tuple[int, ...], bytes]:
    """As they lie in the file, by their first element."""
    with h5py.File(path) as file:
        data = file[dataset]
        assert data.compression is not None
        every = [data.id.get_chunk_info(i).chunk_offset for i in range(data.id.get_num_chunks())]
        return {offset: data.id.read_direct_chunk(offset)[1] for offset in every}


def assert_chunks_of_cpp(
    folder: Path, dataset: str, write_cpp: Callable[[Path], object], write: Callable[[Path], object]
) -> None:
    """The same for compressed chunks: threads that filter make them in any order, so they may lie in another one."""
    cpp, other = folder / "cpp.h5", folder / "other.h5"
    write_cpp(cpp)
    write(other)
    chunks = chunks_of(cpp, dataset)
    assert chunks and chunks == chunks_of(other, dataset)
