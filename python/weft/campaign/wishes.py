"""What the command line says instead of the campaign's file, and how --resume knows it again.

resume.json, beside the results, has the options as they were given; --resume takes from it what it is not told anew, and
a report the axes.
"""

from __future__ import annotations

import argparse
import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from weft.campaign.campaign_file import Overrides
from weft.campaign.matrix_section import AxisWish
from weft.campaign.model import Setting
from weft.campaign.scaling import MOST_SCALE
from weft.errors import UsageError, WeftError
from weft.quantities import parse_seconds

CAMPAIGN_COPY = "campaign.toml"
WISHES = "resume.json"
# What is remembered, as JSON has it; null where nothing was said.
REMEMBERED: dict[str, tuple[type, ...]] = {
    "scale": (int, float),
    "repeats": (int,),
    "seed": (int,),
    "pause": (str,),
    "launcher": (str,),
    "keep": (bool,),
    "folder": (list,),
    "set": (list,),
}


def overrides_of(given: argparse.Namespace) -> Overrides:
    axes: dict[str, Sequence[AxisWish]] = {}
    for wish in given.set or []:
        axis, equals, values = wish.partition("=")
        if not axis or not equals or not values:
            raise UsageError(f"--set {wish}", "is not AXIS=VALUE,VALUE", "as in --set ranks=2,4")
        if axis in axes:
            raise UsageError(f"--set {wish}", f"'{axis}' is set twice", f"say it once: --set {axis}=A,B")
        axes[axis] = [_setting(value) for value in values.split(",")]
    if given.folder:
        if "folder" in axes:
            raise UsageError("--folder", "--set has set the folders", "leave one of them out")
        axes["folder"] = [_folder(wish) for wish in given.folder]
    for name, most in (("scale", MOST_SCALE), ("repeats", math.inf)):
        value = getattr(given, name)
        if value is not None and not value > 0:
            raise UsageError(f"--{name} {value}", "is not above 0")
        if value is not None and value > most:
            raise UsageError(f"--{name} {value}", f"is more than {most:g}")
    try:
        pause = None if given.pause is None else parse_seconds(given.pause)
    except ValueError as error:
        raise UsageError("--pause", str(error)) from None
    return Overrides(given.scale, given.repeats, given.seed, pause, given.launcher, bool(given.keep), axes)


def _setting(text: str) -> Setting:
    for kind in (int, float):
        try:
            number = kind(text)
        except ValueError:
            continue
        if math.isfinite(number):  # nan and inf are words
            return number
    return {"true": True, "false": False}.get(text, text)


def _folder(wish: str) -> tuple[str, Setting]:
    label, equals, path = wish.partition("=")
    if not equals:
        path = wish
        label = Path(os.path.expandvars(os.path.expanduser(path))).absolute().name or path
    if not path or not label:
        raise UsageError(f"--folder {wish}", "names no folder", "as in --folder /scratch or --folder gluster=/mnt/g")
    return label, os.path.abspath(os.path.expanduser(path)) if not path.startswith("$") else path


def remember(given: argparse.Namespace, file: Path, copy: Path) -> None:
    """The campaign's file, for the report, and what the command line said; what was there before stays whole until what
    replaces it is."""
    wishes = {name: getattr(given, name) for name in REMEMBERED}
    try:
        if file.resolve() != copy.resolve():
            _replace(copy, file.read_bytes())
        _replace(given.out / WISHES, json.dumps(wishes, indent=1).encode() + b"\n")
    except OSError as error:
        raise WeftError(str(given.out), f"cannot be written: {error.strerror}",
                        "free some space, or choose another --out") from None  # fmt: skip


def _replace(path: Path, data: bytes) -> None:
    new = path.with_name(f".{path.name}.new")
    with new.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def recall(given: argparse.Namespace) -> None:
    """What was said when it began, where nothing else is said now."""
    file = given.out / WISHES
    wishes: Any = None
    try:
        wishes = json.loads(file.read_bytes())
    except FileNotFoundError:  # it never began
        return
    except OSError as error:
        raise UsageError(str(file), f"cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        pass
    if not isinstance(wishes, dict) or not all(_may_be(name, wishes.get(name)) for name in REMEMBERED):
        raise UsageError(str(file), "is not what weft campaign run wrote there",
                         "remove it, and give the options of the command line again")  # fmt: skip
    for name in REMEMBERED:
        if getattr(given, name) is None:
            setattr(given, name, wishes.get(name))


def remembered_axes(results: Path) -> Mapping[str, Sequence[AxisWish]]:
    """The axes that the command line gave when the results in a folder were had; none where it is not known."""
    given = argparse.Namespace(out=results, **dict.fromkeys(REMEMBERED))
    recall(given)
    return overrides_of(given).axes


def _may_be(name: str, value: Any) -> bool:
    if isinstance(value, list) and not all(isinstance(item, str) for item in value):
        return False
    return value is None or isinstance(value, REMEMBERED[name])
