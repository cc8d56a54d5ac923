#!/usr/bin/env python3
"""benchmarks/campaign_order.py - whether `weft predict` puts the settings of the shipped campaigns in the right order.

    .venv-python/bin/python benchmarks/campaign_order.py --build build

Of each campaign's kept results on a store, every pair of settings is taken that the campaign can tell apart: the
paired t-test of their output times, repeat by repeat, at 5 %, as its report does it. No result goes into a prediction.
Needs the Python package of this tree.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from weft.report.loading import load
from weft.report.statistics import paired_ratio

LEVEL = 0.05
# Where results were measured, and the profile of that store.
STORES = {"local-disk": "local-disk", "striped-1ms": "striped-1ms", "two-clients": "cephfs"}


@dataclass
class Setting:
    command: str
    ranks: str
    seconds: dict[int, float] = field(default_factory=dict)  # by repeat
    said: float = 0

    @property
    def median(self) -> float:
        return statistics.median(self.seconds.values())


def settings_of(results: Path) -> list[Setting]:
    settings: dict[str, Setting] = {}
    for result in load(results).found.of_experiments:
        if result["status"] != "ok" or not result["command"].startswith("weft run "):
            continue
        choice = json.dumps(result["choice"], sort_keys=True)
        ranks = str(result["settings"].get("ranks", 1))
        setting = settings.setdefault(choice, Setting(result["command"], ranks))
        setting.seconds[result["repeat"]] = result["report"]["seconds"]["output"]
    return list(settings.values())


def predicted(build: str, profile: Path, setting: Setting) -> float:
    words = shlex.split(setting.command)[2:]
    place = words.index("--out")
    del words[place : place + 2]
    told = [f"{build}/bin/weft", "predict", *words, "--store", str(profile), "--ranks", setting.ranks]
    ended = subprocess.run(told, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(told)}\n{ended.stderr}")
    of: dict[str, Any] = json.loads(ended.stdout)
    return float(of["seconds"]["output"]["middle"])


def told_apart(one: Setting, other: Setting) -> bool:
    repeats = sorted(one.seconds.keys() & other.seconds.keys())
    if len(repeats) < 2:
        return False
    ratio = paired_ratio([one.seconds[r] for r in repeats], [other.seconds[r] for r in repeats])
    return ratio.p < LEVEL


def pairs_in_order(settings: list[Setting], show_wrong: bool) -> tuple[int, int]:
    """How many pairs that can be told apart are in the right order, of how many. The same prediction twice is wrong."""
    right = pairs = 0
    for i, one in enumerate(settings):
        for other in settings[:i]:
            if not told_apart(one, other):
                continue
            pairs += 1
            quick, slow = sorted((one, other), key=lambda setting: setting.median)
            if quick.said < slow.said:
                right += 1
            elif show_wrong:
                for setting in (quick, slow):
                    print(f"    {setting.median:.4g} s, said {setting.said:.4g} s: {setting.command}")
    return right, pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build")
    parser.add_argument("--tree", type=Path, default=Path(__file__).resolve().parent.parent, help="where campaigns/ is")
    parser.add_argument("--wrong", action="store_true", help="print the pairs in the wrong order")
    arguments = parser.parse_args()
    all_right = all_pairs = 0
    for store, profile in STORES.items():
        for results in sorted(arguments.tree.glob(f"campaigns/*/results/{store}")):
            settings = settings_of(results)
            if not settings:
                continue  # of a program that is no kernel
            for setting in settings:
                setting.said = predicted(arguments.build, arguments.tree / f"stores/profiles/{profile}.json", setting)
            right, pairs = pairs_in_order(settings, arguments.wrong)
            print(f"{store}, {results.parts[-3]}: {len(settings)} settings, {right} of {pairs} pairs in order")
            all_right += right
            all_pairs += pairs
    print(f"{all_right} of {all_pairs} pairs in order, {all_right / max(1, all_pairs):.1%}")


if __name__ == "__main__":
    main()
