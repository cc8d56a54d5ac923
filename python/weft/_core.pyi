"""
weft::core for Python. Use the package weft, which says what these take.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


class DataError(Exception):
    """A file that is not what it should be."""

version: str = '0.1.0'

def ecg(path: str, kind: str, field: str, electrodes: Sequence[tuple[str, Sequence[float]]], diffusivity: float, mesh: str, progress: object | None) -> dict[str, Any]: ...

def ecg_sheet(times: Sequence[float], time_units: str, units: str, signals: Sequence[tuple[str, Sequence[float]]], name: str) -> dict[str, Any]: ...

def layout(shape: Sequence[int], element_bytes: int, axes: str, reads: str, target: int, ranks: int, latency: float, bandwidth: float, align: int, algorithm: str) -> str: ...

def reduce(path: str, field: str, quantities: str, out: str, threshold: float, max_beats: int, origin: int | None, fill: float, mesh: str, budget: int, replace: bool, progress: object | None) -> dict[str, Any]: ...

def repack(path: str, out: str, datasets: Sequence[str], axes: str, reads: str, target: int, filters: str, budget: int, jobs: int, checksums: bool, replace: bool, progress: object | None) -> dict[str, Any]: ...

def import_series(path: str, out: str, fields: Sequence[str], axes: str, time: str | None, mesh: str, reads: str, target: int, filters: str, budget: int, replace: bool, progress: object | None) -> dict[str, Any]: ...

def verify(path: str, quick: bool, budget: int, progress: object | None) -> dict[str, Any]: ...

def inspect(path: str, datasets: Sequence[str], axes: str, reads: str, ranks: int, latency: float, bandwidth: float, target: int) -> str: ...

def view(path: str, xdmf: bool, take_over: bool) -> dict[str, Any]: ...

def convert(path: str, to: str, out: str, steps: str, fields: Sequence[str], mesh: str, level: int, float32: bool, budget: int, replace: bool, progress: object | None) -> dict[str, Any]: ...

def references(path: str, url: str, datasets: Sequence[str]) -> str: ...

class RunningQuantity:
    """weft::reduce::RunningQuantity."""

    class DataError(Exception):
        """A file that is not what it should be."""

def quantity(name: str, units: str, start: Sequence[float], update: object, result: object | None) -> RunningQuantity: ...

class Ownership:
    """weft::partition::Ownership: what a rank holds of a step's array."""

    class DataError(Exception):
        """A file that is not what it should be."""

    @staticmethod
    def box(per_step: Sequence[int], start: Sequence[int], count: Sequence[int]) -> Ownership: ...

    @staticmethod
    def nodes(per_step: Sequence[int], ids: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], ghosts: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Ownership: ...

    @staticmethod
    def all(per_step: Sequence[int]) -> Ownership: ...

    @staticmethod
    def even(per_step: Sequence[int], rank: int, ranks: int) -> Ownership: ...

    @staticmethod
    def cells(ranks: object | None, cells: int, components: Sequence[int]) -> Ownership: ...

    @staticmethod
    def even_block(count: int, rank: int, ranks: int) -> tuple[int, int]: ...

    @property
    def shape(self) -> list[int]: ...

class FieldSpec:
    """weft::FieldSpec."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self) -> None: ...

    @property
    def name(self) -> str: ...

    @name.setter
    def name(self, arg: str, /) -> None: ...

    @property
    def dtype(self) -> str: ...

    @dtype.setter
    def dtype(self, arg: str, /) -> None: ...

    @property
    def per_step(self) -> list[int]: ...

    @per_step.setter
    def per_step(self, arg: Sequence[int], /) -> None: ...

    @property
    def support(self) -> str: ...

    @support.setter
    def support(self, arg: str, /) -> None: ...

    @property
    def units(self) -> str: ...

    @units.setter
    def units(self, arg: str, /) -> None: ...

    @property
    def components(self) -> list[str]: ...

    @components.setter
    def components(self, arg: Sequence[str], /) -> None: ...

    @property
    def component_units(self) -> list[str]: ...

    @component_units.setter
    def component_units(self, arg: Sequence[str], /) -> None: ...

    @property
    def filters(self) -> str: ...

    @filters.setter
    def filters(self, arg: str, /) -> None: ...

    @property
    def owned(self) -> Ownership: ...

    @owned.setter
    def owned(self, arg: Ownership, /) -> None: ...

    @property
    def subset(self) -> list[int] | None: ...

    @subset.setter
    def subset(self, arg: Sequence[int] | None, /) -> None: ...

    def set_attributes(self, arg: Mapping[str, str | int | float | Sequence[int] | Sequence[float] | Sequence[str]], /) -> None: ...

    def set_layout(self, kind: str, reads: str, target: int, chunk: Sequence[int]) -> None: ...

class WriterOptions:
    """weft::WriterOptions."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self) -> None: ...

    @property
    def budget(self) -> int: ...

    @budget.setter
    def budget(self, arg: int, /) -> None: ...

    @property
    def commit_seconds(self) -> float: ...

    @commit_seconds.setter
    def commit_seconds(self, arg: float, /) -> None: ...

    @property
    def commit_steps(self) -> int: ...

    @commit_steps.setter
    def commit_steps(self, arg: int, /) -> None: ...

    @property
    def commit_on_signals(self) -> bool: ...

    @commit_on_signals.setter
    def commit_on_signals(self, arg: bool, /) -> None: ...

    @property
    def take_over(self) -> bool: ...

    @take_over.setter
    def take_over(self, arg: bool, /) -> None: ...

    def set_sync(self, arg: str, /) -> None: ...

class Mesh:
    """weft::MeshSpec, and the arrays it points at."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self, points: int, owned: Ownership, coordinates: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cell_types: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], cell_sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], connectivity: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

class Observer:
    """weft::series::WindowObserver."""

    class DataError(Exception):
        """A file that is not what it should be."""

def reduction(field: str, quantities: str, threshold: float, max_beats: int, origin: int | None, fill: float, own: Sequence[RunningQuantity]) -> Observer: ...

class Series:
    """weft::SeriesSpec."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self) -> None: ...

    @property
    def steps(self) -> int | None: ...

    @steps.setter
    def steps(self, arg: int | None, /) -> None: ...

    @property
    def time_units(self) -> str: ...

    @time_units.setter
    def time_units(self, arg: str, /) -> None: ...

    @property
    def calendar(self) -> str: ...

    @calendar.setter
    def calendar(self, arg: str, /) -> None: ...

    @property
    def align(self) -> int: ...

    @align.setter
    def align(self, arg: int, /) -> None: ...

    def replace(self, arg: bool, /) -> None: ...

    def set_attributes(self, arg: Mapping[str, str | int | float | Sequence[int] | Sequence[float] | Sequence[str]], /) -> None: ...

    def set_grid(self, arg0: Sequence[int], arg1: Sequence[float], arg2: Sequence[float], /) -> None: ...

    def set_mesh(self, arg: Mesh, /) -> None: ...

    def set_options(self, arg: WriterOptions, /) -> None: ...

    def add_field(self, arg: FieldSpec, /) -> None: ...

    def add_observer(self, arg: Observer, /) -> None: ...

class AppendSpec:
    """weft::AppendSpec."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self) -> None: ...

    @property
    def owned(self) -> list[tuple[str, Ownership]]: ...

    @owned.setter
    def owned(self, arg: Sequence[tuple[str, Ownership]], /) -> None: ...

    @property
    def from_step(self) -> int | None: ...

    @from_step.setter
    def from_step(self, arg: int | None, /) -> None: ...

    @property
    def options(self) -> WriterOptions: ...

    @options.setter
    def options(self, arg: WriterOptions, /) -> None: ...

class Writer:
    """weft::SeriesWriter. All calls come from one thread."""

    class DataError(Exception):
        """A file that is not what it should be."""

    @staticmethod
    def create(ranks: object | None, path: str, series: Series) -> Writer: ...

    @staticmethod
    def append(ranks: object | None, path: str, spec: AppendSpec) -> Writer: ...

    def put(self, field: str, dtype: str, values: NDArray[Any]) -> None: ...

    def end_step(self, time: float) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def abandon(self) -> None: ...

    def leave(self) -> None: ...

    @property
    def next_step(self) -> int: ...

    @staticmethod
    def fields_of(path: str) -> dict[str, tuple[str, tuple[int, ...], str]]: ...

class Requests:
    """How many requests a reader made, and of how many bytes."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self) -> None: ...

    @property
    def reads(self) -> int: ...

    @property
    def bytes(self) -> int: ...

class Wishes:
    """What SeriesReader::open() is asked for."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self) -> None: ...

    @property
    def budget(self) -> int | None: ...

    @budget.setter
    def budget(self, arg: int | None, /) -> None: ...

    @property
    def threads(self) -> int | None: ...

    @threads.setter
    def threads(self, arg: int | None, /) -> None: ...

    @property
    def latency(self) -> float | None: ...

    @latency.setter
    def latency(self, arg: float | None, /) -> None: ...

    @property
    def bandwidth(self) -> float | None: ...

    @bandwidth.setter
    def bandwidth(self, arg: float | None, /) -> None: ...

    @property
    def dataset(self) -> str: ...

    @dataset.setter
    def dataset(self, arg: str, /) -> None: ...

    @property
    def time(self) -> str | None: ...

    @time.setter
    def time(self, arg: str | None, /) -> None: ...

    @property
    def axes(self) -> str: ...

    @axes.setter
    def axes(self, arg: str, /) -> None: ...

    @property
    def delay(self) -> float: ...

    @delay.setter
    def delay(self, arg: float, /) -> None: ...

    @property
    def requests(self) -> Requests: ...

    @requests.setter
    def requests(self, arg: Requests | None, /) -> None: ...

class Reader:
    """weft::SeriesReader: for several threads at once, but for nothing else."""

    class DataError(Exception):
        """A file that is not what it should be."""

    @staticmethod
    def open(path: str, wishes: Wishes) -> Reader: ...

    @property
    def path(self) -> str: ...

    @property
    def is_weft(self) -> bool: ...

    @property
    def format_version(self) -> int: ...

    @property
    def created_by(self) -> str: ...

    @property
    def steps(self) -> int: ...

    @property
    def committed(self) -> int: ...

    @property
    def time_units(self) -> str: ...

    @property
    def latency(self) -> float: ...

    @property
    def bandwidth(self) -> float: ...

    def times(self) -> list[float]: ...

    def fields(self) -> list[dict[str, Any]]: ...

    def fixed(self) -> list[tuple[str, str, tuple[int, ...]]]: ...

    def attributes(self, object: str) -> dict[str, Any]: ...

    @property
    def times_path(self) -> str: ...

    def read(self, field: str, starts: NDArray[numpy.uint64], counts: NDArray[numpy.uint64], target: NDArray[Any]) -> None: ...

    def read_trace(self, field: str, node: int, target: NDArray[Any]) -> None: ...

    def read_snapshot(self, field: str, step: int, target: NDArray[Any]) -> None: ...

    def read_fixed(self, path: str, target: NDArray[Any]) -> None: ...

    def cost(self, field: str, start: Sequence[int], count: Sequence[int]) -> dict[str, Any]: ...

class Sweep:
    """weft::SnapshotSweep: the snapshots of a range of steps, in order."""

    class DataError(Exception):
        """A file that is not what it should be."""

    def __init__(self, arg0: Reader, arg1: str, arg2: int, arg3: int, /) -> None: ...

    def next(self, target: NDArray[Any]) -> bool: ...
