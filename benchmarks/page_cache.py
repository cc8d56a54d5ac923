"""Reads that are to come from the disk."""

from __future__ import annotations

import os
from pathlib import Path


def leave_page_cache(path: Path) -> None:
    """A file, or the files of a folder: the next read of them waits for the disk. Needs no rights; what a library keeps
    in its own memory stays there."""
    for file in [path] if path.is_file() else path.rglob("*"):
        if not file.is_file():
            continue
        descriptor = os.open(file, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
