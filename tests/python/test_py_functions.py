"""The functions of whole files do what the command does: the same results, files and lines."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import weft

STEPS, NODES = 60, 400


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """Beats that pass along a line of points."""
    path = tmp_path / "heart.h5"
    points = np.zeros((NODES, 3))
    points[:, 0] = np.arange(NODES)
    cells = np.stack((np.arange(NODES - 1), np.arange(1, NODES)), axis=1)
    with weft.create(path, {"V": weft.FieldSpec(units="mV")}, mesh=weft.Mesh(points, cells, types=3)) as out:
        for step in range(STEPS):
            phase = (step - np.arange(NODES) / 20) % 30
            out.step(float(step), V=np.where(phase < 8, 30.0 - phase, -85.0 + phase / 30))
    return path


def command(*arguments: object, code: int = 0) -> Any:
    done = subprocess.run(
        [os.environ["WEFT"], *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout) if code == 0 else done.stderr.strip()


def test_layout() -> None:
    assert weft.layout((151, 400_000, 2))["chunk"] == [19, 3449, 2]
    said = command("layout", "151x3000x2", "--read", "trace=1", "--json")
    assert weft.layout((151, 3000, 2), "trace=1") == said
    with pytest.raises(ValueError, match="walk"):
        weft.layout((151, 3000), "walk=1")


def test_reduce(made: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, ...]] = []
    out = tmp_path / "python.h5"
    done = weft.reduce(made, "peak,apd_90,mean", out=out, progress=lambda *at: seen.append(at))
    said = command("reduce", made, "--quantity", "peak,apd_90,mean", "--out", tmp_path / "command.h5", "--json")
    assert [vars(one) for one in done.maps] == [{**one, "row": one["row"]} for one in said["maps"]]
    assert (done.nodes, done.steps, done.most_beats) == (said["nodes"], said["steps"], said["most_beats"])
    assert seen and seen[-1][0] == seen[-1][1]
    with h5py.File(out) as one, h5py.File(tmp_path / "command.h5") as other:
        for name in ("peak", "apd_90", "mean", "beats"):
            np.testing.assert_array_equal(one[name][...], other[name][...])
    assert Path(weft.reduce(made).out) == made.with_name("heart.maps.h5")


def test_repack_and_verify(made: Path, tmp_path: Path) -> None:
    out = tmp_path / "quick.h5"
    done = weft.repack(made, out, "trace=1", filters="shuffle+deflate:1", checksums=True)
    said = command("repack", made, tmp_path / "command.h5", "--read", "trace=1", "--filter", "shuffle+deflate:1",
                   "--checksums", "--json")  # fmt: skip
    assert [(one.path, list(one.new_chunk), one.stored_after) for one in done.datasets] == [
        (one["path"], one["new_chunk"], one["stored_after"]) for one in said["datasets"]
    ]
    assert done.bytes_after == said["file_bytes_after"] == out.stat().st_size
    assert command("verify", out, tmp_path / "command.h5", "--json")["equal"]
    checked = weft.verify(out)
    assert checked and checked.steps == STEPS and {"checksums": "ok"}.items() <= {
        one.what: one.verdict for one in checked.checks
    }.items()
    with open(out, "r+b") as file:
        file.seek(out.stat().st_size // 2)
        file.write(b"\xff" * 4096)
    damaged = weft.verify(out)
    assert not damaged and any(one.verdict == "FAIL" and one.problems for one in damaged.checks)
    with pytest.raises(ValueError, match="exists"):
        weft.repack(made, out)


def test_import(made: Path, tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["V"] = np.arange(60.0).reshape(6, 10)
    done = weft.import_series(f"{tmp_path / 'other.h5'}:/V", tmp_path / "new.h5", filters="shuffle+lzf", axes="step,node")
    assert done.fields == ("V",) and done.steps == 6
    with weft.open(done.out) as file:
        np.testing.assert_array_equal(file["V"][...], np.arange(60.0).reshape(6, 10))
        assert file.is_weft


def test_view_convert_and_refs(made: Path, tmp_path: Path) -> None:
    shown = weft.view(made)
    assert shown.steps == STEPS and Path(shown.xdmf_path).exists()
    done = weft.convert(made, "csv", out=tmp_path / "python", steps="::20")
    said = command("convert", made, "--to", "csv", "--out", tmp_path / "command", "--steps", "::20", "--json")
    assert (done.files, done.bytes, done.steps) == (said["files"], said["bytes"], said["steps"])
    for path in (tmp_path / "command").iterdir():
        assert (tmp_path / "python" / path.name).read_bytes() == path.read_bytes()
    assert weft.refs(made, url="s3://b/heart.h5") == command("refs", made, "--url", "s3://b/heart.h5")


@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        (lambda path: weft.reduce(path, "loudness"), ["reduce", "PATH", "--quantity", "loudness"]),
        (lambda path: weft.reduce(path, "peak", field="W"), ["reduce", "PATH", "--quantity", "peak", "--field", "W"]),
        (lambda path: weft.convert(path, "csv", steps="90"), ["convert", "PATH", "--to", "csv", "--steps", "90"]),
        (lambda path: weft.verify(path.with_name("absent.h5")), ["verify", "ABSENT"]),
        (lambda path: weft.repack(path, path), ["repack", "PATH", "PATH"]),
    ],
)
def test_errors_have_the_line_of_the_command(made: Path, call: Any, arguments: list[str]) -> None:
    words = [{"PATH": str(made), "ABSENT": str(made.with_name("absent.h5"))}.get(word, word) for word in arguments]
    with pytest.raises((ValueError, OSError, weft.DataError)) as raised:
        call(made)
    code = 2 if isinstance(raised.value, ValueError) and not isinstance(raised.value, weft.DataError) else 1
    assert command(*words, code=code) == f"weft: error: {raised.value}"


def test_what_progress_raises_ends_the_call(made: Path, tmp_path: Path) -> None:
    def stop(done: int, of: int) -> None:
        raise KeyboardInterrupt

    for call in (
        lambda: weft.reduce(made, out=tmp_path / "a.h5", progress=stop),
        lambda: weft.repack(made, tmp_path / "a.h5", "trace=1", progress=stop),
        lambda: weft.import_series(made, tmp_path / "a.h5", progress=stop),
    ):
        with pytest.raises(KeyboardInterrupt):
            call()
        assert not (tmp_path / "a.h5").exists()
