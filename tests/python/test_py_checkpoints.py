"""Checkpoints of io4dolfinx: the folder, on ranks; and with DOLFINx where this machine has one that io4dolfinx takes."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import weft

HERE = Path(__file__).parent
CHECKPOINTS = HERE / "checkpoints_of_dolfinx.py"


def run(ranks: int, python: str, program: Path, *words: str) -> None:
    launch = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n", str(ranks)]
    done = subprocess.run(
        [*launch, python, str(program), *words], capture_output=True, text=True, timeout=240, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize(("writers", "readers"), [(1, 2), (3, 1), (2, 3)])
def test_a_folder_is_read_on_any_number_of_ranks(tmp_path: Path, writers: int, readers: int) -> None:
    program, folder = HERE / "folder_on_ranks.py", tmp_path / "a.checkpoint"
    run(writers, sys.executable, program, "write", str(folder))
    run(readers, sys.executable, program, "read", str(folder))
    assert sorted(path.name for path in folder.iterdir()) == [
        "cells.h5", "points-2.h5", "points.h5", "weft-checkpoint.json",
    ]  # fmt: skip
    assert all(weft.verify(path) for path in folder.glob("*.h5"))
    with weft.open(folder / "points.h5") as file:  # plain series: a component of a point over time
        np.testing.assert_array_equal(file.times, [0.0, 0.5])
        np.testing.assert_array_equal(file["points"].trace(5)[:, 1], np.sin(16 + file.times))
    (folder / "mine.txt").write_text("kept")
    run(1, sys.executable, program, "write", str(folder))  # a new one in its place
    assert (folder / "mine.txt").exists()


@pytest.mark.skipif(
    importlib.util.find_spec("io4dolfinx") is None,
    reason="this Python has no io4dolfinx (make test-io4dolfinx makes a machine that has)",
)
@pytest.mark.parametrize(("writers", "readers"), [(1, 3), (3, 2)])
def test_functions_of_dolfinx_come_back(tmp_path: Path, writers: int, readers: int) -> None:
    folder = tmp_path / "heat.checkpoint"
    run(writers, sys.executable, CHECKPOINTS, "write", str(folder))
    run(readers, sys.executable, CHECKPOINTS, "read", str(folder))
