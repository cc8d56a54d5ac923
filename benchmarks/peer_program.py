"""What the peers in Python have in common: write a series, then read traces, snapshots and blocks, each timed inside.

Partners of one_process.cpp: same values, same order of events, same JSON. A peer is two functions: `create`, which
returns an object with put(step, values) and close(), and `open_it`, which returns one with trace(node), snapshot(step)
and block(first, count); whatever they return is checked. Called as NAME.py FILE NODES STEPS READS [VARIANT].

The reads are done warm, and a fifth as often with the file out of the page cache before each: `cold_trace` and so on.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from page_cache import leave_page_cache

Values: TypeAlias = NDArray[np.float64]


class Writer(Protocol):
    def put(self, step: int, values: Values) -> None: ...
    def close(self) -> None: ...


class Reader(Protocol):
    """Steps first: (steps, 2), (nodes, 2), (steps, count, 2)."""

    def trace(self, node: int) -> Any: ...
    def snapshot(self, step: int) -> Any: ...
    def block(self, first: int, count: int) -> Any: ...


Create = Callable[[str, int, int, str], Writer]  # file, nodes, steps, variant
Open = Callable[[str, int, int, str], Reader]


def value(step: int, node: int, component: int) -> float:
    return (2 * node + component) + step * 1e-3


def write_all(create: Create, path: str, nodes: int, steps: int, variant: str) -> float:
    """Seconds in the peer alone: making the values is not timed."""
    index = np.arange(2 * nodes, dtype=np.float64).reshape(nodes, 2)
    values = np.empty_like(index)
    start = time.perf_counter()
    writer = create(path, nodes, steps, variant)
    seconds = time.perf_counter() - start
    for step in range(steps):
        np.add(index, step * 1e-3, out=values)
        start = time.perf_counter()
        writer.put(step, values)
        seconds += time.perf_counter() - start
    start = time.perf_counter()
    writer.close()
    return seconds + time.perf_counter() - start


def timed(read: Callable[[], Any], first: float, last: float) -> float:
    start = time.perf_counter()
    values = np.asarray(read())
    seconds = time.perf_counter() - start
    flat = values.ravel()
    if flat[0] != first or flat[-1] != last:
        sys.exit(f"error: read {flat[0]} .. {flat[-1]}, not {first} .. {last}")
    return seconds


def read_each_way(kinds: dict[str, Callable[[], float]], reads: int, path: Path) -> dict[str, list[float]]:
    """Seconds of `reads` traces and snapshots and of a fifth as many blocks, and of as few of each that are cold."""
    few = max(1, reads // 5)
    result = {name: [read() for _ in range(few if name == "block" else reads)] for name, read in kinds.items()}

    def cold(read: Callable[[], float]) -> float:
        leave_page_cache(path)
        return read()

    return result | {f"cold_{name}": [cold(read) for _ in range(few)] for name, read in kinds.items()}


def run(create: Create, open_it: Open) -> None:
    path, nodes, steps, reads = sys.argv[1], *map(int, sys.argv[2:5])
    variant = sys.argv[5] if len(sys.argv) > 5 else ""
    result = {"write": [write_all(create, path, nodes, steps, variant)]}
    reader = open_it(path, nodes, steps, variant)
    chance = random.Random(7)
    last, part = steps - 1, nodes // 4

    def trace() -> float:
        node = chance.randrange(nodes)
        return timed(lambda: reader.trace(node), value(0, node, 0), value(last, node, 1))

    def snapshot() -> float:
        step = chance.randrange(steps)
        return timed(lambda: reader.snapshot(step), value(step, 0, 0), value(step, nodes - 1, 1))

    def block() -> float:
        first = chance.randrange(nodes - part)
        return timed(lambda: reader.block(first, part), value(0, first, 0), value(last, first + part - 1, 1))

    result |= read_each_way({"trace": trace, "snapshot": snapshot, "block": block}, reads, Path(path))
    print(json.dumps(result))
