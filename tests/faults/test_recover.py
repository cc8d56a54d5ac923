"""`weft recover` after writers were killed by SIGKILL in place of a write: what was committed is there, exactly, and
`weft verify` finds nothing wrong; and recover itself killed. A sound file is not touched, and files of others neither.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from killing import Call, Killer, clear, in_parallel, made_at, raised_before, slot_address

NODES = 211
SMALL = ["--nodes", NODES, "--target", "2KiB"]


def recover(path: Path, *arguments: object) -> Any:
    report = w.weft_ok("recover", path, "--json", *arguments).json
    assert report["changed"] == (bool(report["actions"]) and not report["dry_run"])
    return report


def check_recovered(path: Path, steps: int, fields: str = "joint", nodes: int = NODES) -> int:
    """Recovers, and checks that the file holds its committed steps and nothing else. Returns how many there are."""
    report = recover(path)
    committed = w.check_committed(path, nodes, steps, fields)
    assert report["steps"] == committed
    with h5py.File(path, "r") as file:
        for name in ("time", *w.expected_fields(1, 1, fields)):
            assert len(file[name]) == committed, f"{path}: {name} has {len(file[name])} steps"
        assert committed == 0 or file["VTKHDF/Steps"].attrs["NSteps"] == committed
    w.check_h5dump(path)
    found = w.weft_ok("verify", path, "--json").json
    assert [c for c in found["checks"] if c["verdict"] == "note"] == [], "nothing is left to say"
    before = path.read_bytes()
    again = recover(path)
    assert again["actions"] == [] and again["steps"] == committed and path.read_bytes() == before
    return committed


def kill_in_each(
    tmp_path: Path,
    killer: Killer,
    arguments: list[Any],
    steps: int,
    *,
    one_in: int,
    torn: bool = False,
    begun: Path | None = None,
) -> None:
    """Kills at one call in so many from where the file is made, recovers, and goes on with the series."""
    whole = tmp_path / "whole.h5"
    if begun is not None:
        shutil.copy(begun, whole)
    arguments = [*SMALL, "--steps", steps, *arguments]
    calls = killer.calls(whole, *arguments)
    w.check_file(whole, NODES, steps)
    slot = slot_address(whole)
    made = made_at(calls)
    # Changes of metadata are few and the delicate part: each of their calls, and some of the data's.
    at_slot = [c.number for c in calls if c.offset == slot and c.bytes == 8]
    delicate = {c.number for c in calls if ".weft-" in c.path or c.number > max(at_slot)}
    numbers = sorted({c.number for c in calls[made::one_in]} | {n for n in delicate if n > made})
    on = [a for a in arguments if a not in ("--unknown-steps", "--append")]

    def kill_at(number: int) -> None:
        folder = tmp_path / str(number)
        folder.mkdir()
        path = folder / "out.h5"
        if begun is not None:
            shutil.copy(begun, path)
        outcome = killer.run(path, *arguments, at=number, torn=torn)
        if outcome.code != 0:  # a change of metadata may need a call or two fewer than in the whole run
            assert outcome.code in (-9, 137), f"call {number}: {outcome}"
        committed = check_recovered(path, steps)
        if outcome.code != 0 and begun is None:
            assert committed == raised_before(calls, slot, number), f"call {number}"
        assert [p.name for p in folder.iterdir()] == ["out.h5"], f"call {number} leaves something beside"
        if number % 3 == 0:
            w.run_ecg(path, *on, "--append")
            w.check_file(path, NODES, steps)
            assert w.weft("verify", path, "--quick").code == 0
        clear(path)

    in_parallel(kill_at, numbers)


@pytest.mark.parametrize("torn", [False, True])
def test_known_steps(tmp_path: Path, killer: Killer, torn: bool) -> None:
    kill_in_each(tmp_path, killer, ["--budget", "30KiB"], 21, one_in=9, torn=torn)


def test_unknown_steps(tmp_path: Path, killer: Killer) -> None:
    # 75 steps fit the first segment: a second one is added, and the length set at the end.
    kill_in_each(tmp_path, killer, ["--budget", "1MiB", "--unknown-steps"], 80, one_in=29)


def test_going_on(tmp_path: Path, killer: Killer) -> None:
    # The datasets end before their room does, and are made longer first.
    begun = tmp_path / "begun.h5"
    w.run_ecg(begun, *SMALL, "--budget", "1MiB", "--steps", 70, "--unknown-steps")
    kill_in_each(tmp_path, killer, ["--budget", "1MiB", "--append"], 77, one_in=19, begun=begun)


@pytest.mark.parametrize("strategy", ["per-step", "cached"])
@pytest.mark.parametrize("unknown", [False, True], ids=["known", "unknown"])
def test_collective_strategies(tmp_path: Path, killer: Killer, strategy: str, unknown: bool) -> None:
    steps = 80 if unknown else 21
    arguments = [*SMALL, "--steps", steps, "--strategy", strategy, *(["--unknown-steps"] if unknown else [])]
    whole = tmp_path / "whole.h5"
    calls = killer.calls(whole, *arguments)
    slot = slot_address(whole)
    made = made_at(calls)
    one_in = max(1, (len(calls) - made) // 25)
    seen: dict[int, int] = {}

    def kill_at(number: int) -> None:
        path = tmp_path / f"killed-{number}.h5"
        outcome = killer.run(path, *arguments, at=number)
        assert outcome.code != 0 or number > len(calls) - 4, f"call {number}: {outcome}"
        # Asked of the file, not of the whole run: what MPI-IO writes, and when, is not the same in each.
        raised = int.from_bytes(path.read_bytes()[slot : slot + 8], "little")
        assert check_recovered(path, steps) == raised, f"call {number}"
        seen[number] = raised
        clear(path)

    in_parallel(kill_at, range(made, len(calls) + 1, one_in))
    assert seen[min(seen)] == 0 and max(seen.values()) > 0, seen
    assert strategy == "cached" or len(set(seen.values())) > 3, seen


@pytest.mark.parametrize("rank", [0, 1])
def test_one_of_two_ranks(tmp_path: Path, killer: Killer, rank: int) -> None:
    arguments = [*SMALL, "--steps", 80, "--budget", "400KiB", "--unknown-steps"]
    whole = tmp_path / f"whole-{rank}.h5"
    calls = killer.calls(whole, *arguments, ranks=2, rank=rank)
    made = max((c.number for c in calls if c.path.endswith(".weft-part")), default=0) + 1
    for number in range(made, len(calls) + 1, max(1, (len(calls) - made) // 10)):
        path = tmp_path / f"killed-{number}.h5"
        outcome = killer.run(path, *arguments, at=number, ranks=2, rank=rank)
        if outcome.code == 0:  # it made fewer writes: the other rank raised the slot more often
            w.check_file(path, NODES, 80)
        else:
            check_recovered(path, 80)
        clear(path)


def state_of_a_kill(tmp_path: Path, killer: Killer) -> Path:
    """A folder with a file whose metadata were being changed when its writer died, and whose series had not ended."""
    arguments = [*SMALL, "--steps", 80, "--budget", "1MiB", "--unknown-steps"]
    whole = tmp_path / "whole.h5"
    calls = killer.calls(whole, *arguments)
    renamed = next(c.number for c in calls if c.name == "rename" and c.path.endswith(".weft-undo.part"))
    folder = tmp_path / "state"
    folder.mkdir()
    assert killer.run(folder / "out.h5", *arguments, at=renamed + 2).code in (-9, 137)
    assert (folder / "out.h5.weft-undo").exists()
    return folder


def test_recover_is_killed(tmp_path: Path, killer: Killer) -> None:
    state = state_of_a_kill(tmp_path, killer)

    def fresh(name: str) -> Path:
        shutil.copytree(state, tmp_path / name)
        return tmp_path / name / "out.h5"

    path = fresh("whole")
    calls = killer.calls_of(path, ["recover", str(path)])
    committed = w.check_committed(path, NODES, 80)
    assert committed > 60 and len(calls) >= 10

    def kill_at(number: int) -> None:
        killed = fresh(str(number))
        outcome = killer.run_command(killed, ["recover", str(killed)], at=number)
        assert outcome.code == 1 or number > len(calls) - 3, f"call {number}: {outcome}"
        assert check_recovered(killed, 80) == committed, f"call {number}"
        assert [p.name for p in killed.parent.iterdir()] == ["out.h5"]

    in_parallel(kill_at, range(1, len(calls) + 1))


def test_a_dry_run_touches_nothing(tmp_path: Path, killer: Killer) -> None:
    state = state_of_a_kill(tmp_path, killer)
    before = {p.name: p.read_bytes() for p in state.iterdir()}
    report = recover(state / "out.h5", "--dry-run")
    assert report["actions"] == ["undo a metadata change that was interrupted"] and report["steps"] is None
    assert "see what else there is to do" in w.weft_ok("recover", state / "out.h5", "--dry-run").out
    assert {p.name: p.read_bytes() for p in state.iterdir()} == before

    path = tmp_path / "cut.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 8
    data = path.read_bytes()
    report = recover(path, "--dry-run")
    assert report["actions"] == ["end the series with its 8 committed steps, of 21"] and report["steps"] == 8
    assert path.read_bytes() == data


def test_checksums_of_steps_that_are_cut_go_with_them(tmp_path: Path) -> None:
    """They were taken of datasets as long as there is room, and these become shorter."""
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 8
    w.weft_ok("verify", path, "--add-checksums")
    recover(path)
    with h5py.File(path, "r") as file:
        assert len(file["Data"]) == 8
    w.weft_ok("verify", path)


def test_a_sound_file_is_not_touched(tmp_path: Path) -> None:
    for arguments in list[list[str]]([[], ["--unknown-steps"], ["--mesh", "none"], ["--reduce", "peak"]]):
        path = tmp_path / "out.h5"
        w.run_ecg(path, *SMALL, "--steps", 21, *arguments)
        before = path.read_bytes(), path.stat().st_mtime_ns
        outcome = w.weft_ok("recover", path)
        assert outcome.out == f"{path} is sound, with 21 steps: nothing to recover\n"
        assert (path.read_bytes(), path.stat().st_mtime_ns) == before


def test_no_step_was_committed(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 0
    assert check_recovered(path, 21) == 0
    w.run_ecg(path, *SMALL, "--steps", 21, "--append")
    w.check_file(path, NODES, 21)
    assert w.weft("verify", path).code == 0


def test_a_view_of_fewer_steps(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 8
    w.weft_ok("view", path)
    with h5py.File(path, "r+") as file:
        file["weft/commit"][0] = 21
    report = recover(path)
    assert report["actions"] == ["let the view show all 21 steps, not 8"]
    assert "makes it again" in w.weft_ok("recover", path, "--json").out or check_recovered(path, 21) == 21


KILLED_IN_H5PY = """
import h5py, os, sys
file = h5py.File(sys.argv[1], sys.argv[2], libver=("v110", "v110"))
file.attrs["more"] = 1
file.flush()
os._exit(0)
"""


def leave_marked(path: Path, mode: str) -> bytes:
    subprocess.run([sys.executable, "-c", KILLED_IN_H5PY, str(path), mode], check=True)
    assert path.read_bytes()[11] & 1, "marked as being written"
    return path.read_bytes()


def test_a_mark_left_by_another_program(tmp_path: Path) -> None:
    """HDF5 marks files of superblock 3, as those of format 1 are."""
    path = tmp_path / "out.h5"
    path.write_bytes(gzip.decompress((Path(__file__).parents[1] / "format_1" / "known.h5.gz").read_bytes()))
    marked = leave_marked(path, "r+")
    outcome = w.weft("verify", path)
    assert outcome.code == 1 and "weft recover removes the mark" in outcome.out
    assert recover(path, "--dry-run")["actions"] == ["remove the mark of a program that was writing it"]
    assert path.read_bytes() == marked
    assert check_recovered(path, 20, nodes=40) == 20
    after = path.read_bytes()
    different = [i for i, (a, b) in enumerate(zip(marked, after, strict=True)) if a != b]
    assert set(different) <= {11, 44, 45, 46, 47}, "the mark and the checksum of the superblock alone"
    path.write_bytes(marked)
    assert w.call(["h5clear", "-s", str(path)]).code == 0
    assert path.read_bytes() == after, "as h5clear does it"


def test_what_a_killed_command_was_making_in_its_place(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    parts = [Path(f"{path}.weft-part"), Path(f"{path}.weft-part-spill")]
    for part in parts:
        part.write_bytes(b"half of it")
    left = {c["check"]: c for c in w.weft_ok("verify", path, "--json").json["checks"]}["left over"]
    assert left["verdict"] == "note" and "an unfinished file of a command that died" in left["problems"][0]
    said = "remove the unfinished file of a command that died"
    assert recover(path, "--dry-run")["actions"] == [said] and all(part.exists() for part in parts)
    assert recover(path)["actions"] == [said]
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]
    assert check_recovered(path, 21) == 21


def refused(path: Path, words: str, code: int = 1) -> None:
    before = path.read_bytes()
    for arguments in list[list[str]]([[], ["--dry-run"]]):
        outcome = w.weft("recover", path, *arguments)
        assert outcome.code == code and outcome.out == "" and len(outcome.error_lines) == 1, outcome
        assert words in outcome.err
    assert path.read_bytes() == before


def test_what_is_not_wefts_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.h5"
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(5)
    refused(path, "is not a Weft file; what others wrote is not recovered")
    path.unlink()
    leave_marked(path, "w")
    refused(path, f"h5clear -s {path} removes the mark")
    path.write_text("no HDF5 here\n" * 100)
    refused(path, "is not an HDF5 file")
    outcome = w.weft("recover", tmp_path / "none.h5")
    assert outcome.code == 1 and "No such file" in outcome.err


def test_what_is_beyond_recovering(tmp_path: Path, killer: Killer) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    whole = path.read_bytes()
    path.write_bytes(whole[:5000])
    refused(path, "is truncated: it has 5,000 of")
    path.write_bytes(whole[:13] + b"\xff" + whole[14:])
    refused(path, "has a damaged superblock")
    path.write_bytes(whole)
    Path(f"{path}.weft-undo").write_bytes(b"no CBOR")
    outcome = w.weft("recover", path)
    assert outcome.code == 1 and "weft-undo: is damaged; keep both files" in outcome.err
    assert path.read_bytes() == whole
    clear(path)

    calls: list[Call] = killer.calls(path, *SMALL, "--steps", 21)
    for number in range(1, made_at(calls)):
        clear(path)
        assert killer.run(path, *SMALL, "--steps", 21, at=number).code in (-9, 137)
        assert not path.exists()
        outcome = w.weft("recover", path)
        assert outcome.code == 1 and len(outcome.error_lines) == 1, f"call {number}: {outcome}"
        if Path(f"{path}.weft-part").exists():
            assert "killed before its file was whole" in outcome.err


def test_a_file_that_is_being_written(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 21)
    with path.open("r+b") as held:
        outcome = w.weft("recover", path)
        if outcome.code == 0:
            pytest.skip("the file system does not tell who has a file open")
        assert outcome.code == 2 and "a program has it open" in outcome.err
        assert held.fileno() >= 0
    assert recover(path)["actions"] == []
    assert os.stat(path).st_size > 0
