"""Writing: `weft.create` makes a series, a step at a time, on one process or on all ranks of an mpi4py communicator.

    >>> with weft.create("heart.h5", {"V": weft.FieldSpec(nodes, units="mV")}, time_units="ms") as out:
    ...     for step in range(steps):
    ...         out.step(0.1 * step, V=values)

Calls are those of C++ (src/weft/series/series_writer.hpp), and so are the bytes in the file.
"""

from __future__ import annotations

import atexit
import math
import os
import traceback
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from operator import index
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.own_quantity import Reductions, named_and_own
from weft.ranks import Ranks, ranks_of
from weft.specs import FieldSpec, Grid, Mesh, Owned, ownership_of, whole_numbers

if TYPE_CHECKING:
    from mpi4py import MPI


@dataclass(frozen=True)
class _Put:
    """What put() takes of a field on this rank."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    is_global: bool


def create(
    path: str | os.PathLike[str],
    fields: Mapping[str, FieldSpec],
    *,
    steps: int | None = None,
    mesh: Mesh | None = None,
    grid: Grid | None = None,
    time_units: str = "",
    calendar: str = "",
    attributes: Mapping[str, Any] | None = None,
    comm: MPI.Intracomm | None = None,
    reduce: Mapping[str, Reductions] | None = None,
    threshold: float = -30.0,
    max_beats: int = 8,
    origin: int | None = None,
    budget: int = 256 << 20,
    sync: str = "commit",
    commit_seconds: float = 60.0,
    commit_steps: int = 0,
    commit_on_signals: bool = True,
    align: int = 0,
    replace: bool = True,
    take_over: bool = False,
) -> Writer:
    """Makes a new file. Collective over `comm`, where there is one.

    fields: by name. steps: how many there will be [not known: the file grows]. mesh or grid: what the fields stand on.
    calendar: of times "since" a date, as CF names it, like "noleap".
    comm: an mpi4py communicator; each rank then says what it owns (FieldSpec.owned).
    reduce: quantities over time that are taken while the series is written, as {"V": "activation_time,apd_90"}, into
        /maps; weft.Quantity is one of your own, {"V": ["peak", Quantity(...)]}. threshold, max_beats and origin are
        those of `weft reduce`.
    budget: the bytes in which a rank may gather steps. sync: when steps are flushed to the disk: "commit" (in the
        background, at most `commit_seconds` after a step), "window" or "none". commit_steps: commit at least once in so
        many steps. commit_on_signals: SIGTERM and SIGUSR1 make the next end_step() flush everything.
    align: chunks that different ranks may write begin at multiples of so many bytes, and so do all fields; 0: a page
        on file systems that lock or cache by page (Lustre, GPFS, NFS). replace: an existing file is replaced when the
        new one is complete; else FileExistsError. take_over: break the lock of a writer on another machine that has
        died.

    Raises ValueError for a spec that cannot be used, OSError where the file cannot be made; an existing file is then
    unchanged, and all ranks raise the same.
    """
    name = os.fsdecode(path)
    for what, amount in (("steps", steps), ("align", align), ("max_beats", max_beats), ("origin", origin)):
        if amount is not None and amount < 0:
            raise ValueError(f"{what}: {amount}; give 0 or more")
    if not replace and os.path.exists(name):
        raise FileExistsError(f"{name}: exists; choose another name, or replace=True")
    if mesh is not None and grid is not None:
        raise ValueError(f"{name}: a series has a mesh or a grid, not both")
    ranks = ranks_of(comm, name)
    rank, size = (0, 1) if ranks is None else (ranks.rank, ranks.size)
    series = _core.Series()
    series.steps = steps
    series.time_units = time_units
    series.calendar = calendar
    series.align = align
    series.replace(replace)
    series.set_attributes(_plain(attributes or {}))
    cells: Any = None
    places: tuple[int, ...] = ()
    own_cells = 0
    if mesh is not None:
        made, places, own_cells = _mesh(mesh, rank, size)
        series.set_mesh(made)
        cells = _core.Ownership.cells(ranks, own_cells, [])
    if grid is not None:
        places = tuple(grid.shape)
        series.set_grid(list(grid.shape), grid.origin, grid.spacing)
    puts: dict[str, _Put] = {}
    for field_name, spec in fields.items():
        made_field, put = _field(field_name, spec, places, cells, ranks, own_cells)
        series.add_field(made_field)
        puts[field_name] = put
    for field_name, wanted in (reduce or {}).items():
        names, own = named_and_own(wanted)
        series.add_observer(_core.reduction(field_name, names, threshold, max_beats, origin, math.nan, own))
    series.set_options(_options(budget, sync, commit_seconds, commit_steps, commit_on_signals, take_over))
    return Writer(name, _core.Writer.create(ranks, name, series), puts, ranks)


def append(
    path: str | os.PathLike[str],
    *,
    owned: Mapping[str, Owned] | None = None,
    from_step: int | None = None,
    comm: MPI.Intracomm | None = None,
    budget: int = 256 << 20,
    sync: str = "commit",
    commit_seconds: float = 60.0,
    commit_steps: int = 0,
    commit_on_signals: bool = True,
    take_over: bool = False,
) -> Writer:
    """Goes on with a series, on any number of ranks. Collective over `comm`, where there is one.

    owned: what this rank holds of each field, as FieldSpec.owned [an even share]. from_step: resume at this step and
    drop later ones [after the committed steps]. The rest is as for create(). Maps that were taken while the series was
    written are of the earlier steps afterwards; `weft reduce` makes them again.

    Raises ValueError for a step behind the committed ones or a field that the file has not, weft.DataError for a file
    that cannot be appended to, OSError where it cannot be written; the file is then unchanged.
    """
    name = os.fsdecode(path)
    if from_step is not None and from_step < 0:
        raise ValueError(f"from_step: {from_step}; give 0 or more")
    ranks = ranks_of(comm, name)
    rank, size = (0, 1) if ranks is None else (ranks.rank, ranks.size)
    reader = _core.Writer.fields_of(name)
    puts: dict[str, _Put] = {}
    spec = _core.AppendSpec()
    ownerships = []
    unknown = sorted(set(owned or {}) - set(reader))
    if unknown:
        raise ValueError(f"{name}: has no field {unknown[0]}; it has {', '.join(reader)}")
    for field_name, (dtype, shape, support) in reader.items():
        if support == "global":
            puts[field_name] = _Put(np.dtype(dtype), tuple(shape), True)
            continue
        ownership, local = ownership_of(
            tuple(shape), FieldSpec(owned=None if owned is None else owned.get(field_name)), rank, size
        )
        ownerships.append((field_name, ownership))
        puts[field_name] = _Put(np.dtype(dtype), local, False)
    spec.owned = ownerships
    spec.from_step = from_step
    spec.options = _options(budget, sync, commit_seconds, commit_steps, commit_on_signals, take_over)
    return Writer(name, _core.Writer.append(ranks, name, spec), puts, ranks)


def _holds(dtype: np.dtype[Any], numbers: npt.NDArray[Any]) -> bool:
    """Whether Python's own numbers, which have no size, can be of this type: whole ones that fit, and any as floats."""
    if numbers.size == 0:
        return True
    if dtype.kind == "f":
        return numbers.dtype.kind in "iuf"
    return numbers.dtype.kind in "iu" and bool(np.array_equal(numbers.astype(dtype), numbers))


class Writer:
    """A series that is being written; create() and append() make it. All calls come from one thread.

    As a context manager it closes the series. If its body raises, it does not: committed steps are in the file then, and
    on one process those that were ended, too. On several ranks the others would wait, so all are ended (MPI_Abort),
    unless all of them raised the same error.
    """

    def __init__(self, path: str, writer: _core.Writer, puts: dict[str, _Put], ranks: Ranks | None) -> None:
        self._path = path
        self._open_writer: _core.Writer | None = writer
        _OPEN.add(self)
        self._puts = puts
        self._ranks = ranks
        self._last_time = -math.inf

    @property
    def _writer(self) -> _core.Writer:
        if self._open_writer is None:
            raise ValueError(f"{self._path}: the series is closed")
        return self._open_writer

    @property
    def path(self) -> str:
        return self._path

    @property
    def next_step(self) -> int:
        """The number of the step that put() is for."""
        return self._writer.next_step

    def put(self, name: str, values: npt.ArrayLike, *, cast: bool = False) -> None:
        """This rank's values of a field for the present step, of the shape that it owns; they are copied. Not collective.

        Raises KeyError for a field that there is not, ValueError for another shape, TypeError for another type unless
        `cast` is asked for.
        """
        put, array = self._checked(name, values, cast)
        self._writer.put(name, put.dtype.name, array)

    def _checked(self, name: str, values: npt.ArrayLike, cast: bool) -> tuple[_Put, npt.NDArray[Any]]:
        if name not in self._puts:
            raise KeyError(f"{self._path}: has no field {name}; it has {', '.join(self._puts)}")
        put = self._puts[name]
        array = np.asarray(values)
        if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
            raise TypeError(f"{name}: has masked values, which a series cannot hold; fill them: values.filled(...)")
        if array.dtype != put.dtype:
            same = array.dtype.newbyteorder("=") == put.dtype  # in another byte order
            if not cast and not same and (hasattr(values, "dtype") or not _holds(put.dtype, array)):
                raise TypeError(f"{name}: holds {put.dtype}, not {array.dtype}; cast=True converts the values")
            array = array.astype(put.dtype)
        if array.shape != put.shape and not (put.is_global and array.size == math.prod(put.shape)):
            raise ValueError(f"{name}: this rank's part of a step has the shape {put.shape}, not {array.shape}")
        return put, np.ascontiguousarray(array)

    def end_step(self, time: float) -> None:
        """Ends the present step. Its time is the same on all ranks, and later than that of the step before. Collective.

        Raises ValueError where a field was not put or the time does not rise. On several ranks that of a rank alone may
        be raised by the others at their next flush() or close().
        """
        self._check_time(time)
        self._writer.end_step(float(time))
        self._last_time = float(time)

    def _check_time(self, time: float) -> None:
        if not time > self._last_time:
            raise ValueError(
                f"{self._path}: step {self.next_step}: its time, {time}, is not later than {self._last_time}"
            )

    def step(self, time: float, /, **values: npt.ArrayLike) -> None:
        """put() of each field, and end_step(). Where it refuses a value or the time, nothing was put. Collective."""
        checked = [(name, *self._checked(name, given, False)) for name, given in values.items()]
        self._check_time(time)
        for name, put, array in checked:
            self._writer.put(name, put.dtype.name, array)
        self.end_step(time)

    def flush(self) -> None:
        """Writes all steps so far; they are committed when it returns. Collective."""
        self._writer.flush()

    def close(self) -> None:
        """Writes all steps and gives the datasets their final length. Collective. Closing twice is no error."""
        if self._open_writer is None:
            return
        writer, self._open_writer = self._open_writer, None
        writer.close()
        del writer
        if self._ranks is not None:
            self._ranks.free()

    def abandon(self) -> None:
        """Drops the steps that are not written yet, for a file that is not to be kept. Not collective."""
        if self._open_writer is not None:
            writer, self._open_writer = self._open_writer, None
            writer.abandon()

    def _leave(self) -> None:
        """Ends it without closing. Whoever still refers to it, as the frames of an error do, keeps no lock."""
        if self._open_writer is not None:
            writer, self._open_writer = self._open_writer, None
            writer.leave()

    def __enter__(self) -> Self:
        self._writer  # noqa: B018 - not of a closed one
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
            return
        self._leave()
        if self._ranks is not None and not getattr(error, "agreed", False):
            traceback.print_exception(kind, error, trace)
            self._ranks.abort()

    def __repr__(self) -> str:
        state = "closed" if self._open_writer is None else f"at step {self.next_step}"
        return f"weft series {self._path}, {state}: {', '.join(self._puts)}"


_OPEN: weakref.WeakSet[Writer] = weakref.WeakSet()


@atexit.register
def _leave_all() -> None:
    """What the program left open. Objects that refer to each other, as a Quantity of one's own does, are not destroyed
    when Python ends."""
    for writer in list(_OPEN):
        writer._leave()


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """NumPy's numbers and arrays as Python's. Raises TypeError for what is neither texts nor numbers."""
    return {name: _attribute(name, value) for name, value in attributes.items()}


def _attribute(name: str, value: Any) -> Any:
    value = value.tolist() if hasattr(value, "tolist") else value
    several = isinstance(value, list | tuple)
    values = [one.decode() if isinstance(one, bytes) else one for one in (value if several else [value])]
    for kind, allowed in ((str, str), (int, int), (float, int | float)):
        if values and all(isinstance(one, allowed) for one in values):
            made = [kind(one) for one in values]
            return made if several else made[0]
    raise TypeError(f"attribute {name}: {value!r} is neither a text, a number, nor a row of them")


def _options(
    budget: int, sync: str, commit_seconds: float, commit_steps: int, commit_on_signals: bool, take_over: bool
) -> _core.WriterOptions:
    for what, amount in (("budget", budget), ("commit_seconds", commit_seconds), ("commit_steps", commit_steps)):
        if not amount >= 0:
            raise ValueError(f"{what}: {amount}; give 0 or more")
    options = _core.WriterOptions()
    options.budget = budget
    options.set_sync(sync)
    options.commit_seconds = commit_seconds
    options.commit_steps = commit_steps
    options.commit_on_signals = commit_on_signals
    options.take_over = take_over
    return options


def _mesh(mesh: Mesh, rank: int, size: int) -> tuple[_core.Mesh, tuple[int, ...], int]:
    """The mesh for weft._core, how many points there are, and how many cells this rank gives."""
    points = np.ascontiguousarray(mesh.points, np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ValueError(f"mesh: points have the shape (points, 3), not {points.shape}")
    if mesh.total is None and size > 1:
        raise ValueError("mesh: say how many points all ranks have: total=")
    total = len(points) if mesh.total is None else mesh.total
    owned, local = ownership_of((total, 3), mesh, rank, size)
    if points.shape != local:
        raise ValueError(f"mesh: this rank owns points of the shape {local}, and was given {points.shape}")
    shape = np.shape(mesh.cells)
    cells = whole_numbers(mesh.cells, "mesh: cells", total - 1)
    if mesh.sizes is not None:
        sizes = whole_numbers(mesh.sizes, "mesh: sizes")
    elif len(shape) == 2:
        sizes = np.full(shape[0], shape[1], np.int64)
    else:
        raise ValueError("mesh: cells have the shape (cells, points of a cell); flat ones need sizes=")
    kinds = whole_numbers(mesh.types, "mesh: types", 255).astype(np.uint8)
    if len(kinds) not in (1, len(sizes)):
        raise ValueError(f"mesh: {len(kinds)} types for {len(sizes)} cells; give one for all, or one for each")
    types = np.ascontiguousarray(np.broadcast_to(kinds, sizes.shape))
    made = _core.Mesh(total, owned, points.reshape(-1), types, sizes, cells)
    return made, (total,), len(sizes)


def _field(
    name: str, spec: FieldSpec, places: tuple[int, ...], cells: Any, ranks: Ranks | None, own_cells: int
) -> tuple[_core.FieldSpec, _Put]:
    if not isinstance(spec, FieldSpec):
        raise TypeError(f"{name}: a field is described by a weft.FieldSpec, not by a {type(spec).__name__}")
    rank, size = (0, 1) if ranks is None else (ranks.rank, ranks.size)
    made = _core.FieldSpec()
    made.name = name
    dtype = np.dtype(spec.dtype).newbyteorder("=")
    made.dtype = dtype.name
    made.support = spec.support
    given: Any = spec.shape
    shape: tuple[Any, ...] = tuple(given) if isinstance(given, tuple | list) else (given,)
    if spec.support == "cells":
        if cells is None:
            raise ValueError(f"{name}: a field on cells needs a mesh")
        places = tuple(cells.shape)
    if spec.support == "global" and shape == (...,):
        shape = ()
    if ... in shape:
        if shape.index(...) != 0 or not places:
            raise ValueError(f"{name}: '...' is the first of a shape, and stands for the nodes of a mesh or grid")
        shape = (*places, *shape[1:])
    extents = tuple(index(extent) for extent in shape)
    if min(extents, default=1) < 1:
        raise ValueError(f"{name}: the shape of a step is {extents}; give extents of 1 or more")
    made.per_step = list(extents)
    if spec.support == "global":
        put = _Put(dtype, extents, True)
    elif spec.support == "cells" and spec.owned is None:
        made.owned = _core.Ownership.cells(ranks, own_cells, list(extents[1:]))
        put = _Put(dtype, (own_cells, *extents[1:]), False)
    else:
        if not extents:
            raise ValueError(f'{name}: one number a step is a field with support="global"')
        made.owned, local = ownership_of(extents, spec, rank, size)
        put = _Put(dtype, local, False)
    made.units = spec.units
    made.components = list(spec.components)
    made.component_units = list(spec.component_units)
    made.set_attributes(_plain(spec.attributes))
    made.filters = spec.filters
    made.set_layout(spec.layout, spec.reads, spec.target, list(spec.chunk))
    if spec.subset is not None:
        made.subset = whole_numbers(spec.subset, f"{name}: subset").tolist()
    return made, put
