"""One of several ranks killed by SIGKILL in place of every write it makes; the launcher ends the others.

What must hold then is said in test_killed.py. Whichever rank is the last with a window raises the slot for all. So what
a killed rank has raised counts, and how many writes a rank makes differs from run to run by these.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import weft_run as w
from killing import Killer, clear, read_log, slot_address

NODES, STEPS = 211, 9


@pytest.mark.parametrize(
    ("ranks", "ownership", "extra", "one_in"),
    [(2, "blocks", [], 1), (3, "scatter", [], 4), (2, "uneven", ["--unknown-steps"], 17)],
)
def test_every_rank_killed_at_every_write(
    tmp_path: Path, killer: Killer, ranks: int, ownership: str, extra: list[str], one_in: int
) -> None:
    # A few steps fit a window, which makes several windows on each rank. Starting ranks takes a second, so only the
    # plain case is enumerated; of the others some must do.
    arguments = ["--nodes", NODES, "--steps", STEPS, "--target", "2KiB", "--ownership", ownership, *extra]
    arguments += ["--budget", "30KiB"]
    kills = []
    slot = 0
    for rank in range(ranks):
        path = tmp_path / f"whole-{rank}.h5"
        calls = killer.calls(path, *arguments, ranks=ranks, rank=rank)
        w.check_file(path, NODES, STEPS)
        slot = slot_address(path)  # of the one node
        # Rank 0 gives the file its name; another rank's writes before it are those of the mesh.
        named = [c.number for c in calls if c.name == "rename" and c.path.endswith(".weft-part")]
        of_mesh = [c.number for c in calls if c.name == "pwritev" and c.path.endswith(".weft-part")]
        made = max([*named, *of_mesh], default=0) + 1
        for c in calls[rank::one_in]:
            if c.number >= made:
                kills.append((rank, c.number))
    assert len({rank for rank, _ in kills}) >= 2

    def kill(rank: int, number: int) -> bool:
        path = tmp_path / f"killed-{rank}-{number}.h5"
        log = tmp_path / f"killed-{rank}-{number}.log"
        outcome = killer.run(path, *arguments, at=number, ranks=ranks, rank=rank, log=log)
        calls = read_log(log)
        # The mpiexec of MPICH 4.2 returns 0 for a killed rank at times; a run that came to its end says so.
        if outcome.code == 0 and "blocked in Weft" in outcome.out:
            assert len(calls) < number, f"rank {rank} at call {number}: {outcome}"
            w.check_file(path, NODES, STEPS)
            return False
        raised = [c.first_word for c in calls if c.offset == slot and c.number < number]
        at_least = max((steps for steps in raised if steps != w.IDLE_SLOT), default=0)
        if Path(f"{path}.weft-undo").exists():
            w.run_ecg(path, *arguments[:-2], "--append", ranks=ranks)
        w.check_h5dump(path)
        committed = w.check_committed(path, NODES, STEPS)
        assert committed >= at_least, f"rank {rank} at call {number}: {committed} committed, {at_least} expected"
        clear(path)
        return True

    with ThreadPoolExecutor(2) as pool:
        killed = [result.result() for result in [pool.submit(kill, *one) for one in kills]]
    assert sum(killed) >= len(kills) * 0.7
