"""ADIOS2 BP5 in one process: the partner of one_process.cpp. Usage: adios2_one_process.py FILE NODES STEPS READS

Needs the package adios2 (PyPI). Prints the same JSON: seconds of writing, and of each read, timed inside.
"""

import json
import random
import sys
import time
from pathlib import Path

import adios2  # type: ignore
import numpy as np
from peer_program import read_each_way


def write_all(path: str, nodes: int, steps: int) -> float:
    values = np.empty((nodes, 2))
    index = np.arange(2 * nodes, dtype=float).reshape(nodes, 2)
    adios = adios2.Adios()
    io = adios.declare_io("write")
    io.set_engine("BP5")
    seconds = 0.0
    start = time.perf_counter()
    variable = io.define_variable("Data", values, [nodes, 2], [0, 0], [nodes, 2])
    stamp = io.define_variable("time", np.zeros(1))
    engine = io.open(path, adios2.bindings.Mode.Write)
    seconds += time.perf_counter() - start
    for step in range(steps):
        np.add(index, step * 1e-3, out=values)
        start = time.perf_counter()
        engine.begin_step()
        engine.put(variable, values)
        engine.put(stamp, np.array([float(step)]))
        engine.end_step()
        seconds += time.perf_counter() - start
    start = time.perf_counter()
    engine.close()
    return seconds + time.perf_counter() - start


def main() -> None:
    path, nodes, steps, reads = sys.argv[1], *map(int, sys.argv[2:5])
    result: dict[str, list[float]] = {"write": [write_all(path, nodes, steps)]}
    for _ in range(reads):
        begin = time.perf_counter()
        adios2.FileReader(path).close()
        result.setdefault("open", []).append(time.perf_counter() - begin)
    chance = random.Random(7)
    with adios2.FileReader(path) as reader:
        variable = reader.inquire_variable("Data")

        def timed(start: list[int], counts: list[int], steps_read: list[int]) -> tuple[float, np.ndarray]:
            begin = time.perf_counter()
            variable.set_selection([start, counts])
            variable.set_step_selection(steps_read)
            values = reader.read(variable)
            return time.perf_counter() - begin, values.ravel()

        def trace() -> float:
            node = chance.randrange(nodes)
            seconds, values = timed([node, 0], [1, 2], [0, steps])
            assert values[-1] == (2 * node + 1) + (steps - 1) * 1e-3
            return seconds

        def snapshot() -> float:
            step = chance.randrange(steps)
            seconds, values = timed([0, 0], [nodes, 2], [step, 1])
            assert values[-1] == (2 * nodes - 1) + step * 1e-3
            return seconds

        def block() -> float:
            first = chance.randrange(nodes - nodes // 4)
            seconds, values = timed([first, 0], [nodes // 4, 2], [0, steps])
            assert values[0] == 2 * first
            return seconds

        result |= read_each_way({"trace": trace, "snapshot": snapshot, "block": block}, reads, Path(path))
    print(json.dumps(result))


if __name__ == "__main__":
    main()
