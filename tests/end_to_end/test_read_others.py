"""`weft read` and `weft reduce` of files that Weft did not write, and of filtered Weft files, against h5py and numpy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

STEPS, DEPTH, LAT, LON = 20, 3, 5, 7
FILL = -32768


def wave(*shape: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(1).normal(size=shape)


def with_scales(file: h5py.File, dataset: h5py.Dataset, *names: str) -> None:
    for axis, name in enumerate(names):
        dataset.dims[axis].attach_scale(file[name])


def ocean(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """As netCDF-4 has it; the values as CF decodes them."""
    values: dict[str, np.ndarray[Any, Any]] = {}
    with h5py.File(path, "w") as file:
        for name, size in {"ocean_time": STEPS, "depth": DEPTH, "lat": LAT, "lon": LON}.items():
            file[name] = np.arange(float(size)) * 6
            file[name].make_scale(name)
        file["ocean_time"].attrs["units"] = "hours since 1990-01-01"
        stored = np.random.default_rng(1).integers(-1000, 1000, (STEPS, DEPTH, LAT, LON)).astype("i2")
        stored[3, 1, 2, 3] = FILL
        options = {"chunks": (5, DEPTH, LAT, LON), "compression": 4, "shuffle": True}
        packed = file.create_dataset("temp", data=stored, **options)
        packed.attrs.update({"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": np.int16(FILL), "units": "K"})
        with_scales(file, packed, "ocean_time", "depth", "lat", "lon")
        values["temp"] = np.where(stored == FILL, np.nan, stored * 0.01 + 273.15)
        with_scales(
            file, file.create_dataset("salt", data=wave(STEPS, LAT, LON).astype("f4")), "ocean_time", "lat", "lon"
        )
        file["salt"].attrs["_FillValue"] = np.float32(file["salt"][4, 2, 1])
        values["salt"] = file["salt"][...]
        values["salt"][4, 2, 1] = np.nan
        file.create_dataset("big", data=wave(STEPS, LAT, LON).astype(">f8"), chunks=(3, 4, 5), compression=1)
        with_scales(file, file["big"], "ocean_time", "lat", "lon")
        values["big"] = file["big"][...].astype("f8")
        file["last"] = wave(DEPTH, LAT, LON, STEPS)  # the step is the last axis
        with_scales(file, file["last"], "depth", "lat", "lon", "ocean_time")
        values["last"] = np.moveaxis(file["last"][...], 3, 0)
        file["count"] = np.arange(STEPS * LAT * LON, dtype="u2").reshape(STEPS, LAT, LON)
        with_scales(file, file["count"], "ocean_time", "lat", "lon")
        values["count"] = file["count"][...].astype("i4")
    return values


def openpmd(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    values = {"x": wave(4, 6, 8), "y": wave(4, 6, 8) * 2}
    with h5py.File(path, "w") as file:
        file.attrs.update({"openPMD": "1.1.0", "basePath": "/data/%T/", "meshesPath": "fields/"})
        for number, step in enumerate((9, 40, 100, 200)):  # in order of their numbers, not of their letters
            for name, data in values.items():
                options = {"compression": 4} if name == "y" else {}
                file.create_dataset(f"data/{step}/fields/E/{name}", data=data[number], **options)
            file[f"data/{step}/fields/E"].attrs["axisLabels"] = ["y", "x"]
            file[f"data/{step}"].attrs.update({"time": float(step), "timeUnitSI": 1e-3})
    return values


def vtkhdf(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """All steps on one axis; a chunk of V has two steps, one of W straddles steps."""
    steps, nodes = 6, 30
    values = {"V": wave(steps, nodes), "W": wave(steps, nodes, 3)}
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs.update({"Type": np.bytes_("UnstructuredGrid"), "Version": [2, 0]})
        times = root.create_group("Steps")
        times.attrs["NSteps"] = steps
        times["Values"] = np.arange(steps) * 0.5
        for name, data in values.items():
            chunk = (2 * nodes if name == "V" else 45, *data.shape[2:])
            flat = data.reshape(-1, *data.shape[2:])
            root.create_dataset(f"PointData/{name}", data=flat, chunks=chunk, compression=1)
            times[f"PointDataOffsets/{name}"] = np.arange(steps) * nodes
    return values


def chaste(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    values = {"Data": wave(40, 25, 2)}
    with h5py.File(path, "w") as file:
        data = file.create_dataset("Data", data=values["Data"], chunks=(7, 10, 2), maxshape=(None, 25, 2))
        data.attrs["Variable Details"] = np.array([b"V(mV)", b"Phi_e(mV)"])
        file["Data_Unlimited"] = np.arange(40.0)
    return values


def compressed_weft(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    plain = path.with_name("plain.h5")
    w.run_ecg(plain, "--nodes", 101, "--steps", 90, "--target", "4KiB", "--unknown-steps")
    w.weft_ok("repack", plain, path, "--filter", "shuffle+deflate:1")
    with h5py.File(path, "r") as file:
        return {"Data": file["Data"][...]}


FILES = {"netcdf": ocean, "openpmd": openpmd, "vtkhdf": vtkhdf, "chaste": chaste, "weft": compressed_weft}


def read(path: Path, *arguments: object) -> tuple[np.ndarray[Any, Any], dict[str, Any]]:
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
        np.testing.assert_array_equal(got, values[(slice(None), *place)], err_msg=name)
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
        if np.isnan(values).any() or name == "count":
            continue
        wanted = f"{name}:1" if name in ("W", "Data") else name
        of_one = values[..., 1] if name in ("W", "Data") else values
        command = ["reduce", path, "--field", wanted, "--quantity", "max", "--out", out]
        w.weft_ok(*command, ranks=ranks)
        with h5py.File(out, "r") as file:
            np.testing.assert_array_equal(file["max"][...], of_one.max(axis=0), err_msg=name)


def test_times_are_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file.h5"
    ocean(path)
    report = w.weft_ok("read", path, "--field", "temp", "--trace", "0,0,0", "--json").json
    assert report["times"] == [6.0 * step for step in range(STEPS)] and report["units"] == "K"
    assert w.weft_ok("info", path, "--json").json["time"]["units"] == "hours since 1990-01-01"
    openpmd(path)
    times = w.weft_ok("read", path, "--field", "fields/E/x", "--trace", "0,0", "--json").json["times"]
    np.testing.assert_allclose(times, [0.009, 0.04, 0.1, 0.2])


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
