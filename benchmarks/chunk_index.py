"""Weft's index of chunks (a B-tree of version 1, decision 21) against HDF5's implicit one, which only newer readers know.

    python3 benchmarks/chunk_index.py --weft build/bin/weft --folder /data/scratch --rounds 5

Both files have the same shape, chunks and bytes. Each round reads both, in random order, with whichever HDF5 this
Python's h5py has: opening the file and its dataset, one trace, one snapshot. Everything is warm. The median of the rounds
is printed, and the range.
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import subprocess
import time
from pathlib import Path

import h5py
import numpy as np


def implicit(path: Path, shape: tuple[int, ...], chunk: tuple[int, ...]) -> float:
    """A dataset with an implicit index, all of it written. Returns the seconds of creating it."""
    start = time.perf_counter()
    with h5py.File(path, "w", libver="v110") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk(chunk)
        properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
        properties.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
        space = h5py.h5s.create_simple(shape)
        h5py.h5d.create(file.id, b"Data", h5py.h5t.NATIVE_DOUBLE, space, properties)
    seconds = time.perf_counter() - start
    with h5py.File(path, "r") as file:
        first = file["Data"].id.get_chunk_info_by_coord((0,) * len(shape)).byte_offset
    chunks = int(np.prod([-(-n // c) for n, c in zip(shape, chunk)]))
    block = bytes(8 << 20)
    left = chunks * int(np.prod(chunk)) * 8
    with path.open("r+b") as raw:
        raw.seek(first)
        while left > 0:
            left -= raw.write(block[: min(left, len(block))])
    return seconds


def times_of(path: Path, step: int, node: int) -> dict[str, float]:
    start = time.perf_counter()
    with h5py.File(path, "r") as file:
        dataset = file["Data"]
        opened = time.perf_counter()
        dataset[:, node]
        traced = time.perf_counter()
        dataset[step]
        done = time.perf_counter()
    return {"open": opened - start, "trace": traced - opened, "snapshot": done - traced}


def created_by_weft(weft: Path, path: Path, steps: int, nodes: int) -> float:
    """A series of chunks of 4 KiB. Returns the seconds of creating it, on one rank."""
    path.unlink(missing_ok=True)
    command = [str(weft), "run", "ecg", "--json", "--mesh", "none", "--sync", "none", "--target", "4KiB"]
    command += ["--nodes", str(nodes), "--steps", str(steps), "--out", str(path)]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return float(report["seconds_per_rank"]["open"]["max"])


def measured(chunks: int, arguments: argparse.Namespace) -> None:
    steps = max(4, round(2 * chunks**0.5))
    nodes = round(chunks * 4 / steps * 64)
    paths = {"tree": arguments.folder / "tree.h5", "implicit": arguments.folder / "implicit.h5"}
    creating = {"tree": created_by_weft(arguments.weft, paths["tree"], steps, nodes)}
    with h5py.File(paths["tree"], "r") as file:
        shape, chunk, data = file["Data"].shape, file["Data"].chunks, file["Data"].id.get_storage_size()
        number = file["Data"].id.get_num_chunks()
    creating["implicit"] = implicit(paths["implicit"], shape, chunk)
    rounds: dict[str, list[dict[str, float]]] = {name: [] for name in paths}
    for path in paths.values():
        times_of(path, 0, 0)
    for _ in range(arguments.rounds):
        for name in random.sample(list(paths), 2):
            rounds[name].append(times_of(paths[name], random.randrange(steps), random.randrange(nodes)))
    print(f"{number:,} chunks of {'x'.join(map(str, chunk))}, {data / 2**20:,.0f} MiB")
    for name, path in paths.items():
        beside = (path.stat().st_size - data) / 2**10
        line = f"  {name:9}create {1e3 * creating[name]:8.1f}  beside the data {beside:9,.0f} KiB"
        for what in ("open", "trace", "snapshot"):
            taken = sorted(1e3 * one[what] for one in rounds[name])
            line += f"  {what} {statistics.median(taken):7.2f} ({taken[0]:.2f} - {taken[-1]:.2f})"
        print(line, flush=True)
        path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", type=Path, default=Path("build/bin/weft"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--chunks", type=int, nargs="+", default=[1000, 10_000, 100_000, 1_000_000])
    arguments = parser.parse_args()
    print(f"HDF5 {h5py.version.hdf5_version}; milliseconds, median (range) of {arguments.rounds} rounds")
    for chunks in arguments.chunks:
        measured(chunks, arguments)


if __name__ == "__main__":
    main()
