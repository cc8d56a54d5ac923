"""Runs weft under strace: what it and its libraries ask of the system. Shared by the pytest folders."""

from __future__ import annotations

import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
import weft_run as w


def _can_trace() -> bool:
    return shutil.which("strace") is not None and w.call(["strace", "-qq", "-e", "trace=none", "true"]).code == 0


needs_strace = pytest.mark.skipif(not _can_trace(), reason="strace cannot trace here")


@dataclass
class Moved:
    name: str  # of the call
    file: str
    offset: int  # -1 for a call that has none
    bytes: int


def trace(calls: str, *arguments: object, ranks: int | None = None) -> tuple[w.Outcome, list[Moved]]:
    """Runs weft, and lists those of its calls that moved bytes."""
    with tempfile.TemporaryDirectory(prefix="strace-") as folder:
        # -ff: a log for each thread, so that no line is broken by another thread's. The filter lets all other calls pass:
        # ranks that wait for each other make many.
        options = ["-ff", "--seccomp-bpf", "-o", f"{folder}/log", "-y", "-e", f"trace={calls}"]
        command = ["strace", *options, w.WEFT, *map(str, arguments)]
        outcome = w.call(w.on_ranks(ranks, command))
        assert outcome.code == 0, outcome
        lines = [line for log in sorted(Path(folder).iterdir()) for line in log.read_text(errors="replace").splitlines()]
    moved = []
    for line in lines:
        # pwritev(3</a/file>, [..], 2, OFFSET) = BYTES, and write(3</a/file>, "..", LENGTH) = BYTES
        match = re.match(r"(\w+)\(\d+<(.*?)>, .*, (\d+)\)\s+= (\d+)", line)
        if match:
            has_offset = match[1].startswith("p")
            moved.append(Moved(match[1], match[2], int(match[3]) if has_offset else -1, int(match[4])))
    return outcome, moved
