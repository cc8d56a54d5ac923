"""What f["V"][...] asks for, as boxes of the dataset. Pure.

A key means what it means to NumPy: whole numbers, slices with steps, lists and arrays of whole numbers, boolean masks,
Ellipsis and None. Along each axis only the indexes that are needed are read, as runs; a few elements between two runs
are read too, where there would be too many runs. NumPy then applies the key to what was read.

    >>> selection = select((slice(None), 7), (151, 400000))
    >>> selection.starts.tolist(), selection.counts.tolist()
    ([[0, 7]], [[151, 1]])
"""

from __future__ import annotations

import operator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

# More boxes than this take longer to plan than a few more elements take to read.
MOST_BOXES = 1 << 14

Indexes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Selection:
    """Boxes of a dataset, and what to make of their elements.

    `starts` and `counts` have the shape (boxes, axes). The boxes are the products of `runs`, one list of (first, count)
    for each axis, in the order of the dataset: together an array of the shape `block`. `kept` has the axes along which
    a slice with steps met runs that had been joined, and what to keep there. `key` takes what was asked for out of the
    rest.
    """

    starts: npt.NDArray[np.uint64]
    counts: npt.NDArray[np.uint64]
    runs: tuple[npt.NDArray[np.intp], ...]
    block: tuple[int, ...]
    kept: tuple[tuple[int, Indexes], ...]
    key: tuple[Any, ...]

    def assemble(self, elements: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """What was asked for, out of the elements of all boxes, one behind the other."""
        block = self.joined(elements)
        # Not in the key: a list where a slice was would mean something else beside other lists and numbers.
        for axis, places in self.kept:
            block = block.take(places, axis)
        taken: npt.NDArray[Any] = block[self.key]
        return taken

    def joined(self, elements: npt.NDArray[Any]) -> npt.NDArray[Any]:
        # Where only the first axis is cut, and one box is no cut at all, the boxes already follow each other so.
        if all(len(runs) == 1 for runs in self.runs[1:]):
            return elements.reshape(self.block)
        block = np.empty(self.block, elements.dtype)
        places = [_offsets(runs) for runs in self.runs]
        at = 0
        for which in np.ndindex(*(len(runs) for runs in self.runs)):
            counts = tuple(int(self.runs[axis][i, 1]) for axis, i in enumerate(which))
            part = tuple(slice(places[axis][i], places[axis][i] + counts[axis]) for axis, i in enumerate(which))
            size = int(np.prod(counts))
            block[part] = elements[at : at + size].reshape(counts)
            at += size
        return block


def select(key: Any, shape: tuple[int, ...]) -> Selection:
    """The boxes that a key needs of a dataset of this shape.

    Raises IndexError for an index that is out of range, too many indexes or a mask of another shape, TypeError for what
    is no index, as NumPy does.
    """
    if len(shape) == 0:
        return Selection(np.zeros((1, 0), np.uint64), np.ones((1, 0), np.uint64), (), (), (), _tuple(key))
    parts = _expanded(_tuple(key), len(shape))
    runs: list[npt.NDArray[np.intp]] = []
    local: list[Any] = []
    axis = 0
    for part in parts:
        if part is None or part is Ellipsis:
            local.append(part)
            continue
        needed, within = _needed(part, shape[axis], axis)
        runs.append(needed)
        local.append(within)
        axis += 1
    runs = _few(runs)
    kept: list[tuple[int, Indexes]] = []
    final: list[Any] = []
    axis = 0
    for part in local:
        if part is None or part is Ellipsis:
            final.append(part)
            continue
        here = _remapped(part, _positions(runs[axis]))
        if isinstance(part, range) and not isinstance(here, slice):
            kept.append((axis, here))
            here = slice(None)
        final.append(here)
        axis += 1
    starts, counts = _boxes(runs)
    block = tuple(int(found[:, 1].sum()) for found in runs)
    return Selection(starts, counts, tuple(runs), block, tuple(kept), tuple(final))


def _tuple(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _expanded(key: tuple[Any, ...], axes: int) -> list[Any]:
    """One part for each axis, None for each new one, and Ellipsis for no axis. Masks of several axes become arrays of
    indexes."""
    parts: list[Any] = []
    for part in key:
        if part is None or part is Ellipsis or isinstance(part, slice):
            parts.append(part)
            continue
        if isinstance(part, bool | np.bool_):
            raise TypeError("a single True or False is no index here; use a mask of the field's shape")
        try:
            parts.append(operator.index(part))
            continue
        except TypeError:
            pass
        array = np.asarray(part)
        if array.size == 0 and array.dtype == np.float64:  # []
            array = array.astype(np.intp)
        if array.dtype == np.bool_:
            parts.extend(_Mask(found, extent) for found, extent in zip(np.nonzero(array), array.shape, strict=True))
        elif np.issubdtype(array.dtype, np.integer):
            parts.append(array.astype(np.intp))
        else:
            raise TypeError(f"an index is a whole number, a slice, a list of these or a mask, not {part!r}")
    if sum(part is Ellipsis for part in parts) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    used = sum(part is not None and part is not Ellipsis for part in parts)
    if used > axes:
        raise IndexError(f"too many indices: the field has {axes} axes, and {used} were indexed")
    if not any(part is Ellipsis for part in parts):
        parts.append(Ellipsis)
    where = next(i for i, part in enumerate(parts) if part is Ellipsis)
    # An Ellipsis that stands for no axis still parts lists from each other, as NumPy has it.
    middle: list[Any] = [slice(None)] * (axes - used) or [Ellipsis]
    return parts[:where] + middle + parts[where + 1 :]


@dataclass(frozen=True)
class _Mask:
    """Along one axis of a mask: the indexes where it is True, and its extent."""

    indexes: Indexes
    extent: int


def _needed(part: Any, extent: int, axis: int) -> tuple[npt.NDArray[np.intp], Any]:
    """The runs of indexes that a part needs, and the part with no negative indexes."""
    if isinstance(part, slice):
        wanted = range(*part.indices(extent))
        if len(wanted) == 0:
            return np.empty((0, 2), np.intp), wanted
        if wanted.step in (1, -1):
            return np.array([[min(wanted[0], wanted[-1]), len(wanted)]], np.intp), wanted
        return _runs_of(np.sort(np.array(wanted, np.intp))), wanted
    if isinstance(part, int):
        if not -extent <= part < extent:
            raise IndexError(f"index {part} is out of bounds for axis {axis} with size {extent}")
        at = part + extent if part < 0 else part
        return np.array([[at, 1]], np.intp), at
    if isinstance(part, _Mask):
        if part.extent != extent:
            raise IndexError(f"a mask of {part.extent} does not fit axis {axis} with size {extent}")
        return _runs_of(part.indexes), part.indexes
    wrong = part[(part < -extent) | (part >= extent)]
    if wrong.size > 0:
        raise IndexError(f"index {wrong.flat[0]} is out of bounds for axis {axis} with size {extent}")
    part = np.where(part < 0, part + extent, part)
    return _runs_of(np.unique(part)), part


def _runs_of(indexes: Indexes) -> npt.NDArray[np.intp]:
    """(first, count) of each run in rising indexes; equal ones count once."""
    indexes = np.unique(indexes)
    if indexes.size == 0:
        return np.empty((0, 2), np.intp)
    cuts = np.flatnonzero(np.diff(indexes) > 1) + 1
    first = indexes[np.insert(cuts, 0, 0)]
    last = indexes[np.append(cuts - 1, indexes.size - 1)]
    return np.stack((first, last - first + 1), axis=1).astype(np.intp)


def _few(runs: list[npt.NDArray[np.intp]]) -> list[npt.NDArray[np.intp]]:
    """No more boxes than MOST_BOXES: the smallest gaps are read over, along the axis with most runs first."""
    runs = list(runs)
    while np.prod([len(found) for found in runs], dtype=float) > MOST_BOXES:
        axis = max(range(len(runs)), key=lambda i: len(runs[i]))
        others = np.prod([len(found) for i, found in enumerate(runs) if i != axis], dtype=float)
        most = max(1, min(len(runs[axis]) // 2, int(MOST_BOXES // others) or 1))
        runs[axis] = _merged(runs[axis], most)
    return runs


def _merged(runs: npt.NDArray[np.intp], most: int) -> npt.NDArray[np.intp]:
    ends = runs[:, 0] + runs[:, 1]
    gaps = runs[1:, 0] - ends[:-1]
    kept = len(gaps) - (most - 1)
    cuts = np.sort(np.argpartition(gaps, kept)[kept:]) + 1 if most > 1 else np.empty(0, np.intp)
    first = runs[np.insert(cuts, 0, 0), 0]
    last = ends[np.append(cuts - 1, len(runs) - 1)]
    return np.stack((first, last - first), axis=1)


def _offsets(runs: npt.NDArray[np.intp]) -> list[int]:
    """Where each run begins in what was read along its axis."""
    return [0, *np.cumsum(runs[:, 1])[:-1].tolist()] if len(runs) else []


@dataclass(frozen=True)
class _Positions:
    """Where an index of the dataset is in what was read along its axis."""

    first: Indexes
    offset: Indexes

    def of(self, indexes: Any) -> Any:
        run = np.searchsorted(self.first, indexes, side="right") - 1
        return indexes - self.first[run] + self.offset[run]


def _positions(runs: npt.NDArray[np.intp]) -> _Positions:
    return _Positions(runs[:, 0], np.array(_offsets(runs), np.intp))


def _remapped(part: Any, positions: _Positions) -> Any:
    """A part of the key, for what was read along its axis."""
    if isinstance(part, int):
        return int(positions.of(part))
    if not isinstance(part, range):
        return positions.of(part) if part.size else part
    if len(part) == 0:
        return slice(0, 0)
    if part.step in (1, -1):
        return slice(None, None, part.step)
    where = positions.of(np.array(part, np.intp))
    steps = np.diff(where)
    if len(where) == 1:
        return slice(int(where[0]), int(where[0]) + 1)
    if (steps == steps[0]).all():
        end = int(where[-1]) + int(steps[0])
        return slice(int(where[0]), end if end >= 0 else None, int(steps[0]))
    return where  # runs that were joined in some places and not in others


def _boxes(runs: list[npt.NDArray[np.intp]]) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    grids = np.meshgrid(*(np.arange(len(found)) for found in runs), indexing="ij")
    which = [grid.reshape(-1) for grid in grids]
    starts = np.stack([found[i, 0] for found, i in zip(runs, which, strict=True)], axis=1)
    counts = np.stack([found[i, 1] for found, i in zip(runs, which, strict=True)], axis=1)
    return np.ascontiguousarray(starts, np.uint64), np.ascontiguousarray(counts, np.uint64)
