"""weft repack: the content of a file before and after, by h5py; what it refuses; that nothing half done is left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from hdf5_content import content, differences

SHAPES = {
    1: (5000,),
    2: (37, 411),
    3: (37, 211, 3),
    4: (11, 7, 13, 9),
    5: (5, 6, 7, 4, 3),
    6: (4, 3, 5, 4, 3, 2),
}
CHUNKS = {1: (333,), 2: (8, 50), 3: (5, 64, 2), 4: (3, 4, 5, 9), 5: (2, 3, 3, 4, 2), 6: (2, 2, 2, 2, 2, 2)}
FILTERS: dict[str, dict[str, Any]] = {
    "none": {},
    "deflate": {"compression": "gzip", "compression_opts": 4},
    "shuffle_deflate": {"compression": "gzip", "shuffle": True},
    "fletcher32": {"fletcher32": True},
    "all": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "szip": {"compression": "szip"},
    "lzf": {"compression": "lzf", "shuffle": True},
    "scaleoffset": {"scaleoffset": 0},
}


def values(shape: tuple[int, ...], dtype: Any = "f8") -> Any:
    generator = np.random.default_rng(7)
    return np.round(generator.normal(size=shape) * 100).astype(dtype)


def repack(*arguments: str | Path, ranks: int | None = None, code: int = 0) -> w.Outcome:
    outcome = w.weft("repack", *arguments, ranks=ranks)
    assert outcome.code == code, outcome.err
    return outcome


def check_equal(a: Path, b: Path) -> None:
    assert differences(content(a), content(b)) == []


@pytest.mark.parametrize("rank", sorted(SHAPES))
@pytest.mark.parametrize("name", FILTERS)
def test_numbers_of_every_rank_and_filter(tmp_path: Path, rank: int, name: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset(
            "d",
            data=values(SHAPES[rank], "i4" if name == "scaleoffset" else "f8"),
            chunks=CHUNKS[rank],
            **FILTERS[name],
        )
    for number, extra in enumerate([["--target", "4KiB"], ["--target", "3KiB", "--filter", "shuffle+deflate"]]):
        repack(source, target, "--dataset", "d", *extra, "--overwrite")
        check_equal(source, target)
        with h5py.File(target) as file:
            assert file["d"].chunks != CHUNKS[rank]
            assert (file["d"].compression == "gzip") == (number == 1 or "deflate" in name or name == "all")


def test_contiguous_compact_scalar_and_empty(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file["contiguous"] = values((100, 200))
        file["scalar"] = 3.5
        file["empty"] = h5py.Empty("f4")
        file.create_dataset("no_rows", (0, 5), maxshape=(None, 5), chunks=(10, 5))
        file.create_dataset("never_written", (1000, 40), "f8", fillvalue=2.5)
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((30, 20))
        compact = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F64LE, space, properties)
        compact.write(h5py.h5s.ALL, h5py.h5s.ALL, values((30, 20)))
    outcome = repack(source, target, "--target", "16KiB", "--json")
    check_equal(source, target)
    assert [d["path"] for d in outcome.json["datasets"]] == ["/contiguous"]


# What h5repack -L and libver="latest" make: from HDF5 1.12 on in encodings that 1.10 does not have.
VERSIONS = ["earliest", "latest"]


@pytest.mark.parametrize("libver", VERSIONS)
def test_types_of_every_kind(tmp_path: Path, libver: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    pair = np.dtype([("a", ">f4"), ("b", "<i2"), ("c", "S5"), ("d", "<f8", (3,))])
    with h5py.File(source, "w", libver=libver) as file:
        for number, kind in enumerate(["<f8", ">f8", "<f4", ">i4", "u1", "<u2", "f2"]):
            file.create_dataset(f"n{number}", data=values((64, 80), kind), chunks=(64, 1))
        compound = np.zeros((40, 50), pair)
        compound["a"] = values((40, 50))
        compound["c"] = b"abc"
        compound["d"] = values((40, 50, 3))
        file.create_dataset("compound", data=compound, chunks=(40, 3))
        file.create_dataset("strings", data=np.full((40, 50), b"hello", "S9"), chunks=(7, 50))
        file.create_dataset(
            "enum", data=values((40, 50), "i1") % 2, dtype=h5py.enum_dtype({"A": 0, "B": 1}, "i1"), chunks=(1, 50)
        )
        file.create_dataset("opaque", data=np.zeros((40, 50), "V7"), chunks=(1, 50))
        file.create_dataset("text", data=np.array([["ab", "c"], ["", "öäü"]], object), dtype=h5py.string_dtype())
        lists = file.create_dataset("lists", (3,), dtype=h5py.vlen_dtype("i4"))
        lists[0], lists[2] = [1, 2, 3], [4]
    names = [f"n{i}" for i in range(7)] + ["compound", "strings", "enum", "opaque"]
    repack(
        source,
        target,
        *[part for name in names for part in ("--dataset", name)],
        "--target",
        "2KiB",
        "--axes",
        "step,node",
    )
    check_equal(source, target)
    with h5py.File(target) as file:
        assert file["n1"].dtype == np.dtype(">f8")
        assert file["compound"].chunks != (40, 3)


@pytest.mark.parametrize("libver", VERSIONS)
def test_all_that_is_no_dataset(tmp_path: Path, libver: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w", libver=libver, userblock_size=1024, track_order=True) as file:
        z = file.create_group("z_first", track_order=True)
        z.attrs["remark"] = "groups keep their order"
        file["b_type"] = np.dtype([("x", "f8"), ("y", "i4")])
        file["a_data"] = values((60, 300))
        file["a_data"].attrs["units"] = "mV"
        file["a_data"].attrs["numbers"] = np.arange(7)
        file["a_data"].attrs["none"] = h5py.Empty("i4")
        file["typed"] = np.zeros(5, file["b_type"].dtype)
        typed = h5py.h5d.create(file.id, b"of_committed", file["b_type"].id, h5py.h5s.create_simple((4,)))
        typed.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ones(4, file["b_type"].dtype))
        z["hard"] = file["a_data"]
        z["soft"] = h5py.SoftLink("/a_data")
        z["dangling"] = h5py.SoftLink("/nowhere")
        z["external"] = h5py.ExternalLink("other.h5", "/x")
        z["up"] = file["/"]
        file["time"] = np.arange(60.0)
        file["time"].make_scale("time")
        file["a_data"].dims[0].attach_scale(file["time"])
        file["a_data"].dims[0].label = "t"
        references = file.create_dataset("references", (4,), dtype=h5py.ref_dtype)
        references[0], references[1], references[2] = file["a_data"].ref, z.ref, file["b_type"].ref
        regions = file.create_dataset("regions", (2,), dtype=h5py.regionref_dtype)
        regions[0] = file["a_data"].regionref[3:9, 10:20]
        file.attrs.create("to", file["a_data"].ref, dtype=h5py.ref_dtype)
        many = file.create_group("many", track_order=True)
        for number in range(40):
            many.create_dataset(f"x{(number * 7) % 40}", data=number)
            many.attrs[f"y{(number * 11) % 40}"] = number
    block = bytes(range(256)) * 4
    with open(source, "r+b") as raw:
        raw.write(block)
    repack("--dataset", "a_data", source, target, "--target", "8KiB")
    check_equal(source, target)
    assert target.read_bytes()[:1024] == block
    with h5py.File(target) as file:
        assert file["a_data"].chunks is not None
        assert file["z_first/hard"] == file["a_data"]
        assert file["a_data"].dims[0][0] == file["time"]
        assert h5py.h5r.get_name(file["references"][1], file.id) == b"/z_first"


@pytest.mark.parametrize("name", ["none", "all"])
def test_growing_and_partly_written(tmp_path: Path, name: str) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        d = file.create_dataset(
            "d", (100, 1000), "f4", maxshape=(None, 1000), chunks=(1, 250), fillvalue=-7.5, **FILTERS[name]
        )
        d[3:40, 100:300] = values((37, 200), "f4")
    repack(source, target, "--target", "16KiB")
    check_equal(source, target)
    with h5py.File(target) as file:
        d = file["d"]
        assert d.maxshape == (None, 1000)
        assert d.id.get_num_chunks() < np.prod([-(-s // c) for s, c in zip(d.shape, d.chunks, strict=True)])
    with h5py.File(target, "r+") as file:  # and it still grows
        file["d"].resize(150, axis=0)
        file["d"][149] = 4
        assert file["d"][120, 5] == -7.5


@pytest.mark.parametrize("ranks", [2, 3, 4])
@pytest.mark.parametrize("filters", ["none", "shuffle+deflate"])
def test_ranks_write_the_same_file(tmp_path: Path, ranks: int, filters: str) -> None:
    source = tmp_path / "a.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("plain", data=values((61, 1007, 2)), chunks=(20, 1007, 2))
        file.create_dataset("coded", data=values((61, 1007)), chunks=(1, 1007), compression="gzip")
        file.create_dataset("grows", data=values((61, 1007)), chunks=(61, 10), maxshape=(None, 1007))
    options = ["--target", "32KiB", "--filter", filters, "--budget", "800KiB"]
    repack(source, tmp_path / "one.h5", *options)
    repack(source, tmp_path / "many.h5", *options, ranks=ranks)
    check_equal(source, tmp_path / "one.h5")
    check_equal(source, tmp_path / "many.h5")


def test_a_spill_file_is_said_and_removed(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=values((200, 4000)), chunks=(1, 4000), compression="gzip")
    for ranks in (None, 3):
        outcome = repack(source, target, "--read", "trace", "--filter", "deflate", "--target", "64KiB", "--budget", "600KiB",
                         "--overwrite", ranks=ranks)  # fmt: skip
        assert "spill file" in outcome.err
        check_equal(source, target)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5", "b.h5"]


def test_a_chunk_above_the_budget(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=values((100, 50000)), chunks=(100, 50000), compression="gzip")
    outcome = repack(source, target, "--budget", "64MiB", code=2)
    assert len(outcome.error_lines) == 1
    needed = outcome.err.split("pass --budget ")[1].split(" ")[0]
    assert not target.exists()
    repack(source, target, "--budget", needed)
    check_equal(source, target)


def test_zstd_there_and_back(tmp_path: Path) -> None:
    source = tmp_path / "a.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=values((100, 3000)), chunks=(10, 3000))
    repack(source, tmp_path / "zstd.h5", "--filter", "shuffle+zstd:5", "--target", "64KiB")
    repack(tmp_path / "zstd.h5", tmp_path / "back.h5", "--filter", "none", "--target", "32KiB")
    check_equal(source, tmp_path / "back.h5")
    with h5py.File(tmp_path / "zstd.h5") as file:
        assert file["d"]._filters["32015"] == (5,)
    assert (tmp_path / "zstd.h5").stat().st_size < source.stat().st_size


def test_a_weft_file_stays_one(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    outcome = w.weft(
        "run",
        "ecg",
        "--nodes",
        "3000",
        "--steps",
        "40",
        "--layout",
        "rows",
        "--out",
        str(source),
        "--fields",
        "separate",
    )
    assert outcome.code == 0, outcome.err
    repack(source, target, "--target", "64KiB")
    check_equal(source, target)
    for arguments in (["--field", "V", "--trace", "1234"], ["--field", "V", "--snapshot", "17"]):
        a, b = (w.weft("read", str(path), *arguments, "--csv") for path in (source, target))
        assert a.code == b.code == 0
        assert a.out == b.out
    info = w.weft("info", str(target), "--json").json
    assert info["fields"][0]["chunk"] != w.weft("info", str(source), "--json").json["fields"][0]["chunk"]
    assert info["fields"][0]["layout"]["chunk"] == info["fields"][0]["chunk"]
    assert info["committed"] == 40


def make(path: Path) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("d", data=values((100, 3000)), chunks=(10, 3000), compression="gzip")


def test_a_weft_file_in_the_newest_encodings(tmp_path: Path) -> None:
    """As h5repack -L leaves it. It may be repacked, shown and gone on with like any other."""
    made, source, target = tmp_path / "made.h5", tmp_path / "a.h5", tmp_path / "b.h5"
    w.run_ecg(made, "--nodes", 811, "--steps", 37, "--fields", "separate", "--target", "4KiB")
    assert w.call(["h5repack", "-L", str(made), str(source)]).code == 0
    repack(source, target, "--target", "64KiB")
    check_equal(source, target)
    for path in (source, target):
        assert w.weft_ok("verify", made, path, "--json").json["equal"]
        w.weft_ok("view", path)
        w.run_ecg(path, "--nodes", 811, "--steps", 60, "--fields", "separate", "--append")
        w.check_file(path, 811, 60, "separate")
        w.weft_ok("verify", path)


def test_what_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "a.h5"
    make(source)
    before = source.read_bytes()
    (tmp_path / "text.h5").write_text("not HDF5")
    (tmp_path / "other.h5").write_text("precious")
    os.symlink(source, tmp_path / "link.h5")
    cases: list[tuple[list[str | Path], str]] = [
        ([source, source], "--in-place"),
        ([source, tmp_path / "link.h5"], "--in-place"),
        ([source, tmp_path / "other.h5"], "--overwrite"),
        ([source], "--in-place"),
        ([source, tmp_path / "b.h5", "--dataset", "nowhere"], "/d"),
        ([source, tmp_path / "b.h5", "--filter", "lzma"], "deflate"),
        ([source, tmp_path / "b.h5", "--axes", "node,node"], "axes"),
        ([source, tmp_path / "b.h5", "--budget", "much"], "much"),
        ([tmp_path / "text.h5", tmp_path / "b.h5"], "HDF5"),
        ([tmp_path / "missing.h5", tmp_path / "b.h5"], "missing.h5"),
        ([source, tmp_path / "no" / "b.h5"], "b.h5"),
    ]
    for arguments, word in cases:
        for ranks in (None, 2):
            outcome = w.weft("repack", *arguments, ranks=ranks)
            assert outcome.code > 0, arguments
            assert len(outcome.error_lines) == 1, outcome.err
            assert word in outcome.error_lines[0]
    assert source.read_bytes() == before
    assert (tmp_path / "other.h5").read_text() == "precious"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5", "link.h5", "other.h5", "text.h5"]


@pytest.mark.parametrize("kind", ["virtual", "external"])
def test_what_a_view_shows_is_not_replaced(tmp_path: Path, kind: str) -> None:
    source, view = tmp_path / "source.h5", tmp_path / "view.h5"
    make(source)
    with h5py.File(source) as file:
        values = file["d"][...]
    with h5py.File(view, "w") as file:
        if kind == "virtual":
            layout = h5py.VirtualLayout(values.shape, values.dtype)
            layout[...] = h5py.VirtualSource("source.h5", "d", values.shape)
            file.create_virtual_dataset("d", layout)
        else:
            file.create_dataset("d", values.shape, values.dtype, external=[(str(source), 0, h5py.h5f.UNLIMITED)])
    before = source.read_bytes()
    outcome = w.weft("repack", view, source, "--overwrite")
    assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
    assert f"is what /d of {view} shows" in outcome.err and source.read_bytes() == before


def test_a_filter_nobody_knows(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("known", data=values((100, 300)), chunks=(10, 300))
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((10, 3000))
        properties.set_filter(32999, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((100, 3000))
        strange = h5py.h5d.create(file.id, b"strange", h5py.h5t.IEEE_F64LE, space, properties)
        for row in range(0, 100, 10):
            strange.write_direct_chunk((row, 0), b"nobody can read this", 0)
    outcome = repack(source, target, code=1)
    assert len(outcome.error_lines) == 1
    assert "32999" in outcome.err and "strange" in outcome.err
    assert not target.exists()
    repack(source, target, "--dataset", "known", "--target", "16KiB")
    with h5py.File(target) as file:
        assert file["strange"].id.read_direct_chunk((90, 0))[1] == b"nobody can read this"


def test_in_place(tmp_path: Path) -> None:
    source, original = tmp_path / "a.h5", tmp_path / "original.h5"
    make(source)
    source.chmod(0o640)
    shutil.copy(source, original)
    os.symlink(source, tmp_path / "link.h5")
    repack(tmp_path / "link.h5", "--in-place", "--target", "32KiB")
    check_equal(original, source)
    assert source.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link.h5").is_symlink()
    with h5py.File(source) as file:
        assert file["d"].chunks != (10, 3000)


def test_damaged_input(tmp_path: Path) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    make(source)
    whole = source.read_bytes()
    damaged = tmp_path / "damaged.h5"
    generator = np.random.default_rng(5)
    cuts = [whole[: len(whole) * part // 16] for part in range(16)]
    flips = []
    for position in generator.integers(0, len(whole), 40).tolist() + generator.integers(0, 3000, 60).tolist():
        flipped = bytearray(whole)
        flipped[position] ^= 1 << int(generator.integers(0, 8))
        flips.append(bytes(flipped))
    failed = 0
    for data in [*cuts, *flips]:
        damaged.write_bytes(data)
        outcome = w.weft("repack", str(damaged), str(target), "--target", "64KiB", "--overwrite")
        assert outcome.code >= 0, outcome.err  # no signal
        if outcome.code != 0:
            failed += 1
            assert len(outcome.error_lines) == 1, outcome.err
            assert not target.exists()
        target.unlink(missing_ok=True)
        assert damaged.read_bytes() == data
    assert failed >= len(cuts)


def test_full_disk_and_read_only_folder(tmp_path: Path) -> None:
    source = tmp_path / "a.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=values((100, 30000)), chunks=(10, 30000))
    extras: list[list[str]] = [[], ["--filter", "fletcher32"]]
    for extra in extras:
        # A limit on a file's length stands for a full disk: the same calls fail, with another reason.
        command = f"ulimit -f 4000; trap '' XFSZ; exec {w.WEFT} repack {source} {tmp_path}/b.h5 {' '.join(extra)}"
        outcome = w.call(["bash", "-c", command])
        assert outcome.code == 1, outcome.err
        assert len(outcome.error_lines) == 1, outcome.err
        assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5"]


@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_interrupted(tmp_path: Path, signal_number: int) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=np.random.default_rng(1).normal(size=(60, 100000)), chunks=(1, 100000))
    before = source.read_bytes()
    command = [w.WEFT, "repack", str(source), str(target), "--filter", "deflate:9", "--jobs", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=w.environment())
    part = Path(f"{target}.weft-part")
    while process.poll() is None and not (part.exists() and part.stat().st_size > 100_000):
        time.sleep(0.01)
    assert process.poll() is None, "it was too quick to be stopped"
    process.send_signal(signal_number)
    error = process.communicate(timeout=30)[1]
    assert process.returncode != 0
    assert not target.exists()
    assert source.read_bytes() == before
    if signal_number != signal.SIGKILL:
        assert process.returncode == 1
        assert "interrupted" in error
        assert not part.exists()
    repack(source, target, "--target", "4MiB")  # what was left is in nobody's way
    check_equal(source, target)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.h5", "b.h5"]


def test_of_a_file_that_is_changed_meanwhile(tmp_path: Path) -> None:
    """Half of it would be of before: refused, and what is there stays."""
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        data = file.create_dataset("d", data=np.random.default_rng(1).normal(size=(60, 100000)), chunks=(1, 100000))
        last = data.id.get_chunk_info_by_coord((59, 0)).byte_offset
    target.write_text("what was there")
    command = [w.WEFT, "repack", str(source), str(target), "--overwrite", "--filter", "deflate:9", "--jobs", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=w.environment())
    part = Path(f"{target}.weft-part")
    while process.poll() is None and not (part.exists() and part.stat().st_size > 100_000):
        time.sleep(0.01)
    with open(source, "r+b") as bytes_of_it:  # by a program that does not heed HDF5's lock, as on most clusters
        bytes_of_it.seek(last)
        bytes_of_it.write(bytes(80))
    assert process.poll() is None, "it was too quick to be met"
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 2 and f"{source}: has changed since it was looked at" in error
    assert target.read_text() == "what was there" and sorted(p.name for p in tmp_path.iterdir()) == ["a.h5", "b.h5"]


@pytest.mark.parametrize("rank", [0, 1])
def test_a_crash_on_ranks(tmp_path: Path, rank: int) -> None:
    """HDF5 crashes over some damaged files, and ranks have no process of their own for it: the line comes from there."""
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=np.random.default_rng(1).normal(size=(60, 100000)), chunks=(1, 100000))
    command = w.on_ranks(2, [w.WEFT, "repack", str(source), str(target), "--filter", "deflate:9", "--jobs", "1"])
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=w.environment()
    )
    part = Path(f"{target}.weft-part")
    while process.poll() is None and not (part.exists() and part.stat().st_size > 100_000):
        time.sleep(0.01)
    assert process.poll() is None, "it was too quick to be met"
    os.kill(process_of_rank(target, rank), signal.SIGSEGV)
    text = process.communicate(timeout=30)[0]
    assert process.returncode != 0
    lines = [line for line in text.splitlines() if "weft: error:" in line]
    # A launcher ends the others by SIGTERM, and rank 0 may still say that it was interrupted.
    assert sum("HDF5 crashed on it" in line for line in lines) == 1 and len(lines) <= 2, text
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]


def process_of_rank(argument: Path, rank: int) -> int:
    for folder in Path("/proc").iterdir():
        try:
            arguments = (folder / "cmdline").read_bytes().split(b"\0") if folder.name.isdigit() else []
            named = (
                {line.split(b"=")[0]: line for line in (folder / "environ").read_bytes().split(b"\0")}
                if arguments
                else {}
            )
        except OSError:
            continue
        ranks = [named[name].split(b"=")[1] for name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK") if name in named]
        if (
            arguments
            and arguments[0] == w.WEFT.encode()
            and str(argument).encode() in arguments
            and ranks[:1] == [str(rank).encode()]
        ):
            return int(folder.name)
    raise AssertionError(f"no process is rank {rank}")


def test_what_becomes_worse_is_said(tmp_path: Path) -> None:
    steps = np.random.default_rng(1).integers(0, 200, (60, 40000)).cumsum(axis=1).astype("f4")
    with h5py.File(tmp_path / "in.nc", "w") as file:
        file.create_dataset("V", data=steps, chunks=(1, 40000), compression=4, shuffle=True)
        file["time"] = np.arange(60.0)
    arguments = ["repack", tmp_path / "in.nc", tmp_path / "out.h5", "--dataset", "V", "--json"]
    plan = w.weft_ok(*arguments, "--read", "trace=1", "--target", "16KiB", "--plan").json
    assert any("/V: a snapshot through HDF5 will take" in line for line in plan["notes"]), plan["notes"]
    assert w.weft_ok(*arguments, "--read", "snapshot=1,trace=1", "--target", "1MiB", "--plan").json["notes"] == []
    coded = w.weft_ok(*arguments, "--filter", "zstd:3", "--read", "trace=1", "--target", "16KiB").json
    assert any("zstd with a plugin only" in line for line in coded["notes"]), coded["notes"]
    assert "note: /V" in w.weft_ok(*arguments[:-1], "--filter", "zstd:3", "--plan").out
