"""What `weft campaign` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from weft.arguments import Parser


def parser() -> Parser:
    top = Parser(prog="weft campaign", description="Run I/O experiments as for a paper: described in a file, in "
                 "random order, with every result kept.")  # fmt: skip
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    run = commands.add_parser("run", help="run the experiments of a campaign", epilog="Example: weft campaign run "
                              "ecg-table-1 --out results --scale 0.01 && weft report results")  # fmt: skip
    add_wishes(run, launcher=True)
    run.add_argument("--resume", action="store_true", help="run only the experiments that have no result in --out yet")
    run.add_argument("--retry-failed", action="store_true", help="with --resume: run failed experiments again")
    run.add_argument("--dry-run", action="store_true", help="only list the experiments and estimate their time")
    commands.add_parser("list", help="list the campaigns that come with Weft")
    batch = commands.add_parser(
        "sbatch",
        help="print a script for Slurm that runs a campaign",
        description="Print a script that runs a campaign as one job; srun starts the ranks. Options after -- are options "
        "of sbatch.",
        epilog="Example: weft campaign sbatch ecg-table-1 --out results -- --partition=short > job.sh",
    )
    add_wishes(batch, launcher=False)
    return top


def add_wishes(command: argparse.ArgumentParser, *, launcher: bool) -> None:
    """`launcher`: whether one may be named; a job's is srun."""
    command.add_argument("file", help="the campaign: a TOML file (docs/campaigns.md), or the name of a shipped one")
    command.add_argument("--out", type=Path, required=True, help="the folder of the results")
    wishes = command.add_argument_group("Settings that override the file")
    wishes.add_argument("--scale", type=float, help="the fraction of the paper's sizes: 0.01")
    wishes.add_argument("--repeats", type=int, help="the number of runs of each setting")
    wishes.add_argument("--seed", type=int, help="the seed of the random order")
    wishes.add_argument("--pause", help="the pause between runs: 2s, 2min")
    wishes.add_argument(
        "--folder", action="append", metavar="[NAME=]PATH", help="where the runs write; may be repeated"
    )
    wishes.add_argument("--set", action="append", metavar="AXIS=A,B", help="the values of an axis: ranks=2,4")
    if launcher:
        wishes.add_argument(
            "--launcher", help="the launcher of the ranks: mpirun, srun, none, or a command with {ranks} and {command}"
        )
    else:
        command.set_defaults(launcher="srun")
    # None where it is not said, as of the others, so that what was said before can stand.
    wishes.add_argument("--keep", action="store_true", default=None, help="keep the files of the runs")
