"""`weft with --layout`: which datasets get other chunks, which ones, and what is left alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import h5py
import programs as p
import weft_run as w

CREATE = """
import sys, h5py
with h5py.File(sys.argv[1], "w") as file:
    file.create_dataset("V", (0, 30000), maxshape=(None, 30000), chunks=(1, 30000), dtype="f8")
    file.create_dataset("grid", (0, 30, 50, 60), maxshape=(None, 30, 50, 60), chunks=(1, 30, 50, 60), dtype="f4")
    file.create_dataset("deep/phi", (500, 30000, 2), chunks=(1, 300, 2), dtype="f8", compression="gzip")
    file.create_dataset("small", (0, 10), maxshape=(None, 10), chunks=(1, 10), dtype="f8")
    file.create_dataset("line", (0,), maxshape=(None,), chunks=(1024,), dtype="f8")
    file.create_dataset("plain", (500, 30000), dtype="f8")
"""


def chunks(tmp_path: Path, *way: object, python: str = p.DEBIAN_PYTHON) -> dict[str, Any]:
    script, path = tmp_path / "create.py", tmp_path / "data.h5"
    script.write_text(CREATE)
    p.run([*p.WITH, *way, python, script, path])
    found: dict[str, Any] = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, thing: found.update({name: getattr(thing, "chunks", None)}))
        assert file["deep/phi"].compression == "gzip"
    return found


def designed(*words: object) -> list[int]:
    chunk: list[int] = w.weft_ok("layout", *words, "--json").json["chunk"]
    return chunk


def test_designed_chunks(tmp_path: Path) -> None:
    found = chunks(tmp_path, "--layout", "reads", "--steps", 400)
    assert list(found["V"]) == designed("400x30000")
    assert list(found["grid"]) == designed("400x30x50x60", "--element-bytes", 4, "--axes", "step,axis0,axis1,axis2")
    assert list(found["deep/phi"]) == designed("500x30000x2")
    assert found["small"] == (1, 10) and found["line"] == (1024,) and found["plain"] is None
    isotropic = chunks(tmp_path, "--layout", "isotropic", "--steps", 400, "--target", "128KiB")
    assert list(isotropic["V"]) == designed("400x30000", "--algorithm", "isotropic", "--target", "128KiB")
    traces = chunks(tmp_path, "--layout", "reads", "--read", "trace=1", "--steps", 400)
    assert list(traces["V"]) == designed("400x30000", "--read", "trace=1")


def test_a_policy(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        '[[dataset]]\nmatch = "V*"\nchunk = [50, 600]\n\n'
        '[[dataset]]\nmatch = "/deep/*"\nkeep = true\n\n'
        '[[dataset]]\nmatch = "plain"\ncontiguous = true\nreads = "trace=1"\ntarget = "2MiB"\n'
    )
    found = chunks(tmp_path, "--layout", policy)
    assert found["V"] == (50, 600) and found["deep/phi"] == (1, 300, 2) and found["grid"] == (1, 30, 50, 60)
    assert list(found["plain"]) == designed("500x30000", "--read", "trace=1", "--target", "2MiB")


def test_policies_that_cannot_be_used(tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    for text, words in {
        "[[dataset]\n": "policy.toml:1",
        '[[dataset]]\nmatch = "V"\nchunks = [1]\n': "policy.toml:3: chunks is no word for a dataset",
        "[[dataset]]\nmatch = 5\n": "policy.toml:2: match is no text",
        '[[dataset]]\nmatch = "V"\nchunk = [0, 5]\n': "chunk is no number of 1 or more",
        '[[dataset]]\nreads = "trace"\n': "a dataset has no match",
        "[other]\nx = 1\n": "other is unknown here",
        "": "has no rule",
        '[[dataset]]\nmatch = "V"\nalgorithm = "best"\n': "best",
    }.items():
        policy.write_text(text)
        outcome = w.weft("with", "--layout", policy, "true")
        assert outcome.code == 2 and len(outcome.error_lines) == 1 and words in outcome.err, outcome
    assert w.weft("with", "--layout", tmp_path / "none.toml", "true").code == 2


def test_reads_that_a_dataset_has_not(tmp_path: Path) -> None:
    """It is created as the program wants it, and that is said."""
    script, path = tmp_path / "create.py", tmp_path / "data.h5"
    script.write_text(CREATE)
    done = p.run([*p.WITH, "--layout", "reads", "--read", "plane=1", p.DEBIAN_PYTHON, script, path])
    assert any(line.startswith("weft with: /V is created as the program wants it: ") for line in p.said(done))
    with h5py.File(path) as file:
        assert file["V"].chunks == (1, 30000) and file["grid"].chunks != (1, 30, 50, 60)


def test_a_program_that_writes_chunks_by_itself(tmp_path: Path) -> None:
    """Its bytes would be other values in other chunks: it is stopped, unless its dataset is kept."""
    script, path = tmp_path / "chunks.py", tmp_path / "data.h5"
    script.write_text(
        "import sys, h5py\n"
        "with h5py.File(sys.argv[1], 'w') as file:\n"
        "    data = file.create_dataset('V', (100, 30000), chunks=(1, 30000), dtype='f8')\n"
        "    data.id.write_direct_chunk((3, 0), bytes(240000))\n"
    )
    done = p.run([*p.WITH, "--layout", "reads", p.DEBIAN_PYTHON, script, path], code=1)
    assert any("reads or writes its chunks by itself" in line for line in p.said(done))
    policy = tmp_path / "policy.toml"
    policy.write_text('[[dataset]]\nmatch = "V"\nkeep = true\n')
    p.run([*p.WITH, "--layout", policy, p.DEBIAN_PYTHON, script, path])


READ_TRACES = """
import sys, h5py
with h5py.File(sys.argv[1]) as file:
    data = file["V"]
    for node in range(0, 400, 4):
        data[:, node].sum()
"""


def test_a_reader_gets_the_cache_that_it_needs(tmp_path: Path) -> None:
    """Traces across chunks that are deeper than the cache of 1 MiB: every chunk is loaded once instead of each time."""
    script, path = tmp_path / "read.py", tmp_path / "data.h5"
    script.write_text(READ_TRACES)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("V", (200, 4000), chunks=(50, 2000), dtype="f8")
        data[...] = 1.5
    loads = {}
    for name, way in (("watch", ["--watch"]), ("layout", ["--layout", "reads"])):
        report = tmp_path / f"{name}.json"
        p.run([*p.WITH, *way, "--json", report, p.DEBIAN_PYTHON, script, path])
        data = json.loads(report.read_text())["datasets"][0]
        loads[name] = data["reads"]["trace"]["requests"]["chunk_loads"]
    assert loads == {"watch": 400, "layout": 4}
