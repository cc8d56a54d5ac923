"""engine="weft": what xarray gets equals engine="h5netcdf" for files that Weft did not write."""

import pickle

import h5py
import numpy as np
import pytest
import xarray
from other_files import chaste

from weft import xarray_engine

STEPS, NODES = 24, 300


def netcdf(path, first=0, packed=False, compression="gzip"):
    values = np.random.default_rng(first).normal(size=(STEPS, NODES)).astype(np.float32)
    data = xarray.Dataset(
        {"V": (("time", "node"), values, {"units": "mV", "long_name": "potential"})},
        {
            "time": ("time", first + np.arange(STEPS), {"units": "seconds since 2000-01-01"}),
            "x": ("node", np.linspace(0, 1, NODES), {"units": "mm"}),
        },
        {"title": "a run"},
    )
    encoding = {"chunksizes": (6, 100), "zlib": compression is not None}
    if packed:
        encoding |= {"dtype": "int16", "scale_factor": 0.001, "_FillValue": -32768}
    else:
        data["V"][2, 3] = np.nan
        encoding |= {"_FillValue": np.float32(9e9)}
    data.to_netcdf(path, engine="h5netcdf", encoding={"V": encoding}, unlimited_dims=["time"])
    return path


@pytest.mark.parametrize("packed", [False, True], ids=["as-is", "packed"])
@pytest.mark.parametrize("options", [{}, {"mask_and_scale": False}, {"decode_times": False}], ids=str)
def test_netcdf_is_what_h5netcdf_sees(tmp_path, packed, options):
    path = netcdf(tmp_path / "run.nc", packed=packed)
    with (
        xarray.open_dataset(path, engine="weft", **options) as ours,
        xarray.open_dataset(path, engine="h5netcdf", **options) as theirs,
    ):
        xarray.testing.assert_identical(ours.load(), theirs.load())
        assert ours["V"].dtype == theirs["V"].dtype
        assert ours["V"].encoding["preferred_chunks"] == theirs["V"].encoding["preferred_chunks"]


def test_every_index_is_that_of_h5netcdf(tmp_path):
    path = netcdf(tmp_path / "run.nc")
    with xarray.open_dataset(path, engine="weft") as ours, xarray.open_dataset(path, engine="h5netcdf") as theirs:
        for key in (
            {"time": 3}, {"time": [5, 1, 1]}, {"node": slice(None, None, -7)}, {"time": [2, 0], "node": [9, 299, 4]},
            {"time": 1, "node": [3, 2]}, {"time": xarray.DataArray([1, 2], dims="p"),
                                          "node": xarray.DataArray([4, 7], dims="p")},
        ):  # fmt: skip
            xarray.testing.assert_identical(ours["V"].isel(key).load(), theirs["V"].isel(key).load())


def vtkhdf(path):
    values = np.arange(4 * 50, dtype=np.float64)
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")
        root.attrs["Version"] = [2, 0]
        root["PointData/V"] = values
        root["PointData/V"].attrs["units"] = "mV"
        root["NumberOfPoints"] = [50] * 4
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = 4
        steps["Values"] = np.arange(4.0)
        steps["PointDataOffsets/V"] = np.arange(4) * 50
    return values.reshape(4, 50)


def test_vtkhdf_has_its_fields(tmp_path):
    values = vtkhdf(tmp_path / "run.vtkhdf")
    with xarray.open_dataset(tmp_path / "run.vtkhdf", engine="weft") as data:
        assert data["V"].dims == ("time", "node")
        np.testing.assert_array_equal(data["V"], values)
        np.testing.assert_array_equal(data["time"], np.arange(4.0))
        # In its group h5netcdf sees one long array of all steps, which are the same values.
        with xarray.open_dataset(
            tmp_path / "run.vtkhdf", engine="h5netcdf", group="VTKHDF/PointData", phony_dims="sort"
        ) as theirs:
            np.testing.assert_array_equal(data["V"].values.reshape(-1), theirs["V"])
            assert data["V"].dtype == theirs["V"].dtype and data["V"].attrs == theirs["V"].attrs == {"units": "mV"}


@pytest.mark.filterwarnings("error")
def test_axes_without_names_get_them(tmp_path):
    values = chaste(tmp_path / "results.h5")["Data"]
    with xarray.open_dataset(tmp_path / "results.h5", engine="weft") as data:
        assert data["Data"].dims == ("time", "node", "component") and len(data["time"]) == len(values)
        np.testing.assert_array_equal(data["Data"], values)
        assert list(data["Data"].attrs["Variable Details"]) == ["V(mV)", "Phi_e(mV)"]


def test_it_pickles_for_other_processes(tmp_path):
    path = netcdf(tmp_path / "run.nc")
    data = xarray.open_dataset(path, engine="weft", chunks={})
    expected = data["V"].values
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(data))["V"].values, expected)
    lazy = pickle.loads(pickle.dumps(xarray.open_dataset(path, engine="weft")))
    np.testing.assert_array_equal(lazy["V"].values, expected)
    np.testing.assert_allclose(
        data["V"].sum().compute(scheduler="processes", num_workers=2), np.nansum(expected), rtol=1e-4
    )


def test_workers_of_distributed_read_it(tmp_path):
    distributed = pytest.importorskip("distributed")
    path = netcdf(tmp_path / "run.nc")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster),
        xarray.open_dataset(path, engine="weft", chunks={}) as data,
        xarray.open_dataset(path, engine="h5netcdf") as theirs,
    ):
        np.testing.assert_allclose(data["V"].mean("time"), theirs["V"].mean("time"), rtol=1e-5, atol=1e-6)


def test_several_files_are_one(tmp_path):
    paths = [netcdf(tmp_path / f"{i}.nc", first=i * STEPS) for i in range(3)]
    with xarray.open_mfdataset(paths, engine="weft") as ours, xarray.open_mfdataset(paths, engine="h5netcdf") as theirs:
        xarray.testing.assert_identical(ours.load(), theirs.load())


def test_what_can_be_opened_is_guessed(tmp_path):
    backend = xarray_engine.WeftBackend()
    path = netcdf(tmp_path / "run.nc")
    assert not backend.guess_can_open(path)  # netCDF's own engines know it
    assert backend.guess_can_open(path.rename(tmp_path / "run.h5"))
    (tmp_path / "text.h5").write_text("text")
    for other in (tmp_path / "text.h5", tmp_path / "none.h5", b"bytes", 3):
        assert not backend.guess_can_open(other)
    assert "weft" in xarray.backends.list_engines()
    with pytest.raises(FileNotFoundError):
        xarray.open_dataset(tmp_path / "none.h5", engine="weft")
