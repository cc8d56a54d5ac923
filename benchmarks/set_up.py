#!/usr/bin/env python3
"""What a series costs before its first step and after its last, on many ranks and with many chunks.

    benchmarks/set_up.py --folder /data/scratch [--ranks 2,8,64,512] [--chunks 1e3,1e5,1e7] [--build build-mpich]

Counts and memory are what matters: on more ranks than cores the seconds are mostly waiting. The file is 10 TB long at
10^7 chunks, and nearly all of it a hole. Prints a line for each case; --json prints everything.
"""

from __future__ import annotations

import argparse
import json
import shlex
from pathlib import Path

from measuring import ROOT, run_json


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--ranks", default="2,8,32,128,512")
    parser.add_argument("--chunks", default="1e3,1e5,1e6,1e7", help="with 8 ranks; all rank counts have 1e5")
    parser.add_argument("--ownership", default="blocks,scatter")
    parser.add_argument("--build", type=Path, default=ROOT / "build-mpich")
    parser.add_argument("--mpiexec", default="mpiexec.mpich", help="the launcher, with its options")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    ranks = [int(word) for word in arguments.ranks.split(",")]
    chunks = [int(float(word)) for word in arguments.chunks.split(",")]
    cases = [(count, 100_000) for count in ranks] + [(8, count) for count in chunks if count != 100_000]
    path = arguments.folder / "set-up.h5"
    arguments.folder.mkdir(parents=True, exist_ok=True)
    everything = []
    for ownership in arguments.ownership.split(","):
        if not arguments.json:
            print(f"{ownership}\n{'ranks':>6}{'chunks':>11}{'create':>10}{'append':>10}{'close':>10}", end="")
            print(f"{'calls':>7}{'sent':>11}{'memory':>10}{'ownership':>11}")
        for count, room in cases:
            words = [*shlex.split(arguments.mpiexec), "-n", str(count), str(arguments.build / "bin" / "set_up")]
            got = run_json([*words, str(path), str(room), ownership])
            everything.append({"ownership": ownership, **got})
            if arguments.json:
                continue
            create = got["create"]
            line = f"{count:6}{room:11,}"
            for phase in ("create", "append", "close"):
                line += f"{got[phase]['seconds']:8.3f} s"
            line += f"{create['collective'] + create['all_to_all']:7}{create['sent_bytes'] / 1e3:8.1f} kB"
            grown = got["append"]["peak_bytes"] - got["with_ownership_bytes"]
            owned = got["with_ownership_bytes"] - got["before_bytes"]
            print(f"{line}{grown / 2**20:6.1f} MiB{owned / 2**20:7.1f} MiB", flush=True)
    if arguments.json:
        print(json.dumps(everything, indent=1))


if __name__ == "__main__":
    main()
