"""Campaigns of a program that takes no time, run as users run them. Shared by tests/campaign."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[1]
WEFT = os.environ.get("WEFT", str(REPO / "build" / "bin" / "weft"))
LAUNCHER = shlex.split(os.environ.get("WEFT_MPIEXEC", "mpiexec.openmpi --oversubscribe --bind-to none"))

PATIENCE = 120.0

# Writes its output, notes that it ran, and reports; --fail, --sleep, --stubborn, --garbage, --surrogate and --bytes make it do
# other things.
PROGRAM = """
import argparse, json, os, signal, sys, time
parser = argparse.ArgumentParser()
parser.add_argument("--out", required=True)
parser.add_argument("--json", action="store_true")
parser.add_argument("--way", default="a")
parser.add_argument("--size", type=int, default=1)
parser.add_argument("--fail", action="store_true")
parser.add_argument("--garbage", action="store_true")
parser.add_argument("--stubborn", action="store_true")
parser.add_argument("--surrogate", action="store_true")
parser.add_argument("--sleep", type=float, default=0)
parser.add_argument("--bytes", type=int, default=10)
given = parser.parse_args()
with open(given.out, "wb") as file:
    file.write(b"x" * given.bytes)
if "RUNS" in os.environ:
    with open(os.environ["RUNS"], "a") as runs:
        runs.write(f"{given.way} {given.size}\\n")
def report(*_):
    seconds = given.size * {"a": 1.0, "b": 0.5, "c": 0.5}[given.way] * (1 + 0.01 * (os.getpid() % 7))
    told = {"seconds": {"output": seconds, "write": seconds / 4, "endless": float("inf")}, "bytes": given.bytes}
    told["blas threads"] = os.environ.get("OPENBLAS_NUM_THREADS")
    print(json.dumps({**told, "cwd": os.getcwd(), "name": "\\ud800" if given.surrogate else "fake"}))
    sys.exit(0)
if given.stubborn:
    signal.signal(signal.SIGTERM, report)
time.sleep(given.sleep)
if given.fail:
    sys.exit("fake: error: it was told to fail")
if given.garbage:
    print("no JSON at all")
    sys.exit(0)
report()
"""

CAMPAIGN = """\
title = "Fake"
question = "Which is quicker, a or b?"

[run]
program = ["{python}", "-I", "-S", "{here}/fake.py"]
launcher = "none"
repeats = 3
seed = 7

[matrix]
way = ["a", "b"]
size = [1, 2]

[report]
compare = "way"
"""


@dataclass
class Outcome:
    code: int
    out: str
    err: str

    @property
    def error_lines(self) -> list[str]:
        return [line for line in self.err.splitlines() if "weft: error:" in line]


def environment(extra: dict[str, str] | None = None) -> dict[str, str]:
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120", **(extra or {})}


def weft(*words: object, env: dict[str, str] | None = None, cwd: Path | None = None) -> Outcome:
    done = subprocess.run(
        [WEFT, *map(str, words)], env=environment(env), cwd=cwd, capture_output=True, text=True, timeout=PATIENCE,
        check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Outcome(done.returncode, done.stdout, done.stderr)


def write_campaign(folder: Path, text: str = CAMPAIGN, *changes: tuple[str, str]) -> Path:
    """The program and a campaign's file, with some of its text changed."""
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "fake.py").write_text(PROGRAM)
    file = folder / "fake.toml"
    file.write_text(text)
    return file


def lines_of(results: Path) -> list[dict[str, Any]]:
    """The file's lines, every result whole: of a setting the first line says what the others leave out."""
    first: dict[int, dict[str, Any]] = {}
    lines = []
    for text in (results / "results.jsonl").read_text().splitlines():
        line = json.loads(text)
        setting = line.pop("setting", None)
        if setting is not None:
            line = merged(first.setdefault(setting, line), line)
            line["key"] = ", ".join(f"{axis}={name}" for axis, name in line["choice"].items()) + f" #{line['repeat']}"
        lines.append(line)
    return lines


def merged(first: Any, said: Any) -> Any:
    """As RFC 7396 has it."""
    if not isinstance(first, dict) or not isinstance(said, dict):
        return said
    together = {**first, **{name: merged(first.get(name), value) for name, value in said.items()}}
    return {name: value for name, value in together.items() if value is not None}


def results_of(results: Path) -> list[dict[str, Any]]:
    return [line for line in lines_of(results) if line["record"] == "result"]
