"""The requests that `weft predict` says are those of a run: number and bytes, with nothing allowed between.

strace is the witness for what MPI-IO makes of the writes that it is given, where Open MPI and MPICH differ in nearly
every case; and for Weft's own counters, which then are witnesses themselves.

WEFT_STORE_PROFILE, with pytest's --basetemp there, holds another file system to the same.
"""

from __future__ import annotations

import itertools
import os
import shutil
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import pytest
import weft_run as w
from strace import Moved, needs_strace, trace

pytestmark = [needs_strace, w.not_with_sanitizers]

LOCAL = str(w.REPO / "stores" / "profiles" / "local-disk.json")
STORE = os.environ.get("WEFT_STORE_PROFILE", LOCAL)
WRITES = "pwrite64,pwritev,pwritev2,write,writev"
RANKS = [1, 2, 3, 7]
UNKNOWN = "what MPI-IO makes of these requests, which are what it is given"
NO_CLOCK = ("--commit-every", "1000000s")  # a slow machine must not commit once more than the prediction
PAST_THE_CACHE = "the system calls of requests that go past the page cache: each may be several"


def said_of(ranks: int, *words: object, store: str = STORE) -> Any:
    return w.weft_ok("predict", *words, "--ranks", ranks, "--store", store, "--json").json


@cache
def knows_the_library() -> bool:
    return UNKNOWN not in said_of(1, "hard", "--strategy", "collective")["leaves_out"]


def requests(said: Any) -> tuple[int, int]:
    if UNKNOWN in said["leaves_out"] and not knows_the_library():
        pytest.skip("an MPI library whose MPI-IO is not known")
    writes, count = said["requests"]["writes"], said["requests"]["bytes"]
    assert writes == pytest.approx(round(writes)) and count == pytest.approx(round(count))
    return round(writes), round(count)


def run(folder: Path, ranks: int, *words: object) -> tuple[Path, Any, list[Moved]]:
    out = folder / "out"
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    outcome, moved = trace(WRITES, "run", *words, "--out", out, "--json", ranks=ranks)
    return out, outcome.json, moved


def total(moved: list[Moved]) -> tuple[int, int]:
    return len(moved), sum(m.bytes for m in moved)


def check_collective(tmp_path: Path, ranks: int, strategy: str, nodes: int, steps: int, *layout: object) -> None:
    words = ("ecg", "--nodes", nodes, "--steps", steps, "--layout", *layout, "--strategy", strategy, "--mesh", "none",
             *NO_CLOCK)
    out, did, moved = run(tmp_path, ranks, *words)
    first, end = w.chunk_range(out, "Data")
    by_mpi_io = total([m for m in moved if Path(m.file) == out and first <= m.offset < end])
    ours = did["counters"]["syscall"]
    seen = (by_mpi_io[0] + ours["writes"], by_mpi_io[1] + ours["bytes_written"])
    assert requests(said_of(ranks, *words)) == seen, words


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
        out, did, moved = run(tmp_path, ranks, *words)
        seen = [0, 0]
        if strategy == "cached":
            for field in ("V", "phi_e") if more[:1] == ("--fields",) else ("Data",):
                first, end = w.chunk_range(out, field)
                count, size = total([m for m in moved if Path(m.file) == out and first <= m.offset < end])
                seen = [seen[0] + count, seen[1] + size]
        ours = did["counters"]["syscall"]
        assert requests(said_of(ranks, *words)) == (seen[0] + ours["writes"], seen[1] + ours["bytes_written"]), words


GRID = ("--grid", "96x60x50", "--steps-per-file", 5)
FLOW = ("--grid", "24x25x23", "--steps", 3)


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("words", [
    ("hard", "--strategy", "files", "--records", 100),
    ("hard", "--strategy", "raw", "--records", 20),
    ("hard", "--strategy", "collective", "--records", 30),
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
    out, did, moved = run(tmp_path, ranks, *words)
    # The tables beside mhm's solutions are not what it is measured by; and ROMIO keeps in a file what ranks share.
    tables = ("mesh.txt", "element.txt", "parameters.txt")
    of_run = [m for m in moved if Path(m.file).is_relative_to(out) and ".shfp" not in m.file]
    seen = total([m for m in of_run if Path(m.file).name not in tables])
    assert requests(said_of(ranks, *words)) == seen
    ours = did["counters"]["syscall"]
    if ours["writes"] > 0:
        assert (ours["writes"], ours["bytes"]) == seen


@pytest.mark.parametrize("ranks", RANKS)
def test_collective_records_of_hdf5(tmp_path: Path, ranks: int) -> None:
    words = ("hard", "--strategy", "hdf5", "--records", 30)
    out, _, moved = run(tmp_path, ranks, *words)
    [path] = out.iterdir()
    with h5py.File(path, "r") as file:
        records = file["record"].id
        first, end = records.get_offset(), records.get_offset() + records.get_storage_size()
    seen = total([m for m in moved if Path(m.file) == path and first <= m.offset < end])
    assert requests(said_of(ranks, *words)) == seen


@pytest.mark.parametrize("ranks", [1, 2, 3, 4])
def test_series(tmp_path: Path, ranks: int) -> None:
    big = [("ecg", "--layout", layout, "--nodes", nodes, "--steps", 50, "--mesh", "none", "--writers", writers,
            *NO_CLOCK)
           for layout in ("reads", "rows", "isotropic")
           for nodes, writers in ((5011, "auto"), (30_011, "all"), (120_000, 1))]
    for words in [*big, ("hard", "--strategy", "series", "--records", 50),
                  ("awp", "--strategy", "series", *GRID, "--phases", 2), ("picmss", "--strategy", "series", *FLOW)]:
        said = said_of(ranks, *words)
        out, did, moved = run(tmp_path, ranks, *words)
        ours = did["counters"]["syscall"]
        if PAST_THE_CACHE in said["leaves_out"]:  # then what the writer asks for is what can be said
            if words[0] == "ecg":
                app = did["counters"]["app"]
                assert requests(said)[0] == app["writes"] + app["slot_writes"] + 4, words
            continue
        assert requests(said) == (ours["writes"], ours.get("bytes_written", ours.get("bytes"))), words
        # HDF5's objects are written in the calls that HDF5 makes.
        ours_seen = [m for m in moved if m.name == "pwritev" and Path(m.file).name.startswith(out.name)
                     or m.name == "pwritev" and Path(m.file).is_relative_to(out)]
        assert total(ours_seen) == requests(said), words
        assert said["bytes"] == did["bytes"]
        if words[0] == "ecg":
            travelled = did["counters"]["mpi"]
            assert said["messages"] == {"count": travelled["messages"], "bytes": travelled["bytes_sent"]}


@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_a_series_of_problems_without_its_mesh(tmp_path: Path, ranks: int) -> None:
    words = ("mhm", "--strategy", "series", "--ccross", 2, "--sub-elements", 128, "--phases", 3)
    said = said_of(ranks, *words)
    assert any("mesh" in what for what in said["leaves_out"])
    if PAST_THE_CACHE in said["leaves_out"]:
        pytest.skip("what the writer asks for is not in the report of this kernel")
    out, _, moved = run(tmp_path, ranks, *words)
    path = out / "solution.h5"
    with h5py.File(path, "r") as file:
        mesh = [(file[f"VTKHDF/{name}"].id.get_offset(), file[f"VTKHDF/{name}"].nbytes)
                for name in ("Points", "Types", "Connectivity", "Offsets")]
    seen = [m for m in moved if m.name == "pwritev" and m.file.startswith(str(path))
            and not any(first <= m.offset < first + size for first, size in mesh)]
    assert requests(said) == total(seen)


def test_long_series_go_past_the_page_cache() -> None:
    words = ("ecg", "--mesh", "none", "--steps", 151, "--nodes")
    assert PAST_THE_CACHE not in said_of(2, *words, 10_000, store=LOCAL)["leaves_out"]
    assert PAST_THE_CACHE in said_of(2, *words, 100_000_000, store=LOCAL)["leaves_out"]


@pytest.mark.parametrize(("more", "what"), [
    (("--unknown-steps",), "grows"), (("--commit-every", "5steps"), "--commit-every"), (("--reduce", "peak"), "--reduce"),
    (("--filter", "deflate:1"), "filtering"), (("--ownership", "uneven"), "uneven"), (("--direct", "always"), "past the page"),
])
def test_what_is_not_counted_is_said(more: tuple[str, ...], what: str) -> None:
    words = ("ecg", "--nodes", 30_000, "--steps", 60, "--mesh", "none")
    assert not any(what in left for left in said_of(2, *words, store=LOCAL)["leaves_out"])
    assert any(what in left for left in said_of(2, *words, *more, store=LOCAL)["leaves_out"])


def test_commits_by_the_clock_are_said_where_a_run_may_be_long_enough(tmp_path: Path) -> None:
    def words(nodes: int, *more: object) -> tuple[object, ...]:
        return ("ecg", "--nodes", nodes, "--steps", 60, "--mesh", "none", *more)

    def has_line(nodes: int, *more: object) -> bool:
        said = said_of(2, *words(nodes, *more), store=LOCAL)
        return any("by the clock" in left for left in said["leaves_out"])

    for strategy in ("owner", "cached", "per-step"):
        assert not has_line(30_000, "--strategy", strategy)
        assert has_line(30_000, "--strategy", strategy, "--commit-every", "1ms")
        assert has_line(300_000_000, "--strategy", strategy)
        assert not has_line(300_000_000, "--strategy", strategy, *NO_CLOCK)
    # Such a run does more than the prediction, which is why it says so.
    often = words(300_000, "--commit-every", "1ms")
    _, did, _ = run(tmp_path, 2, *often)
    assert did["counters"]["syscall"]["writes"] > requests(said_of(2, *often))[0]


def test_what_is_not_known_is_said() -> None:
    if not knows_the_library():
        pytest.skip("an MPI library whose MPI-IO is not known")
    words = ("hard", "--strategy", "collective", "--records", 10)
    for ranks, more in itertools.product((4, 8, 9), ((), ("--per-node", 2), ("--cb-nodes", 1))):
        said = said_of(ranks, *words, *more)
        assert (UNKNOWN in said["leaves_out"]) == (ranks == 9 or more != ()), (ranks, more)
        if UNKNOWN in said["leaves_out"]:
            assert requests(said)[0] == 10 * ranks
