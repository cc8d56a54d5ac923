"""64, 128 and 256 ranks on this machine, as 8 nodes: values, counts and memory. What it takes in seconds means nothing.

make test-crowds runs it with each MPI; it takes an hour in all.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft_run as w
from killing import Killer, clear, made_at

NODES, STEPS = 20011, 24
MACHINES = 8
CASE = ["--nodes", NODES, "--target", "16KiB", "--mesh", "none"]
PATIENCE = 900.0
CROWDS = [64, 128, 256]


@pytest.fixture(autouse=True)
def many_nodes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many ranks on each of eight nodes, as far as Weft knows."""
    ranks = request.node.callspec.params["ranks"]
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", str(ranks // MACHINES))


def write(path: Path, ranks: int, *more: object, steps: int = STEPS) -> Any:
    return w.run_ecg(path, *CASE, "--steps", steps, *more, ranks=ranks, patience=PATIENCE)


@pytest.mark.parametrize("ranks", CROWDS)
@pytest.mark.parametrize("ownership", ["blocks", "scatter", "uneven"])
@pytest.mark.parametrize("strategy", ["owner", "cached", "per-step"])
def test_every_way_of_writing(tmp_path: Path, ranks: int, strategy: str, ownership: str) -> None:
    path = tmp_path / "a.h5"
    write(path, ranks, "--strategy", strategy, "--ownership", ownership)
    w.check_file(path, NODES, STEPS)


@pytest.mark.parametrize("ranks", CROWDS)
@pytest.mark.parametrize("writers", ["1", "2", "7", "1/node", "all"])
def test_writers(tmp_path: Path, ranks: int, writers: str) -> None:
    path = tmp_path / "a.h5"
    report = write(path, ranks, "--ownership", "scatter", "--writers", writers)
    w.check_file(path, NODES, STEPS)
    app, mpi = report["counters"]["app"], report["counters"]["mpi"]
    most = {"1/node": MACHINES, "all": ranks}.get(writers) or int(writers)
    assert 1 <= app["writing_ranks"] <= most
    # In a window at most a message from each rank to each writer, for a field; and never more than there is.
    assert mpi["messages"] <= app["windows"] * ranks * most
    assert mpi["bytes_sent"] <= NODES * STEPS * 16
    # Every rank has its values, its part of the windows, and no more than a word for each other rank.
    assert report["peak_rss_bytes"] < 200 << 20
    # Gone on with by a few, who know nothing of those nodes.
    write(path, 5, "--append", "--writers", "2", steps=STEPS + 11)
    w.check_file(path, NODES, STEPS + 11)


@pytest.mark.parametrize("ranks", CROWDS)
@pytest.mark.parametrize("writers", ["1", "2", "7", "all"])
def test_killed_and_gone_on_with(tmp_path: Path, ranks: int, writers: str) -> None:
    killer = Killer(tmp_path)
    # A few steps fit a window of a writer.
    budget = max(80 << 10, 10 * NODES * 16 // (ranks if writers == "all" else int(writers)))
    case = [*CASE, "--steps", STEPS, "--ownership", "scatter", "--writers", writers, "--budget", budget]
    whole = tmp_path / "whole.h5"
    calls = killer.calls(whole, *case, ranks=ranks, rank=0, patience=PATIENCE)
    first, last = made_at(calls), len(calls)
    clear(whole)
    ended = []
    for number, rank in ((first + 1, 0), ((first + last) // 2, 0), (5, ranks // 2)):
        path = tmp_path / f"killed-{number}-{rank}.h5"
        outcome = killer.run(path, *case, at=number, ranks=ranks, rank=rank, patience=PATIENCE)
        if not path.exists():  # before it had its name
            continue
        if outcome.code == 0:  # this rank does not make so many writes
            w.check_file(path, NODES, STEPS)
        w.check_h5dump(path)
        ended.append(w.check_committed(path, NODES, STEPS))
        for more, append_ranks in ((0, 3), (11, ranks)):
            write(path, append_ranks, "--append", "--ownership", "blocks", steps=STEPS + more)
            w.check_file(path, NODES, STEPS + more)
        clear(path)
    assert ended and min(ended) < STEPS, "some run was killed before its end"


@pytest.mark.parametrize("ranks", [256])
def test_what_travels_between_nodes(tmp_path: Path, ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = tmp_path / "few.h5", tmp_path / "many.h5"
    report = write(many, ranks, "--writers", "1/node")
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", "1")
    small = write(few, MACHINES, "--writers", "1/node")
    assert report["chunk"] == small["chunk"]
    # Ranks have even blocks of nodes, and so have machines. Of a chunk, all but what its best machine has must travel.
    machine = np.repeat(np.arange(ranks), [len(block) for block in np.array_split(np.arange(NODES), ranks)])
    machine = machine // (ranks // MACHINES)
    wide = report["chunk"][1]
    least = 0
    for first in range(0, NODES, wide):
        least += wide_part(machine[first : first + wide])
    assert report["counters"]["mpi"]["bytes_between_nodes"] <= 1.1 * least * STEPS * 16 + STEPS * 8
    size = {one: r["counters"]["app"]["bytes_written"] / r["counters"]["app"]["writes"] for one, r in
            (("many", report), ("few", small))}
    assert size["many"] >= 0.9 * size["few"], size


def wide_part(machines: Any) -> int:
    """Elements of a chunk that are not on the machine that has most of it."""
    return len(machines) - int(np.bincount(machines).max())
