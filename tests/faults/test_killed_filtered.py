"""A run whose chunks are filtered, killed by SIGKILL in place of every write it makes.

Whatever write it dies in: h5py and h5dump open the file, every committed step holds its exact values, `weft recover`
makes a sound file of it, and the next run goes on with it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import weft_run as w
from killing import Killer, clear, in_parallel, made_at, raised_before, read_log, slot_address

SMALL = ["--nodes", 211, "--target", "2KiB"]
LARGE = ["--nodes", 40009, "--target", "512KiB", "--budget", "4MiB", "--mesh", "none", "--direct", "always"]
FILTER = ["--filter", "shuffle+deflate:1"]

CASES = {
    "known": (None, ["--steps", 33, "--budget", "60KiB", *FILTER]),
    "within-chunks": (None, ["--steps", 20, "--commit-every", "3steps", *FILTER]),
    "grown": (None, ["--steps", 80, "--unknown-steps", *FILTER]),
    "appended": (23, ["--steps", 61, "--append"]),
    "gone-back": (23, ["--steps", 30, "--append", "--from-step", 9]),
    "past-the-page-cache": (None, ["--steps", 14, *LARGE, *FILTER]),
}


@pytest.mark.parametrize("name", CASES)
def test_killed_at_every_write(tmp_path: Path, killer: Killer, name: str) -> None:
    before, arguments = CASES[name]
    if "always" in arguments:
        w.needs_direct_writes(tmp_path)
    else:
        arguments = [*arguments, *SMALL]
    steps, nodes = (int(str(arguments[arguments.index(word) + 1])) for word in ("--steps", "--nodes"))
    begun = tmp_path / "begun.h5"
    whole = tmp_path / "whole.h5"
    if before is not None:
        w.run_ecg(begun, *SMALL, "--steps", before, *FILTER)
        shutil.copy(begun, whole)
    calls = killer.calls(whole, *arguments)
    w.check_file(whole, nodes, steps)
    assert ("always" in arguments) == any(c.name == "io_submit" for c in calls)
    slot = slot_address(whole)
    made = made_at(calls)

    def kill_at(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "out.h5"
        if begun.exists():
            shutil.copy(begun, path)
        log = tmp_path / f"{number}.log"
        outcome = killer.run(path, *arguments, at=number, log=log)
        if outcome.code == 0 and number > len(calls) - 4:
            return w.check_file(path, nodes, steps)
        assert outcome.code in (-9, 137), f"call {number}: {outcome}"
        if not Path(f"{path}.weft-undo").exists():
            w.check_h5dump(path)
            committed = w.check_committed(path, nodes, steps)
            if before is None:
                # In its own log: a thread moves the file's end, so two runs make their calls in two orders.
                assert committed == raised_before(read_log(log), slot, number), f"call {number}"
        recovered = folder / "recovered.h5"
        shutil.copy(path, recovered)
        for beside in folder.glob("out.h5.weft-undo"):
            shutil.copy(beside, f"{recovered}.weft-undo")
        w.weft_ok("recover", recovered)
        w.check_file(recovered, nodes, w.committed_steps(recovered))
        w.run_ecg(path, "--nodes", nodes, "--steps", steps, "--append")
        w.check_file(path, nodes, steps)
        left = sorted(p.name for p in folder.iterdir())
        assert left == ["out.h5", "recovered.h5"], f"call {number} leaves {left}"
        clear(path)

    in_parallel(kill_at, range(made, len(calls) + 1))
