"""What Weft says it asks of the system is what strace sees; and what `weft layout` predicts of a read is what it takes.

strace and HDF5 (where the chunks lie) are the witnesses; Weft's own counters are what is tried.
"""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import h5py
import pytest
import strace
import weft_run as w
from strace import Moved, needs_strace

NODES, STEPS = 1009, 43


pytestmark = needs_strace


def trace(file: Path, calls: str, *arguments: object) -> tuple[w.Outcome, list[Moved]]:
    """Runs weft on one rank under strace, and lists its calls on `file`."""
    outcome, moved = strace.trace(calls, *arguments)
    return outcome, [m for m in moved if m.file in (str(file), f"{file}.weft-part")]


@pytest.mark.parametrize("mesh", ["box", "none"])
def test_what_making_a_series_writes(tmp_path: Path, mesh: str) -> None:
    """HDF5 makes its objects in memory, 30 to 60 of them. They go to the file in a request for each place."""
    path = tmp_path / "out.h5"
    _, seen = trace(path, "pwrite64", "run", "ecg", "--out", path, "--nodes", NODES, "--mesh", mesh)
    assert 1 <= len(seen) <= 4, seen
    assert seen[0].offset == 0 and seen[0].bytes > 8192


@pytest.mark.parametrize("extra", [[], ["--fields", "separate", "--sync", "window"]], ids=["joint", "separate"])
def test_what_owner_writes(tmp_path: Path, extra: list[str]) -> None:
    path = tmp_path / "out.h5"
    small = ["--nodes", NODES, "--steps", STEPS, "--target", "8KiB", "--budget", "100KiB"]
    small += ["--mesh", "none"]
    outcome, seen = trace(
        path, "pwritev,pwrite64,write", "run", "ecg", "--json", "--out", path, *small, *extra
    )
    report = outcome.json
    ours = [m for m in seen if m.name == "pwritev"]  # pwrite64 is HDF5's, while it makes the file
    syscall = report["counters"]["syscall"]
    assert syscall["writes"] == len(ours)
    assert syscall["bytes_written"] == sum(m.bytes for m in ours)
    app = report["counters"]["app"]
    with h5py.File(path, "r") as file:
        state = [(file[name].id.get_offset(), file[name].size * 8) for name in ("weft/durable", "weft/writer")]
    said = [sum(at <= m.offset < at + room for m in ours) for at, room in state]
    # Before the first step the slots of both kinds and the writer's words; durable slots at the end, and with each window.
    assert said == [1 + (app["windows"] if extra else 1), 1]
    assert app["writes"] + app["slot_writes"] + 1 + sum(said) == len(ours)
    assert app["slot_writes"] == app["windows"]
    # Nothing is written twice but slots, and HDF5 writes nothing once Weft has begun.
    with h5py.File(path, "r") as file:
        slots = file["/weft/commit"].id.get_offset()
        room = file["/weft/commit"].size * 8
    state.append((slots, room))
    data = sorted((m.offset, m.bytes) for m in ours if not any(at <= m.offset < at + size for at, size in state))
    assert all(a + n <= b for (a, n), (b, _) in itertools.pairwise(data))
    assert sum(n for _, n in data) == app["bytes_written"]
    assert app["bytes_written"] >= report["bytes"]
    w.check_file(path, NODES, STEPS, "separate" if extra else "joint")


def read_and_watch(path: Path, field: str, *what: object) -> tuple[Any, list[Moved]]:
    """`weft read --json`, and the reads strace saw of the field's chunks."""
    first, end = w.chunk_range(path, field)
    outcome, seen = trace(path, "preadv,pread64,read", "read", path, "--field", field, "--json", *what)
    return outcome.json, [m for m in seen if m.name == "preadv" and first <= m.offset < end]


@pytest.mark.parametrize("layout", ["reads", "isotropic"])
@pytest.mark.parametrize("latency", ["1ms", "10us"])
def test_reads_take_what_the_layout_predicts(tmp_path: Path, layout: str, latency: str) -> None:
    path = tmp_path / "out.h5"
    store = ["--target", "8KiB", "--latency", latency, "--bandwidth", "1GB/s"]
    w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, "--layout", layout, *store, ranks=2)
    plan = w.weft_ok("layout", f"{STEPS}x{NODES}x2", "--algorithm", layout, *store, "--json").json
    with h5py.File(path, "r") as file:
        assert plan["chunk"] == list(file["Data"].chunks)
        values = file["Data"][...]

    for name in ("trace", "snapshot"):
        _, seen = read_and_watch(path, "Data", f"--{name}", 0)
        predicted = plan["reads"][name]
        assert len(seen) == predicted["requests"], name
        assert sum(m.bytes for m in seen) == predicted["bytes"], name

    # Elsewhere, at the edges too, a read's own prediction holds, and so do its counters.
    elsewhere = [f"--trace {NODES - 1}", "--trace 500", f"--snapshot {STEPS - 1}", "--box 3:40,100:900,1"]
    for what in map(str.split, elsewhere):
        answer, seen = read_and_watch(path, "Data", *what)
        requests = answer["requests"]
        total = sum(m.bytes for m in seen)
        assert (requests["predicted"]["requests"], requests["predicted"]["bytes"]) == (len(seen), total), what
        assert (requests["app"]["reads"], requests["app"]["bytes_read"]) == (len(seen), total), what
        assert (requests["syscall"]["reads"], requests["syscall"]["bytes_read"]) == (len(seen), total), what
    assert answer["values"] == values[3:40, 100:900, 1:2].tolist()


@pytest.mark.parametrize("layout", ["reads", "isotropic"])
def test_reads_of_compressed_chunks_are_predicted_to_the_byte(tmp_path: Path, layout: str) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, "--layout", layout, "--target", "8KiB", "--filter",
              "shuffle+deflate:1", ranks=2)
    with h5py.File(path, "r") as file:
        data = file["Data"].id
        chunks = [data.get_chunk_info(i) for i in range(data.get_num_chunks())]
        extents = file["Data"].chunks
    assert len({chunk.size for chunk in chunks}) > 3, "they are not equally long"
    boxes = {"--trace 0": ((0, STEPS), (0, 1)), f"--trace {NODES - 1}": ((0, STEPS), (NODES - 1, NODES)),
             "--snapshot 20": ((20, 21), (0, NODES)), "--box 3:40,100:900,1": ((3, 40), (100, 900))}
    for what, ranges in boxes.items():
        touched = {
            chunk.byte_offset: chunk.size
            for chunk in chunks
            if all(first < at + extent and at < end
                   for at, extent, (first, end) in zip(chunk.chunk_offset, extents, ranges))
        }
        outcome, seen = trace(path, "preadv,pread64,read", "read", path, "--json", *what.split())
        assert {m.offset: m.bytes for m in seen if m.offset in touched} == touched, what
        requests = outcome.json["requests"]
        for kind, count in (("predicted", "requests"), ("app", "reads")):
            said = requests[kind]
            assert (said[count], said.get("bytes", said.get("bytes_read"))) == (len(touched), sum(touched.values())), what


def test_many_compressed_chunks_are_not_counted_to_read_some(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", 20_000, "--steps", 60, "--target", "2KiB", "--filter", "shuffle+deflate:1", "--mesh", "none")
    with h5py.File(path, "r") as file:
        leaves = file["Data"].id.get_num_chunks() // 64
    outcome, seen = trace(path, "preadv,pread64,read", "read", path, "--json", "--trace", 7)
    chunks = outcome.json["requests"]["app"]["reads"]
    # A store may take a millisecond for each.
    assert leaves > 100 and len(seen) - chunks < leaves


def test_the_default_layout_at_400000_nodes(tmp_path: Path) -> None:
    if shutil.disk_usage(tmp_path).free < 4 << 30:
        pytest.skip("takes 1 GB of disk")
    path = tmp_path / "out.h5"
    try:
        w.run_ecg(path, "--nodes", 400_000, "--steps", 151, ranks=2)
        plan = w.weft_ok("layout", "151x400000x2", "--json").json
        answer, seen = read_and_watch(path, "Data", "--trace", 123_456, "--delay", "1ms")
        moved = sum(m.bytes for m in seen)
        assert len(seen) <= 12 and moved <= 12 << 20
        assert (len(seen), moved) == (plan["reads"]["trace"]["requests"], plan["reads"]["trace"]["bytes"])
        with h5py.File(path, "r") as file:
            assert answer["values"] == file["Data"][:, 123_456].tolist()
            assert plan["chunk"] == list(file["Data"].chunks)

        _, seen = read_and_watch(path, "Data", "--snapshot", 77, "--delay", "1ms")
        moved = sum(m.bytes for m in seen)
        assert len(seen) <= 150 and moved <= 2 * 400_000 * 2 * 8
        assert (len(seen), moved) == (plan["reads"]["snapshot"]["requests"], plan["reads"]["snapshot"]["bytes"])
    finally:
        path.unlink(missing_ok=True)
