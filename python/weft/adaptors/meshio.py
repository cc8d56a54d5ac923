"""Meshes of meshio, which reads some thirty formats, as meshes of a series.

    >>> mesh = weft.adaptors.meshio.mesh_of(meshio.read("heart.msh"))
    >>> out = weft.create("heart.h5", {"V": weft.FieldSpec(units="mV")}, mesh=mesh)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from weft.specs import Mesh

if TYPE_CHECKING:
    import meshio

# meshio's words for the linear cells, and VTK's numbers (vtkCellType.h).
VTK_TYPES = {
    "vertex": 1,
    "line": 3,
    "triangle": 5,
    "quad": 9,
    "tetra": 10,
    "hexahedron": 12,
    "wedge": 13,
    "pyramid": 14,
}


def mesh_of(mesh: meshio.Mesh, dimension: int | None = None) -> Mesh:
    """The points of a meshio mesh, and its cells in the order of its blocks; for one process.

    dimension: only cells of this dimension (3: volumes) [the highest that there is]. Points of two coordinates get z = 0.
    Raises ValueError for cells that are not linear, and where no cell is left.
    """
    blocks = [block for block in mesh.cells if len(block.data) > 0]
    highest = max((block.dim for block in blocks), default=0) if dimension is None else dimension
    blocks = [block for block in blocks if block.dim == highest]
    if not blocks:
        raise ValueError(f"the mesh has no cells of dimension {highest}")
    for block in blocks:
        if block.type not in VTK_TYPES:
            raise ValueError(f"the mesh has cells of type {block.type}; those known are {', '.join(VTK_TYPES)}")
    points = np.zeros((len(mesh.points), 3))
    points[:, : mesh.points.shape[1]] = mesh.points
    return Mesh(
        points,
        cells=np.concatenate([np.asarray(block.data, np.int64).reshape(-1) for block in blocks]),
        types=np.concatenate([np.full(len(block.data), VTK_TYPES[block.type], np.uint8) for block in blocks]),
        sizes=np.concatenate([np.full(len(block.data), block.data.shape[1], np.int64) for block in blocks]),
    )
