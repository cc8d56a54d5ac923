"""`weft read` and `weft reduce` of files that Weft did not write, and of filtered Weft files, against h5py and numpy."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from other_files import FILES, LAT, LON, STEPS, coded, ocean, openpmd, wave, with_scales


def read(path: Path | str, *arguments: object) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
    report = w.weft_ok("read", path, *arguments, "--json").json
    values = np.array(report["values"], dtype=object)
    return np.where(values == None, np.nan, values).astype(report["dtype"]), report


@pytest.mark.parametrize("kind", FILES)
def test_every_read_of_every_field(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "file.h5"
    for name, values in FILES[kind](path).items():
        field = ["--field", name]
        places = values.shape[1:-1] if name in ("W", "Data") else values.shape[1:]
        place = tuple(size // 2 for size in places)
        number = int(np.ravel_multi_index(place, places))
        got, report = read(path, *field, "--trace", ",".join(map(str, place)))
        trace: Any = (slice(None), *place)
        np.testing.assert_array_equal(got, values[trace], err_msg=name)
        assert report["requests"]["app"]["reads"] > 0
        np.testing.assert_array_equal(read(path, *field, "--trace", number)[0], got, err_msg=name)
        for step in (0, len(values) - 1):
            np.testing.assert_array_equal(read(path, *field, "--snapshot", step)[0], values[step], err_msg=name)
        box = tuple(slice(size // 3, size // 3 + (size + 1) // 2) for size in values.shape)
        text = ",".join(f"{axis.start}:{axis.stop}" for axis in box)
        np.testing.assert_array_equal(read(path, *field, "--box", text)[0], values[box], err_msg=name)
        assert report["dtype"] == str(values.dtype), name


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("kind", FILES)
def test_reduce_of_every_field(tmp_path: Path, kind: str, ranks: int | None) -> None:
    path, out = tmp_path / "file.h5", tmp_path / "maps.h5"
    for name, values in FILES[kind](path).items():
        if name == "count":
            continue
        wanted = f"{name}:1" if name in ("W", "Data") else name
        of_one = values[..., 1] if name in ("W", "Data") else values
        command = ["reduce", path, "--field", wanted, "--quantity", "max,mean", "--out", out]
        w.weft_ok(*command, ranks=ranks)
        with h5py.File(out, "r") as file:  # values that are missing are passed over
            np.testing.assert_array_equal(file["max"][...], np.nanmax(of_one, axis=0), err_msg=name)
            np.testing.assert_allclose(file["mean"][...], np.nanmean(of_one.astype("f8"), axis=0), err_msg=name)


def test_times_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    ocean(path)
    report = w.weft_ok("read", path, "--field", "temp", "--trace", "0,0,0", "--json").json
    assert report["times"] == [6.0 * step for step in range(STEPS)] and report["units"] == "K"
    assert w.weft_ok("info", path, "--json").json["time"]["units"] == "hours since 1990-01-01"
    openpmd(path)
    times = w.weft_ok("read", path, "--field", "fields/E/x", "--trace", "0,0", "--json").json["times"]
    np.testing.assert_allclose(times, [0.009, 0.04, 0.1, 0.2])


def test_times_and_places_are_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    coded(path)
    report = w.weft_ok("read", path, "--field", "byte", "--trace", "0,0", "--json").json
    assert report["times"] == [10.0 + 0.5 * step for step in range(STEPS)]
    grid = w.weft_ok("info", path, "--json").json["grid"]
    assert grid == {"shape": [LAT, LON], "origin": [0.0, 0.0, 0.0], "spacing": [1.0, 0.25, 1.0]}
    assert "the nodes are a grid of 5x7: from x, y, z (0, 0, 0) in steps of (1, 0.25, 1)" in w.weft_ok("info", path).out


@pytest.mark.parametrize("filters", [{}, {"compression": 1, "shuffle": True}])
def test_enumerations_are_the_integers_that_they_name(tmp_path: Path, filters: dict[str, Any]) -> None:
    """h5py's booleans are an enumeration, and netCDF-4 has types of that kind; compounds are said to be left out."""
    path = tmp_path / "file.h5"
    wet = wave(STEPS, LAT, LON) > 0
    kinds = np.random.default_rng(5).integers(0, 3, (STEPS, LAT, LON)).astype("i2")
    kinds[2, 1, 1] = -1
    clouds = h5py.enum_dtype({"clear": 0, "cumulus": 1, "stratus": 2, "missing": -1}, basetype="i2")
    with h5py.File(path, "w") as file:
        for name, size in {"time": STEPS, "lat": LAT, "lon": LON}.items():
            file[name] = np.arange(float(size))
            file[name].make_scale(name)
        options = {"chunks": (3, LAT, LON), **filters}
        file.create_dataset("wet", data=wet, **options)
        file.create_dataset("kind", data=kinds, dtype=clouds, **options)
        file["kind"].attrs.create("_FillValue", np.int16(-1), dtype=clouds)
        file.create_dataset("wave", data=wave(STEPS, LAT, LON) * (1 + 2j))
        file.create_dataset("label", data=np.full((STEPS, LAT, LON), b"sea"))
        for name in ("wet", "kind", "wave", "label"):
            with_scales(file, file[name], "time", "lat", "lon")
    meant = np.where(kinds == -1, np.nan, kinds)
    np.testing.assert_array_equal(read(path, "--field", "wet", "--trace", "2,3")[0], wet[:, 2, 3])
    np.testing.assert_array_equal(read(path, "--field", "wet", "--snapshot", 4)[0], wet[4])
    np.testing.assert_array_equal(read(path, "--field", "kind", "--snapshot", 2)[0], meant[2])
    w.weft_ok("reduce", path, "--field", "wet", "--quantity", "max,mean", "--out", tmp_path / "maps.h5")
    with h5py.File(tmp_path / "maps.h5", "r") as file:
        np.testing.assert_array_equal(file["max"][...], wet.max(axis=0))
        np.testing.assert_allclose(file["mean"][...], wet.mean(axis=0))
    report = w.weft_ok("import", path, tmp_path / "series.h5", "--json").json
    assert report["left_out"] == [
        "/label: is of text of 3 bytes, which Weft does not compute with",
        "/wave: is of compound of 2, 16 bytes, which Weft does not compute with",
    ]
    with h5py.File(tmp_path / "series.h5", "r") as file:
        np.testing.assert_array_equal(file["wet"][...].reshape(wet.shape), wet)
        np.testing.assert_array_equal(file["kind"][...].reshape(meant.shape), meant)
    w.weft_ok("convert", path, "--to", "csv", "--out", tmp_path / "csv")
    with min((tmp_path / "csv").iterdir()).open() as table:
        column = [float(row["wet"]) for row in csv.DictReader(table)]
    assert column == wet[0].ravel().tolist()


def test_a_long_list_of_what_is_left_out_ends(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    ocean(path)
    with h5py.File(path, "a") as file:
        for number in range(12):
            name = f"label{number:02}"
            file.create_dataset(name, data=np.full(STEPS, b"sea"))
            with_scales(file, file[name], "ocean_time")
    all_of_them = w.weft_ok("info", path, "--json").json["left_out"]
    labels = [line for line in all_of_them if line.startswith("/label")]
    assert len(labels) == 12
    said = [line for line in w.weft_ok("info", path).out.splitlines() if line.startswith("left out: ")]
    assert said[:10] == [f"left out: {line}" for line in all_of_them[:10]]
    assert said[10:] == [f"left out: {len(all_of_them) - 10} more; --json lists all"]


def test_a_dimension_without_coordinates_has_no_times(tmp_path: Path) -> None:
    """netCDF-4 keeps such a dimension as a dataset of zeros; WRF names its times elsewhere."""
    path = tmp_path / "file.h5"
    with h5py.File(path, "w") as file:
        for name, size in {"Time": 12, "south_north": 4, "west_east": 5}.items():
            file.create_dataset(name, (size,), ">f4", maxshape=(None,), chunks=(8,))
            file[name].make_scale(f"This is a netCDF dimension but not a netCDF variable.{size:10}")
        file["XTIME"] = np.arange(12.0) * 60
        file["XTIME"].attrs["units"] = "minutes since 2000-01-24 12:00:00"
        file["XTIME"].dims[0].attach_scale(file["Time"])
        for name in ("T2", "U10"):
            file.create_dataset(name, data=wave(12, 4, 5), maxshape=(None, 4, 5), chunks=(1, 4, 5))
            with_scales(file, file[name], "Time", "south_north", "west_east")
        file["T2"].attrs["coordinates"] = "XLONG XLAT XTIME"
    got = w.weft_ok("read", f"{path}:U10", "--trace", "1,2", "--json").json
    assert got["times"] == list(range(12))
    got = w.weft_ok("read", f"{path}:T2", "--trace", "1,2", "--json").json
    assert got["times"] == [60.0 * step for step in range(12)]
    info = w.weft_ok("info", f"{path}:T2", "--json").json
    assert info["time"]["units"] == "minutes since 2000-01-24 12:00:00"


def test_what_is_told_goes_before_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    values = wave(8, 50)
    with h5py.File(path, "w") as file:
        file["nodes_first"] = values
        file["when"] = np.arange(50.0) * 2
    got, report = read(f"{path}:nodes_first", "--axes", "node,time", "--time", "when", "--trace", 3)
    np.testing.assert_array_equal(got, values[3])
    assert report["times"][1] == 2.0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["--field", "temp", "--trace", "3,0,0"],
            "has no node 3,0,0; its nodes are a grid of 3x5x7, numbered 0 to 104",
        ),
        (["--field", "temp", "--trace", "105"], "has no node 105"),
        (["--field", "temp", "--trace", "1,2"], "has no node 1,2"),
        (["--field", "temp", "--trace", "one"], "is not a node"),
        (["--field", "wind", "--trace", "0"], "has no field 'wind'; its fields are: big, count, last, salt, temp"),
        (["--trace", "0"], "holds 5 fields"),
        (["--field", "temp", "--snapshot", "20"], "20 of 20 steps"),
    ],
)
def test_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    ocean(tmp_path / "file.h5")
    outcome = w.weft("read", tmp_path / "file.h5", *arguments)
    assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
    assert words in outcome.error_lines[0]


def test_a_file_without_steps(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "file.h5", "w") as file:
        file["points"] = np.zeros((5, 3))
    outcome = w.weft("read", tmp_path / "file.h5", "--trace", 0)
    assert outcome.code == 1 and "no dataset that is known to hold steps" in outcome.err


@pytest.mark.parametrize("compression", [None, 1])
def test_chunks_that_reach_beyond_the_dataset(tmp_path: Path, compression: int | None) -> None:
    path = tmp_path / "file.h5"
    values = wave(20, 30)
    with h5py.File(path, "w") as file:
        file.create_dataset("Data", data=values, maxshape=(None, None), chunks=(64, 64), compression=compression)
    named = f"{path}:Data"
    np.testing.assert_array_equal(read(named, "--trace", 3)[0], values[:, 3])
    np.testing.assert_array_equal(read(named, "--snapshot", 19)[0], values[19])
    np.testing.assert_array_equal(read(named, "--box", "3:9,20:30")[0], values[3:9, 20:30])
    report = w.weft_ok("reduce", named, "--quantity", "max", "--out", tmp_path / "maps.h5", "--json").json
    assert report["field"] == "Data"
    itself = w.weft("reduce", named, "--quantity", "max", "--out", path)
    assert itself.code == 2 and "is the input file" in itself.err, itself
    w.weft_ok("repack", path, tmp_path / "out.h5", "--target", "1KiB", "--axes", "step,node")
    w.weft_ok("import", named, tmp_path / "series.h5")
    for other in ("out.h5:Data", "series.h5"):
        np.testing.assert_array_equal(read(f"{tmp_path}/{other}", "--trace", 3)[0], values[:, 3])


def test_axes_that_are_told_of_small_values(tmp_path: Path) -> None:
    """The times take more bytes than the field."""
    path = tmp_path / "file.h5"
    values = np.arange(30, dtype="i1").reshape(30, 1)
    with h5py.File(path, "w") as file:
        file["Data"] = values
        file["Data"].attrs["Variable Details"] = np.array([b"V(mV)"])
        file["Data_Unlimited"] = np.arange(30.0)
    got, _ = read(path, "--axes", "step,node", "--trace", 0)
    np.testing.assert_array_equal(got, values[:, 0])


def test_grids_in_the_order_of_fortran_and_parts_of_larger_ones(tmp_path: Path) -> None:
    openpmd(tmp_path / "laser.h5")
    with h5py.File(tmp_path / "laser.h5", "r+") as file:
        for step in file["data"]:
            mesh = file[f"data/{step}/fields/E"].attrs
            mesh["dataOrder"] = np.bytes_("F")
            for name in ("axisLabels", "gridSpacing", "gridGlobalOffset"):
                mesh[name] = mesh[name][::-1]
    w.weft_ok("view", tmp_path / "laser.h5", "--out", tmp_path / "laser.vtkhdf")
    with h5py.File(tmp_path / "laser.vtkhdf") as file:
        np.testing.assert_allclose(file["VTKHDF"].attrs["Spacing"], [0.2, 0.05, 1])
        np.testing.assert_allclose(file["VTKHDF"].attrs["Origin"], [-0.3, 0.1, 0])
    with h5py.File(tmp_path / "part.vtkhdf", "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs.update({"Type": np.bytes_("ImageData"), "Version": [2, 0], "Direction": np.eye(3).ravel()})
        root.attrs.update({"Origin": [1.0, 2, 3], "Spacing": [0.5, 1, 2], "WholeExtent": [4, 8, 2, 5, 1, 3]})
        root["Steps/Values"] = np.arange(6.0)
        root["Steps"].attrs["NSteps"] = 6
        root["PointData/V"] = wave(6, 3, 4, 5)
        root["Steps/PointDataOffsets/V"] = np.arange(6)
    w.weft_ok("import", tmp_path / "part.vtkhdf", tmp_path / "out.h5")
    with h5py.File(tmp_path / "out.h5") as file:
        np.testing.assert_allclose(file["VTKHDF"].attrs["Origin"], [3, 4, 5])
        np.testing.assert_allclose(file["VTKHDF"].attrs["Spacing"], [0.5, 1, 2])


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("kind", FILES)
def test_a_field_that_is_not_there(tmp_path: Path, kind: str, ranks: int | None) -> None:
    FILES[kind](tmp_path / "file.h5")
    outcome = w.weft("reduce", f"{tmp_path}/file.h5:nothing", "--quantity", "max", "--out", tmp_path / "m", ranks=ranks)
    assert outcome.code in (1, 2) and len(outcome.error_lines) == 1 and "nothing" in outcome.err, outcome


def test_a_file_that_is_written_with_swmr(tmp_path: Path) -> None:
    """HDF5's own advice, h5clear, would take the mark from under its writer."""
    path = tmp_path / "file.h5"
    with h5py.File(path, "w", libver="latest") as file:
        file.create_dataset("T", data=wave(20, 50), maxshape=(None, 50), chunks=(5, 50))
        file.swmr_mode = True
        for command in (["info"], ["read", "--trace", 3], ["inspect"], ["repack", "--in-place", "--target", "1KiB"]):
            outcome = w.weft(command[0], path, *command[1:])
            assert outcome.code != 0 and len(outcome.error_lines) == 1 and "h5clear" not in outcome.err, outcome
            assert "written" in outcome.err or "has it open for writing" in outcome.err, outcome


def test_names_with_commas_in_csv(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    with h5py.File(path, "w") as file:
        file['a,"b"'] = wave(4, 6)
    out = w.weft_ok("read", f'{path}:a,"b"', "--trace", 2, "--csv").out
    rows = list(csv.reader(out.splitlines()))
    assert rows[0] == ["step", "time", 'a,"b"'] and {len(row) for row in rows} == {3}
