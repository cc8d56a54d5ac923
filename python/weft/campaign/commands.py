"""The command line of an experiment. Finding `weft` looks at the system; the rest is pure.

A run is given --out, a name below the folder it is started in, and --json; it prints one JSON object, its report. In the
words of a program and of a check {weft}, {python}, {here} (the folder of the campaign's file) and {out} are filled in.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from weft.campaign.experiments import Experiment, option_words
from weft.campaign.model import Campaign, Setting, Settings
from weft.errors import UsageError

OUT = "out"
ENGINES_OPTIONS = ("out", "json", "plan")


def find_weft() -> str:
    """The command that called us, or the first on the PATH."""
    path = os.environ.get("WEFT") or shutil.which("weft")
    if path is None or not os.access(path, os.X_OK):
        raise UsageError(path or "weft", "there is no such command",
                         "call this as `weft campaign`, or set WEFT to where weft is")  # fmt: skip
    return os.path.abspath(path)


def placeholders(weft: str, file: Path) -> dict[str, str]:
    return {"weft": weft, "python": sys.executable, "here": os.path.dirname(os.path.abspath(file)), "out": OUT}


def filled(words: Iterable[str], known: Mapping[str, str]) -> list[str]:
    result = []
    for word in words:
        for name, value in known.items():
            word = word.replace("{" + name + "}", value)
        result.append(word)
    return result


def program_of(campaign: Campaign, experiment: Experiment, known: Mapping[str, str]) -> list[str]:
    """What is run, without options."""
    own = experiment.settings.get("program")
    if own is not None:
        return filled([str(word) for word in own] if isinstance(own, list) else [str(own)], known)
    if campaign.program:
        return filled(campaign.program, known)
    return [known["weft"], "run", campaign.kernel]


def command_of(campaign: Campaign, experiment: Experiment, known: Mapping[str, str], changed: Settings) -> list[str]:
    """Without the launcher. `changed`: settings that are other than the experiment's, for a rehearsal."""
    options = {**experiment.options, **changed}
    return [*program_of(campaign, experiment, known), *option_words(options), "--out", OUT, "--json"]


def shown_command(words: Iterable[str], known: Mapping[str, str]) -> str:
    """As it may be read by others: no paths of this machine."""
    text = " ".join(f'"{word}"' if " " in word or not word else word for word in words)
    for name in ("weft", "python", "here"):
        text = text.replace(known[name], {"weft": "weft", "python": "python", "here": "."}[name])
    return text


def inputs_of(settings: Mapping[str, Setting]) -> list[Path]:
    """Files that a run reads: settings that name one, FILE or FILE:DATASET."""
    named = [value for name, value in settings.items() if name != "folder" and isinstance(value, str) and "/" in value]
    paths = [Path(part) for value in named for part in (value, value.split(":")[0])]
    return [path for path in paths if path.exists()]
