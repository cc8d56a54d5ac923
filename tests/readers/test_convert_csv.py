"""Copies as CSV, read by Python's own module: every step, every number to its last bit."""

from __future__ import annotations

import csv
import os
import re
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

CASES = Path(os.environ["WEFT_READER_CASES"])
STEPS = 7


def write_case(name: str, path: Path) -> Path:
    outcome = w.call([str(CASES), name, str(path)])
    assert outcome.code == 0, outcome
    return path


def read(path: Path) -> dict[str, Any]:
    with path.open(newline="") as file:
        names, *lines = list(csv.reader(file, strict=True))
    assert all(len(line) == len(names) for line in lines)
    return {name: np.array([float(line[i]) for line in lines]) for i, name in enumerate(names)}


def converted(source: Path, out: Path, *arguments: object, ranks: int | None = None) -> Any:
    report = w.weft_ok("convert", source, "--to", "csv", "--out", out, "--json", *arguments, ranks=ranks).json
    files = list(out.iterdir())
    assert report["files"] == len(files) and report["bytes"] == sum(file.stat().st_size for file in files)
    assert {path.suffix for path in files} == {".csv"}
    return report


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4, 7, 9])
def test_every_kind_of_field(tmp_path: Path, ranks: int | None) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    out = tmp_path / "copies"
    report = converted(source, out, ranks=ranks)
    assert report["out"] == str(out / "out_0000.csv") and report["files"] == 3 * STEPS + 1
    with h5py.File(source) as file:
        points, subset = file["mesh/points"][:], file["weft/subsets/listed"][:]
        for step in range(STEPS):
            table = read(out / f"out_{step:04d}.csv")
            assert list(table) == ["x", "y", "z", "number (mV)", "vector_0", "vector_1", "vector_2", "left", "right",
                                   "front"]  # fmt: skip
            assert np.array_equal(np.stack([table[axis] for axis in "xyz"], axis=-1), points)
            assert w.same_bits(table["number (mV)"], file["number"][step])
            for c in range(3):
                assert w.same_bits(table[f"vector_{c}"].astype(np.float32), file["vector"][step, :, c])
            assert w.same_bits(table["left"], file["pair"][step, :, 0])
            assert w.same_bits(table["right"], file["pair"][step, :, 1])
            assert np.array_equal(table["front"][:10], file["front"][step]) and np.isnan(table["front"][10:]).all()
            cells = read(out / f"out_cells_{step:04d}.csv")
            assert list(cells) == ["cell", "on cells"]
            assert list(cells["cell"]) == list(range(40)) and np.array_equal(cells["on cells"], file["on cells"][step])
            listed = read(out / f"out.nodes_of_listed_{step:04d}.csv")
            assert list(listed) == ["x", "y", "z", "listed"]
            assert np.array_equal(np.stack([listed[axis] for axis in "xyz"], axis=-1), points[subset])
            assert np.array_equal(listed["listed"], file["listed"][step])
        steps = read(out / "out_steps.csv")
        assert list(steps) == ["step", "time (s)", "energy", "budget_0", "budget_1", "budget_2", "budget_3"]
        assert list(steps["step"]) == list(range(STEPS)) and w.same_bits(steps["time (s)"], file["time"][:])
        assert w.same_bits(steps["energy"], file["energy"][:])
        assert w.same_bits(np.stack([steps[f"budget_{i}"] for i in range(4)], axis=-1), file["budget"][:])


@pytest.mark.parametrize("mesh", ["box", "none"])
@pytest.mark.parametrize("ranks", [None, 3])
def test_a_run_with_a_mesh_and_without(tmp_path: Path, ranks: int | None, mesh: str) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 213, "--steps", 5, *(["--mesh", "none"] if mesh == "none" else []))
    out = tmp_path / "copies"
    converted(source, out, ranks=ranks)
    v, phi_e = w.wave(213, 5)
    for step in range(5):
        table = read(out / f"out_{step:04d}.csv")
        assert list(table)[:-2] == (["node"] if mesh == "none" else ["x", "y", "z"])
        if mesh == "none":
            assert list(table["node"]) == list(range(213))
        assert w.same_bits(table["V (mV)"], v[step]) and w.same_bits(table["phi_e (mV)"], phi_e[step])
    assert list(read(out / "out_steps.csv")["time (ms)"]) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_a_grid_and_float32(tmp_path: Path) -> None:
    source = write_case("grid", tmp_path / "out.h5")
    out = tmp_path / "copies"
    converted(source, out, "--precision", "float32", "--steps", "-1", ranks=2)
    table = read(out / "out_0006.csv")
    z, _y, x = np.meshgrid(np.arange(3), np.arange(4), np.arange(5), indexing="ij")
    assert np.array_equal(table["x"].astype(np.float32), (1 + 0.1 * x).ravel().astype(np.float32))
    assert np.array_equal(table["z"].astype(np.float32), (3 + 0.3 * z).ravel().astype(np.float32))
    with h5py.File(source) as file:
        for c in range(3):
            assert np.array_equal(
                table[f"vector_{c}"].astype(np.float32), file["vector"][6, ..., c].ravel().astype(np.float32)
            )
    with (out / "out_0006.csv").open() as lines:
        assert max(len(number) for line in list(lines)[1:] for number in line.split(",")) < 12, "as short as float32 is"


def test_global_values_alone(tmp_path: Path) -> None:
    source = write_case("globals", tmp_path / "out.h5")
    report = converted(source, tmp_path / "copies", "--fields", "energy")
    assert report["out"] == str(tmp_path / "copies" / "out_steps.csv") and report["files"] == 1
    assert list(read(Path(report["out"]))) == ["step", "time (s)", "energy"]


def test_the_budget(tmp_path: Path) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 100_000, "--steps", 4)
    outcome = w.weft("convert", source, "--to", "csv", "--out", tmp_path / "copies", "--budget", "1MiB")
    assert outcome.code == 2 and len(outcome.error_lines) == 1
    least = outcome.err.split("--budget ")[1].split()[0]
    converted(source, tmp_path / "copies", "--budget", least, ranks=2)
    v, _ = w.wave(100_000, 4)
    assert w.same_bits(read(tmp_path / "copies" / "out_0003.csv")["V (mV)"], v[3])


def test_what_fails_before_its_first_file_leaves_no_folder(tmp_path: Path) -> None:
    w.run_ecg(tmp_path / "heart.h5", "--nodes", 2000, "--steps", 3)
    outcome = w.weft("convert", tmp_path / "heart.h5", "--to", "csv", "--out", tmp_path / "out", "--budget", "1KiB")
    assert outcome.code == 2 and "give at least --budget" in outcome.err
    assert not (tmp_path / "out").exists()
    (tmp_path / "mine").mkdir()
    w.weft("convert", tmp_path / "heart.h5", "--to", "csv", "--out", tmp_path / "mine", "--budget", "1KiB")
    assert (tmp_path / "mine").is_dir(), "that it did not make"


def test_interrupted_it_leaves_whole_files_alone(tmp_path: Path) -> None:
    w.run_ecg(tmp_path / "heart.h5", "--nodes", 30000, "--steps", 400, "--mesh", "none")
    command = [w.WEFT, "convert", str(tmp_path / "heart.h5"), "--to", "csv", "--out", str(tmp_path / "out")]
    with w.own_session(None) as settings, subprocess.Popen(command, env=settings, stderr=subprocess.PIPE) as process:
        deadline = time.monotonic() + 60
        while not list(tmp_path.glob("out/*_0001.csv")) and time.monotonic() < deadline:
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 1 and b"was interrupted" in error, error
    files = sorted((tmp_path / "out").iterdir())
    assert 2 <= len(files) < 400
    for file in files:
        assert re.fullmatch(r"heart(_steps|_\d{4})\.csv", file.name) and file.read_bytes().endswith(b"\n"), file
