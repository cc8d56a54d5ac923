"""netCDF4 and xarray open every Weft file, and find its fields with named dimensions, units and coordinates."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import weft_run as w
import xarray
from other_files import openpmd

KINDS: dict[str, list[object]] = {
    "whole": ["--steps", 90],
    "unknown length": ["--steps", 90, "--unknown-steps"],
    "grown": ["--steps", 300, "--unknown-steps"],
    "two fields": ["--steps", 20, "--fields", "separate"],
}


def same(path: Path, name: str, dimensions: tuple[str, ...]) -> None:
    with h5py.File(path) as file:
        wanted, units, times = file[name][...], file[name].attrs["units"], file["time"][...]
    with netCDF4.Dataset(path) as file:
        assert file[name].dimensions == dimensions
        assert file[name].units == units
        np.testing.assert_array_equal(np.ma.getdata(file[name][...]), wanted)
    with xarray.open_dataset(path, engine="netcdf4") as file:
        assert file[name].dims == dimensions
        np.testing.assert_array_equal(file[name].values, wanted)
        np.testing.assert_array_equal(file["time"].values, times)
        step = len(times) // 2
        np.testing.assert_array_equal(file[name].sel(time=times[step]).values, wanted[step])


@pytest.mark.parametrize("kind", KINDS)
def test_a_series(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "a.h5"
    w.run_ecg(path, "--nodes", 101, *KINDS[kind])
    if kind == "two fields":
        same(path, "V", ("time", "node"))
        same(path, "phi_e", ("time", "node"))
    else:
        same(path, "Data", ("time", "node", "component"))
    w.weft_ok("verify", path)


def test_after_append_repack_and_recover(tmp_path: Path) -> None:
    path, copy = tmp_path / "a.h5", tmp_path / "b.h5"
    w.run_ecg(path, "--nodes", 101, "--steps", 40, "--unknown-steps")
    w.run_ecg(path, "--nodes", 101, "--steps", 200, "--append")
    same(path, "Data", ("time", "node", "component"))
    w.weft_ok("repack", path, copy, "--filter", "shuffle+deflate:1")
    same(copy, "Data", ("time", "node", "component"))


def test_a_grid_has_the_coordinates_of_its_points(tmp_path: Path) -> None:
    path = tmp_path / "laser.h5"
    values = openpmd(tmp_path / "from.h5")
    w.weft_ok("import", tmp_path / "from.h5", path)
    with xarray.open_dataset(path, engine="netcdf4") as file:
        field = file["fields_E_x"]
        assert field.dims == ("time", "y", "x")
        np.testing.assert_array_equal(field.values, values["x"])
        np.testing.assert_allclose(field["y"].values, 0.1 * (1 + 0.5 * np.arange(6)))
        np.testing.assert_allclose(field["x"].values, 0.1 * (-3 + 2 * np.arange(8)))
        assert field["x"].attrs["axis"] == "X"


def test_a_scale_of_the_users_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    w.run_ecg(path, "--nodes", 11, "--steps", 20, "--unknown-steps")
    with h5py.File(path, "r+") as file:
        file["place"] = np.arange(11) * 0.5
        file["place"].make_scale("place")
        file["Data"].dims[1].detach_scale(file["node"])
        file["Data"].dims[1].attach_scale(file["place"])
    w.run_ecg(path, "--nodes", 11, "--steps", 200, "--append")
    with h5py.File(path) as file:
        assert [scale.name for scale in file["Data"].dims[1].values()] == ["/place"]


def test_times_to_come_are_after_all_others(tmp_path: Path) -> None:
    """A viewer searches the times; with zeros behind the committed ones it would find another step."""
    path = tmp_path / "a.h5"
    arguments = ["--nodes", "1000", "--steps", "20000", "--commit-every", "1steps", "--out", str(path)]
    with subprocess.Popen([w.WEFT, "run", "ecg", *arguments], env=w.environment()) as run:
        while not path.exists():
            time.sleep(0.01)
        time.sleep(0.2)
        run.kill()
    with h5py.File(path) as file:
        times, slots = file["time"][...], file["weft/commit"][...]
    written = int(np.argmax(np.isinf(times)))
    assert int(slots.min()) <= written < len(times)
    assert np.all(np.isinf(times[written:])) and np.all(np.diff(times[:written]) > 0)
