"""Maps finished while a series is written: the same bits as those made from the file, which test_reduce.py vouches for."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

QUANTITIES = (
    "min,max,mean,rms,argmax_time,first_crossing,activation_time,upstroke_time,max_upstroke_velocity,resting,peak,"
    "apd_90,apd_50"
)
SHARP = "activation_time,peak,apd_90"
CHASTE = w.DATA / "chaste"
needs_chaste = pytest.mark.skipif(not CHASTE.is_dir(), reason="the recorded files are not here")


def check_same_maps(path: Path, field: str = "V", quantities: str = QUANTITIES, group: str = "V", *more: Any) -> None:
    out = path.with_suffix(".maps.h5")
    w.weft_ok("reduce", path, "--field", field, "--quantity", quantities, "--out", out, *more)
    with h5py.File(path) as file, h5py.File(out) as wanted:
        maps = file["maps"][group]
        names = set(wanted) - {"rows"}  # what the maps of a file of their own lie in
        assert set(maps) == names
        for name in names:
            assert maps[name].shape == wanted[name].shape
            # As bits, except that one NaN is as good as another.
            got, expected = maps[name][...], wanted[name][...]
            assert np.array_equal(got, expected, equal_nan=got.dtype.kind == "f"), name
            assert maps[name].attrs["steps"] == file["time"].shape[0]
            assert dict(maps[name].attrs).get("units") == dict(wanted[name].attrs).get("units")


@pytest.mark.parametrize("layout", ["rows", "isotropic", "reads"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_maps_of_a_run_are_those_of_its_file(tmp_path: Path, layout: str, ranks: int) -> None:
    path = tmp_path / "a.h5"
    fields = "separate" if ranks % 2 else "joint"
    arguments = ["--nodes", 307, "--steps", 260, "--layout", layout, "--fields", fields, "--target", "16KiB"]
    arguments += ["--ownership", ["blocks", "uneven", "scatter"][ranks % 3], "--budget", "200KB"]
    report = w.run_ecg(path, *arguments, "--reduce", SHARP, ranks=ranks)
    assert report["reduction"]["maps"] == "/maps/V" and report["reduction"]["nodes"] == 307
    assert report["reduction"]["nodes_from_file"] == 0, "sharp upstrokes and enough memory"
    check_same_maps(path, quantities=SHARP)


@pytest.mark.parametrize("ranks", [1, 2, 3, 7])
@pytest.mark.parametrize("more", [[], ["--unknown-steps"], ["--budget", "40KB"]])
def test_every_quantity(tmp_path: Path, ranks: int, more: list[str]) -> None:
    path = tmp_path / "a.h5"
    # Of 307 nodes none lies alone on a rank, of 5 on 7 ranks some ranks have none.
    for nodes in (307, 5):
        arguments = ["--nodes", nodes, "--steps", 260, "--target", "8KiB", *more, "--reduce", QUANTITIES]
        w.run_ecg(path, *arguments, "--max-beats", 3, ranks=ranks)
        check_same_maps(path, "V", QUANTITIES, "V", "--max-beats", 3)


@pytest.mark.parametrize("strategy", ["cached", "per-step"])
def test_strategies_without_windows_leave_it_to_the_file(tmp_path: Path, strategy: str) -> None:
    path = tmp_path / "a.h5"
    report = w.run_ecg(path, "--nodes", 200, "--steps", 200, "--strategy", strategy, "--reduce", SHARP, ranks=2)
    assert report["reduction"]["nodes_from_file"] == 200
    check_same_maps(path, quantities=SHARP)


def test_going_on_and_going_back(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    arguments = ["--nodes", 300, "--reduce", SHARP]
    w.run_ecg(path, *arguments, "--steps", 100, "--unknown-steps", ranks=2)
    check_same_maps(path, quantities=SHARP)
    report = w.run_ecg(path, *arguments, "--steps", 230, "--append", "--from-step", 60, ranks=3)
    assert report["reduction"]["nodes_from_file"] == 300, "what the first run saw is gone"
    check_same_maps(path, quantities=SHARP)


def test_a_file_made_without_room_for_maps_says_so(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    w.run_ecg(path, "--nodes", 300, "--steps", 20, "--unknown-steps")
    more = ["run", "ecg", "--nodes", 300, "--steps", 30, "--append", "--reduce", SHARP, "--out", path]
    for strategy in ("owner", "cached"):
        outcome = w.weft(*more, "--strategy", strategy, ranks=2)
        assert outcome.code != 0 and len(outcome.error_lines) == 1, outcome
        assert "without room for maps" in outcome.error_lines[0]


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_beats_one_after_another_in_little_memory(tmp_path: Path, ranks: int) -> None:
    """Many beats, rows that are written as they fill, more beats than rows, and nodes that never fire."""
    steps, nodes = 400, 97
    t = np.arange(steps, dtype=float)
    v = np.full((steps, nodes), -85.0)
    for node in range(nodes):
        if node % 10 == 9:
            continue
        for onset in range(5 + node % 7, steps, 40 + node % 3):
            since = np.maximum(t - onset, 0.0)
            v[:, node] = np.maximum(v[:, node], np.where(t >= onset, 25.0 - 6.0 * since, -85.0))
    recording = tmp_path / "in.h5"
    with h5py.File(recording, "w") as file:
        data = file.create_dataset("Data", data=v[:, :, None])
        data.attrs["Variable Details"] = np.array([b"V(mV)"], dtype="S8")
        file["Data_Unlimited"] = t
    path = tmp_path / "a.h5"
    arguments = ["--source", "replay", "--from", recording, "--target", "4KiB", "--budget", "24KB"]
    report = w.run_ecg(path, *arguments, "--reduce", SHARP, "--max-beats", 4, "--fill", -999, ranks=ranks)["reduction"]
    assert report["most_beats"] >= 9 and report["nodes_with_more_beats_than_rows"] == 88
    check_same_maps(path, "V", SHARP, "V", "--max-beats", 4, "--fill", -999)
    with h5py.File(path) as file:
        assert (file["maps/V/peak"][:, 9::10] == -999).all() and (file["maps/V/beats"][9::10] == 0).all()
        assert np.nanmax(file["maps/V/peak"]) == 25.0


@needs_chaste
@pytest.mark.parametrize("name", ["bidomain_3d", "postprocessing_apd"])
def test_recorded_steps(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a.h5"
    report = w.run_ecg(path, "--source", "replay", "--from", CHASTE / f"{name}.h5", "--reduce", QUANTITIES, ranks=2)
    check_same_maps(path)
    few = w.run_ecg(path, "--source", "replay", "--from", CHASTE / f"{name}.h5", "--reduce", SHARP, ranks=2)
    assert few["reduction"]["nodes_from_file"] < few["reduction"]["nodes"] / 10 <= report["reduction"]["nodes"]
    check_same_maps(path, quantities=SHARP)


def test_until_the_run_ends_the_maps_are_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    arguments = ["run", "ecg", "--nodes", 5000, "--steps", 2000, "--budget", "1MB", "--compute", 2, "--reduce", SHARP]
    killed = w.call(["timeout", "-s", "KILL", "2", w.WEFT, *map(str, arguments), "--out", str(path)])
    assert killed.code != 0
    with h5py.File(path) as file:
        for name in SHARP.split(","):
            assert file["maps/V"][name].attrs["steps"] == 0 and np.isnan(file["maps/V"][name][...]).all()
    w.weft_ok("view", path)
    with h5py.File(path) as file:
        assert "maps/V/peak" in file and "VTKHDF" in file


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--reduce", "apd"], "quantity 'apd': is not known"),
        (["--reduce", "peak", "--reduce-field", "W"], "has no field W; it has: Data"),
        (["--reduce", "peak", "--reduce-field", "Data"], "has 2 values a node"),
        (["--reduce", "peak", "--max-beats", "0"], "allows no beat"),
        (["--reduce", "peak", "--budget", "1KiB"], "give at least --budget"),
    ],
)
@pytest.mark.parametrize("ranks", [None, 3])
def test_what_cannot_be_watched_gets_one_line(
    tmp_path: Path, arguments: list[str], words: str, ranks: int | None
) -> None:
    outcome = w.weft("run", "ecg", "--nodes", 400, "--steps", 9, "--out", tmp_path / "a.h5", *arguments, ranks=ranks)
    assert outcome.code != 0 and outcome.out == "" and len(outcome.error_lines) == 1, outcome
    assert words in outcome.error_lines[0]
    if "--budget" not in words:
        return
    enough = outcome.error_lines[0].split("--budget")[1].split()[0]
    w.run_ecg(tmp_path / "a.h5", "--nodes", 400, "--steps", 9, "--reduce", "peak", "--budget", enough, ranks=ranks)
    assert not math.isnan(float(enough))


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_conduction_velocities(tmp_path: Path, ranks: int) -> None:
    """Distance along edges over the difference of upstroke times: in passing, from the file, and from the definition."""
    nodes, origin = 150, 7
    path, out = tmp_path / "a.h5", tmp_path / "maps.h5"
    quantities = "conduction_velocity,upstroke_time"
    arguments = ["--nodes", nodes, "--steps", 260, "--target", "4KiB", "--budget", "60KB"]
    w.run_ecg(path, *arguments, "--reduce", quantities, "--origin", origin, "--max-beats", 2, ranks=ranks)
    check_same_maps(path, "V", quantities, "V", "--origin", origin, "--max-beats", 2)
    more = ["--field", "V", "--quantity", quantities, "--origin", origin]
    w.weft_ok("reduce", path, *more, "--out", out, ranks=ranks)
    with h5py.File(path) as file, h5py.File(out) as maps:
        points, corners = file["mesh/points"][:], file["mesh/connectivity"][:]
        offsets, types = file["mesh/offsets"][:], file["mesh/types"][:]
        distance = np.full(nodes, math.inf)
        distance[origin] = 0
        tetrahedra = [corners[offsets[c] : offsets[c + 1]] for c in range(len(types)) if types[c] == 10]
        edges = {(int(a), int(b)) for cell in tetrahedra for a in cell for b in cell if a != b}
        for _ in range(nodes):  # Bellman and Ford, so as not to repeat ourselves
            for a, b in edges:
                distance[b] = min(distance[b], distance[a] + math.dist(points[a], points[b]))
        times = maps["upstroke_time"][0]
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = distance / (times - times[origin])
        wanted[~np.isfinite(wanted)] = math.nan
        assert np.isfinite(wanted).sum() > nodes / 2
        assert np.allclose(maps["conduction_velocity"][0], wanted, rtol=1e-12, atol=0, equal_nan=True)
        assert maps["conduction_velocity"].attrs["units"] == "length/ms"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "add --origin NODE"),
        (["--origin", "400"], "no point 400"),
        (["--origin", "0", "--mesh", "none"], "has no mesh"),
    ],
)
def test_conduction_velocities_that_cannot_be(tmp_path: Path, arguments: list[str], words: str) -> None:
    path = tmp_path / "a.h5"
    run = ["--nodes", 400, "--steps", 9]
    outcome = w.weft("run", "ecg", *run, "--out", path, "--reduce", "conduction_velocity", *arguments, ranks=2)
    assert outcome.code != 0 and len(outcome.error_lines) == 1 and words in outcome.error_lines[0], outcome
    mesh = arguments[2:]
    w.run_ecg(path, *run, *mesh)
    reduce = ["reduce", path, "--field", "V", "--quantity", "conduction_velocity", *arguments[:2]]
    outcome = w.weft(*reduce, "--out", tmp_path / "maps.h5", ranks=2)
    assert outcome.code != 0 and len(outcome.error_lines) == 1 and words in outcome.error_lines[0], outcome
