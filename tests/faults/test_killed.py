"""`owner` killed by SIGKILL in place of every write it makes, one rank.

The guarantee begins when the file is made and gets its name. Before, there is FILE.weft-part alone, and no series yet. From there on, whatever write the run dies in: h5py and h5dump open the file, every committed
step holds its exact values, and all windows before the one being written are committed. Only while a segment is added
or the length is set may a file be unreadable, and then FILE.weft-undo lies beside it: going on with it mends it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import pytest
import weft_run as w
from killing import Call, Killer, clear, in_parallel, made_at, raised_before, slot_address

NODES = 211
SMALL = ["--nodes", NODES, "--target", "2KiB"]


@pytest.mark.parametrize(("fields", "torn"), [("joint", False), ("joint", True), ("separate", False)])
def test_killed_at_every_write(tmp_path: Path, killer: Killer, fields: str, torn: bool) -> None:
    steps = 21
    arguments = [*SMALL, "--steps", steps, "--budget", "30KiB", "--fields", fields]
    whole = tmp_path / "whole.h5"
    calls = killer.calls(whole, *arguments)
    w.check_file(whole, NODES, steps, fields)
    slot = slot_address(whole)
    made = made_at(calls)
    windows = sum(c.offset == slot and c.bytes == 8 for c in calls)
    assert windows >= 5, "the case has many windows"

    def kill_at(number: int) -> None:
        path = tmp_path / f"killed-{number}.h5"
        outcome = killer.run(path, *arguments, at=number, torn=torn)
        assert outcome.code in (-9, 137), f"call {number}: {outcome}"
        if number < made:
            return check_not_made(path)
        w.check_h5dump(path)
        # Exactly: neither a step too many nor a window that was whole and is lost.
        assert w.check_committed(path, NODES, steps, fields) == raised_before(calls, slot, number), f"call {number}"
        path.unlink()

    in_parallel(kill_at, range(made if torn or fields == "separate" else 1, len(calls) + 1))
    survivor = tmp_path / "survivor.h5"
    assert killer.run(survivor, *arguments, at=len(calls) + 1).code == 0


def check_not_made(path: Path) -> None:
    """Nothing has the file's name, `weft recover` says so, and the next run clears away what was begun."""
    assert not path.exists()
    outcome = w.weft("recover", path)
    assert outcome.code == 1 and len(outcome.error_lines) == 1, outcome
    w.run_ecg(path, *SMALL, "--steps", 3)
    assert not Path(f"{path}.weft-part").exists()
    w.check_file(path, NODES, 3)
    clear(path)


def ran_through(outcome: w.Outcome, number: int, calls: list[Call]) -> bool:
    """Whether a run ended before the call it was to be killed at. A change of metadata rewrites the pages that differ,
    and those with the time in them differ from run to run, so one or two calls at the end may be missing."""
    return outcome.code == 0 and number > len(calls) - 4


def test_killed_at_every_direct_write(tmp_path: Path, killer: Killer) -> None:
    w.needs_direct_writes(tmp_path)
    nodes, steps = 8009, 12
    arguments = ["--nodes", nodes, "--steps", steps, "--target", "512KiB", "--budget", "600KiB", "--direct", "always"]
    arguments += ["--mesh", "none"]
    whole = tmp_path / "whole.h5"
    calls = killer.calls(whole, *arguments)
    w.check_file(whole, nodes, steps)
    slot = slot_address(whole)
    made = made_at(calls)
    assert sum(c.name == "io_submit" and c.number > made for c in calls) >= 15, "data go directly"

    def kill_at(number: int) -> None:
        path = tmp_path / f"killed-{number}.h5"
        outcome = killer.run(path, *arguments, at=number)
        assert outcome.code in (-9, 137), f"call {number}: {outcome}"
        w.check_h5dump(path)
        assert w.check_committed(path, nodes, steps) == raised_before(calls, slot, number), f"call {number}"
        path.unlink()

    in_parallel(kill_at, range(made, len(calls) + 1))


# With 211 nodes the first segment of a series of unknown length has 75 steps, in 3 chunks.
@pytest.mark.parametrize(
    ("before", "arguments", "steps"),
    [
        (None, ["--unknown-steps"], 80),  # a segment is added, and the length set at the end
        (70, ["--append"], 74),  # room is left in the segment, but the datasets end before it
        (70, ["--append"], 77),
    ],
    ids=["unknown", "into-the-room", "beyond-the-room"],
)
def test_killed_while_the_series_grows(
    tmp_path: Path, killer: Killer, before: int | None, arguments: list[str], steps: int
) -> None:
    large = [*SMALL, "--budget", "1MiB"]

    begun = tmp_path / "begun.h5"
    whole = tmp_path / "whole.h5"
    if before is not None:
        w.run_ecg(begun, *large, "--steps", before, "--unknown-steps")
        shutil.copy(begun, whole)
    calls = killer.calls(whole, *large, "--steps", steps, *arguments)
    w.check_file(whole, NODES, steps)
    assert sum(c.path.endswith(".weft-undo.part") and c.name == "rename" for c in calls) >= 1, "metadata is changed"
    made = made_at(calls)
    # Data writes of a chunk are alike, and dying at each of them is the other test: one in five will do here.
    last_data = max(c.number for c in calls if c.bytes == 8)
    numbers = [c.number for c in calls if c.number >= made and (c.number > last_data or c.bytes != 1600)]
    numbers += [c.number for c in calls if c.number < last_data and c.bytes == 1600][::5]

    def kill_at(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "out.h5"
        if begun.exists():
            shutil.copy(begun, path)
        outcome = killer.run(path, *large, "--steps", steps, *arguments, at=number)
        if ran_through(outcome, number, calls):
            return w.check_file(path, NODES, steps)
        assert outcome.code in (-9, 137), f"call {number}: {outcome}"
        if not Path(f"{path}.weft-undo").exists():
            w.check_h5dump(path)
            w.check_committed(path, NODES, steps)
        w.run_ecg(path, *large, "--steps", steps, "--append")
        w.check_file(path, NODES, steps)
        left = sorted(p.name for p in folder.iterdir())
        assert left == ["out.h5"], f"call {number} leaves {left}"
        clear(path)

    in_parallel(kill_at, sorted(numbers))


def test_killed_after_going_back(tmp_path: Path, killer: Killer) -> None:
    # What the first run left behind the restart point is made wrong, so that a step vouched for too early shows.
    first, back_to, steps = 21, 8, 17
    arguments = [*SMALL, "--steps", steps, "--budget", "30KiB", "--append", "--from-step", back_to]

    begun = tmp_path / "begun.h5"
    w.run_ecg(begun, *SMALL, "--steps", first, "--budget", "30KiB")
    with h5py.File(begun, "r+") as file:
        file["Data"][back_to:] = -1.0
    whole = tmp_path / "whole.h5"
    shutil.copy(begun, whole)
    calls = killer.calls(whole, *arguments)
    w.check_file(whole, NODES, steps)
    # From here on the change that readies the file is being carried over, or has been.
    saved = next(c.number for c in calls if c.name == "rename" and c.path.endswith(".weft-undo.part"))

    def kill_at(number: int) -> None:
        path = tmp_path / f"killed-{number}.h5"
        shutil.copy(begun, path)
        outcome = killer.run(path, *arguments, at=number)
        if ran_through(outcome, number, calls):
            return w.check_file(path, NODES, steps)
        assert outcome.code in (-9, 137), f"call {number}: {outcome}"
        cut_short = Path(f"{path}.weft-undo").exists()
        if cut_short:
            w.run_ecg(path, *SMALL, "--steps", steps, "--append")
        w.check_h5dump(path)
        if cut_short and w.committed_steps(path) != first:
            w.check_file(path, NODES, steps)  # the change had been made to its end, and the rest was added
        elif cut_short or number <= saved:
            assert w.committed_steps(path) == first  # undone, or not begun
        else:
            assert w.check_committed(path, NODES, steps) >= back_to
        clear(path)

    in_parallel(kill_at, range(1, len(calls) + 1))
