"""Files of netCDF-4's own library and of h5repack, repacked: what those who wrote them read is what was there before.

And Weft's own with every kind of field, imported."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import weft_run as w
from hdf5_content import content, differences


def write_netcdf(path: Path, names_too: bool = True) -> None:
    generator = np.random.default_rng(3)
    with netCDF4.Dataset(path, "w") as file:
        file.title = "repacked"
        for name, length in {"z_last": 7, "time": None, "station": 900, "name_strlen": 8}.items():
            file.createDimension(name, length)
        time = file.createVariable("time", "f8", ("time",))
        time.units = "hours since 2000-01-01"
        pressure = file.createVariable(
            "pressure", "f4", ("time", "station"), zlib=True, shuffle=True, chunksizes=(1, 900)
        )
        pressure.units = "Pa"
        packed = file.createVariable("packed", "i2", ("station", "time"), fill_value=-999, chunksizes=(900, 1))
        packed.scale_factor = 0.5
        levels = file.createVariable("levels", "f8", ("time", "z_last", "station"), fletcher32=True)
        group = file.createGroup("inner")
        group.createVariable("x", "i4", ("station",))[:] = np.arange(900)
        time[:] = np.arange(48)
        pressure[:] = generator.normal(size=(48, 900))
        packed[:40] = np.round(generator.normal(size=(40, 48)) * 9)
        levels[:] = generator.normal(size=(48, 7, 900))
        if names_too:
            names = file.createVariable("names", str, ("station",))
            names[:] = np.array([f"s{i}" for i in range(900)], dtype=object)


def check_netcdf(a: Path, b: Path) -> None:
    with netCDF4.Dataset(a) as before, netCDF4.Dataset(b) as after:
        assert list(before.variables) == list(after.variables)
        assert {n: (len(d), d.isunlimited()) for n, d in before.dimensions.items()} == {
            n: (len(d), d.isunlimited()) for n, d in after.dimensions.items()
        }
        for name, variable in before.variables.items():
            other = after.variables[name]
            assert variable.dimensions == other.dimensions
            assert {k: str(variable.getncattr(k)) for k in variable.ncattrs()} == {
                k: str(other.getncattr(k)) for k in other.ncattrs()
            }
            for array in (variable, other):
                array.set_auto_maskandscale(False)
            np.testing.assert_array_equal(variable[:], other[:])
        assert (before["inner/x"][:] == after["inner/x"][:]).all()


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("filters", ["keep", "none", "shuffle+deflate"])
def test_netcdf(tmp_path: Path, filters: str, ranks: int | None) -> None:
    source, target = tmp_path / "a.nc", tmp_path / "b.nc"
    write_netcdf(source)
    outcome = w.weft("repack", source, target, "--filter", filters, "--target", "32KiB", "--json", ranks=ranks)
    assert outcome.code == 0, outcome.err
    assert {dataset["path"]: dataset["axes"] for dataset in outcome.json["datasets"]} == {
        "/levels": "time,z_last,station",
        "/packed": "station,time",
        "/pressure": "time,station",
    }
    check_netcdf(source, target)
    assert differences(content(source), content(target)) == []
    with netCDF4.Dataset(target, "a") as file:  # and netCDF goes on with it
        file["time"][48] = 48
        file["pressure"][48] = 1.0
        assert file["levels"].shape == (49, 7, 900)


@pytest.mark.skipif(shutil.which("h5repack") is None, reason="no h5repack")
@pytest.mark.parametrize("options", [["-l", "pressure:CHUNK=7x111"], ["-f", "SHUF", "-f", "GZIP=9"], ["-f", "SZIP=8,NN"], ["-l", "CONTI"], ["-L"]])  # fmt: skip
def test_files_of_h5repack(tmp_path: Path, options: list[str]) -> None:
    # Without text: what h5repack makes of its fill value nobody can read.
    write_netcdf(tmp_path / "first.nc", names_too=False)
    source, target = tmp_path / "a.nc", tmp_path / "b.nc"
    subprocess.run(["h5repack", *options, str(tmp_path / "first.nc"), str(source)], check=True)
    outcome = w.weft("repack", source, target, "--target", "32KiB")
    assert outcome.code == 0, outcome.err
    check_netcdf(source, target)
    assert differences(content(source), content(target)) == []


@pytest.mark.parametrize("ranks", [None, 3, 7])
def test_an_import_of_every_kind_of_field(tmp_path: Path, ranks: int | None) -> None:
    source, out = tmp_path / "mesh.h5", tmp_path / "out.h5"
    assert w.call([os.environ["WEFT_READER_CASES"], "mesh", str(source)]).code == 0
    report = w.weft_ok("import", source, out, "--json", ranks=ranks).json
    assert report["not_shown"] == [] and report["left_out"] == []
    with h5py.File(source) as before, h5py.File(out) as after:
        for name in report["fields"]:
            np.testing.assert_array_equal(before[name][...], after[name][...], err_msg=name)
            of_before, of_after = (file[f"weft/segments/0/{name}"].attrs for file in (before, after))
            for attribute in ("weft_subset", "weft_support", "units", "weft_components"):
                assert of_before.get(attribute) == of_after.get(attribute), (name, attribute)
        np.testing.assert_array_equal(before["weft/subsets/listed"][...], after["weft/subsets/listed"][...])
        shown: list[list[str]] = [[], []]
        before["VTKHDF"].visit(shown[0].append)
        after["VTKHDF"].visit(shown[1].append)
        assert shown[0] == shown[1] and "Steps" in " ".join(shown[0])
    w.weft_ok("verify", out)
