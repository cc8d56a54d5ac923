"""What /proc says, from samples of it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from weft.campaign import machine, page_cache, process
from weft.campaign.launchers import Launcher

MOUNTS = """\
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro
40 27 0:55 / /mnt rw,nosuid - fuse.glusterfs one:/volume rw
41 40 0:56 / /mnt/with\\040space rw - lustre 10.0.0.1@tcp:/scratch rw,flock
42 27 0:57 / /mnt/twice rw - xfs /dev/b rw
43 42 0:58 / /mnt/twice rw,noatime - tmpfs tmpfs rw
"""


@pytest.mark.parametrize(
    ("path", "kind", "point"),
    [
        ("/home/x", "ext4", "/"),
        ("/mnt", "fuse.glusterfs", "/mnt"),
        ("/mnt/a/b", "fuse.glusterfs", "/mnt"),
        ("/mntx", "ext4", "/"),
        ("/mnt/with space/a", "lustre", "/mnt/with space"),
        ("/mnt/twice/a", "tmpfs", "/mnt/twice"),
    ],
)
def test_the_mount_of_a_path(path: str, kind: str, point: str) -> None:
    mount = machine.mount_of(MOUNTS, path)
    assert (mount["type"], mount["mount"]) == (kind, point)


def test_processor_and_memory() -> None:
    assert machine.cpu_name("processor : 0\nmodel name\t: Some  CPU @ 2 GHz\nmodel name : Other") == "Some CPU @ 2 GHz"
    assert machine.cpu_name("nothing") == ""
    assert machine.memory_bytes("MemTotal:  2048 kB\nMemFree: 1 kB", "max\n") == 2048 * 1024
    assert machine.memory_bytes("MemTotal:  2048 kB\n", "1000\n") == 1000
    assert machine.memory_bytes("", "") is None
    assert machine.os_name('NAME="x"\nPRETTY_NAME="Debian 12"\n') == "Debian 12"


def test_this_machine(tmp_path: Path) -> None:
    described = machine.describe_machine("true", Launcher("none", ()), {"here": tmp_path})
    assert described["cores"] >= 1 and described["kernel"]
    assert described["folders"]["here"]["free_bytes"] > 0 and described["folders"]["here"]["type"]
    assert os.uname().nodename not in str(described)


def test_a_chroot_that_is_no_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its list of mounts has no /."""
    monkeypatch.setattr(machine, "_read", lambda path: "36 35 0:5 / /proc rw - proc proc rw\n")
    for folder in (tmp_path, tmp_path / "not" / "made"):
        of = machine.mount(folder)
        assert of["mount"] == "/" and of["type"]


def test_a_cold_cache_says_how(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of this machine is dropped: what root would write to is a file here."""
    (tmp_path / "input").write_bytes(b"x" * 100)
    drop = tmp_path / "drop_caches"
    monkeypatch.setattr(page_cache, "DROP", drop)
    assert page_cache.settle(tmp_path, "warm", []) == page_cache.SETTLED and not drop.exists()
    assert page_cache.settle(tmp_path, "cold", []) == page_cache.DROPPED and drop.read_text() == "3"
    monkeypatch.setattr(page_cache, "DROP", tmp_path / "not" / "mine")
    assert page_cache.settle(tmp_path, "cold", [tmp_path / "input"]) == page_cache.FORGOTTEN
    assert page_cache.settle(tmp_path, "cold", [tmp_path / "none"]) == page_cache.NOTHING


def test_the_report_among_what_a_launcher_prints() -> None:
    assert process.report_in('warning {\n{"a": 1}\nbye }\n') == {"a": 1}
    assert process.report_in('{\n "a": {\n  "b": 2\n }\n}\n') == {"a": {"b": 2}}
    assert process.report_in('{"a":' * 9000 + "}") is None
    assert process.report_in("nothing") is None and process.report_in("{\n") is None


def test_why_a_command_failed() -> None:
    ended = process.Ended(1, "", "noise\nweft: error: no room; make some\nmpirun: more noise\n", 1.0)
    assert process.reason(ended, 60) == "no room; make some (ended with 1)"
    assert process.reason(process.Ended(-9, "", "", 1.0), 60) == "was ended by signal 9, and said nothing"
    assert process.reason(process.Ended(-15, "", "x", 1.0, timed_out=True), 60) == "took longer than 60 s and was ended"


def test_ended_well_too_late_is_a_failure(tmp_path: Path) -> None:
    script = "trap 'echo {}; exit 0' TERM; sleep 5 & wait"
    ended = process.run(["sh", "-c", script], cwd=tmp_path, environment=os.environ, timeout=0.2)
    assert ended.code == 0 and ended.timed_out and ended.failed
    assert not process.Ended(0, "", "", 1.0).failed and process.Ended(1, "", "", 1.0).failed


def test_nothing_that_was_started_stays(tmp_path: Path) -> None:
    """A command that leaves children behind and does not listen to SIGTERM."""
    script = f"trap '' TERM; (trap '' TERM; sleep 1.5; touch {tmp_path}/late) & wait"
    grace = process.GRACE
    try:
        process.GRACE = 0.3
        ended = process.run(["sh", "-c", script], cwd=tmp_path, environment=os.environ, timeout=0.2)
    finally:
        process.GRACE = grace
    assert ended.timed_out
    import time

    time.sleep(1.6)
    assert not (tmp_path / "late").exists()
