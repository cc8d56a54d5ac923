"""Committed means committed: steps that are written, steps that are on the disk, and which of them count after a machine
has gone down. A power cut is made of a killed run by another boot id in the file, which is what a restart leaves.
"""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from test_one_writer import NODES, SMALL, running, wait_for

# Windows of hundreds of steps.
WIDE: list[object] = ["--nodes", NODES, "--target", "128KiB", "--budget", "64MiB"]


def slots(path: Path, name: str) -> Any:
    with h5py.File(path, "r") as file:
        values = file[f"weft/{name}"][:]
    used = values[values != w.IDLE_SLOT]
    return int(used.min()) if len(used) else None


def wait_for_disk(path: Path, steps: int) -> None:
    """Until so many steps are on the disk, not only written."""
    wait_for(path, steps)
    until = time.monotonic() + w.PATIENCE
    while slots(path, "durable") < steps and time.monotonic() < until:
        time.sleep(0.05)
    assert slots(path, "durable") >= steps


def go_down(path: Path) -> None:
    """As if the machine had been restarted since: the file has another boot id, and nobody holds its lock."""
    with h5py.File(path, "r") as file:
        at = file["weft/writer"].id.get_offset()
    with open(path, "r+b") as raw:
        raw.seek(at + 8)
        raw.write(np.array([1, 2], dtype="<u8").tobytes())
    path.with_name(path.name + ".weft-lock").unlink(missing_ok=True)


def committed(path: Path) -> int:
    return int(w.weft_ok("info", path, "--json").json["committed"])


def killed(path: Path, *arguments: object, steps: int) -> None:
    with running("run", "ecg", "--out", path, *SMALL, "--steps", 2000, "--compute", 5, *arguments) as run:
        wait_for(path, steps)
        run.send_signal(signal.SIGKILL)
        run.wait()


@pytest.mark.parametrize("strategy", ["owner", "cached", "per-step"])
@pytest.mark.parametrize("ranks", [1, 3])
def test_all_is_on_the_disk_when_a_run_has_ended(tmp_path: Path, strategy: str, ranks: int) -> None:
    path = tmp_path / "out.h5"
    appended: tuple[list[str], ...] = ([], ["--append"])
    for more in appended:
        steps = 37 if more else 21
        w.run_ecg(path, *SMALL, "--steps", steps, "--unknown-steps", "--strategy", strategy, *more, ranks=ranks)
        assert slots(path, "durable") == steps
        go_down(path)
        assert committed(path) == steps
        w.check_file(path, NODES, steps)


def test_written_steps_count_until_the_machine_goes_down(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    killed(path, "--unknown-steps", "--commit-every", "1steps", "--sync", "commit", steps=20)
    written = w.committed_steps(path)
    assert slots(path, "durable") == 0, "half a minute has not gone by"
    assert committed(path) == written >= 20, "the process was killed, and its machine goes on"
    go_down(path)
    assert committed(path) == 0
    assert "a machine may have gone down before they were on its disk" in w.weft("verify", path).out
    # Who mends or appends holds the lock itself, which says nothing of the writer that was.
    mended = tmp_path / "mended.h5"
    mended.write_bytes(path.read_bytes())
    assert w.weft_ok("recover", mended, "--json").json["steps"] == 0
    again = tmp_path / "again.h5"
    again.write_bytes(path.read_bytes())
    w.run_ecg(again, *SMALL, "--steps", 30, "--append")
    assert slots(again, "durable") == 30
    w.check_file(again, NODES, 30)
    kept = tmp_path / "kept.h5"
    kept.write_bytes(path.read_bytes())
    assert w.weft_ok("recover", kept, "--keep-written", "--json").json["steps"] == written
    w.check_committed(kept, NODES, 2000)


def test_every_window_is_on_the_disk_where_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    killed(path, "--unknown-steps", "--commit-every", "1steps", "--sync", "window", steps=20)
    written = w.committed_steps(path)
    assert written - 1 <= slots(path, "durable") <= written
    go_down(path)
    assert committed(path) == slots(path, "durable") >= 19
    w.weft_ok("recover", path)
    assert w.weft("verify", path).code == 0
    w.run_ecg(path, *SMALL, "--steps", 40, "--append")
    w.check_file(path, NODES, 40)


def test_nothing_is_promised_where_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    killed(path, "--unknown-steps", "--commit-every", "1steps", "--sync", "none", steps=20)
    written = w.committed_steps(path)
    assert slots(path, "durable") is None
    go_down(path)
    assert committed(path) == written


def test_steps_are_on_the_disk_behind_the_run(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with running("run", "ecg", "--out", path, *WIDE, "--steps", 2000, "--compute", 10, "--commit-every", "0.2s") as run:
        wait_for_disk(path, 30)  # of windows of hundreds of steps
        run.send_signal(signal.SIGKILL)
        run.wait()
    go_down(path)
    assert committed(path) == slots(path, "durable") >= 30
    w.check_committed(path, NODES, 2000)


@pytest.mark.parametrize("ranks", [None, 2])
def test_the_end_of_a_job_finds_all_steps_on_the_disk(tmp_path: Path, ranks: int | None) -> None:
    # Windows of hundreds of steps, and the default of a minute: without the signal nothing would be in the file.
    path = tmp_path / "out.h5"
    command = ["run", "ecg", "--out", path, *WIDE, "--steps", 2000, "--compute", 10]
    with running(*command, ranks=ranks) as run:
        until = time.monotonic() + w.PATIENCE
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(1)
        assert w.committed_steps(path) == 0
        run.send_signal(signal.SIGTERM)
        _, err = run.communicate(timeout=w.PATIENCE)
    steps = committed(path)
    assert 10 < steps < 2000
    if ranks is None:  # the launcher, which was told to end, need not pass on what its ranks say, nor how they ended
        line = next(line for line in err.splitlines() if "SIGTERM" in line and "steps are in the file" in line)
        assert f"SIGTERM: {steps} " in line and "and on the disk" in line
        assert run.returncode == -signal.SIGTERM
        w.check_file(path, NODES, steps)  # closed: as long as its steps
        assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]
    assert slots(path, "durable") == steps
    w.check_committed(path, NODES, 2000)


def test_a_warning_brings_steps_to_the_disk_and_the_run_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    with running("run", "ecg", "--out", path, *WIDE, "--steps", 300, "--compute", 10) as run:
        until = time.monotonic() + w.PATIENCE
        while not path.exists() and time.monotonic() < until:
            time.sleep(0.02)
        time.sleep(0.5)
        run.send_signal(signal.SIGUSR1)
        wait_for_disk(path, 10)
        _, err = run.communicate(timeout=w.PATIENCE)
    assert run.returncode == 0, err
    assert "SIGUSR1: " in err
    w.check_file(path, NODES, 300)


def test_words_that_are_not_known(tmp_path: Path) -> None:
    for words in (["--sync", "always"], ["--commit-every", "0steps"], ["--commit-every", "soon"]):
        outcome = w.weft("run", "ecg", "--out", tmp_path / "out.h5", "--steps", 3, *words)
        assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
        assert not (tmp_path / "out.h5").exists()


@pytest.mark.parametrize("sync", ["commit", "window"])
def test_the_word_that_says_so_is_on_the_disk_too(tmp_path: Path, sync: str) -> None:
    """After a power cut the durable words are all that counts, so no run ends before they are synced."""
    if w.call(["which", "strace"]).code != 0:
        return
    path, trace = tmp_path / "out.h5", tmp_path / "calls.txt"
    words = ["run", "ecg", "--out", path, *SMALL, "--steps", 21, "--unknown-steps", "--sync", sync]
    calls = "trace=pwrite64,pwritev,fdatasync,fsync"
    done = w.call(["strace", "-f", "-o", str(trace), "-e", calls, w.WEFT, *map(str, words)])
    assert done.code == 0, done
    with h5py.File(path, "r") as file:
        at = file["weft/durable"].id.get_offset()
    lines = trace.read_text().splitlines()
    last = max(i for i, line in enumerate(lines) if f", {at}) = 8" in line)
    assert any("sync(" in line for line in lines[last + 1 :]), lines[last:]
