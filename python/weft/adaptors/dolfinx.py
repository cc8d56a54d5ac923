"""Functions of DOLFINx as fields, on the ranks that own them, with the mesh that they stand on.

    >>> with adaptors.dolfinx.create("heat.h5", {"u": u}, time_units="s") as out:
    ...     for t in times:
    ...         solve(t)
    ...         out.write(t)

Values at the degrees of freedom of a continuous Lagrange space, of any degree, are a field on nodes: each degree of
freedom is a node of the mesh in the file, whose cells are VTK's of that degree. (VTK draws between the nodes as if they
were evenly spaced. From degree 3 on DOLFINx's are not, so what is drawn between them is near, not equal.) Values of a discontinuous space of degree
0 are a field on cells. All continuous functions of a file have the same scalar space; interpolate the others into it.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from weft.specs import FieldSpec, Mesh
from weft.writing import Writer
from weft.writing import create as create_series

if TYPE_CHECKING:
    from dolfinx import fem

# DOLFINx's name of a cell and its corners: VTK's number of the linear one (vtkCellType.h). DOLFINx knows the others.
_LINEAR = {
    ("interval", 2): 3,
    ("triangle", 3): 5,
    ("quadrilateral", 4): 9,
    ("tetrahedron", 4): 10,
    ("hexahedron", 8): 12,
    ("prism", 6): 13,
    ("pyramid", 5): 14,
}


@dataclasses.dataclass(frozen=True)
class _Values:
    """Which of a function's local values are written, as rows of `block` numbers."""

    function: fem.Function
    rows: slice | npt.NDArray[np.int32]
    block: int

    def now(self) -> npt.NDArray[Any]:
        values: npt.NDArray[Any] = self.function.x.array.reshape(-1, self.block)[self.rows]
        return values.reshape(-1) if self.block == 1 else values


class FunctionWriter:
    """A series of functions; create() makes it. A context manager, as weft.Writer is; `series` is that Writer."""

    def __init__(self, series: Writer, values: Mapping[str, _Values]) -> None:
        self.series = series
        self._values = values

    def write(self, time: float, **others: npt.ArrayLike) -> None:
        """The present values of all functions, as a step. Collective.

        others: the fields that create() was given besides. Raises ValueError where the time does not rise.
        """
        for name, values in self._values.items():
            self.series.put(name, values.now())
        self.series.step(float(time), **others)

    def close(self) -> None:
        """Writes all steps and gives the datasets their final length. Collective."""
        self.series.close()

    def __enter__(self) -> Self:
        self.series.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.series.__exit__(kind, error, trace)


def create(
    path: str | os.PathLike[str],
    functions: Mapping[str, fem.Function | tuple[fem.Function, FieldSpec]],
    *,
    fields: Mapping[str, FieldSpec] | None = None,
    **options: Any,
) -> FunctionWriter:
    """weft.create() for functions, on the ranks of their mesh. Collective.

    functions: by the name of the field; a weft.FieldSpec beside one says its units, filters and so on. fields: others,
    as numbers of each step (support="global"), which write() is given. options: those of weft.create().

    Raises ValueError where there is no function, where a space is not one that the module's text names, or where two
    continuous spaces differ; and as weft.create() does.
    """
    name = os.fspath(path)
    if not functions:
        raise ValueError(f"{name}: name at least one function")
    pairs = {of: given if isinstance(given, tuple) else (given, FieldSpec()) for of, given in functions.items()}
    spaces = {of: function.function_space for of, (function, _) in pairs.items()}
    first = next(iter(spaces.values()))
    nodal = [of for of, space in spaces.items() if _support(of, space) == "nodes"]
    specs: dict[str, FieldSpec] = {}
    values: dict[str, _Values] = {}
    for of, (function, spec) in pairs.items():
        space = spaces[of]
        _check_beside(of, space, first, spaces[nodal[0]] if nodal else None)
        dtype = function.x.array.dtype
        if np.issubdtype(dtype, np.complexfloating):
            raise ValueError(f"{of}: is complex; write its real and its imaginary part as two functions")
        block = space.dofmap.index_map_bs
        components = () if block == 1 else (block,)
        if of in nodal:
            owned = _owned(space)
            specs[of] = dataclasses.replace(spec, shape=(..., *components), owned=owned, dtype=dtype)
            values[of] = _Values(function, slice(0, owned.stop - owned.start), block)
        else:
            specs[of] = dataclasses.replace(spec, shape=(..., *components), support="cells", dtype=dtype)
            values[of] = _Values(function, _cell_dofs(space)[:, 0], block)
    mesh = _mesh_of_dofs(spaces[nodal[0]]) if nodal else _mesh_of_geometry(first.mesh)
    series = create_series(name, {**specs, **(fields or {})}, mesh=mesh, comm=first.mesh.comm, **options)
    return FunctionWriter(series, values)


def _support(name: str, space: Any) -> str:
    """Whether the values of a space stand on nodes or on cells."""
    element = space.ufl_element()
    element = getattr(element, "basix_element", element)  # of a vector, since DOLFINx 0.7
    if hasattr(element, "discontinuous"):  # basix, since DOLFINx 0.7
        lagrange, discontinuous, degree = element.family.name == "P", element.discontinuous, element.degree
    else:  # UFL's own, before
        family = element.family()
        lagrange, discontinuous = family in ("Lagrange", "Q", "Discontinuous Lagrange", "DQ"), family.startswith("D")
        degree = element.degree()
    if lagrange and not discontinuous and degree > 0:
        return "nodes"
    if lagrange and degree == 0:
        return "cells"
    raise ValueError(
        f"{name}: its space is neither a continuous Lagrange space nor one of degree 0 on cells; interpolate it into one"
    )


def _check_beside(name: str, space: Any, first: Any, nodal: Any) -> None:
    if space.mesh is not first.mesh and space.mesh.ufl_domain() != first.mesh.ufl_domain():
        raise ValueError(f"{name}: stands on another mesh than the first function; use a file of its own")
    if nodal is None or _support(name, space) == "cells":
        return
    one, other = _cell_dofs(space), _cell_dofs(nodal)
    same = one.shape == other.shape and np.array_equal(one, other)
    if not all(first.mesh.comm.allgather(same)):  # so that all ranks raise, or none
        raise ValueError(f"{name}: has another space than the first function; interpolate it, or use a file of its own")


def _owned(space: Any) -> slice:
    first, end = space.dofmap.index_map.local_range
    return slice(int(first), int(end))


def _own_cells(mesh: Any) -> int:
    return int(mesh.topology.index_map(mesh.topology.dim).size_local)


def _rows(adjacency: Any, cells: int) -> npt.NDArray[np.int32]:
    """The first `cells` rows; all have the same length. Until DOLFINx 0.6 they are an AdjacencyList."""
    flat = np.asarray(getattr(adjacency, "array", adjacency))
    total = getattr(adjacency, "num_nodes", len(flat))
    return flat.reshape(total, -1)[:cells] if total else np.empty((0, 1), np.int32)


def _cell_dofs(space: Any) -> npt.NDArray[np.int32]:
    """The local degrees of freedom of each cell that this rank owns."""
    return _rows(space.dofmap.list, _own_cells(space.mesh))


def _mesh(points: npt.NDArray[Any], nodes: npt.NDArray[np.int32], index_map: Any, owned: slice, mesh: Any) -> Mesh:
    """nodes: of each own cell, local, in DOLFINx's order, which for cells of a higher degree is not VTK's."""
    from dolfinx import cpp

    cell_type = mesh.topology.cell_type
    count = nodes.shape[1]
    order = np.argsort(cpp.io.perm_vtk(cell_type, count))
    kind = _LINEAR.get((cell_type.name, count)) or cpp.io.get_vtk_cell_type(cell_type, mesh.topology.dim)
    numbers = np.asarray(index_map.local_to_global(nodes[:, order].reshape(-1))).reshape(nodes.shape)
    coordinates = np.zeros((owned.stop - owned.start, 3))
    coordinates[:, : points.shape[1]] = points[: len(coordinates)]
    return Mesh(coordinates, numbers, kind, total=int(index_map.size_global), owned=owned)


def _mesh_of_dofs(space: Any) -> Mesh:
    return _mesh(space.tabulate_dof_coordinates(), _cell_dofs(space), space.dofmap.index_map, _owned(space), space.mesh)


def _mesh_of_geometry(mesh: Any) -> Mesh:
    """For values on cells alone: the nodes that the mesh itself has."""
    geometry = mesh.geometry
    index_map = geometry.index_map()
    first, end = index_map.local_range
    nodes = _rows(geometry.dofmap, _own_cells(mesh))
    return _mesh(geometry.x, nodes, index_map, slice(int(first), int(end)), mesh)
