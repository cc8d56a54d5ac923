"""Weft's writer on simulated ranks: SimGrid's SMPI runs the code itself, thousands of ranks in one process.

scripts/test-simulated builds the program and says where it is. The requests are held to those of `weft predict`, which
knows the same chunks, windows and writers.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

sys.path.insert(0, str(w.REPO / "tests" / "end_to_end"))
from test_predict import made_profile

PROGRAM = os.environ["WEFT_SIMULATED"]
RANKS = [int(word) for word in os.environ.get("WEFT_SIMULATED_RANKS", "64 1024").split()]
PER_NODE = 64

PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="n" suffix="" radical="0-{last}" speed="1Gf" bw="12.5GBps" lat="1us" core="64"/>
</platform>
"""


def simulated(tmp_path: Path, ranks: int, *words: object) -> dict[str, Any]:
    nodes = ranks // PER_NODE
    platform = tmp_path / "platform.xml"
    platform.write_text(PLATFORM.format(last=nodes - 1))
    hosts = tmp_path / "hosts"
    hosts.write_text("".join(f"n{node}:{PER_NODE}\n" for node in range(nodes)))
    # A run of thousands of ranks spends its time in collective calls, and each message costs a walk over all that its
    # rank has sent before. So calls take log(ranks) messages of one rank and two of most. (What SMPI chooses as MPICH
    # would first lets every rank send to every other, to find out who shares a node.)
    command = ["smpirun", "-np", ranks, "-platform", platform, "-hostfile", hosts,
               "--cfg=smpi/simulate-computation:no", "--cfg=smpi/coll-selector:mpich", "--cfg=smpi/reduce:binomial",
               "--cfg=smpi/bcast:binomial_tree", "--cfg=smpi/allreduce:redbcast", "--cfg=network/crosstraffic:no",
               "--log=root.thres:critical",
               # A copy of the program for each rank would take 14 GB of 4,096; ours has no globals that ranks fill.
               "--cfg=smpi/privatization:no", PROGRAM, *words]
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=tmp_path, check=False)
    lines = [line for line in ended.stdout.splitlines() if line.startswith("{")]
    assert ended.returncode == 0 and len(lines) == 1, ended.stdout[-2000:] + ended.stderr[-2000:]
    return json.loads(lines[0])  # type: ignore[no-any-return]


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("kernel", ["ecg", "awp"])
def test_requests_are_those_that_are_predicted(tmp_path: Path, kernel: str, ranks: int) -> None:
    file = tmp_path / "series.h5"
    store = tmp_path / "store.json"
    store.write_text(json.dumps(made_profile()))
    steps = 20
    size = "1000000" if kernel == "ecg" else "256x128x64"
    shape: tuple[object, ...] = ("ecg", "--nodes", size, "--steps", steps, "--mesh", "none", "--sync", "none")
    if kernel == "awp":
        shape = ("awp", "--strategy", "series", "--grid", size, "--skip", 1, "--steps-per-file", steps)
    did = simulated(tmp_path, ranks, kernel, size, steps, file)
    said = w.weft_ok("predict", *shape, "--ranks", ranks, "--per-node", PER_NODE, "--store", store, "--json").json
    with h5py.File(file) as series:
        words = sum(series[f"weft/{of}"].size for of in ("commit", "durable", "writer"))
    assert round(said["requests"]["writes"]) == did["writes"] + did["slots"] + 3
    assert round(said["requests"]["bytes"]) == did["bytes"] + 8 * (did["slots"] + words)
    assert said["messages"] == {"count": did["messages"], "bytes": did["sent"]}
    # At most a message to each writer in a window: all ranks of one node write, and 8 of each of several.
    writers = ranks if ranks == PER_NODE else 8 * (ranks // PER_NODE)
    assert did["most_messages"] <= did["windows"] * writers
    w.weft_ok("verify", file, patience=300)
    with h5py.File(file) as series:
        values = series["Data" if kernel == "ecg" else "v2"]
        assert values.shape[0] == steps
        first = values[3].ravel()[:8]
        assert np.array_equal(first, (3 * 31 + np.arange(8)) % 1000)  # rank 0's
