"""weft-campaign: run, list and sbatch; found as `weft campaign`."""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
from collections.abc import Sequence
from typing import NoReturn

from rich.console import Console

from weft.campaign.arguments import parser
from weft.campaign.campaign_file import read_campaign_file
from weft.campaign.commands import command_of, find_weft, shown_command
from weft.campaign.estimate import Estimate
from weft.campaign.experiments import Experiment, experiments_of, in_random_order
from weft.campaign.preparation import Prepared, prepare
from weft.campaign.progress import Lines, LiveTable, shown_axes
from weft.campaign.rehearsal import kernels_of
from weft.campaign.results import FILE_NAME, Results, ResultsFile, read_results
from weft.campaign.resuming import remaining
from weft.campaign.runner import Tally, run_campaign
from weft.campaign.sbatch import sbatch_script
from weft.campaign.shipped import campaign_named, shipped
from weft.campaign.wishes import CAMPAIGN_COPY, overrides_of, recall, remember
from weft.errors import UsageError, WeftError, ending_with_a_line


def split_words(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Ours, and those behind --."""
    end = words.index("--") if "--" in words else len(words)
    return list(words[:end]), list(words[end + 1 :])


def run(given: argparse.Namespace) -> None:
    file = campaign_named(given.file)
    if given.retry_failed and not given.resume:
        raise UsageError("--retry-failed", "needs --resume", "use --resume --retry-failed")
    if given.resume:
        recall(given)
    campaign = read_campaign_file(file, overrides_of(given))
    if given.dry_run:
        dry_run(prepare(campaign, file, given.out, act=False), given)
        return
    if not given.resume and (given.out / FILE_NAME).exists():
        raise UsageError(str(given.out), "has results already", "continue with --resume, or choose another --out")
    signal.signal(signal.SIGTERM, _interrupted)  # a job's time is over: as Ctrl-C
    prepared = prepare(campaign, file, given.out)
    results = ResultsFile(given.out)
    try:
        todo = remaining(prepared, results.results, given.retry_failed)
        remember(given, file, given.out / CAMPAIGN_COPY)
        tally = _run(prepared, results, todo)
    except KeyboardInterrupt:
        print(f"\nInterrupted. To resume: weft campaign run {given.file} --out {given.out} --resume")
        raise
    finally:
        results.close()
    failed = f", {tally.failed} of them failed (their messages are in {given.out / FILE_NAME})" if tally.failed else ""
    done = len(prepared.order) - len(todo)
    before = f" ({done} were done before)" if done else ""
    print(f"{tally.done} experiments{before}{failed}. Next: weft report {given.out}")
    if tally.failed:
        raise WeftError(str(given.out), f"{tally.failed} of {tally.done} experiments failed",
                        "see its results; --resume --retry-failed does them again")  # fmt: skip


def _interrupted(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def _run(prepared: Prepared, results: ResultsFile, todo: list[Experiment]) -> Tally:
    estimate = Estimate.of(prepared.campaign, prepared.order, results.results.by_key)
    console = Console()
    if not console.is_terminal:
        return run_campaign(prepared, results, todo, Lines(prepared.campaign, todo, estimate))
    with LiveTable(prepared.campaign, todo, estimate, console) as table:
        return run_campaign(prepared, results, todo, table)


def dry_run(prepared: Prepared, given: argparse.Namespace) -> None:
    campaign = prepared.campaign
    results = read_results(given.out) if (given.out / FILE_NAME).exists() else Results([], {})
    todo = remaining(prepared, results, given.retry_failed) if given.resume else prepared.order
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
        for value in getattr(given, name) or []:
            words += [f"--{name}", value]
    words += ["--keep"] if given.keep else []
    print(sbatch_script(campaign, order, words, directives), end="")


def main() -> None:
    def command() -> None:
        words, directives = split_words(sys.argv[1:])
        given = parser().parse_args(words)
        if directives and given.command != "sbatch":
            raise UsageError(f"weft campaign {given.command}", f"takes nothing behind --: {' '.join(directives)}",
                             "leave it out; only sbatch hands it on")  # fmt: skip
        if given.command == "run":
            if "OMPI_COMM_WORLD_RANK" in os.environ or "PMI_RANK" in os.environ:
                raise UsageError("weft campaign", "was started under a launcher", "it starts the ranks itself")
            run(given)
        elif given.command == "list":
            list_shipped()
        else:
            sbatch(given, directives)

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="surrogateescape")  # names of folders may be any bytes
    sys.exit(ending_with_a_line(command))
