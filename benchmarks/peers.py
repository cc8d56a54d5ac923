#!/usr/bin/env python3
"""The read figure: writing, one trace, one snapshot and a 25 % block of nodes, Weft against ADIOS2 BP5, one process each.

    benchmarks/peers.py --folder /data/scratch --adios2-python venv/bin/python [--rounds 5] [--nodes 400000]

Same values, warm, in random order; 0.97 GB at the default size. `venv/bin/python` is a Python with the package adios2.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
from pathlib import Path

from measuring import ROOT, rounds, run_json, settle, spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--adios2-python", required=True, help="a Python that can import adios2")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=400_000)
    parser.add_argument("--steps", type=int, default=151)
    parser.add_argument("--reads", type=int, default=25, help="traces and snapshots a round; a fifth as many blocks")
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/one_process")
    arguments = parser.parse_args()
    sizes = [str(arguments.nodes), str(arguments.steps), str(arguments.reads)]
    medians: dict[str, dict[str, list[float]]] = {"weft": {}, "adios2": {}}

    def run(name: str, command: list[str], out: Path) -> None:
        settle(arguments.folder)
        result = run_json([*command, str(out), *sizes])
        for event in ("write", "trace", "snapshot", "block"):
            medians[name].setdefault(event, []).append(statistics.median(result[event]))
        shutil.rmtree(out) if out.is_dir() else out.unlink()

    script = str(ROOT / "benchmarks/adios2_one_process.py")
    rounds(
        arguments.rounds,
        {
            "weft": lambda: run("weft", [str(arguments.program)], arguments.folder / "bench.h5"),
            "adios2": lambda: run("adios2", [arguments.adios2_python, script], arguments.folder / "bench.bp"),
        },
    )
    print(f"{'':9} {'Weft':>30} {'ADIOS2 BP5':>30}   Weft / ADIOS2 (medians)")
    for event in ("write", "trace", "snapshot", "block"):
        weft, adios2 = medians["weft"][event], medians["adios2"][event]
        ratio = statistics.median(weft) / statistics.median(adios2)
        print(f"{event:9} {spread(weft, 'ms', 1e3):>30} {spread(adios2, 'ms', 1e3):>30}   {ratio:.2f}")


if __name__ == "__main__":
    main()
