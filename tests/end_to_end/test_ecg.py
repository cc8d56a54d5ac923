"""`weft ecg` against NumPy: the pseudo-ECG of a file by the formula, summed element by element."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

# Around a box whose corners are at 0 and some 12.
NINE = {"RA": (-13, 34, 15), "LA": (25, 34, 15), "LL": (24, -36, 15), "V1": (4, 6, 20), "V2": (8, 6, 20),
        "V3": (12, 5.5, 20), "V4": (16, 5, 19.5), "V5": (20, 4, 14), "V6": (21, 3, 8.5)}  # fmt: skip


def electrodes(places: dict[str, tuple[float, float, float]]) -> list[str]:
    return [word for name, at in places.items() for word in ("--electrode", f"{name}={at[0]},{at[1]},{at[2]}")]


def signals(report: Any) -> dict[str, list[float]]:
    return {signal["name"]: signal["values"] for signal in report["signals"]}


def reference(path: Path, values: np.ndarray, electrode: tuple[float, float, float], nodes: int) -> np.ndarray:
    """-integral of grad V . grad(1/r), a value a step: grad V from each tetrahedron's edges, grad(1/r) at the four points
    of Stroud's rule. `values` are [step][node], of the first `nodes` nodes."""
    with h5py.File(path) as h5:
        points, types = h5["mesh/points"][:], h5["mesh/types"][:]
        offsets, connectivity = h5["mesh/offsets"][:], h5["mesh/connectivity"][:]
    tetrahedra = np.array([connectivity[offsets[c] : offsets[c] + 4] for c in np.flatnonzero(types == 10)])
    tetrahedra = tetrahedra[(tetrahedra < nodes).all(axis=1)]
    corners = points[tetrahedra]
    edges = corners[:, 1:] - corners[:, :1]
    volumes = np.abs(np.linalg.det(edges)) / 6
    b = (1 - 1 / np.sqrt(5)) / 4
    inside = np.full((4, 4), b) + np.eye(4) * (1 - 4 * b)
    away = np.array(electrode) - np.einsum("pc,tcx->tpx", inside, corners)
    seen = (away / np.linalg.norm(away, axis=-1, keepdims=True) ** 3).mean(axis=1)
    result = []
    for step in values:
        v = step[tetrahedra]
        gradient = np.linalg.solve(edges, (v[:, 1:] - v[:, :1])[..., None])[..., 0]
        result.append(-np.sum(volumes * np.sum(gradient * seen, axis=1)))
    return np.array(result)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ecg") / "heart.h5"
    w.run_ecg(path, "--nodes", 1500, "--steps", 12)
    return path


def test_is_the_formula(run: Path) -> None:
    places = {"near": (-1.5, 5.5, 4.5), "far": (-100.0, 20.0, 3.0)}
    report = w.weft_ok("ecg", run, "--field", "V", *electrodes(places), "--json").json
    with h5py.File(run) as h5:
        v = h5["Data"][:, :, 0]
    assert report["times"] == list(range(12)) and list(signals(report)) == list(places)
    for name, at in places.items():
        expected = reference(run, v, at, v.shape[1])
        assert np.abs(expected).max() > 0
        assert np.allclose(signals(report)[name], expected, rtol=0, atol=1e-10 * np.abs(expected).max()), name


def test_other_fields_and_factors(run: Path) -> None:
    place = electrodes({"E": (30, 3, 3)})
    one = w.weft_ok("ecg", run, "--field", "Data:1", *place, "--json").json
    three = w.weft_ok("ecg", run, "--field", "phi_e", *place, "--diffusivity", 3, "--json").json
    assert np.allclose(signals(three)["E"], 3 * np.array(signals(one)["E"]), rtol=1e-12)


def test_nine_electrodes_make_twelve_leads(run: Path) -> None:
    out = w.weft_ok("ecg", run, "--field", "V", *electrodes(NINE), "--csv").out
    rows = list(csv.DictReader(io.StringIO(out)))
    assert len(rows) == 12
    for row in rows:
        at = {name: float(value) for name, value in row.items()}
        assert at["lead I"] == at["LA"] - at["RA"] and at["lead II"] == at["LL"] - at["RA"]
        assert at["lead III"] == at["lead II"] - at["lead I"]
        central = (at["RA"] + at["LA"] + at["LL"]) / 3
        for chest in range(1, 7):
            assert at[f"lead V{chest}"] == pytest.approx(at[f"V{chest}"] - central, rel=1e-12, abs=1e-15)
    text = w.weft_ok("ecg", run, "--field", "V", *electrodes(NINE)).out
    assert "lead aVF" in text and "--csv" in text


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--field", "V", "--electrode", "RA=1,2"], 2, "RA=1,2: is not NAME=X,Y,Z"),
        (["--field", "V", "--electrode", "RA=1,2,3x"], 2, "is not NAME=X,Y,Z"),
        (["--field", "V", "--electrode", "=1,2,3"], 2, "is not NAME=X,Y,Z"),
        (["--field", "V", "--electrode", "a=1,2,3", "--electrode", "a=1,2,4"], 2, "electrode a: is named twice"),
        (["--field", "V", "--electrode", "a=0,0,0"], 2, "lies on node 0"),
        (["--field", "W", "--electrode", "a=1,2,9"], 2, "W"),
    ],
)
def test_what_cannot_be_answered_gets_one_line(run: Path, arguments: list[str], code: int, words: str) -> None:
    outcome = w.weft("ecg", run, *arguments)
    assert outcome.code == code and words in outcome.err and outcome.err.count("\n") == 1, outcome


def test_a_file_without_a_mesh_gets_one_line(tmp_path: Path) -> None:
    path = tmp_path / "bare.h5"
    w.run_ecg(path, "--nodes", 50, "--steps", 2, "--mesh", "none")
    outcome = w.weft("ecg", path, "--field", "V", *electrodes({"E": (9, 9, 9)}))
    assert (
        outcome.code == 2
        and "has no mesh" in outcome.err
        and "--mesh" not in outcome.err
        and outcome.err.count("\n") == 1
    ), outcome
