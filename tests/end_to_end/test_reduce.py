"""Maps of quantities over time, from Weft's files and from recorded ones, against the definitions written out in Python."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

QUANTITIES = [
    "min", "max", "mean", "rms", "argmax_time", "first_crossing", "activation_time", "upstroke_time",
    "max_upstroke_velocity", "resting", "peak", "apd_90", "apd_50", "apd_20",
]  # fmt: skip
CHASTE = w.DATA / "chaste"
needs_chaste = pytest.mark.skipif(not CHASTE.is_dir(), reason="the recorded files are not here")


def crossing(t: Any, v: Any, i: int, level: float) -> float:
    return float(t[i - 1] + (level - v[i - 1]) / (v[i] - v[i - 1]) * (t[i] - t[i - 1]))


def beats_of(t: Any, v: Any, theta: float) -> list[dict[str, Any]]:
    """Straight from the definitions: beginnings and ends first, then what lies between them."""
    n = len(v)
    found: list[dict[str, Any]] = []
    end = 0  # the interval the beat before ended in
    while True:
        begin = next((i for i in range(end + 1, n) if v[i] > theta and v[i - 1] <= theta), None)
        if begin is None:
            return found
        stop = next((i for i in range(begin + 1, n) if v[i] < theta and v[i - 1] >= theta), None)
        last = n - 1 if stop is None else stop
        slopes = {i: (v[i] - v[i - 1]) / (t[i] - t[i - 1]) for i in range(end + 1, last + 1)}
        steepest = max(slopes.values())
        upstroke = max(i for i in slopes if slopes[i] == steepest)
        before = range(end + 1, begin + 1)
        flat = [i for i in before if abs(slopes[i]) <= 0.01]
        if flat:
            least = min(abs(slopes[i]) for i in flat)
            resting = v[max(i for i in flat if abs(slopes[i]) == least) - 1]
        else:
            resting = min(v[i - 1] for i in before)
        found.append(
            {
                "begin": begin,
                "complete": stop is not None,
                "activation_time": crossing(t, v, begin, theta),
                "upstroke_time": t[upstroke],
                "max_upstroke_velocity": steepest,
                "resting": resting,
                "peak": max(v[begin : last + 1]),
            }
        )
        if stop is None:
            return found
        end = stop


def durations_of(t: Any, v: Any, beats: list[dict[str, Any]], theta: float, percent: float) -> list[float]:
    n = len(v)
    result = []
    busy = -math.inf
    for beat in beats:
        result.append(math.nan)
        if not beat["complete"] or beat["activation_time"] < busy:
            continue
        target = beat["resting"] + (100.0 - percent) / 100.0 * (beat["peak"] - beat["resting"])
        rises = [i for i in range(1, n) if v[i] > target and v[i - 1] <= target]
        if target >= theta:
            up = next((i for i in rises if i >= beat["begin"]), None)
        else:
            up = next((i for i in reversed(rises) if i <= beat["begin"]), None)
        if up is None:
            continue
        down = next((i for i in range(up + 1, n) if v[i] < target and v[i - 1] >= target), None)
        if down is None:
            continue
        busy = crossing(t, v, down, target)
        result[-1] = busy - crossing(t, v, up, target)
    return result


def reference(t: Any, v: Any, name: str, theta: float) -> Any:
    """The map of one quantity; `v` is (steps, nodes)."""
    if name in ("min", "max"):
        return getattr(v, name)(axis=0)
    if name in ("mean", "rms"):
        total = np.zeros(v.shape[1])
        for step in v:  # in the order of the steps, as it is promised
            total = total + (step if name == "mean" else step * step)
        return total / len(v) if name == "mean" else np.sqrt(total / len(v))
    if name == "argmax_time":
        return t[v.argmax(axis=0)]
    rows = []
    for node in range(v.shape[1]):
        trace = v[:, node]
        if name == "first_crossing":
            i = next((i for i in range(1, len(trace)) if trace[i] > theta and trace[i - 1] <= theta), None)
            rows.append([math.nan if i is None else crossing(t, trace, i, theta)])
            continue
        beats = beats_of(t, trace, theta)
        if name.startswith("apd_"):
            rows.append(durations_of(t, trace, beats, theta, float(name[4:])))
        else:
            rows.append([beat[name] for beat in beats])
    if name == "first_crossing":
        return np.array(rows)[:, 0]
    most = max(map(len, rows), default=0)
    return np.array([row + [math.nan] * (most - len(row)) for row in rows]).T.reshape(most, v.shape[1])


def check_maps(out: Path, t: Any, v: Any, names: list[str], theta: float = -30.0, rows: int = 8) -> None:
    with h5py.File(out) as file:
        for name in names:
            got, wanted = file[name][...], reference(t, v, name, theta)
            if wanted.ndim == 2:
                assert got.shape == (rows, v.shape[1])
                filled = np.full((rows, v.shape[1]), math.nan)
                filled[: len(wanted)] = wanted[:rows]
                wanted = filled
            assert np.array_equal(got, wanted, equal_nan=True), f"{name}: {np.nanmax(abs(got - wanted))}"
        counts = [len(beats_of(t, v[:, node], theta)) for node in range(v.shape[1])]
        assert list(file["beats"]) == counts


def restless(nodes: int, steps: int) -> Any:
    """Traces with none, one or many beats, broken ones at both ends, plateaus and equal slopes among them."""
    random = np.random.default_rng(5)
    t = np.cumsum(random.choice([0.25, 0.5, 1.0], steps))
    v = np.empty((steps, nodes))
    for node in range(nodes):
        kind = node % 5
        if kind == 0:
            v[:, node] = -80 + 5 * random.random(steps)
        elif kind == 1:
            v[:, node] = -25 + 60 * np.sin(0.2 * np.arange(steps) + node)
        elif kind == 2:
            v[:, node] = np.round(random.normal(-40, 30, steps))
        elif kind == 3:
            v[:, node] = np.repeat(random.choice([-80.0, -50.0, -30.0, 20.0], steps // 4 + 1), 4)[:steps]
        else:
            v[:, node] = -80 + 110 * (np.arange(steps) % 40 > 10) * np.exp(-0.05 * (np.arange(steps) % 40))
    return t, v


def write_recording(path: Path, t: Any, v: Any, **how: Any) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("Data", data=v[:, :, None], **how)
        file["Data_Unlimited"] = t
        file["Data_Unlimited"].attrs["Unit"] = np.array([b"msec"], dtype="S10")


@pytest.mark.parametrize(
    ("ranks", "budget"), [(None, "256MiB"), (1, "40KiB"), (2, "20KiB"), (3, "1MiB"), (7, "256MiB")]
)
def test_restless_traces_from_any_hdf5_file(tmp_path: Path, ranks: int | None, budget: str) -> None:
    t, v = restless(103, 160)
    write_recording(tmp_path / "in.h5", t, v, chunks=(50, 10, 1), compression="gzip")
    out = tmp_path / "maps.h5"
    arguments = ["--field", "Data", "--quantity", ",".join(QUANTITIES), "--budget", budget, "--max-beats", 25]
    report = w.weft_ok("reduce", tmp_path / "in.h5", *arguments, "--out", out, "--json", ranks=ranks).json
    check_maps(out, t, v, QUANTITIES, rows=25)
    with h5py.File(out) as file:
        assert file["apd_90"].attrs["units"] == "msec" and "units" not in file["peak"].attrs
    for entry in report["maps"]:
        values = reference(t, v, entry["quantity"], -30.0)
        values = values if values.ndim == 1 else values[entry["row"]]
        assert entry["values"] == np.isfinite(values).sum()
        assert (entry["min"], entry["max"]) == (np.nanmin(values), np.nanmax(values))


@pytest.mark.parametrize("layout", ["rows", "isotropic", "reads"])
@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
def test_weft_files_of_every_layout(tmp_path: Path, layout: str, ranks: int) -> None:
    nodes, steps = 307, 151
    path = tmp_path / "in.h5"
    fields = "separate" if ranks % 2 else "joint"
    w.run_ecg(path, "--nodes", nodes, "--steps", steps, "--layout", layout, "--fields", fields, "--target", "16KiB")
    out = tmp_path / "maps.h5"
    field = "V" if fields == "separate" else "Data:V"
    arguments = ["--field", field, "--quantity", ",".join(QUANTITIES), "--budget", "64KiB"]
    w.weft_ok("reduce", path, *arguments, "--out", out, ranks=ranks)
    check_maps(out, np.arange(steps, dtype=float), w.wave(nodes, steps)[0], QUANTITIES)
    with h5py.File(out) as file:
        assert file["max_upstroke_velocity"].attrs["units"] == "mV/ms"
        assert not any(file[quantity].is_virtual for quantity in QUANTITIES)  # which many readers show as fill values


@needs_chaste
@pytest.mark.parametrize(
    ("name", "field", "component"),
    [
        ("bidomain_3d", "V", 0),
        ("bidomain_3d", "Data:Phi_e", 1),
        ("postprocessing_apd", "V", 0),
        ("three_variables", "Vm_2", 1),
        ("full_format_extended", "Data:I_Na", 2),
    ],
)
def test_recorded_files(tmp_path: Path, name: str, field: str, component: int) -> None:
    out = tmp_path / "maps.h5"
    w.weft_ok("reduce", CHASTE / f"{name}.h5", "--field", field, "--quantity", ",".join(QUANTITIES), "--out", out)
    with h5py.File(CHASTE / f"{name}.h5") as file:
        t = file["Data_Unlimited" if "Data_Unlimited" in file else "Time"][:]
        v = file["Data"][:, :, component]
    check_maps(out, t, v, QUANTITIES)


def test_fewer_rows_than_beats_are_said_and_fill_is_written(tmp_path: Path) -> None:
    t, v = restless(10, 160)
    write_recording(tmp_path / "in.h5", t, v)
    arguments = ["--field", "Data", "--quantity", "peak", "--max-beats", 2, "--fill", -999]
    outcome = w.weft_ok("reduce", tmp_path / "in.h5", *arguments, "--out", tmp_path / "maps.h5")
    assert "more beats than rows" in outcome.out and "--max-beats" in outcome.out
    with h5py.File(tmp_path / "maps.h5") as file:
        peak, beats = file["peak"][...], file["beats"][...]
    assert peak.shape == (2, 10) and not np.isnan(peak).any()
    assert (peak[0, beats == 0] == -999).all() and (peak[1, beats < 2] == -999).all() and (beats > 2).any()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["in.h5", "--field", "W"], "W"),
        (["in.h5", "--field", "Data:7"], "has no component '7'"),
        (["in.h5", "--field", "Data", "--quantity", "apd"], "quantity 'apd': is not known"),
        (["in.h5", "--field", "Data", "--quantity", "apd_120"], "between 0 and 100"),
        (["in.h5", "--field", "Data", "--budget", "100"], "give at least --budget"),
        (["in.h5", "--field", "Data", "--max-beats", "0"], "allows no beat"),
        (["absent.h5", "--field", "Data"], "absent.h5: cannot open"),
        (["backwards.h5", "--field", "Data"], "do not rise: step 2"),
        (["in.h5", "--field", "Data", "--out", "absent/maps.h5"], "absent/maps.h5"),
    ],
)
@pytest.mark.parametrize("ranks", [None, 3])
def test_what_cannot_be_reduced_gets_one_line(
    tmp_path: Path, arguments: list[str], words: str, ranks: int | None
) -> None:
    t, v = restless(10, 40)
    write_recording(tmp_path / "in.h5", t, v)
    write_recording(tmp_path / "backwards.h5", np.r_[0.0, 2.0, 1.0, np.arange(3, 40)], v)
    outcome = w.call(w.on_ranks(ranks, [w.WEFT, "reduce", *arguments]), cwd=tmp_path)
    assert outcome.code != 0 and outcome.out == "" and len(outcome.error_lines) == 1, outcome
    assert words in outcome.error_lines[0]
