"""`weft refs`: zarr and xarray read a file's values in the HDF5 file itself, by a list of where its chunks lie."""

from __future__ import annotations

import gzip
import json
import subprocess
import time
from pathlib import Path
from typing import Any

import fsspec
import h5py
import numpy as np
import pytest
import weft_run as w
import xarray
import zarr
from killing import Killer, slot_address

NODES = 120
SMALL: list[object] = ["--nodes", NODES, "--fields", "separate", "--target", "4KiB"]


def listed(path: Path, *arguments: object) -> tuple[Path, Any]:
    """The list, and the report of what is in it. Under a new name each time: fsspec keeps what it has read."""
    out = path.with_name(f"{path.stem}-{len(list(path.parent.glob('*.json')))}.json")
    report = w.weft_ok("refs", path, "--out", out, "--json", *arguments).json
    return out, report


def as_zarr(listing: Path) -> zarr.Group:
    files = fsspec.filesystem("reference", fo=json.loads(listing.read_text()), asynchronous=True)
    return zarr.open_group(zarr.storage.FsspecStore(files), mode="r", zarr_format=2)


def values(listing: Path) -> dict[str, w.Values]:
    """All arrays of the list, by their paths."""
    group = as_zarr(listing)
    found = {}
    for key in json.loads(listing.read_text())["refs"]:
        if not key.endswith("/.zarray"):
            continue
        name = key.removesuffix("/.zarray")
        array = group[name]
        assert isinstance(array, zarr.Array)
        found[name] = np.asarray(array[...])
    return found


def check(path: Path, steps: int, nodes: int = NODES) -> Any:
    """The committed steps, no more, and everything else as h5py has it; the same through xarray."""
    listing, report = listed(path)
    assert report["steps"] == steps
    found = values(listing)
    truth = {**w.expected_fields(nodes, steps, "separate"), "time": np.arange(float(steps))}
    with h5py.File(path) as file:
        for name, array in found.items():
            wanted = truth[name] if name in truth else file[name][...]
            assert w.same_bits(array, wanted), f"{name}: {array.shape}"
    assert truth.keys() <= found.keys()
    with xarray.open_dataset(str(listing), engine="kerchunk") as opened:
        assert set(opened.variables) == truth.keys()
        assert opened["V"].dims == ("time", "node") and opened["V"].attrs["units"] == "mV"
        for name, wanted in truth.items():
            np.testing.assert_array_equal(opened[name].values, wanted)
        np.testing.assert_array_equal(opened["V"].sel(time=float(steps // 2)).values, truth["V"][steps // 2])
    return report


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Killer:
    return Killer(tmp_path_factory.mktemp("killer"))


def killed(path: Path, killer: Killer, at_step: int, *arguments: object) -> int:
    """A run that dies when it has committed `at_step` steps or a few more. Returns how many."""
    log = path.with_name("log.h5")
    how = [*SMALL, "--budget", "60KiB", "--commit-every", "10steps", *arguments]
    calls = killer.calls(log, *how)
    slot = slot_address(log)
    number = next(c.number for c in calls if c.offset == slot and at_step <= c.first_word < 200)
    killer.run(path, *how, at=number + 2)
    committed = w.committed_steps(path)
    assert committed >= at_step
    return committed


@pytest.mark.parametrize("filters", ["none", "shuffle+deflate:1", "shuffle+zstd:3", "fletcher32"])
@pytest.mark.parametrize("how", [["--steps", 90], ["--steps", 200, "--unknown-steps"]])
def test_whole_and_grown(tmp_path: Path, filters: str, how: list[object]) -> None:
    path = tmp_path / "run.h5"
    w.run_ecg(path, *SMALL, *how, *(["--filter", filters] if filters != "none" else []))
    report = check(path, int(str(how[1])))
    assert report["left_out"] == [] and report["notes"] == []
    assert {array["filters"] for array in report["arrays"] if array["path"] == "/V"} == {filters}


def test_appended(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    for steps, more in ((13, ["--unknown-steps"]), (70, ["--append"]), (300, ["--append"])):
        w.run_ecg(path, *SMALL, "--steps", steps, *more)
        check(path, steps)


@pytest.mark.parametrize("filters", [[], ["--filter", "shuffle+deflate:1"]])
@pytest.mark.parametrize("how", [["--steps", 90], ["--steps", 200, "--unknown-steps"]])
def test_killed_and_then_recovered(tmp_path: Path, killer: Killer, how: list[object], filters: list[object]) -> None:
    path = tmp_path / "run.h5"
    committed = killed(path, killer, 50, *how, *filters)
    assert committed < int(str(how[1]))
    check(path, committed)
    w.weft_ok("recover", path)
    check(path, committed)


def test_nothing_committed(tmp_path: Path, killer: Killer) -> None:
    path = tmp_path / "run.h5"
    how = [*SMALL, "--steps", 90]
    calls = killer.calls(tmp_path / "log.h5", *how)
    named = next(c.number for c in calls if c.name == "rename")
    killer.run(path, *how, at=named + 2)
    assert w.committed_steps(path) == 0
    found = values(listed(path)[0])
    assert found["V"].shape == (0, NODES) and found["time"].shape == (0,)


@pytest.mark.parametrize("filters", [[], ["--filter", "shuffle+deflate:1"]])
def test_while_it_is_written(tmp_path: Path, filters: list[str]) -> None:
    path, listing = tmp_path / "run.h5", tmp_path / "run.json"
    arguments = ["--nodes", "1000", "--steps", "20000", "--fields", "separate", "--commit-every", "1steps", *filters]
    seen = []
    with subprocess.Popen([w.WEFT, "run", "ecg", "--out", str(path), *arguments], env=w.environment()) as run:
        while not path.exists():
            time.sleep(0.01)
        until = time.monotonic() + w.PATIENCE  # on a busy machine the first looks come before the first step
        while time.monotonic() < until and (len(seen) < 4 or seen[-1] == 0):
            report = w.weft_ok("refs", path, "--out", listing, "--json").json
            steps = report["steps"]
            seen.append(steps)
            if steps == 0:
                continue
            array = as_zarr(listing)["V"]
            assert isinstance(array, zarr.Array) and array.shape == (steps, 1000)
            np.testing.assert_array_equal(np.asarray(array[...]), w.wave(1000, steps)[0])
        run.kill()
    assert seen == sorted(seen) and seen[-1] > 0


def test_maps_are_chunks_of_what_the_run_wrote(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    w.run_ecg(path, *SMALL, "--steps", 90, "--reduce", "peak,max")
    report = check(path, 90)
    found = values(listed(path)[0])
    assert found["maps/V/peak"].shape == (8, NODES) and np.isfinite(found["maps/V/peak"][0]).any()
    assert {"maps/V/max", "maps/V/beats", "mesh/points"} <= found.keys()
    assert report["left_out"] == []


def test_repacked(tmp_path: Path) -> None:
    path, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    w.run_ecg(path, *SMALL, "--steps", 90)
    w.weft_ok("repack", path, copy, "--filter", "shuffle+zstd:3", "--target", "2KiB")
    check(copy, 90)


def test_a_file_of_format_1(tmp_path: Path) -> None:
    """Its fields are virtual datasets over segments."""
    for name in ("short", "grown", "appended"):
        path = tmp_path / f"{name}.h5"
        packed = Path(__file__).resolve().parents[1] / "format_1" / f"{name}.h5.gz"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        listing, report = listed(path)
        assert not any(remark["path"] in ("/time", "/Data") for remark in report["left_out"])
        with h5py.File(path) as file:
            for field, array in values(listing).items():
                assert w.same_bits(array, file[field][: len(array)] if array.ndim else file[field][()])


def foreign(path: Path) -> None:
    numbers = np.random.default_rng(1)
    with h5py.File(path, "w") as file:
        file.attrs["title"] = "of others"
        file.attrs["levels"] = [1, 2, 3]
        wind = file.create_dataset("wind", data=numbers.normal(size=(50, 33)), chunks=(7, 8), shuffle=True,
                                   compression="gzip", fletcher32=True)  # fmt: skip
        wind.attrs["units"] = "m/s"
        file["lon"] = np.linspace(0, 1, 33)
        file["lon"].make_scale("lon")
        wind.dims[1].attach_scale(file["lon"])
        big_endian = numbers.integers(-9, 9, (5, 6)).astype(">i2")
        file.create_dataset("big", data=big_endian, chunks=(2, 4), maxshape=(None, 6))
        file["group/flat"] = numbers.normal(size=(4, 5)).astype("f4")
        file["group/half"] = numbers.normal(size=9).astype("f2")
        file["group/scalar"] = 7.5
        file["zeros"] = np.zeros(12)  # a fill value of 0 would hide them from xarray
        compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        compact.set_layout(h5py.h5d.COMPACT)
        space = h5py.h5s.create_simple((3,))
        h5py.h5d.create(file.id, b"compact", h5py.h5t.NATIVE_INT32, space, compact)
        file["compact"][...] = [3, 1, 2]
        missing = file.create_dataset("missing", data=np.array([1, -99, 3], "i4"))
        missing.attrs["_FillValue"] = np.int32(-99)
        with_holes = file.create_dataset("holes", (40,), "f8", chunks=(10,), fillvalue=2.5)
        with_holes[12:15] = 1
        file["empty"] = np.zeros((0, 4))
        file["words"] = ["a", "b"]
        file["pairs"] = np.zeros(2, dtype=[("a", "i4"), ("b", "f8")])
        file["elsewhere"] = h5py.ExternalLink("other.h5", "/x")
        layout = h5py.VirtualLayout((50, 4), "f8")
        layout[...] = h5py.VirtualSource(wind)[:, :4]
        file.create_virtual_dataset("view", layout)


def test_a_file_of_others(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    foreign(path)
    listing, report = listed(path)
    found = values(listing)
    with h5py.File(path) as file:
        for name, array in found.items():
            assert w.same_bits(array, np.asarray(file[name][()])), name
    assert set(found) == {"wind", "lon", "big", "group/flat", "group/half", "group/scalar", "zeros", "compact",
                          "missing", "holes", "empty"}  # fmt: skip
    assert {remark["path"] for remark in report["left_out"]} == {"/words", "/pairs", "/elsewhere", "/view"}
    assert [remark["path"] for remark in report["notes"]] == ["/holes"]
    with xarray.open_dataset(str(listing), engine="kerchunk") as opened:
        assert opened.attrs["title"] == "of others" and list(opened.attrs["levels"]) == [1, 2, 3]
        assert opened["wind"].dims == ("dim_50", "lon") and opened["wind"].attrs["units"] == "m/s"
        np.testing.assert_array_equal(opened["zeros"].values, np.zeros(12))
        np.testing.assert_array_equal(opened["missing"].values, [1, np.nan, 3])
    text = w.weft_ok("refs", path)
    assert json.loads(text.out)["version"] == 1
    assert "weft: left out: /view is a virtual dataset, which zarr has not" in text.err.splitlines()


def test_the_url_is_what_chunks_name(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    w.run_ecg(path, *SMALL, "--steps", 20)
    refs = w.weft_ok("refs", path, "--url", "s3://bucket/heart.h5", "--dataset", "V").json["refs"]
    chunks = [chunk for chunk in refs.values() if isinstance(chunk, list)]
    assert chunks and all(chunk[0] == "s3://bucket/heart.h5" for chunk in chunks)
    assert not any(key.startswith("phi_e") for key in refs)
    plain = w.weft_ok("refs", path, "--json").json["refs"]
    assert plain["V/0.0"][0] == str(path)


def refused(path: Path, words: list[str], *arguments: object) -> None:
    outcome = w.weft("refs", path, "--out", path.with_suffix(".json"), *arguments)
    assert outcome.code == 1 and outcome.out == "", outcome
    assert len(outcome.err.splitlines()) == 1 and all(word in outcome.err for word in words), outcome
    assert not path.with_suffix(".json").exists()


def test_what_zarr_would_read_wrong_is_refused(tmp_path: Path) -> None:
    lzf = tmp_path / "lzf.h5"
    w.run_ecg(lzf, *SMALL, "--steps", 20, "--filter", "lzf")
    refused(lzf, ["/V", "filter lzf", "weft repack", "shuffle+zstd"])

    skipped = tmp_path / "skipped.h5"
    with h5py.File(skipped, "w") as file:
        data = file.create_dataset("x", (8,), "f8", chunks=(4,), compression="gzip")
        data[...] = 1
        data.id.write_direct_chunk((4,), np.arange(4.0).tobytes(), filter_mask=1)
    refused(skipped, ["/x", "without a filter", "--filter none"])

    # Of random bits no filter makes a chunk shorter, so that Weft leaves it out.
    noise = tmp_path / "noise.h5"
    with h5py.File(tmp_path / "from.h5", "w") as file:
        file["x"] = np.random.default_rng(1).integers(0, 255, (64, 4096), dtype="u1")
    w.weft_ok("repack", tmp_path / "from.h5", noise, "--dataset", "x", "--filter", "deflate", "--target", "16KiB")
    refused(noise, ["/x", "without a filter", "--filter none"])

    shifted = tmp_path / "shifted.h5"
    with h5py.File(shifted, "w", userblock_size=512) as file:
        file["x"] = np.arange(4)
    refused(shifted, ["user block", "h5unjam"])

    virtual = tmp_path / "virtual.h5"
    foreign(virtual)
    refused(virtual, ["/view", "virtual dataset"], "--dataset", "view")


def test_wrong_arguments(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    w.run_ecg(path, *SMALL, "--steps", 20)
    outcome = w.weft("refs", path, "--dataset", "W")
    assert outcome.code == 2 and "has no dataset /W" in outcome.error_lines[0]
    assert w.weft("refs", tmp_path / "none.h5").code == 1
    path.with_suffix(".txt").write_text("no HDF5")
    assert w.weft("refs", path.with_suffix(".txt")).code == 1
