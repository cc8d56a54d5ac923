"""Every strategy and layout, on every number of ranks, leaves the same values: those of the documented formula."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import h5py
import pytest
import weft_run as w

# Primes: no chunk, rank or window comes out even. 43 steps: one more row of chunks behind layout rows' first 41.
NODES, STEPS = 1009, 43
SMALL_CHUNKS = ["--target", "8KiB", "--budget", "100KiB"]  # about 90 chunks and 20 windows
ONE_CHUNK = ["--target", "8KiB", "--budget", "1MiB"]  # layout rows: a step of all nodes lies in one tile

STRATEGIES = ["owner", "cached", "per-step"]
LAYOUTS = ["rows", "isotropic", "reads"]
OWNERSHIPS = ["blocks", "uneven", "scatter"]
RANKS = [1, 2, 3, 4, 7]

# A Latin square instead of all 270 combinations: every pair of strategy, layout, ownership and fields occurs, and every
# strategy on every number of ranks.
CASES = [
    (strategy, LAYOUTS[(s + r) % 3], ranks, OWNERSHIPS[(s + 2 * r) % 3], ["joint", "separate"][(s + r) % 2])
    for (s, strategy), (r, ranks) in itertools.product(enumerate(STRATEGIES), enumerate(RANKS))
]
CASES += [
    ("owner", "isotropic", 3, "scatter", "separate"),
    ("cached", "reads", 2, "uneven", "joint"),
    ("cached", "isotropic", 4, "blocks", "joint"),
    ("per-step", "rows", 3, "scatter", "separate"),
    ("owner", "reads", 7, "uneven", "joint"),
    ("per-step", "isotropic", 2, "blocks", "separate"),
]


def test_the_cases_cover_every_pair() -> None:
    strategies = {(c[0], value) for c in CASES for value in c[1:]}
    wanted = itertools.product(STRATEGIES, [*LAYOUTS, *RANKS, *OWNERSHIPS, "joint", "separate"])
    assert set(wanted) <= strategies
    assert set(itertools.product(RANKS, OWNERSHIPS)) <= {(c[2], c[3]) for c in CASES}


@pytest.mark.parametrize(("strategy", "layout", "ranks", "ownership", "fields"), CASES)
def test_values_equal_the_formula(
    tmp_path: Path, strategy: str, layout: str, ranks: int, ownership: str, fields: str
) -> None:
    path = tmp_path / "out.h5"
    options = ["--strategy", strategy, "--layout", layout, "--ownership", ownership, "--fields", fields]
    memory = ONE_CHUNK if layout == "rows" else SMALL_CHUNKS
    report = w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, *options, *memory, ranks=ranks)
    w.check_file(path, NODES, STEPS, fields)
    w.check_h5dump(path)

    with h5py.File(path, "r") as file:
        names = ["Data"] if fields == "joint" else ["V", "phi_e"]
        chunks = {name: list(file[name].chunks) for name in names}
        assert file[names[0]].attrs["units"] == "mV"
        assert file[names[0]].dims[0].label == "time" or len(file[names[0]].dims[0]) == 1
    assert report["chunk"] == chunks[names[0]]
    assert (report["ranks"], report["steps"], report["nodes"]) == (ranks, STEPS, NODES)
    assert report["bytes"] == NODES * STEPS * 2 * 8
    if layout == "rows":
        assert chunks[names[0]][:2] == [41, NODES]
    else:
        assert math.prod(chunks[names[0]]) * 8 <= 8192

    info = w.weft_ok("info", path, "--json").json
    assert info["steps"] == info["committed"] == STEPS
    for field in info["fields"]:
        assert field["chunk"] == chunks[field["name"]]
        assert field["shape"] == [STEPS, NODES, 2][: 3 if fields == "joint" else 2]
        assert field["dtype"] == "float64"
        assert field["filters"] == []

    collective = report["counters"]["hdf5"]["collective_writes"]
    if strategy == "owner":
        assert collective == 0
    elif strategy == "per-step":
        assert collective == STEPS * len(names)
    else:
        assert collective == sum(math.ceil(STEPS / chunk[0]) for chunk in chunks.values())


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("nodes", "ranks"), [(5, 7), (1, 3)])
def test_more_ranks_than_nodes(tmp_path: Path, strategy: str, nodes: int, ranks: int) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", nodes, "--steps", 11, "--strategy", strategy, "--ownership", "scatter", ranks=ranks)
    w.check_file(path, nodes, 11)


@pytest.mark.parametrize(
    ("strategy", "ownership"),
    [("owner", "scatter"), ("owner", "blocks"), ("cached", "scatter"), ("per-step", "uneven")],
)
def test_no_mpi_call_above_the_count_limit(tmp_path: Path, strategy: str, ownership: str) -> None:
    # Messages between ranks are several times 1,000 bytes here, and so is a rank's part of a collective write.
    path = tmp_path / "out.h5"
    options = ["--strategy", strategy, "--ownership", ownership, "--mpi-count-limit", "1000"]
    w.run_ecg(path, "--nodes", 499, "--steps", 13, *options, *SMALL_CHUNKS, ranks=3)
    w.check_file(path, 499, 13)


@pytest.mark.parametrize(("ranks", "ownership"), [(1, "blocks"), (3, "scatter"), (4, "uneven")])
def test_a_tiny_budget_means_many_windows(tmp_path: Path, ranks: int, ownership: str) -> None:
    path = tmp_path / "out.h5"
    small = ["--nodes", NODES, "--steps", STEPS, "--ownership", ownership]
    refused = w.weft("run", "ecg", "--out", path, *small, "--budget", "100", ranks=ranks)
    assert refused.code == 2
    [line] = refused.error_lines
    least = line.rsplit("--budget ", 1)[1]  # the line says what would do, so that is tried
    report = w.run_ecg(path, *small, "--budget", least, ranks=ranks)
    assert report["counters"]["app"]["windows"] == STEPS
    w.check_file(path, NODES, STEPS)


def test_an_aligned_file_begins_its_data_at_a_multiple(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, "--align", "64KiB", ranks=2)
    w.check_file(path, NODES, STEPS)
    assert w.chunk_range(path, "Data")[0] % 65536 == 0


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    path.write_text("not HDF5 at all\n" * 100)
    for nodes in (NODES, 100):
        w.run_ecg(path, "--nodes", nodes, "--steps", 7, ranks=2)
        w.check_file(path, nodes, 7)


@pytest.mark.parametrize(
    ("ranks", "ownership"), [(1, "blocks"), (2, "blocks"), (3, "uneven"), (4, "scatter"), (7, "blocks")]
)
def test_direct_writes_leave_the_same(tmp_path: Path, ranks: int, ownership: str) -> None:
    w.needs_direct_writes(tmp_path)
    # Steps of a tile in a window are some 90 KB: whole pages in the middle, edges that neighbours share.
    case = ["--nodes", 20011, "--steps", 23, "--target", "1MiB", "--budget", "1MiB", "--ownership", ownership]
    opens = {}
    for direct in ("never", "always"):
        path = tmp_path / f"{direct}.h5"
        report = w.run_ecg(path, *case, "--direct", direct, "--mesh", "none", ranks=ranks)
        w.check_file(path, 20011, 23)
        opens[direct] = report["counters"]["syscall"]["opens"]
        assert report["counters"]["app"]["windows"] > 2
    assert opens["always"] == opens["never"] + ranks, "a descriptor of its own on every rank"
    with h5py.File(tmp_path / "never.h5") as never, h5py.File(tmp_path / "always.h5") as always:
        for chunk in never["Data"].iter_chunks():  # padding included
            corner = tuple(part.start for part in chunk)
            assert always["Data"].id.read_direct_chunk(corner) == never["Data"].id.read_direct_chunk(corner)
