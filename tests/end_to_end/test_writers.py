"""--writers: some ranks write for all, and the file is the same."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES, STEPS = 1013, 37
SMALL = ["--nodes", NODES, "--target", "4KiB", "--budget", "200KiB"]


def slots_used(path: Path) -> list[int]:
    """The words of /weft/commit that somebody raises: one for each node that has a writer, a page apart."""
    with h5py.File(path) as file:
        slots = file["weft/commit"][:].astype(np.uint64)
    return [word for word, slot in enumerate(slots) if slot != 2**64 - 1]


@pytest.mark.parametrize("ownership", ["blocks", "scatter"])
@pytest.mark.parametrize(
    ("ranks", "per_node", "writers", "expected"),
    [
        (4, 2, "1/node", [0, 2]),
        (4, 4, "1", [0]),
        (4, 1, "2", [0, 2]),
        (7, 3, "1/node", [0, 3, 6]),
        (7, 3, "2", [0, 3]),
        (7, 2, "7", [0, 1, 2, 3, 4, 5, 6]),
        (7, 7, "all", [0, 1, 2, 3, 4, 5, 6]),
        (7, 1, "auto", [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_the_file_is_the_same(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ownership: str,
    ranks: int,
    per_node: int,
    writers: str,
    expected: list[int],
) -> None:
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", str(per_node))
    path = tmp_path / "a.h5"
    more = ["--steps", STEPS, "--ownership", ownership, "--writers", writers]
    report = w.run_ecg(path, *SMALL, *more, ranks=ranks)
    w.check_file(path, NODES, STEPS)
    writing, nodes = report["counters"]["app"]["writing_ranks"], len({rank // per_node for rank in expected})
    if ownership == "blocks":
        assert writing == len(expected)
        assert slots_used(path) == [512 * node for node in range(nodes)]
    else:  # small nodes have little
        assert 1 <= writing <= len(expected)
        assert set(slots_used(path)) <= {512 * node for node in range(nodes)}
    w.weft_ok("verify", path)
    # On another number of ranks, with other writers.
    w.run_ecg(path, *SMALL, "--steps", STEPS + 20, "--append", "--writers", "2", ranks=3)
    w.check_file(path, NODES, STEPS + 20)


@pytest.mark.parametrize("writers", ["1/node", "2"])
def test_filtered_and_reduced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, writers: str) -> None:
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", "2")
    more = ["--filter", "shuffle+deflate:1", "--reduce", "peak,mean", "--budget", "2MiB", "--ownership", "scatter"]
    paths = [tmp_path / "some.h5", tmp_path / "all.h5"]
    for path, who in zip(paths, (writers, "all"), strict=True):
        w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, "--target", "4KiB", *more, "--writers", who, ranks=4)
        w.check_file(path, NODES, STEPS)
    with h5py.File(paths[0]) as some, h5py.File(paths[1]) as every:
        for name in every["maps/V"]:
            assert np.array_equal(some["maps/V"][name][...], every["maps/V"][name][...], equal_nan=True)


@pytest.mark.parametrize("extra", [[], ["--filter", "shuffle+deflate:1"], ["--sync", "window"]])
@pytest.mark.parametrize(("groups", "used"), [(1, [0]), (2, [0, 512]), (64, [0, 512, 1024, 1536])])
def test_nodes_that_share_a_slot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: int, used: list[int], extra: list[str]
) -> None:
    monkeypatch.setenv("WEFT_RANKS_PER_NODE", "2")
    path = tmp_path / "a.h5"
    more = ["--ownership", "blocks", "--commit-groups", groups, *extra]
    case = ["--nodes", NODES, "--target", "4KiB", "--budget", "2MiB" if "--filter" in extra else "200KiB"]
    w.run_ecg(path, *case, "--steps", STEPS, *more, ranks=7)
    w.check_file(path, NODES, STEPS)
    assert slots_used(path) == used
    with h5py.File(path) as file:
        durable = file["weft/durable"][:].astype(np.uint64)
    assert set(durable.tolist()) == {STEPS, 2**64 - 1}, "all steps are on the disk, as far as anybody promises it"
    w.weft_ok("verify", path)


def test_words_that_are_refused(tmp_path: Path) -> None:
    for bad in ("0", "4/nodes", "-2"):
        outcome = w.weft("run", "ecg", "--nodes", 10, "--steps", 2, "--out", tmp_path / "a.h5", "--writers", bad)
        assert outcome.code == 2 and "use auto, all, 4/node or 16" in outcome.err
