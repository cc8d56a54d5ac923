"""xarray.open_dataset(path, engine="weft"): the fields of a file as lazy variables, read by Weft.

Dimensions, coordinates and attributes are what xarray's own engine for netCDF-4 (h5netcdf) finds, so that both engines
agree on what both can see; the values of the fields come from Weft. Values that the file packs, and axes that Weft
would reorder, are left to h5netcdf. The points of the mesh in a Weft file are the coordinates x, y and z of its nodes.
Fields that netCDF-4 does not show (of VTKHDF and others) have the dimensions time, node, cell or z, y, x, and component.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
import xarray
from xarray.backends import BackendArray, BackendEntrypoint
from xarray.core import indexing

from weft import _core, reading
from weft.field import Array, Field
from weft.reading import File, Options

_MISSING = {"_FillValue", "missing_value"}
_SIGNATURE = b"\x89HDF\r\n\x1a\n"


class WeftArray(BackendArray):
    """A field's values, read when they are indexed. It pickles by path, and each process opens the file once. Its shape
    stays when the file grows."""

    def __init__(self, field: Field, shape: tuple[int, ...] | None = None) -> None:
        self._field = field
        self.shape = field.shape if shape is None else shape
        self.dtype = field.dtype
        if field.shape[1:] != self.shape[1:] or field.shape[0] < self.shape[0]:
            raise ValueError(f"{field.file.path}: {field.name} is {field.shape}, and was {self.shape}; open it again")

    def __reduce__(self) -> tuple[Any, ...]:
        file = self._field.file
        place = file._whole_path
        changed = os.stat(_named_file(place)).st_mtime_ns
        return _array, (place, file._options, changed, self._field.name, self.shape)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._outer)

    def _outer(self, key: tuple[Any, ...]) -> Array:
        # The field may have more steps by now than the array: an open end is that of the array.
        key = tuple(
            _within(part, n) if isinstance(part, slice) else part for part, n in zip(key, self.shape, strict=True)
        )
        # Each list is for its own axis. NumPy's meaning is that of np.ix_, with slices and numbers applied first.
        lists = [axis for axis, part in enumerate(key) if isinstance(part, np.ndarray)]
        if len(lists) < 2:
            values: Array = np.asarray(self._field[key])
            return values
        open_mesh = [np.arange(extent)[part] for part, extent in zip(key, self.shape, strict=True)]
        block: Array = self._field[np.ix_(*(np.atleast_1d(part) for part in open_mesh))]
        return block.reshape([len(part) for part in open_mesh if np.ndim(part)])


class MeshPoints:
    """The points of a file's mesh, read whole when the first of their coordinates is looked at."""

    def __init__(self, file: File) -> None:
        self.file = file

    @functools.cached_property
    def values(self) -> Array:
        return self.file.points

    def __reduce__(self) -> tuple[Any, ...]:
        return MeshPoints, (self.file,)


class CoordinateArray(BackendArray):
    """One of the coordinates of all points."""

    def __init__(self, points: MeshPoints, axis: int, count: int) -> None:
        self._points = points
        self._axis = axis
        self.shape = (count,)
        self.dtype = np.dtype(np.float64)

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.OUTER, self._outer)

    def _outer(self, key: tuple[Any, ...]) -> Array:
        values: Array = self._points.values[:, self._axis][key]
        return values


@functools.lru_cache(maxsize=32)
def _opened(path: str, options: Options, changed: int) -> File:
    return File(path, options)


def _array(path: str, options: Options, changed: int, name: str, shape: tuple[int, ...]) -> WeftArray:
    return WeftArray(_opened(path, options, changed)[name], shape)


def _within(part: slice, extent: int) -> slice:
    """The same elements of an axis of this extent, with both ends said."""
    first, end, step = part.indices(extent)
    if not range(first, end, step):
        return slice(0, 0)
    return slice(first, None if end < 0 else end, step)


def _named_file(path: str) -> str:
    """FILE of FILE:DATASET."""
    return path if os.path.exists(path) else path.rpartition(":")[0]


class WeftBackend(BackendEntrypoint):
    """The engine "weft" (docs/python.md)."""

    description = "Simulation output, written by Weft or by others, read as snapshots and as traces"
    url = "https://docs.xarray.dev/en/stable/internals/how-to-add-new-backend.html"
    open_dataset_parameters = (
        "filename_or_obj", "drop_variables", "mask_and_scale", "decode_times", "concat_characters", "decode_coords",
        "use_cftime", "decode_timedelta", "budget", "cost", "threads", "dataset", "time", "axes",
    )  # fmt: skip

    def open_dataset(  # type: ignore[override]
        self,
        filename_or_obj: str | os.PathLike[str],
        *,
        drop_variables: str | Iterable[str] | None = None,
        mask_and_scale: bool | None = None,
        decode_times: Any = None,
        concat_characters: bool | None = None,
        decode_coords: Any = None,
        use_cftime: bool | None = None,
        decode_timedelta: Any = None,
        budget: int | None = None,
        cost: tuple[float, float] | None = None,
        threads: int | None = None,
        dataset: str = "",
        time: str | None = None,
        axes: str = "",
    ) -> xarray.Dataset:
        """Opens a file lazily. Options are those of weft.open() and of xarray.open_dataset()."""
        file = reading.open(
            filename_or_obj, budget=budget, cost=cost, threads=threads, dataset=dataset, time=time, axes=axes
        )
        seen = _as_netcdf(_named_file(file.path))
        found = _with_fields(file, seen, masked=mask_and_scale is not False)
        decoding = {
            "mask_and_scale": mask_and_scale,
            "decode_times": decode_times,
            "concat_characters": concat_characters,
            "decode_coords": decode_coords,
            "use_cftime": use_cftime,
            "decode_timedelta": decode_timedelta,
        }
        given = {name: value for name, value in decoding.items() if value is not None}
        decoded = xarray.decode_cf(found, drop_variables=drop_variables, **given)

        decoded.set_close(functools.partial(_close, file, seen))
        decoded.encoding = {"source": file.path, **found.encoding}
        return decoded

    def guess_can_open(self, filename_or_obj: Any) -> bool:
        """Whether it is an HDF5 file with the ending .h5, or one that Weft wrote."""
        try:
            path = os.fspath(filename_or_obj)
            with open(path, "rb") as stream:
                if stream.read(len(_SIGNATURE)) != _SIGNATURE:
                    return False
            if path.endswith(".h5"):
                return True
            with reading.open(path, cost=(1e-3, 1e9)) as file:
                return file.is_weft
        except (OSError, TypeError, ValueError, _core.DataError):
            return False


def _close(file: File, seen: xarray.Dataset) -> None:
    file.close()
    seen.close()


def _as_netcdf(path: str) -> xarray.Dataset:
    """What xarray's engine for netCDF-4 makes of the file, undecoded; nothing where it can make nothing of it."""
    try:
        seen = xarray.open_dataset(path, engine="h5netcdf", decode_cf=False, cache=False, phony_dims="access")
    except (OSError, ValueError, KeyError, RuntimeError):  # types that netCDF has not
        return xarray.Dataset()
    nameless = [
        name for name, one in seen.variables.items() if any(str(dim).startswith("phony_dim") for dim in one.dims)
    ]
    return seen.drop_vars(nameless)  # Weft knows more of their axes


def _with_fields(file: File, seen: xarray.Dataset, masked: bool) -> xarray.Dataset:
    if seen.sizes.get("time", 0) > file.committed and file.is_weft:
        seen = seen.isel(time=slice(file.committed))  # the others are not complete yet
    variables: dict[str, xarray.Variable] = dict(seen.variables)  # type: ignore[arg-type]
    names = set(seen.variables)
    for name, field in file.items():
        described = file._fields[name]
        lazy = indexing.LazilyIndexedArray(WeftArray(field))
        if name in names:
            one = seen.variables[name]
            # In a Weft file /V is a name of the dataset that the catalog has in a folder of its own.
            in_place = file.is_weft or described["path"] == f"/{name}"
            same = described["as_in_file"] and in_place and one.shape == field.shape
            # Where values are missing Weft has NaN, and so has xarray once it has decoded them.
            if same and one.dtype == field.dtype and (masked or not _MISSING & one.attrs.keys()):
                variables[name] = xarray.Variable(one.dims, lazy, one.attrs, one.encoding)
            continue
        dims = _dimensions(field, variables)
        encoding = {"chunksizes": field.chunks, "preferred_chunks": dict(zip(dims, field.chunks, strict=True))}
        units = {"units": field.units} if field.units else {}
        variables[name] = xarray.Variable(dims, lazy, {**_beside_values(field), **units}, encoding)
    if "time" not in variables and any("time" in one.dims for one in variables.values()):
        said = {"units": file.time_units, "calendar": file.calendar}
        variables["time"] = xarray.Variable(("time",), file.times, {name: text for name, text in said.items() if text})
    coordinates = _coordinates_of_nodes(file, variables)
    return xarray.Dataset(variables | coordinates, attrs=seen.attrs).set_coords(list(coordinates))


def _beside_values(field: Field) -> dict[str, Any]:
    """The attributes of a field, without those that say how its values are coded: Weft has decoded them."""
    return {name: value for name, value in field.attrs.items() if name not in {*_MISSING, "scale_factor", "add_offset"}}


def _coordinates_of_nodes(file: File, known: dict[str, xarray.Variable]) -> dict[str, xarray.Variable]:
    shape = file.arrays.get("/mesh/points") if file.is_weft else None
    nodes = {n for one in known.values() for dim, n in zip(one.dims, one.shape, strict=True) if dim == "node"}
    if shape is None or nodes != {shape[0]}:
        return {}
    points = MeshPoints(file)
    return {
        name: xarray.Variable(
            ("node",),
            indexing.LazilyIndexedArray(CoordinateArray(points, axis, shape[0])),
            {"axis": name.upper()},
        )
        for axis, name in enumerate("xyz")
        if name not in known
    }


def _dimensions(field: Field, known: dict[str, xarray.Variable]) -> tuple[str, ...]:
    """Names for the axes of a field that has none. One of another extent than before has its extent in its name."""
    places = field.places
    of_node = {1: ["cell" if field.support == "cells" else "node"], 2: ["y", "x"], 3: ["z", "y", "x"]}
    names = ["time", *of_node.get(len(places), [])]
    further = field.ndim - len(names)
    names += ["component"] if further == 1 else [f"component_{i}" for i in range(further)]
    extents = {dim: n for one in known.values() for dim, n in zip(one.dims, one.shape, strict=True)}
    return tuple(
        name if extents.setdefault(name, extent) == extent else f"{name}_{extent}"
        for name, extent in zip(names, field.shape, strict=True)
    )
