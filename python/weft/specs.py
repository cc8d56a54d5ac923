"""What a new series is made of: its fields, its mesh or grid. Plain descriptions, the same on all ranks but for what
each of them owns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from weft import _core

# What a rank owns: a stretch of the first axis, a box, or rows by their numbers or by a mask of all rows.
Owned = slice | Sequence[slice] | npt.NDArray[np.integer[Any] | np.bool_] | Sequence[int]


@dataclass(frozen=True)
class FieldSpec:
    """A field of a new series.

    shape: of one step, over all ranks. The first axis (on a grid the first two or three) is the node or the cell; `...`
        stands for as many as the mesh or grid has. () for one number a step.
    dtype: float64, float32, int64, int32 or uint8.
    support: what the values stand on, "nodes", "cells" or "global" (one value a step; that of rank 0 is written).
    owned: what this rank holds of a step: a slice of the first axis, a slice for each axis, or the numbers of its rows
        in the order in which put() gets them, or a mask of all rows. [An even share of the first axis; cells as they
        are in the mesh.]
    ghosts: for rows by number, those that another rank owns: put() gets them, too, and they are skipped.
    units, components, component_units, attributes: are said in the file.
    filters: what is done to each chunk, as "shuffle+deflate:1"; "bitround:12+..." rounds to 12 bits before.
    reads, target: what the chunks are laid out for, and their largest size in bytes (docs/layout.md).
    layout, chunk: "reads", "isotropic", "rows", or "given" with a chunk, steps first.
    subset: for a field on some nodes: for each row of `shape`, of those that this rank owns, the node's number.
    """

    shape: SupportsIndex | EllipsisType | tuple[SupportsIndex | EllipsisType, ...] = (...,)
    dtype: npt.DTypeLike = "float64"
    support: str = "nodes"
    owned: Owned | None = None
    ghosts: npt.ArrayLike | None = None
    units: str = ""
    components: Sequence[str] = ()
    component_units: Sequence[str] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)
    filters: str = ""
    reads: str = "snapshot=1,trace=1"
    target: int = 1 << 20
    layout: str = "reads"
    chunk: tuple[int, ...] = ()
    subset: npt.ArrayLike | None = None


@dataclass(frozen=True)
class Grid:
    """A regular grid: its extents, slowest axis first (z, y, x or y, x), and where its nodes lie, along x, y and z."""

    shape: tuple[int, ...]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
    spacing: tuple[float, float, float] = (1.0, 1.0, 1.0)


@dataclass(frozen=True)
class Mesh:
    """A mesh, in parts: each rank gives the points it owns and its cells.

    points: (own points, 3), in the order in which the rank's values come.
    cells: the points of each cell, by their numbers over all ranks: (cells, points of a cell), or flat with `sizes`.
    types: VTK's number of a cell's type, one for all or one for each: 10 for tetrahedra, 12 for hexahedra.
    sizes: the number of points of each cell, where cells differ.
    total: the points of all ranks [those given, on one rank].
    owned: which of them are this rank's, as of a field [an even share].
    """

    points: npt.ArrayLike
    cells: npt.ArrayLike
    types: npt.ArrayLike
    sizes: npt.ArrayLike | None = None
    total: int | None = None
    owned: Owned | None = None


def ownership_of(shape: tuple[int, ...], spec: FieldSpec | Mesh, rank: int, ranks: int) -> tuple[Any, tuple[int, ...]]:
    """What a rank owns of a step of this shape, and the shape of what it gives to put()."""
    owned, ghosts = spec.owned, getattr(spec, "ghosts", None)
    if owned is None:
        if ranks == 1:
            return _core.Ownership.all(shape), shape
        share = even_share(shape[0], rank, ranks)
        return _core.Ownership.even(shape, rank, ranks), (share.stop - share.start, *shape[1:])
    if isinstance(owned, slice):
        owned = (owned,)
    if isinstance(owned, Sequence) and owned and isinstance(owned[0], slice):
        bounds = [_bounds(part, extent) for part, extent in zip(owned, shape, strict=False)]
        bounds += [(0, extent) for extent in shape[len(bounds) :]]
        counts = tuple(count for _, count in bounds)
        return _core.Ownership.box(shape, [first for first, _ in bounds], counts), counts
    ids = rows_of(owned, shape[0], "owned")
    given = np.asarray([] if ghosts is None else ghosts)
    marks = whole_numbers(given.astype(int) if given.dtype.kind == "b" else given, "ghosts", 1).astype(np.uint8)
    mask = None if ghosts is None else marks
    return _core.Ownership.nodes(shape, ids, mask), (len(ids), *shape[1:])


def whole_numbers(values: npt.ArrayLike, what: str, most: int = 2**63 - 1) -> npt.NDArray[np.int64]:
    """The numbers in a row. Raises TypeError where they are not whole numbers (a mask is none), ValueError where one is
    negative or above `most`."""
    numbers = np.asarray(values)
    if numbers.size == 0:
        return np.empty(0, np.int64)
    if numbers.dtype.kind not in "iu":
        raise TypeError(f"{what}: holds whole numbers, not {numbers.dtype}")
    if numbers.min() < 0 or numbers.max() > most:
        raise ValueError(f"{what}: {numbers.min()} to {numbers.max()} are not within 0 to {most}")
    return np.ascontiguousarray(numbers, np.int64).reshape(-1)


def rows_of(values: Any, extent: int, what: str) -> npt.NDArray[np.uint64]:
    """The numbers of rows, given as they are or by a mask of all `extent` rows."""
    given = np.asarray(values)
    if given.dtype.kind == "b":
        if given.shape != (extent,):
            raise ValueError(f"{what}: a mask has the shape ({extent},), not {given.shape}")
        given = np.flatnonzero(given)
    return whole_numbers(given, what, extent - 1).astype(np.uint64)


def _bounds(part: Any, extent: int) -> tuple[int, int]:
    if not isinstance(part, slice) or part.step not in (None, 1):
        raise ValueError(f"owned: {part!r} is no slice of neighbours; name rows by their numbers")
    first, end, _ = part.indices(extent)
    if (part.start or 0) < 0 or (part.stop is not None and part.stop > extent):
        raise IndexError(f"owned: {part.start}:{part.stop} leaves the axis of {extent}")
    return first, max(0, end - first)


def even_share(count: int, rank: int, ranks: int) -> slice:
    """The stretch of `count` rows that a rank has where they are dealt evenly: the first ranks have one more."""
    first, size = _core.Ownership.even_block(count, rank, ranks)
    return slice(first, first + size)
