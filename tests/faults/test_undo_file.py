"""A change of metadata that fails or is cut short, and its undo file beside the file of a backup, a copy or another."""

from __future__ import annotations

import errno
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w
from killing import Killer, in_parallel

NODES = 211
SMALL = ["--nodes", NODES, "--target", "2KiB"]


def without_view(path: Path) -> Path:
    w.run_ecg(path, *SMALL, "--steps", 21)
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["weft/commit"][0] = 8
    return path


def cut_short(folder: Path, killer: Killer) -> Path:
    """A file whose view was being renewed when the program died, and the file of before as backup.h5."""
    folder.mkdir()
    path = without_view(folder / "out.h5")
    shutil.copy(path, folder / "backup.h5")
    trial = folder / "trial.h5"
    shutil.copy(path, trial)
    calls = killer.calls_of(trial, ["view", str(trial)])
    renamed = next(c.number for c in calls if c.name == "rename")
    for left in folder.glob("trial*"):
        left.unlink()
    assert killer.run_command(path, ["view", str(path)], at=renamed + 2).code in (-9, 137)
    assert Path(f"{path}.weft-undo").exists() and path.stat().st_size > (folder / "backup.h5").stat().st_size
    return path


COMMANDS = [["view"], ["recover"], ["recover", "--dry-run"]]


@pytest.mark.parametrize("how", ["cp", "mv"])
def test_beside_another_file(tmp_path: Path, killer: Killer, how: str) -> None:
    path = cut_short(tmp_path / "a", killer)
    other = tmp_path / "other.h5"
    w.run_ecg(other, "--nodes", 3 * NODES, "--steps", 40)
    data = other.read_bytes()
    subprocess.run([how, str(other), str(path)], check=True)
    append = ["run", "ecg", "--out", path, "--nodes", 3 * NODES, "--steps", 50, "--append"]
    for command in [*([*c, path] for c in COMMANDS), append]:
        outcome = w.weft(*command)
        assert outcome.code == 1 and f"remove it if {path} is the one you want" in outcome.err, outcome
        assert len(outcome.error_lines) == 1
        assert path.read_bytes() == data and Path(f"{path}.weft-undo").exists()
    outcome = w.weft("verify", path)
    assert outcome.code == 1 and "remove it if" in outcome.out
    Path(f"{path}.weft-undo").unlink()
    w.weft_ok("view", path)
    w.check_file(path, 3 * NODES, 40)


@pytest.mark.parametrize("how", ["cp", "mv"])
def test_beside_the_backup_of_before(tmp_path: Path, killer: Killer, how: str) -> None:
    path = cut_short(tmp_path / "a", killer)
    subprocess.run([how, str(path.parent / "backup.h5"), str(path)], check=True)
    data = path.read_bytes()
    dry = w.weft_ok("recover", path, "--dry-run", "--json").json
    assert dry["actions"][0] == "remove the undo file of a change that never reached the file"
    assert path.read_bytes() == data
    w.weft_ok("view", path)
    assert not Path(f"{path}.weft-undo").exists()
    w.check_h5dump(path)


def test_beside_a_copy_elsewhere(tmp_path: Path, killer: Killer) -> None:
    path = cut_short(tmp_path / "a", killer)
    before = (path.parent / "backup.h5").read_bytes()
    shutil.copytree(path.parent, tmp_path / "b")
    copy = tmp_path / "b" / "out.h5"
    report = w.weft_ok("recover", copy, "--json").json
    assert report["actions"][0] == "undo a metadata change that was interrupted"
    assert w.weft("verify", copy).code == 0 and not Path(f"{copy}.weft-undo").exists()
    assert len(before) > 0 and w.check_committed(copy, NODES, 21) == 8


CHANGING: dict[str, list[object]] = {
    "append": ["run", "ecg", *SMALL, "--steps", 21, "--append", "--out"],
    "view": ["view"],
    "checksums": ["verify", "--add-checksums"],
    "repack": ["repack", "--in-place"],
}


@pytest.mark.parametrize("name", CHANGING)
def test_whatever_changes_the_file_next_undoes_it(tmp_path: Path, killer: Killer, name: str) -> None:
    path = cut_short(tmp_path / "a", killer)
    w.weft_ok(*CHANGING[name], path)
    assert not Path(f"{path}.weft-undo").exists()
    assert w.weft("verify", path).code == 0
    assert w.check_committed(path, NODES, 21) == (21 if name == "append" else 8)
    with h5py.File(path, "r") as file:
        assert file["weft/writer"][3] % 2 == 0
    w.check_h5dump(path)


def but_for_the_count(path: Path) -> bytes:
    """A file's bytes without the word that counts changes: one that was taken back was begun, too."""
    data = bytearray(path.read_bytes())
    with h5py.File(path, "r") as file:
        at = file["weft/writer"].id.get_offset() + 3 * 8
    data[at : at + 8] = bytes(8)
    return bytes(data)


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC])
def test_a_write_that_fails_is_taken_back(tmp_path: Path, killer: Killer, error: int) -> None:
    begun = without_view(tmp_path / "begun.h5")
    whole = tmp_path / "whole.h5"
    shutil.copy(begun, whole)
    calls = killer.calls_of(whole, ["view", str(whole)])
    made = next(c.number for c in calls if c.name == "rename" and c.path.endswith(".weft-undo.part"))
    overwrites = [c.number for c in calls if c.number > made and c.name == "pwritev" and c.path == str(whole)]
    assert len(overwrites) >= 2

    def fail_at(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "out.h5"
        shutil.copy(begun, path)
        outcome = killer.run_command(path, ["view", str(path)], at=number, torn=True, error=error)
        call = next(c for c in calls if c.number == number)
        if outcome.code == 0:
            # Scratch files that cannot be removed do no harm; the next change sees to them.
            assert call.name == "unlink" and not call.path.endswith(".weft-undo"), f"{call}"
        elif call.name != "unlink":
            assert outcome.code == 1 and len(outcome.error_lines) == 1, f"{call}: {outcome}"
            assert but_for_the_count(path) == but_for_the_count(begun), f"{call}: the file is as it was"
            assert [p.name for p in folder.iterdir()] == ["out.h5"], f"{call}"
        w.weft_ok("view", path)
        assert w.weft("verify", path, "--quick").code == 0
        assert [p.name for p in folder.iterdir() if ".weft-" in p.name] == [], f"{call}"

    in_parallel(fail_at, [c.number for c in calls if ".xdmf" not in c.path])  # that is written when the file is done


# In a small process of its own: a child's peak counts what it had of its parent before it became weft.
PEAK = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""
PEAK_WITHOUT = 80  # MiB: weft and its libraries take 40


@pytest.mark.parametrize("chunks", [None, (1 << 17,), (1 << 10,)], ids=["contiguous", "chunked", "in small chunks"])
def test_a_large_dataset_of_others(tmp_path: Path, chunks: tuple[int] | None) -> None:
    path = without_view(tmp_path / "out.h5")
    values = np.random.default_rng(3).random(12 << 20)  # 96 MiB
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file.create_dataset("mine/noise", data=values, chunks=chunks)
        file.create_dataset("mine/few", data=np.arange(1000))

    outcome = w.call([sys.executable, "-c", PEAK, w.WEFT, "view", str(path)])
    assert outcome.code == 0, outcome
    peak = int(outcome.out.splitlines()[-1])
    assert peak < PEAK_WITHOUT << 10, f"{peak} KiB"
    with h5py.File(path, "r") as file:
        assert np.array_equal(file["mine/noise"][...], values)
        assert np.array_equal(file["mine/few"][...], np.arange(1000))
        assert file["VTKHDF/Steps"].attrs["NSteps"] == 8
    assert w.weft("verify", path, "--quick").code == 0
    path.unlink()
