"""What the system keeps of files in memory, made alike before each run: warm, with nothing left to write, or cold.

Cold needs root, who may drop the whole cache. Others can ask to forget files one by one, which reaches those that the
run will read, and works where nobody else has them open. Either way a run's own writes are in memory when it reads them
back: only what was there before can be cold.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

DROP = Path("/proc/sys/vm/drop_caches")

DROPPED = "page cache dropped (/proc/sys/vm/drop_caches)"
FORGOTTEN = "files read were forgotten (posix_fadvise)"
NOTHING = "warm, for all the runner can do: no root, and no file that the run reads"
SETTLED = "warm; earlier writes were brought to the disk"


def settle(folder: Path, cache: str, inputs: Iterable[Path]) -> str:
    """Brings what earlier runs left in the cache to the disk, so that nobody pays for the one before, and empties it
    where `cache` is cold. Returns which of it could be done."""
    subprocess.run(["sync", "-f", str(folder)], check=False, capture_output=True)
    if cache != "cold":
        return SETTLED
    if _drop_all():
        return DROPPED
    return FORGOTTEN if sum(_forget(file) for path in inputs for file in _files(path)) else NOTHING


def _drop_all() -> bool:
    try:
        os.sync()  # dirty pages are not dropped
        DROP.write_text("3")
    except OSError:
        return False
    return True


def _files(path: Path) -> Iterable[Path]:
    return (file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def _forget(file: Path) -> bool:
    try:
        descriptor = os.open(file, os.O_RDONLY)
    except OSError:
        return False
    try:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True
