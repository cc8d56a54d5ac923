"""weft against h5py on one file: random traces, every snapshot, a block of a quarter. Ratios of h5py's time over Weft's.

    python benchmarks/python_reading.py [--mb 200] [--rounds 5]

Each round does both, in random order; the file is in the page cache. Prints the median and the range of the ratios.
"""

from __future__ import annotations

import argparse
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np

import weft

STEPS = 151


def make(path: Path, megabytes: int, filters: str | None) -> int:
    """Values that compress like a potential's: smooth, with noise in the last bits. Returns the number of nodes."""
    nodes = megabytes * 1_000_000 // (STEPS * 8)
    steps = np.arange(STEPS)[:, None]
    values = np.round(80 * np.sin(0.05 * steps + np.linspace(0, 40, nodes)), 3)
    with h5py.File(path, "w") as file:
        options = {"compression": filters, "shuffle": True} if filters else {}
        data = file.create_dataset("V", data=values, chunks=(19, 3449), **options)
        data.dims[0].label, data.dims[1].label = "time", "node"
    return nodes


def reads(path: Path, nodes: int) -> dict[str, dict[str, Callable[[], object]]]:
    chosen = np.random.default_rng(1).integers(0, nodes, 200)
    field = weft.open(path)["V"]
    data = h5py.File(path)["V"]
    quarter = slice(nodes // 4, nodes // 2)
    return {
        "200 traces": {
            "weft": lambda: [field.trace(int(node)) for node in chosen],
            "h5py": lambda: [data[:, int(node)] for node in chosen],
        },
        "every snapshot": {
            "weft": lambda: [None for _ in field.sweep()],
            "h5py": lambda: [data[step] for step in range(STEPS)] and None,
        },
        "a 25 % block": {"weft": lambda: field[:, quarter], "h5py": lambda: data[:, quarter]},
    }


def seconds(action: Callable[[], object]) -> float:
    began = time.perf_counter()
    action()
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mb", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for filters in (None, "gzip"):
            path = Path(folder) / f"{filters}.h5"
            nodes = make(path, given.mb, filters)
            for name, ways in reads(path, nodes).items():
                ratios = []
                for _ in range(given.rounds):
                    taken = {way: seconds(ways[way]) for way in random.sample(sorted(ways), len(ways))}
                    ratios.append(taken["h5py"] / taken["weft"])
                middle = statistics.median(ratios)
                print(f"{filters or 'plain':6} {name:15} {middle:7.2f}  ({min(ratios):.2f} to {max(ratios):.2f})", flush=True)


if __name__ == "__main__":
    main()
