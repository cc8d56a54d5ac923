"""What a file holds, what each kind of read costs, and what would be better: `weft.inspect`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weft import _core
from weft.reprs import bytes_text, shape_text


@dataclass(frozen=True)
class Price:
    """What one read takes: requests, the bytes they fetch, seconds in all (`decode_seconds` of them for filters)."""

    requests: int
    bytes: int
    seconds: float
    decode_seconds: float
    amplification: float  # bytes fetched for each byte that was asked for


@dataclass(frozen=True)
class PricedRead:
    """A read of `asked_bytes`, through HDF5's own reader and through Weft's, as the file is and as `weft.repack` would
    lay it out (None where it would leave it)."""

    asked_bytes: int
    hdf5: Price
    weft: Price
    hdf5_repacked: Price | None
    weft_repacked: Price | None


@dataclass(frozen=True)
class InspectedDataset:
    """A dataset. `axes` and `time_units` are what is known of it; `better_chunk` is what `weft.repack` would choose."""

    path: str
    shape: tuple[int, ...]
    type: str
    chunk: tuple[int, ...] | None
    filters: tuple[str, ...]
    stored_bytes: int
    logical_bytes: int
    axes: tuple[str, ...] | None
    time_units: str
    reads: Mapping[str, PricedRead]
    not_priced: str
    better_chunk: tuple[int, ...] | None
    advice: str  # "" where there is none
    command: str  # what to type to do it


@dataclass(frozen=True)
class Inspection(Mapping[str, InspectedDataset]):
    """The datasets of a file by their paths, largest first. `as_json` is what `weft inspect --json` prints."""

    path: str
    file_bytes: int
    data_bytes: int
    padding_bytes: int
    metadata_bytes: int
    datasets: Mapping[str, InspectedDataset]
    as_json: dict[str, Any]

    def __getitem__(self, path: str) -> InspectedDataset:
        return self.datasets[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self.datasets)

    def __len__(self) -> int:
        return len(self.datasets)

    def __repr__(self) -> str:
        lines = [f"<weft.Inspection of {self.path!r}, {bytes_text(self.file_bytes)}>"]
        shown = [one for one in self.datasets.values() if one.reads or one.advice]
        for one in shown:
            stored = f"chunks {shape_text(one.chunk)}" if one.chunk else "in one piece"
            lines.append(f"  {one.path}  {shape_text(one.shape)} {one.type}, {stored}, {bytes_text(one.stored_bytes)}")
            for name, read in one.reads.items():
                repacked = read.hdf5_repacked if one.better_chunk else None
                better = f"; {repacked.seconds:.3g} s by HDF5 once repacked" if repacked else ""
                lines.append(
                    f"    {name}: {read.hdf5.seconds:.3g} s by HDF5, {read.weft.seconds:.3g} s by Weft{better}"
                )
            if one.advice:
                lines.append(f"    {one.advice}" + (f": {one.command}" if one.command else ""))
        if len(shown) < len(self):
            lines.append(f"  and {len(self) - len(shown)} others that have no steps, or are views")
        return "\n".join(lines)


def inspect(
    path: str | os.PathLike[str],
    *,
    datasets: Sequence[str] = (),
    axes: str = "",
    reads: str = "",
    ranks: int = 16,
    cost: tuple[float, float] = (1e-3, 1e9),
    target: int = 1 << 20,
) -> Inspection:
    """What any HDF5 file holds, and what reading it costs: `weft inspect`. Metadata alone are read.

    datasets: those to look at [all]. axes: "step,node,component", where the file does not say. reads: what to plan for
    (docs/layout.md) [snapshots and traces]. ranks: a block is one rank's share. cost: (seconds a request, bytes a
    second) of the file system. target: the largest chunk to choose, in bytes.

    Raises as weft.open() does; ValueError for axes or reads that do not fit a dataset that was named.
    """
    if ranks < 1:
        raise ValueError(f"ranks: {ranks} cannot be used; give 1 or more")
    text = _core.inspect(os.fspath(path), list(datasets), axes, reads, ranks, *cost, target)
    said: dict[str, Any] = json.loads(text)
    return Inspection(
        said["file"],
        said["file_bytes"],
        said["data_bytes"],
        said["padding_bytes"],
        said["metadata_bytes"],
        {one["path"]: _dataset(one) for one in said["datasets"]},
        said,
    )


def _dataset(said: dict[str, Any]) -> InspectedDataset:
    known, advice = said["axes"] or {}, said["advice"] or {}
    return InspectedDataset(
        path=said["path"],
        shape=tuple(said["shape"]),
        type=said["type"],
        chunk=None if said["chunk"] is None else tuple(said["chunk"]),
        filters=tuple(one["name"] for one in said["filters"]),
        stored_bytes=said["stored_bytes"],
        logical_bytes=said["logical_bytes"],
        axes=tuple(known["names"].split(",")) if known else None,
        time_units=known.get("time_units", ""),
        reads={name: _read(one) for name, one in said["reads"].items()},
        not_priced=said["not_priced"] or "",
        better_chunk=None if said["better_chunk"] is None else tuple(said["better_chunk"]),
        advice=advice.get("text", ""),
        command=advice.get("command") or "",
    )


def _read(said: dict[str, Any]) -> PricedRead:
    now, then = said["as_it_is"], said["repacked"] or {}
    return PricedRead(
        asked_bytes=said["asked_bytes"],
        hdf5=Price(**now["hdf5"]),
        weft=Price(**now["weft"]),
        hdf5_repacked=Price(**then["hdf5"]) if then else None,
        weft_repacked=Price(**then["weft"]) if then else None,
    )
