"""A field of an open file: an array over its steps, read when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.indexing import select

if TYPE_CHECKING:
    from weft.plots import FieldPlots
    from weft.reading import File

Array = npt.NDArray[Any]


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
    def attrs(self) -> dict[str, Any]:
        """The attributes of the field's dataset, without those of dimension scales. Read from the file each time."""
        path = f"/{self._name}" if self._file.is_weft else self._described["path"]
        return dict(self._file._reader.attributes(path))

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
        return "+".join(self._described["filters"])

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
        if not self.places:  # all values of a step are one node's
            of_all: Array = self[...]
            return of_all
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
        places = (
            np.stack(np.unravel_index(numbers, self.places), axis=1) if self.places else np.empty((len(numbers), 0))
        )
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

    def block(
        self,
        first_node: SupportsIndex,
        nodes: SupportsIndex,
        first_step: SupportsIndex = 0,
        steps: SupportsIndex | None = None,
    ) -> Array:
        """`nodes` indexes of the first axis of a step from `first_node`, over `steps` steps from `first_step` [all]:
        (steps, nodes, ...). Raises IndexError where it leaves the field."""
        committed = self._file.committed
        first_node, nodes, first_step = (index(number) for number in (first_node, nodes, first_step))
        steps = committed - first_step if steps is None else index(steps)
        extent = self.per_step[0] if self.per_step else 1
        for first, count, most, what in ((first_node, nodes, extent, "nodes"), (first_step, steps, committed, "steps")):
            if first < 0 or count < 0 or first + count > most:
                raise IndexError(f"{self._name}: {what} {first} to {first + count} are not within the {most} there are")
        in_steps = slice(first_step, first_step + steps)
        values: Array = self[in_steps, first_node : first_node + nodes] if self.per_step else self[in_steps]
        return values

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
            "block": lambda: (
                [0] * self.ndim,
                [self.shape[0], *(-(-n // 4) for n in self.per_step[:1]), *self.per_step[1:]],
            ),
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
