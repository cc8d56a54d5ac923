#!/usr/bin/env python3
"""The reduction figure: maps of a 1 GB series against reading the file once (`cat FILE > /dev/null`), cold and warm.

    benchmarks/reducing.py --folder /data/scratch [--rounds 5] [--nodes 400000] [--ranks 2]

For every layout; the order is drawn anew in every round. Cold: the system's page cache is dropped before (as root).
"""

from __future__ import annotations

import argparse
import os
import subprocess
import time
from pathlib import Path

from measuring import ROOT, ratios, rounds, spread

WEFT = ROOT / "build/bin/weft"
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def timed(command: list[str], cold: bool) -> float:
    if cold:
        os.sync()
        Path("/proc/sys/vm/drop_caches").write_text("3")
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=ENVIRONMENT)
    return time.perf_counter() - start


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
        reduce = [*launch, "reduce", str(path), "--field", "Data:V", "--out", str(arguments.folder / "weft-maps.h5")]
        for cold in (False, True):
            took: dict[str, list[float]] = {"reduce": [], "read": []}
            rounds(
                arguments.rounds,
                {
                    "reduce": lambda cold=cold, took=took, reduce=reduce: took["reduce"].append(timed(reduce, cold)),
                    "read": lambda cold=cold, took=took: took["read"].append(timed(["cat", str(path)], cold)),
                },
            )
            print(
                f"{layout:10} {'cold' if cold else 'warm'}  reduce {spread(took['reduce'])}, "
                f"read {spread(took['read'])}, ratio {spread(ratios(took['reduce'], took['read']), '')}"
            )
        path.unlink()
    (arguments.folder / "weft-maps.h5").unlink()


if __name__ == "__main__":
    main()
