"""Ends weft by SIGKILL at a chosen write (tests/faults/kill_at_write.c), or lists the writes it makes."""

from __future__ import annotations

import fcntl
import os
import shutil
import struct
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import h5py
import pytest
import weft_run as w

SOURCE = Path(__file__).resolve().parent / "faults" / "kill_at_write.c"


@dataclass
class Call:
    """One call that changes the file, or a file beside it."""

    number: int
    name: str  # of the system call, as "pwritev"
    path: str
    offset: int
    bytes: int
    first_word: int  # of what it writes; the value, where it raises a commit slot


class Killer:
    def __init__(self, folder: Path, program: str = w.WEFT) -> None:
        self.program = program
        compiler = shutil.which("cc")
        if compiler is None:
            pytest.skip("no C compiler for the library that kills")
        self.library = folder / "kill_at_write.so"
        built = w.call([compiler, "-shared", "-fPIC", "-O1", "-o", str(self.library), str(SOURCE), "-ldl"])
        assert built.code == 0, built.err

    def command(self, settings: dict[str, str]) -> list[str]:
        """The words before the program's. The library is added to what the launcher already loads into its ranks."""
        libraries = [str(self.library)]
        for word, value in zip(w.LAUNCHER, w.LAUNCHER[1:]):
            if word == "LD_PRELOAD":  # MPICH: -genv LD_PRELOAD FILE
                libraries.append(value)
            elif value.startswith("LD_PRELOAD="):  # Open MPI: -x LD_PRELOAD=FILE
                libraries.append(value.partition("=")[2])
        settings = {**settings, "LD_PRELOAD": ":".join(libraries)}
        return ["env", *(f"{name}={value}" for name, value in settings.items()), self.program]

    def run(
        self,
        path: Path,
        *arguments: object,
        at: int,
        torn: bool = False,
        ranks: int | None = None,
        rank: int | None = None,
        log: Path | None = None,
        patience: float = w.PATIENCE,
    ) -> w.Outcome:
        """Runs kernel ecg into `path` and kills it at call `at`; it may end before."""
        command = ["run", "ecg", "--out", str(path), *map(str, arguments)]
        return self.run_command(path, command, at=at, torn=torn, ranks=ranks, rank=rank, log=log, patience=patience)

    def run_command(
        self,
        path: Path,
        command: list[str],
        *,
        at: int,
        torn: bool = False,
        ranks: int | None = None,
        rank: int | None = None,
        error: int | None = None,
        log: Path | None = None,
        patience: float = w.PATIENCE,
    ) -> w.Outcome:
        """Runs any weft command and kills it at call `at` of those that change `path` or what lies beside it; or, where
        an errno is given, lets this call fail. Its calls up to there are in the log."""
        settings = {"WEFT_KILL_PATH": str(path), "WEFT_KILL_AT": str(at)}
        if log is not None:
            settings["WEFT_KILL_LOG"] = str(log)
        if error is not None:
            settings["WEFT_KILL_ERRNO"] = str(error)
        if torn:
            settings["WEFT_KILL_TORN"] = "1"
        if rank is not None:
            settings["WEFT_KILL_RANK"] = str(rank)
        outcome = w.call(w.on_ranks(ranks, [*self.command(settings), *command]), patience=patience)
        wait_for_ranks(path)
        return outcome

    def calls(
        self,
        path: Path,
        *arguments: object,
        ranks: int | None = None,
        rank: int | None = None,
        patience: float = w.PATIENCE,
    ) -> list[Call]:
        """The calls of a whole run, in order; with ranks, those of one rank."""
        command = ["run", "ecg", "--out", str(path), *map(str, arguments)]
        return self.calls_of(path, command, ranks=ranks, rank=rank, patience=patience)

    def calls_of(
        self,
        path: Path,
        command: list[str],
        *,
        ranks: int | None = None,
        rank: int | None = None,
        patience: float = w.PATIENCE,
    ) -> list[Call]:
        """Those of any weft command."""
        log = path.with_suffix(".log")
        log.unlink(missing_ok=True)
        settings = {"WEFT_KILL_PATH": str(path), "WEFT_KILL_LOG": str(log)}
        if rank is not None:
            settings["WEFT_KILL_RANK"] = str(rank)
        outcome = w.call(w.on_ranks(ranks, [*self.command(settings), *command]), patience=patience)
        assert outcome.code == 0, outcome
        calls = read_log(log)
        assert [c.number for c in calls] == list(range(1, len(calls) + 1))
        return calls


def wait_for_ranks(path: Path, patience: float = w.PATIENCE) -> None:
    """Waits until no rank holds the writer's lock. A launcher that ends the ranks of a killed one may itself end before
    they do: a rank in a direct write keeps its lock until the disk has answered."""
    lock = path.with_name(path.name + ".weft-lock")
    question = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
    until = time.monotonic() + patience
    while lock.exists():
        try:
            with lock.open("rb") as file:
                if struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_OFD_GETLK, question))[0] == fcntl.F_UNLCK:
                    return
        except FileNotFoundError:
            return
        assert time.monotonic() < until, f"{lock} is still held, {patience:.0f} s after the launcher ended"
        time.sleep(0.02)


def read_log(log: Path) -> list[Call]:
    """The calls that a log has, in order."""
    calls = []
    for line in log.read_text().splitlines():
        number, name, file, offset, size, word = line.split(" ")
        calls.append(Call(int(number), name, file, int(offset), int(size), int(word)))
    return calls


def clear(path: Path) -> None:
    """Removes what an earlier run left of `path` and beside it."""
    for old in path.parent.glob(path.name + "*"):
        os.unlink(old)


def some_of(numbers: Iterable[int]) -> list[int]:
    """All of them where WEFT_THOROUGH is set (make test-thorough); else 12 over their whole range, and the last four."""
    every = list(numbers)
    if os.environ.get("WEFT_THOROUGH"):
        return every
    return sorted({*every[:: max(1, len(every) // 12)], *every[-4:]})


def in_parallel(work: Callable[[int], None], numbers: Iterable[int]) -> None:
    """Two at a time, of some_of() the numbers; raises what any raised."""
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(work, some_of(numbers)))


def made_at(calls: list[Call]) -> int:
    """The first call after the file has got its name; of a run that goes on, its first write."""
    named = [c.number + 1 for c in calls if c.name == "rename" and c.path.endswith(".weft-part")]
    return named[0] if named else next(c.number for c in calls if c.name == "pwritev")


def slot_address(path: Path) -> int:
    with h5py.File(path, "r") as file:
        address = file["/weft/commit"].id.get_offset()
    assert isinstance(address, int)
    return address


def raised_before(calls: list[Call], slot: int, number: int) -> int:
    """What rank 0's slot says when call `number` begins."""
    raised = [c.first_word for c in calls if c.name == "pwritev" and c.offset == slot and c.number < number]
    return raised[-1] if raised else 0
