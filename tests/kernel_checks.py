"""What the tests of `weft run awp` and `picmss` have in common: the values anybody can make again, small disks, strace.

The values are those of kernels/io/values.hpp, made by NumPy from the documented formula alone.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import weft_run as w
from numpy.typing import NDArray

GOLDEN_GAMMA = 0x9E3779B97F4A7C15
MASK = 2**64 - 1


def _mixed(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def random_bits(seed: int, stream: int, index: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """splitmix64: 64 bits for each index."""
    start = np.array([(seed + GOLDEN_GAMMA * (stream + 1)) & MASK], dtype=np.uint64)
    return _mixed(_mixed(start) + np.uint64(GOLDEN_GAMMA) * (index + np.uint64(1)))


def random_floats(seed: int, stream: int, first: int, count: int) -> NDArray[np.float32]:
    index = np.arange(first, first + count, dtype=np.uint64)
    return (random_bits(seed, stream, index) >> np.uint64(40)).astype(np.float32) * np.float32(2**-24)


def random_doubles(seed: int, stream: int, first: int, count: int) -> NDArray[np.float64]:
    index = np.arange(first, first + count, dtype=np.uint64)
    return (random_bits(seed, stream, index) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def plan_of(kernel: str, *arguments: object, ranks: int, patience: float = w.PATIENCE) -> Any:
    return w.weft_ok("run", kernel, "--plan", "--ranks", ranks, "--json", *arguments, patience=patience).json


def run(kernel: str, out: Path, *arguments: object, ranks: int | None = None) -> Any:
    """Runs a kernel, which must succeed and do what its plan says. Returns its report."""
    report = w.weft_ok("run", kernel, "--out", out, "--json", *arguments, ranks=ranks).json
    check_as_planned(report, plan_of(kernel, *arguments, ranks=ranks or 1))
    return report


def check_as_planned(report: Any, plan: Any) -> None:
    assert report["plan"] == plan
    keys = ["opens", "closes", "seeks", "writes", "bytes", "write_sizes"]
    assert report["counters"]["app"] == {key: plan[key] for key in keys}
    assert report["counters"]["mpi"] == plan["mpi"]
    assert report["per_rank"] == plan["per_rank"]
    assert report["as_planned"] is True
    sizes = plan["write_sizes"]
    assert plan["writes"] == sum(sizes.values())
    assert plan["bytes"] == sum(int(size) * times for size, times in sizes.items())


def check_same_files(out: Path, expected: dict[str, bytes]) -> None:
    """The folder holds these files, byte for byte, and nothing else."""
    assert {path.name for path in out.iterdir()} == set(expected)
    for name, content in expected.items():
        got = (out / name).read_bytes()
        if got == content:
            continue
        common = min(len(got), len(content))
        both = np.frombuffer(got[:common], np.uint8) != np.frombuffer(content[:common], np.uint8)
        first = int(np.argmax(both)) if both.any() else common
        raise AssertionError(f"{out / name}: {len(got)} bytes of {len(content)}, wrong first at byte {first}")


def check_refused(outcome: w.Outcome, code: int, *words: str) -> None:
    """One line, which says these words."""
    assert outcome.code == code, outcome
    assert len(outcome.error_lines) == 1, outcome
    for word in words:
        assert word in outcome.error_lines[0], outcome.error_lines[0]


@contextlib.contextmanager
def small_disk(folder: Path, room: int) -> Iterator[Path]:
    """A file system of so many bytes, where we may mount one; else the test is skipped."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={room}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def needs_strace() -> None:
    if shutil.which("strace") is None or w.call(["strace", "-qq", "-e", "trace=none", "true"]).code != 0:
        pytest.skip("strace cannot trace here")


def traced_writes(folder: Path, out: Path, *arguments: object) -> tuple[Any, dict[str, int]]:
    """Runs weft on one rank under strace: its report, and the sizes of its pwritev() calls on files in `out`.

    HDF5, which makes the files, calls pwrite64().
    """
    folder.mkdir()
    # -ff: a log for each thread, so that no line is broken by another thread's.
    strace = ["strace", "-ff", "-o", str(folder / "log"), "-y", "-e", "trace=pwritev", w.WEFT]
    outcome = w.call([*strace, *map(str, arguments)])
    assert outcome.code == 0, outcome
    sizes: Counter[str] = Counter()
    for log in sorted(folder.iterdir()):
        for line in log.read_text(errors="replace").splitlines():
            match = re.match(r"pwritev\(\d+<(.*?)>, .*\)\s+= (\d+)", line)
            if match and Path(match[1]).parent == out:
                sizes[match[2]] += 1
    return outcome.json, dict(sizes)
