"""`weft repack --cloud`: metadata in pages of their own at the front of the file, so that an object store's reader has
them with few requests; and the file is as good as any other."""

from __future__ import annotations

import io
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES, STEPS = 2000, 101
PAGE = 1 << 20


class Watched(io.FileIO):
    """A file that remembers where it was read."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "rb")
        self.end = 0

    def readinto(self, buffer: object) -> int:
        count = super().readinto(buffer)  # type: ignore[arg-type]
        self.end = max(self.end, self.tell())
        return count or 0


def metadata_end(path: Path) -> int:
    """Where the last byte lies that a reader of all metadata asks for: attributes and every chunk's place included."""
    raw = Watched(path)
    with h5py.File(raw, "r") as file:

        def look(_: str, item: h5py.Group | h5py.Dataset) -> None:
            dict(item.attrs)
            if isinstance(item, h5py.Dataset) and item.chunks and item.id.get_num_chunks():
                item.id.get_chunk_info(item.id.get_num_chunks() - 1)

        dict(file.attrs)
        file.visititems(look)
    return raw.end


def strategy(path: Path) -> tuple[bool, int]:
    """Whether the file has pages, and their size."""
    with h5py.File(path) as file:
        creation = file.id.get_create_plist()
        in_pages = creation.get_file_space_strategy()[0] == h5py.h5f.FSPACE_STRATEGY_PAGE
        return in_pages, creation.get_file_space_page_size()


def series(path: Path, *arguments: object) -> None:
    w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, "--target", "20KiB", *arguments)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("filters", ["none", "shuffle+deflate:1"])
@pytest.mark.parametrize("how", [[], ["--checksums"], ["--budget", "70KiB"]])
def test_metadata_are_at_the_front(tmp_path: Path, how: list[object], filters: str, ranks: int | None) -> None:
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    series(path)
    report = w.weft_ok(
        "repack", path, copy, "--cloud", "--filter", filters, "--target", "8KiB", "--json", *how, ranks=ranks
    ).json
    assert report["page_bytes"] == PAGE and strategy(copy) == (True, PAGE)
    assert copy.stat().st_size % PAGE == 0
    if "--checksums" not in how:  # which are made of the new file when it is complete
        assert metadata_end(copy) < PAGE + (64 << 10) < metadata_end(path)
    w.weft_ok("verify", path, copy)
    w.check_file(copy, NODES, STEPS)


@pytest.mark.parametrize("filters", ["none", "shuffle+deflate:1"])
def test_the_size_of_a_page(tmp_path: Path, filters: str) -> None:
    path = tmp_path / "run.h5"
    series(path)
    for page in (4096, 65536, 8 << 20):
        copy = tmp_path / f"{page}.h5"
        w.weft_ok("repack", path, copy, f"--cloud={page}", "--filter", filters, "--target", "10KiB")
        assert strategy(copy) == (True, page)
        w.check_file(copy, NODES, STEPS)
    # A copy of a file with pages has them, too.
    w.weft_ok("repack", tmp_path / "65536.h5", tmp_path / "again.h5", "--target", "30KiB")
    assert strategy(tmp_path / "again.h5") == (True, 65536)
    w.check_file(tmp_path / "again.h5", NODES, STEPS)
    for bad in ("0", "100", "2GiB", "much"):
        before = sorted(tmp_path.iterdir())
        outcome = w.weft("repack", path, tmp_path / "bad.h5", f"--cloud={bad}")
        assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
        assert bad == "much" or f"--cloud={int(bad.replace('2GiB', '2147483648'))}" in outcome.err
        assert sorted(tmp_path.iterdir()) == before


def test_what_is_done_to_it_afterwards(tmp_path: Path) -> None:
    path, plain = tmp_path / "run.h5", tmp_path / "plain.h5"
    series(path)
    w.weft_ok("repack", path, "--in-place", "--cloud", "--target", "8KiB")
    assert strategy(path) == (True, PAGE)
    w.weft_ok("view", path)
    w.weft_ok("verify", path, "--add-checksums")
    w.weft_ok("recover", path)
    with h5py.File(path, "r+") as file:  # another program puts something into it
        file["mine"] = np.arange(100000)
        file["Data"].attrs["words"] = "of another program"
    w.check_file(path, NODES, STEPS)
    with h5py.File(path) as file:
        assert np.array_equal(file["mine"][...], np.arange(100000))
    # New slots might lie across two pages of memory.
    before = path.read_bytes()
    outcome = w.weft("run", "ecg", "--nodes", NODES, "--steps", STEPS + 9, "--append", "--out", path)
    assert outcome.code == 1 and path.read_bytes() == before
    assert "has its space in pages" in outcome.error_lines[0] and "--cloud=none" in outcome.error_lines[0]
    w.weft_ok("repack", path, plain, "--cloud=none")
    assert not strategy(plain)[0]
    w.run_ecg(plain, "--nodes", NODES, "--steps", STEPS + 9, "--append")
    w.check_file(plain, NODES, STEPS + 9)


def test_of_a_run_that_was_killed(tmp_path: Path) -> None:
    """Its committed steps, and after `recover` no others."""
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    series(path)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 50
        file["weft/durable"][0] = 50
    w.weft_ok("repack", path, copy, "--cloud", "--target", "8KiB")
    w.weft_ok("recover", copy)
    w.check_file(copy, NODES, 50)


def test_a_file_of_others(tmp_path: Path) -> None:
    path, copy = tmp_path / "other.h5", tmp_path / "copy.h5"
    values = np.random.default_rng(1).normal(size=(60, 40, 50))
    with h5py.File(path, "w") as file:
        for name, size in {"time": 60, "y": 40, "x": 50}.items():
            file[name] = np.arange(float(size))
            file[name].make_scale(name)
        file["large"] = np.arange(1 << 19)  # is copied as it is
        file["words"] = ["a word", "another"]
        wind = file.create_dataset("wind", data=values, chunks=(1, 40, 50), maxshape=(None, 40, 50), compression="gzip")
        for axis, name in enumerate(("time", "y", "x")):
            wind.dims[axis].attach_scale(file[name])
        wind.attrs["history"] = "long " * 5000
    w.weft_ok("repack", path, copy, "--cloud", "--filter", "shuffle+deflate")
    w.weft_ok("verify", path, copy)
    assert strategy(copy) == (True, PAGE)
    assert metadata_end(copy) < 2 * PAGE
    with h5py.File(copy) as file:
        assert np.array_equal(file["wind"][...], values) and file["wind"].attrs["history"] == "long " * 5000
        assert [scale[0].name for scale in file["wind"].dims] == ["/time", "/y", "/x"]
    with h5py.File(tmp_path / "block.h5", "w", userblock_size=512) as file:
        file["x"] = np.arange(4)
    outcome = w.weft("repack", tmp_path / "block.h5", tmp_path / "no.h5", "--cloud")
    assert outcome.code == 2 and "user block" in outcome.error_lines[0] and "h5unjam" in outcome.error_lines[0]
