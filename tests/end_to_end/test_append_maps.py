"""Maps of quantities over time when a series goes on with fewer of them, or none."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES = 211
RUN = ["--nodes", NODES, "--target", "8KiB", "--budget", "400KiB", "--fields", "separate"]


def maps_of(path: Path) -> dict[str, tuple[int, bytes]]:
    """Of how many steps each is, and its values."""
    with h5py.File(path, "r") as file:
        return {name: (int(m.attrs["steps"]), m[...].tobytes()) for name, m in file["maps/V"].items()}


def is_sound(path: Path) -> str:
    outcome = w.weft("verify", path)
    assert outcome.code == 0, outcome.out
    return outcome.out


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("again", [["--reduce", "peak"], []], ids=["fewer", "none"])
def test_maps_that_are_not_continued_stay_as_they_were(tmp_path: Path, ranks: int | None, again: list[str]) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *RUN, "--steps", 120, "--unknown-steps", "--reduce", "peak,activation_time", ranks=ranks)
    before = maps_of(path)
    assert {steps for steps, _ in before.values()} == {120}
    outcome = w.weft_ok("run", "ecg", "--out", path, *RUN, "--steps", 150, "--append", *again, ranks=ranks)
    assert "activation_time" in outcome.out and "120 steps" in outcome.out, "the run says which maps are not continued"
    after = maps_of(path)
    assert after["activation_time"] == before["activation_time"]
    assert after["peak"][0] == (150 if again else 120)
    assert "covers 120 of 150 steps: the run that appended" in is_sound(path)

    # With it again, it is of all steps.
    w.run_ecg(path, *RUN, "--steps", 160, "--append", "--reduce", "peak,activation_time", ranks=ranks)
    assert {steps for steps, _ in maps_of(path).values()} == {160}
    whole = tmp_path / "whole.h5"
    w.run_ecg(whole, *RUN, "--steps", 160, "--reduce", "peak,activation_time")
    assert maps_of(path) == maps_of(whole)
    is_sound(path)


@pytest.mark.parametrize("again", [["--reduce", "peak"], []], ids=["fewer", "none"])
def test_maps_of_steps_that_are_written_anew_show_nothing(tmp_path: Path, again: list[str]) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *RUN, "--steps", 120, "--unknown-steps", "--reduce", "peak,activation_time")
    w.run_ecg(path, *RUN, "--steps", 110, "--append", "--from-step", 60, *again)
    with h5py.File(path, "r") as file:
        stale = file["maps/V/activation_time"]
        assert stale.attrs["steps"] == 0 and np.isnan(stale[...]).all() and stale.attrs["threshold"] == -30.0
        assert file["maps/V/peak"].attrs["steps"] == (110 if again else 0)
    is_sound(path)
