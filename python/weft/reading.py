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
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.indexing import select

if TYPE_CHECKING:
    import pyvista

    from weft.plots import FieldPlots

Array = npt.NDArray[Any]


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
        wishes.requests = requests
        return wishes


@dataclass(frozen=True)
class Cost:
    """What a read is predicted to cost, before anything is read or kept in memory.

    `asked_bytes` are those of the result, `bytes` those that are fetched, in `requests` requests of `seconds` seconds
    together. HDF5, which reads whole chunks, would fetch `hdf5_bytes` of `chunks` chunks.
    """

    asked_bytes: int
    chunks: int
    requests: int
    bytes: int
    hdf5_bytes: int
    seconds: float


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
        self._path = os.fspath(path)
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
                    self._take(_core.Reader.open(self._path, self._options.wishes(self._requests)))
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
        return File, (self._path, self._options)

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
    def attrs(self) -> dict[str, Any]:
        """What is known of the file as a whole: path, is_weft, and what wrote it."""
        reader = self._reader
        known: dict[str, Any] = {"path": self._path, "is_weft": reader.is_weft}
        if reader.is_weft:
            known |= {"created_by": reader.created_by, "format_version": reader.format_version}
        return known

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
        self._take(_core.Reader.open(self._path, wishes))
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

Read = Literal["trace", "snapshot", "block"]


class Field:
    """A field over the committed steps: an array of shape (committed, ...) that is read when it is asked for.

    `field[key]` means what it means to NumPy, and reads no more than it needs.
    """

    def __init__(self, file: File, name: str) -> None:
        self._file = file
        self._name = name
        self._described = file._fields[name]
        self.dtype: np.dtype[Any] = np.dtype(self._described["dtype"])
        self.per_step: tuple[int, ...] = self._described["per_step"]

    def __reduce__(self) -> tuple[Any, ...]:
        return Field, (self._file, self._name)

    @property
    def file(self) -> File:
        return self._file

    @property
    def name(self) -> str:
        return self._name

    @property
    def shape(self) -> tuple[int, ...]:
        return (self._file.committed, *self.per_step)

    @property
    def ndim(self) -> int:
        return 1 + len(self.per_step)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def units(self) -> str:
        return str(self._described["units"])

    @property
    def support(self) -> str:
        """What the values are of: "nodes", "cells" or "global" (one a step)."""
        return str(self._described["support"])

    @property
    def components(self) -> tuple[str, ...]:
        return tuple(self._described["components"])

    @property
    def chunks(self) -> tuple[int, ...]:
        return tuple(self._described["chunk"])

    @property
    def filters(self) -> str:
        """The filters of the chunks, joined by "+"; "" where there are none."""
        return str(self._described["filters"])

    @property
    def places(self) -> tuple[int, ...]:
        """The extents of the axes that say which node: (nodes,), (z, y, x), or () where the field is global."""
        return self.per_step[: self._described["node_axes"]]

    def __len__(self) -> int:
        return self.shape[0]

    def _node(self, node: int | Sequence[int]) -> int:
        """The number of a node, row-major over `places`; negative ones count from the end."""
        places = self.places or (1,)
        try:
            where = tuple(int(i.__index__()) for i in node) if isinstance(node, tuple | list) else None
            number = node.__index__() if where is None else 0  # type: ignore[union-attr]
        except AttributeError:
            raise TypeError(f"a node is a whole number or a place of {len(places)}, not {node!r}") from None
        if where is not None:
            if len(where) != len(places):
                raise IndexError(f"{self._name}: a place has {len(places)} numbers, not {len(where)}")
            for i, extent in zip(where, places, strict=True):
                if not -extent <= i < extent:
                    raise IndexError(f"{self._name}: there is no node at {where}; the field has the nodes {places}")
            return int(np.ravel_multi_index(tuple(i % n for i, n in zip(where, places, strict=True)), places))
        nodes = 1
        for extent in places:
            nodes *= extent
        if not -nodes <= number < nodes:
            raise IndexError(f"{self._name}: there is no node {number}; the field has {nodes}")
        return int(number % nodes)

    def _step(self, step: int) -> int:
        committed = self._file.committed
        number = step.__index__()
        if not -committed <= number < committed:
            raise IndexError(f"{self._name}: there is no step {number}; {committed} are committed")
        return number % committed

    @property
    def _of_node(self) -> tuple[int, ...]:
        return self.per_step[len(self.places) :]

    def trace(self, node: int | Sequence[int]) -> Array:
        """All committed steps of one node: (committed, components...), in `units`.

        node: its number, row-major on a grid, or its place (z, y, x). Raises IndexError where there is none.
        """
        number = self._node(node)
        reader = self._file._reader
        values = np.empty((reader.committed, *self._of_node), self.dtype)
        reader.read_trace(self._name, number, values)
        return values

    def traces(self, nodes: Sequence[int | Sequence[int]] | npt.NDArray[np.integer[Any]]) -> Array:
        """The traces of several nodes, (nodes, committed, components...). They are read together: neighbours in the
        file become one request."""
        numbers = np.array([self._node(node) for node in nodes], np.int64)
        reader = self._file._reader
        values = np.empty((len(numbers), reader.committed, *self._of_node), self.dtype)
        if values.size == 0:
            return values
        places = np.stack(np.unravel_index(numbers, self.places or (1,)), axis=1) if self.places else numbers[:, :0]
        starts = np.zeros((len(numbers), self.ndim), np.uint64)
        starts[:, 1 : 1 + places.shape[1]] = places
        counts = np.empty_like(starts)
        counts[:] = (reader.committed, *(1 for _ in self.places), *self._of_node)
        reader.read(self._name, starts, counts, values)
        return values

    def snapshot(self, step: int) -> Array:
        """One step of all nodes, of the shape of one step. Raises IndexError where it is not committed."""
        number = self._step(step)
        values = np.empty(self.per_step, self.dtype)
        self._file._reader.read_snapshot(self._name, number, values)
        return values

    def block(self, first_node: int, nodes: int, first_step: int = 0, steps: int | None = None) -> Array:
        """`nodes` indexes of the first axis of a step from `first_node`, over `steps` steps from `first_step` [all]:
        (steps, nodes, ...). Raises IndexError where it leaves the field."""
        committed = self._file.committed
        steps = committed - first_step if steps is None else steps
        extent = self.per_step[0] if self.per_step else 1
        for first, count, most, what in ((first_node, nodes, extent, "nodes"), (first_step, steps, committed, "steps")):
            if first < 0 or count < 0 or first + count > most:
                raise IndexError(f"{self._name}: {what} {first} to {first + count} are not within the {most} there are")
        if not self.per_step:
            return self[first_step : first_step + steps]
        return self[first_step : first_step + steps, first_node : first_node + nodes]

    def sweep(self, first: int = 0, last: int | None = None) -> Iterator[Array]:
        """The snapshots of steps [first, last) in order, each byte read once, in the memory of open()'s `budget`."""
        reader = self._file._reader
        last = reader.committed if last is None else last
        if not 0 <= first <= last <= reader.committed:
            raise IndexError(f"{self._name}: steps {first} to {last} are not within the {reader.committed} committed")
        return self._swept(_core.Sweep(reader, self._name, first, last))

    def _swept(self, sweep: _core.Sweep) -> Iterator[Array]:
        while True:
            values = np.empty(self.per_step, self.dtype)
            if not sweep.next(values):
                return
            yield values

    def __getitem__(self, key: Any) -> Any:
        reader = self._file._reader
        selection = select(key, (reader.committed, *self.per_step))
        elements = np.empty(int(np.prod(selection.counts, axis=1, dtype=np.int64).sum()), self.dtype)
        if elements.size:
            reader.read(self._name, selection.starts, selection.counts, elements)
        return selection.assemble(elements)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError(f"{self._name}: a field is read into new memory; it cannot be had without a copy")
        values: Array = self[...]
        return values if dtype is None else np.asarray(values, dtype)

    def __iter__(self) -> Iterator[Array]:
        return self.sweep()

    def cost(self, read: Read | tuple[Sequence[int], Sequence[int]] = "trace") -> Cost:
        """What a read is predicted to cost: "trace", "snapshot", "block" (a quarter of the first axis of a step, all
        steps), or a box (start, count)."""
        boxes: dict[str, Callable[[], tuple[list[int], list[int]]]] = {
            "trace": lambda: ([0] * self.ndim, [self.shape[0], *(1 for _ in self.places), *self._of_node]),
            "snapshot": lambda: ([0] * self.ndim, [min(1, self.shape[0]), *self.per_step]),
            "block": lambda: ([0] * self.ndim, [self.shape[0], *(-(-n // 4) for n in self.per_step[:1]),
                                                *self.per_step[1:]]),
        }
        if isinstance(read, str):
            if read not in boxes:
                raise ValueError(f"cost of {read!r}; ask for one of: {', '.join(boxes)}, or a box (start, count)")
            start, count = boxes[read]()
        else:
            start, count = [int(i) for i in read[0]], [int(i) for i in read[1]]
        return Cost(**self._file._reader.cost(self._name, start, count))

    @property
    def plot(self) -> FieldPlots:
        """Pictures: plot.trace(nodes), plot.map(quantity), plot.snapshot(step). They need matplotlib."""
        from weft.plots import FieldPlots

        return FieldPlots(self)

    def __repr__(self) -> str:
        from weft import reprs

        return reprs.field_text(self)

    def _repr_html_(self) -> str:
        from weft import reprs

        return reprs.field_html(self)
