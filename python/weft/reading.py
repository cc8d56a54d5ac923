"""Reading: `weft.open` gives a File, a File has Fields, a Field gives NumPy arrays.

    >>> with weft.open("run.h5") as file:
    ...     trace = file["V"].trace(1234)

Every array is new and the caller's own. While the file is read, other Python threads run: several of them may read
from one File at once.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.field import Array, Field

if TYPE_CHECKING:
    import pyvista


@dataclass(frozen=True)
class Options:
    """How a file is opened; see open()."""

    budget: int | None = None
    latency: float | None = None
    bandwidth: float | None = None
    threads: int | None = None
    dataset: str = ""
    time: str | None = None
    axes: str = ""
    delay: float = 0.0  # for tests: seconds added to each request

    def wishes(self, requests: _core.Requests | None) -> _core.Wishes:
        wishes = _core.Wishes()
        for name, value in vars(self).items():
            setattr(wishes, name, value)
        if requests is not None:
            wishes.requests = requests
        return wishes


def open(  # the name is the package's, weft.open
    path: str | os.PathLike[str],
    *,
    budget: int | None = None,
    cost: tuple[float, float] | None = None,
    threads: int | None = None,
    dataset: str = "",
    time: str | None = None,
    axes: str = "",
) -> File:
    """Opens a file of steps: one that Weft wrote, or any HDF5 file whose steps are recognised (docs/readers.md).

    path: FILE, or FILE:DATASET for one of its datasets.
    budget: the bytes a sweep may hold [256 MiB]; a quarter of it, besides, keeps chunks that were decoded.
    cost: (seconds of one request, bytes per second) of the file system; measured where it is not given.
    threads: how many requests are made at once.
    dataset, time, axes: which dataset, which times, and what its axes are, where a file of others does not say.

    Raises FileNotFoundError, PermissionError or OSError where the file cannot be opened, weft.DataError where it is
    damaged or no steps are recognised in it, ValueError for an option that cannot be used. Not collective.

    HDF5 may crash over damaged metadata of files that others wrote. The command `weft` therefore tries such files in a
    child process; Python does not, because a process with threads cannot fork safely. See docs/python.md.
    """
    latency, bandwidth = cost if cost is not None else (None, None)
    if budget is not None and budget < 0:
        raise ValueError(f"budget: {budget} bytes; give 0 or more")
    if threads is not None and threads < 1:
        raise ValueError(f"threads: {threads}; give 1 or more")
    if cost is not None and not (latency is not None and latency >= 0 and bandwidth is not None and bandwidth > 0):
        raise ValueError(f"cost: {cost}; give seconds of 0 or more, and bytes per second above 0")
    return File(path, Options(budget, latency, bandwidth, threads, dataset, time, axes))


class File(Mapping[str, "Field"]):
    """A file of steps: its fields by name. A context manager; weft.open() makes it.

    Several threads may use it at once. It pickles by its path and options, and is opened again where it arrives.
    """

    def __init__(
        self, path: str | os.PathLike[str], options: Options = Options(), requests: _core.Requests | None = None
    ) -> None:
        self._path = os.fsdecode(path)
        self._whole_path = os.path.abspath(self._path)  # it is opened again: the process may be in another folder then
        self._options = options
        self._requests = requests
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._reader_or_none: _core.Reader | None = None
        self._take(_core.Reader.open(self._path, options.wishes(requests)))

    def _take(self, reader: _core.Reader) -> None:
        self._fields = {described["name"]: described for described in reader.fields()}
        self._reader_or_none = reader

    @property
    def _reader(self) -> _core.Reader:
        reader = self._reader_or_none
        if reader is None:
            raise ValueError(f"{self._path}: the file is closed; open it again with weft.open")
        if self._pid != os.getpid():  # a forked child has no threads of the parent's: decoders among them
            with self._lock:
                if self._pid != os.getpid():
                    # The parent's reader is never destroyed here: it would wait for those threads.
                    _FORKED.append(reader)
                    self._take(_core.Reader.open(self._whole_path, self._options.wishes(self._requests)))
                    self._pid = os.getpid()
            return self._reader
        return reader

    @property
    def path(self) -> str:
        return self._path

    @property
    def closed(self) -> bool:
        return self._reader_or_none is None

    def close(self) -> None:
        """Further reads raise ValueError; those under way end as they would have."""
        self._reader_or_none = None

    def __enter__(self) -> Self:
        self._reader  # noqa: B018  raises if it is closed
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[Any, ...]:
        return File, (self._whole_path, self._options)

    def __getitem__(self, name: str) -> Field:
        self._reader  # noqa: B018  raises if it is closed
        if name not in self._fields:
            raise KeyError(f"{self._path}: has no field {name!r}; it has: {', '.join(self._fields)}")
        return Field(self, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields)

    @property
    def is_weft(self) -> bool:
        """Whether Weft wrote the file."""
        return bool(self._reader.is_weft)

    @property
    def committed(self) -> int:
        """How many steps can be read: those that every writing rank had completed when the file was opened."""
        return int(self._reader.committed)

    @property
    def steps(self) -> int:
        """The length of the datasets, as other readers see it."""
        return int(self._reader.steps)

    @property
    def times(self) -> npt.NDArray[np.float64]:
        """The time of every committed step, of shape (committed,), in `time_units`."""
        return np.array(self._reader.times(), np.float64)

    @property
    def time_units(self) -> str:
        return str(self._reader.time_units)

    @property
    def calendar(self) -> str:
        """CF's name of the calendar of times since a date, like "noleap"; "" where the file says none."""
        path = self._reader.times_path
        return str(self._reader.attributes(path).get("calendar", "")) if path else ""

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes of the file as a whole: texts, numbers, and lists of them. Read from the file each time."""
        return dict(self._reader.attributes("/"))

    @property
    def created_by(self) -> str:
        """The version of Weft that made the file; "" for a file of others."""
        return str(self._reader.created_by)

    @property
    def arrays(self) -> dict[str, tuple[int, ...]]:
        """The arrays without a step axis, by their paths ("/mesh/points"), and their shapes."""
        return {path: shape for path, _, shape in self._reader.fixed()}

    def array(self, path: str) -> Array:
        """An array without a step axis, whole. Raises KeyError where the file has none of this path."""
        reader = self._reader
        for known, dtype, shape in reader.fixed():
            if known == path:
                values = np.empty(shape, dtype)
                reader.read_fixed(path, values)
                return values
        raise KeyError(f"{self._path}: has no array {path!r}; it has: {', '.join(self.arrays) or 'none'}")

    @property
    def points(self) -> Array:
        """The points of the mesh, (nodes, 3). Raises KeyError where the file has no mesh, as the next ones do."""
        return self.array("/mesh/points")

    @property
    def connectivity(self) -> Array:
        """The nodes of the cells, one cell behind the other."""
        return self.array("/mesh/connectivity")

    @property
    def offsets(self) -> Array:
        """Where each cell begins in `connectivity`, and where the last one ends: (cells + 1,)."""
        return self.array("/mesh/offsets")

    @property
    def cell_types(self) -> Array:
        """The VTK number of each cell's type, (cells,)."""
        return self.array("/mesh/types")

    def to_pyvista(self, step: int = -1, fields: Sequence[str] | None = None) -> pyvista.UnstructuredGrid:
        """The mesh with the fields of one step, for pyvista (weft.adaptors.pyvista)."""
        from weft.adaptors.pyvista import grid_of

        return grid_of(self, step, fields)

    def reload(self) -> int:
        """Looks for steps that were committed since, and returns how many can be read now.

        Raises as open() does. Threads that read meanwhile see either state.
        """
        before = self._reader
        wishes = self._options.wishes(self._requests)
        wishes.latency, wishes.bandwidth = before.latency, before.bandwidth  # measured once
        self._take(_core.Reader.open(self._whole_path, wishes))
        return self.committed

    def follow(self, timeout: float | None = 60.0, poll: float = 0.5, first: int = 0) -> Iterator[int]:
        """The number of each step from `first` on, as soon as it is committed. The file is looked at every `poll`
        seconds. Ends after `timeout` seconds without a new step (None: waits for ever)."""
        if poll <= 0:
            raise ValueError(f"poll: {poll} s; give more than 0")
        if first < 0:
            raise ValueError(f"first: {first}; give 0 or more")
        step = first
        last_seen = time.monotonic()
        while True:
            while step < self.committed:
                yield step
                step += 1
                last_seen = time.monotonic()
            waited = time.monotonic() - last_seen
            if timeout is not None and waited >= timeout:
                return
            time.sleep(poll if timeout is None else max(0.0, min(poll, timeout - waited)))
            self.reload()

    def __repr__(self) -> str:
        from weft import reprs

        return reprs.file_text(self)

    def _repr_html_(self) -> str:
        from weft import reprs

        return reprs.file_html(self)


_FORKED: list[_core.Reader] = []  # readers of a parent process, kept so that nobody destroys them
