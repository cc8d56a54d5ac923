#!/usr/bin/env python3
"""Reading from Python, one way in one process: a run of the campaign `python-reading`.

    benchmarks/python_reading.py --way weft --filters shuffle+deflate:1 --nodes 800000 --steps 151 --out FILE --json

Writes a series (Weft's, which h5py reads as well, or BP5 for ADIOS2), then prints the seconds of 200 random traces, of
every snapshot, of a quarter of the nodes over all steps (the median of three), and of 64 random boxes on 16 threads. The
first of each is not timed; the file is in the page cache, with `--cold` it leaves that before each. `way`: weft, h5py, h5py-cache
(rdcc_nbytes of 256 MiB), adios2. Wants weft, h5py and adios2 in the Python it is run with.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from page_cache import leave_page_cache

Box = tuple[slice, slice]
TRACES, BOXES, THREADS = 200, 64, 16


def step_of(step: int, nodes: int) -> NDArray[np.float64]:
    """Smooth, and with three decimals: it compresses as results do that were written for people."""
    values: NDArray[np.float64] = np.round(80 * np.sin(0.05 * step + np.linspace(0, 40, nodes)), 3)
    return values


class Weft:
    """Reads with weft; the file is Weft's for h5py, too."""

    def __init__(self, path: Path) -> None:
        import weft

        self.field = weft.open(path)["V"]

    def trace(self, node: int) -> Any:
        return self.field.trace(node)

    def snapshots(self) -> Iterator[Any]:
        yield from self.field.sweep()

    def box(self, box: Box) -> Any:
        return self.field[box]


class H5py:
    def __init__(self, path: Path, cache: int = 1 << 20) -> None:
        import h5py

        self.data = h5py.File(path, rdcc_nbytes=cache, rdcc_nslots=10_007)["V"]

    def trace(self, node: int) -> Any:
        return self.data[:, node]

    def snapshots(self) -> Iterator[Any]:
        for step in range(len(self.data)):
            yield self.data[step]

    def box(self, box: Box) -> Any:
        return self.data[box]


class Adios2:
    def __init__(self, path: Path) -> None:
        import adios2  # type: ignore[import-not-found]

        self.file = adios2.FileReader(str(path))
        self.variable = self.file.inquire_variable("V")
        self.steps, (self.nodes,) = self.variable.steps(), self.variable.shape()

    def read(self, steps: slice, nodes: slice) -> Any:
        self.variable.set_selection([[nodes.start], [nodes.stop - nodes.start]])
        self.variable.set_step_selection([steps.start, steps.stop - steps.start])
        return self.file.read(self.variable)

    def trace(self, node: int) -> Any:
        return self.read(slice(0, self.steps), slice(node, node + 1)).reshape(-1)

    def snapshots(self) -> Iterator[Any]:
        for step in range(self.steps):
            yield self.read(slice(step, step + 1), slice(0, self.nodes))

    def box(self, box: Box) -> Any:
        steps, nodes = box
        return self.read(steps, nodes).reshape(steps.stop - steps.start, nodes.stop - nodes.start)


READERS: dict[str, Callable[[Path], Weft | H5py | Adios2]] = {
    "weft": Weft,
    "h5py": H5py,
    "h5py-cache": lambda path: H5py(path, 256 << 20),
    "adios2": Adios2,
}


def write(way: str, path: Path, nodes: int, steps: int, filters: str) -> None:
    if way != "adios2":
        import weft

        with weft.create(path, {"V": weft.FieldSpec(nodes, filters=filters)}, steps=steps) as out:
            for step in range(steps):
                out.step(float(step), V=step_of(step, nodes))
        return
    import adios2

    adios = adios2.Adios()
    io = adios.declare_io("write")
    io.set_engine("BP5")
    variable = io.define_variable("V", np.empty(nodes), [nodes], [0], [nodes])
    engine = io.open(str(path), adios2.bindings.Mode.Write)
    for step in range(steps):
        engine.begin_step()
        engine.put(variable, step_of(step, nodes), adios2.bindings.Mode.Sync)  # the array is gone at end_step
        engine.end_step()
    engine.close()


def visit(snapshots: Iterator[Any]) -> int:
    """As a loop of a program does: a step is held while the next one is read."""
    return sum(values.size for values in snapshots)


def seconds(action: Callable[[], Any]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=READERS, required=True)
    parser.add_argument("--filters", default="")
    parser.add_argument("--nodes", type=int, default=800_000)
    parser.add_argument("--steps", type=int, default=151)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--json", action="store_true", help="it prints nothing else")
    given = parser.parse_args()
    nodes, steps = given.nodes, given.steps
    write(given.way, given.out, nodes, steps, given.filters)
    reader = READERS[given.way](given.out)
    random = np.random.default_rng(5)
    chosen = [int(node) for node in random.integers(0, nodes, TRACES + 1)]
    assert np.array_equal(reader.trace(chosen[0]), [step_of(step, nodes)[chosen[0]] for step in range(steps)])

    def timed(action: Callable[[], Any]) -> float:
        if given.cold:
            leave_page_cache(given.out)
        return seconds(action)

    report = {"traces": timed(lambda: [reader.trace(node) for node in chosen[1:]])}
    report["snapshots"] = timed(
        lambda: visit(reader.snapshots()) == steps * nodes or sys.exit("not every snapshot was read")
    )
    quarter = (slice(0, steps), slice(nodes // 4, nodes // 2))
    reader.box(quarter)
    report["block"] = statistics.median(timed(lambda: reader.box(quarter)) for _ in range(3))
    if given.way != "adios2":  # its readers are for one thread
        rows, width = min(32, steps), min(2000, nodes)
        boxes = [
            (slice(step, step + rows), slice(node, node + width))
            for step, node in zip(
                random.integers(0, steps - rows + 1, BOXES).tolist(),
                random.integers(0, nodes - width + 1, BOXES).tolist(),
                strict=True,
            )
        ]
        with ThreadPoolExecutor(THREADS) as threads:
            report["boxes"] = timed(lambda: list(threads.map(reader.box, boxes)))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
