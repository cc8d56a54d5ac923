"""Every setting of a campaign tried before the first run, so that a typo does not show after an hour.

A setting is run at a tiny size where the campaign's file gives one (rehearse = { nodes = 8, steps = 2 }); else a kernel
that can say what it would do (--plan) is asked, and one that says that it "cannot be planned" is left alone. What a run says of an option is told with the line that sets the option.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weft.campaign import process
from weft.campaign.commands import ENGINES_OPTIONS, command_of
from weft.campaign.experiments import Experiment
from weft.campaign.expressions import names_for
from weft.campaign.model import Campaign, Place, Settings
from weft.campaign.section import nearest
from weft.errors import UsageError


def options_in_help(text: str) -> set[str]:
    """The names of the options that --help lists: "  -h,--help   .." -> {"help"}."""
    return {name for line in re.findall(r"^ +(-[^ ]+)", text, re.MULTILINE) for name in re.findall(r"--([\w-]+)", line)}


def kernels_in_help(text: str) -> list[str]:
    return re.findall(r"^  (\w+)  ", text.partition("Subcommands:\n")[2], re.MULTILINE)


def kernels_of(weft: str) -> list[str]:
    """Those that this weft can run; none where it was built without MPI."""
    asked = subprocess.run([weft, "run", "--help"], capture_output=True, text=True, check=False)
    return kernels_in_help(asked.stdout) if asked.returncode == 0 else []


def known_options(campaign: Campaign, weft: str) -> set[str]:
    """Raises UsageError where this weft has no such kernel."""
    kernels = kernels_of(weft)
    if campaign.kernel not in kernels:
        raise UsageError(
            str(campaign.place), f"this weft has no kernel '{campaign.kernel}'", nearest(campaign.kernel, kernels)
        )
    asked = subprocess.run([weft, "run", campaign.kernel, "--help"], capture_output=True, text=True, check=False)
    return options_in_help(asked.stdout)


def check_options(experiments: list[Experiment], known: set[str], run: str) -> None:
    for experiment in experiments:
        for name in experiment.options:
            place = str(experiment.places.get(name, ""))
            if name in ENGINES_OPTIONS:
                raise UsageError(place, f"the option '{name}' is given by the campaign itself", "leave it out")
            if known and name not in known:
                raise UsageError(
                    place,
                    f"{run} has no option '{name}'",
                    nearest(name, (known - {*ENGINES_OPTIONS, "help"}) | {"ranks", "folder"}),
                )


def blamed(message: str, experiment: Experiment, otherwise: Place) -> Place:
    """The line that sets what a message is about: the option whose value it quotes, or that it names."""
    quoted = [name for name in experiment.places if f"'{experiment.settings.get(name)}'" in message]
    named = [name for name in experiment.places if re.search(rf"--{re.escape(name)}(?![\w-])", message)]
    places = [experiment.places[name] for name in (*quoted, *named)]
    return next((place for place in places if place.line), otherwise)


@dataclass(frozen=True)
class Tried:
    """What a setting's trial said."""

    bytes: int | None  # that its files will take, where it could say


def rehearse(
    campaign: Campaign,
    experiments: list[Experiment],
    known: Mapping[str, str],
    plan: bool,
    environment: Mapping[str, str],
) -> dict[str, Tried]:
    """By setting key. Raises UsageError for the first that cannot be."""
    plan = plan and campaign.rehearse is None
    tried: dict[str, Tried] = {}
    same: dict[str, Tried] = {}  # settings that differ in their folder alone need one trial
    for experiment in experiments:
        if experiment.setting_key in tried:
            continue
        changed: Settings = {}
        if plan:
            changed = {"plan": True}
            if experiment.ranks is not None:
                changed["ranks"] = experiment.ranks
        elif campaign.rehearse is not None:
            changed = campaign.rehearse
        else:
            tried[experiment.setting_key] = Tried(None)
            continue
        command = command_of(campaign, experiment, known, changed)
        told = " ".join(command)
        if told not in same:
            same[told] = _try(campaign, experiment, command, plan, environment)
        tried[experiment.setting_key] = same[told]
    return tried


def _try(
    campaign: Campaign, experiment: Experiment, command: list[str], plan: bool, environment: Mapping[str, str]
) -> Tried:
    where = campaign.place
    with tempfile.TemporaryDirectory(prefix="weft-rehearsal-") as folder:
        try:
            ended = process.run(command, cwd=Path(folder), environment=environment, timeout=process.PATIENCE)
        except OSError as error:
            raise UsageError(str(where), f"cannot run {command[0]}: {error.strerror}") from None
    if ended.failed:
        told = re.sub(r" \(ended with \d+\)$", "", process.reason(ended, process.PATIENCE))
        if plan and "cannot be planned" in told:
            return Tried(None)
        what = f"weft run {campaign.kernel}" if campaign.kernel else Path(command[0]).name
        raise UsageError(str(blamed(told, experiment, where)), f"{what}: {told}")
    report = process.report_in(ended.out)
    if report is None:
        raise UsageError(str(where), f"{Path(command[0]).name} printed no JSON object", "it has to take --json")
    if not plan:
        _check_expressions(campaign, experiment, report)
    size = report.get("file_bytes")
    return Tried(size if plan and isinstance(size, int) else None)


def _check_expressions(campaign: Campaign, experiment: Experiment, report: dict[str, Any]) -> None:
    names = names_for(report, experiment.settings)
    for measure in campaign.measures:
        try:
            experiment.measures.get(measure.name, measure.value).number(names)
        except ValueError as error:
            if measure.optional:
                continue
            raise UsageError(str(measure.place), f"measure '{measure.name}': {error}") from None
    for name, expression in campaign.checks.items():  # a tiny run need not pass them, but must have what they name
        try:
            expression.evaluate(names)
        except ValueError as error:
            raise UsageError(str(campaign.check_places[name]), f"check '{name}': {error}") from None
