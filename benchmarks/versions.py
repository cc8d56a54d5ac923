#!/usr/bin/env python3
"""Two builds of weft side by side: what each command takes in one and in the other.

    benchmarks/versions.py --before OLD/build/bin/weft --after build/bin/weft --folder /data/scratch [--rounds 9]

Every round runs each command once with both, in random order, on warm files: those that the build before wrote. Whole
processes are timed, on one rank; the ratio is after / before within a round. Prints medians and spreads.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import time
from pathlib import Path

from measuring import ratios, spread

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def cases(folder: Path, nodes: int, steps: int) -> dict[str, list[str]]:
    """The arguments of each command; `OUT` is a file of its own."""
    size = ["--nodes", str(nodes), "--steps", str(steps)]
    wave = str(folder / "wave.h5")
    return {
        "run, owner": ["run", "ecg", *size, "--out", "OUT"],
        "run, cached": ["run", "ecg", *size, "--strategy", "cached", "--out", "OUT"],
        "run, maps": ["run", "ecg", *size, "--fields", "separate", "--reduce", "peak,activation_time", "--out", "OUT"],
        "info": ["info", wave],
        "read a trace": ["read", wave, "--field", "V", "--trace", str(nodes // 2)],
        "read a snapshot": ["read", wave, "--field", "V", "--snapshot", str(steps // 2), "--csv"],
        "reduce": ["reduce", wave, "--field", "V", "--quantity", "peak,apd_90,mean", "--out", "OUT"],
        "repack": ["repack", wave, "OUT", "--read", "snapshot=1,trace=4"],
        "repack, deflate": ["repack", wave, "OUT", "--filter", "shuffle+deflate:1"],
        "verify": ["verify", wave],
        "inspect": ["inspect", wave],
        "convert": ["convert", wave, "--to", "vtu", "--steps", "::40", "--out", "OUT"],
    }


def seconds(weft: Path, arguments: list[str], out: Path) -> float:
    subprocess.run(["rm", "-rf", str(out)], check=True)
    command = [str(weft), *(str(out) if word == "OUT" else word for word in arguments)]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True, help="the command of the one build")
    parser.add_argument("--after", type=Path, required=True, help="and of the other")
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--steps", type=int, default=151)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    made = ["run", "ecg", "--nodes", str(arguments.nodes), "--steps", str(arguments.steps), "--fields", "separate"]
    seconds(arguments.before, [*made, "--out", "OUT"], arguments.folder / "wave.h5")
    builds = {"before": arguments.before, "after": arguments.after}
    times: dict[str, dict[str, list[float]]] = {}
    for _ in range(arguments.rounds):
        todo = list(cases(arguments.folder, arguments.nodes, arguments.steps).items())
        random.shuffle(todo)
        for name, command in todo:
            for build in random.sample(list(builds), 2):
                taken = seconds(builds[build], command, arguments.folder / "out")
                times.setdefault(name, {}).setdefault(build, []).append(taken)
    print(f"{'command':<18}  {'before':<24}  {'after':<24}  after / before")
    for name, both in times.items():
        ratio = spread(ratios(both["after"], both["before"]), "x")
        print(f"{name:<18}  {spread(both['before']):<24}  {spread(both['after']):<24}  {ratio}")


if __name__ == "__main__":
    main()
