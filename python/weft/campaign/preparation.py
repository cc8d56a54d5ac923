"""All that can be known before the first run: is there such a kernel, are there slots, is there room."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from weft.campaign import machine
from weft.campaign.commands import find_weft, placeholders, program_of
from weft.campaign.experiments import Experiment, experiments_of, in_random_order
from weft.campaign.expressions import names_for
from weft.campaign.launchers import MPICH, Launcher, check_slots, find_launcher
from weft.campaign.model import Campaign, Place
from weft.campaign.rehearsal import Tried, check_options, known_options, rehearse
from weft.campaign.section import nearest
from weft.errors import UsageError, WeftError
from weft.quantities import format_bytes

MARGIN = 64 << 20  # a file system that is full to the brim is slow, and others write too

# Open MPI refuses root unless asked twice, and containers are root.
ROOT_MAY = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


@dataclass(frozen=True)
class Prepared:
    """A campaign that can begin."""

    campaign: Campaign
    order: list[Experiment]
    launcher: Launcher
    known: Mapping[str, str]  # what placeholders stand for
    environment: Mapping[str, str]
    folders: Mapping[str, Path]  # by the name of the value of the axis `folder`
    room: Mapping[str, int]  # bytes a run needs, by setting key, where that is known


def prepare(campaign: Campaign, file: Path, out: Path, *, act: bool = True) -> Prepared:
    """Raises UsageError or WeftError with the place in the campaign's file. Without `act` (a dry run) nothing is made
    and no rank is started."""
    weft = find_weft()
    known = placeholders(weft, file)
    environment = {**os.environ, **(ROOT_MAY if os.geteuid() == 0 else {})}
    experiments = experiments_of(campaign)
    plan = False
    if campaign.kernel:
        options = known_options(campaign, weft)
        check_options(experiments, options, f"weft run {campaign.kernel}")
        plan = "plan" in options
    else:
        check_options(experiments, set(), "")
        check_programs(campaign, experiments, known)
    on_ranks = any("ranks" in experiment.settings for experiment in experiments)
    launcher = find_launcher(campaign.launch, weft) if on_ranks else Launcher("none", ())
    most = check_ranks(experiments, launcher, campaign.launch.oversubscribe)
    tried = rehearse(campaign, experiments, known, plan, environment)
    folders = {
        label: folder_of(experiment, out) for experiment in experiments for label in [experiment.choice["folder"]]
    }
    room = {
        e.setting_key: size for e in experiments if (size := room_of(campaign, e, tried[e.setting_key])) is not None
    }
    for experiment in experiments:
        check_folder(experiment, folders[experiment.choice["folder"]])
    if act:
        if most is not None and launcher.kind != "none":
            check_slots(launcher, most.ranks or 1, most.places["ranks"], environment)
        for folder in folders.values():
            make_folder(folder, out)
        for experiment in experiments:
            check_room(folders[experiment.choice["folder"]], room.get(experiment.setting_key, 0), experiment)
    order = in_random_order(experiments, campaign.seed, campaign.order)
    return Prepared(campaign, order, launcher, known, environment, folders, room)


def check_ranks(experiments: list[Experiment], launcher: Launcher, oversubscribe: bool) -> Experiment | None:
    """The experiment with the most ranks; raises UsageError for numbers that cannot be."""
    with_ranks = [experiment for experiment in experiments if "ranks" in experiment.settings]
    for experiment in with_ranks:
        place = str(experiment.places["ranks"])
        if experiment.ranks is None or experiment.ranks < 1:
            raise UsageError(
                place, f"ranks = {experiment.settings['ranks']!r} is not a number of ranks", "write 1 or more"
            )
        if launcher.kind == "none" and experiment.ranks > 1:
            raise UsageError(place, f'ranks = {experiment.ranks}, and launcher = "none" starts one', "name a launcher")
        launcher.command(experiment.ranks, [])  # shares of a template that do not come out
    most = max(with_ranks, key=lambda experiment: experiment.ranks or 0, default=None)
    # MPICH's launcher starts any number of ranks, and those that wait for one another keep all cores busy.
    slots = machine.cores() if launcher.flavour == MPICH and len(launcher.words) == 1 and not oversubscribe else None
    if most and slots is not None and (most.ranks or 0) > slots:
        raise WeftError(str(most.places["ranks"]), f"ranks = {most.ranks}, and this machine has {slots} cores",
                        "ask for fewer, or write oversubscribe = true in [launch]")  # fmt: skip
    return most


def folder_of(experiment: Experiment, out: Path) -> Path:
    """Where an experiment writes: what its folder names, or a folder beside the results."""
    named = str(experiment.settings.get("folder") or "")
    return Path(os.path.expandvars(os.path.expanduser(named))).absolute() if named else (out / "work").absolute()


def check_folder(experiment: Experiment, folder: Path) -> None:
    """A folder that is named is made in one that is there: where several levels are missing, it is a slip of the pen, and
    another disk would be measured."""
    if experiment.settings.get("folder") and not folder.parent.is_dir():
        place = experiment.places["folder"]
        where = f"{place}: {folder}" if place.line else str(folder)
        raise UsageError(
            where, f"there is no {folder.parent} to make it in", "make that first, or name another --folder"
        )


def make_folder(folder: Path, out: Path) -> None:
    remedy = "name another --out" if folder == (out / "work").absolute() else "name another --folder"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WeftError(str(folder), f"cannot be made: {error.strerror}", remedy) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WeftError(str(folder), "cannot be written into", remedy)


def check_programs(campaign: Campaign, experiments: list[Experiment], known: Mapping[str, str]) -> None:
    """Every program is there, and its words name nothing unknown."""
    for experiment in experiments:
        words = program_of(campaign, experiment, known)
        place = str(experiment.places.get("program", campaign.place))
        for name in re.findall(r"\{(\w+)\}", " ".join(words)):
            raise UsageError(place, f"'{{{name}}}' has no value", nearest(name, known))
        if shutil.which(words[0]) is None:
            raise UsageError(place, f"there is no program '{words[0]}' here", "install it, or name another")


def room_of(campaign: Campaign, experiment: Experiment, tried: Tried) -> int | None:
    """Bytes; with the yardstick, which writes as much once more beside it, twice of what a plan says."""
    if campaign.room is not None:
        try:
            return int(campaign.room.number(names_for({}, experiment.settings)))
        except ValueError as error:
            raise UsageError(str(campaign.place), f"room: {error}") from None
    if tried.bytes is None:
        return None
    return tried.bytes * (2 if experiment.settings.get("yardstick") else 1)


def check_room(folder: Path, needed: int, experiment: Experiment) -> None:
    free = shutil.disk_usage(folder).free
    if free < needed + MARGIN:
        place = experiment.places.get("folder", Place("", 0))
        raise WeftError(f"{place}: {folder}" if place.line else str(folder),
                        f"has {format_bytes(free)} free, and '{experiment.setting_key}' needs {format_bytes(needed + MARGIN)}",
                        "free some space, name another --folder, or take a smaller --scale")  # fmt: skip
