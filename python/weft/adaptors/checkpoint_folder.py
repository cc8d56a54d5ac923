"""A folder of plain HDF5 files that a checkpoint consists of: arrays of all ranks, some of them at several times.

Each file is a series. An array that is written at several times has a step for each; where a time is earlier than the
one before, another file begins (dofs.h5, dofs-2.h5), as the times of a series rise. What is done to the folder itself
is done by rank 0, and where it fails all ranks raise the same.
"""

from __future__ import annotations

import json
import shutil
import urllib.parse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from weft._core import DataError
from weft.reading import open as open_series
from weft.specs import FieldSpec, even_share
from weft.writing import append, create

if TYPE_CHECKING:
    from mpi4py import MPI

_MARK = "weft-checkpoint.json"
_OPTIONS = ("filters", "reads", "target", "budget")

# An array over all ranks: this rank's rows, the number of the first, and how many all ranks have.
Rows = tuple[npt.NDArray[Any], int, int]


def known_options(arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """The options that were given. Raises ValueError for one that there is not."""
    given = dict(arguments or {})
    unknown = sorted(set(given) - set(_OPTIONS))
    if unknown:
        raise ValueError(f"backend_args: no argument {unknown[0]!r}; there are {', '.join(_OPTIONS)}")
    return given


def quoted(name: str) -> str:
    """A file's name for any name of a function."""
    return urllib.parse.quote(name, safe="").replace(".", "%2E")


def first_rank(comm: MPI.Intracomm, action: Callable[[], Any]) -> Any:
    """What the action gives on rank 0, on all ranks; where it fails there, all raise the same."""
    result: Any = None
    if comm.rank == 0:
        try:
            result = action()
        except Exception as error:  # noqa: BLE001  all ranks raise it
            result = error
    result = comm.bcast(result)
    if isinstance(result, Exception):
        raise result
    return result


def exists(comm: Any, path: Path) -> bool:
    return bool(first_rank(comm, path.exists))


def function_names(folder: Path) -> list[str]:
    return sorted(urllib.parse.unquote(entry.parent.name) for entry in (folder / "functions").glob("*/dofs.h5"))


def begin(filename: Path | str, comm: Any, keep: bool) -> Path:
    """The folder of a checkpoint that is written into: a new one, or with append the one that is there."""
    folder = Path(filename)

    def make() -> None:
        if (folder / _MARK).exists():
            if not keep:
                _empty(folder)
        elif folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise FileExistsError(f"{folder}: exists and is no checkpoint of Weft; choose another name")
        folder.mkdir(exist_ok=True)
        (folder / _MARK).write_text(json.dumps({"format": 1, "written_by": "weft.adaptors.io4dolfinx"}) + "\n")

    first_rank(comm, make)
    return folder


def _empty(folder: Path) -> None:
    """Removes what a checkpoint consists of, and nothing else that someone has put there."""
    for path in [*_files(folder, "points"), folder / "cells.h5", folder / "snapshot.h5"]:
        path.unlink(missing_ok=True)
    for name in ("functions", "tags", "attributes"):
        shutil.rmtree(folder / name, ignore_errors=True)


def checkpoint(filename: Path | str) -> Path:
    folder = Path(filename)
    if not folder.exists():
        raise FileNotFoundError(f"{folder}: not found")
    if not (folder / _MARK).exists():
        raise DataError(f"{folder}: is no checkpoint of Weft, which is a folder with {_MARK} in it")
    return folder


def there(path: Path, lacking: str) -> Path:
    if not path.exists():
        raise KeyError(f"{path}: there is {lacking} in this checkpoint")
    return path


def function_file(filename: Path | str, name: str, file: str) -> Path:
    return there(checkpoint(filename) / "functions" / quoted(name) / file, f"no function {name!r}")


def store(
    path: Path,
    comm: Any,
    arrays: Mapping[str, Rows],
    options: Mapping[str, Any] | None,
    *,
    attributes: Mapping[str, Any] | None = None,
    time: float = 0.0,
    steps: int | None = 1,
) -> None:
    """Arrays of all ranks as a new series with its first step."""
    given = known_options(options)
    budget = given.pop("budget", 64 << 20)
    first_rank(comm, lambda: path.parent.mkdir(parents=True, exist_ok=True))
    specs = {
        name: FieldSpec(
            shape=(total, *rows.shape[1:]),
            owned=slice(first, first + len(rows)),
            dtype=rows.dtype,
            layout="rows" if steps == 1 else "reads",
            **given,
        )
        for name, (rows, first, total) in arrays.items()
    }
    with create(path, specs, steps=steps, attributes=attributes, comm=comm, budget=budget) as out:
        out.step(float(time), **{name: np.ascontiguousarray(rows) for name, (rows, _, _) in arrays.items()})


def _files(folder: Path, name: str) -> list[Path]:
    """The series of an array, in the order in which they were begun."""
    files = [folder / f"{name}.h5"]
    while files[-1].exists():
        files.append(folder / f"{name}-{len(files) + 1}.h5")
    return files[:-1]


def times_of(folder: Path, name: str) -> list[npt.NDArray[np.float64]]:
    """The times in each of these files."""
    times = []
    for path in _files(folder, name):
        with open_series(path) as file:
            times.append(file.times)
    return times


def add(folder: Path, comm: Any, name: str, array: Rows, time: float, options: Mapping[str, Any] | None) -> None:
    """An array at another time: the next step of the last series, or the first of a new one."""
    rows, first, total = array
    files, times = first_rank(comm, lambda: (_files(folder, name), times_of(folder, name)))
    there = extent_of(comm, files[-1], name)
    if there != total:
        raise ValueError(
            f"{folder}: holds {there} rows of {name}, not {total}; it was written for another mesh or space"
        )
    if np.isclose(np.concatenate(times), time).any():
        raise ValueError(f"{folder}: has {name} at time {time} already")
    if time < times[-1].max(initial=-np.inf):
        path = folder / f"{name}-{len(files) + 1}.h5"
        store(path, comm, {name: array}, options, time=time, steps=None)
        return
    budget = known_options(options).get("budget", 64 << 20)
    with append(files[-1], owned={name: slice(first, first + len(rows))}, comm=comm, budget=budget) as out:
        out.step(float(time), **{name: np.ascontiguousarray(rows)})


def extent_of(comm: Any, path: Path, name: str) -> int:
    def extent() -> int:
        with open_series(path) as file:
            return int(file[name].shape[1])

    return int(first_rank(comm, extent))


def attribute_of(comm: Any, path: Path, name: str) -> Any:
    def attribute() -> Any:
        with open_series(path) as file:
            return str(file.attrs[name])

    return first_rank(comm, attribute)


def share_of(path: Path, comm: Any, name: str, step: int = 0) -> tuple[npt.NDArray[Any], int]:
    with open_series(path) as file:
        share = even_share(file[name].shape[1], comm.rank, comm.size)
        return file[name][step, share], share.start


def read_at(folder: Path, comm: Any, name: str, time: str | float | None) -> tuple[npt.NDArray[Any], int]:
    times = times_of(folder, name)
    places = [
        (path, int(step))
        for path, of_file in zip(_files(folder, name), times, strict=True)
        for step in np.flatnonzero(np.isclose(of_file, 0.0 if time is None else float(time)))
    ]
    if len(places) != 1:
        raise ValueError(
            f"{folder}: has {len(places)} steps of {name} at time {time}; there are {np.concatenate(times)}"
        )
    return share_of(places[0][0], comm, name, places[0][1])


def fingerprint(comm: Any, rows: npt.NDArray[np.int64], first: int) -> str:
    """A number that says whether two distributed arrays are equal, on whichever ranks their rows are.

    The sum over all entries of the mixed entry and place (the finaliser of SplitMix64, Steele et al. 2014), modulo 2^64.
    """
    places = (first * rows.shape[1] if rows.size else 0) + np.arange(rows.size, dtype=np.uint64)
    mixed = rows.reshape(-1).view(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + places
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    return f"{sum(comm.allgather(int(mixed.sum(dtype=np.uint64)))) % (1 << 64):016x}"
