"""Going on with a series: nothing is changed until all is checked, and what others put into the file stays."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES = 211
CHUNKS = ["--nodes", NODES, "--target", "8KiB", "--budget", "100KiB"]
STRATEGIES = ["owner", "cached", "per-step"]


def shown(path: Path) -> tuple[int, int]:
    """The steps of the datasets and those of the view."""
    with h5py.File(path, "r") as file:
        return len(file["time"]), int(file["VTKHDF/Steps"].attrs["NSteps"])


def is_sound(path: Path) -> None:
    outcome = w.weft("verify", path, "--quick")
    assert outcome.code == 0, outcome.out


@pytest.mark.parametrize(
    ("arguments", "ranks", "words"),
    [
        ([*CHUNKS, "--steps", 600, "--from-step", 500], None, "40 steps are committed"),
        ([*CHUNKS, "--steps", 600, "--from-step", 500], 3, "40 steps are committed"),
        (["--nodes", NODES, "--steps", 60, "--budget", "1KiB"], None, "does not hold one step twice"),
        (["--nodes", NODES, "--steps", 60, "--budget", "1KiB"], 2, "does not hold one step twice"),
        (["--steps", 60, "--nodes", NODES + 1], 2, "append with the mesh"),
        ([*CHUNKS, "--steps", 60, "--fields", "separate"], None, "has no field"),
        ([*CHUNKS, "--steps", 60, "--reduce", "peak"], 2, "without room for maps"),
    ],
)
def test_what_is_refused_leaves_the_file_as_it_was(
    tmp_path: Path, arguments: list[object], ranks: int | None, words: str
) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 40, "--unknown-steps")
    before = path.read_bytes()
    outcome = w.weft("run", "ecg", "--out", path, "--append", *arguments, ranks=ranks)
    assert outcome.code == 2, outcome
    [line] = outcome.error_lines
    assert words in line
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]


def test_a_filtered_series_is_not_gone_on_with(tmp_path: Path) -> None:
    path, packed = tmp_path / "out.h5", tmp_path / "packed.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 40, "--unknown-steps")
    w.weft_ok("repack", path, packed, "--filter", "deflate:1")
    before = packed.read_bytes()
    outcome = w.weft("run", "ecg", "--out", packed, *CHUNKS, "--steps", 60, "--append")
    assert outcome.code == 1 and len(outcome.error_lines) == 1, outcome
    assert "deflate" in outcome.err and packed.read_bytes() == before


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_slots_are_made_anew_at_another_place(tmp_path: Path, strategy: str, ranks: int) -> None:
    # A rank of a dead run that still raises its slot must not commit steps of the new one.
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 20, ranks=2)
    places: list[int] = []
    for steps in (30, 40, 50):
        with h5py.File(path, "r") as file:
            places.append(int(file["weft/commit"].id.get_offset()))
            slots = file["weft/commit"].size
        w.run_ecg(path, *CHUNKS, "--steps", steps, "--append", "--strategy", strategy, ranks=ranks)
        with path.open("r+b") as file:
            for place in places:
                file.seek(place)
                file.write(np.full(slots, 1000, np.uint64).tobytes())
        w.check_file(path, NODES, steps)
        is_sound(path)
    assert len(set(places)) == len(places)


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("unknown", [False, True])
def test_a_view_made_during_the_run_does_not_stay(tmp_path: Path, unknown: bool, ranks: int | None) -> None:
    # What `weft view` in the middle of a run leaves when the run goes on to a clean end: it is made while the run waits.
    path = tmp_path / "out.h5"
    steps, slow = 60, ["--compute", "40"]
    command = w.on_ranks(ranks, [w.WEFT, "run", "ecg", "--out", str(path), *map(str, CHUNKS), "--steps", str(steps)])
    command += [*slow, *(["--unknown-steps"] if unknown else [])]
    with (
        w.own_session() as settings,
        subprocess.Popen(command, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run,
    ):
        while run.poll() is None and not (path.exists() and w.committed_steps(path) > 0):
            pass
        shorten_view(path, 8)
        assert run.poll() is None, "the run is still under way"
        _, err = run.communicate(timeout=w.PATIENCE)
    assert run.returncode == 0, err
    assert shown(path) == (steps, steps)
    w.check_file(path, NODES, steps)
    is_sound(path)


def shorten_view(path: Path, steps: int) -> None:
    """As a view of fewer steps: its NSteps, in place."""
    with h5py.File(path, "r") as file:
        assert file["VTKHDF/Steps"].attrs["NSteps"] != steps
    with h5py.File(path, "r+", locking=False) as file:
        file["VTKHDF/Steps"].attrs.modify("NSteps", steps)


def test_attributes_and_scales_put_on_a_field_stay(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 40, "--unknown-steps", "--fields", "separate")
    with h5py.File(path, "r+") as file:
        file["V"].attrs["patient"] = "none"
        file["V"].attrs["numbers"] = np.arange(5)
        file["time"].attrs["epoch"] = "stimulus"
        file["number"] = np.arange(NODES)
        file["number"].make_scale("node number")
        file["V"].dims[1].detach_scale(file["node"])
        file["V"].dims[1].attach_scale(file["number"])
        file["V"].dims[1].label = "node"
    for steps in (50, 64, 70):  # 75 steps fit the segment
        w.run_ecg(path, *CHUNKS, "--steps", steps, "--append", "--fields", "separate")
        with h5py.File(path, "r") as file:
            assert file["V"].attrs["patient"] == "none" and file["V"].attrs["numbers"].tolist() == [0, 1, 2, 3, 4]
            assert file["time"].attrs["epoch"] == "stimulus"
            assert file["V"].dims[1].label == "node" and file["V"].dims[1][0] == file["number"]
            assert file["V"].dims[0][0] == file["time"]
            assert len(file["number"].attrs["REFERENCE_LIST"]) == 1
        is_sound(path)
        w.check_file(path, NODES, steps, "separate")


def test_a_file_that_is_longer_than_it_says(tmp_path: Path) -> None:
    """As after a kill while its metadata were changed: HDF5 puts what is new where the file ends for it."""
    begun, path = tmp_path / "begun.h5", tmp_path / "out.h5"
    w.run_ecg(begun, *CHUNKS, "--steps", 70, "--unknown-steps")
    for extra in range(8, 40_000, 488):
        shutil.copy(begun, path)
        with path.open("ab") as file:
            file.write(bytes(extra))
        outcome = w.weft("run", "ecg", "--out", path, *CHUNKS, "--steps", 71, "--append")
        assert outcome.code == 0, outcome
        with h5py.File(path, "r") as file:
            slots = file["weft/commit"][:]
            assert slots[0] == 71 and (slots[1:] == 2**64 - 1).all(), f"{extra} bytes more"
            assert file["time"][:].tolist() == list(range(71))
