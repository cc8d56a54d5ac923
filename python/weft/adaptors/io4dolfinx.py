"""Checkpoints of DOLFINx by io4dolfinx, as Weft's files: io4dolfinx imports this module by its name.

    >>> import io4dolfinx
    >>> backend = "weft.adaptors.io4dolfinx"
    >>> io4dolfinx.write_mesh("heat.checkpoint", mesh, backend=backend)
    >>> io4dolfinx.write_function("heat.checkpoint", u, time=0.5, backend=backend)
    >>> io4dolfinx.read_function("heat.checkpoint", u, time=0.5, backend=backend)

A checkpoint is a folder of plain HDF5 files, each of them a series: functions/NAME/dofs.h5 is a step for each time that
was written, so that one degree of freedom over time is one short read, while the run goes on, too. On any number of
ranks; h5py and its parallel HDF5 are not needed. A time that was written stays when a later one is interrupted. Steps of
a series follow each other in time: a time that is earlier than the one before begins another file, dofs-2.h5.

The functions are those of io4dolfinx's IOBackend, with its arguments; all are collective. `backend_args` may have
"filters", "reads" and "target" of weft.FieldSpec and "budget" of weft.create().
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from dolfinx.graph import adjacencylist
from io4dolfinx.backends import FileMode, ReadMode
from io4dolfinx.structures import MeshTagsData, ReadMeshData

from weft.adaptors.checkpoint_folder import (
    Rows,
    add,
    attribute_of,
    begin,
    checkpoint,
    exists,
    extent_of,
    fingerprint,
    first_rank,
    function_file,
    function_names,
    known_options,
    quoted,
    read_at,
    share_of,
    store,
    there,
    times_of,
)
from weft.reading import open as open_series
from weft.specs import even_share

# Each rank reads an even share of the rows, the first ranks one more: what io4dolfinx calls parallel.
read_mode = ReadMode.parallel


def get_default_backend_args(arguments: dict[str, Any] | None) -> dict[str, Any]:
    """The arguments that were given. Raises ValueError for one that this backend does not have."""
    return known_options(arguments)


def write_mesh(
    filename: Path | str, comm: Any, mesh: Any, backend_args: dict[str, Any] | None, mode: Any, time: float
) -> None:
    """The mesh, or, where the checkpoint has one and the mode is append, its points at another time."""
    folder = begin(filename, comm, keep=mode == FileMode.append)
    points = (mesh.local_geometry, int(mesh.local_geometry_pos[0]), int(mesh.num_nodes_global))
    first, cells = int(mesh.local_topology_pos[0]), int(mesh.num_cells_global)
    if exists(comm, folder / "cells.h5"):
        if cells != extent_of(comm, folder / "cells.h5", "cells"):
            raise ValueError(f"{folder}: has a mesh of other cells; a checkpoint has one mesh")
        add(folder, comm, "points", points, time, backend_args)
        return
    about: dict[str, Any] = {
        "cell_type": mesh.cell_type,
        "degree": int(mesh.degree),
        "lagrange_variant": int(mesh.lagrange_variant),
    }
    arrays = {"cells": (mesh.local_topology, first, cells)}
    if mesh.store_partition:
        about["partition_processes"] = int(mesh.partition_processes)
        ends = mesh.ownership_offset[1:].astype(np.int64)
        arrays["partition_end"] = (ends, first, cells)
        arrays["partition"] = (mesh.ownership_array, int(mesh.partition_range[0]), int(mesh.partition_global))
    store(folder / "points.h5", comm, {"points": points}, backend_args, time=time, steps=None)
    store(folder / "cells.h5", comm, arrays, backend_args, attributes=about)


def read_mesh_data(
    filename: Path | str,
    comm: Any,
    time: str | float | None,
    read_from_partition: bool,
    backend_args: dict[str, Any] | None,
) -> ReadMeshData:
    """This rank's share of the cells and of the points at a time."""
    folder = checkpoint(filename)
    there(folder / "cells.h5", "no mesh")
    points = read_at(folder, comm, "points", time)[0]
    with open_series(folder / "cells.h5") as file:
        about = file.attrs
        share = even_share(file["cells"].shape[1], comm.rank, comm.size)
        cells = file["cells"][0, share]
        graph = None
        if read_from_partition:
            if "partition" not in file.fields:
                raise KeyError(f"{folder}: has no partition; write the mesh with store_partition_info=True")
            if int(about["partition_processes"]) != comm.size:
                raise ValueError(
                    f"{folder}: is a mesh in {int(about['partition_processes'])} parts; this run has {comm.size} ranks"
                )
            ends = file["partition_end"][0, share]
            first = int(file["partition_end"][0, share.start - 1]) if share.start else 0
            last = int(ends[-1]) if len(ends) else first
            owners = file["partition"][0, first:last]
            graph = adjacencylist(owners, np.append(0, ends - first).astype(np.int32))
    return ReadMeshData(
        cells=cells,
        cell_type=str(about["cell_type"]),
        x=points,
        lvar=int(about["lagrange_variant"]),
        degree=int(about["degree"]),
        partition_graph=graph,
    )


def write_meshtags(filename: str | Path, comm: Any, data: Any, backend_args: dict[str, Any] | None) -> None:
    """The entities of each tag, by the numbers of their nodes, and its value."""
    folder = begin(filename, comm, keep=True)
    if not exists(comm, folder / "cells.h5"):
        raise KeyError(f"{folder}: has no mesh yet; write it before its tags")
    path = folder / "tags" / f"{quoted(data.name)}.h5"
    if exists(comm, path):
        raise KeyError(f"{folder}: has tags {data.name!r} already")
    first, total = int(data.local_start), int(data.num_entities_global)
    entities = np.asarray(data.indices, np.int64).reshape(len(data.values), int(data.num_dofs_per_entity))
    about = {"dim": int(data.dim), "cell_type": str(data.cell_type), "entities": total}
    arrays: dict[str, Rows] = {"entities": (entities, first, total), "values": (np.asarray(data.values), first, total)}
    if total == 0:  # a field has rows; the attribute says that these are none
        arrays = {"none": (np.zeros(1 if comm.rank == 0 else 0, np.uint8), 0 if comm.rank == 0 else 1, 1)}
    store(path, comm, arrays, backend_args, attributes=about)


def read_meshtags_data(filename: str | Path, comm: Any, name: str, backend_args: dict[str, Any] | None) -> MeshTagsData:
    """This rank's share of the tagged entities."""
    folder = checkpoint(filename)
    with open_series(there(folder / "tags" / f"{quoted(name)}.h5", f"no tags {name!r}")) as file:
        dim, total = int(file.attrs["dim"]), int(file.attrs["entities"])
        share = even_share(total, comm.rank, comm.size)
        if total == 0:
            return MeshTagsData(name=name, values=np.empty(0, np.int32), indices=np.empty((0, 1), np.int64), dim=dim)
        indices, values = file["entities"][0, share], file["values"][0, share]
    return MeshTagsData(name=name, values=values.astype(np.int32), indices=indices, dim=dim)


def write_function(
    filename: Path | str, comm: Any, u: Any, time: float, mode: Any, backend_args: dict[str, Any] | None
) -> None:
    """The values of a function at a time, and at its first time where each cell finds them.

    Raises ValueError for a time that was written already, and for a function whose degrees of freedom are numbered
    otherwise than at its first time: its earlier values would be read wrongly.
    """
    folder = begin(filename, comm, keep=mode == FileMode.append)
    place = folder / "functions" / quoted(u.name)
    values = u.values
    if np.iscomplexobj(values):  # as pairs of numbers
        values = values.view(values.real.dtype).reshape(-1, 2)
    rows = (values, int(u.dof_range[0]), int(u.num_dofs_global))
    width, rest = divmod(int(u.global_dofs_in_dofmap), int(u.num_cells_global))
    if rest:
        raise ValueError(f"{u.name}: has cells with different numbers of degrees of freedom, which are not supported")
    first = int(u.local_cell_range[0])
    dofs = u.dofmap_array.reshape(-1, width)
    permutations = u.cell_permutations.view(np.int32)
    numbering = fingerprint(comm, np.column_stack([dofs, permutations.astype(np.int64)]), first)
    if not exists(comm, place / "dofs.h5"):
        # Where cells find their values comes first: a file of values without it would be of no use.
        cells = {
            "dofs": (dofs, first, int(u.num_cells_global)),
            "permutations": (permutations, first, int(u.num_cells_global)),
        }
        store(place / "cells.h5", comm, cells, backend_args, attributes={"numbering": numbering})
        store(place / "dofs.h5", comm, {"dofs": rows}, backend_args, time=time, steps=None)
        return
    if numbering != attribute_of(comm, place / "cells.h5", "numbering"):
        raise ValueError(
            f"{folder}: {u.name} was written with another numbering of its degrees of freedom, by another mesh or space; "
            "use another name or another checkpoint"
        )
    add(place, comm, "dofs", rows, time, backend_args)


def read_timestamps(
    filename: Path | str, comm: Any, function_name: str, backend_args: dict[str, Any] | None
) -> npt.NDArray[np.float64]:
    """The times at which a function was written, in that order."""
    return np.concatenate(times_of(function_file(filename, function_name, "dofs.h5").parent, "dofs"))


def read_function_names(filename: Path | str, comm: Any, backend_args: dict[str, Any] | None) -> list[str]:
    return function_names(checkpoint(filename))


def read_dofmap(filename: str | Path, comm: Any, name: str, backend_args: dict[str, Any] | None) -> Any:
    """The degrees of freedom of this rank's share of the cells."""
    rows = share_of(function_file(filename, name, "cells.h5"), comm, "dofs")[0]
    return adjacencylist(rows.reshape(-1), np.arange(len(rows) + 1, dtype=np.int32) * rows.shape[1])


def read_dofs(
    filename: str | Path, comm: Any, name: str, time: float, backend_args: dict[str, Any] | None
) -> tuple[npt.NDArray[Any], int]:
    """This rank's share of a function's values at a time, and the number of the first."""
    values, first = read_at(function_file(filename, name, "dofs.h5").parent, comm, "dofs", time)
    if values.ndim == 2:
        values = values.view(np.result_type(values.dtype, np.complex64)).reshape(-1)
    return values, first


def read_cell_perms(comm: Any, filename: Path | str, backend_args: dict[str, Any] | None) -> npt.NDArray[np.uint32]:
    """How this rank's share of the cells is turned. All functions of a mesh have the same."""
    names = read_function_names(filename, comm, backend_args)
    if not names:
        raise KeyError(f"{filename}: has no function")
    return share_of(function_file(filename, names[0], "cells.h5"), comm, "permutations")[0].view(np.uint32)


def write_attributes(
    filename: Path | str,
    comm: Any,
    name: str,
    attributes: dict[str, Any],
    backend_args: dict[str, Any] | None,
) -> None:
    """Named values, those of rank 0, beside the ones that the name has already."""
    folder = begin(filename, comm, keep=True)
    path = folder / "attributes" / f"{quoted(name)}.npz"

    def write() -> None:
        path.parent.mkdir(exist_ok=True)
        there = dict(np.load(path)) if path.exists() else {}
        with path.with_suffix(".new").open("wb") as file:
            np.savez(file, **{**there, **{key: np.asarray(value) for key, value in attributes.items()}})
        path.with_suffix(".new").replace(path)

    first_rank(comm, write)


def read_attributes(filename: Path | str, comm: Any, name: str, backend_args: dict[str, Any] | None) -> dict[str, Any]:
    path = there(checkpoint(filename) / "attributes" / f"{quoted(name)}.npz", f"no attributes {name!r}")
    with np.load(path) as file:
        return {key: file[key] for key in file.files}


def snapshot_checkpoint(filename: Path | str, mode: Any, u: Any, backend_args: dict[str, Any] | None) -> None:
    """A function's values as this run has them, to be read by this run on the same mesh and ranks."""
    dofmap = u.function_space.dofmap
    block = dofmap.index_map_bs
    first, end = (int(bound) * block for bound in dofmap.index_map.local_range)
    total = int(dofmap.index_map.size_global) * block
    comm = u.function_space.mesh.comm
    if mode == FileMode.write:
        folder = begin(filename, comm, keep=False)
        values = u.x.array[: end - first]
        values = values.view(values.real.dtype).reshape(-1, 2) if np.iscomplexobj(values) else values
        store(folder / "snapshot.h5", comm, {"dofs": (values, first, total)}, backend_args)
        return
    with open_series(there(checkpoint(filename) / "snapshot.h5", "no snapshot")) as file:
        if file["dofs"].shape[1] != total:
            raise ValueError(f"{filename}: is a snapshot of {file['dofs'].shape[1]} values, not of {total}")
        values = file["dofs"][0, first:end]
    u.x.array[: end - first] = values.view(u.x.array.dtype).reshape(-1)
    u.x.scatter_forward()


def _not_here(what: str, instead: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise NotImplementedError(f"weft.adaptors.io4dolfinx: {what}; use {instead}")

    return refuse


read_legacy_mesh = _not_here("files of DOLFIN are not read", "backend='h5py'")
read_hdf5_array = _not_here("files of DOLFIN are not read", "backend='h5py'")
read_point_data = _not_here("a checkpoint has functions, no data on points", "read_function()")
read_cell_data = _not_here("a checkpoint has functions, no data on cells", "read_function()")
write_data = _not_here(
    "a checkpoint has functions, no data on points or cells", "weft.adaptors.dolfinx to look at them"
)
