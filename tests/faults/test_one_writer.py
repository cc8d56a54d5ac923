"""A file has one writer: what others are told meanwhile, what a killed writer leaves, and that a rank of a dead run writes
nothing more once the file is somebody else's.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w
from killing import clear

NODES = 211
SMALL: list[object] = ["--nodes", NODES, "--target", "2KiB", "--budget", "400KiB"]


@contextmanager
def running(*arguments: object, ranks: int | None = None) -> Iterator[subprocess.Popen[str]]:
    """A weft command that goes on beside the test; killed at the end, if it still does."""
    command = w.on_ranks(ranks, [w.WEFT, *map(str, arguments)])
    with w.own_session() as settings:
        process = subprocess.Popen(
            command,
            env=settings,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            yield process
        finally:
            process.kill()
            _, told = process.communicate()
            print(told)  # shown where the test fails


def growing(
    path: Path, *arguments: object, ranks: int | None = None, steps: int = 2000, pause: int = 10
) -> AbstractContextManager[subprocess.Popen[str]]:
    """A run of unknown length that pauses so many ms a step, and brings each into the file at once."""
    slow = ["--steps", steps, "--unknown-steps", "--compute", pause, "--commit-every", "1steps"]
    return running("run", "ecg", "--out", path, *SMALL, *slow, *arguments, ranks=ranks)


def wait_for(path: Path, steps: int) -> None:
    """Until so many steps are in the file."""
    until = time.monotonic() + w.PATIENCE
    while time.monotonic() < until:
        try:
            if w.committed_steps(path) >= steps:
                return
        except (OSError, KeyError, RuntimeError):
            pass  # not made yet, or just being changed
        time.sleep(0.02)
    raise AssertionError(f"{path}: no {steps} steps within {w.PATIENCE} s")


def changing(path: Path) -> dict[str, list[object]]:
    """Every command that changes a file that is there."""
    return {
        "run": ["run", "ecg", "--out", path, *SMALL, "--steps", 5],
        "append": ["run", "ecg", "--out", path, *SMALL, "--steps", 5000, "--append"],
        "view": ["view", path],
        "recover": ["recover", path],
        "checksums": ["verify", path, "--add-checksums"],
        "repack": ["repack", path, "--in-place"],
    }


def of_other_work(folder: Path) -> Path:
    """A series, and the same values in a file that Weft did not write, with a mesh of as many points."""
    folder.mkdir()
    source = folder / "a.h5"
    w.run_ecg(source, *SMALL, "--steps", 60)
    with h5py.File(folder / "plain.h5", "w") as file:
        file["Data"] = w.wave(NODES, 60)[0][:, :, None]
    points = " ".join(f"{i} 0 0" for i in range(NODES))
    cells = ("connectivity", " ".join(map(str, range(NODES)))), ("offsets", str(NODES)), ("types", "2")
    arrays = "".join(f'<DataArray type="Int64" Name="{name}" format="ascii">{text}</DataArray>' for name, text in cells)
    (folder / "mesh.vtu").write_text(
        '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian"><UnstructuredGrid>'
        f'<Piece NumberOfPoints="{NODES}" NumberOfCells="1"><Points>'
        f'<DataArray type="Float64" NumberOfComponents="3" format="ascii">{points}</DataArray></Points>'
        f"<Cells>{arrays}</Cells></Piece></UnstructuredGrid></VTKFile>"
    )
    return source


def replacing(path: Path, source: Path) -> dict[str, list[object]]:
    """Every command that makes a file from another one, in place of the one that is there."""
    return {
        "reduce": ["reduce", source, "--field", "Data:V", "--quantity", "max", "--out", path],
        "repack": ["repack", source, path, "--overwrite"],
        "convert": ["convert", source, "--to", "tecplot", "--out", path],
        "view": ["view", source.with_name("plain.h5"), "--mesh", source.with_name("mesh.vtu"), "--out", path],
    }


@pytest.mark.parametrize("ranks", [None, 2])
def test_others_are_refused_in_one_line_while_it_is_written(tmp_path: Path, ranks: int | None) -> None:
    path = tmp_path / "out.h5"
    source = of_other_work(tmp_path / "other")
    with growing(path, ranks=ranks, steps=500) as run:
        wait_for(path, 5)
        for name, command in {**changing(path), **replacing(path, source)}.items():
            outcome = w.weft(*command)
            assert outcome.code == 2, f"{name}: {outcome}"
            [line] = outcome.error_lines
            assert "is being written by weft run ecg (process " in line, f"{name}: {line}"
        assert w.weft_ok("info", path, "--json").json["committed"] >= 5, "readers need no lock"
        _out, err = run.communicate(timeout=w.PATIENCE)
        assert run.returncode == 0, err
    w.check_file(path, NODES, 500)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["other", "out.h5"]


def test_of_two_that_make_one_file_each_makes_it_whole_or_not_at_all(tmp_path: Path) -> None:
    """The same command twice beside itself, killed now and then: what stands there is a whole one after each."""
    seconds = 60.0 if os.environ.get("WEFT_THOROUGH") else 2.0
    path = tmp_path / "made.plt"  # Tecplot's own ending; to the others any name is good
    source = of_other_work(tmp_path / "other")
    for name, command in replacing(path, source).items():
        w.weft_ok(*command)
        whole = path.stat().st_size
        until = time.monotonic() + seconds
        problems: list[str] = []

        def go_on(
            number: int, command: list[object] = command, until: float = until, problems: list[str] = problems
        ) -> None:
            dice = random.Random(number)
            while time.monotonic() < until and not problems:
                with running(*command) as process:
                    try:
                        _, err = process.communicate(timeout=dice.uniform(0.01, 0.2))
                    except subprocess.TimeoutExpired:
                        process.send_signal(signal.SIGKILL)
                        continue
                    errors = [line for line in err.splitlines() if "error" in line]
                    held = len(errors) == 1 and (
                        "is being written" in errors[0] or "appears and disappears" in errors[0]
                    )
                    if process.returncode != 0 and not held:
                        problems.append(f"{process.returncode} {err}")

        threads = [threading.Thread(target=go_on, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            assert path.stat().st_size == whole, name
            time.sleep(0.001)
        assert not problems, f"{name}: {problems}"
        w.weft_ok(*command)
        assert path.stat().st_size == whole
        left = sorted(p.name for p in tmp_path.iterdir() if "xdmf" not in p.name)
        assert left == ["made.plt", "other"], name
        clear(path)


def test_what_a_killed_writer_leaves_needs_no_hand_work(tmp_path: Path) -> None:
    for name in changing(tmp_path):
        path = tmp_path / "out.h5"
        with growing(path, "--mesh", "box") as run:
            wait_for(path, 70)  # in the second segment
            run.send_signal(signal.SIGKILL)
            run.wait()
        assert (tmp_path / "out.h5.weft-lock").exists()
        steps = w.committed_steps(path)
        assert w.weft_ok("info", path, "--json").json["committed"] == steps >= 70
        command = changing(path)[name]
        if name == "append":
            command[-2] = steps + 10
        w.weft_ok(*command)
        if name not in ("run", "append"):
            assert w.weft_ok("info", path, "--json").json["committed"] == steps, name
            w.check_committed(path, NODES, 2000)
        assert not (tmp_path / "out.h5.weft-lock").exists(), name
        clear(path)


def test_a_rank_of_an_earlier_writer_writes_nothing_more(tmp_path: Path) -> None:
    # What it sees is the epoch: somebody else has the file, as after --take-over from another machine.
    path = tmp_path / "out.h5"
    with growing(path) as run:
        wait_for(path, 5)
        with h5py.File(path, "r") as file:
            at = file["weft/writer"].id.get_offset()
            assert file["weft/writer"][0] == 1
        with open(path, "r+b") as raw:
            raw.seek(at)
            raw.write((2).to_bytes(8, "little"))
        _, err = run.communicate(timeout=w.PATIENCE)
    assert run.returncode == 2
    [line] = [line for line in err.splitlines() if "error" in line]
    assert "has another writer now (epoch 2; this one is of epoch 1)" in line
    before = path.read_bytes()
    time.sleep(0.1)
    assert path.read_bytes() == before
    w.check_committed(path, NODES, 2000)


def test_slots_of_an_earlier_writer_are_nobodys(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 20, "--unknown-steps")
    with h5py.File(path, "r") as file:
        old = [file[name].id.get_offset() for name in ("weft/commit", "weft/durable")]
    w.run_ecg(path, *SMALL, "--steps", 30, "--append")
    with open(path, "r+b") as raw:
        for at in old:
            raw.seek(at)
            raw.write((10**6).to_bytes(8, "little") * 64)
    w.check_file(path, NODES, 30)
    w.run_ecg(path, *SMALL, "--steps", 40, "--append")
    w.check_file(path, NODES, 40)
    assert w.weft("verify", path).code == 0


def test_an_unknown_holder_is_taken_over_when_that_is_said(tmp_path: Path) -> None:
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 20)
    lock = tmp_path / "out.h5.weft-lock"
    # A lock of a living process that holds no lock of the system's: its file system has none.
    text = f"weft-lock 1\nhost here\nboot {boot()}\nnamespace {os.stat('/proc/self/ns/pid').st_ino}\n"
    start = Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19]
    lock.write_text(f"{text}process {os.getpid()}\nstart {start}\nsince now\nwork a test\nend\n")
    outcome = w.weft("run", "ecg", "--out", path, *SMALL, "--steps", 30, "--append", "--take-over")
    assert outcome.code == 2 and "is being written by a test" in outcome.err, "the living are not taken over"
    lock.write_text(lock.read_text().replace(f"start {start}", "start 1"))
    w.run_ecg(path, *SMALL, "--steps", 30, "--append")
    w.check_file(path, NODES, 30)
    assert not lock.exists()


def boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")


PAIRS = [
    ("append", "append"),
    ("append", "view"),
    ("append", "recover"),
    ("append", "checksums"),
    ("append", "repack"),
    ("recover", "recover"),
    ("view", "view"),
    ("view", "repack"),
]


@pytest.mark.parametrize("pair", PAIRS, ids=" and ".join)
def test_two_at_once_with_kills(tmp_path: Path, pair: tuple[str, str]) -> None:
    """Two commands that change one file side by side, each killed now and then: the file is sound after each."""
    seconds = 60.0 if os.environ.get("WEFT_THOROUGH") else 1.5
    path = tmp_path / "out.h5"
    w.run_ecg(path, *SMALL, "--steps", 70, "--unknown-steps", "--mesh", "box")
    commands = changing(path)
    commands["append"] = ["run", "ecg", "--out", path, *SMALL, "--steps", 400, "--append", "--compute", 1]
    commands["view"] += ["--no-xdmf"]
    until = time.monotonic() + seconds
    problems: list[str] = []
    ended = {name: 0 for name in pair}

    def go_on(number: int) -> None:
        dice = random.Random(number)
        name = pair[number]
        while time.monotonic() < until and not problems:
            with running(*commands[name]) as process:
                try:
                    out, err = process.communicate(timeout=dice.uniform(0.02, 0.5))
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                    continue
                errors = [line for line in err.splitlines() if "error" in line]
                allowed = "is being written", "appears and disappears", "is still open in ranks"
                if process.returncode == 2 and len(errors) == 1 and any(words in errors[0] for words in allowed):
                    continue
                # It changes nothing in a file that it does not find sound, as one that the other was killed in.
                if name == "checksums" and process.returncode == 1 and "NOT sound" in out:
                    continue
                if process.returncode != 0:
                    problems.append(f"{name}: {process.returncode} {err} {out}")
                ended[name] += 1

    threads = [threading.Thread(target=go_on, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not problems, problems
    print(pair, ended)
    w.weft_ok("recover", path)
    assert w.weft("verify", path).code == 0
    w.check_committed(path, NODES, 2000)
    w.check_h5dump(path)
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]


def test_a_reader_follows_a_growing_file(tmp_path: Path) -> None:
    """Each look at it shows committed steps alone, all of them right; h5py may be refused for an instant."""
    looks = 10_000 if os.environ.get("WEFT_THOROUGH") else 300
    path = tmp_path / "out.h5"
    expected = w.wave(NODES, 2000)[0]
    shown = refused = last = 0
    with growing(path, pause=1) as run:
        wait_for(path, 1)
        while shown < looks and run.poll() is None:
            try:
                with h5py.File(path, "r") as file:
                    slots = file["weft/commit"][:]
                    steps = int(slots[slots != w.IDLE_SLOT].min())
                    values = file["Data"][:steps, :, 0]
            except (OSError, KeyError, RuntimeError):
                refused += 1
                continue
            assert steps >= last
            last = steps
            assert np.array_equal(values, expected[: len(values)])
            shown += 1
            if shown % 20 == 0:
                read = w.weft_ok("info", path, "--json").json["committed"]
                assert read >= last
    assert shown > refused
