"""read, info, reduce and refs of files that others wrote and that are damaged: a result or one line, never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

# HDF5 may loop over a flipped bit until weft ends it, after ten seconds of computing.
SOON = 90.0

# Those of 0 to 299 over which HDF5 1.10.8 crashed in `weft read`, one over which it looped, and others.
SEEDS = [29, 31, 156, 168, 225, 240, 293, *range(10)]

COMMANDS = {
    "info": ["info", "bad.nc"],
    "read": ["read", "bad.nc", "--field", "temp", "--trace", "5", "--json"],
    "reduce": ["reduce", "bad.nc", "--field", "temp", "--quantity", "max", "--out", "maps.h5"],
    "refs": ["refs", "bad.nc", "--json"],
}


def write_ocean(path: Path) -> int:
    """Returns how many bytes at the beginning are metadata, but for what lies behind the values."""
    with h5py.File(path, "w") as file:
        for name, size in {"time": 20, "lat": 5, "lon": 7}.items():
            file[name] = np.arange(float(size))
            file[name].make_scale(name)
        file["time"].attrs["units"] = "hours since 1990-01-01"
        values = np.random.default_rng(1).integers(-1000, 1000, (20, 5, 7)).astype("i2")
        temp = file.create_dataset("temp", data=values, chunks=(5, 5, 7), compression=4, shuffle=True)
        temp.attrs.update({"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": np.int16(-32768)})
        for axis, name in enumerate(("time", "lat", "lon")):
            temp.dims[axis].attach_scale(file[name])
    return min(path.stat().st_size, 12000)


@pytest.mark.parametrize("command", COMMANDS)
def test_damaged_metadata(tmp_path: Path, command: str) -> None:
    metadata = write_ocean(tmp_path / "ocean.nc")
    whole = (tmp_path / "ocean.nc").read_bytes()
    refused = 0
    for seed in SEEDS:
        chance = random.Random(seed)
        damaged = bytearray(whole)
        for _ in range(chance.choice((1, 3, 10))):
            damaged[chance.randrange(metadata)] = chance.randrange(256)
        (tmp_path / "bad.nc").write_bytes(damaged)
        outcome = w.call([w.WEFT, *COMMANDS[command]], cwd=tmp_path, patience=SOON)
        assert outcome.code in (0, 1, 2), (seed, outcome)
        assert len(outcome.error_lines) == (outcome.code != 0), (seed, outcome)
        refused += outcome.code != 0
    assert refused > 0
