#!/usr/bin/env python3
"""The reduction figure: maps of a 1 GB series against reading the file once (`cat FILE > /dev/null`), cold and warm.

    benchmarks/reducing.py --folder /data/scratch [--rounds 5] [--nodes 400000] [--ranks 2]

For every layout; the order is drawn anew in every round. Cold: the system's page cache is dropped before (as root). Two
figures for a reduction: the command's own time, from the agreement of the ranks on what to do to the maps in their file,
and that with starting the ranks (some 0.3 s of Open MPI's).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import time
from pathlib import Path

from measuring import ROOT, ratios, rounds, spread

WEFT = ROOT / "build/bin/weft"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def settle_cache(path: Path, cold: bool) -> None:
    if cold:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    else:
        read_once(path)


def read_once(path: Path) -> float:
    """As `cat` would, whose output nobody takes."""
    start = time.perf_counter()
    subprocess.run(["cat", str(path)], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def reduce_once(command: list[str]) -> tuple[float, float]:
    """The command's own seconds, and all of it."""
    start = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    return json.loads(done.stdout)["seconds"], time.perf_counter() - start


def compare(reduce: list[str], path: Path, maps: Path, cold: bool, count: int) -> str:
    own: list[float] = []
    whole: list[float] = []
    read: list[float] = []

    def reduction() -> None:
        maps.unlink(missing_ok=True)
        settle_cache(path, cold)
        seconds, all_of_it = reduce_once(reduce)
        own.append(seconds)
        whole.append(all_of_it)

    def reading() -> None:
        settle_cache(path, cold)
        read.append(read_once(path))

    rounds(count, {"reduce": reduction, "read": reading})
    return (
        f"reduce {spread(own)}, with starting {spread(whole)}, read {spread(read)}, "
        f"ratio {spread(ratios(own, read), '')}, with starting {spread(ratios(whole, read), '')}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=400_000)
    parser.add_argument("--ranks", default="2")
    arguments = parser.parse_args()
    path = arguments.folder / "weft-reduce.h5"
    launch = ["mpiexec.openmpi", "--oversubscribe", "-n", arguments.ranks, str(WEFT)]
    for layout in ("rows", "isotropic", "reads"):
        run = ["run", "ecg", "--mesh", "none", "--layout", layout]
        run += ["--nodes", str(arguments.nodes), "--steps", "151", "--out", str(path)]
        subprocess.run([str(WEFT), *run], check=True, capture_output=True, env=ENVIRONMENT)
        maps = arguments.folder / "weft-maps.h5"
        reduce = [*launch, "reduce", str(path), "--field", "V", "--out", str(maps), "--json"]
        for cold in (False, True):
            print(f"{layout:10} {'cold' if cold else 'warm'}  {compare(reduce, path, maps, cold, arguments.rounds)}")
        path.unlink()
    (arguments.folder / "weft-maps.h5").unlink()


if __name__ == "__main__":
    main()
