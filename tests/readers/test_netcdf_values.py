"""netCDF-4 files that netCDF itself wrote: every reading command finds the values that netCDF4 and xarray decode."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cftime
import h5py
import netCDF4
import numpy as np
import pytest
import weft_run as w
import xarray

SHAPES = {"sst": ("time", "lat", "lon"), "temp": ("time", "depth", "lat", "lon")}
SIZES = {"time": 12, "depth": 4, "lat": 9, "lon": 11}


@pytest.fixture(params=["packed", "float"])
def ocean(tmp_path: Path, request: pytest.FixtureRequest) -> tuple[Path, dict[str, np.ndarray[Any, Any]]]:
    path = tmp_path / "ocean.nc"
    rng = np.random.default_rng(1)
    with netCDF4.Dataset(path, "w") as file:
        for name, size in SIZES.items():
            file.createDimension(name, None if name == "time" else size)
            axis = file.createVariable(name, "f8", (name,))
            axis[:] = np.arange(size) * 0.25 + 10
        file["time"].units = "hours since 1990-01-01"
        for name, axes in SHAPES.items():
            kind = "i2" if request.param == "packed" else "f4"
            variable = file.createVariable(name, kind, axes, zlib=True, shuffle=True, fill_value=-999)
            if request.param == "packed":
                variable.scale_factor, variable.add_offset = 0.01, 273.15
            values = 280 + rng.normal(size=[SIZES[axis] for axis in axes])
            variable[:] = np.ma.masked_greater(values, 282)
    with netCDF4.Dataset(path) as file:
        return path, {name: np.ma.filled(file[name][...].astype("f8"), np.nan) for name in SHAPES}


def test_read(ocean: tuple[Path, dict[str, np.ndarray[Any, Any]]]) -> None:
    path, values = ocean
    for name, wanted in values.items():
        place = tuple(size // 2 for size in wanted.shape[1:])
        reads: list[tuple[list[str], Any]] = [
            (["--trace", ",".join(map(str, place))], (slice(None), *place)),
            (["--snapshot", "3"], 3),
            (["--box", ",".join(["2:7"] * wanted.ndim)], (slice(2, 7),) * wanted.ndim),
        ]
        for arguments, index in reads:
            part = wanted[index]
            if "--box" in arguments and name == "temp":
                continue  # its depth ends before
            report = w.weft_ok("read", path, "--field", name, *arguments, "--json").json
            got = np.array([np.nan if v is None else v for v in np.ravel(np.array(report["values"], dtype=object))])
            np.testing.assert_array_equal(
                got.astype(report["dtype"]), part.ravel().astype(report["dtype"]), err_msg=f"{name} {arguments}"
            )


@pytest.mark.parametrize("ranks", [None, 3])
def test_import_and_convert(
    ocean: tuple[Path, dict[str, np.ndarray[Any, Any]]], tmp_path: Path, ranks: int | None
) -> None:
    path, values = ocean
    w.weft_ok("import", path, tmp_path / "series.h5", ranks=ranks)
    with h5py.File(tmp_path / "series.h5") as file:
        for name, wanted in values.items():
            np.testing.assert_allclose(file[name][...], wanted, rtol=1e-12)
        np.testing.assert_array_equal(file["time"][...], np.arange(12) * 0.25 + 10)
        assert list(file["VTKHDF"].attrs["Origin"]) == [10, 10, 10]
        assert list(file["VTKHDF"].attrs["Spacing"]) == [0.25, 0.25, 0.25]
    w.weft_ok("convert", path, "--to", "csv", "--fields", "temp", "--out", tmp_path / "csv", ranks=ranks)
    rows: Any = np.genfromtxt(tmp_path / "csv" / "ocean_0007.csv", delimiter=",", names=True)
    np.testing.assert_allclose(rows["temp"].astype(values["temp"].dtype), values["temp"][7].ravel(), rtol=1e-6)


def test_xarray_decodes_the_same(ocean: tuple[Path, dict[str, np.ndarray[Any, Any]]], tmp_path: Path) -> None:
    """What xarray makes of the file by CF's rules (packing, missing values, units of time), of a trace and of a map."""
    path, _ = ocean
    place = {"time": slice(None), "depth": 1, "lat": 4, "lon": 7}
    when = w.weft_ok("info", path, "--json").json["time"]["units"]
    w.weft_ok("reduce", path, "--field", "temp", "--quantity", "max,mean", "--out", tmp_path / "maps.h5")
    with xarray.open_dataset(path, engine="netcdf4") as file:
        for name, axes in SHAPES.items():
            at = [place[axis] for axis in axes[1:]]
            report = w.weft_ok("read", path, "--field", name, "--trace", ",".join(map(str, at)), "--json").json
            got = np.array([np.nan if v is None else v for v in np.ravel(np.array(report["values"], dtype=object))])
            wanted = file[name].isel({axis: place[axis] for axis in axes}).values
            np.testing.assert_allclose(got.astype("f8"), wanted.astype("f8"), rtol=1e-6, err_msg=name)
            assert list(np.isnan(got.astype("f8"))) == list(np.isnan(wanted)), name
            times = cftime.num2date(report["times"], when, only_use_cftime_datetimes=False)
            seconds = (file["time"].values - np.array(times, dtype="datetime64[ns]")).astype("f8") / 1e9
            assert np.abs(seconds).max() < 1e-3, "the same moments"
        with h5py.File(tmp_path / "maps.h5") as maps:
            np.testing.assert_allclose(maps["max"][...], file["temp"].max("time").values, rtol=1e-6)
            np.testing.assert_allclose(maps["mean"][...], file["temp"].mean("time").values, rtol=1e-6)


def test_inspect_repack_and_verify_take_it(ocean: tuple[Path, dict[str, np.ndarray[Any, Any]]], tmp_path: Path) -> None:
    path, values = ocean
    datasets = {one["path"]: one for one in w.weft_ok("inspect", path, "--json").json["datasets"]}
    assert datasets["/temp"]["axes"]["names"] == "time,depth,lat,lon"
    w.weft_ok("repack", path, tmp_path / "out.nc", "--dataset", "temp", "--target", "1KiB")
    w.weft_ok("verify", path, tmp_path / "out.nc")
    with netCDF4.Dataset(tmp_path / "out.nc") as file:
        np.testing.assert_array_equal(np.ma.filled(file["temp"][...].astype("f8"), np.nan), values["temp"])
