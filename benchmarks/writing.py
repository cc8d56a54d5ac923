#!/usr/bin/env python3
"""The write figure: 151 steps of 3,253,316 nodes x 2 doubles on 2 ranks, against raw writes and against `cached`.

    benchmarks/writing.py --folder /data/scratch [--rounds 5] [--nodes N] [--mpiexec mpiexec] [--weft build/bin/weft]

Each round runs every case once, in random order, each with the raw yardstick beside it. The folder needs room for two
files (16 GB at full size). Prints medians and spreads; --json prints everything.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
from pathlib import Path

from measuring import ROOT, ratios, rounds, run_json, settle, spread


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=3_253_316)
    parser.add_argument("--steps", type=int, default=151)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--budget", default="256MiB", help="memory a rank may use for windows and maps")
    parser.add_argument("--mpiexec", default="mpiexec.openmpi --oversubscribe", help="the launcher, with its options")
    parser.add_argument("--weft", type=Path, default=ROOT / "build/bin/weft")
    parser.add_argument("--cases", default="owner,cached,compute", help="of owner, cached, per-step, compute, maps")
    parser.add_argument("--no-yardstick", action="store_true", help="do not write the same bytes raw beside `owner`")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    out = arguments.folder / "weft-bench.h5"
    reports: dict[str, list[dict]] = {}

    def run(name: str, *extra: str) -> None:
        settle(arguments.folder)
        command = [*shlex.split(arguments.mpiexec), "-n", str(arguments.ranks), str(arguments.weft), "run", "ecg"]
        command += ["--nodes", str(arguments.nodes), "--steps", str(arguments.steps), "--mesh", "none"]
        command += ["--budget", arguments.budget, "--out", str(out), "--json"]
        reports.setdefault(name, []).append(run_json([*command, *extra]))
        out.unlink()

    def overlapped() -> None:
        # Computing as long as flushing takes, so that the two should hide each other.
        before = reports.get("owner", []) + reports.get("compute", [])
        flush = statistics.median(report["seconds"]["flush"] for report in before) if before else 5.0
        run("compute", "--strategy", "owner", "--compute", f"{1000 * flush / arguments.steps:.3f}")

    yardstick = [] if arguments.no_yardstick else ["--yardstick"]
    known = {
        "owner": lambda: run("owner", "--strategy", "owner", "--layout", "reads", *yardstick),
        "cached": lambda: run("cached", "--strategy", "cached", "--layout", "isotropic"),
        "per-step": lambda: run("per-step", "--strategy", "per-step", "--layout", "rows"),
        "compute": overlapped,
        # What maps finished in passing cost: against `owner`, round by round.
        "maps": lambda: run("maps", "--strategy", "owner", "--reduce", "activation_time,peak,apd_90"),
    }
    rounds(arguments.rounds, {name: known[name] for name in arguments.cases.split(",")})

    if arguments.json:
        print(json.dumps(reports, indent=1))
        return
    seconds = {name: [report["seconds"] for report in reports[name]] for name in reports}
    for name, values in seconds.items():
        print(f"{name:9} output {spread([s['output'] for s in values]):28} run {spread([s['run'] for s in values])}")
    if "owner" in seconds:
        output = [s["output"] for s in seconds["owner"]]
        if yardstick:
            raw = [s["raw"] for s in seconds["owner"]]
            print(f"raw yardstick    {spread(raw)}")
            print(f"owner / raw      {spread(ratios(output, raw), '')}")
        peak = max(report["peak_rss_bytes"] for report in reports["owner"]) / 2**20
        print(
            f"owner peak       {peak:.0f} MiB a rank, of it {arguments.nodes * 16 / arguments.ranks / 2**20:.0f} the application's step"
        )
        if "cached" in seconds:
            print(f"owner / cached   {spread(ratios(output, [s['output'] for s in seconds['cached']]), '')}")
    if "maps" in seconds and "owner" in seconds:
        spent = [s["reduction"]["seconds"] for s in reports["maps"]]
        print(f"maps / owner     {spread(ratios([s['output'] for s in seconds['maps']], output), '')}")
        print(
            f"maps: in passing {spread([s['watching'] for s in spent])}, at the end {spread([s['finishing'] for s in spent])}, "
            f"nodes from the file {max(s['reduction']['nodes_from_file'] for s in reports['maps'])}, "
            f"peak {max(s['peak_rss_bytes'] for s in reports['maps']) / 2**20:.0f} MiB a rank"
        )
    if "compute" in seconds:
        computing = [s["compute"] + s["source"] for s in seconds["compute"]]
        flushing = [s["flush"] for s in seconds["compute"]]
        longer = [max(pair) for pair in zip(computing, flushing, strict=True)]
        print(
            f"computing {spread(computing)}, flushing {spread(flushing)}, the run {spread([s['run'] for s in seconds['compute']])}"
        )
        print(f"run / the longer of the two   {spread(ratios([s['run'] for s in seconds['compute']], longer), '')}")


if __name__ == "__main__":
    main()
