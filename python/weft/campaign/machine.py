"""What the machine is, as far as it matters to I/O: written down with every session of a campaign.

Reading is from /proc and from what programs say of themselves; whatever cannot be had is left out. Results may be shown,
so nothing is asked for hosts' names, users or paths, but for where file systems are mounted. What a person wrote is
recorded as it was written, names and paths among it: the launcher's words, and settings, such as a file that runs read.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy

import weft
from weft.campaign.launchers import Launcher


def describe_machine(program: str, launcher: Launcher, folders: Mapping[str, Path]) -> dict[str, Any]:
    described: dict[str, Any] = {
        "cpu": cpu_name(_read("/proc/cpuinfo")) or platform.machine(),
        "cores": cores(),
        "memory_bytes": memory_bytes(_read("/proc/meminfo"), _read("/sys/fs/cgroup/memory.max")),
        "system": os_name(_read("/etc/os-release")),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "weft_campaign": weft.__version__,
        "weft": said_by([program, "--version"]),
        "launcher": launcher.shown,
        "mpi": said_by([launcher.words[0], "--version"], 1) if launcher.words and launcher.kind != "template" else None,
        "load": load(),
        "slurm": {name: os.environ[name] for name in ("SLURM_JOB_NUM_NODES", "SLURM_NTASKS") if name in os.environ},
        "folders": {label: describe_folder(folder) for label, folder in folders.items()},
    }
    return {name: value for name, value in described.items() if value not in (None, {}, "")}


def cores() -> int:
    return len(os.sched_getaffinity(0))


def load() -> float:
    """Of the last minute: how many processes wanted a core."""
    return round(os.getloadavg()[0], 2)


def describe_folder(folder: Path) -> dict[str, Any]:
    of = mount(folder)
    usage = shutil.disk_usage(folder)
    return {**of, "bytes": usage.total, "free_bytes": usage.free, **striping(folder, of.get("type", ""))}


def mount(folder: Path) -> dict[str, str]:
    """What it lies on, or would if it were made. A chroot that is no mount itself knows nothing of what its / lies on
    but the kind."""
    path = Path(os.path.realpath(folder))
    known = mount_of(_read("/proc/self/mountinfo"), str(path))
    if known:
        return known
    there = next(place for place in (path, *path.parents) if place.exists())
    kind = said_by(["stat", "-f", "-c", "%T", str(there)])
    return {"type": kind, "mount": "/"} if kind else {}


def cpu_name(cpuinfo: str) -> str:
    match = re.search(r"^(?:model name|Model|cpu model)\s*:\s*(.+)$", cpuinfo, re.MULTILINE)
    return " ".join(match[1].split()) if match else ""


def memory_bytes(meminfo: str, limit: str) -> int | None:
    """The machine's, or a container's where that is less."""
    match = re.search(r"^MemTotal:\s*(\d+) kB", meminfo, re.MULTILINE)
    known = [int(match[1]) * 1024] if match else []
    if limit.strip().isdigit():
        known.append(int(limit))
    return min(known, default=None)


def os_name(release: str) -> str:
    match = re.search(r'^PRETTY_NAME="?([^"\n]+)', release, re.MULTILINE)
    return match[1] if match else platform.system()


def mount_of(mountinfo: str, path: str) -> dict[str, str]:
    """The mount that a path lies on: the deepest of those above it, and of several there the last.

    36 35 98:0 / /mnt rw,noatime shared:1 - ext4 /dev/sda1 rw,errors=continue
    """
    best: dict[str, str] = {}
    for line in mountinfo.splitlines():
        head, _, tail = line.partition(" - ")
        fields, rest = head.split(), tail.split()
        if len(fields) < 6 or len(rest) < 2:
            continue
        point = re.sub(r"\\(\d{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        above = path == point or path.startswith(point.rstrip("/") + "/")
        if above and len(point) >= len(best.get("mount", "")):
            best = {"type": rest[0], "mount": point, "options": fields[5]}
    return best


def striping(folder: Path, kind: str) -> dict[str, str]:
    """How new files in a folder are striped, where the file system has a tool that tells."""
    tools = {
        "lustre": ["lfs", "getstripe", "-d", str(folder)],
        "beegfs": ["beegfs-ctl", "--getentryinfo", str(folder)],
    }
    said = said_by(tools[kind]) if kind in tools else None
    return {"striping": said} if said else {}


def said_by(command: Sequence[str], most: int = 3) -> str | None:
    """What a program prints, its first lines in one; nothing where it cannot be asked."""
    try:
        asked = subprocess.run(
            list(command), capture_output=True, text=True, errors="replace", timeout=20, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return None
    if asked.returncode != 0:
        return None
    lines = [" ".join(line.split()) for line in asked.stdout.splitlines() if line.strip()]
    version = next((line for line in lines if line.startswith("Version:")), None)  # HYDRA's is the second
    return ", ".join([lines[0].rstrip(":"), version] if version else lines[:most])[:300] if lines else None


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
