"""Steps of PETSc's time stepper, written by its monitor on ranks: Debian's petsc4py, with its own Python and NumPy."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest

import weft

PYTHON = "/usr/bin/python3"
HEAT = Path(__file__).parent / "heat.py"


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_a_monitor_writes_every_step(tmp_path: Path, ranks: int) -> None:
    (tmp_path / "packages").mkdir()
    (tmp_path / "packages" / "weft").symlink_to(Path(weft.__file__).parent)  # and no NumPy but Debian's
    path = tmp_path / "heat.h5"
    launch = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n", str(ranks)]
    done = subprocess.run(
        [*launch, PYTHON, str(HEAT), str(path)],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "packages")},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    # Backward Euler, without PETSc.
    matrix = np.eye(101) - 0.1 * (np.eye(101, k=1) + np.eye(101, k=-1) - 2 * np.eye(101))
    u = np.where((np.arange(101) >= 40) & (np.arange(101) <= 60), 1.0, 0.0)
    with h5py.File(path) as file:
        assert file["u"].shape == (21, 101) and file["u"].attrs["units"] == "K"
        np.testing.assert_allclose(file["time"][...], 0.1 * np.arange(21))
        for step in range(21):
            np.testing.assert_allclose(file["u"][step], u, atol=1e-4)
            u = np.linalg.solve(matrix, u)
