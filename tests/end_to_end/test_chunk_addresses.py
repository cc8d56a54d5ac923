"""Where values lie is known, never guessed: chunks in any order, of every index, and filters that others added."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

NODES = 211
STEPS = 40
CHUNKS = ["--nodes", NODES, "--target", "4KiB"]

# Every index that HDF5 has for chunks, and what makes it choose that one. Chunks are written in an order of their own,
# but where the index itself fixes it.
INDEXES: dict[str, dict[str, Any]] = {
    "b-tree": {"libver": ("earliest", "v110"), "maxshape": None},
    "fixed array": {"libver": ("v110", "v110"), "maxshape": None},
    "extensible array": {"libver": ("v110", "v110"), "maxshape": (None, 24)},
    "second b-tree": {"libver": ("v110", "v110"), "maxshape": (None, None)},
}
SHAPE = (640, 24)
CHUNK = (10, 4)


def write_in_order(path: Path, index: str, chunks: list[tuple[int, int]], shape: tuple[int, int] = SHAPE) -> Any:
    """A dataset of distinct values whose chunks are written, and so placed in the file, in the order given."""
    values = np.arange(np.prod(shape), dtype="f8").reshape(shape)
    kind = INDEXES[index]
    # In pages of a size that holds them all, chunks follow each other with nothing of the index between.
    with h5py.File(path, "w", libver=kind["libver"], fs_strategy="page", fs_page_size=1 << 20) as file:
        data = file.create_dataset("d", shape, "f8", chunks=CHUNK, maxshape=kind["maxshape"])
        for i, j in chunks:
            here = (slice(i, i + CHUNK[0]), slice(j, j + CHUNK[1]))
            data[here] = values[here]
            file.flush()
    return values


def all_chunks(shape: tuple[int, int] = SHAPE) -> list[tuple[int, int]]:
    return [(i, j) for i in range(0, shape[0], CHUNK[0]) for j in range(0, shape[1], CHUNK[1])]


def swapped(at: int) -> list[tuple[int, int]]:
    order = all_chunks()
    order[at], order[at + 1] = order[at + 1], order[at]
    return order


def places(path: Path) -> list[int]:
    with h5py.File(path) as file:
        data = file["d"].id
        return [data.get_chunk_info_by_coord(chunk).byte_offset for chunk in all_chunks()]


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("at", [7, 100, 250])
def test_two_neighbours_that_lie_the_other_way_round(tmp_path: Path, index: str, at: int) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    values = write_in_order(source, index, swapped(at))
    found = places(source)
    found[at], found[at + 1] = found[at + 1], found[at]
    assert np.all(np.diff(found) == 8 * CHUNK[0] * CHUNK[1]), "all others follow each other"
    for arguments in (["--filter", "none"], ["--filter", "deflate"]):
        w.weft_ok("repack", source, target, "--dataset", "d", "--target", "2KiB", "--overwrite", *arguments)
        with h5py.File(target) as file:
            assert file["d"].chunks != CHUNK
            assert w.same_bits(file["d"][...], values)


@pytest.mark.parametrize("index", INDEXES)
@pytest.mark.parametrize("order", ["backwards", "shuffled"])
def test_chunks_in_any_order(tmp_path: Path, index: str, order: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    chunks = all_chunks()[::-1]
    if order == "shuffled":
        np.random.default_rng(3).shuffle(chunks)
    values = write_in_order(source, index, chunks)
    w.weft_ok("repack", source, target, "--dataset", "d", "--target", "2KiB")
    with h5py.File(target) as file:
        assert w.same_bits(file["d"][...], values)


@pytest.mark.parametrize("index", INDEXES)
def test_a_chunk_that_was_never_written(tmp_path: Path, index: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    chunks = swapped(7)
    values = write_in_order(source, index, chunks[:100] + chunks[101:])
    i, j = chunks[100]
    values[i : i + CHUNK[0], j : j + CHUNK[1]] = 0
    w.weft_ok("repack", source, target, "--dataset", "d", "--target", "2KiB")
    with h5py.File(target) as file:
        assert w.same_bits(file["d"][...], values)


def test_an_implicit_index_counts_the_chunks_there_may_ever_be(tmp_path: Path) -> None:
    # Early allocation, and extents that may grow but not without limit: row 1 does not follow row 0.
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    values = np.arange(100.0).reshape(10, 10)
    with h5py.File(source, "w", libver=("v110", "v110")) as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((2, 2))
        properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        space = h5py.h5s.create_simple((10, 10), (20, 30))
        made = h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_DOUBLE, space, properties)
        h5py.Dataset(made)[...] = values
    # Room is kept for 10 x 15 chunks of 32 bytes; 5 x 5 of them can be asked for.
    (dataset,) = json.loads(w.weft_ok("inspect", source, "--json").out)["datasets"]
    assert (dataset["stored_chunks"], dataset["stored_bytes"]) == (25, 4800)
    w.weft_ok("repack", source, target, "--dataset", "d", "--target", "200B")
    with h5py.File(target) as file:
        assert w.same_bits(file["d"][...], values)


def rewritten(source: Path, target: Path, index: str, field: str = "Data") -> None:
    """A Weft file whose field another tool wrote anew, without filters, in another index, two neighbours swapped."""
    shutil.copy(source, target)
    kind = INDEXES[index]
    with h5py.File(target, "r+", libver=kind["libver"]) as file:
        name = f"/weft/segments/0/{field}"
        old = file[name]
        values, chunk, attributes = old[...], old.chunks, dict(old.attrs)
        most = (
            None
            if kind["maxshape"] is None
            else tuple(
                None if kind["maxshape"][min(axis, 1)] is None else values.shape[axis] for axis in range(values.ndim)
            )
        )
        for link in (name, f"/{field}"):
            del file[link]
        new = file.create_dataset(name, values.shape, values.dtype, chunks=chunk, maxshape=most)
        grid = [-(-extent // side) for extent, side in zip(values.shape, chunk)]
        starts = [tuple(i * side for i, side in zip(at, chunk)) for at in np.ndindex(*grid)]
        starts[7], starts[8] = starts[8], starts[7]
        for start in starts:
            here = tuple(slice(a, min(a + c, s)) for a, c, s in zip(start, chunk, values.shape))
            new[here] = values[here]
            file.flush()
        for key, value in attributes.items():
            if key not in ("DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST"):
                new.attrs[key] = value
        file[f"/{field}"] = new


@pytest.mark.parametrize("index", INDEXES)
def test_a_series_whose_chunks_another_tool_reordered(tmp_path: Path, index: str) -> None:
    original, path = tmp_path / "a.h5", tmp_path / "b.h5"
    w.run_ecg(original, *CHUNKS, "--steps", STEPS)
    rewritten(original, path, index)
    expected = w.expected_fields(NODES, STEPS)["Data"]
    for step in (0, 17, STEPS - 1):
        out = w.weft_ok("read", path, "--field", "Data", "--snapshot", step, "--csv").out
        got = np.array([float(word) for line in out.splitlines()[1:] for word in line.split(",")[-2:]])
        assert np.array_equal(got.reshape(NODES, 2), expected[step])
    w.run_ecg(path, *CHUNKS, "--steps", STEPS + 9, "--append", ranks=2)
    w.check_file(path, NODES, STEPS + 9)


def filtered_copy(tmp_path: Path) -> Path:
    original, path = tmp_path / "plain.h5", tmp_path / "filtered.h5"
    w.run_ecg(original, *CHUNKS, "--steps", STEPS)
    w.weft_ok("repack", "--filter", "deflate", original, path)
    with h5py.File(path) as file:
        assert file["Data"].compression == "gzip"
    return path


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("strategy", ["owner", "cached", "per-step"])
def test_a_filtered_series_is_not_gone_on_with(tmp_path: Path, strategy: str, ranks: int | None) -> None:
    path = filtered_copy(tmp_path)
    before = path.read_bytes()
    outcome = w.weft(
        "run", "ecg", *CHUNKS, "--steps", STEPS + 20, "--append", "--strategy", strategy, "--out", path, ranks=ranks
    )
    assert outcome.code == 1, outcome
    assert len(outcome.error_lines) == 1
    assert "deflate" in outcome.err and "weft import" in outcome.err
    assert path.read_bytes() == before
    w.check_file(path, NODES, STEPS)
    again = tmp_path / "again.h5"
    w.weft_ok("import", path, again)  # as the line says
    w.run_ecg(again, *CHUNKS, "--steps", STEPS + 20, "--append", "--strategy", strategy, ranks=ranks)
    w.check_file(again, NODES, STEPS + 20)


def test_a_filtered_series_is_viewed_and_verified(tmp_path: Path) -> None:
    path = filtered_copy(tmp_path)
    w.weft_ok("info", path)
    w.weft_ok("view", path)
    w.weft_ok("view", path)
    with h5py.File(path) as file:
        view = file["VTKHDF/PointData/Data"] if "Data" in file["VTKHDF/PointData"] else file["VTKHDF/PointData/V"]
        assert len(view) == STEPS * NODES
    outcome = w.weft("verify", "--add-checksums", path)
    assert outcome.code != 0 and "filter" in outcome.error_lines[0]
    w.weft_ok("verify", path)
    w.check_file(path, NODES, STEPS)


def test_a_filtered_series_is_recovered(tmp_path: Path) -> None:
    original, path = tmp_path / "plain.h5", tmp_path / "filtered.h5"
    w.run_ecg(original, *CHUNKS, "--steps", 100, "--unknown-steps")
    w.weft_ok("repack", "--filter", "deflate", original, path)
    with h5py.File(path, "r+") as file:  # as if a run had been killed
        slots = file["weft/commit"]
        idle = slots[...] == w.IDLE_SLOT
        slots[...] = np.where(idle, np.uint64(w.IDLE_SLOT), np.uint64(70))
    w.weft_ok("recover", path)
    w.check_file(path, NODES, 70)
    w.weft_ok("verify", path)
