"""Vectors of PETSc (petsc4py) as fields, and a monitor that writes a time stepper's steps.

    >>> with adaptors.petsc.create("heat.h5", {"u": (u, weft.FieldSpec(units="K"))}) as out:
    ...     ts.setMonitor(adaptors.petsc.monitor(out, "u"))
    ...     ts.solve(u)
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from weft.specs import FieldSpec
from weft.writing import Writer
from weft.writing import create as create_series

if TYPE_CHECKING:
    from petsc4py import PETSc


def spec_of(vector: PETSc.Vec, spec: FieldSpec | None = None) -> FieldSpec:
    """A field of the shape of a vector, of which each rank owns what it does of the vector. With a block size b, of
    (rows / b, b). Not collective."""
    block = vector.getBlockSize()
    first, end = vector.getOwnershipRange()
    rows = vector.getSize() // block
    shape = (rows,) if block == 1 else (rows, block)
    owned = slice(first // block, end // block)
    return dataclasses.replace(spec or FieldSpec(), shape=shape, owned=owned, dtype=vector.array_r.dtype)


def create(path: str | os.PathLike[str], fields: Mapping[str, tuple[PETSc.Vec, FieldSpec]], **options: Any) -> Writer:
    """weft.create() for vectors, on the ranks of the first one. Collective.

    Raises ValueError for no field, and as weft.create() does.
    """
    if not fields:
        raise ValueError(f"{os.fspath(path)}: name at least one vector")
    vectors = [vector for vector, _ in fields.values()]
    specs = {name: spec_of(vector, spec) for name, (vector, spec) in fields.items()}
    return create_series(path, specs, comm=vectors[0].getComm().tompi4py(), **options)


def put(out: Writer, name: str, vector: PETSc.Vec) -> None:
    """The local values of a vector, for the present step."""
    block = vector.getBlockSize()
    values = vector.array_r
    out.put(name, values if block == 1 else values.reshape(-1, block))


def monitor(out: Writer, name: str, every: int = 1) -> Callable[[Any, int, float, Any], None]:
    """What TS.setMonitor() takes: it writes each step, or every so many. Collective, as the monitor is."""

    def write(_stepper: Any, step: int, time: float, vector: Any) -> None:
        if step % every == 0:
            put(out, name, vector)
            out.end_step(time)

    return write
