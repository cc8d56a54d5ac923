"""What `weft read` prints, as CSV, JSON and a table, is what h5py reads, to the last bit."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES, STEPS = 211, 131  # of unknown length: more room was added


@pytest.fixture(scope="module", params=["joint", "separate"])
def series(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    path = tmp_path_factory.mktemp("series") / "out.h5"
    options = ["--fields", request.param, "--unknown-steps", "--target", "4KiB"]
    w.run_ecg(path, "--nodes", NODES, "--steps", STEPS, *options, ranks=2)
    with h5py.File(path, "r") as file:
        assert len(file["/weft/segments/0"].attrs["room of time"]) > 3
    return path, ["Data"] if request.param == "joint" else ["V", "phi_e"]


def numbers(text: str) -> tuple[list[str], w.Values]:
    rows = list(csv.reader(io.StringIO(text)))
    return rows[0], np.array([[float(cell) for cell in row] for row in rows[1:]])


@pytest.mark.parametrize("node", [0, 100, NODES - 1])
def test_trace(series: tuple[Path, list[str]], node: int) -> None:
    path, names = series
    for name in names:
        with h5py.File(path, "r") as file:
            wanted = file[name][:, node].reshape(STEPS, -1)
        head, table = numbers(w.weft_ok("read", path, "--field", name, "--trace", node, "--csv").out)
        assert head[:2] == ["step", "time"]
        assert w.same_bits(table[:, 0], np.arange(float(STEPS)))
        assert w.same_bits(np.ascontiguousarray(table[:, 2:]), wanted)
        answer = w.weft_ok("read", path, "--field", name, "--trace", node, "--json").json
        assert w.same_bits(np.array(answer["values"]).reshape(STEPS, -1), wanted)
        assert answer["times"] == list(range(STEPS))


@pytest.mark.parametrize("step", [0, 63, 75, STEPS - 1])
def test_snapshot(series: tuple[Path, list[str]], step: int) -> None:
    path, names = series
    for name in names:
        with h5py.File(path, "r") as file:
            wanted = file[name][step].reshape(NODES, -1)
        head, table = numbers(w.weft_ok("read", path, "--field", name, "--snapshot", step, "--csv").out)
        assert head[0] == "node"
        assert w.same_bits(table[:, 0], np.arange(float(NODES)))
        assert w.same_bits(np.ascontiguousarray(table[:, 1:]), wanted)
        answer = w.weft_ok("read", path, "--field", name, "--snapshot", step, "--json").json
        assert w.same_bits(np.array(answer["values"]).reshape(NODES, -1), wanted)


def test_the_table_for_people(series: tuple[Path, list[str]]) -> None:
    path, names = series
    text = w.weft_ok("read", path, "--field", names[0], "--trace", 3).out
    v, _ = w.wave(NODES, STEPS)
    assert f"{v[0, 3]:.7g}" in text and f"{v[-1, 3]:.7g}" in text
    assert "predicted" in text


def test_info_for_people(series: tuple[Path, list[str]]) -> None:
    path, names = series
    text = w.weft_ok("info", path).out
    assert f"{STEPS} of {STEPS} steps committed" in text
    for name in names:
        assert name in text


def test_only_committed_steps_are_read(tmp_path: Path) -> None:
    # A slot is lowered by hand, as if the last steps had not been vouched for.
    path = tmp_path / "out.h5"
    w.run_ecg(path, "--nodes", NODES, "--steps", 20, ranks=2)
    with h5py.File(path, "r+") as file:
        file["/weft/commit"][0] = 13
    assert w.weft_ok("info", path, "--json").json["committed"] == 13
    assert len(w.weft_ok("read", path, "--trace", 3, "--json").json["values"]) == 13
    refused = w.weft("read", path, "--snapshot", 13)
    assert refused.code == 2 and len(refused.error_lines) == 1
