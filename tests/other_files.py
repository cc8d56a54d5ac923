"""Files of steps as other programs write them; each function returns the values that are in its file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
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


def coded(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """netCDF's rarer codings: fills that no double or no integer of the type holds, several of them, _Unsigned; and
    times and places that are packed themselves."""
    rng = np.random.default_rng(3)
    shape = (STEPS, LAT, LON)
    with h5py.File(path, "w") as file:
        file["time"] = np.arange(STEPS, dtype="i2")
        file["time"].attrs.update({"units": "days since 2000-01-01", "scale_factor": 0.5, "add_offset": 10.0})
        file["lat"] = np.arange(LAT, dtype="i2") * np.int16(25)
        file["lat"].attrs.update({"scale_factor": 0.01})
        file["lon"] = np.arange(float(LON))
        for name in ("time", "lat", "lon"):
            file[name].make_scale(name)
        file["foreign"] = rng.integers(-3, 4, shape).astype("i2")  # with zeros
        file["foreign"].attrs["missing_value"] = 1e20
        file["wide"] = rng.integers(-9, 9, shape)
        file["wide"][0, 1, 2] = file["wide"].attrs["_FillValue"] = np.int64(-9223372036854775806)
        file["wide"][0, 1, 3] = -9223372036854775807  # the same double, and no fill
        file["widest"] = rng.integers(0, 9, shape).astype("u8")
        file["widest"][0, 1, 2] = file["widest"].attrs["_FillValue"] = np.uint64(18446744073709551614)
        file["byte"] = rng.integers(-128, 128, shape).astype("i1")
        file["byte"].attrs["_Unsigned"] = "true"
        file["filled_byte"] = file["byte"][...]
        file["filled_byte"][2, 1, 2] = -1
        file["filled_byte"].attrs.update({"_Unsigned": "true", "_FillValue": np.int8(-1)})
        file["with_sign"] = rng.integers(0, 65536, shape).astype("u2")
        file["with_sign"].attrs.update({"_Unsigned": "false", "scale_factor": np.float32(0.5)})
        file["several"] = rng.integers(-3, 4, shape).astype("f4")
        file["several"].attrs.update({"missing_value": np.array([-1, 2], "f4"), "_FillValue": np.float64(1e300)})
        stored = {name: file[name][...] for name in file if name not in ("time", "lat", "lon")}
        for name in stored:
            with_scales(file, file[name], "time", "lat", "lon")
    filled = stored["filled_byte"].view("u1")
    wide, widest, several = (stored[name] for name in ("wide", "widest", "several"))
    return {
        "foreign": stored["foreign"].astype("i4"),
        "wide": np.where(wide == -9223372036854775806, np.nan, wide.astype("f8")),
        "widest": np.where(widest == 18446744073709551614, np.nan, widest.astype("f8")),
        "byte": stored["byte"].view("u1"),
        "filled_byte": np.where(filled == 255, np.float32(np.nan), filled.astype("f4")),
        "with_sign": (stored["with_sign"].view("i2") * 0.5).astype("f4"),
        "several": np.where(np.isin(several, [-1, 2]), np.float32(np.nan), several),
    }


def openpmd(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    values = {"x": wave(4, 6, 8), "y": wave(4, 6, 8) * 2}
    with h5py.File(path, "w") as file:
        file.attrs.update({"openPMD": "1.1.0", "basePath": "/data/%T/", "meshesPath": "fields/"})
        for number, step in enumerate((9, 40, 100, 200)):  # in order of their numbers, not of their letters
            for name, data in values.items():
                options = {"compression": 4} if name == "y" else {}
                file.create_dataset(f"data/{step}/fields/E/{name}", data=data[number], **options)
            mesh = {
                "axisLabels": ["y", "x"],
                "gridSpacing": [0.5, 2.0],
                "gridGlobalOffset": [1.0, -3.0],
                "gridUnitSI": 0.1,
            }
            file[f"data/{step}/fields/E"].attrs.update(mesh)
            file[f"data/{step}"].attrs.update({"time": float(step), "timeUnitSI": 1e-3})
    return values


def vtkhdf(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """All steps on one axis; a chunk of V has two steps, one of W straddles steps. The mesh is a row of lines."""
    steps, nodes = 6, 30
    values = {"V": wave(steps, nodes), "W": wave(steps, nodes, 3)}
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs.update({"Type": np.bytes_("UnstructuredGrid"), "Version": [2, 0]})
        root["NumberOfPoints"], root["NumberOfCells"], root["NumberOfConnectivityIds"] = (
            [nodes],
            [nodes - 1],
            [2 * nodes - 2],
        )
        root["Points"] = np.random.default_rng(2).random((nodes, 3)).astype("f4")
        root["Connectivity"] = np.stack([np.arange(nodes - 1), np.arange(1, nodes)], axis=1).ravel()
        root["Offsets"] = 2 * np.arange(nodes)
        root["Types"] = np.full(nodes - 1, 3, "u1")
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


FILES = {"netcdf": ocean, "openpmd": openpmd, "vtkhdf": vtkhdf, "chaste": chaste, "weft": compressed_weft, "coded": coded}
