"""One command, from its start to its end, and what it said. Nothing it started outlives it, nor the runner."""

from __future__ import annotations

import ctypes
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

GRACE = 10.0  # seconds a launcher has to take its ranks along
GLANCE = 0.1
PATIENCE = 120.0  # seconds for what should take none: a trial, a launcher that starts `true`
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Ended:
    code: int  # negative: the signal that ended it
    out: str
    err: str
    seconds: float
    timed_out: bool = False

    @property
    def failed(self) -> bool:
        """One that takes being ended well, with 0 and a report of what it had so far, did not do what it was asked."""
        return self.timed_out or self.code != 0


def _die_with_the_runner() -> None:
    """Between fork and exec: killed however suddenly, the runner leaves no ranks behind that would disturb the next."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def run(
    command: Sequence[str],
    *,
    cwd: Path,
    environment: Mapping[str, str],
    timeout: float,
    meanwhile: Callable[[], None] = lambda: None,
) -> Ended:
    """Raises OSError where the command cannot be started, KeyboardInterrupt when it has ended what was interrupted."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = subprocess.Popen(
            list(command), cwd=cwd, env=dict(environment), stdin=subprocess.DEVNULL, stdout=out, stderr=err,
            start_new_session=True, preexec_fn=_die_with_the_runner,  # noqa: PLW1509 - the runner has one thread
        )  # fmt: skip
        timed_out = False
        try:
            while _waits(process):
                meanwhile()
                if time.monotonic() - began > timeout:
                    timed_out = True
                    break
        finally:
            seconds = time.monotonic() - began
            _end(process)
        return Ended(process.returncode, _text(out), _text(err), seconds, timed_out)


def _waits(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(GLANCE)
    except subprocess.TimeoutExpired:
        return True
    return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends what still runs: the launcher first, who takes its ranks along, then whatever is left of its group."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode(errors="replace")


def report_in(out: str) -> dict[str, Any] | None:
    """The JSON object that a run printed, whatever its launcher printed around it."""
    lines = out.splitlines()
    for first, line in enumerate(lines):
        if not line.startswith("{"):
            continue
        for last in range(len(lines), first, -1):
            if not lines[last - 1].rstrip().endswith("}"):
                continue
            try:
                report = json.loads("\n".join(lines[first:last]))
            except (ValueError, RecursionError):
                continue
            return report if isinstance(report, dict) else None
    return None


def reason(ended: Ended, timeout: float) -> str:
    """Why a command failed, in one line."""
    if ended.timed_out:
        return f"took longer than {timeout:g} s and was ended"
    lines = [line.strip() for line in (ended.err + "\n" + ended.out).splitlines() if line.strip()]
    told = next((line for line in lines if "error:" in line.lower()), lines[-1] if lines else "")
    told = told.removeprefix("weft: error: ")
    how = f"was ended by signal {-ended.code}" if ended.code < 0 else f"ended with {ended.code}"
    return f"{told} ({how})" if told else f"{how}, and said nothing"
