"""Files of tens of thousands of filtered chunks. HDF5 1.10 walks its index from the beginning for each chunk that it is
asked for by name: a look at all of them took more than a minute, and `weft verify` called such a file damaged."""

from __future__ import annotations

import zlib
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

CHUNKS = 70_000


@pytest.fixture
def many(tmp_path: Path) -> Path:
    path = tmp_path / "many.h5"
    chunk = zlib.compress(np.arange(16, dtype="<f8").tobytes(), 1)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("V", (CHUNKS, 16), "<f8", chunks=(1, 16), compression="gzip", maxshape=(None, 16))
        for number in range(CHUNKS):
            data.id.write_direct_chunk((number, 0), chunk)
    return path


def test_a_file_of_many_filtered_chunks_is_sound(many: Path) -> None:
    outcome = w.weft("verify", many)
    assert outcome.code == 0, outcome
    assert "70,000 places, none of which overlap" in outcome.out


def test_where_chunks_lie_is_told_of_all(many: Path, tmp_path: Path) -> None:
    refs = tmp_path / "refs.json"
    outcome = w.weft("refs", many, "-o", refs)
    assert outcome.code == 0, outcome
    assert refs.read_text().count('"V/') >= CHUNKS
