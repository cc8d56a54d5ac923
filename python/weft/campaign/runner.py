"""The loop of a campaign: settle, run, check, record, remove, pause; one experiment at a time.

What went wrong with a run is its result; the campaign goes on. What goes wrong with the campaign itself (its results
cannot be written) ends it, and --resume goes on where it was: experiments that have a line in the results are done.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol

from weft.campaign import machine, page_cache, process
from weft.campaign.commands import command_of, filled, inputs_of, shown_command
from weft.campaign.experiments import Experiment, describe, digest
from weft.campaign.expressions import names_for
from weft.campaign.measured import measured
from weft.campaign.preparation import Prepared, check_room
from weft.campaign.results import FORMAT, ResultsFile
from weft.errors import WeftError


class Progress(Protocol):
    """Who shows how it goes."""

    def begins(self, experiment: Experiment, number: int) -> None: ...
    def goes_on(self) -> None: ...
    def ended(self, experiment: Experiment, record: dict[str, Any]) -> None: ...
    def pauses(self, seconds: float) -> None: ...


@dataclass(frozen=True)
class Tally:
    done: int
    failed: int


def run_campaign(prepared: Prepared, file: ResultsFile, todo: list[Experiment], progress: Progress) -> Tally:
    session = len(file.results.sessions) + 1
    with _workspaces(prepared, file.path) as workspaces:
        if todo:
            file.append(_session_record(prepared, session))
        failed = 0
        for number, experiment in enumerate(todo):
            if number > 0 and prepared.campaign.pause > 0:
                progress.pauses(prepared.campaign.pause)
                time.sleep(prepared.campaign.pause)
            progress.begins(experiment, number)
            record = _one(prepared, experiment, workspaces[experiment.choice["folder"]], progress.goes_on)
            file.append({"record": "result", "session": session, **record})
            failed += record["status"] == "failed"
            progress.ended(experiment, record)
    return Tally(len(todo), failed)


@contextmanager
def _workspaces(prepared: Prepared, results: Path) -> Iterator[dict[str, Path]]:
    """A folder of this campaign's own in each of the target folders. What a killed runner left there is removed."""
    name = "weft-campaign-" + digest(str(results.absolute())).hex()[:8]
    workspaces = {label: folder / name for label, folder in prepared.folders.items()}
    keep = prepared.campaign.keep
    for workspace in workspaces.values():
        if not keep:
            shutil.rmtree(workspace, ignore_errors=True)
        workspace.mkdir(parents=True, exist_ok=True)
    try:
        yield workspaces
    finally:
        for workspace in workspaces.values():
            if not keep:
                shutil.rmtree(workspace, ignore_errors=True)


def _one(prepared: Prepared, experiment: Experiment, above: Path, meanwhile: Callable[[], None]) -> dict[str, Any]:
    """Runs one experiment in a folder of its own and says what came of it."""
    campaign = prepared.campaign
    # Named after what it is, not by a number, which would be another's when repeats are added: files may be kept.
    workspace = above / digest(experiment.key).hex()[:12]
    words = command_of(campaign, experiment, prepared.known, {})
    record: dict[str, Any] = {
        "key": experiment.key,
        "choice": dict(experiment.choice),
        "labels": dict(experiment.labels),
        "repeat": experiment.repeat,
        "settings": {name: value for name, value in experiment.settings.items() if name != "folder"},
        "began": _now(),
        "load": machine.load(),
        "command": shown_command(words, prepared.known),
        "workspace": f"{above.name}/{workspace.name}",
    }
    try:
        shutil.rmtree(workspace, ignore_errors=True)
        workspace.mkdir()
        check_room(workspace, prepared.room.get(experiment.setting_key, 0), experiment)
        record["cache"] = page_cache.settle(workspace, campaign.cache, inputs_of(experiment.settings))
        command = prepared.launcher.command(experiment.ranks, words)
        ended = process.run(command, cwd=workspace, environment=prepared.environment, timeout=campaign.timeout,
                            meanwhile=meanwhile)  # fmt: skip
        record["wall_seconds"] = round(ended.seconds, 3)
        if ended.failed:
            raise WeftError("", process.reason(ended, campaign.timeout))
        report = process.report_in(ended.out)
        if report is None:
            raise WeftError("", "printed no JSON object")
        record["report"] = report
        record["measures"] = measured(campaign, experiment, report)
        _check(prepared, experiment, report, workspace)
        record["status"] = "ok"
    except (WeftError, ValueError, OSError) as error:
        record["status"] = "failed"
        record["message"] = " ".join(str(error).replace(str(workspace), ".").split())
    finally:
        if not campaign.keep:
            shutil.rmtree(workspace, ignore_errors=True)
    return record


def _check(prepared: Prepared, experiment: Experiment, report: dict[str, Any], workspace: Path) -> None:
    """Raises WeftError for the first check that does not hold."""
    names = names_for(report, experiment.settings)
    for name, expression in prepared.campaign.checks.items():
        try:
            holds = expression.evaluate(names)
        except ValueError as error:
            raise WeftError(f"check '{name}'", str(error)) from None
        if not holds:
            raise WeftError(f"check '{name}'", f"{expression.text} does not hold")
    for name, words in prepared.campaign.check_commands.items():
        ended = process.run(filled(words, prepared.known), cwd=workspace, environment=prepared.environment,
                            timeout=prepared.campaign.timeout)  # fmt: skip
        if ended.failed:
            raise WeftError(f"check '{name}'", process.reason(ended, prepared.campaign.timeout))


def _session_record(prepared: Prepared, session: int) -> dict[str, Any]:
    campaign = prepared.campaign
    return {
        "record": "session",
        "format": FORMAT,
        "session": session,
        "began": _now(),
        "campaign": {
            "title": campaign.title,
            "runs": campaign.runs,
            "options": describe(campaign.options),
            "experiments": len(prepared.order),
            "repeats": campaign.repeats,
            "scale": campaign.scale,
            "seed": campaign.seed,
            "order": campaign.order,
            "pause": campaign.pause,
            "cache": campaign.cache,
        },
        "machine": machine.describe_machine(prepared.known["weft"], prepared.launcher, prepared.folders),
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
