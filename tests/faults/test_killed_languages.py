"""Programs in C and Fortran killed by SIGKILL in place of a write: their files are as good as those of C++."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy
import pytest
import weft_run as w
from killing import Killer, clear, in_parallel, made_at

PROGRAMS = Path(os.environ["WEFT_EXAMPLES"]).parent / "tests"
NODES, STEPS = 211, 21


@pytest.mark.parametrize(("language", "ranks"), [("c", 3), ("fortran", 2)])
def test_killed_at_a_write(tmp_path: Path, language: str, ranks: int) -> None:
    program = PROGRAMS / f"weft_{language}_windows"
    if not program.exists():
        pytest.skip("no Fortran compiler")
    killer = Killer(tmp_path, str(program))
    whole = tmp_path / "whole.h5"
    calls = killer.calls_of(whole, [str(whole)], ranks=ranks, rank=0)
    made = made_at(calls)
    seen = set()
    killed: list[int] = []

    def kill_at(number: int) -> None:
        path = tmp_path / f"killed-{number}.h5"
        outcome = killer.run_command(path, [str(path)], at=number, ranks=ranks, rank=0)
        # How many writes rank 0 makes differs from run to run: whoever is last with a window raises the slot.
        w.check_h5dump(path)
        info = w.weft("info", path, "--json")
        assert info.code == 0, info
        with h5py.File(path, "r") as file:
            committed = int(file["weft/commit"][:].min())
            steps = numpy.arange(committed)[:, None]
            assert numpy.array_equal(file["v"][:committed], 1000.0 * steps + numpy.arange(NODES)), f"call {number}"
        seen.add(committed)
        if outcome.code == 0:
            assert committed == STEPS, f"call {number}: {outcome}"
            return
        killed.append(number)
        assert w.weft("recover", path).code == 0 and w.weft("verify", path).code == 0, f"call {number}"
        with h5py.File(path, "r") as file:
            assert file["v"].shape == (committed, NODES)
        clear(path)

    in_parallel(kill_at, range(made, len(calls) + 1))
    assert len(seen) > 2, "runs were killed in several windows"
    assert len(killed) > 5
