"""Whether results can be gone on with, and what is left to do.

What is measured in another way does not belong beside what there is: other settings, another program, another launcher,
another file system. Another machine is allowed, as campaigns move; each session says which it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.campaign.experiments import Experiment
from weft.campaign.machine import mount
from weft.campaign.preparation import Prepared
from weft.campaign.results import Results
from weft.errors import UsageError

REMEDY = "resume with the same file and options, or choose another --out"


def remaining(prepared: Prepared, results: Results, retry_failed: bool) -> list[Experiment]:
    """Those without a result, in their order. Raises UsageError where results were not had in the way of this campaign."""
    _check_settings(prepared.order, results)
    again = {key for key, result in results.by_key.items() if retry_failed and result["status"] == "failed"}
    done = results.by_key.keys() - again
    sessions = {results.by_key[key]["session"] for key in done}
    before = [session for session in results.sessions if session["session"] in sessions]
    if before:  # the last speaks for all: it went on with those before it
        _check_circumstances(_circumstances_then(before[-1]), _circumstances_now(prepared))
    return [experiment for experiment in prepared.order if experiment.key not in done]


def _check_settings(order: list[Experiment], results: Results) -> None:
    known = {experiment.key: experiment for experiment in order}
    for key, result in results.by_key.items():
        experiment = known.get(key)
        if experiment is None:
            raise UsageError("--resume", f"there is a result of '{key}', which this campaign does not have", REMEDY)
        before = {name: value for name, value in result["settings"].items() if name != "folder"}
        now = {name: value for name, value in experiment.settings.items() if name != "folder"}
        if before != now:
            changed = min(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
            raise UsageError("--resume", f"'{key}' was run with {changed} = {before.get(changed)}, and it is "
                             f"{now.get(changed)} now", REMEDY)  # fmt: skip


def _check_circumstances(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    for name, value in before.items():
        if now.get(name, value) != value:
            raise UsageError("--resume", f"there are results with {name} = {value}, and it is {now[name]} now", REMEDY)


def _circumstances_then(session: Mapping[str, Any]) -> dict[str, str]:
    campaign, machine = session["campaign"], session["machine"]
    told = {"run": campaign["runs"], "cache": campaign["cache"], **_folders(machine.get("folders", {}))}
    return told | ({"launcher": machine["launcher"]} if "launcher" in machine else {})


def _circumstances_now(prepared: Prepared) -> dict[str, str]:
    return {
        "run": prepared.campaign.runs,
        "cache": prepared.campaign.cache,
        "launcher": prepared.launcher.shown,
        **_folders({label: mount(folder) for label, folder in prepared.folders.items()}),
    }


def _folders(mounts: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """By what they lie on: their paths are not recorded, as results may be shown."""
    return {f"folder {label}": f"{of['type']} at {of['mount']}" for label, of in mounts.items() if "type" in of}
