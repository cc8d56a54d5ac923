"""weft import: a Weft series of any file of steps, value for value, on any number of ranks."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from other_files import FILES, chaste, ocean, openpmd, vtkhdf, wave

RENAMED = {"x": "fields_E_x", "y": "fields_E_y"}


def text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@pytest.mark.parametrize("ranks", [None, 2, 3, 7])
@pytest.mark.parametrize("kind", FILES)
def test_every_field(tmp_path: Path, kind: str, ranks: int | None) -> None:
    source, out = tmp_path / "file.h5", tmp_path / "series.h5"
    values = FILES[kind](source)
    report = w.weft_ok("import", source, out, "--target", "2KiB", "--json", ranks=ranks).json
    assert report["fields"] == sorted(RENAMED.get(name, name) for name in values)
    before = w.weft_ok("info", source, "--json").json
    with h5py.File(out) as file:
        for name, wanted in values.items():
            np.testing.assert_array_equal(file[RENAMED.get(name, name)][...], wanted, err_msg=name)
        assert file["time"].shape == (before["committed"],)
        assert text(file["time"].attrs.get("units", "")) == before["time"]["units"]
    w.weft_ok("verify", out)
    assert not list(tmp_path.glob("*.weft-part*"))


def test_grids_and_meshes_come_along(tmp_path: Path) -> None:
    openpmd(tmp_path / "laser.h5")
    w.weft_ok("import", tmp_path / "laser.h5", tmp_path / "grid.h5")
    with h5py.File(tmp_path / "grid.h5") as file:
        root = file["VTKHDF"].attrs
        assert root["Type"] == b"ImageData" and list(root["WholeExtent"]) == [0, 7, 0, 5, 0, 0]
        np.testing.assert_allclose(root["Spacing"], [0.2, 0.05, 1])
        np.testing.assert_allclose(root["Origin"], [-0.3, 0.1, 0])
    ocean(tmp_path / "ocean.nc")
    w.weft_ok("import", tmp_path / "ocean.nc", tmp_path / "ocean.h5", "--field", "temp")
    with h5py.File(tmp_path / "ocean.h5") as file:
        assert list(file["VTKHDF"].attrs["Spacing"]) == [6, 6, 6] and "salt" not in file
        assert text(file["temp"].attrs["units"]) == "K"
    vtkhdf(tmp_path / "run.h5")
    w.weft_ok("import", tmp_path / "run.h5", tmp_path / "mesh.h5", ranks=2)
    with h5py.File(tmp_path / "mesh.h5") as file, h5py.File(tmp_path / "run.h5") as run:
        np.testing.assert_array_equal(file["mesh/points"][...], run["VTKHDF/Points"][...])
        for name in ("connectivity", "offsets", "types"):
            np.testing.assert_array_equal(file[f"mesh/{name}"][...], run[f"VTKHDF/{name.capitalize()}"][...])
        np.testing.assert_array_equal(file["VTKHDF/PointData/V"][...], run["VTKHDF/PointData/V"][...])


@pytest.mark.parametrize("way", ["import", "replay"])
def test_units_of_components_stay(tmp_path: Path, way: str) -> None:
    chaste(tmp_path / "run.h5")
    with h5py.File(tmp_path / "run.h5", "r+") as file:
        file["Data"].attrs["Variable Details"] = np.array([b"V(mV)", b"Cai(uM)"])
    if way == "import":
        w.weft_ok("import", tmp_path / "run.h5", tmp_path / "series.h5")
    else:
        w.run_ecg(tmp_path / "series.h5", "--source", "replay", "--from", tmp_path / "run.h5")
    for file_name in ("run.h5", "series.h5"):
        maps = tmp_path / f"{file_name}.maps.h5"
        w.weft_ok("reduce", tmp_path / file_name, "--field", "Data:Cai", "--quantity", "max", "--out", maps)
        with h5py.File(maps) as file:
            assert text(file["max"].attrs["units"]) == "uM"


def test_a_trace_costs_less_than_in_the_file_it_was(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    with h5py.File(tmp_path / "laser.h5", "w") as file:
        file.attrs.update({"openPMD": "1.1.0", "basePath": "/data/%T/", "meshesPath": "fields/"})
        for step in range(40):
            file.create_dataset(f"data/{step}/fields/E/x", data=rng.random((64, 64)), compression=1)
            file[f"data/{step}/fields/E"].attrs["axisLabels"] = ["y", "x"]
            file[f"data/{step}"].attrs.update({"time": float(step), "timeUnitSI": 1.0})
    w.weft_ok("import", tmp_path / "laser.h5", tmp_path / "series.h5", "--target", "16KiB", "--latency", "0.01ms")
    reads = {}
    for name, field in (("laser.h5", "fields/E/x"), ("series.h5", "fields_E_x")):
        report = w.weft_ok("read", tmp_path / name, "--field", field, "--trace", "30,30", "--json").json
        reads[name] = report["requests"]["app"]
    assert reads["laser.h5"]["reads"] >= 40
    assert reads["series.h5"]["reads"] <= 8
    assert 4 * reads["series.h5"]["bytes_read"] < reads["laser.h5"]["bytes_read"]


def test_a_dataset_that_is_named_and_small_memory(tmp_path: Path) -> None:
    values = np.random.default_rng(1).random((30, 500, 2))
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["Data"] = np.moveaxis(values, 0, 1)
        file["when"] = np.arange(30.0) * 2
    arguments = ["--axes", "node,step,component", "--time", "when", "--budget", "64KiB"]
    w.weft_ok("import", f"{tmp_path}/run.h5:Data", tmp_path / "series.h5", *arguments, ranks=2)
    with h5py.File(tmp_path / "series.h5") as file:
        np.testing.assert_array_equal(file["Data"][...], values)
        assert list(file["time"][:3]) == [0, 2, 4]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ocean.nc", "ocean.nc"], "is the input file"),
        (["ocean.nc", "ocean.nc", "--overwrite"], "is the input file"),
        (["ocean.nc", "taken.h5"], "exists already"),
        (["ocean.nc", "new.h5", "--field", "wind"], "has no field 'wind'"),
        (["ocean.nc:wind", "new.h5"], "has no dataset wind"),
        (["ocean.nc", "new.h5", "--mesh", "absent.vtu"], "absent.vtu"),
        (["absent.nc", "new.h5"], "absent.nc"),
        (["ocean.nc", "no/new.h5"], "no/new.h5"),
        (["ocean.nc", "new.h5", "--read", "sideways=1"], "sideways"),
        (["broken.nc", "new.h5"], "broken.nc"),
        (["broken.nc", "taken.h5", "--overwrite"], "broken.nc"),
    ],
)
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_is_refused_leaves_nothing(tmp_path: Path, arguments: list[str], words: str, ranks: int | None) -> None:
    ocean(tmp_path / "ocean.nc")
    ocean(tmp_path / "broken.nc")
    with h5py.File(tmp_path / "broken.nc") as file:
        at = file["temp"].id.get_chunk_info(3).byte_offset
    with (tmp_path / "broken.nc").open("r+b") as broken:
        broken.seek(at)
        broken.write(bytes(200))
    (tmp_path / "taken.h5").write_bytes(b"mine")
    names = sorted(path.name for path in tmp_path.iterdir())
    whole = (tmp_path / "ocean.nc").read_bytes()
    outcome = w.call(w.on_ranks(ranks, [w.WEFT, "import", *arguments]), cwd=tmp_path)
    assert outcome.code in (1, 2) and len(outcome.error_lines) == 1, outcome
    assert words in outcome.error_lines[0], outcome
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert (tmp_path / "taken.h5").read_bytes() == b"mine" and (tmp_path / "ocean.nc").read_bytes() == whole


def test_an_interrupted_import_leaves_nothing(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file.create_dataset(
            "Data", data=np.random.default_rng(1).random((400, 20000, 1)), chunks=(1, 20000, 1), compression=1
        )
    command = [w.WEFT, "import", str(tmp_path / "run.h5"), str(tmp_path / "series.h5"), "--budget", "1MiB"]
    with w.own_session(None) as settings, subprocess.Popen(command, env=settings, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 30
        while not list(tmp_path.glob("series.h5.weft-part")) and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGTERM)
        _, error = process.communicate(timeout=60)
    assert process.returncode != 0 and b"was interrupted" in error, error
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_fields_on_several_grids(tmp_path: Path) -> None:
    """The largest grid is the view's; fields of others keep their own places, and it is said that they are not shown."""
    values = ocean(tmp_path / "ocean.nc")
    report = w.weft_ok("import", tmp_path / "ocean.nc", tmp_path / "all.h5", "--read", "plane=1", "--json").json
    assert len(report["fields"]) == len(values)
    assert sorted(line.split(":")[0] for line in report["not_shown"]) == ["big", "count", "salt"]
    w.weft_ok("verify", tmp_path / "all.h5")
    for name, place in (("temp", (1, 2, 3)), ("salt", (2, 3))):
        text = ",".join(map(str, place))
        got = w.weft_ok("read", tmp_path / "all.h5", "--field", name, "--trace", text, "--json").json["values"]
        trace: Any = (slice(None), *place)
        np.testing.assert_allclose(np.array(got, dtype=float), values[name][trace])
    with h5py.File(tmp_path / "all.h5") as file:
        axes = {name: json.loads(file[f"weft/segments/0/{name}"].attrs["weft_layout"])["axes"] for name in values}
        assert axes["temp"] == "step,z,y,x" and axes["salt"] == "step,y,x"
        assert set(file["VTKHDF/PointData"]) == {"temp", "last"}
    w.weft_ok("reduce", tmp_path / "all.h5", "--field", "salt", "--quantity", "max", "--out", tmp_path / "maps.h5")
    with h5py.File(tmp_path / "maps.h5") as file:
        np.testing.assert_array_equal(file["max"][...], np.nanmax(values["salt"], axis=0))
    w.weft_ok("import", tmp_path / "ocean.nc", tmp_path / "flat.h5", "--field", "salt,big")
    with h5py.File(tmp_path / "flat.h5") as file:
        assert set(file["VTKHDF/PointData"]) == {"salt", "big"}
        assert list(file["VTKHDF"].attrs["WholeExtent"]) == [0, 6, 0, 4, 0, 0]
    w.weft_ok("import", tmp_path / "all.h5", tmp_path / "again.h5", ranks=2)
    compared = w.weft("verify", tmp_path / "all.h5", tmp_path / "again.h5")
    assert "1 difference in" in compared.out and "attribute history" in compared.out, compared


def test_components_on_a_grid(tmp_path: Path) -> None:
    values = wave(40, 5, 6, 2)
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["Data"] = values
        file["Data"].attrs["Variable Details"] = np.array([b"V(mV)", b"Cai(uM)"])
        file["Data_Unlimited"] = np.arange(40.0)
    w.weft_ok("import", f"{tmp_path}/run.h5:Data", tmp_path / "out.h5", "--axes", "step,y,x,component")
    got = w.weft_ok("read", tmp_path / "out.h5", "--trace", "2,3", "--json").json["values"]
    np.testing.assert_array_equal(got, values[:, 2, 3])
    w.weft_ok("verify", tmp_path / "out.h5")


def test_names_that_are_taken(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "file.nc", "w") as file:
        file["time"] = np.arange(9.0)
        file["time"].make_scale("time")
        file["time"].attrs["units"] = "seconds since 2000-01-01"
        for name in ("maps", "a/b", "a_b", "c/b", "weft"):
            file[name] = wave(9, 4)
            file[name].dims[0].attach_scale(file["time"])
    report = w.weft_ok("import", tmp_path / "file.nc", tmp_path / "out.h5", "--json").json
    assert len(set(report["fields"])) == 5 and {"maps_", "weft_", "a_b", "a_b_"} <= set(report["fields"])
    w.weft_ok("verify", tmp_path / "out.h5")
    twice = w.weft_ok("import", tmp_path / "file.nc", tmp_path / "once.h5", "--field", "maps,maps", "--json").json
    assert twice["fields"] == ["maps_"]


@pytest.mark.parametrize("ranks", [None, 3])
def test_a_budget_that_is_too_small(tmp_path: Path, ranks: int | None) -> None:
    with h5py.File(tmp_path / "run.h5", "w") as file:
        file["Data"] = wave(4, 20000, 2)
    command = ["import", tmp_path / "run.h5", tmp_path / "out.h5", "--axes", "step,node,component"]
    small = w.weft(*command, "--budget", "1KiB", ranks=ranks)
    assert small.code == 2 and len(small.error_lines) == 1 and "weft-part" not in small.err, small
    assert str(tmp_path / "out.h5") in small.err and not (tmp_path / "out.h5").exists()
    least = small.err.split("--budget ")[1].split()[0]
    w.weft_ok(*command, "--budget", least, ranks=ranks)


@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_read_late_is_one_line(tmp_path: Path, ranks: int | None) -> None:
    with h5py.File(tmp_path / "run.h5", "w") as file:
        data = file.create_dataset("Data", data=wave(40, 4000, 1), chunks=(1, 4000, 1), compression=1)
        at = data.id.get_chunk_info(37).byte_offset
    with (tmp_path / "run.h5").open("r+b") as broken:
        broken.seek(at)
        broken.write(bytes(200))
    outcome = w.weft("import", tmp_path / "run.h5", tmp_path / "out.h5", "--budget", "1MiB", ranks=ranks)
    assert outcome.code == 1 and len(outcome.error_lines) == 1 and "close()" not in outcome.err, outcome
    assert [path.name for path in tmp_path.iterdir()] == ["run.h5"]


def test_a_mesh_that_shows_some(tmp_path: Path) -> None:
    w.run_ecg(tmp_path / "heart.h5", "--nodes", 300, "--steps", 4)
    w.weft_ok("convert", tmp_path / "heart.h5", "--to", "vtu", "--out", tmp_path / "vtu", "--steps", 0)
    mesh = next(path for path in (tmp_path / "vtu").rglob("*.vtu"))
    with h5py.File(tmp_path / "heart.h5") as file:
        nodes = file["Data"].shape[1]
    with h5py.File(tmp_path / "other.nc", "w") as file:
        file["time"] = np.arange(9.0)
        file["time"].make_scale("time")
        file["time"].attrs["units"] = "seconds since 2000-01-01"
        for name, size in (("fits", nodes), ("fewer", nodes - 1)):
            file[name] = wave(9, size)
            file[name].dims[0].attach_scale(file["time"])
        file["one"] = wave(9)
        file["one"].dims[0].attach_scale(file["time"])
    on_mesh = [tmp_path / "other.nc", tmp_path / "out.h5", "--overwrite", "--mesh", mesh]
    report = w.weft_ok("import", *on_mesh, "--json").json
    assert len(report["not_shown"]) == 1 and report["not_shown"][0].startswith("fewer:"), report
    refused = w.weft("import", *on_mesh, "--field", "fewer")
    assert refused.code == 2 and "is not the mesh of these fields" in refused.err, refused
    w.weft_ok("import", *on_mesh, "--field", "one")


def test_an_undo_file_of_what_stood_there_goes(tmp_path: Path) -> None:
    chaste(tmp_path / "run.h5")
    w.run_ecg(tmp_path / "out.h5", "--nodes", 50, "--steps", 3)
    for command in (["import", tmp_path / "run.h5"], ["repack", tmp_path / "run.h5"]):
        undo = tmp_path / "out.h5.weft-undo"
        undo.write_bytes(b"of a change of the file before")
        w.weft_ok(*command, tmp_path / "out.h5", "--overwrite")
        assert not undo.exists(), command
        w.weft_ok("read", tmp_path / "out.h5", "--trace", 1)


@pytest.mark.parametrize("ranks", [None, 3])
def test_maps_are_made_again(tmp_path: Path, ranks: int | None) -> None:
    run, out = tmp_path / "run.h5", tmp_path / "out.h5"
    quantities = ["--reduce", "peak,activation_time,apd_50,mean,conduction_velocity", "--origin", 0]
    w.run_ecg(run, "--nodes", 500, "--steps", 90, "--fields", "separate", "--max-beats", 5, "--threshold", "-40", *quantities)
    report = w.weft_ok("import", run, out, "--json", ranks=ranks).json
    assert report["left_out"] == [
        "/maps/V/conduction_velocity: the file does not say from which node velocities are measured"
    ]
    with h5py.File(run) as before, h5py.File(out) as after:
        names = set(before["maps/V"]) - {"conduction_velocity"}
        assert set(after["maps/V"]) == names and {"peak", "apd_50", "beats", "mean"} <= names
        for name in names:
            np.testing.assert_array_equal(after["maps/V"][name][...], before["maps/V"][name][...], err_msg=name)
            assert dict(after["maps/V"][name].attrs) == dict(before["maps/V"][name].attrs)
    w.weft_ok("verify", out)
    w.weft_ok("import", run, tmp_path / "phi.h5", "--field", "phi_e", ranks=ranks)
    with h5py.File(tmp_path / "phi.h5") as file:
        assert "maps" not in file


def test_calendars_and_attributes_come_along(tmp_path: Path) -> None:
    ocean(tmp_path / "ocean.nc")
    with h5py.File(tmp_path / "ocean.nc", "a") as file:
        file["ocean_time"].attrs["calendar"] = "noleap"
        said = {"standard_name": "sea_water_temperature", "coordinates": "lat lon", "valid_max": np.int16(900)}
        file["temp"].attrs.update(said)
    w.weft_ok("import", tmp_path / "ocean.nc", tmp_path / "a.h5")
    w.weft_ok("import", tmp_path / "a.h5", tmp_path / "b.h5", ranks=3)
    for name in ("a.h5", "b.h5"):
        with h5py.File(tmp_path / name) as file:
            assert text(file["time"].attrs["calendar"]) == "noleap"
            assert text(file["temp"].attrs["standard_name"]) == "sea_water_temperature"
            assert not {"scale_factor", "valid_max", "add_offset"} & set(file["temp"].attrs)


@pytest.mark.parametrize(
    ("places", "words"),
    [([30.0, 20, 10, 0, -10], "falls"), ([0.0, 1, 2, 4, 8], "is not evenly spaced"), (None, "")],
)
def test_places_that_no_grid_has_are_said(tmp_path: Path, places: list[float] | None, words: str) -> None:
    ocean(tmp_path / "ocean.nc")
    if places is not None:
        with h5py.File(tmp_path / "ocean.nc", "a") as file:
            file["lat"][...] = places
    report = w.weft_ok("import", tmp_path / "ocean.nc", tmp_path / "a.h5", "--json").json
    said = [line for line in report["left_out"] if line.startswith("/lat")]
    assert said == ([f"/lat: {words}, so the nodes of its grid are placed one apart"] if places else [])
    report = w.weft_ok("convert", tmp_path / "ocean.nc", "--to", "csv", "--out", tmp_path / "csv", "--json").json
    assert [line for line in report["left_out"] if line.startswith("/lat")] == said
