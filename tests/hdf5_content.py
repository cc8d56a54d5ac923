"""What an HDF5 file says, whatever its layout: two files compared with h5py alone.

Groups and the names and order of their links, soft and external links, hard links to one object, attributes, types,
extents that may grow, every element bit for bit, references by what they point at.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

import h5py
import numpy as np


def content(path: Path) -> dict[str, Any]:
    """All of a file as plain values; two files are equal where these are."""
    with h5py.File(path, "r") as file:
        return _Reader(file).all()


class _Reader:
    def __init__(self, file: h5py.File) -> None:
        self.file = file
        self.first: dict[Any, str] = {}
        self.met: set[Any] = set()
        self.entries: dict[str, Any] = {}

    def all(self) -> dict[str, Any]:
        self.group("/")  # finds every object's first name, which references are told by
        self.entries.clear()
        self.met.clear()
        self.group("/")
        self.entries["user block"] = self.file.userblock_size
        return self.entries

    def group(self, path: str) -> None:
        group = self.file[path]
        self.entries[path] = ("group", self.attributes(group))
        names = list(group)
        self.entries[f"{path} links"] = names
        for name in names:
            below = f"{path.rstrip('/')}/{name}"
            link = group.get(name, getlink=True)
            if isinstance(link, h5py.SoftLink):
                self.entries[below] = ("soft", link.path)
            elif isinstance(link, h5py.ExternalLink):
                self.entries[below] = ("external", link.filename, link.path)
            else:
                self.object(below)

    def object(self, path: str) -> None:
        thing = self.file[path]
        key = h5py.h5o.get_info(thing.id).addr
        if key in self.met:
            self.entries[path] = ("the same as", self.first[key])
            return
        self.met.add(key)
        self.first.setdefault(key, path)
        if isinstance(thing, h5py.Group):
            self.group(path)
        elif isinstance(thing, h5py.Datatype):
            self.entries[path] = ("type", described(thing.id), self.attributes(thing))
        else:
            self.entries[path] = ("dataset", self.type_of(thing.id), thing.shape, thing.maxshape, self.elements(thing),
                                  self.fill(thing), self.attributes(thing))  # fmt: skip

    def fill(self, dataset: h5py.Dataset) -> Any:
        # h5py 3.7 crashes when it is asked for one of other types.
        return np.asarray(dataset.fillvalue).tobytes() if dataset.dtype.kind in "iuf" else None

    def type_of(self, thing: Any) -> tuple[Any, Any]:
        kind = thing.get_type()
        return described(kind), ("committed", self.name_of(kind)) if kind.committed() else None

    def name_of(self, thing: Any) -> str | None:
        return self.first.get(h5py.h5o.get_info(thing).addr)

    def elements(self, dataset: h5py.Dataset) -> Any:
        if dataset.shape is None:
            return None
        return self.plain(dataset[()], dataset.dtype)

    def plain(self, value: Any, dtype: Any) -> Any:
        """Bytes where an element is its bytes; else nested lists with references as what they point at."""
        array = np.asarray(value)
        if not dtype.hasobject:
            return array.tobytes()
        return [self.one(element) for element in array.ravel().tolist()]

    def one(self, element: Any) -> Any:
        if isinstance(element, h5py.RegionReference):
            if not element:
                return ("region", None)
            return (
                "region",
                self.name_of(self.file[element].id),
                str(h5py.h5r.get_region(element, self.file.id).get_select_bounds()),
            )
        if isinstance(element, h5py.Reference):
            return ("reference", self.name_of(self.file[element].id) if element else None)
        if isinstance(element, np.ndarray):
            return [self.one(e) for e in element.ravel().tolist()] if element.dtype.hasobject else element.tobytes()
        if isinstance(element, (tuple, list)):
            return [self.one(e) for e in element]
        if isinstance(element, np.void):
            return [self.one(e) for e in element.tolist()]
        return element

    def attributes(self, thing: Any) -> dict[str, Any]:
        found = {}
        for name in thing.attrs:
            if name == "weft_layout":  # says how a dataset is laid out
                continue
            attribute = h5py.h5a.open(thing.id, name.encode())
            shape = attribute.shape if attribute.get_space().get_simple_extent_type() != h5py.h5s.NULL else None
            value = None if shape is None else thing.attrs[name]
            found[name] = (
                shape,
                described(attribute.get_type()),
                None if value is None else self.attribute(value, attribute),
            )
        return found

    def attribute(self, value: Any, attribute: Any) -> Any:
        array = np.asarray(value, dtype=object) if attribute.dtype.hasobject else np.asarray(value)
        if isinstance(value, (h5py.Reference, str, bytes)):
            return self.one(value)
        if attribute.dtype.hasobject:
            return [self.one(e) for e in array.ravel().tolist()]
        return array.tobytes()


def described(kind: Any) -> Any:
    """A type, whatever encoding its file has it in."""
    if isinstance(kind, h5py.h5t.TypeCompoundID):
        members = range(kind.get_nmembers())
        return (
            "compound",
            kind.get_size(),
            [(kind.get_member_name(m), kind.get_member_offset(m), described(kind.get_member_type(m))) for m in members],
        )
    if isinstance(kind, h5py.h5t.TypeEnumID):
        members = range(kind.get_nmembers())
        return (
            "enumeration",
            described(kind.get_super()),
            [(kind.get_member_name(m), kind.get_member_value(m)) for m in members],
        )
    if isinstance(kind, h5py.h5t.TypeArrayID):
        return ("array", kind.get_array_dims(), described(kind.get_super()))
    if isinstance(kind, h5py.h5t.TypeVlenID):
        return ("lists", described(kind.get_super()))
    if isinstance(kind, h5py.h5t.TypeStringID):
        return ("text", kind.is_variable_str(), kind.get_size(), kind.get_cset(), kind.get_strpad())
    if isinstance(kind, h5py.h5t.TypeOpaqueID):
        return ("opaque", kind.get_size(), kind.get_tag())
    if isinstance(kind, (h5py.h5t.TypeIntegerID, h5py.h5t.TypeFloatID, h5py.h5t.TypeBitfieldID)):
        return (kind.get_class(), kind.get_size(), kind.get_order(), kind.get_precision(), kind.get_offset())
    return (kind.get_class(), kind.get_size())


def differences(a: dict[str, Any], b: dict[str, Any]) -> list[str]:
    """Which entries differ; none where the files say the same."""
    return [key for key in sorted(set(a) | set(b)) if key not in a or key not in b or not _same(a[key], b[key])]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b, strict=True))
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(_same(a[k], b[k]) for k in a)
    if isinstance(a, float) and isinstance(b, float):
        return np.float64(a).tobytes() == np.float64(b).tobytes()
    return bool(a == b)


def checksums_hold(path: Path) -> int:
    """As docs/format.md says, by h5py and zlib. Returns how many there are."""
    count = 0
    with h5py.File(path, "r") as file:

        def check(name: str, table: Any) -> None:
            nonlocal count
            if not isinstance(table, h5py.Dataset):
                return
            assert table.dtype == np.uint32 and table.attrs["algorithm"] == "crc32"
            piece = table.attrs["chunk"]
            values = file[name] if file[name].shape else file[name][()].reshape(1)
            for i in np.ndindex(table.shape):
                box = tuple(slice(int(n * p), int((n + 1) * p)) for n, p in zip(i, piece, strict=True))
                assert zlib.crc32(values[box].tobytes()) == table[i], f"{name} {i}"
                count += 1

        file["weft/checksums"].visititems(check)
    return count
