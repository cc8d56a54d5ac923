"""weft.inspect and weft.ecg: what the commands print, as objects; sheets drawn by matplotlib."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import h5py
import matplotlib as mpl
import numpy as np
import pytest

import weft

mpl.use("agg")

STEPS = 40
ELECTRODES = {"RA": (-8.0, 1.0, 3.0), "LA": (9.0, 1.0, 3.0), "LL": (0.0, 9.0, 3.0)} | {
    f"V{i}": (float(i), -5.0, 2.0) for i in range(1, 7)
}


def command(*arguments: object) -> Any:
    done = subprocess.run(
        [os.environ["WEFT"], *map(str, arguments), "--json"], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def heart(tmp_path: Path) -> Path:
    """A wave through a block of tetrahedra."""
    path = tmp_path / "heart.h5"
    points = np.stack(np.meshgrid(*(np.arange(n, dtype=float) for n in (5, 4, 3)), indexing="ij"), -1).reshape(-1, 3)
    corners = np.arange(60).reshape(5, 4, 3)
    cells = np.stack(
        (corners[:-1, :-1, :-1], corners[1:, :-1, :-1], corners[:-1, 1:, :-1], corners[:-1, :-1, 1:]), axis=-1
    ).reshape(-1, 4)
    fields = {"V": weft.FieldSpec(units="mV"), "phi": weft.FieldSpec(units="mV")}
    with weft.create(path, fields, mesh=weft.Mesh(points, cells, 10), time_units="ms") as out:
        for step in range(STEPS):
            wave = np.tanh(0.2 * step - points[:, 0])
            out.step(0.5 * step, V=100 * wave, phi=wave * points[:, 1])
    return path


@pytest.mark.parametrize("options", [{}, {"datasets": ["/V"], "reads": "trace=1", "cost": (0.5, 5e8)}], ids=str)
def test_inspection_is_that_of_the_command(heart: Path, options: dict[str, Any]) -> None:
    words = (
        [] if not options else ["--dataset", "/V", "--read", "trace=1", "--latency", "500ms", "--bandwidth", "500MB/s"]
    )
    found = weft.inspect(heart, **options)
    assert found.as_json == command("inspect", heart, *words)
    assert found["/V"].shape == (STEPS, 60) and found["/V"].axes == ("step", "node")
    assert found["/V"].time_units == "ms" and found["/V"].reads["trace"].asked_bytes == 8 * STEPS
    assert "/V  40 x 60 float64" in repr(found)


def test_advice_on_files_of_others(tmp_path: Path) -> None:
    path = tmp_path / "slow run.h5"
    with h5py.File(path, "w") as file:
        data = file.create_dataset("Data", shape=(500, 20000), chunks=(1, 20000), dtype="f4")
        data[...] = 1.0
        data.dims[0].label, data.dims[1].label = "time", "node"
    found = weft.inspect(path)
    one = found["/Data"]
    assert one.chunk == (1, 20000) and one.better_chunk is not None and one.better_chunk[0] > 1
    assert one.command == f"weft repack '{path}' '{tmp_path / 'slow run.repacked.h5'}'"
    trace = one.reads["trace"]
    assert trace.hdf5.requests == 500 and trace.hdf5_repacked is not None
    assert trace.hdf5_repacked.requests < 50
    with pytest.raises(FileNotFoundError):
        weft.inspect(tmp_path / "absent.h5")
    with pytest.raises(ValueError, match="walk"):
        weft.inspect(path, datasets=["/Data"], reads="walk=1")
    with pytest.raises(weft.DataError, match="/none"):
        weft.inspect(path, datasets=["/none"])
    with pytest.raises(ValueError, match="ranks: 0"):
        weft.inspect(path, ranks=0)


@pytest.mark.parametrize(("field", "potential"), [("V", False), ("phi", True)])
def test_ecg_is_that_of_the_command(heart: Path, field: str, potential: bool) -> None:
    words = [word for name, (x, y, z) in ELECTRODES.items() for word in ("--electrode", f"{name}={x},{y},{z}")]
    said = command("ecg", heart, "--field", field, *words, *(["--potential"] if potential else []))
    found = weft.ecg(heart, field, ELECTRODES, potential=potential)
    assert (found.kind, found.units, found.time_units) == (said["kind"], said["units"], "ms")
    np.testing.assert_array_equal(found.times, said["times"])
    assert list(found.signals) == [one["name"] for one in said["signals"]] and "lead aVR" in found.signals
    for one in said["signals"]:
        np.testing.assert_array_equal(found.signals[one["name"]], one["values"])


def test_what_a_simulation_recorded_and_its_sheet(tmp_path: Path) -> None:
    path = tmp_path / "solved.h5"
    program = [
        os.environ["WEFT"],
        "run",
        "ecg",
        "--source",
        "solve",
        "--nodes",
        "3000",
        "--dt",
        "1ms",
        "--duration",
        "20ms",
        "--out",
    ]
    done = subprocess.run([*program, path], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    found = weft.ecg(path)
    assert found.kind == "recorded" and len(found.signals) == len(command("ecg", path)["signals"])
    ax = found.plot()
    figure = ax.figure
    assert any("solved.h5" in text.get_text() for text in ax.texts)
    # 25 mm/s and true scale: axes and paper have the same size in millimetres.
    np.testing.assert_allclose(figure.get_size_inches() * 25.4, (ax.get_xlim()[1], ax.get_ylim()[0]))
    figure.savefig(tmp_path / "ecg.pdf")
    assert (tmp_path / "ecg.pdf").stat().st_size > 4000


def test_ecg_refusals(heart: Path) -> None:
    for field, electrodes, word in (
        ("V", None, "go together"),
        ("", ELECTRODES, "go together"),
        ("V", {"RA": (1, 2)}, r"\(x, y, z\)"),
        ("W", ELECTRODES, "W"),
    ):
        with pytest.raises(ValueError, match=word):
            weft.ecg(heart, field, electrodes)
    with pytest.raises(ValueError, match="electrodes"):
        weft.ecg(heart)
    with pytest.raises(KeyboardInterrupt):

        def interrupted(done: int, of: int) -> None:
            raise KeyboardInterrupt

        weft.ecg(heart, "V", ELECTRODES, progress=interrupted)
