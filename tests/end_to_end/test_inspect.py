"""weft inspect: files as h5py, netCDF-4, Chaste, VTK and openPMD have them, and what is said of them."""

from __future__ import annotations

import hashlib
import shlex
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w


def inspect(path: Path, *arguments: object) -> dict[str, Any]:
    """The report on a file, its datasets by their paths."""
    report: dict[str, Any] = w.weft_ok("inspect", path, "--json", *arguments).json
    report["datasets"] = {dataset["path"]: dataset for dataset in report["datasets"]}
    return report


def axes(dataset: dict[str, Any]) -> str:
    known = dataset["axes"]
    return "none" if known is None else f"{known['names']} ({known['convention']})"


def with_properties(file: h5py.File, name: str, values: Any, layout: int | None = None, filter_id: int = 0) -> None:
    """A dataset as only HDF5's own calls make it: compact, or with a filter that this machine does not have."""
    properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if layout is not None:
        properties.set_layout(layout)
    if filter_id:
        properties.set_chunk(values.shape)
        properties.set_filter(filter_id, h5py.h5z.FLAG_OPTIONAL, (3,))
    space = h5py.h5s.create_simple(values.shape)
    made = h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(values.dtype), space, properties)
    made.write(h5py.h5s.ALL, h5py.h5s.ALL, values)


def test_every_kind_of_dataset(tmp_path: Path) -> None:
    path = tmp_path / "kinds.h5"
    with h5py.File(path, "w") as file:
        file["contiguous"] = np.zeros((30, 40))
        file.create_dataset("chunked", data=np.zeros((30, 40), ">f4"), chunks=(7, 40), maxshape=(None, 80))
        file.create_dataset("packed", data=np.zeros((30, 4000), "f4"), chunks=(30, 400), compression=4, shuffle=True)
        with_properties(file, "compact", np.zeros((3, 40)), layout=h5py.h5d.COMPACT)
        file["scalar"] = 3.5
        file["null"] = h5py.Empty("f8")
        file.create_dataset("nothing", (0, 7), "f8", maxshape=(None, 7), chunks=(5, 7))
        file.create_dataset("sparse", (1000, 50), "f8", chunks=(100, 50))[5] = 1.0
        file["pairs"] = np.zeros(5, [("a", "f8"), ("b", "i4", (3,))])
        file["names"] = ["one", "three", "seven"]
        file["codes"] = np.array([b"one", b"two"], "S7")
        file.create_dataset("lists", (3,), h5py.vlen_dtype("i4"))[0] = [1, 2, 3]
        file["references"] = np.array([file["contiguous"].ref], dtype=h5py.ref_dtype)
        layout = h5py.VirtualLayout((30, 40), "f8")
        layout[:] = h5py.VirtualSource(file["contiguous"])
        file.create_virtual_dataset("view", layout)
        file.create_dataset("outside", (30, 40), "f8", external=[(str(tmp_path / "raw"), 0, 30 * 40 * 8)])
        file["group/again"] = file["contiguous"]  # a second name, no second dataset
    report = inspect(path)
    found = report["datasets"]
    assert report["file_bytes"] == path.stat().st_size
    assert {name: (d["storage"], d["type"]) for name, d in found.items()} == {
        "/contiguous": ("contiguous", "float64"),
        "/chunked": ("chunked", "float32, big-endian"),
        "/packed": ("chunked", "float32"),
        "/compact": ("compact", "float64"),
        "/scalar": ("contiguous", "float64"),
        "/null": ("contiguous", "float64"),
        "/nothing": ("chunked", "float64"),
        "/sparse": ("chunked", "float64"),
        "/pairs": ("contiguous", "compound of 2, 20 bytes"),
        "/names": ("contiguous", "text"),
        "/codes": ("contiguous", "text of 7 bytes"),
        "/lists": ("contiguous", "lists of any length"),
        "/references": ("contiguous", "reference"),
        "/view": ("view", "float64"),
        "/outside": ("external", "float64"),
    }
    assert found["/scalar"]["scalar"] and found["/null"]["empty"] and found["/nothing"]["empty"]
    chunked = found["/chunked"]
    assert (chunked["shape"], chunked["most"], chunked["chunk"]) == ([30, 40], [None, 80], [7, 40])
    assert (chunked["stored_bytes"], chunked["stored_chunks"]) == (5 * 7 * 40 * 4, 5)
    assert chunked["padding_bytes"] == 5 * 40 * 4 and chunked["index_bytes"] > 0
    packed = found["/packed"]
    assert [f["name"] for f in packed["filters"]] == ["shuffle", "deflate"] and packed["filters"][1]["settings"] == [4]
    assert packed["ratio"] == pytest.approx(480_000 / packed["stored_bytes"]) and packed["ratio"] > 100
    assert found["/sparse"]["stored_chunks"] == 1
    assert report["data_bytes"] == sum(d["stored_bytes"] for n, d in found.items() if n != "/outside")
    for name in ("/contiguous", "/chunked", "/packed", "/sparse", "/outside"):
        assert set(found[name]["reads"]) == {"snapshot", "trace", "block"}, name
    for name in ("/compact", "/view"):
        assert found[name]["reads"] == {} and found[name]["not_priced"], name
    text = w.weft_ok("inspect", path).out
    assert all(name in text for name in found)


def test_only_what_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "two.h5"
    with h5py.File(path, "w") as file:
        file["a"] = np.zeros((30, 40))
        file["b"] = np.zeros((300, 40))
        file["group/c"] = np.zeros((7, 30, 40))
    assert set(inspect(path, "--dataset", "a", "--dataset", "/group/c")["datasets"]) == {"/a", "/group/c"}
    told = inspect(path, "--axes", "node,time")["datasets"]
    assert (axes(told["/b"]), axes(told["/a"])) == ("node,time (--axes)", "step,node (assumed)"), (
        "the largest of two axes"
    )
    told = inspect(path, "--axes", "y,x,step", "--dataset", "group/c", "--read", "plane:x=2,box[0:3,7,:]")["datasets"]
    reads = told["/group/c"]["reads"]
    assert reads["plane:x"]["weight"] == 2 and reads["plane:x"]["asked_bytes"] == 7 * 8
    assert reads["box[0:3,7,:]"]["box"] == {"start": [0, 7, 0], "count": [3, 1, 40]}


def test_netcdf_says_which_axis_is_time(tmp_path: Path) -> None:
    path = tmp_path / "ocean.nc"
    with h5py.File(path, "w") as file:
        for name, values in {"lat": np.arange(5.0), "lon": np.arange(7.0), "ocean_time": np.arange(20.0)}.items():
            file.create_dataset(name, data=values, maxshape=(None,), chunks=(64,)).make_scale(name)
        file["nv"] = np.zeros(2, ">f4")
        file["nv"].make_scale("This is a netCDF dimension but not a netCDF variable.         2")
        file["ocean_time"].attrs["units"] = np.bytes_("days since 1970-01-01 00:00:00")
        salt = file.create_dataset("salt", (5, 20, 7), "f4", maxshape=(5, None, 7), chunks=(5, 1, 7), compression=1)
        salt[...] = 35
        salt.attrs["units"] = "g kg-1"
        salt.attrs["_Netcdf4Dimid"] = np.int32(0)
        bounds = file.create_dataset("time_bounds", data=np.zeros((20, 2)))
        mask = file.create_dataset("mask", data=np.zeros((5, 7)))
        for dataset, names in (
            (salt, ("lat", "ocean_time", "lon")),
            (bounds, ("ocean_time", "nv")),
            (mask, ("lat", "lon")),
        ):
            for axis, name in enumerate(names):
                dataset.dims[axis].attach_scale(file[name])
    found = inspect(path)["datasets"]
    assert axes(found["/salt"]) == "lat,step,lon (CF dimension scales)"
    assert found["/salt"]["axes"]["time"] == "/ocean_time"
    assert found["/salt"]["axes"]["time_units"] == "days since 1970-01-01 00:00:00"
    assert found["/salt"]["axes"]["variables"] == [{"name": "salt", "units": "g kg-1"}]
    assert found["/salt"]["reads"]["trace"]["as_it_is"]["hdf5"]["requests"] == 20
    assert found["/salt"]["reads"]["snapshot"]["asked_bytes"] == 5 * 7 * 4
    assert axes(found["/ocean_time"]) == "step (CF dimension scales)"
    assert axes(found["/time_bounds"]) == "step,component (CF dimension scales)"
    assert axes(found["/mask"]) == axes(found["/lat"]) == "none"


@pytest.mark.parametrize("times", ["Data_Unlimited", "Time"])
def test_chaste_names_its_variables(tmp_path: Path, times: str) -> None:
    path = tmp_path / "results.h5"
    with h5py.File(path, "w") as file:
        data = file.create_dataset("Data", data=np.zeros((451, 11, 2)), maxshape=(None, 11, 2), chunks=(1, 11, 2))
        data.attrs["Variable Details"] = np.array([b"V(mV)", b"Phi_e(mV)"], "S100")
        data.attrs["IsDataComplete"] = np.array([1], "u4")
        file.create_dataset(times, data=np.arange(451.0), maxshape=(None,), chunks=(1,))
        if times == "Data_Unlimited":
            file[times].attrs["Unit"] = np.array([b"msecs"], "S100")
    data_facts = inspect(path)["datasets"]["/Data"]
    assert axes(data_facts) == "step,node,variable (Chaste)"
    assert data_facts["axes"]["variables"] == [{"name": "V", "units": "mV"}, {"name": "Phi_e", "units": "mV"}]
    assert data_facts["axes"]["time"] == f"/{times}"
    assert data_facts["axes"]["time_units"] == ("msecs" if times == "Data_Unlimited" else "msec")
    advice = data_facts["advice"]
    assert advice["kind"] == "repack"
    assert advice["text"].startswith("a trace takes 451 requests through HDF5, 451.")
    assert advice["command"] == f"weft repack {path} {tmp_path}/results.repacked.h5"
    line = next(line for line in w.weft_ok("inspect", path).out.splitlines() if line.startswith("advice: /Data"))
    assert line == f"advice: /Data: {advice['text']}: {advice['command']}"


def test_its_advice_can_be_taken(tmp_path: Path) -> None:
    path = tmp_path / "old results.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("rows", data=np.ones((200, 4000)), chunks=(1, 4000))
        file.create_dataset("small", data=np.ones((20, 500)), chunks=(1, 500))
        file.create_dataset("odd", data=np.ones((300, 150, 7), "i4"), chunks=(300, 1, 7))
    wishes: dict[str, list[str]] = {
        "/rows": [],
        "/small": ["--latency", "5ms", "--bandwidth", "200MB/s", "--target", "8KiB"],
        "/odd": ["--dataset", "odd", "--axes", "y,step,x", "--read", "snapshot=1,block=2", "--ranks", "10"],
    }
    for name, arguments in wishes.items():
        before = inspect(path, *arguments)["datasets"][name]
        assert before["advice"]["kind"] == "repack", name
        command = shlex.split(before["advice"]["command"])
        new = Path(command[3])
        assert command[:3] == ["weft", "repack", str(path)]
        w.weft_ok(*command[1:])
        with h5py.File(new) as file:
            assert list(file[name].chunks) == before["better_chunk"], name
        after = inspect(new, *arguments)["datasets"][name]
        assert after["advice"]["kind"] == "leave", name
        for read, priced in after["reads"].items():
            assert priced["as_it_is"] == before["reads"][read]["repacked"], f"{name} {read}"
        new.unlink()


def test_vtkhdf_has_steps_and_nodes_on_one_axis(tmp_path: Path) -> None:
    path = tmp_path / "mesh.vtkhdf"
    with h5py.File(path, "w") as file:
        root = file.create_group("VTKHDF")
        root.attrs["Type"] = np.bytes_("UnstructuredGrid")
        root.attrs["Version"] = (2, 0)
        root["Points"] = np.zeros((30, 3))
        root["Connectivity"] = np.zeros(80, "i8")
        steps = root.create_group("Steps")
        steps.attrs["NSteps"] = 50
        steps["Values"] = np.arange(50.0)
        steps["PointDataOffsets/V"] = np.arange(50) * 30
        root.create_dataset("PointData/V", data=np.zeros(1500), chunks=(1000,), maxshape=(None,))
    found = inspect(path)["datasets"]
    v = found["/VTKHDF/PointData/V"]
    assert axes(v) == "step,node (VTKHDF)" and v["axes"]["form"] == "folded" and v["axes"]["shape"] == [50, 30]
    assert v["axes"]["time"] == "/VTKHDF/Steps/Values"
    assert v["reads"]["trace"]["as_it_is"]["hdf5"] == pytest.approx(
        {"requests": 2, "bytes": 16_000, "amplification": 40, "seconds": 0.002016, "decode_seconds": 0}
    )
    assert v["reads"]["snapshot"]["asked_bytes"] == 240
    assert v["better_chunk"] == [1500], "as few steps as these fit one chunk"
    assert axes(found["/VTKHDF/Points"]) == axes(found["/VTKHDF/Connectivity"]) == "none"


def test_openpmd_has_a_dataset_a_step(tmp_path: Path) -> None:
    path = tmp_path / "fields.h5"
    with h5py.File(path, "w") as file:
        file.attrs.update({"openPMD": "1.1.0", "basePath": "/data/%T/", "meshesPath": "meshes/"})
        file.attrs["particlesPath"] = np.bytes_("particles/")
        for step in range(0, 60, 20):
            for component in "xyz":
                file[f"data/{step}/meshes/E/{component}"] = np.zeros((16, 24), "f4")
            file[f"data/{step}/meshes/E"].attrs["axisLabels"] = np.array([b"z", b"x"])
            file[f"data/{step}/particles/e/weighting"] = np.zeros(1000 + step)
    found = inspect(path)["datasets"]
    ex = found["/data/%T/meshes/E/x"]
    assert axes(ex) == "step,z,x (openPMD)" and ex["datasets"] == 3
    assert ex["reads"]["snapshot"]["asked_bytes"] == 16 * 24 * 4
    assert ex["reads"]["trace"]["asked_bytes"] == 3 * 4, "one place in all three"
    assert ex["reads"]["trace"]["as_it_is"]["weft"]["requests"] == 3
    assert axes(found["/data/20/particles/e/weighting"]) == "step,particle (openPMD)"


def test_weft_files_know_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "heart.h5"
    w.run_ecg(path, "--nodes", 500, "--steps", 20, "--fields", "separate")
    found = inspect(path)["datasets"]
    assert axes(found["/V"]) == axes(found["/phi_e"]) == "step,node (Weft)"
    assert found["/V"]["axes"]["time"] == "/time" and found["/V"]["advice"]["kind"] == "leave"
    assert axes(found["/VTKHDF/Points"]) == "none", "which is /mesh/points too"
    measured = inspect(path, "--measure")["datasets"]["/V"]["measured"]["reads"]
    assert set(measured) == {"snapshot", "trace", "block"}


def test_what_is_measured_is_what_was_predicted(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    values = np.random.default_rng(1).random((60, 3000, 2))
    with h5py.File(path, "w") as file:
        file["piece"] = values
        file.create_dataset("chunks", data=values.astype(">f4"), chunks=(19, 500, 2))
        file.create_dataset("packed", data=values.round(1), chunks=(20, 500, 2), compression=1, fletcher32=True)
        file["names"] = ["a", "b"]
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    report = inspect(path, "--measure")
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before
    assert report["measured_store"]["latency_s"] > 0
    for name in ("/piece", "/chunks", "/packed"):
        for kind, read in report["datasets"][name]["measured"]["reads"].items():
            for reader in ("hdf5", "weft"):
                seen = read[reader]
                assert seen["samples"] >= 1 and seen["measured"]["seconds"] > 0
                close = 0.1 if name == "/packed" else 0
                for what in ("requests", "bytes"):
                    wanted = pytest.approx(seen["predicted"][what], rel=close)
                    assert seen["measured"][what] == wanted, f"{name} {kind} {reader}"
    text = w.weft_ok("inspect", path, "--measure", "--dataset", "piece").out
    assert "predicted for the" in text


def test_a_user_block_and_holes_are_left_to_hdf5(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with h5py.File(path, "w", userblock_size=1024) as file:
        file["V"] = np.zeros((30, 400))
    for dataset in inspect(path, "--measure")["datasets"].values():
        for read in dataset["measured"]["reads"].values():
            assert read["hdf5"]["samples"] >= 1 and read["weft"] is None and "user block" in read["left_out"]
    with h5py.File(path, "w") as file:
        file.create_dataset("V", (300, 400), "f8", chunks=(10, 400))[100:200] = 1
    read = inspect(path, "--measure")["datasets"]["/V"]["measured"]["reads"]["trace"]
    assert read["weft"] is None and "never written" in read["left_out"]


def test_tables_line_up(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with h5py.File(path, "w") as file:
        file["run/a rather long name"] = np.zeros((30, 4000))
        file["b"] = np.zeros((3, 5))
    lines = w.weft_ok("inspect", path).out.splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("read  "))
    table = lines[start : start + 7]
    for column in ("HDF5: requests", "Weft: requests", "returns"):
        end = table[0].index(column) + (0 if column == "returns" else len(column))
        assert all(row[end - 1] != " " or column == "returns" for row in table), f"{column} ends everywhere alike"
        assert all(row[end : end + 2] == "  " for row in table if column != "returns")
    assert len(w.weft_ok("inspect", path).err) == 0


def test_unknown_filters_are_named(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with h5py.File(path, "w") as file:
        with_properties(file, "known", np.zeros((20, 300)), filter_id=32013)
        with_properties(file, "unheard_of", np.zeros((20, 300)), filter_id=40404)
    found = inspect(path, "--measure")["datasets"]
    for name, word in (("/known", "zfp"), ("/unheard_of", "filter 40404")):
        assert not found[name]["readable"] and found[name]["filters"][0]["name"] == word
        assert found[name]["advice"]["kind"] == "unreadable" and word in found[name]["advice"]["text"]
        assert "cannot be decoded" in found[name]["measured"]["reads"]["trace"]["left_out"]
    assert "zfp" in w.weft_ok("inspect", path).out


def test_files_of_many_datasets_and_of_none(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with h5py.File(path, "w") as file:
        file.create_group("empty")
    assert inspect(path)["datasets"] == {}
    assert "it holds no dataset" in w.weft_ok("inspect", path).out
    with h5py.File(path, "w") as file:
        for i in range(60):
            file[f"v{i}"] = np.zeros((30, 40 + i))
    assert len(inspect(path)["datasets"]) == 60
    text = w.weft_ok("inspect", path).out
    assert "and 20 smaller ones" in text and "55 more with steps" in text
