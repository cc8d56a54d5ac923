"""A disk that takes only some of what the page cache took: the failure comes to light when data is flushed, after every
write has succeeded. One clear line, and what counted as on the disk is there when the disk is mounted anew.

The disk is an image in a small file system in memory: its first MiB have room there, what is written behind them has
none, and a sync says so.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import h5py
import pytest
import weft_run as w
from test_durable_steps import slots

MIB = 1 << 20
GOOD = 24 * MIB  # of the disk: ext4 lays the file's first 16 MiB there, and what comes behind them elsewhere
NODES, STEPS = 5003, 600  # 48 MB
SMALL: list[object] = ["--nodes", NODES, "--steps", STEPS, "--target", "64KiB", "--budget", "1MiB", "--mesh", "none"]


def tried(*command: object) -> bool:
    return subprocess.run([str(word) for word in command], capture_output=True, check=False).returncode == 0


@dataclass
class Disk:
    image: Path
    folder: Path

    def mount(self) -> bool:
        return tried("mount", "-o", "loop", self.image, self.folder)

    def mount_anew(self) -> None:
        """What the page cache had of it is forgotten, as in a power cut."""
        subprocess.run(["umount", str(self.folder)], check=True)
        assert self.mount()


@pytest.fixture()
def failing_disk(tmp_path: Path) -> Iterator[Disk]:
    memory, folder = tmp_path / "memory", tmp_path / "disk"
    memory.mkdir()
    folder.mkdir()
    if not tried("mount", "-t", "tmpfs", "-o", f"size={GOOD + MIB}", "tmpfs", memory):
        pytest.skip("no right to mount a small file system")
    disk = Disk(memory / "image", folder)
    mounted = False
    try:
        with open(disk.image, "wb") as image:
            image.truncate(96 * MIB)
        without = ["-b", "4096", "-O", "^has_journal", "-N", "64", "-E", "lazy_itable_init=0", "-m", "0"]
        mounted = tried("mkfs.ext4", "-q", *without, disk.image)
        mounted = mounted and tried("fallocate", "--keep-size", "--length", GOOD, disk.image)
        with open(memory / "rest", "wb", buffering=0) as rest, suppress(OSError):
            while mounted:
                rest.write(bytes(4096))
        mounted = mounted and disk.mount()
        if not mounted:
            pytest.skip("no right to mount an image, or no mkfs.ext4")
        yield disk
    finally:
        if mounted:
            tried("umount", "-l", folder)
        tried("umount", "-l", memory)


WAYS: dict[str, list[object]] = {
    "window": ["--sync", "window"],
    "commit": ["--sync", "commit"],
    "filtered": ["--sync", "commit", "--filter", "fletcher32"],
    "cached": ["--sync", "commit", "--strategy", "cached", "--layout", "isotropic"],
    "per-step": ["--sync", "commit", "--strategy", "per-step", "--layout", "isotropic"],
}


@pytest.mark.parametrize("ranks", [1, 3])
@pytest.mark.parametrize("way", WAYS)
def test_a_sync_that_fails(failing_disk: Disk, way: str, ranks: int) -> None:
    path = failing_disk.folder / "out.h5"
    outcome = w.weft("run", "ecg", "--out", path, *SMALL, *WAYS[way], "--direct", "never", ranks=ranks)
    assert outcome.code == 1, outcome
    [line] = outcome.error_lines
    # Where chunks have no fixed places, the end of the file is noted now and then, and that is a write to the disk, too.
    refused = "cannot flush the data to the disk" if way != "filtered" else "No space left on device"
    assert str(path) in line and refused in line, line
    durable = slots(path, "durable")
    assert durable < STEPS, "the disk did not take them"
    # All were written, but nobody may believe in them: the page cache has forgotten some.
    assert w.weft_ok("info", path, "--json").json["committed"] == durable
    failing_disk.mount_anew()
    assert slots(path, "durable") == durable
    assert w.weft_ok("info", path, "--json").json["committed"] == durable
    assert way != "window" or durable > 0
    with h5py.File(path, "r") as file:
        values = w.expected_fields(NODES, STEPS)["Data"]
        assert w.same_bits(file["Data"][:durable], values[:durable]), "of what counts, all is on the disk"
