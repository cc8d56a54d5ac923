"""What `weft campaign` takes."""

from __future__ import annotations

import argparse
from pathlib import Path

from weft.arguments import Parser


def parser() -> Parser:
    top = Parser(prog="weft campaign", description="I/O experiments as a paper would do them: described in a file, in "
                 "random order, every result kept.")  # fmt: skip
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    run = commands.add_parser("run", help="do the experiments of a campaign's file", epilog="Example: weft campaign run "
                              "ecg-table-1 --out results --scale 0.01 && weft report results")  # fmt: skip
    add_wishes(run, launcher=True)
    run.add_argument(
        "--resume", action="store_true", help="go on with the experiments that have no result in --out yet"
    )
    run.add_argument("--retry-failed", action="store_true", help="with --resume: do those that failed once more")
    run.add_argument("--dry-run", action="store_true", help="only list the experiments, and how long they may take")
    commands.add_parser("list", help="the campaigns that come with Weft")
    batch = commands.add_parser(
        "sbatch",
        help="print a script for Slurm that runs a campaign",
        description="Prints a script that runs a campaign as one job, whose ranks srun starts. Behind -- come more options "
        "of sbatch's.",
        epilog="Example: weft campaign sbatch ecg-table-1 --out results -- --partition=short > job.sh",
    )
    add_wishes(batch, launcher=False)
    return top


def add_wishes(command: argparse.ArgumentParser, *, launcher: bool) -> None:
    """`launcher`: whether one may be named; a job's is srun."""
    command.add_argument("file", help="the campaign: a TOML file (docs/campaigns.md), or the name of a shipped one")
    command.add_argument("--out", type=Path, required=True, help="the folder of the results")
    wishes = command.add_argument_group("Instead of what the file says")
    wishes.add_argument("--scale", type=float, help="sizes, as a part of the paper's: 0.01")
    wishes.add_argument("--repeats", type=int, help="how often each setting is run")
    wishes.add_argument("--seed", type=int, help="of the order")
    wishes.add_argument("--pause", help="between runs: 2s, 2min")
    wishes.add_argument("--folder", action="append", metavar="[NAME=]PATH", help="where to write; several are compared")
    wishes.add_argument("--set", action="append", metavar="AXIS=A,B", help="an axis' values: ranks=2,4")
    if launcher:
        wishes.add_argument(
            "--launcher", help="how ranks are started: mpirun, srun, none, or words with {ranks} and {command}"
        )
    else:
        command.set_defaults(launcher="srun")
    # None where it is not said, as of the others, so that what was said before can stand.
    wishes.add_argument("--keep", action="store_true", default=None, help="leave the files of the runs where they are")
