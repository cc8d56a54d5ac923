"""What every benchmark here does the same way: run, repeat in random order, report median and spread."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run_json(command: Sequence[str]) -> dict:
    """Runs a command that prints one JSON object; its standard error is shown when it fails."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    done = subprocess.run(list(command), capture_output=True, text=True, env=environment, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def settle(folder: Path) -> None:
    """Brings what earlier runs left in the page cache to the disk, so that nobody pays for the one before."""
    subprocess.run(["sync", "-f", str(folder)], check=True)


def rounds(count: int, cases: dict[str, Callable[[], None]], seed: int | None = None) -> None:
    """Runs every case once a round, in an order drawn anew for each round. Progress goes to standard error."""
    chance = random.Random(seed)
    for number in range(count):
        order = list(cases)
        chance.shuffle(order)
        for name in order:
            print(f"round {number + 1} of {count}: {name}", file=sys.stderr, flush=True)
            cases[name]()


def spread(values: Sequence[float], unit: str = "s", scale: float = 1.0) -> str:
    """Median, least and greatest, as '1.23 s (1.10 - 1.50)'."""
    scaled = [value * scale for value in values]
    return f"{statistics.median(scaled):.3g} {unit} ({min(scaled):.3g} - {max(scaled):.3g})"


def ratios(values: Sequence[float], yardstick: Sequence[float]) -> list[float]:
    """Round by round, so that a slow minute of the machine counts on both sides."""
    return [value / base for value, base in zip(values, yardstick, strict=True)]
