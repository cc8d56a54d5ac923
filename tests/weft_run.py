"""Runs the weft command as its users do, and says what must come out of it. Shared by the pytest folders.

The expected values are made from the documented formula with NumPy alone; files are read with h5py alone. No Weft code
takes part in judging Weft.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from numpy.typing import NDArray

REPO = Path(__file__).resolve().parents[1]
WEFT = os.environ.get("WEFT", str(REPO / "build" / "bin" / "weft"))
LAUNCHER = shlex.split(os.environ.get("WEFT_MPIEXEC", "mpiexec.openmpi --oversubscribe --bind-to none"))
DATA = Path(os.environ.get("WEFT_DATA", str(REPO.parent / "shared" / "data")))

# More than anything here takes on a machine that does much else; what passes it hangs.
PATIENCE = 60.0
IDLE_SLOT = 2**64 - 1

Values = NDArray[Any]


@dataclass
class Outcome:
    """What a command left: its exit code (negative: the signal that ended it), and what it said."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def error_lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if "weft: error:" in line]


# A binary with AddressSanitizer takes more memory, and no library may be loaded before it.
not_with_sanitizers = pytest.mark.skipif("WEFT_SANITIZED" in os.environ, reason="the binary has sanitizers")

# Open MPI starts in 0.2 s instead of 0.6 where it need not look for networks, nor, on one rank, start a daemon.
OPEN_MPI = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_osc": "^ucx",
    "OMPI_MCA_ess_singleton_isolated": "1",
    # Ranks that wait leave their core to others: on a busy machine four times as fast.
    "OMPI_MCA_mpi_yield_when_idle": "1",
}


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    # netCDF4 sets this when it is imported, to plugins for an HDF5 of its own.
    ours = {name: value for name, value in os.environ.items() if name != "HDF5_PLUGIN_PATH"}
    return {**OPEN_MPI, **ours, **(extra or {})}


@contextmanager
def own_session(extra: dict[str, str] | None = None) -> Iterator[dict[str, str]]:
    """The environment of a command that runs beside others.

    Open MPI's ranks that were started alone share a folder below the temporary one, and one that ends may remove it
    while another begins; and what a killed one leaves there would stay. So each has a folder of its own.
    """
    with tempfile.TemporaryDirectory(prefix="ompi-", ignore_cleanup_errors=True) as session:
        yield environment({"OMPI_MCA_orte_tmpdir_base": session, **(extra or {})})


def call(
    command: list[str],
    *,
    env: dict[str, str] | None = None,
    cwd: Path | None = None,
    patience: float = PATIENCE,
) -> Outcome:
    """Runs a command to its end. A command that takes longer than `patience` fails the test: nothing may hang."""
    with (
        own_session(env) as settings,
        subprocess.Popen(
            command,
            env=settings,
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        ) as process,
    ):
        try:
            out, err = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.terminate()  # the launcher takes its ranks along, which it cannot when killed
            try:
                process.communicate(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
            raise
    return Outcome(process.returncode, out, err)


def on_ranks(ranks: int | None, command: list[str]) -> list[str]:
    """The command line that starts `command` on so many ranks; None starts it alone, without the launcher."""
    return command if ranks is None else [*LAUNCHER, "-n", str(ranks), *command]


def weft(*arguments: object, ranks: int | None = None, patience: float = PATIENCE) -> Outcome:
    """Runs weft, whatever comes of it."""
    return call(on_ranks(ranks, [WEFT, *map(str, arguments)]), patience=patience)


def weft_ok(*arguments: object, ranks: int | None = None, patience: float = PATIENCE) -> Outcome:
    outcome = weft(*arguments, ranks=ranks, patience=patience)
    assert outcome.code == 0, f"weft {' '.join(map(str, arguments))} on {ranks} ranks: {outcome}"
    return outcome


def run_ecg(out: Path, *arguments: object, ranks: int | None = None, patience: float = PATIENCE) -> Any:
    """Runs kernel ecg, which must succeed, and returns its report."""
    return weft_ok("run", "ecg", "--out", out, "--json", *arguments, ranks=ranks, patience=patience).json


def wave(nodes: int, steps: int) -> tuple[Values, Values]:
    """V and phi_e, each (steps, nodes): the synthetic source's formula, operation for operation."""
    s = np.arange(steps, dtype=np.float64)[:, None]
    x = (np.arange(nodes, dtype=np.float64) * (1.0 / float(nodes)))[None, :]
    p = np.maximum(s - 100.0 * x, 0.0)
    r = p * 0.015625
    v = ((120.0 * p) / ((p + 0.5) * (1.0 + (r * r) * (r * r))) - 85.0) + 0.001 * s + 0.002 * x
    return v, v * (-0.05 - 0.1 * x)


def expected_fields(nodes: int, steps: int, fields: str = "joint") -> dict[str, Values]:
    v, phi_e = wave(nodes, steps)
    return {"Data": np.stack([v, phi_e], axis=-1)} if fields == "joint" else {"V": v, "phi_e": phi_e}


def same_bits(left: Values, right: Values) -> bool:
    """Equal in shape, type and every bit; -0.0 and 0.0 differ, a NaN equals itself."""
    return left.shape == right.shape and left.dtype == right.dtype and left.tobytes() == right.tobytes()


def committed_steps(path: Path) -> int:
    """The least commit slot, as docs/format.md tells any reader to find it."""
    with h5py.File(path, "r") as file:
        slots = [int(slot) for slot in file["/weft/commit"][...].astype(np.uint64)]
    writing = [slot for slot in slots if slot != IDLE_SLOT]
    return min(writing, default=0)


def check_file(path: Path, nodes: int, steps: int, fields: str = "joint") -> None:
    """Every value of every step of a finished file is there, and so are the times; the file is sound."""
    with h5py.File(path, "r") as file:
        for name, values in expected_fields(nodes, steps, fields).items():
            got = file[name][...]
            assert got.shape == values.shape, f"{path}: {name} has shape {got.shape}"
            wrong = np.argwhere(got != values)
            assert same_bits(got, values), f"{path}: {name} is wrong first at {wrong[:1].tolist()}, {len(wrong)} times"
        assert same_bits(file["time"][...], np.arange(steps, dtype=np.float64)), f"{path}: the times are wrong"
    assert committed_steps(path) == steps
    checked = weft("verify", path)
    assert checked.code == 0, f"{path}: {checked.out}{checked.err}"


def check_committed(path: Path, nodes: int, steps: int, fields: str = "joint") -> int:
    """Every committed step of a file, finished or not, holds its values. Returns how many there are."""
    committed = committed_steps(path)
    assert committed <= steps
    with h5py.File(path, "r") as file:
        for name, values in expected_fields(nodes, steps, fields).items():
            assert len(file[name]) >= committed, f"{path}: {name} ends before its committed steps"
            assert same_bits(file[name][:committed], values[:committed]), f"{path}: a committed step of {name} is wrong"
        assert same_bits(file["time"][:committed], np.arange(committed, dtype=np.float64)), f"{path}: times are wrong"
    return committed


def needs_direct_writes(folder: Path) -> None:
    """Skips the test where the file system has no direct writes (an old tmpfs)."""
    try:
        os.close(os.open(folder / "probe", os.O_WRONLY | os.O_CREAT | os.O_DIRECT))
    except OSError:
        pytest.skip("the file system of the build tree has no direct writes")


def check_h5dump(path: Path) -> str:
    """HDF5's own tool opens the file. Returns what it says of the file's structure."""
    outcome = call(["h5dump", "-H", str(path)])
    assert outcome.code == 0, f"h5dump -H {path}: {outcome.err}"
    return outcome.out


def chunk_range(path: Path, name: str) -> tuple[int, int]:
    """Where a dataset's chunks lie in the file, asked of HDF5: first byte, and the byte behind the last."""
    with h5py.File(path, "r") as file:
        dataset = file[name].id
        chunks = [dataset.get_chunk_info(i) for i in range(dataset.get_num_chunks())]
    return min(c.byte_offset for c in chunks), max(c.byte_offset + c.size for c in chunks)
