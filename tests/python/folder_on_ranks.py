"""What an io4dolfinx checkpoint consists of, written or read on these ranks: `write FOLDER` or `read FOLDER`."""

import sys
from pathlib import Path

import numpy as np
from mpi4py import MPI
from weft.adaptors import checkpoint_folder as folders

ROWS = 37
COMM = MPI.COMM_WORLD
TIMES = [0.0, 0.5, 0.25, 1.0]  # not in order: 0.25 begins a second file, which 1.0 goes on with


def own(rows: int = ROWS) -> slice:
    """Uneven: the last rank has nothing where there are three."""
    bounds = np.linspace(0, rows, max(1, COMM.size - (COMM.size > 2)) + 1).astype(int)
    bounds = np.append(bounds, [rows] * COMM.size)
    return slice(int(bounds[COMM.rank]), int(bounds[COMM.rank + 1]))


def values(time: float) -> np.ndarray:
    return np.sin(np.arange(ROWS * 3).reshape(ROWS, 3) + time)


def refused(action) -> str:
    try:
        action()
    except (ValueError, KeyError, OSError, RuntimeError) as error:
        return str(error)
    raise AssertionError("nothing was refused")


def write(path: Path) -> None:
    folder = folders.begin(path, COMM, keep=False)
    mine = own()
    cells = np.arange(ROWS * 4).reshape(ROWS, 4)
    number = folders.fingerprint(COMM, cells[mine], mine.start)
    folders.store(folder / "cells.h5", COMM, {"cells": (cells[mine], mine.start, ROWS)}, {}, attributes={"a": number})
    for time in TIMES:
        array = (values(time)[mine], mine.start, ROWS)
        if time == TIMES[0]:
            folders.store(folder / "points.h5", COMM, {"points": array}, {}, time=time, steps=None)
        else:
            folders.add(folder, COMM, "points", array, time, {"filters": "shuffle+deflate:1"})
    array = (values(0.0)[mine], mine.start, ROWS)
    assert "already" in refused(lambda: folders.add(folder, COMM, "points", array, 0.5, None))
    short = own(ROWS - 2)
    fewer = (values(0.0)[short], short.start, ROWS - 2)
    assert "not 35" in refused(lambda: folders.add(folder, COMM, "points", fewer, 9.0, None))
    assert "is no checkpoint" in refused(lambda: folders.begin(path.parent, COMM, keep=True))
    assert "no argument 'zip'" in refused(lambda: folders.known_options({"zip": 1}))


def read(path: Path) -> None:
    folder = folders.checkpoint(path)
    cells, first = folders.share_of(folder / "cells.h5", COMM, "cells")
    np.testing.assert_array_equal(cells, np.arange(ROWS * 4).reshape(ROWS, 4)[first : first + len(cells)])
    assert COMM.allreduce(len(cells)) == ROWS
    number = folders.fingerprint(COMM, cells, first)
    assert number == folders.attribute_of(COMM, folder / "cells.h5", "a"), "depends on the ranks"
    other = cells.copy()
    other[:1] += 1
    assert folders.fingerprint(COMM, other, first) != number
    assert folders.fingerprint(COMM, cells[::-1], first) != number
    np.testing.assert_array_equal(np.concatenate(folders.times_of(folder, "points")), TIMES)
    for time in TIMES:
        points, first = folders.read_at(folder, COMM, "points", time)
        np.testing.assert_array_equal(points, values(time)[first : first + len(points)])
    assert "0 steps" in refused(lambda: folders.read_at(folder, COMM, "points", 7.0))


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](Path(sys.argv[2]))
