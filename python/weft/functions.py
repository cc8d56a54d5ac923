"""What the library does with whole files: the results of the commands of the same names, as dataclasses.

Errors are exceptions with the line that the command prints. Ctrl-C ends a call; what it was making is then not there.
`progress` is True for a bar (rich, where it is installed), or a callable of (done, of). None is collective.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from weft import _core

Path = str | os.PathLike[str]
Progress = bool | Callable[[int, int], object] | None
_MIB = 1 << 20


@dataclass(frozen=True)
class Map:
    """One row of a map: of how many nodes it has values, and between which bounds they lie."""

    quantity: str
    row: int  # the beat, from 0
    units: str
    values: int
    min: float
    max: float


@dataclass(frozen=True)
class Reduction:
    """Where the maps are, and what is in them."""

    out: str
    field: str
    nodes: int
    steps: int
    most_beats: int  # of a node
    beyond_rows: int  # nodes with more beats than the maps have rows
    maps: tuple[Map, ...]


@dataclass(frozen=True)
class Repacked:
    """A dataset that was laid out anew; sizes in bytes."""

    path: str
    chunk: tuple[int, ...]
    new_chunk: tuple[int, ...]
    stored_before: int
    stored_after: int


@dataclass(frozen=True)
class Repacking:
    """The new file; `kept` says which datasets were copied as they are, and why. Sizes in bytes."""

    out: str
    datasets: tuple[Repacked, ...]
    kept: tuple[str, ...]
    bytes_before: int
    bytes_after: int


@dataclass(frozen=True)
class Import:
    """The new series; what is not in it, or not in its view, each with the reason."""

    out: str
    steps: int
    fields: tuple[str, ...]
    left_out: tuple[str, ...]
    not_shown: tuple[str, ...]
    bytes: int


@dataclass(frozen=True)
class Check:
    """One of the checks of verify(). `verdict` is ok, note, FAIL or - (not looked at)."""

    what: str
    verdict: str
    detail: str
    problems: tuple[str, ...]


@dataclass(frozen=True)
class Verification:
    """Whether a file is sound: no check failed."""

    path: str
    is_weft: bool
    steps: int | None
    committed: int | None
    sound: bool
    checks: tuple[Check, ...]

    def __bool__(self) -> bool:
        return self.sound


@dataclass(frozen=True)
class View:
    """What a viewer opens."""

    path: str
    xdmf_path: str  # "" where there is none
    steps: int
    left_out: tuple[str, ...]
    bytes_added: int


@dataclass(frozen=True)
class Conversion:
    """What to open first, and the rest; `left_out` says what could not be converted, and why."""

    out: str
    further: tuple[str, ...]
    files: int
    bytes: int
    steps: int
    left_out: tuple[str, ...]


def layout(
    shape: Sequence[int],
    reads: str = "snapshot=1,trace=1",
    *,
    element_bytes: int = 8,
    axes: str = "",
    target: int = _MIB,
    ranks: int = 0,
    cost: tuple[float, float] = (1e-3, 1e9),
    align: int = 0,
    algorithm: str = "reads",
) -> dict[str, Any]:
    """The chunk for a dataset of this shape, steps first, and what each read will cost: what `weft layout --json` prints.

    reads: what will be read, and how often (docs/layout.md). axes: "step,node,component". target: the largest chunk in
    bytes. cost: (seconds a request, bytes a second) of the store. algorithm: "reads" or "isotropic".

        >>> weft.layout((151, 400_000, 2))["chunk"]
        [19, 3449, 2]
    """
    text = _core.layout(list(shape), element_bytes, axes, reads, target, ranks, *cost, align, algorithm)
    design: dict[str, Any] = json.loads(text)
    return design


def reduce(
    path: Path,
    quantities: str = "activation_time,peak,apd_90",
    *,
    field: str = "",
    out: Path = "",
    threshold: float = -30.0,
    max_beats: int = 8,
    origin: int | None = None,
    fill: float = math.nan,
    mesh: Path = "",
    budget: int = 256 * _MIB,
    replace: bool = True,
    progress: Progress = None,
) -> Reduction:
    """Quantities over time of every node, as maps in a file of their own [FILE.maps.h5]: `weft reduce`.

    field: NAME or NAME:COMPONENT [the only one]. threshold: of beats. origin: the node from which conduction velocities
    are measured. fill: of nodes that have no value.
    """
    name = os.fspath(path)
    target = os.fspath(out) or os.path.splitext(name)[0] + ".maps.h5"
    with told(progress, "reducing") as tell:
        done = _core.reduce(
            name, field, quantities, target, threshold, max_beats, origin, fill, os.fspath(mesh), budget, replace, tell
        )
    return dataclasses.replace(Reduction(**done), maps=tuple(Map(**one) for one in done["maps"]))


def repack(
    path: Path,
    out: Path,
    reads: str = "snapshot=1,trace=1",
    *,
    datasets: Sequence[str] = (),
    axes: str = "",
    filters: str = "keep",
    target: int = _MIB,
    budget: int = 1024 * _MIB,
    threads: int = 0,
    checksums: bool = False,
    replace: bool = False,
    progress: Progress = None,
) -> Repacking:
    """Rewrites any HDF5 file with chunks that suit its reads, and keeps the rest as it is: `weft repack`.

    datasets: those to rechunk [all that have steps]. filters: "keep", "none" or "shuffle+deflate:6".
    """
    with told(progress, "repacking") as tell:
        done = _core.repack(
            os.fspath(path), os.fspath(out), list(datasets), axes, reads, target, filters, budget, threads, checksums,
            replace, tell,
        )  # fmt: skip
    return dataclasses.replace(Repacking(**_tuples(done)), datasets=tuple(Repacked(**one) for one in done["datasets"]))


def import_series(
    path: Path,
    out: Path,
    reads: str = "snapshot=1,trace=1",
    *,
    fields: Sequence[str] = (),
    axes: str = "",
    time: str | None = None,
    mesh: Path = "",
    filters: str = "",
    target: int = _MIB,
    budget: int = 1024 * _MIB,
    replace: bool = False,
    progress: Progress = None,
) -> Import:
    """Copies any file of steps into a Weft series, with its grid or mesh: `weft import`."""
    with told(progress, "importing") as tell:
        done = _core.import_series(
            os.fspath(path), os.fspath(out), list(fields), axes, time, os.fspath(mesh), reads, target, filters, budget,
            replace, tell,
        )  # fmt: skip
    return Import(**_tuples(done))


def verify(path: Path, *, quick: bool = False, budget: int = 256 * _MIB, progress: Progress = None) -> Verification:
    """Whether a file is sound: `weft verify`. quick: no data are read."""
    with told(progress, "verifying") as tell:
        done = _core.verify(os.fspath(path), quick, budget, tell)
    return dataclasses.replace(Verification(**done), checks=tuple(Check(**_tuples(one)) for one in done["checks"]))


def view(path: Path, *, xdmf: bool = True, take_over: bool = False) -> View:
    """Makes a Weft file open in ParaView and VTK, with the steps that are committed: `weft view`."""
    return View(**_tuples(_core.view(os.fspath(path), xdmf, take_over)))


def convert(
    path: Path,
    to: str,
    *,
    out: Path = "",
    steps: str = "",
    fields: Sequence[str] = (),
    mesh: Path = "",
    level: int = 0,
    float32: bool = False,
    budget: int = 256 * _MIB,
    replace: bool = True,
    progress: Progress = None,
) -> Conversion:
    """Copies in another format, "vtu", "tecplot" or "csv": `weft convert`.

    steps: "FIRST:END:STEP" [all]. level: of zlib, 0 to 9, for vtu. float32: float64 is written as float32.
    """
    with told(progress, "converting") as tell:
        done = _core.convert(
            os.fspath(path), to, os.fspath(out), steps, list(fields), os.fspath(mesh), level, float32, budget, replace,
            tell,
        )  # fmt: skip
    return Conversion(**_tuples(done))


def refs(path: Path, *, url: str = "", datasets: Sequence[str] = ()) -> dict[str, Any]:
    """Where the chunks of a file lie, as kerchunk lists them (zarr reads the file by it): `weft refs`.

    url: where readers find the file [its path].
    """
    listed: dict[str, Any] = json.loads(_core.references(os.fspath(path), url or os.fspath(path), list(datasets)))
    return listed


def _tuples(done: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in done.items()}


@contextmanager
def told(progress: Progress, words: str) -> Iterator[Callable[[int, int], object] | None]:
    """What a call of weft._core is given for `progress`."""
    if progress is None or progress is False:
        yield None
    elif progress is not True:
        yield progress
    else:
        from rich.progress import Progress as Bar

        with Bar() as bar:
            task = bar.add_task(words)
            yield lambda done, of: bar.update(task, completed=done, total=of)
