"""A campaign's matrix as a list of experiments, in the order they are done in. Pure.

The order is random over everything, as in the papers, so that what the machine does meanwhile meets all ways alike.
It comes from hashes of the seed and of what an experiment is: the same seed gives the same order on any machine and in
any version of Python, and experiments that are added later (more repeats) do not change the order of the others.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Mapping
from dataclasses import dataclass

from weft.campaign.expressions import Expression
from weft.campaign.model import Campaign, Place, Setting, Settings

# What the engine itself takes from the settings; the rest are options of the run.
OWN = ("ranks", "folder", "program")


@dataclass(frozen=True)
class Experiment:
    choice: Mapping[str, str]  # axis: name of its value
    labels: Mapping[str, str]  # axis: the value for people
    repeat: int  # from 1
    settings: Settings
    places: Mapping[str, Place]  # of settings
    measures: Mapping[str, Expression]  # that are had in another way here

    @property
    def setting_key(self) -> str:
        """All repeats of a setting have the same."""
        return setting_key_of(self.choice)

    @property
    def key(self) -> str:
        """Which experiment of its campaign this is, for ever: "way=new + cache, ranks=2 #3"."""
        return key_of(self.choice, self.repeat)

    @property
    def ranks(self) -> int | None:
        ranks = self.settings.get("ranks")
        return ranks if isinstance(ranks, int) and not isinstance(ranks, bool) else None

    @property
    def options(self) -> Settings:
        return {name: value for name, value in self.settings.items() if name not in OWN}


def setting_key_of(choice: Mapping[str, str]) -> str:
    return ", ".join(f"{axis}={name}" for axis, name in choice.items())


def key_of(choice: Mapping[str, str], repeat: int) -> str:
    return f"{setting_key_of(choice)} #{repeat}"


def experiments_of(campaign: Campaign) -> list[Experiment]:
    """All of them, in the order of the file."""
    found: list[Experiment] = []
    for values in itertools.product(*(axis.values for axis in campaign.axes)):
        settings: Settings = dict(campaign.options)
        places = dict(campaign.option_places)
        measures: dict[str, Expression] = {}
        for value in values:
            settings |= value.settings
            places |= value.places
            measures |= value.measures
        names = [axis.name for axis in campaign.axes]
        for repeat in range(1, campaign.repeats + 1):
            found.append(
                Experiment(
                    choice={name: value.name for name, value in zip(names, values, strict=True)},
                    labels={name: value.label or value.name for name, value in zip(names, values, strict=True)},
                    repeat=repeat,
                    settings=settings,
                    places=places,
                    measures=measures,
                )
            )
    return found


def in_random_order(experiments: list[Experiment], seed: int, order: str = "all") -> list[Experiment]:
    """`rounds`: each setting once, in random order, before any comes again."""

    def lot(experiment: Experiment) -> bytes:
        return digest(f"{seed}\n{experiment.key}")

    if order == "rounds":
        return sorted(experiments, key=lambda experiment: (experiment.repeat, lot(experiment)))
    return sorted(experiments, key=lot)


def digest(text: str) -> bytes:
    """Names of folders may be any bytes, which Python has as surrogates."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def option_words(options: Mapping[str, Setting]) -> list[str]:
    """{"steps": 5, "mesh": "none", "json": True, "hint": ["a=1", "b=2"]} -> --steps 5 --mesh none --json --hint a=1 .."""
    words: list[str] = []
    for name, value in options.items():
        if value is True:
            words.append(f"--{name}")
        elif value is not False:
            for item in value if isinstance(value, list) else [value]:
                words += [f"--{name}", str(item)]
    return words


def describe(settings: Mapping[str, Setting]) -> str:
    """For a line: "layout = rows, strategy = per-step"."""
    return ", ".join(f"{name} = {value}" for name, value in settings.items())
