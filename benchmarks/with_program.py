"""A program that nobody changes, with and without `weft with`: paper 1's writer (tests/with/step_writer.cpp).

    python3 benchmarks/with_program.py --build build --folder /mnt/pfs/scratch --nodes 40011 --rounds 3

Every round runs all cases in random order. Cases are the program's own layout (rows: a chunk is a step; isotropic: by
paper 1's algorithm) times the way it runs: alone, watched, gathered, laid out and gathered. The seconds are those that
the program spends in its output, closing included; afterwards h5py reads 5 traces of each file, one at a time, opening
included, of a file that is not in the page cache. A ratio is of one round; the median and the range of the rounds are printed.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from measuring import ratios, rounds, run_json, settle, spread

# As of a file that memory does not hold: before each trace, what the page cache has of it is dropped.
TRACES = """
import json, os, random, sys, time
import h5py
seconds, total = 0.0, 0.0
for node in random.Random(7).sample(range(int(sys.argv[2])), 5):
    with open(sys.argv[1], "rb") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    begin = time.perf_counter()
    with h5py.File(sys.argv[1]) as file:
        total += float(file["Data"][:, node, :].sum())
    seconds += time.perf_counter() - begin
print(json.dumps({"seconds": seconds / 5, "total": total}))
"""
WAYS: dict[str, list[str]] = {
    "alone": [],
    "--watch": ["--watch"],
    "--write-behind": ["--write-behind"],
    "--layout reads --write-behind": ["--layout", "reads", "--write-behind"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=40011)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--layouts", default="rows,isotropic", help="rows (always first), isotropic")
    parser.add_argument("--striped", action="store_true", help="each variable by a call of its own")
    parser.add_argument("--mpiexec", default="mpiexec --oversubscribe --bind-to none")
    arguments = parser.parse_args()
    weft = str(arguments.build / "bin" / "weft")
    shape = f"{arguments.steps}x{arguments.nodes}x2"
    isotropic = run_json([weft, "layout", shape, "--algorithm", "isotropic", "--target", "128KiB", "--json"])["chunk"]
    chunks = {"rows": [1, 0, 0], "isotropic": isotropic}
    arguments.folder.mkdir(parents=True, exist_ok=True)

    output: dict[str, list[float]] = {}
    traces: dict[str, list[float]] = {}
    totals = set()

    def case(layout: str, way: str) -> None:
        path = arguments.folder / "steps.h5"
        path.unlink(missing_ok=True)
        settle(arguments.folder)
        words = [*arguments.mpiexec.split(), "-n", str(arguments.ranks), str(arguments.build / "tests" / "step_writer")]
        words += [str(path), "--nodes", str(arguments.nodes), "--steps", str(arguments.steps)]
        words += ["--chunk", *map(str, chunks[layout]), *(["--striped"] if arguments.striped else [])]
        steps = ["--steps", str(arguments.steps)] if "--layout" in WAYS[way] else []
        before = [weft, "with", *WAYS[way], *steps] if WAYS[way] else []
        name = f"{layout}, {way}"
        output.setdefault(name, []).append(run_json([*before, *words])["output_seconds"])
        settle(arguments.folder)
        read = run_json([sys.executable, "-c", TRACES, str(path), str(arguments.nodes)])
        traces.setdefault(name, []).append(read["seconds"])
        totals.add(read["total"])

    rounds(
        arguments.rounds,
        {
            f"{lay}, {way}": (lambda lay=lay, way=way: case(lay, way))
            for lay in arguments.layouts.split(",")
            for way in WAYS
        },
    )
    assert len(totals) == 1, "every file holds the same"
    print(f"{shape} doubles, {arguments.ranks} ranks; isotropic: chunks of {'x'.join(map(str, isotropic))}")
    for name, seconds in output.items():
        layout = name.split(",")[0]
        alone = f"{layout}, alone"
        line = f"{name:42} output {spread(seconds)}"
        line += f", alone / it {spread(ratios(output[alone], seconds), '')}"
        line += f"; a trace {spread(traces[name])}"
        if "rows, alone" in traces:
            line += f", of rows / it {spread(ratios(traces['rows, alone'], traces[name]), '')}"
        print(line)
    print(json.dumps({"output": output, "traces": traces}))


main()
