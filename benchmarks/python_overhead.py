#!/usr/bin/env python3
"""What a trace costs from Python beyond what it costs from C++: the same file, traces of random nodes, in turn.

    .venv-python/bin/python benchmarks/python_overhead.py build-serial/bin/one_process FOLDER [--rounds 7]

Prints microseconds: the median trace of each round from C++ (benchmarks/one_process.cpp) and from Python, and the
median, least and greatest of their differences. Warm.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import time
from pathlib import Path

import numpy as np

import weft

NODES, STEPS, READS = 400_000, 151, 2000


def from_python(path: Path) -> float:
    with weft.open(path) as file:
        field = file["Data"]
        seconds = []
        for node in np.random.default_rng(1).integers(0, NODES, READS).tolist():
            began = time.perf_counter()
            field.trace(node)
            seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("one_process", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--rounds", type=int, default=7)
    given = parser.parse_args()
    file = given.folder / "overhead.h5"
    differences = []
    for _ in range(given.rounds):
        file.unlink(missing_ok=True)
        command = [str(given.one_process), str(file), str(NODES), str(STEPS), str(READS)]
        cpp = statistics.median(json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["trace"])
        python = from_python(file)
        differences.append(python - cpp)
        print(f"C++ {1e6 * cpp:.0f}  Python {1e6 * python:.0f}")
    file.unlink(missing_ok=True)
    least, most = min(differences), max(differences)
    print(f"Python beyond C++: {1e6 * statistics.median(differences):.0f} us ({1e6 * least:.0f} - {1e6 * most:.0f})")


if __name__ == "__main__":
    main()
