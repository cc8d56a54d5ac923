"""The recorded steps of real simulations, written again by every strategy, equal their source: values, types, times."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

CHASTE = w.DATA / "chaste"
RECORDINGS = sorted(CHASTE.glob("*.h5"))
pytestmark = pytest.mark.skipif(not RECORDINGS, reason=f"no recordings in {CHASTE}")


def times_of(file: h5py.File, dataset: str) -> w.Values:
    for name in (f"{dataset}_Unlimited", "Time"):
        if name in file and len(file[name]) == len(file[dataset]):
            return np.asarray(file[name][...], dtype=np.float64)
    return np.arange(len(file[dataset]), dtype=np.float64)


def check_replay(out: Path, recording: Path, dataset: str) -> None:
    with h5py.File(recording, "r") as source, h5py.File(out, "r") as written:
        assert w.same_bits(written[dataset][...], source[dataset][...])
        assert w.same_bits(written["time"][...], times_of(source, dataset))
    assert w.committed_steps(out) == len(times_of(h5py.File(recording, "r"), dataset))


@pytest.mark.parametrize("recording", RECORDINGS, ids=[r.stem for r in RECORDINGS])
@pytest.mark.parametrize(
    ("strategy", "ranks", "ownership", "layout"),
    [
        ("owner", 1, "blocks", "reads"),
        ("owner", 3, "scatter", "isotropic"),
        ("cached", 1, "blocks", "rows"),
        ("cached", 3, "uneven", "isotropic"),
        ("per-step", 1, "blocks", "reads"),
        ("per-step", 3, "blocks", "rows"),
    ],
)
def test_replay(tmp_path: Path, recording: Path, strategy: str, ranks: int, ownership: str, layout: str) -> None:
    out = tmp_path / "again.h5"
    options = ["--strategy", strategy, "--ownership", ownership, "--layout", layout, "--target", "16KiB"]
    report = w.run_ecg(out, "--source", "replay", "--from", recording, *options, ranks=ranks)
    check_replay(out, recording, "Data")
    with h5py.File(recording, "r") as source:
        assert [report["steps"], report["nodes"]] == list(source["Data"].shape[:2])


def test_a_dataset_that_is_named(tmp_path: Path) -> None:
    recording = CHASTE / "full_format_extended.h5"
    out = tmp_path / "again.h5"
    w.run_ecg(out, "--source", "replay", "--from", f"{recording}:Postprocessing", ranks=2)
    check_replay(out, recording, "Postprocessing")


def test_so_many_nodes_and_steps_only(tmp_path: Path) -> None:
    out = tmp_path / "again.h5"
    recording = CHASTE / "bidomain_3d.h5"
    w.run_ecg(out, "--source", "replay", "--from", recording, "--nodes", 37, "--steps", 11, ranks=3)
    with h5py.File(recording, "r") as source, h5py.File(out, "r") as written:
        assert w.same_bits(written["Data"][...], source["Data"][:11, :37])
        assert w.same_bits(written["time"][...], source["Data_Unlimited"][:11])


def test_what_was_written_is_replayed_in_turn(tmp_path: Path) -> None:
    first, second = tmp_path / "first.h5", tmp_path / "second.h5"
    w.run_ecg(first, "--source", "replay", "--from", CHASTE / "three_variables.h5", ranks=2)
    w.run_ecg(second, "--source", "replay", "--from", first, "--layout", "rows", ranks=3)
    with h5py.File(first, "r") as one, h5py.File(second, "r") as two:
        assert w.same_bits(one["Data"][...], two["Data"][...])
        assert w.same_bits(one["time"][...], two["time"][...])
