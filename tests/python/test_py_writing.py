"""Series written from Python, on one process: values, options, refusals, interruptions."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import weft

NODES, STEPS = 300, 12
RANDOM = np.random.default_rng(7)
VALUES = RANDOM.normal(size=(STEPS, NODES))


def write(path: Path, **options: Any) -> None:
    fields = {"V": weft.FieldSpec(NODES, units="mV", **options.pop("field", {}))}
    with weft.create(path, fields, time_units="ms", **options) as out:
        for step, values in enumerate(VALUES):
            out.step(0.5 * step, V=values)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"steps": STEPS},
        {"steps": 100},
        {"field": {"filters": "shuffle+deflate:1"}},
        {"field": {"layout": "given", "chunk": (4, 50)}},
        {"field": {"attributes": {"long_name": "potential", "levels": [1, 2], "scale": 0.5}}},
        {"sync": "none", "budget": 1 << 20, "commit_steps": 1, "align": 4096},
    ],
    ids=lambda options: ",".join(options) or "plain",
)
def test_what_was_put_is_in_the_file(tmp_path: Path, options: dict[str, Any]) -> None:
    path = tmp_path / "a.h5"
    write(path, **options)
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["V"][...], VALUES)
        np.testing.assert_array_equal(file["time"][...], 0.5 * np.arange(STEPS))
        assert file["V"].attrs["units"] == "mV" and file["time"].attrs["units"] == "ms"
        for name, value in options.get("field", {}).get("attributes", {}).items():
            assert np.array_equal(file["V"].attrs[name], value)
        assert file["V"].compression == ("gzip" if "filters" in options.get("field", {}) else None)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8"])
def test_types_and_memory_orders(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "a.h5"
    values = RANDOM.integers(0, 100, (STEPS, 6, 4, 2)).astype(dtype)
    layouts: list[Any] = [np.asfortranarray, lambda a: np.repeat(a, 2, axis=0)[::2], lambda a: a[::-1].copy()[::-1]]
    grid = weft.Grid((6, 4), spacing=(0.5, 0.5, 1.0))
    with weft.create(path, {"E": weft.FieldSpec((..., 2), dtype=dtype)}, grid=grid) as out:
        for step in range(STEPS):
            out.step(float(step), E=layouts[step % 3](values[step]))
    with h5py.File(path) as file:
        assert file["E"].dtype == dtype
        np.testing.assert_array_equal(file["E"][...], values)


def test_rows_by_number_and_ghosts(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    ids = RANDOM.permutation(NODES)
    with_ghosts = np.concatenate((ids, ids[:5]))
    ghosts = np.arange(NODES + 5) >= NODES
    fields = {
        "scattered": weft.FieldSpec(NODES, owned=ids),
        "ghosted": weft.FieldSpec(NODES, owned=with_ghosts, ghosts=ghosts),
    }
    with weft.create(path, fields) as out:
        for step, values in enumerate(VALUES):
            out.step(float(step), scattered=values[ids], ghosted=np.where(ghosts, -1.0, values[with_ghosts]))
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["scattered"][...], VALUES)
        np.testing.assert_array_equal(file["ghosted"][...], VALUES)


def test_an_append_goes_on_and_resumes(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with weft.create(path, {"V": weft.FieldSpec(NODES)}) as out:
        for step in range(8):
            out.step(float(step), V=VALUES[step] if step < 6 else VALUES[step] * 0)
    with weft.append(path, from_step=6) as out:
        assert out.next_step == 6
        for step in range(6, STEPS):
            out.step(float(step), V=VALUES[step])
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["V"][...], VALUES)
    with pytest.raises(ValueError, match="cannot resume at step 99"):
        weft.append(path, from_step=99)
    with pytest.raises(ValueError, match="has no field W"):
        weft.append(path, owned={"W": slice(0, 3)})


def test_quantities_taken_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    write(path, reduce={"V": "max,mean"})
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["maps/V/max"][...], VALUES.max(axis=0))
    with pytest.raises(ValueError, match="quantity"):
        write(path, reduce={"V": "loudness"})


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda out: out.put("W", VALUES[0]), KeyError, "has no field W; it has V"),
        (lambda out: out.put("V", VALUES[0][:-1]), ValueError, r"shape \(300,\), not \(299,\)"),
        (lambda out: out.put("V", VALUES[0].reshape(NODES, 1)), ValueError, r"not \(300, 1\)"),
        (lambda out: out.put("V", VALUES[0].astype("f4")), TypeError, "holds float64, not float32; cast=True"),
        (lambda out: out.put("V", VALUES[0].astype(complex)), TypeError, "not complex128"),
        (lambda out: out.end_step(0.0), ValueError, "V"),
        (lambda out: (out.step(1.0, V=VALUES[0]), out.step(1.0, V=VALUES[1])), ValueError, "later"),
        (lambda out: (out.step(1.0, V=VALUES[0]), out.step(float("nan"), V=VALUES[1])), ValueError, "time"),
        (lambda out: (out.close(), out.put("V", VALUES[0])), ValueError, "the series is closed"),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, act: Any, error: type[Exception], words: str) -> None:
    out = weft.create(tmp_path / "a.h5", {"V": weft.FieldSpec(NODES)})
    with pytest.raises(error, match=words) as raised:
        act(out)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("fields", "options", "error", "words"),
    [
        ({"V": weft.FieldSpec(NODES, dtype="float16")}, {}, ValueError, "dtype 'float16': is not known"),
        ({"V": weft.FieldSpec(NODES, support="edges")}, {}, ValueError, "use nodes, cells or global"),
        ({"V": weft.FieldSpec(NODES, filters="bzip2")}, {}, ValueError, "bzip2"),
        ({"V": weft.FieldSpec(NODES, dtype="int32", filters="bitround:9+lzf")}, {}, ValueError, "bitround"),
        ({"V": weft.FieldSpec()}, {}, ValueError, "stands for the nodes of a mesh or grid"),
        ({"V": weft.FieldSpec(NODES, owned=slice(0, 400))}, {}, IndexError, "leaves the axis of 300"),
        ({"V": weft.FieldSpec(NODES, owned=[1, 1])}, {}, ValueError, "twice"),
        ({"V": weft.FieldSpec(NODES)}, {"steps": 0}, ValueError, "0 steps"),
        ({"V": weft.FieldSpec(NODES)}, {"sync": "often"}, ValueError, "use commit, window or none"),
        ({"V": weft.FieldSpec(NODES)}, {"comm": 3}, TypeError, "mpi4py communicator"),
        ({"V": {"shape": NODES}}, {}, TypeError, "V: a field is described by a weft.FieldSpec, not by a dict"),
    ],
)
def test_what_cannot_be_made_leaves_what_was_there(
    tmp_path: Path, fields: Any, options: Any, error: type[Exception], words: str
) -> None:
    path = tmp_path / "a.h5"
    path.write_bytes(b"as it was")
    with pytest.raises(error, match=words):
        weft.create(path, fields, **options)
    assert path.read_bytes() == b"as it was"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.h5"]


def test_an_existing_file_is_kept_where_that_is_asked_for(tmp_path: Path) -> None:
    write(tmp_path / "a.h5")
    with pytest.raises(FileExistsError, match="exists"):
        write(tmp_path / "a.h5", replace=False)
    with pytest.raises(OSError, match="absent"):
        write(tmp_path / "absent" / "a.h5")


def test_steps_that_were_ended_are_kept_when_the_body_raises(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    with pytest.raises(RuntimeError, match="my own"), weft.create(path, {"V": weft.FieldSpec(NODES)}) as out:
        for step in range(5):
            out.step(float(step), V=VALUES[step])
        raise RuntimeError("my own")
    with h5py.File(path) as file:
        np.testing.assert_array_equal(file["V"][:5], VALUES[:5])


def test_the_file_of_a_killed_program_opens(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    program = f"""
import os, signal, numpy as np, weft
out = weft.create({str(path)!r}, {{"V": weft.FieldSpec({NODES})}}, commit_steps=1, sync="none")
for step in range(50):
    out.step(float(step), V=np.full({NODES}, float(step)))
    if step == 30:
        out.flush()
os.kill(os.getpid(), signal.SIGKILL)
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -signal.SIGKILL
    with h5py.File(path) as file:
        steps = int(file["weft/commit"][...].min())
        assert steps >= 31
        np.testing.assert_array_equal(file["V"][:steps], np.arange(steps)[:, None] * np.ones(NODES))


def test_lists_lose_nothing(tmp_path: Path) -> None:
    """Numbers of Python's own have no size: they become the field's, where that holds them."""
    fields = {"i": weft.FieldSpec(3, dtype="int32"), "f": weft.FieldSpec(3, dtype="float32")}
    with weft.create(tmp_path / "a.h5", fields) as out:
        out.step(0.0, i=[1, 2, -3], f=[0.1, 2, 3])
        for wrong in ([1.7, 2, 3], [1, 2, 2**40], ["1", "2", "3"]):
            with pytest.raises(TypeError, match="holds int32"):
                out.put("i", wrong)
        with pytest.raises(TypeError, match="masked"):
            out.put("f", np.ma.masked_array(np.zeros(3, "f4"), [True, False, False]))
    with weft.open(tmp_path / "a.h5") as file:
        assert file["i"][0].tolist() == [1, 2, -3] and file["f"][0].tolist() == np.array([0.1, 2, 3], "f4").tolist()
        assert file["i"].filters == ""


def test_filters_are_one_text(tmp_path: Path) -> None:
    with weft.create(tmp_path / "a.h5", {"V": weft.FieldSpec(600, filters="shuffle+deflate:1")}) as out:
        out.step(0.0, V=np.zeros(600))
    with weft.open(tmp_path / "a.h5") as file:
        assert file["V"].filters.startswith("shuffle+deflate")
