"""`weft verify`: of one file whether it is sound, of two whether they hold the same.

What is wrong is done with h5py to files that are right; checksums are checked with zlib and h5py alone.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from hdf5_content import checksums_hold

SMALL = ["--nodes", "211", "--steps", "21", "--target", "2KiB"]


def verify(*arguments: object) -> Any:
    """The report, and whether the exit code agrees with it."""
    outcome = w.weft("verify", *arguments, "--json")
    assert outcome.code in (0, 1) and outcome.err == "", outcome
    report = outcome.json
    assert (outcome.code == 0) == report.get("sound", report.get("equal"))
    return report


def verdicts(report: Any, verdict: str) -> dict[str, list[str]]:
    return {check["check"]: check["problems"] for check in report["checks"] if check["verdict"] == verdict}


def check_sound(path: Path, notes: list[str] | None = None) -> Any:
    report = verify(path)
    assert verdicts(report, "fail") == {}
    assert sorted(verdicts(report, "note")) == sorted(notes or [])
    return report


# One file.


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--strategy", "cached"],
        ["--strategy", "per-step", "--layout", "rows"],
        ["--fields", "separate", "--unknown-steps"],
        ["--mesh", "none"],
        ["--reduce", "activation_time,peak", "--unknown-steps"],
        ["--align", "1KiB"],
    ],
    ids=" ".join,
)
def test_what_weft_writes_is_sound(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, *arguments, ranks=2)
    report = check_sound(path)
    assert report["format"] == "weft" and report["steps"] == report["committed"] == 21
    for more in (["--append"], ["--append", "--from-step", "5"]):
        w.run_ecg(path, "--nodes", 211, "--steps", 95, *more, *[a for a in arguments if a != "--unknown-steps"])
        assert check_sound(path)["committed"] == 95


@pytest.mark.skipif("WEFT_READER_CASES" not in os.environ, reason="the program that writes them is not named")
@pytest.mark.parametrize("case", ["mesh", "globals", "grid", "flat-grid"])
def test_fields_of_every_kind_are_sound(tmp_path: Path, case: str) -> None:
    path = tmp_path / "out.h5"
    assert w.call(w.on_ranks(2, [os.environ["WEFT_READER_CASES"], case, str(path)])).code == 0
    check_sound(path)
    w.weft_ok("view", path)
    check_sound(path)


def test_the_table_is_for_people(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    outcome = w.weft_ok("verify", path)
    assert outcome.out.endswith(f"{path} is sound\n") and "commit slots" in outcome.out
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 22
    outcome = w.weft("verify", path)
    assert outcome.code == 1 and outcome.err == ""
    assert "FAIL  slot 0 says 22 steps where there is room for 21" in outcome.out
    assert outcome.out.endswith("is NOT sound\n")


def test_a_run_that_has_not_ended_is_sound_so_far(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 8
    report = check_sound(path, notes=["commit slots"])
    assert report["committed"] == 8 and report["steps"] == 21


def set_value(name: str, index: Any, value: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file[name][index] = value

    return change


def replace_field(file: h5py.File) -> None:
    values = file["Data"][...]
    del file["Data"]
    file["Data"] = values


def shorten_view(file: h5py.File) -> None:
    del file["VTKHDF/Steps/Values"]
    file["VTKHDF/Steps/Values"] = np.arange(20.0)


def map_elsewhere(file: h5py.File) -> None:
    v = file["VTKHDF/PointData/V"]
    layout = h5py.VirtualLayout(v.shape, v.dtype)
    layout[...] = h5py.VirtualSource(".", "/weft/segments/0/Data", shape=(21, 211, 2))[:, :, 1]
    del file["VTKHDF/PointData/V"]
    file.create_virtual_dataset("VTKHDF/PointData/V", layout, fillvalue=np.nan)


def lose_source(file: h5py.File) -> None:
    file.move("weft/segments/0/Data", "elsewhere")


def set_attribute(path: str, name: str, value: Any) -> Callable[[h5py.File], None]:
    def change(file: h5py.File) -> None:
        file[path].attrs[name] = value

    return change


WRONG: list[tuple[str, Callable[[h5py.File], object], str, str]] = [
    ("a slot beyond the room", set_value("weft/commit", 0, 22), "commit slots", "22 steps"),
    ("a time that is none", set_value("time", 3, np.nan), "times", "step 3"),
    ("a corner beyond the points", set_value("mesh/connectivity", 7, 211), "mesh", "[7] is point 211 of 211"),
    ("a corner below them", set_value("mesh/connectivity", 7, -1), "mesh", "point -1"),
    ("offsets that fall", set_value("mesh/offsets", 5, 100000), "mesh", "offsets[6]"),
    ("offsets that end elsewhere", set_value("mesh/offsets", -1, 7), "mesh", "ends with 7"),
    ("a cell with too many points", set_value("mesh/types", 2, 5), "mesh", "cell 2 has 4 points"),
    ("a point nowhere", set_value("mesh/points", (9, 1), np.inf), "mesh", "point 9"),
    ("a field that is a copy", replace_field, "fields", "is not /weft/segments/0/Data"),
    ("a view of too few steps", shorten_view, "view", "/VTKHDF/Steps/Values is not /time"),
    ("a view of something else", map_elsewhere, "view", "/VTKHDF/PointData/V shows other elements"),
    ("a segment without its data", lose_source, "weft format", "field Data"),
    ("a view of what is gone", lose_source, "shown", "which is not there"),
    ("a format of the future", set_attribute("weft", "format_version", 7), "weft format", "has format 7"),
    (
        "a segment that begins later",
        set_attribute("weft/segments/0", "first_step", 3),
        "segments",
        "begins with step 3",
    ),
    ("a support nobody knows", set_attribute("Data", "weft_support", "air"), "fields", "'air'"),
    ("a rationale that is not JSON", set_attribute("Data", "weft_layout", "{"), "fields", "JSON"),
]


@pytest.mark.parametrize(("change", "check", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_is_wrong_is_told(tmp_path: Path, change: Callable[[h5py.File], object], check: str, words: str) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    with h5py.File(path, "r+") as file:
        change(file)
    problems = verdicts(verify(path), "fail")
    assert words in " ".join(problems.get(check, [])), problems


def test_times_that_do_not_rise_are_worth_a_note(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    with h5py.File(path, "r+") as file:
        file["time"][3] = 2.0
    check_sound(path, notes=["times"])


def test_an_undo_file_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    Path(f"{path}.weft-rehearsal").write_bytes(b"")
    check_sound(path, notes=["left over"])
    Path(f"{path}.weft-undo").write_bytes(b"")
    assert "weft-undo: is damaged" in verdicts(verify(path), "fail")["left over"][0]


def test_a_file_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    whole = path.read_bytes()
    for length in [48, 1500, len(whole) - 1]:
        path.write_bytes(whole[:length])
        problems = verdicts(verify(path), "fail")
        assert f"the file is truncated: it has {length:,} of {len(whole):,} bytes" in problems["superblock"]
        line = w.weft("verify", path, path)
        assert line.code == 1 and len(line.error_lines) == 1 and "is truncated" in line.err
    path.write_bytes(whole + b"more")
    check_sound(path)


def test_what_is_no_hdf5_file(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("no HDF5 here\n" * 100)
    for name, words in [
        (path, "is not an HDF5 file"),
        (tmp_path / "none.h5", "No such file"),
        (tmp_path, "a directory"),
    ]:
        outcome = w.weft("verify", name)
        assert outcome.code == 1 and outcome.out == "" and len(outcome.error_lines) == 1
        assert words in outcome.err


def test_options_that_do_not_go_together(tmp_path: Path) -> None:
    for option in ("--quick", "--add-checksums"):
        outcome = w.weft("verify", "a.h5", "b.h5", option)
        assert outcome.code == 2 and "goes with one file" in outcome.err
    assert w.weft("verify", tmp_path / "a.h5", tmp_path / "b.h5", "--budget", "1KiB").code == 2


# Checksums.


@pytest.mark.parametrize("arguments", [[], ["--unknown-steps", "--fields", "separate"]], ids=["known", "unknown"])
def test_checksums_are_added_and_hold(tmp_path: Path, arguments: list[str]) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, *arguments)
    before = check_sound(path)
    assert "checksums" in verdicts(before, "left out")
    report = verify(path, "--add-checksums")
    w.check_file(path, 211, 21, "separate" if arguments else "joint")
    assert checksums_hold(path) == report["checksums_added"] > 20
    after = check_sound(path)
    assert "checksums" in verdicts(after, "pass")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.h5"]
    w.weft_ok("view", path)  # makes the view anew, and leaves the data alone
    check_sound(path)
    w.run_ecg(path, "--nodes", 211, "--steps", 30, "--append", *[a for a in arguments if a != "--unknown-steps"])
    with h5py.File(path, "r") as file:
        assert "checksums" not in file["weft"], "what they say does not hold any more"
    check_sound(path)


def test_a_changed_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL)
    verify(path, "--add-checksums")
    with h5py.File(path, "r+") as file:
        file["Data"][7, 100, 1] += 1e-12
    problems = verdicts(verify(path), "fail")
    assert list(problems) == ["checksums"]
    assert "Data" in problems["checksums"][0] and "not those the checksum was taken of" in problems["checksums"][0]
    assert verdicts(verify(path, "--quick"), "fail") == {}


def test_any_file_may_have_checksums(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    values = np.arange(35.0).reshape(5, 7).astype(">f8")
    with h5py.File(path, "w") as file:
        file.create_dataset("V", data=values, chunks=(2, 4), compression="gzip")
        sums = [zlib.crc32(values[i : i + 2, j : j + 4].tobytes()) for i in (0, 2, 4) for j in (0, 4)]
        table = file.create_dataset("weft/checksums/V", data=np.array(sums, dtype=np.uint32).reshape(3, 2))
        table.attrs["algorithm"] = "crc32"
        table.attrs["chunk"] = [2, 4]
    report = check_sound(path)
    assert report["format"] == "hdf5"
    with h5py.File(path, "r+") as file:
        file["weft/checksums/V"][2, 1] += 1
    assert "3 values from [4, 4] on" in verdicts(verify(path), "fail")["checksums"][0]
    outcome = w.weft("verify", path, "--add-checksums")
    assert outcome.code == 1, "it is not sound, so nothing is added"
    with h5py.File(path, "r+") as file:
        del file["weft"]
    outcome = w.weft("verify", path, "--add-checksums")
    assert outcome.code == 2 and "is not a Weft file" in outcome.err


def test_a_damaged_chunk_is_told(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset(
            "V", data=np.random.default_rng(1).normal(size=(40, 30)), chunks=(10, 10), compression="gzip"
        )
        place = file["V"].id.get_chunk_info(5)
    data = bytearray(path.read_bytes())
    data[place.byte_offset + place.size // 2] ^= 0x10
    path.write_bytes(data)
    problems = verdicts(verify(path), "fail")
    assert list(problems) == ["chunks"] and "[10, 20]" in problems["chunks"][0]
    left = verify(path, path)
    assert left["unreadable"][0]["path"] == "/V" and not left["equal"]


# Two files.


def write_other(path: Path, **how: Any) -> None:
    """A file of about everything HDF5 has, stored as `how` says."""
    chunks, values = how.pop("chunks", None), how.pop("values", lambda v: v)
    filters = how.pop("filters", {})
    order = how.pop("order", "<")
    with h5py.File(path, "w", **how) as file:
        v = np.random.default_rng(1).normal(size=(31, 400, 2))
        v[3, 5, 1] = np.nan
        file.create_dataset("Data", data=values(v).astype(order + "f8"), chunks=chunks, **filters)
        file["time"] = np.arange(31.0)
        file["time"].make_scale("time")
        file["Data"].dims[0].attach_scale(file["time"])
        file["Data"].dims[0].label = "time"
        file["Data"].attrs["units"] = "mV"
        file["Data"].attrs["list"] = [1, 2, 3]
        group = file.create_group("group/inner")
        group.attrs["x"] = np.float32(2.5)
        file["soft"] = h5py.SoftLink("/Data")
        file["away"] = h5py.ExternalLink("other.h5", "/x")
        file["zeit"] = file["time"]
        file["words"] = ["a", "bc", ""]
        file["fixed"] = np.array([b"ab", b"c"])
        file["pairs"] = np.array([(1, 2.5), (3, 4.5)], dtype=np.dtype([("a", "i1"), ("b", order + "f8")], align=True))
        lists = file.create_dataset("lists", (3,), dtype=h5py.vlen_dtype("i4"))
        lists[0], lists[2] = [1, 2, 3], [9]
        places = file.create_dataset("places", (2,), dtype=h5py.ref_dtype)
        places[0], places[1] = file["time"].ref, group.ref
        regions = file.create_dataset("regions", (1,), dtype=h5py.regionref_dtype)
        regions[0] = file["Data"].regionref[3:5, 0:7, 0]
        file["switch"] = np.array([0, 1, 1], dtype=h5py.enum_dtype({"OFF": 0, "ON": 1}, basetype="i2"))
        file["single"] = np.dtype("f4")
        file.create_dataset("named", data=np.arange(3, dtype="f4"), dtype=file["single"])
        file["text"] = "one alone"
        file["scalar"], file["none"], file["empty"] = 3.5, h5py.Empty("f4"), np.zeros((0, 3))
        file["small"], file["half"] = np.arange(-3, 3, dtype="i1"), np.arange(4, dtype=order + "f2")
        file.create_dataset("sparse", (100, 100), "f4", chunks=(10, 10), fillvalue=7, **filters)[5, 5] = 1


LAYOUTS: list[dict[str, Any]] = [
    {},
    {"chunks": (7, 43, 2), "filters": {"compression": "gzip", "shuffle": True}},
    {"chunks": (31, 13, 1), "filters": {"fletcher32": True}, "libver": "latest"},
    {"chunks": (1, 400, 2), "filters": {"compression": "gzip"}, "order": ">"},
]


@pytest.mark.parametrize("right", range(1, len(LAYOUTS)))
def test_layouts_make_no_difference(tmp_path: Path, right: int) -> None:
    write_other(tmp_path / "a.h5", **dict(LAYOUTS[0]))
    write_other(tmp_path / "b.h5", **dict(LAYOUTS[right]))
    report = verify(tmp_path / "a.h5", tmp_path / "b.h5")
    assert report["differences"] == report["values"] == report["unreadable"] == []
    assert report["compared"]["datasets"] == 17 and report["compared"]["links"] == 2
    strict = verify(tmp_path / "b.h5", tmp_path / "a.h5", "--strict")
    swapped = {d["path"] for d in strict["differences"]}
    assert swapped == ({"/Data", "/pairs", "/half"} if right == 3 else set())


def test_a_difference_is_counted_and_placed(tmp_path: Path) -> None:
    def change(v: Any) -> Any:
        v[20, 301, 0] = 5.0
        v[20, 300, 1] = -0.0
        v[30, 399, 1] = np.frombuffer(b"\x01\0\0\0\0\0\xf8\x7f")[0]
        return v

    write_other(tmp_path / "a.h5", **dict(LAYOUTS[1]), values=lambda v: v)
    write_other(tmp_path / "b.h5", **dict(LAYOUTS[2]), values=change)
    report = verify(tmp_path / "a.h5", tmp_path / "b.h5")
    assert report["differences"] == [] and len(report["values"]) == 1
    one = report["values"][0]
    assert (one["path"], one["differing"], one["elements"], one["first"]) == ("/Data", 3, 24800, [20, 300, 1])
    assert one["right"] == "-0"
    outcome = w.weft("verify", tmp_path / "a.h5", tmp_path / "b.h5")
    assert outcome.code == 1 and "3 of 24,800 values differ, first at [20, 300, 1]: " in outcome.out


DIFFERENT: list[tuple[str, Callable[[h5py.File], object], str, str]] = [
    ("a missing group", lambda f: f.__delitem__("group"), "/group", "is only in"),
    ("a new dataset", lambda f: f.__setitem__("new/x", 1), "/new", "is only in"),
    ("a soft link", lambda f: (f.__delitem__("soft"), f.__setitem__("soft", h5py.SoftLink("/time"))), "/soft", "points at: /Data / /time"),
    ("an external link", lambda f: (f.__delitem__("away"), f.__setitem__("away", h5py.ExternalLink("o.h5", "/x"))), "/away", "points at: other.h5:/x / o.h5:/x"),
    ("a link of another kind", lambda f: (f.__delitem__("soft"), f.__setitem__("soft", f["Data"])), "/soft", "is a: soft link / hard link"),
    ("a second name that is a copy", lambda f: (f.__delitem__("zeit"), f.copy("time", "zeit")), "/zeit", "is a name of: /time / /zeit"),
    ("an attribute", lambda f: f["Data"].attrs.__setitem__("units", "V"), "/Data", "attribute units: 'mV' / 'V'"),
    ("an attribute's type", lambda f: f["Data"].attrs.__setitem__("list", [1.0, 2.0, 3.0]), "/Data", "attribute list: type: int64 / float64"),
    ("a new attribute", lambda f: f["group"].attrs.__setitem__("y", 1), "/group", "attribute y is only in"),
    ("a shape", lambda f: (f.__delitem__("small"), f.__setitem__("small", np.arange(-3, 4, dtype="i1"))), "/small", "shape: 6 / 7"),
    ("a type", lambda f: (f.__delitem__("small"), f.__setitem__("small", np.arange(-3, 3, dtype="i2"))), "/small", "type: int8 / int16"),
    ("a kind of object", lambda f: (f.__delitem__("small"), f.create_group("small")), "/small", "is a: dataset / group"),
    ("a text", lambda f: f["words"].__setitem__(1, "bd"), "/words", "'bc' / 'bd'"),
    ("a list", lambda f: f["lists"].__setitem__(2, [8]), "/lists", "[9] / [8]"),
    ("a reference", lambda f: f["places"].__setitem__(0, f["Data"].ref), "/places", "/time / /Data"),
    ("a region", lambda f: f["regions"].__setitem__(0, f["Data"].regionref[3:5, 0:8, 0]), "/regions", "/Data [3:5, 0:7, 0:1] / /Data [3:5, 0:8, 0:1]"),
    ("a member", lambda f: f["pairs"].__setitem__(1, (3, 4.25)), "/pairs", "{3, 4.5} / {3, 4.25}"),
    ("a scalar", lambda f: f["scalar"].__setitem__((), 4), "/scalar", "3.5 / 4"),
    ("a named type", lambda f: (f.__delitem__("named"), f.__setitem__("named", np.arange(3, dtype="f4"))), "/named", "type is committed as: /single / nothing"),
    ("a label", lambda f: setattr(f["Data"].dims[0], "label", "t"), "/Data", "DIMENSION_LABELS"),
    ("a scale's name", lambda f: f["time"].make_scale("t"), "/time", "attribute NAME"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "path", "words"), [c[1:] for c in DIFFERENT], ids=[c[0] for c in DIFFERENT])
def test_every_kind_of_difference(tmp_path: Path, change: Callable[[h5py.File], object], path: str, words: str) -> None:
    write_other(tmp_path / "a.h5")
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    with h5py.File(tmp_path / "b.h5", "r+") as file:
        change(file)
    report = verify(tmp_path / "a.h5", tmp_path / "b.h5")
    told = [(d["path"], d["what"]) for d in report["differences"]]
    told += [(d["path"], f"{d['left']} / {d['right']}") for d in report["values"]]
    assert any(where == path and words in what for where, what in told), told
    assert not verify(tmp_path / "b.h5", tmp_path / "a.h5")["equal"]


# HDF5 1.10 counts the axes of a scale's datasets in int32, 1.12 and later in uint32.
@pytest.mark.parametrize(("axis", "equal"), [(0, True), (1, False)])
def test_scales_attached_by_other_versions_of_hdf5(tmp_path: Path, axis: int, equal: bool) -> None:
    files = [tmp_path / "a.h5", tmp_path / "b.h5"]
    for path, count, on in zip(files, ["i4", "u4"], [0, axis], strict=True):
        write_other(path)
        with h5py.File(path, "r+") as file:
            entry = np.dtype([("dataset", h5py.ref_dtype), ("dimension", count)])
            attributes = file["time"].attrs
            attributes.create("REFERENCE_LIST", np.array([(file["Data"].ref, on)], entry), dtype=entry)
    for one, other in [files, files[::-1]]:
        report = verify(one, other)
        assert report["equal"] == equal, report["differences"]
        assert "REFERENCE_LIST: type" in str(verify(one, other, "--strict")["differences"])


def test_runs_on_other_numbers_of_ranks_hold_the_same(tmp_path: Path) -> None:
    one, other, shorter = (tmp_path / f"{name}.h5" for name in ("one", "other", "shorter"))
    w.run_ecg(one, *SMALL)
    w.run_ecg(other, *SMALL, ranks=4)
    assert verify(one, other)["equal"]
    assert verify(one, other, "--strict")["equal"]
    # Other steps that count are a difference, although the datasets are the same.
    shutil.copy(one, shorter)
    with h5py.File(shorter, "r+") as file:
        file["weft/commit"][0] = 8
    told = verify(shorter, other)["differences"]
    assert [(d["path"], d["what"]) for d in told] == [("/weft/commit", "committed steps: 8 / 21")]


def test_runs_of_other_layouts_hold_the_same(tmp_path: Path) -> None:
    paths = []
    for layout in ("reads", "isotropic", "rows"):
        paths.append(tmp_path / f"{layout}.h5")
        w.run_ecg(paths[-1], *SMALL, "--layout", layout, "--fields", "separate")
    for path in paths[1:]:
        report = verify(paths[0], path)
        assert report["equal"] and report["compared"]["bytes"] > 2 * 21 * 211 * 8
    assert not verify(paths[0], paths[1], "--strict")["equal"]


def test_checksums_belong_to_the_layout(tmp_path: Path) -> None:
    w.run_ecg(tmp_path / "a.h5", *SMALL)
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    verify(tmp_path / "b.h5", "--add-checksums")
    assert verify(tmp_path / "a.h5", tmp_path / "b.h5")["equal"]
    assert not verify(tmp_path / "a.h5", tmp_path / "b.h5", "--strict")["equal"]
    write_other(tmp_path / "c.h5")
    shutil.copy(tmp_path / "c.h5", tmp_path / "d.h5")
    with h5py.File(tmp_path / "d.h5", "r+") as file:
        file["weft/checksums/time"] = np.zeros(1, dtype=np.uint32)
    assert (
        verify(tmp_path / "c.h5", tmp_path / "d.h5")["equal"] and verify(tmp_path / "d.h5", tmp_path / "c.h5")["equal"]
    )


def test_memory_is_bounded(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    values = rng.normal(size=(60, 50_000, 2))
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("V", data=values, chunks=(60, 500, 1), compression="gzip", compression_opts=1)
    with h5py.File(tmp_path / "b.h5", "w") as file:
        file.create_dataset("V", data=values)
    # A small process starts it: what is forked counts the memory of whoever forks.
    measure = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL); "
    measure += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    used = {}
    for budget in ("4MiB", "24MiB"):
        command = [w.WEFT, "verify", str(tmp_path / "a.h5"), str(tmp_path / "b.h5"), "--budget", budget]
        used[budget] = int(w.call([sys.executable, "-c", measure, *command]).out) / 1024
    assert used["4MiB"] < 50 and used["24MiB"] < used["4MiB"] + 24, f"MiB of 46 MiB of values: {used}"


# Damage.


def damaged(data: bytes, rng: random.Random) -> bytes:
    """Flips or replaces bytes where there is anything, or cuts the file."""
    if rng.random() < 0.15:
        return data[: rng.randrange(1, len(data))]
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 4, 16])):
        at = rng.randrange(len(data))
        while not any(data[max(0, at - 32) : at + 32]):
            at = rng.randrange(len(data))
        changed[at] = changed[at] ^ (1 << rng.randrange(8)) if rng.random() < 0.5 else rng.choice([0, 255])
    return bytes(changed)


@pytest.mark.parametrize("kind", ["weft", "old", "new"])
def test_damage_ends_with_a_verdict(tmp_path: Path, kind: str) -> None:
    whole = tmp_path / "whole.h5"
    if kind == "weft":
        w.run_ecg(whole, "--nodes", 50, "--steps", 7, "--target", "1KiB")
        w.weft_ok("verify", whole, "--add-checksums")
    else:
        write_other(
            whole, chunks=(7, 43, 2), filters={"compression": "gzip"}, libver="earliest" if kind == "old" else "latest"
        )
    data = whole.read_bytes()
    rng = random.Random(kind)
    broken = tmp_path / "broken.h5"
    found = 0
    for _ in range(60):
        broken.write_bytes(damaged(data, rng))
        for arguments in ([broken], [whole, broken]):
            outcome = w.weft("verify", *arguments, patience=150)
            assert outcome.code in (0, 1), outcome
            assert outcome.out or len(outcome.error_lines) == 1, outcome
            found += outcome.code
    assert found > 50
