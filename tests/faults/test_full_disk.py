"""A disk that fills up: one clear line, a non-zero exit, nobody left waiting, and the committed steps stay readable.

The file is made sparse, at full extent, so the disk is full only when values arrive: for that a small file system in
memory is mounted, where we may. A limit on the size of files is met earlier, while the file is made.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES, STEPS = 5003, 60  # 4.8 MB
# Not all of it, but the first row of chunks (32 steps, 2.6 MB): a rank asks for all of its room there, and would leave none
# for another rank's first window on a smaller disk.
ROOM = 7 << 19


@pytest.fixture()
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("no right to mount a small file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def check_after(outcome: w.Outcome, path: Path, words: str) -> None:
    assert outcome.code == 1, outcome
    [line] = outcome.error_lines
    assert words in line, line
    assert str(path) in line, line
    w.check_h5dump(path)
    committed = w.check_committed(path, NODES, STEPS)
    assert 0 < committed < STEPS, f"{committed} steps are committed"


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("extra", [[], ["--unknown-steps"], ["--sync", "window"]], ids=["known", "unknown", "sync"])
def test_owner_on_a_full_disk(small_disk: Path, ranks: int, extra: list[str]) -> None:
    path = small_disk / "out.h5"
    small = ["--nodes", NODES, "--steps", STEPS, "--target", "64KiB", "--budget", "1MiB", "--mesh", "none"]
    outcome = w.weft("run", "ecg", "--out", path, *small, *extra, ranks=ranks)
    check_after(outcome, path, "No space left on device")


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("strategy", ["cached", "per-step"])
def test_collective_strategies_on_a_full_disk(small_disk: Path, ranks: int, strategy: str) -> None:
    # The papers' strategies hold the file open in HDF5, so what is left of it is HDF5's business; that all end with one
    # line is ours.
    path = small_disk / "out.h5"
    options = ["--strategy", strategy, "--target", "64KiB"]
    outcome = w.weft("run", "ecg", "--out", path, "--nodes", NODES, "--steps", STEPS, *options, ranks=ranks)
    assert outcome.code != 0, outcome
    [line] = outcome.error_lines
    assert str(path) in line, line
    assert w.weft("info", path).code == 0
    w.check_committed(path, NODES, STEPS)


@pytest.mark.parametrize("extra", [[], ["--unknown-steps"]], ids=["known", "unknown"])
@pytest.mark.parametrize("strategy", ["owner", "per-step"])
def test_no_room_for_the_file_itself(tmp_path: Path, strategy: str, extra: list[str]) -> None:
    # SIGXFSZ would end the process before write() can return EFBIG, so it is ignored, as batch systems do.
    path = tmp_path / "out.h5"
    # The limit leaves room for the MPI library's shared memory, and the (sparse) file is larger still.
    command = ["run", "ecg", "--out", path, "--nodes", 20 * NODES, "--steps", STEPS, "--strategy", strategy, *extra]
    limited = ["bash", "-c", f"trap '' XFSZ; ulimit -f {32 << 10}; exec \"$@\"", "bash", w.WEFT]
    outcome = w.call([*limited, *map(str, command)])
    assert outcome.code == 1, outcome
    assert outcome.err.splitlines() == outcome.error_lines, "nothing but the line"
    [line] = outcome.error_lines
    assert str(path) in line and "File too large" in line


@pytest.mark.parametrize("extra", [[], ["--unknown-steps"]], ids=["known", "unknown"])
def test_no_room_for_the_last_of_what_hdf5_makes(tmp_path: Path, extra: list[str]) -> None:
    """The values have room, and objects of HDF5's behind them have not: in its file in memory, too."""
    command = ["run", "ecg", "--nodes", 20 * NODES, "--steps", STEPS, "--mesh", "none", *extra]
    w.weft_ok(*command, "--out", tmp_path / "whole.h5")
    whole = (tmp_path / "whole.h5").stat().st_size
    path = tmp_path / "out.h5"
    for less in range(0, 28 << 10, 4 << 10):
        limit = (whole - 1 - less) >> 10
        limited = ["bash", "-c", f"trap '' XFSZ; ulimit -f {limit}; exec \"$@\"", "bash", w.WEFT]
        outcome = w.call([*limited, *map(str, command), "--out", str(path)])
        assert outcome.code == 1, (limit, outcome)
        assert outcome.err.splitlines() == outcome.error_lines, "nothing but the line"
        [line] = outcome.error_lines
        assert str(path) in line and "File too large" in line, (limit, line)
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("filters", ["none", "fletcher32", "shuffle+deflate:1"])
def test_repacking_onto_a_full_disk(small_disk: Path, tmp_path: Path, ranks: int | None, filters: str) -> None:
    source, target = tmp_path / "in.h5", small_disk / "out.h5"
    with h5py.File(source, "w") as file:
        noise = np.random.default_rng(2).normal(size=(60, 20000))  # 9.6 MB, which no filter makes shorter
        file.create_dataset("V", data=noise, chunks=(1, 20000))
    outcome = w.weft("repack", source, target, "--filter", filters, "--target", "64KiB", ranks=ranks)
    assert outcome.code == 1, outcome
    [line] = outcome.error_lines
    assert "o space left on device" in line, line
    assert list(small_disk.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["read", "out.h5", "--snapshot", "3", "--csv"], "standard output: cannot write: No space left on device"),
        (["info", "out.h5"], "standard output: not all of it could be written"),
        (["--help"], "standard output: not all of it could be written"),
    ],
)
def test_what_is_printed_into_a_full_pipe(tmp_path: Path, arguments: list[str], line: str) -> None:
    w.run_ecg(tmp_path / "out.h5", "--nodes", 100, "--steps", 5)
    with open(os.devnull) as nothing, open("/dev/full", "w") as full:
        done = subprocess.run(
            [w.WEFT, *arguments],
            cwd=tmp_path,
            stdin=nothing,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=w.PATIENCE,
            check=False,
        )
    assert done.returncode == 1
    assert line in done.stderr
