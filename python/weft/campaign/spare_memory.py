"""Memory that the machine really has, made alike before each run.

A virtual machine gives memory that lies idle back to its host (free page reporting of virtio's balloon), and the host
takes a while to bring it back: 2.2 s a GB were seen, 0.2 where it had not gone. A run that draws its page cache from
such memory is several times slower than the same run a second later. Using as much as a run will need, just before it
begins, has the host bring it back. Standard library only: benchmarks/ loads this file as it is.
"""

from __future__ import annotations

import mmap

PAGE = 4096
PIECE = 64 << 20


def use(wanted: int) -> int:
    """Writes to `wanted` bytes of memory, at most half of what is free, and gives them back. Returns how many."""
    size = min(wanted, _free() // 2) // PAGE * PAGE
    if size <= 0:
        return 0
    with mmap.mmap(-1, size) as memory:
        if hasattr(mmap, "MADV_HUGEPAGE"):
            memory.madvise(mmap.MADV_HUGEPAGE)
        for begin in range(0, size, PIECE):
            end = min(begin + PIECE, size)
            memory[begin:end:PAGE] = bytes((end - begin) // PAGE)
    return size


def _free() -> int:
    """Bytes that no process has, page cache not counted: what the run will be given first."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemFree:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0
