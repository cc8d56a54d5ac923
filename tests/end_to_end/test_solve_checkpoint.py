"""The solver's checkpoints: however often a run is killed and restarted, its file is that of a run left alone."""

from __future__ import annotations

import contextlib
import functools
import os
import random
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import weft_run as w
from solving import SMALL, check_close, check_line, datasets, on_mesh

# mV, five times what was seen: equations solved to 1e-6, on other ranks and from another first guess after each restart.
RESTARTS_DIFFER = {"V": 3e-4, "phi_e": 2.7e-4, "electrodes": 1.3e-4}

pytestmark = pytest.mark.usefixtures("petsc")


def announced(pids: Path, command: list[str]) -> list[str]:
    """The command, each of whose processes leaves its number in a folder."""
    return ["bash", "-c", f'touch "{pids}/$$"; exec "$@"', "bash", *command]


def kill_all(pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):  # the launcher ends the others once it sees that one is gone
            os.kill(pid, signal.SIGKILL)


def kill_run(path: Path, *arguments: object, ranks: int | None, when: Callable[[], bool], delay: float = 0) -> None:
    """Runs kernel ecg into `path` and, so long after `when` holds, ends all its ranks by SIGKILL."""
    with tempfile.TemporaryDirectory(prefix="ompi-", ignore_cleanup_errors=True) as session:
        pids = Path(session) / "pids"
        pids.mkdir()
        # What the ranks share would outlive them in /dev/shm.
        places = {"OMPI_MCA_orte_tmpdir_base": session, "OMPI_MCA_btl_vader_backing_directory": session}
        run = subprocess.Popen(
            w.on_ranks(ranks, announced(pids, [w.WEFT, "run", "ecg", "--out", str(path), *map(str, arguments)])),
            env=w.environment(places),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            deadline = time.monotonic() + w.PATIENCE
            while not when():
                assert time.monotonic() < deadline and run.poll() is None, "the run does not get there"
                time.sleep(0.002)
            time.sleep(delay)
            assert run.poll() is None, "the run ended before it could be killed"
            started = [int(pid.name) for pid in pids.iterdir()]
            assert len(started) == (ranks or 1)
            kill_all(started)
            assert run.wait(timeout=w.PATIENCE) != 0
        finally:
            if run.poll() is None:
                kill_all([int(pid.name) for pid in pids.iterdir()])
                run.kill()
                run.wait()


def checkpoint_of(path: Path) -> Path:
    return Path(f"{path}.checkpoint")


def kept_step(path: Path) -> int:
    """The step whose state a file's checkpoint holds; -1 where there is none."""
    try:
        return int(datasets(checkpoint_of(path), "time")["time"][0])
    except FileNotFoundError:
        return -1


def has_kept(path: Path, step: int) -> bool:
    return kept_step(path) >= step


def test_killed_again_and_again(tmp_path: Path) -> None:
    arguments = [*on_mesh(3000, "0.1ms"), "--duration", "10ms", "--print-every", "0.2ms", "--checkpoint-every", 5]
    undisturbed, path = tmp_path / "undisturbed.h5", tmp_path / "killed.h5"
    w.run_ecg(undisturbed, *arguments)
    steps = 51
    seed = random.randrange(2**32)
    print("seed:", seed)
    moments = random.Random(seed)
    kept = -1
    for number, ranks in enumerate((3, None, 2, None)):
        # Within five steps after one of two checkpoints: they take 0.125 s or more.
        more = ["--budget", "80KB", "--compute", 25, *(["--restart"] if number > 0 else [])]
        target, delay = 10 * number + moments.choice((4, 9)), moments.uniform(0, 0.12)
        kill_run(path, *arguments, *more, ranks=ranks, when=functools.partial(has_kept, path, target), delay=delay)
        kept, committed = kept_step(path), w.committed_steps(path)
        print(f"killed on {ranks} ranks: kept {kept}, {committed} committed")
        assert kept >= target and kept % 5 == 4 and kept < committed < steps
        check_close(path, undisturbed, RESTARTS_DIFFER, committed)
    report = w.run_ecg(path, *arguments, "--restart", ranks=2)
    assert report["restarted_from_step"] == kept + 1
    check_close(path, undisturbed, RESTARTS_DIFFER)
    assert sorted(p.name for p in tmp_path.glob("killed.h5*")) == ["killed.h5", "killed.h5.checkpoint"]
    w.check_h5dump(path)


@pytest.fixture(scope="module")
def begun_again(petsc: None, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """A run killed before its first checkpoint and restarted to its end: the file, and the last run's report."""
    path = tmp_path_factory.mktemp("begun") / "a.h5"
    arguments = [*SMALL, "--duration", "8ms", "--checkpoint-every", 5]
    kill_run(path, *arguments, "--compute", 500, ranks=None, when=path.exists, delay=0.2)
    assert not checkpoint_of(path).exists()
    return path, w.run_ecg(path, *arguments, "--restart")


def test_killed_before_the_first_checkpoint(begun_again: tuple[Path, Any], tmp_path: Path) -> None:
    path, report = begun_again
    assert report["restarted_from_step"] is None
    undisturbed = tmp_path / "undisturbed.h5"
    w.run_ecg(undisturbed, *SMALL, "--duration", "8ms")
    check_close(path, undisturbed, {"V": 0, "phi_e": 0, "electrodes": 0})
    assert kept_step(path) == 4


def copied(tmp_path: Path, run: tuple[Path, Any]) -> Path:
    for suffix in ("", ".checkpoint"):
        shutil.copy(f"{run[0]}{suffix}", tmp_path / f"a.h5{suffix}")
    return tmp_path / "a.h5"


# Arguments of a restart, and the line without the path it begins with.
OTHERWISE = [
    (["--duration", "3ms"], "has 9 steps, up to 8 ms, of which 4 would stay; restart with --duration 8ms or more"),
    (["--duration", "8ms", "--fields", "joint"], "was written with separate fields; restart with --fields separate"),
]


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize(("other", "words"), OTHERWISE)
def test_a_restart_that_does_not_go_on_with_the_file(
    tmp_path: Path, begun_again: tuple[Path, Any], other: list[str], words: str, ranks: int | None
) -> None:
    path = copied(tmp_path, begun_again)
    before = path.read_bytes(), checkpoint_of(path).read_bytes()
    outcome = w.weft("run", "ecg", "--out", path, *SMALL, *other, "--restart", ranks=ranks)
    check_line(outcome, 2, f"weft: error: {path}: {words}", ranks)
    assert (path.read_bytes(), checkpoint_of(path).read_bytes()) == before


def test_a_restart_may_go_further(tmp_path: Path, begun_again: tuple[Path, Any]) -> None:
    path = copied(tmp_path, begun_again)
    report = w.run_ecg(path, *SMALL, "--duration", "9ms", "--restart")
    assert report["restarted_from_step"] == 5 and w.committed_steps(path) == 10
    check_close(path, begun_again[0], RESTARTS_DIFFER, 9)


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_checkpoint_of_another_mesh(tmp_path: Path, begun_again: tuple[Path, Any], ranks: int | None) -> None:
    path = copied(tmp_path, begun_again)
    before = path.read_bytes(), checkpoint_of(path).read_bytes()
    outcome = w.weft("run", "ecg", "--out", path, *on_mesh(4000), "--duration", "8ms", "--restart", ranks=ranks)
    assert outcome.code != 0 and outcome.out == "" and len(outcome.error_lines) == 1, outcome
    assert str(checkpoint_of(path)) in outcome.error_lines[0]
    assert "restart with the options the run began with" in outcome.error_lines[0]
    assert (path.read_bytes(), checkpoint_of(path).read_bytes()) == before


@pytest.mark.parametrize("other", [["--print-every", "2ms"], ["--model", "monodomain"], ["--stimulus", "-30"]])
def test_a_checkpoint_of_other_settings(tmp_path: Path, begun_again: tuple[Path, Any], other: list[str]) -> None:
    path = copied(tmp_path, begun_again)
    before = path.read_bytes(), checkpoint_of(path).read_bytes()
    outcome = w.weft("run", "ecg", "--out", path, *SMALL, "--duration", "8ms", *other, "--restart")
    assert outcome.code == 2 and outcome.out == "" and len(outcome.error_lines) == 1, outcome
    assert "the checkpoint is of a run with another" in outcome.error_lines[0]
    assert (path.read_bytes(), checkpoint_of(path).read_bytes()) == before


def test_a_fresh_run_removes_the_old_checkpoint(tmp_path: Path, begun_again: tuple[Path, Any]) -> None:
    path = copied(tmp_path, begun_again)
    report = w.run_ecg(path, *SMALL, "--duration", "2ms")
    assert "restarted_from_step" not in report and w.committed_steps(path) == 3
    assert [p.name for p in tmp_path.iterdir()] == ["a.h5"]
