#!/usr/bin/env python3
"""One way of keeping a series of steps, written and read in one process: a run of the campaign `peers`.

    benchmarks/peer.py --way h5py --variant 41x0x2 --nodes 400000 --steps 151 --reads 25 --out FILE --json

Prints seconds of writing all steps, the medians of reading a trace, a snapshot and a quarter of the nodes over all steps,
and the bytes on the disk. --way weft also rewrites a file in rows (weft repack); h5repack and cp do that alone. The
package that a way needs comes from the Python this is run with (scripts/install-peers).
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PYTHON = {name: HERE / f"peer_{name}.py" for name in ("h5py", "netcdf4", "zarr", "tensorstore", "raw")}
WAYS = ["weft", "adios2", *PYTHON, "h5repack", "cp"]


def medians(command: list[str]) -> dict[str, float]:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = (done.stderr.strip() or "no word of why").splitlines()[-1]
        sys.exit(f"peer: error: {Path(command[-5] if len(command) > 5 else command[0]).name}: {last}")
    return {event: statistics.median(seconds) for event, seconds in json.loads(done.stdout).items() if event != "store"}


def size_of(path: Path) -> int:
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    return sum(file.stat().st_blocks * 512 for file in files)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=WAYS, required=True)
    parser.add_argument("--variant", default="")
    parser.add_argument("--nodes", type=int, default=400_000)
    parser.add_argument("--steps", type=int, default=151)
    parser.add_argument("--reads", type=int, default=25, help="traces and snapshots; a fifth as many blocks")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--json", action="store_true", help="it prints nothing else")
    given = parser.parse_args()
    out, nodes, steps = str(given.out), str(given.nodes), str(given.steps)
    series = [out, nodes, steps, str(given.reads)]
    report: dict[str, float] = {}
    if given.way == "weft":
        report |= medians([str(HERE.parent / "build/bin/one_process"), *series])
    elif given.way == "adios2":
        report |= medians([sys.executable, str(HERE / "adios2_one_process.py"), *series])
    elif given.way in PYTHON:
        report |= medians([sys.executable, str(PYTHON[given.way]), *series, given.variant])
    if report:
        report["size"] = size_of(given.out)
    if given.way in ("weft", "h5repack", "cp"):
        rewritten = f"{out}.rewritten"
        report |= medians([sys.executable, str(HERE / "peer_rewriting.py"), rewritten, nodes, steps, given.way])
    print(json.dumps(report))


if __name__ == "__main__":
    main()
