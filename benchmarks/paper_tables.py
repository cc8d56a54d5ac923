#!/usr/bin/env python3
"""benchmarks/paper_tables.py - whether `weft predict` tells the times in the papers' tables, on the papers' machines.

    .venv-python/bin/python benchmarks/paper_tables.py judge --build build
    .venv-python/bin/python benchmarks/paper_tables.py calibrate --build build      # writes the profiles again

Nobody here can probe these machines. Half of each table's cells, drawn by SEED, make a profile: each of a few numbers of
it (NUMBERS) is set so that the cells drawn which it decides come out right. A number that no drawn cell decides is that
of a plain store (`plain_cost`). The other half is then predicted, with the commands of COMMANDS. Cells are those of the
shipped campaigns (campaign.toml, [paper]).
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import random
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parent.parent
PROFILES = REPO / "stores" / "profiles"
SEED = 23
ROUNDS = 3
OST_OF_ARCHER = 500e6  # bytes a second: paper 1
OST_OF_KRAKEN = 30e9 / 336  # paper 3

HEART = "ecg --nodes 3253316 --steps 151 --afterwards paper"
ON_ARCHER = "--ranks 192 --per-node 24"
WAVE = "awp --grid 10125x5000x1060 --skip 2 --steps-per-file 20 --ranks 30000 --per-node 12"
FLAME = "picmss --grid 256x256x256 --steps 10 --ghost --ranks 3000 --per-node 12"
SEARCH = "blast --tasks 3000000 --ranks-per-node 12 --collect 768MiB --write 768MiB --codec zlib --ranks 24576"
# What the papers ran, as arguments of weft predict: by campaign and setting.
COMMANDS = {
    ("ecg-table-1", "default"): f"{HEART} {ON_ARCHER} --layout rows --strategy per-step --afterwards-cache 8MiB",
    ("ecg-table-1", "new"): f"{HEART} {ON_ARCHER} --layout isotropic --strategy per-step --afterwards-cache 4GiB",
    ("ecg-table-1", "new + cache"): f"{HEART} {ON_ARCHER} --layout isotropic --strategy cached --afterwards-cache 4GiB",
    ("ecg-table-2", "unaligned"): f"{HEART} {ON_ARCHER} --layout isotropic --strategy cached --afterwards-cache 4GiB",
    ("ecg-table-2", "aligned"): (
        f"{HEART} {ON_ARCHER} --layout isotropic --strategy cached --afterwards-cache 4GiB --align 1MiB"
    ),
    ("awp-table-1", "hindexed"): f"{WAVE} --strategy hindexed",
    ("awp-table-1", "subarray"): f"{WAVE} --strategy subarray",
    ("blast-table-2", "immediate"): f"{SEARCH} --strategy immediate",
    ("blast-table-2", "two-stage"): f"{SEARCH} --strategy two-stage",
    ("picmss-table-3", "original"): f"{FLAME} --strategy reopen-elementwise",
    ("picmss-table-3", "typed-collective"): f"{FLAME} --strategy typed-collective",
}


@dataclass(frozen=True)
class Cell:
    """A number of a table: of one setting, one measure, and where the paper lists repeats, of one of them."""

    table: str
    setting: str
    measure: str
    repeat: int
    value: float  # as the paper has it: seconds, or MB/s

    @property
    def what(self) -> tuple[str, str, str]:
        return self.table, self.setting, self.measure


def cells_of(table: str) -> list[Cell]:
    campaign = tomllib.loads((REPO / "campaigns" / table / "campaign.toml").read_text())
    cells = []
    for entry in campaign["paper"]["values"]:
        setting = entry.get("way") or entry["alignment"]
        for measure, value in entry.items():
            if measure in ("way", "alignment"):
                continue
            repeats = value["each"] if isinstance(value, dict) else value[:1]  # [mean, standard error]
            cells += [Cell(table, setting, measure, number, repeat) for number, repeat in enumerate(repeats)]
    return cells


def drawn(seed: int) -> tuple[list[Cell], list[Cell]]:
    """The cells that a profile is made of, and those that are predicted. Of an odd number the most are predicted."""
    chance = random.Random(seed)
    known: list[Cell] = []
    left: list[Cell] = []
    for table in dict.fromkeys(table for table, _ in COMMANDS):
        cells = cells_of(table)
        chosen = set(chance.sample(range(len(cells)), len(cells) // 2))
        for number, cell in enumerate(cells):
            (known if number in chosen else left).append(cell)
    return known, left


@dataclass
class Number:
    """One number of a profile: what a request, or a call, takes of the store; and the cells that decide it."""

    cells: list[tuple[str, str, str]]
    seconds: float
    size: int = 0  # of the request
    kinds: list[tuple[str, str]] = field(default_factory=list)  # ("write", "apart"), ..


def plain_cost(size: int, servers: int, speed: float, answers: int = 1) -> float:
    """Of a store of so many servers, each of which answers in 1 ms and moves so many bytes a second."""
    return (1e-3 * answers + size / speed) / servers


# Where ranks write into the same stripe in turn: the lock is asked for, taken back from whoever has it, what that one
# wrote is written, and then the bytes are.
IN_TURN = 4


def both(measure: str) -> list[tuple[str, str, str]]:
    """Of the new chunks, however they were written."""
    of_first = [("ecg-table-1", way, measure) for way in ("new", "new + cache")]
    return of_first + [("ecg-table-2", way, measure) for way in ("unaligned", "aligned")]


def archer() -> dict[str, Number]:
    def number(size: int, kinds: list[tuple[str, str]], cells: list[tuple[str, str, str]]) -> Number:
        return Number(cells, plain_cost(size, 4, OST_OF_ARCHER), size, kinds)

    anywhere = [("write", "apart"), ("write", "in turn")]
    return {
        "write, a row": number(1 << 18, [("write", "apart")], [("ecg-table-1", "default", "Output")]),
        "write, a piece": Number(
            [("ecg-table-1", "new", "Output")], plain_cost(1 << 13, 4, OST_OF_ARCHER, IN_TURN), 1 << 13, IN_ONE_FILE
        ),
        "write, a chunk": number(1 << 20, anywhere, [c for c in both("Output") if c[1] != "new"]),
        "read, a row": number(1 << 18, [("read", "apart")], [("ecg-table-1", "default", "DataConv")]),
        "read, a page": number(1 << 12, [("read", "apart")], [("ecg-table-1", "default", "PostProc")]),
        "read, a chunk": number(1 << 20, [("read", "apart")], both("PostProc")),
        "write, own files": number(1 << 23, [("write", "own files")], both("DataConv")),
    }


def kraken() -> dict[str, Number]:
    def number(size: int, kinds: list[tuple[str, str]], cells: list[tuple[str, str, str]]) -> Number:
        return Number(cells, plain_cost(size, 160, OST_OF_KRAKEN), size, kinds)

    compression = [("blast-table-2", way, "compression") for way in ("immediate", "two-stage")]
    return {
        "write, a row": Number(
            [("awp-table-1", "subarray", "bandwidth")],
            plain_cost(1 << 8, 160, OST_OF_KRAKEN, IN_TURN),
            1 << 8,
            IN_ONE_FILE,
        ),
        "mpi type of a value": Number([("awp-table-1", "hindexed", "bandwidth")], 1e-7),
        "write, a value": number(8, [("write", "apart")], [("picmss-table-3", "original", "bandwidth")]),
        "write, an array": number(1 << 16, [("write", "apart")], [("picmss-table-3", "typed-collective", "bandwidth")]),
        # A file of a writer's own lies on one server: this is what one of them takes.
        "write, a result": Number(
            [("blast-table-2", "immediate", "write")], plain_cost(1 << 15, 1, OST_OF_KRAKEN), 1 << 15, OWN
        ),
        "write, results": Number(
            [("blast-table-2", "two-stage", "write")], plain_cost(1 << 25, 1, OST_OF_KRAKEN), 1 << 25, OWN
        ),
        "zlib": Number(compression, 1 / 25e6),  # a byte
    }


OWN = [("write", "own files")]
IN_ONE_FILE = [("write", "in turn")]
MACHINES: dict[str, tuple[Callable[[], dict[str, Number]], int, int, int, int, float, str]] = {
    # numbers, ranks, nodes, servers of a file, all servers, bytes a second of one
    "archer": (archer, 192, 8, 4, 48, OST_OF_ARCHER, "ARCHER (Lustre, 4 stripes)"),
    "kraken": (kraken, 30000, 2500, 160, 336, OST_OF_KRAKEN, "Kraken (Lustre, 160 stripes)"),
}
MACHINE_OF = {"ecg-table-1": "archer", "ecg-table-2": "archer"}


def machine_of(table: str) -> str:
    return MACHINE_OF.get(table, "kraken")


def curve(anchors: dict[int, float], size: int) -> float:
    """Seconds of a request, from those of a few sizes: on logarithmic scales between two, level below, bytes beyond."""
    sizes = sorted(anchors)
    if size <= sizes[0]:
        return anchors[sizes[0]]
    if size >= sizes[-1]:
        return anchors[sizes[-1]] * size / sizes[-1]
    above = next(number for number in sizes if number >= size)
    below = max(number for number in sizes if number < size)
    part = math.log(size / below) / math.log(above / below)
    return anchors[below] ** (1 - part) * anchors[above] ** part


def profile_of(machine: str, numbers: dict[str, Number], seed: int) -> dict[str, Any]:
    _, ranks, nodes, servers, all_servers, speed, name = MACHINES[machine]
    anchors: dict[tuple[str, str], dict[int, float]] = {}
    for number in numbers.values():
        for kind in number.kinds:
            anchors.setdefault(kind, {})[number.size] = number.seconds
    # A number for long requests says nothing of short ones: these take a server's 1 ms.
    of_own_files = anchors[("write", "own files")]
    if min(of_own_files) > 1 << 16:
        of_own_files[8] = plain_cost(8, 1, speed)
    sizes = sorted({8, *(number.size for number in numbers.values() if number.size)})
    requests = []
    for access, (sharing, askers), size in itertools.product(
        ("write", "read"), (("own files", 1), ("own files", ranks), ("apart", ranks), ("in turn", ranks)), sizes
    ):
        known = anchors.get((access, sharing))
        own = sharing == "own files"
        # A request waits for one server; all together for those of a file, or for all that there are.
        answers = IN_TURN if sharing == "in turn" and access == "write" else 1
        seconds = curve(known, size) if known else plain_cost(size, 1 if own else servers, speed, answers)
        if own and askers > 1:
            seconds /= all_servers
        requests.append(
            {
                "access": access,
                "sharing": sharing,
                "bytes": size,
                "ranks": askers,
                "threads": 1,
                "request_s": seconds * askers,
                "bytes_per_s": size / seconds,
            }
        )
    calls = [
        {"call": call, "ranks": 1, "call_s": number.seconds, "calls_per_s": 1 / number.seconds}
        for call, number in numbers.items()
        if call.startswith("mpi")
    ]
    rates = {"zlib": 1 / numbers["zlib"].seconds} if "zlib" in numbers else {}
    return {
        "weft_store_profile": 1,
        "name": name,
        "file_system": "lustre",
        "taken": f"half of the papers' tables, seed {seed} (benchmarks/paper_tables.py)",
        "ranks": ranks,
        "nodes": nodes,
        "striping": {"bytes": 1 << 20, "count": servers, "known_from": "the paper"},
        "copy_bytes_per_s": 5e9,
        "sync_bytes_per_s": 0,
        "rates": rates,
        "calls": calls,
        "requests": requests,
    }


class Predictions:
    """weft predict on a profile; what it said is kept."""

    def __init__(self, build: Path, profile: Path) -> None:
        self.weft = str(build / "bin" / "weft")
        self.profile = profile
        self.said: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, cell: tuple[str, str, str]) -> float:
        table, setting, measure = cell
        if (table, setting) not in self.said:
            words = [self.weft, "predict", *COMMANDS[table, setting].split(), "--store", str(self.profile), "--json"]
            ended = subprocess.run(words, capture_output=True, text=True, check=True)
            self.said[table, setting] = json.loads(ended.stdout)
        report = self.said[table, setting]
        if measure == "bandwidth":
            return float(report["bytes"] / 1e6 / report["seconds"]["output"]["middle"])
        where = {
            "Output": ("seconds", "output"),
            "DataConv": ("afterwards", "conversion"),
            "PostProc": ("afterwards", "post_processing"),
            "compression": ("seconds", "compress"),
            "write": ("seconds", "write"),
        }
        group, phase = where[measure]
        return float(report[group][phase]["middle"])


def said_of(cells: list[Cell], predictions: Predictions) -> dict[tuple[str, str, str], float]:
    return {cell.what: predictions.of(cell.what) for cell in cells}


def duration(cell: Cell, value: float) -> float:
    """In proportion to a time: a bandwidth is the inverse of one."""
    return 1 / value if cell.measure == "bandwidth" else value


def calibrate(build: Path, seed: int, profiles: Path) -> None:
    """Sets one number after another, so that the cells that it decides come out right, in ROUNDS rounds."""
    known, _ = drawn(seed)
    for machine, (make, *_) in MACHINES.items():
        numbers = make()
        path = profiles / f"{machine}.json"

        def written(numbers: dict[str, Number], machine: str = machine, path: Path = path) -> Predictions:
            path.write_text(json.dumps(profile_of(machine, numbers, seed), indent=1) + "\n")
            return Predictions(build, path)

        for _ in range(ROUNDS):
            for name, number in numbers.items():
                cells = [cell for cell in known if cell.what in number.cells]
                if not cells:
                    continue
                before = number.seconds
                now = said_of(cells, written(numbers))
                number.seconds = 1.5 * before
                more = said_of(cells, written(numbers))
                # Times are so much fixed and so much in proportion to the number.
                wanted = []
                for cell in cells:
                    seconds = [duration(cell, said[cell.what]) for said in (now, more)]
                    slope = (seconds[1] - seconds[0]) / (0.5 * before)
                    aim = duration(cell, cell.value)
                    if slope > 1e-9 * seconds[0] / before:
                        wanted.append(max(before / 100, before + (aim - seconds[0]) / slope))
                number.seconds = math.exp(sum(map(math.log, wanted)) / len(wanted)) if wanted else before
        written(numbers)
        for name, number in numbers.items():
            count = sum(cell.what in number.cells for cell in known)
            print(f"{machine}: {name:<22} {number.seconds:.4g} s, from {count} cells")


def pairs_of(cells: list[Cell]) -> Iterator[tuple[Cell, Cell]]:
    """Cells of one table and measure that are of different settings."""
    for one, other in itertools.combinations(cells, 2):
        if (one.table, one.measure) == (other.table, other.measure) and one.setting != other.setting:
            yield one, other


def judge(build: Path, seed: int, profiles: Path) -> bool:
    _, left = drawn(seed)
    of_machine = {machine: Predictions(build, profiles / f"{machine}.json") for machine in MACHINES}

    def said(cell: Cell) -> float:
        return of_machine[machine_of(cell.table)].of(cell.what)

    def off(cell: Cell) -> float:
        return abs(math.log(said(cell) / cell.value))

    print(f"{'table':<16}{'setting':<18}{'':<12}{'paper':>10}{'predicted':>11}   factor")
    for cell in sorted(left, key=off, reverse=True):
        print(
            f"{cell.table:<16}{cell.setting:<18}{cell.measure:<12}{cell.value:>10.4g}{said(cell):>11.4g}"
            f"   {math.exp(off(cell)):.2f}"
        )
    error = math.exp(sum(map(off, left)) / len(left)) - 1
    pairs = list(pairs_of(left))
    right = sum((said(one) - said(other)) * (one.value - other.value) > 0 for one, other in pairs)
    print(
        f"{len(left)} cells predicted: geometric mean error {100 * error:.0f} %, {right} of {len(pairs)} pairs in order"
    )
    return error <= 0.3 and right >= 0.9 * len(pairs)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["calibrate", "judge"])
    parser.add_argument("--build", type=Path, default=REPO / "build")
    parser.add_argument("--seed", type=int, default=SEED, help="another draw, for comparison; say --profiles with it")
    parser.add_argument("--profiles", type=Path, default=PROFILES, help="where the profiles are")
    arguments = parser.parse_args()
    if arguments.what == "calibrate":
        calibrate(arguments.build, arguments.seed, arguments.profiles)
    return 0 if judge(arguments.build, arguments.seed, arguments.profiles) else 1


if __name__ == "__main__":
    sys.exit(main())
