"""One of several ranks killed by SIGKILL in place of every write it makes; the launcher ends the others.

What must hold then is said in test_killed.py. Of the windows: while the killed rank writes window w, every rank has
ended window w - 1, so at least the steps of w - 2 windows are committed.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import pytest
import weft_run as w
from killing import Killer, clear

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
    for rank in range(ranks):
        path = tmp_path / f"whole-{rank}.h5"
        calls = killer.calls(path, *arguments, ranks=ranks, rank=rank)
        w.check_file(path, NODES, STEPS)
        with h5py.File(path, "r") as file:
            slot = file["/weft/commit"].id.get_offset() + 8 * rank
        # Rank 0 gives the file its name; another rank's writes before it are those of the mesh.
        named = [c.number for c in calls if c.name == "rename" and c.path.endswith(".weft-part")]
        of_mesh = [c.number for c in calls if c.name == "pwritev" and c.path.endswith(".weft-part")]
        made = max([*named, *of_mesh], default=0) + 1
        for c in calls[rank::one_in]:
            if c.number >= made:
                ended = [s.first_word for s in calls if s.offset == slot and s.bytes == 8 and s.number < c.number]
                kills.append((rank, c.number, ended[-2] if len(ended) > 1 and ended[-1] != w.IDLE_SLOT else 0))
    assert len({rank for rank, _, _ in kills}) >= 2

    def kill(rank: int, number: int, at_least: int) -> None:
        path = tmp_path / f"killed-{rank}-{number}.h5"
        outcome = killer.run(path, *arguments, at=number, ranks=ranks, rank=rank)
        # The mpiexec of MPICH 4.2 returns 0 for a killed rank at times; a run that came to its end says so.
        assert outcome.code != 0 or "blocked in Weft" not in outcome.out, f"rank {rank} at call {number}: {outcome}"
        if Path(f"{path}.weft-undo").exists():
            w.run_ecg(path, *arguments[:-2], "--append", ranks=ranks)
        w.check_h5dump(path)
        committed = w.check_committed(path, NODES, STEPS)
        assert committed >= at_least, f"rank {rank} at call {number}: {committed} committed, {at_least} expected"
        clear(path)

    with ThreadPoolExecutor(2) as pool:
        for result in [pool.submit(kill, *one) for one in kills]:
            result.result()
