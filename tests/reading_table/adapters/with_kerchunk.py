"""kerchunk: references to the file's chunks, read through zarr."""

from __future__ import annotations

import json
from typing import Any

import fsspec
import zarr
from answers import Absent, answer_all
from kerchunk.hdf import SingleHdf5ToZarr


def read(path: str, name: str) -> Any:
    references = SingleHdf5ToZarr(path, inline_threshold=0).translate()
    files = fsspec.filesystem("reference", fo=json.loads(json.dumps(references)), asynchronous=True)
    group = zarr.open_group(zarr.storage.FsspecStore(files), mode="r", zarr_format=2)
    if name not in group:
        raise Absent(name)
    return group[name][...]


answer_all(read)
