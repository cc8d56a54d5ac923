"""weft-campaign: run, list and sbatch; found as `weft campaign`."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from rich.console import Console

from weft.campaign.campaign_file import Overrides, read_campaign_file
from weft.campaign.commands import command_of, find_weft, shown_command
from weft.campaign.estimate import Estimate
from weft.campaign.experiments import Experiment, experiments_of, in_random_order
from weft.campaign.matrix_section import AxisWish
from weft.campaign.model import Setting
from weft.campaign.preparation import Prepared, prepare
from weft.campaign.progress import Lines, LiveTable, shown_axes
from weft.campaign.rehearsal import kernels_of
from weft.campaign.results import FILE_NAME, Results, ResultsFile, read_results
from weft.campaign.runner import Tally, remaining, run_campaign
from weft.campaign.sbatch import sbatch_script
from weft.campaign.shipped import campaign_named, shipped
from weft.errors import UsageError, WeftError, ending_with_a_line
from weft.quantities import parse_seconds

CAMPAIGN_COPY = "campaign.toml"
WISHES = "resume.json"  # what the command line said, so that --resume need not say it again
FOLDED = ("scale", "repeats", "seed", "pause", "launcher", "keep", "folder", "set")


class Parser(argparse.ArgumentParser):
    """Mistakes end as those of `weft` do: one line, exit code 2."""

    def error(self, message: str) -> NoReturn:
        raise UsageError("", f"{message}; see {self.prog} --help")


def parser() -> Parser:
    top = Parser(prog="weft campaign", description="I/O experiments as a paper would do them: described in a file, in "
                 "random order, every result kept.")  # fmt: skip
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    run = commands.add_parser("run", help="do the experiments of a campaign's file", epilog="Example: weft campaign run "
                              "ecg-table-1 --out results --scale 0.01 && weft report results")  # fmt: skip
    _add_wishes(run)
    run.add_argument(
        "--resume", action="store_true", help="go on with the experiments that have no result in --out yet"
    )
    run.add_argument("--retry-failed", action="store_true", help="with --resume: do those that failed once more")
    run.add_argument("--dry-run", action="store_true", help="only list the experiments, and how long they may take")
    commands.add_parser("list", help="the campaigns that come with Weft")
    batch = commands.add_parser(
        "sbatch",
        help="print a script for Slurm that runs a campaign",
        description="Prints a script that runs a campaign as one job. Behind -- come more options of sbatch's.",
        epilog="Example: weft campaign sbatch ecg-table-1 --out results -- --partition=short > job.sh",
    )
    _add_wishes(batch)
    return top


def _add_wishes(command: argparse.ArgumentParser) -> None:
    command.add_argument("file", help="the campaign: a TOML file (docs/campaigns.md), or the name of a shipped one")
    command.add_argument("--out", type=Path, required=True, help="the folder of the results")
    wishes = command.add_argument_group("Instead of what the file says")
    wishes.add_argument("--scale", type=float, help="sizes, as a part of the paper's: 0.01")
    wishes.add_argument("--repeats", type=int, help="how often each setting is run")
    wishes.add_argument("--seed", type=int, help="of the order")
    wishes.add_argument("--pause", help="between runs: 2s, 2min")
    wishes.add_argument("--folder", action="append", default=[], metavar="[NAME=]PATH",
                        help="where to write; several are compared")  # fmt: skip
    wishes.add_argument("--set", action="append", default=[], metavar="AXIS=A,B", help="an axis' values: ranks=2,4")
    wishes.add_argument(
        "--launcher", help="how ranks are started: mpirun, srun, none, or words with {ranks} and {command}"
    )
    wishes.add_argument("--keep", action="store_true", help="leave the files of the runs where they are")


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Ours, and those behind --."""
    end = words.index("--") if "--" in words else len(words)
    return list(words[:end]), list(words[end + 1 :])


def overrides_of(given: argparse.Namespace) -> Overrides:
    axes: dict[str, Sequence[AxisWish]] = {}
    for wish in given.set:
        axis, equals, values = wish.partition("=")
        if not axis or not equals or not values:
            raise UsageError(f"--set {wish}", "is not AXIS=VALUE,VALUE", "as in --set ranks=2,4")
        axes[axis] = [_setting(value) for value in values.split(",")]
    if given.folder:
        axes["folder"] = [_folder(wish) for wish in given.folder]
    for name in ("scale", "repeats"):
        value = getattr(given, name)
        if value is not None and not 0 < value < float("inf"):
            raise UsageError(f"--{name} {value}", "is not above 0")
    try:
        pause = None if given.pause is None else parse_seconds(given.pause)
    except ValueError as error:
        raise UsageError("--pause", str(error)) from None
    return Overrides(given.scale, given.repeats, given.seed, pause, given.launcher, given.keep, axes)


def _setting(text: str) -> Setting:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False}.get(text, text)


def _folder(wish: str) -> tuple[str, Setting]:
    label, equals, path = wish.partition("=")
    if not equals:
        path = wish
        label = Path(os.path.expandvars(os.path.expanduser(path))).absolute().name or path
    if not path:
        raise UsageError(f"--folder {wish}", "names no folder", "as in --folder /scratch or --folder gluster=/mnt/g")
    return label, os.path.abspath(os.path.expanduser(path)) if not path.startswith("$") else path


def run(given: argparse.Namespace) -> None:
    file = campaign_named(given.file)
    if given.resume:
        _recall(given)
    campaign = read_campaign_file(file, overrides_of(given))
    if given.dry_run:
        dry_run(prepare(campaign, file, given.out, act=False), given)
        return
    if not given.resume and (given.out / FILE_NAME).exists():
        raise UsageError(str(given.out), "has results already", "go on with --resume, or choose another --out")
    prepared = prepare(campaign, file, given.out)
    results = ResultsFile(given.out)
    _remember(given, file)
    todo = remaining(prepared.order, results.results, given.retry_failed)
    done = len(prepared.order) - len(todo)
    try:
        tally = _run(prepared, results, todo, given.retry_failed)
    except KeyboardInterrupt:
        print(f"\nInterrupted. To go on: weft campaign run {given.file} --out {given.out} --resume")
        raise
    finally:
        results.close()
    failed = f", {tally.failed} of them failed (their messages are in {given.out / FILE_NAME})" if tally.failed else ""
    before = f" ({done} were done before)" if done else ""
    print(f"{tally.done} experiments{before}{failed}. Next: weft report {given.out}")
    if tally.failed:
        raise WeftError(str(given.out), f"{tally.failed} of {tally.done} experiments failed",
                        "see its results; --resume --retry-failed does them again")  # fmt: skip


def _run(prepared: Prepared, results: ResultsFile, todo: list[Experiment], retry_failed: bool) -> Tally:
    estimate = Estimate.of(prepared.campaign, prepared.order, results.results.by_key)
    console = Console()
    if not console.is_terminal:
        return run_campaign(prepared, results, Lines(prepared.campaign, todo, estimate), retry_failed)
    with LiveTable(prepared.campaign, todo, estimate, console) as table:
        return run_campaign(prepared, results, table, retry_failed)


def _remember(given: argparse.Namespace, file: Path) -> None:
    copy = given.out / CAMPAIGN_COPY
    if file.resolve() != copy.resolve():
        shutil.copyfile(file, copy)
    wishes = {name: getattr(given, name) for name in FOLDED}
    (given.out / WISHES).write_text(json.dumps(wishes, indent=1) + "\n", encoding="utf-8")


def _recall(given: argparse.Namespace) -> None:
    """What was said when it began, where nothing else is said now."""
    try:
        wishes = json.loads((given.out / WISHES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return
    for name in FOLDED:
        if not getattr(given, name) and wishes.get(name):
            setattr(given, name, wishes[name])


def dry_run(prepared: Prepared, given: argparse.Namespace) -> None:
    campaign = prepared.campaign
    results = read_results(given.out) if (given.out / FILE_NAME).exists() else Results([], {})
    todo = remaining(prepared.order, results, given.retry_failed) if given.resume else prepared.order
    estimate = Estimate.of(campaign, prepared.order, results.by_key)
    print(f"{campaign.title}\n{campaign.question}\n")
    axes = shown_axes(campaign)
    rows = [["", *axes, "repeat", "command"]]
    for number, experiment in enumerate(todo, 1):
        words = command_of(campaign, experiment, prepared.known, {})
        ranks = f"[{experiment.ranks} ranks] " if experiment.ranks else ""
        rows.append([str(number), *(experiment.labels[axis] for axis in axes), str(experiment.repeat),
                     ranks + shown_command(words, prepared.known)])  # fmt: skip
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
    for row in rows:
        print("  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]]).rstrip())
    print(
        f"\n{len(todo)} experiments, {estimate.words(todo)}; started by {prepared.launcher.shown}, seed {campaign.seed}"
    )


def list_shipped() -> None:
    kernels = kernels_of(find_weft())
    for name, file in shipped().items():
        campaign = read_campaign_file(file)
        missing = campaign.kernel and campaign.kernel not in kernels
        print(
            f"{name:22} {campaign.title}" + (f" (needs kernel {campaign.kernel}, not in this weft)" if missing else "")
        )
        print(f"{'':22} {campaign.reproduces}" if campaign.reproduces else "")
    print("\nNext: weft campaign run NAME --out DIR --dry-run")


def sbatch(given: argparse.Namespace, directives: Sequence[str]) -> None:
    file = campaign_named(given.file)
    campaign = read_campaign_file(file, overrides_of(given))
    order = in_random_order(experiments_of(campaign), campaign.seed, campaign.order)
    words = [find_weft(), "campaign", "run", given.file, "--out", str(given.out)]
    for name in ("scale", "repeats", "seed", "pause"):
        if getattr(given, name) is not None:
            words += [f"--{name}", str(getattr(given, name))]
    for name in ("folder", "set"):
        for value in getattr(given, name):
            words += [f"--{name}", value]
    words += ["--keep"] if given.keep else []
    print(sbatch_script(campaign, order, words, str(given.out), directives), end="")


def main() -> None:
    def command() -> None:
        words, directives = split_words(sys.argv[1:])
        given = parser().parse_args(words)
        if given.command == "run":
            if "OMPI_COMM_WORLD_RANK" in os.environ or "PMI_RANK" in os.environ:
                raise UsageError("weft campaign", "was started under a launcher", "it starts the ranks itself")
            run(given)
        elif given.command == "list":
            list_shipped()
        else:
            sbatch(given, directives)

    sys.exit(ending_with_a_line(command))
