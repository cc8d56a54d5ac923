"""Runs programs of others under `weft with`, and compares what they leave with what they leave without."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

HERE = Path(__file__).resolve().parent
# The Python with h5py and netCDF4 of PyPI, each with an HDF5 of its own; and Debian's.
PYPI_PYTHON = str(w.REPO / ".venv-python" / "bin" / "python")
DEBIAN_PYTHON = "/usr/bin/python3"
BUILD = Path(w.WEFT).resolve().parents[1]
STEP_WRITER = str(BUILD / "tests" / "step_writer")

WITH = [w.WEFT, "with"]


def run(
    words: Sequence[object], extra: dict[str, str] | None = None, code: int = 0
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [str(word) for word in words],
        check=False,
        capture_output=True,
        text=True,
        env=w.environment(extra),
        timeout=w.PATIENCE,
    )
    assert done.returncode == code, (words, done.returncode, done.stdout[-2000:], done.stderr[-4000:])
    return done


def on_ranks(way: Sequence[object], ranks: int, words: Sequence[object]) -> list[object]:
    """The command line for ranks under `weft with`, or without where there is no way: the launcher is the program; or,
    where the launcher sets LD_PRELOAD for its ranks, each rank is."""
    if not way:
        return [*w.on_ranks(ranks, []), *words]
    if "LD_PRELOAD" in w.LAUNCHER:
        return [*w.on_ranks(ranks, []), *WITH, *way, *words]
    return [*WITH, *way, *w.on_ranks(ranks, []), *words]


def said(done: subprocess.CompletedProcess[str]) -> list[str]:
    """The lines of weft with, of what a program wrote to standard error."""
    return [line for line in done.stderr.splitlines() if line.startswith("weft with: ")]


def content(path: Path) -> dict[str, Any]:
    """Everything in a file that programs can see, but for how datasets lie in it."""
    found: dict[str, Any] = {}

    def note(name: str, thing: Any) -> None:
        attributes = {key: np.asarray(thing.attrs[key]).tolist() for key in thing.attrs if "REFERENCE" not in key}
        if isinstance(thing, h5py.Dataset):
            values = thing[()]
            found[name] = (thing.shape, thing.maxshape, str(thing.dtype), np.asarray(values).tobytes())
        found[name + "@"] = sorted((key, str(value)) for key, value in attributes.items() if "DIMENSION_LIST" != key)

    with h5py.File(path, "r") as file:
        file.visititems(note)
    return found


def same(one: Path, other: Path) -> None:
    a, b = content(one), content(other)
    assert sorted(a) == sorted(b)
    for name in a:
        assert a[name] == b[name], f"{other}: {name} differs"


def needs(program: str) -> None:
    if not os.path.exists(program):
        pytest.skip(f"{program} is not there")
