"""Series that grow: of unknown length, gone on with, gone back to a restart point, on another number of ranks."""

from __future__ import annotations

from pathlib import Path

import h5py
import pytest
import weft_run as w

NODES = 211
CHUNKS = ["--nodes", NODES, "--target", "8KiB", "--budget", "100KiB"]


@pytest.mark.parametrize(
    ("strategy", "ranks", "steps", "ownership"),
    [
        ("owner", 1, 64, "blocks"),  # fits the first segment: none is added
        ("owner", 3, 65, "scatter"),
        ("owner", 2, 300, "blocks"),
        ("owner", 7, 131, "uneven"),
        ("cached", 3, 131, "scatter"),
        ("per-step", 2, 67, "blocks"),
        ("owner", 2, 5, "blocks"),
    ],
)
@pytest.mark.parametrize("fields", ["joint", "separate"])
def test_unknown_steps(tmp_path: Path, strategy: str, ranks: int, steps: int, ownership: str, fields: str) -> None:
    path = tmp_path / "out.h5"
    options = ["--strategy", strategy, "--ownership", ownership, "--fields", fields, "--mesh", "box"]
    w.run_ecg(path, *CHUNKS, "--steps", steps, "--unknown-steps", *options, ranks=ranks)
    w.check_file(path, NODES, steps, fields)
    w.check_h5dump(path)
    with h5py.File(path, "r") as file:
        room = int(file["/weft/segments/0"].attrs["room"])
        stretches = (len(file["/weft/segments/0"].attrs["room of time"]) - 1) // 2
    # It was doubled, and the last time was needed.
    assert room >= steps and (room // 2 < steps or stretches == 1)
    info = w.weft_ok("info", path, "--json").json
    assert info["segments"] == [{"first_step": 0, "steps": room}]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.h5"], "nothing is left beside the file"


@pytest.mark.parametrize("doublings", [0, 1, 2])
def test_steps_that_just_fit(tmp_path: Path, doublings: int) -> None:
    # Nothing is cut at the end: what adding room made of the view has to stand.
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 1, "--unknown-steps")
    with h5py.File(path, "r") as file:
        steps = int(file["/weft/segments/0"].attrs["room"]) * 2**doublings
    w.run_ecg(path, *CHUNKS, "--steps", steps, "--unknown-steps", "--mesh", "box")
    w.check_file(path, NODES, steps)
    with h5py.File(path, "r") as file:
        assert file["/weft/segments/0"].attrs["room"] == steps
        assert file["/VTKHDF/Steps/Values"].id == file["/time"].id


@pytest.mark.parametrize("unknown", [True, False])
@pytest.mark.parametrize("strategy", ["owner", "cached", "per-step"])
def test_going_on_with_a_finished_series(tmp_path: Path, strategy: str, unknown: bool) -> None:
    # Another number of ranks each time; 23 is not a multiple of a chunk's steps.
    path = tmp_path / "out.h5"
    flag = ["--unknown-steps"] if unknown else []
    w.run_ecg(path, *CHUNKS, "--steps", 23, *flag, ranks=2)
    for steps, ranks, ownership in [(47, 3, "scatter"), (48, 1, "blocks"), (150, 4, "uneven")]:
        options = ["--strategy", strategy, "--ownership", ownership]
        w.run_ecg(path, *CHUNKS, "--steps", steps, "--append", *options, ranks=ranks)
        w.check_file(path, NODES, steps)
    w.check_h5dump(path)


@pytest.mark.parametrize("strategy", ["owner", "cached", "per-step"])
@pytest.mark.parametrize(("first", "back_to", "end"), [(37, 11, 37), (37, 0, 20), (150, 70, 151), (37, 37, 37)])
def test_going_back_to_a_restart_point(tmp_path: Path, strategy: str, first: int, back_to: int, end: int) -> None:
    # The first run writes other values, of a heart with twice the nodes dealt out: a step that is not rewritten shows.
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", first, "--unknown-steps", ranks=3)
    with h5py.File(path, "r+") as file:
        for number in range(len(file["/weft/segments"])):
            start = int(file[f"/weft/segments/{number}"].attrs["first_step"])
            data = file[f"/weft/segments/{number}/Data"]
            if back_to < start + len(data):
                data[max(0, back_to - start) :] = -1.0
    options = ["--strategy", strategy, "--append", "--from-step", back_to]
    w.run_ecg(path, *CHUNKS, "--steps", end, *options, ranks=2)
    w.check_file(path, NODES, end)


def test_a_restart_point_behind_the_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 20)
    for ranks in (1, 3):
        outcome = w.weft(
            "run", "ecg", "--out", path, *CHUNKS, "--steps", 30, "--append", "--from-step", 21, ranks=ranks
        )
        assert outcome.code == 2
        [line] = outcome.error_lines
        assert "21" in line and "20 steps are committed" in line
        w.check_file(path, NODES, 20)


def test_the_report_is_of_what_this_run_wrote(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    assert w.run_ecg(path, *CHUNKS, "--steps", 30)["steps_written"] == 30
    report = w.run_ecg(path, *CHUNKS, "--steps", 40, "--append", "--yardstick")
    assert (report["steps"], report["steps_before"], report["steps_written"]) == (40, 30, 10)
    assert report["bytes"] == 10 * NODES * 2 * 8
    again = ["run", "ecg", "--out", path, *CHUNKS, "--steps", 20, "--append"]
    assert w.weft_ok(*again).out.startswith(f"ecg: nothing to write: {path} has 40 steps, and the run ends after 20\n")
    assert w.weft_ok(*again, "--json").json["bytes"] == 0


def test_other_nodes_cannot_be_appended(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 20)
    outcome = w.weft("run", "ecg", "--out", path, "--nodes", NODES + 1, "--steps", 30, "--append", ranks=2)
    assert outcome.code == 2
    assert len(outcome.error_lines) == 1
    w.check_file(path, NODES, 20)


def test_a_new_series_does_not_inherit_the_undo_file_of_an_old_one(tmp_path: Path) -> None:
    # What a run killed while it added a segment leaves beside the file belongs to that file, not to its successor.
    path = tmp_path / "out.h5"
    w.run_ecg(path, *CHUNKS, "--steps", 10)
    old = path.read_bytes()
    undo = bytes([0xA2]) + _cbor_text("size") + _cbor_number(len(old)) + _cbor_text("ranges")
    undo += bytes([0x81, 0xA2]) + _cbor_text("at") + bytes([0]) + _cbor_text("bytes") + bytes([0x58, 96]) + old[:96]
    Path(f"{path}.weft-undo").write_bytes(undo)
    w.run_ecg(path, "--nodes", 2 * NODES, "--steps", 10)
    w.check_file(path, 2 * NODES, 10)
    w.run_ecg(path, "--nodes", 2 * NODES, "--steps", 30, "--append")
    w.check_file(path, 2 * NODES, 30)


def _cbor_text(text: str) -> bytes:
    return bytes([0x60 + len(text)]) + text.encode()


def _cbor_number(number: int) -> bytes:
    return bytes([0x1A]) + number.to_bytes(4, "big")
