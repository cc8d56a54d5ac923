#!/usr/bin/env python3
"""The repack figure: 1 GB of doubles (151, 400000, 2) from rows to Weft's layout, against cp and against h5repack.

    benchmarks/repacking.py --folder /data/scratch [--rounds 5] [--nodes N] [--weft build/bin/weft]

Two pairs, each from and to the same layouts: unfiltered, and shuffle+deflate:6 on both sides. Each round runs every case
once, in random order, from a warm file. Values of a noisy wave, so that they are compressed no better than a
simulation's. The folder needs room for four files (3 GB). Prints medians and spreads; --json prints everything.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

from measuring import ROOT, ratios, rounds, settle, spread

STEPS = 151


def make(weft: Path, path: Path, nodes: int) -> None:
    """Rows in chunks of (41, N, 2), as the paper's default; the synthetic wave is noise in its last bits already."""
    subprocess.run(
        [str(weft), "run", "ecg", "--nodes", str(nodes), "--steps", str(STEPS), "--fields", "joint", "--layout", "rows",
         "--strategy", "per-step", "--mesh", "none", "--out", str(path)],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=400_000)
    parser.add_argument("--weft", type=Path, default=ROOT / "build/bin/weft")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    folder = arguments.folder
    plain, coded, out = (folder / f"weft-repack-{name}.h5" for name in ("plain", "coded", "out"))
    make(arguments.weft, plain, arguments.nodes)
    rows = f"Data:CHUNK=1x{arguments.nodes}x2"
    subprocess.run(["h5repack", "-f", "Data:SHUF", "-f", "Data:GZIP=6", "-l", rows, str(plain), str(coded)], check=True)
    planned = subprocess.run([str(arguments.weft), "repack", str(plain), "--plan", "--json"],
                             check=True, stdout=subprocess.PIPE)  # fmt: skip
    chunk = "x".join(map(str, json.loads(planned.stdout)["datasets"][0]["new_chunk"]))
    reports: dict[str, list[float]] = {}

    def run(name: str, *command: str) -> None:
        out.unlink(missing_ok=True)
        settle(folder)
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        reports.setdefault(name, []).append(time.perf_counter() - start)

    weft = [
        str(arguments.weft),
        "repack",
        "--dataset",
        "Data",
        *(["--jobs", str(arguments.jobs)] if arguments.jobs else []),
    ]
    cases = {
        "cp": lambda: run("cp", "cp", "--reflink=never", str(plain), str(out)),
        "weft": lambda: run("weft", *weft, str(plain), str(out)),
        "h5repack": lambda: run("h5repack", "h5repack", "-l", f"Data:CHUNK={chunk}", str(plain), str(out)),
        "weft, coded": lambda: run("weft, coded", *weft, str(coded), str(out)),
        "h5repack, coded": lambda: run(
            "h5repack, coded", "h5repack", "-l", f"Data:CHUNK={chunk}", str(coded), str(out)
        ),
    }
    rounds(arguments.rounds, cases)
    for path in (plain, coded, out):
        path.unlink(missing_ok=True)

    if arguments.json:
        print(json.dumps(reports, indent=1))
        return
    for name, seconds in reports.items():
        print(f"{name:16} {spread(seconds)}")
    print(f"weft / cp                       {spread(ratios(reports['weft'], reports['cp']), '')}")
    print(f"h5repack / weft                 {spread(ratios(reports['h5repack'], reports['weft']), '')}")
    print(f"h5repack / weft, shuffle+deflate {spread(ratios(reports['h5repack, coded'], reports['weft, coded']), '')}")


if __name__ == "__main__":
    main()
