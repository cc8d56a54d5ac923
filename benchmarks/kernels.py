#!/usr/bin/env python3
"""The kernels' figures: an application's original output against better ones, the same files, in one run.

    benchmarks/kernels.py --folder /data/scratch [--rounds 5] [--only awp,blast,picmss,mhm] [--json]

Every strategy once a round, in an order drawn anew for each round; a ratio is one of two runs of the same round. Warm,
small enough for two cores. awp is run with MPICH, whose MPI-IO is ROMIO, and with Open MPI, whose own is OMPIO: build both
(`cmake --build --preset mpich --target weft`). Prints median, least and greatest.
"""

from __future__ import annotations

import argparse
import json
import shutil
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from measuring import ROOT, ratios, rounds, run_json, settle, spread

OPEN_MPI = ["mpiexec.openmpi", "--oversubscribe", "--bind-to", "none"]
MPICH = ["mpiexec.mpich"]


@dataclass
class Case:
    """A run of `weft run`, and what its reports said."""

    name: str
    command: list[str]
    reports: list[dict[str, Any]] = field(default_factory=list)

    def seconds(self, part: str = "output") -> list[float]:
        return [report["seconds"][part] for report in self.reports]

    def calls(self) -> str:
        app = self.reports[0]["counters"]["app"]
        return f"{app['opens']:,} opens, {app['writes']:,} writes, {app['seeks']:,} seeks"


def run_once(case: Case, folder: Path) -> None:
    out = folder / "weft-kernel"
    shutil.rmtree(out, ignore_errors=True)
    settle(folder)
    case.reports.append(run_json([*case.command, "--out", str(out), "--json"]))
    shutil.rmtree(out)


def compared(title: str, cases: list[Case], arguments: argparse.Namespace, parts: tuple[str, ...] = ()) -> None:
    """The first case is the original. Ratios: how many times longer it takes."""
    rounds(arguments.rounds, {case.name: partial(run_once, case, arguments.folder) for case in cases})
    print(f"\n{title}")
    first = cases[0]
    for case in cases:
        planned = all(report["as_planned"] for report in case.reports)
        line = f"  {case.name:26} {spread(case.seconds()):34}"
        line += f"original / this {spread(ratios(first.seconds(), case.seconds()), ''):26} {case.calls()}"
        print(line + ("" if planned else "  NOT AS PLANNED"))
        for part in parts:
            times = case.seconds(part)
            if max(times) > 0:
                pace = spread(ratios(first.seconds(part), times), "")
                print(f"    {part:24} {spread(times):34}original / this {pace}")
    arguments.results[title] = {case.name: case.reports for case in cases}


def awp(arguments: argparse.Namespace) -> None:
    for name, launch, build in (("MPICH, ROMIO", MPICH, "build-mpich"), ("Open MPI, OMPIO", OPEN_MPI, "build")):
        weft = ROOT / build / "bin/weft"
        if not weft.exists():
            print(f"\nawp with {name}: {build}/bin/weft is not built, left out")
            continue
        run = [*launch, "-n", "2", str(weft), "run", "awp", "--grid", arguments.awp_grid, "--strategy"]
        cases = [Case(strategy, [*run, strategy]) for strategy in ("hindexed", "hindexed-rows", "subarray", "series")]
        compared(f"awp, 2 ranks, {name}: --grid {arguments.awp_grid}", cases, arguments, ("build", "write"))


def picmss(arguments: argparse.Namespace) -> None:
    run = [
        *OPEN_MPI,
        "-n",
        "2",
        arguments.weft,
        "run",
        "picmss",
        "--grid",
        arguments.picmss_grid,
        "--steps",
        "3",
        "--strategy",
    ]
    strategies = ("reopen-elementwise", "typed", "typed-collective", "series")
    cases = [Case(strategy, [*run, strategy]) for strategy in strategies]
    compared(f"picmss, 2 ranks: --grid {arguments.picmss_grid} --steps 3", cases, arguments, ("open", "write"))


def blast(arguments: argparse.Namespace) -> None:
    run = [*OPEN_MPI, "-n", "3", arguments.weft, "run", "blast", "--tasks", arguments.blast_tasks, "--strategy"]
    cases = [Case(strategy, [*run, strategy]) for strategy in ("immediate", "two-stage")]
    compared(f"blast, 3 ranks: --tasks {arguments.blast_tasks}", cases, arguments, ("compress", "write"))


def mhm(arguments: argparse.Namespace) -> None:
    size = ["--ccross", arguments.mhm_ccross, "--sub-elements", "128"]
    run = [*OPEN_MPI, "-n", "2", arguments.weft, "run", "mhm", *size, "--strategy"]
    cases = [Case("files", [*run, "files"]), Case("files, --format fast", [*run, "files", "--format", "fast"])]
    for buffer in ("128KiB", "512KiB", "2MiB"):
        cases.append(Case(f"files-buffered {buffer}", [*run, "files-buffered", "--buffer", buffer]))
    for strategy in ("shared", "shared-buffered", "shared-collective", "shared-aligned", "series"):
        cases.append(Case(strategy, [*run, strategy]))
    compared(f"mhm, 2 ranks: {' '.join(size)}", cases, arguments, ("open", "write", "close"))


KERNELS = {"awp": awp, "picmss": picmss, "blast": blast, "mhm": mhm}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default=",".join(KERNELS), help="which kernels, joined by commas")
    parser.add_argument("--weft", default=str(ROOT / "build/bin/weft"), help="the command, built with Open MPI")
    parser.add_argument("--awp-grid", default="404x250x212")
    parser.add_argument("--picmss-grid", default="64x64x64")
    parser.add_argument("--blast-tasks", default="400")
    parser.add_argument("--mhm-ccross", default="5")
    parser.add_argument("--json", type=Path, help="also write every report to this file")
    arguments = parser.parse_args()
    arguments.results = {}
    for name in arguments.only.split(","):
        KERNELS[name](arguments)
    if arguments.json:
        arguments.json.write_text(json.dumps(arguments.results, indent=2))


if __name__ == "__main__":
    main()
