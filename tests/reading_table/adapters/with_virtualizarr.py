"""VirtualiZarr: a store made of the places of the file's chunks, read through zarr."""

from __future__ import annotations

from typing import Any

import zarr
from answers import Absent, answer_all
from obspec_utils.registry import ObjectStoreRegistry
from obstore.store import LocalStore
from virtualizarr.parsers import HDFParser


def read(path: str, name: str) -> Any:
    group, _, last = name.rpartition("/")
    registry = ObjectStoreRegistry({"file://": LocalStore()})
    found = zarr.open_group(HDFParser(group=group or None)(f"file://{path}", registry), mode="r", zarr_format=3)
    if last not in found:
        raise Absent(name)
    return found[last][...]


answer_all(read)
