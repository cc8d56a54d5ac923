"""What `weft with --watch` counts, against what a program is known to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import programs as p
import weft_run as w

READS = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as file:
    file.create_dataset("V", data=np.arange(200 * 5000, dtype="f8").reshape(200, 5000), chunks=(1, 5000))
    file.create_dataset("deep", (200, 5000), chunks=(100, 500), dtype="f8")
with h5py.File(sys.argv[1]) as file:
    data = file["V"]
    for node in (3, 77):
        data[:, node]
    for step in range(10):
        data[step]
    data[10:20, 5:400]
    data[:, ::7]
    data[[1, 5, 8], 3]
    data[...]
    data[7, 7]
"""


def watched(tmp_path: Path, text: str, *more: object) -> dict[str, Any]:
    script, report = tmp_path / "program.py", tmp_path / "report.json"
    script.write_text(text)
    done = p.run([*p.WITH, *more, "--json", report, p.DEBIAN_PYTHON, script, tmp_path / "data.h5"])
    assert done.stderr == ""
    found = json.loads(report.read_text())
    return {"all": found, **{d["path"]: d for d in found["datasets"]}}


def test_what_is_read(tmp_path: Path) -> None:
    report = watched(tmp_path, READS)
    data = report["/V"]
    assert data["shape"] == [200, 5000] and data["chunk"] == [1, 5000] and data["element_bytes"] == 8
    calls = {kind: (entry["calls"], entry["bytes"]) for kind, entry in data["reads"].items()}
    assert calls["trace"] == (2, 2 * 200 * 8)
    assert calls["snapshot"] == (10, 10 * 5000 * 8)
    assert calls["block"] == (1, 10 * 395 * 8)
    assert calls["whole"] == (1, 200 * 5000 * 8)
    assert calls["element"] == (1, 8)
    assert sum(calls.get(kind, (0, 0))[0] for kind in ("strided", "points")) == 2
    trace = data["reads"]["trace"]
    assert trace["chunks"] == 400
    # Every chunk is loaded whole for one value of it: that is what is to be seen.
    assert trace["requests"]["chunk_loads"] >= 2 * 170 and trace["requests"]["read_bytes"] > 340 * 40000
    assert any("trace reads take" in line for line in data["advice"]), data["advice"]
    assert data["writes"]["whole"]["calls"] == 1 and data["writes"]["whole"]["bytes"] == 8_000_000
    assert report["all"]["processes"] == 1 and report["all"]["hdf5"] == [
        w.call(["h5dump", "--version"]).out.split()[-1]
    ]
    file = report["all"]["files"][0]
    assert file["opens"] == 2 and file["file"].endswith("data.h5")


STEPS = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as file:
    data = file.create_dataset("V", (0, 20000), maxshape=(None, 20000), chunks=(50, 10000), dtype="f8")
    for step in range(100):
        data.resize(step + 1, axis=0)
        data[step] = step
"""


def test_what_is_written(tmp_path: Path) -> None:
    """Chunks of 4 MB and a cache of 1 MB: each step is written in its pieces."""
    data = watched(tmp_path, STEPS)["/V"]
    writes = data["writes"]["snapshot"]
    assert writes["calls"] == 99 and writes["bytes"] == 99 * 160_000
    assert writes["requests"]["writes"] >= 2 * 99
    assert any("weft with --write-behind" in line for line in data["advice"]), data["advice"]


BOTH_WAYS = """
import sys, h5py, numpy as np
with h5py.File(sys.argv[1], "w") as file:
    file.create_dataset("V", data=np.zeros((200, 5000)), chunks=(50, 1250))
for step in (0, 60, 120, 180, 10, 70):
    with h5py.File(sys.argv[1], "r") as file:
        file["V"][step]
        file["V"][:, step]
"""


def test_what_is_read_both_ways_gets_one_advice(tmp_path: Path) -> None:
    """One that serves both: a layout for the one alone is the worst for the other."""
    data = watched(tmp_path, BOTH_WAYS)["/V"]
    (line,) = [line for line in data["advice"] if "repack" in line]
    assert "snapshot reads take" in line and "trace reads take" in line
    assert "weft repack FILE --read snapshot=1,trace=1," in line


def test_the_table(tmp_path: Path) -> None:
    script = tmp_path / "program.py"
    script.write_text(READS)
    done = p.run([*p.WITH, p.DEBIAN_PYTHON, script, tmp_path / "data.h5"])
    lines = done.stderr.splitlines()
    assert done.stdout == "" and lines[1].split()[:3] == ["dataset", "shape", "chunk"]
    trace = next(line for line in lines if "read trace" in line)
    assert trace.startswith("/V") and "200x5000" in trace and "3.1 KiB" in trace
    assert any(line.startswith("1 process with HDF5 1.1") for line in lines)
    assert any(line.startswith("/V: ") and "weft repack FILE" in line for line in lines)


def test_where_the_bytes_go_is_counted_by_the_system_too(tmp_path: Path) -> None:
    """What HDF5 asked the system for, and what strace saw of it."""
    if w.call(["which", "strace"]).code != 0:
        return
    script, report, trace = tmp_path / "program.py", tmp_path / "report.json", tmp_path / "strace.txt"
    script.write_text(READS)
    data = tmp_path / "data.h5"
    p.run(
        [
            *p.WITH,
            "--json",
            report,
            "strace",
            "-f",
            "-e",
            "trace=pread64,read",
            "-o",
            trace,
            p.DEBIAN_PYTHON,
            script,
            data,
        ]
    )
    counted = next(d for d in json.loads(report.read_text())["datasets"] if d["path"] == "/V")
    whole = sum(entry["requests"]["chunk_loads"] for entry in counted["reads"].values())
    seen = sum("40000) = 40000" in line or ", 40000, " in line for line in trace.read_text().splitlines())
    assert whole > 300 and whole == seen
