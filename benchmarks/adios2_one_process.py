"""ADIOS2 BP5 in one process: the partner of one_process.cpp. Usage: adios2_one_process.py FILE NODES STEPS READS

Needs the package adios2 (PyPI). Prints the same JSON: seconds of writing, and of each read, timed inside.
"""

import json
import random
import sys
import time

import adios2  # type: ignore
import numpy as np


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
    chance = random.Random(7)
    with adios2.FileReader(path) as reader:
        variable = reader.inquire_variable("Data")

        def timed(name: str, start: list[int], counts: list[int], first_step: int, step_count: int) -> np.ndarray:
            begin = time.perf_counter()
            variable.set_selection([start, counts])
            variable.set_step_selection([first_step, step_count])
            values = reader.read(variable)
            result.setdefault(name, []).append(time.perf_counter() - begin)
            return values

        for _ in range(reads):
            node = chance.randrange(nodes)
            values = timed("trace", [node, 0], [1, 2], 0, steps)
            assert values.ravel()[-1] == (2 * node + 1) + (steps - 1) * 1e-3
        for _ in range(reads):
            step = chance.randrange(steps)
            values = timed("snapshot", [0, 0], [nodes, 2], step, 1)
            assert values.ravel()[-1] == (2 * nodes - 1) + step * 1e-3
        for _ in range(max(1, reads // 5)):
            first = chance.randrange(nodes - nodes // 4)
            values = timed("block", [first, 0], [nodes // 4, 2], 0, steps)
            assert values.ravel()[0] == 2 * first
    print(json.dumps(result))


if __name__ == "__main__":
    main()
