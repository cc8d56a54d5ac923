"""The requests that `weft predict` says are those of a run: number and bytes, with nothing allowed between.

WEFT_STORE_PROFILE, with pytest's --basetemp there, holds another file system to the same.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
import weft_run as w
from seen_requests import LOCAL, NO_CLOCK, PAST_THE_CACHE, UNKNOWN, knows_the_library, requests, said_of, see
from strace import needs_strace

pytestmark = [needs_strace, w.not_with_sanitizers]

RANKS = [1, 2, 3, 7]


def check(folder: Path, ranks: int, *words: object) -> None:
    assert requests(said_of(ranks, *words)) == see(folder, ranks, *words).requests(), words


def check_collective(folder: Path, ranks: int, strategy: str, nodes: int, steps: int, *layout: object) -> None:
    check(folder, ranks, "ecg", "--nodes", nodes, "--steps", steps, "--layout", *layout, "--strategy", strategy, "--mesh",
          "none", *NO_CLOCK)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("layout", ["reads", "rows", "isotropic"])
@pytest.mark.parametrize("strategy", ["cached", "per-step"])
def test_collective_strategies_of_ecg(tmp_path: Path, ranks: int, layout: str, strategy: str) -> None:
    # Many chunks in a step, few, more rows than a system call takes, and fewer nodes than some ranks have.
    sizes = [(5011, 60), (60_000, 20)]
    if ranks in (1, 3):
        sizes += [(200, 1500), (2, 5)]
    for nodes, steps in sizes:
        check_collective(tmp_path, ranks, strategy, nodes, steps, layout)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
@pytest.mark.parametrize("strategy", ["cached", "per-step"])
def test_short_pieces_near_each_other(tmp_path: Path, ranks: int, strategy: str) -> None:
    # Chunks that the nodes do not fill, of short rows, below and above 4 KiB; many that reach over 64 MiB.
    sizes: list[tuple[int, int, tuple[object, ...]]] = [
        (200, 1500, ("reads",)), (333, 300, ("reads", "--target", "16KiB")), (333, 300, ("isotropic", "--target", "8KiB")),
        (10_007, 40, ("isotropic", "--target", "4KiB")), (10_007, 40, ("isotropic", "--target", "6KiB"))]
    if ranks == 3:
        sizes += [(300_007, 3, ("isotropic", "--target", "4KiB")), (1_200_007, 3, ("isotropic", "--target", "1KiB"))]
    for nodes, steps, layout in sizes:
        check_collective(tmp_path, ranks, strategy, nodes, steps, *layout)


@pytest.mark.parametrize("more", [(), ("--fields", "separate"), ("--sync", "window"), ("--nodes", 9000)])
def test_a_mesh_and_several_fields_are_in_it(tmp_path: Path, more: tuple[object, ...]) -> None:
    for strategy, ranks in itertools.product(("owner", "cached"), (1, 3)):
        words = ("ecg", *(() if "--nodes" in more else ("--nodes", 40_000)), *more, "--steps", 50, "--strategy", strategy,
                 *NO_CLOCK)
        if PAST_THE_CACHE in said_of(ranks, *words)["leaves_out"]:
            continue
        check(tmp_path, ranks, *words)


GRID = ("--grid", "96x60x50", "--steps-per-file", 5)
FLOW = ("--grid", "24x25x23", "--steps", 3)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("words", [
    ("hard", "--strategy", "files", "--records", 100),
    ("hard", "--strategy", "raw", "--records", 20),
    ("hard", "--strategy", "collective", "--records", 30),
    ("hard", "--strategy", "hdf5", "--records", 30),
    ("awp", "--strategy", "hindexed", *GRID),
    ("awp", "--strategy", "hindexed-rows", *GRID),
    ("awp", "--strategy", "subarray", *GRID, "--phases", 2),
    ("picmss", "--strategy", "reopen-elementwise", "--grid", "9x8x7", "--steps", 2),
    ("picmss", "--strategy", "typed", *FLOW),
    ("picmss", "--strategy", "typed-collective", *FLOW),
    ("mhm", "--strategy", "files", "--ccross", 2, "--sub-elements", 64),
    ("mhm", "--strategy", "files-buffered", "--ccross", 2, "--sub-elements", 64),
    ("mhm", "--strategy", "shared", "--ccross", 2, "--sub-elements", 8),
    ("mhm", "--strategy", "shared-buffered", "--ccross", 2, "--sub-elements", 64, "--phases", 2),
    ("mhm", "--strategy", "shared-collective", "--ccross", 2, "--sub-elements", 64),
    ("mhm", "--strategy", "shared-aligned", "--ccross", 2, "--sub-elements", 64),
    ("blast", "--strategy", "immediate", "--tasks", 12, "--ranks-per-node", 4),
    ("blast", "--strategy", "two-stage", "--tasks", 12, "--ranks-per-node", 4),
], ids=lambda words: f"{words[0]}-{words[2]}")
def test_kernels(tmp_path: Path, ranks: int, words: tuple[object, ...]) -> None:
    check(tmp_path, ranks, *words)


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_series(tmp_path: Path, ranks: int) -> None:
    big = [("ecg", "--layout", layout, "--nodes", nodes, "--steps", 50, "--mesh", "none", "--writers", writers,
            *NO_CLOCK)
           for layout in ("reads", "rows", "isotropic")
           for nodes, writers in ((5011, "auto"), (30_011, "all"), (120_000, 1))]
    for words in [*big, ("hard", "--strategy", "series", "--records", 50),
                  ("awp", "--strategy", "series", *GRID, "--phases", 2), ("picmss", "--strategy", "series", *FLOW)]:
        said = said_of(ranks, *words)
        seen = see(tmp_path, ranks, *words)
        counters = seen.report["counters"]
        if PAST_THE_CACHE in said["leaves_out"]:  # then what the writer asks for is what can be said
            if words[0] == "ecg":
                assert requests(said)[0] == counters["app"]["writes"] + counters["app"]["slot_writes"] + 4, words
            continue
        assert requests(said) == seen.requests(), words
        assert said["bytes"] == seen.report["bytes"]
        if words[0] == "ecg":
            travelled = counters["mpi"]
            assert said["messages"] == {"count": travelled["messages"], "bytes": travelled["bytes_sent"]}


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_a_series_of_problems_without_its_mesh(tmp_path: Path, ranks: int) -> None:
    words = ("mhm", "--strategy", "series", "--ccross", 2, "--sub-elements", 128, "--phases", 3)
    said = said_of(ranks, *words)
    assert any("mesh" in what for what in said["leaves_out"])
    if PAST_THE_CACHE in said["leaves_out"]:
        pytest.skip("what the writer asks for is not in the report of this kernel")
    assert requests(said) == see(tmp_path, ranks, *words).requests()


def test_long_series_go_past_the_page_cache() -> None:
    words = ("ecg", "--mesh", "none", "--nodes", 1_000_000, "--steps")
    assert PAST_THE_CACHE not in said_of(2, *words, 2, store=LOCAL)["leaves_out"]
    assert PAST_THE_CACHE in said_of(2, *words, 100_000, store=LOCAL)["leaves_out"]


def test_chunks_that_a_file_system_aligns_are_said() -> None:
    words = ("ecg", "--nodes", 30_000, "--steps", 60, "--mesh", "none")
    lustre = str(w.REPO / "stores" / "profiles" / "kraken.json")
    for strategy in ("owner", "per-step"):
        lines = [said_of(2, *words, "--strategy", strategy, *more, store=store)["leaves_out"]
                 for more, store in (((), lustre), (("--align", "4KiB"), lustre), ((), LOCAL))]
        assert [any("begin at pages" in left for left in of) for of in lines] == [True, False, False]


def test_a_budget_that_does_not_do_is_refused_as_the_run_refuses_it(tmp_path: Path) -> None:
    words = ("ecg", "--nodes", 30_011, "--steps", 20, "--fields", "separate", "--mesh", "none")
    refused = w.weft("predict", *words, "--budget", "64KiB", "--ranks", 3, "--store", LOCAL)
    assert refused.code == 2 and "a budget of 64.0 KiB a rank does not hold one step twice" in refused.err
    least = int(refused.err.split()[-1])
    run = w.weft("run", *words, "--budget", "64KiB", "--out", tmp_path / "out", ranks=3)
    assert f"give at least --budget {least}\n" in run.err
    for budget, fits in ((least - 1, False), (least, True)):
        assert (w.weft("predict", *words, "--budget", budget, "--ranks", 3, "--store", LOCAL).code == 0) == fits
        assert (w.weft("run", *words, "--budget", budget, "--out", tmp_path / "out", ranks=3).code == 0) == fits


@pytest.mark.parametrize(("more", "what"), [
    (("--unknown-steps",), "grows"), (("--commit-every", "5steps"), "--commit-every"), (("--reduce", "peak"), "--reduce"),
    (("--filter", "deflate:1"), "filtering"), (("--ownership", "uneven"), "uneven"), (("--direct", "always"), "past the page"),
])
def test_what_is_not_counted_is_said(more: tuple[str, ...], what: str) -> None:
    words = ("ecg", "--nodes", 30_000, "--steps", 60, "--mesh", "none")
    assert not any(what in left for left in said_of(2, *words, store=LOCAL)["leaves_out"])
    assert any(what in left for left in said_of(2, *words, *more, store=LOCAL)["leaves_out"])


def test_commits_by_the_clock_are_said_where_a_run_may_be_long_enough(tmp_path: Path) -> None:
    def words(steps: int, *more: object) -> tuple[object, ...]:
        return ("ecg", "--nodes", 300_000, "--steps", steps, "--mesh", "none", *more)

    def has_line(steps: int, *more: object) -> bool:
        said = said_of(2, *words(steps, *more), store=LOCAL)
        return any("by the clock" in left for left in said["leaves_out"])

    for strategy in ("owner", "cached", "per-step"):
        assert not has_line(60, "--strategy", strategy)
        assert has_line(60, "--strategy", strategy, "--commit-every", "1ms")
        assert has_line(100_000, "--strategy", strategy)
        assert not has_line(100_000, "--strategy", strategy, *NO_CLOCK)
    # Such a run does more than the prediction, which is why it says so.
    often = words(60, "--commit-every", "1ms")
    assert see(tmp_path, 2, *often).requests()[0] > requests(said_of(2, *often))[0]


def test_what_is_not_known_is_said() -> None:
    if not knows_the_library():
        pytest.skip("an MPI library whose MPI-IO is not known")
    words = ("hard", "--strategy", "collective", "--records", 10)
    for ranks, more in itertools.product((4, 8, 9), ((), ("--per-node", 2), ("--cb-nodes", 1))):
        said = said_of(ranks, *words, *more)
        assert (UNKNOWN in said["leaves_out"]) == (ranks == 9 or more != ()), (ranks, more)
        if UNKNOWN in said["leaves_out"]:
            assert requests(said)[0] == 10 * ranks
