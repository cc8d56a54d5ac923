#!/usr/bin/env python3
"""benchmarks/predictions.py - how far `weft predict` is from what a run takes.

Cases are drawn at random from the space below by a seed, run several times in an order drawn anew, and their
predictions come from a profile that `weft probe` made. No figure of a run goes into a prediction.
Each run that is timed follows one that is not, which is the same: it finds memory that the system has, on a virtual
machine, too (docs/predicting.md).

    benchmarks/predictions.py measure --build build --folder /scratch/me --store local-disk --cases 60 --out results.jsonl
    benchmarks/predictions.py judge --build build --profile local.json results.jsonl
    benchmarks/predictions.py judge ... --half first        # the half to look at while the model is made
    benchmarks/predictions.py judge ... --seeds 821 822 823 # only what these drew
    benchmarks/predictions.py try-advice --profile local.json --folder /scratch/me --cases 30 --out advice.jsonl

`try-advice` runs every way that `weft advise` names, and says how far its first choice is from the best;
`judge-advice` asks again, and looks in what was run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import settle

Case = dict[str, str]  # kernel, and options by name

# Sizes of a case, in points or records, as (least, most): drawn evenly on a logarithmic scale. "slow" is for stores
# where a request takes a millisecond.
SIZES = {
    "fast": {"nodes": (8000, 400000), "points": (2000, 600000), "records": (500, 12000), "problems": (1, 5)},
    "slow": {"nodes": (2000, 30000), "points": (100, 2000), "records": (100, 1500), "problems": (1, 3)},
}
ECG = [("reads", "owner"), ("rows", "owner"), ("isotropic", "owner"), ("isotropic", "cached"), ("rows", "cached"),
       ("rows", "per-step"), ("isotropic", "per-step")]


def along(draw: random.Random, limits: tuple[int, int]) -> int:
    least, most = limits
    return round(math.exp(draw.uniform(math.log(least), math.log(most))))


def draw_case(draw: random.Random, pace: str) -> Case:
    sizes = SIZES[pace]
    kernel = draw.choice(["ecg", "ecg", "hard", "hard", "awp", "mhm", "picmss", "blast"])
    case: Case = {"kernel": kernel, "ranks": str(draw.choice([1, 2, 2]))}
    if kernel == "ecg":
        layout, strategy = draw.choice(ECG)
        case |= {"nodes": str(along(draw, sizes["nodes"])), "steps": str(draw.choice([60, 151])), "layout": layout,
                 "strategy": strategy, "sync": draw.choice(["none", "commit"])}
    elif kernel == "hard":
        case |= {"strategy": draw.choice(["files", "raw", "collective", "hdf5", "series"]),
                 "records": str(along(draw, sizes["records"]))}
        if draw.random() < 0.5:
            case["sync"] = ""
    elif kernel == "awp":
        edge = round(along(draw, sizes["points"]) ** (1 / 3))
        case |= {"strategy": draw.choice(["hindexed", "hindexed-rows", "subarray", "series"]),
                 "grid": f"{4 * edge}x{2 * edge}x{max(2, edge)}"}
    elif kernel == "mhm":
        case |= {"strategy": draw.choice(["files", "files", "series"]),
                 "ccross": str(draw.randint(*sizes["problems"])), "sub-elements": str(draw.choice([32, 64, 128]))}
    elif kernel == "picmss":
        edge = max(6, round(along(draw, sizes["points"]) ** (1 / 3)))
        case |= {"strategy": draw.choice(["typed", "typed-collective", "series"]), "grid": f"{edge}x{edge}x{edge}",
                 "steps": "10", "ghost": ""}
    else:
        case |= {"strategy": draw.choice(["immediate", "two-stage"]), "tasks": str(draw.randint(50, 400)),
                 "ranks-per-node": "4", "ranks": "4"}
    return case


def command_of(case: Case) -> list[str]:
    words = [case["kernel"]]
    for name, value in case.items():
        if name not in ("kernel", "ranks"):
            words += [f"--{name}"] + ([value] if value else [])
    return words


def empty(folder: Path) -> None:
    """Gives the bytes back, and keeps the files: ext4 looks through all that were removed in the last minutes when it
    makes another, which takes up to ten times as long."""
    for file in folder.rglob("*"):
        if file.is_file():
            os.truncate(file, 0)


def report_of(arguments: argparse.Namespace, words: list[str], ranks: str) -> dict:
    """Of the second of two runs that are the same."""
    for _ in range(2):
        folder = Path(tempfile.mkdtemp(dir=arguments.folder, prefix="weft-predictions-"))
        command = [*shlex.split(arguments.mpiexec), "-n", ranks, f"{arguments.build}/bin/weft", "run", *words, "--json",
                   "--out", str(folder / "out")]
        settle(folder)
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            sys.exit(f"{shlex.join(command)}\n{ended.stderr}")
        empty(folder)
    return json.loads(ended.stdout)


def remove_all(arguments: argparse.Namespace) -> None:
    for folder in Path(arguments.folder).glob("weft-predictions-*"):
        shutil.rmtree(folder, ignore_errors=True)


def measure(arguments: argparse.Namespace) -> None:
    draw = random.Random(arguments.seed)
    cases = [draw_case(draw, arguments.pace) for _ in range(arguments.cases)]
    runs = [(number, repeat) for number in range(len(cases)) for repeat in range(arguments.repeats)]
    random.Random(arguments.seed + 1).shuffle(runs)
    with open(arguments.out, "a") as out:
        for done, (number, repeat) in enumerate(runs):
            case = cases[number]
            report = report_of(arguments, command_of(case), case["ranks"])
            line = {"store": arguments.store, "seed": arguments.seed, "case": number, "repeat": repeat, "run": case,
                    "bytes": report["bytes"], "seconds": report["seconds"], "writers": report.get("writers"),
                    "counters": report["counters"]}
            out.write(json.dumps(line) + "\n")
            out.flush()
            if done % 20 == 19:
                print(f"{done + 1} of {len(runs)} runs", file=sys.stderr)
    if not arguments.keep:
        remove_all(arguments)


def predicted(build: str, profile: str, case: Case) -> dict:
    words = [f"{build}/bin/weft", "predict", *command_of(case), "--store", profile, "--ranks", case["ranks"], "--json"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(words)}\n{ended.stderr}")
    return json.loads(ended.stdout)


def judge(arguments: argparse.Namespace) -> None:
    runs: dict[str, list[dict]] = {}
    for path in arguments.results:
        for line in Path(path).read_text().splitlines():
            run = json.loads(line)
            if arguments.seeds and run["seed"] not in arguments.seeds:
                continue
            runs.setdefault(json.dumps(run["run"], sort_keys=True), []).append(run)
    rows = []
    for number, (_, repeats) in enumerate(sorted(runs.items())):
        if arguments.half and (number % 2 == 0) != (arguments.half == "first"):
            continue
        case = repeats[0]["run"]
        seconds = [run["seconds"]["output"] for run in repeats]
        said = predicted(arguments.build, arguments.profile, case)["seconds"]
        rows.append((case, statistics.median(seconds), min(seconds), max(seconds), said))
    rows.sort(key=lambda row: (row[0]["kernel"], row[0]["strategy"]))
    if arguments.json:
        print(json.dumps(summary(rows)))
        return
    for case, middle, least, most, said in rows:
        output = said["output"]
        rest = " ".join(f"{name}={value}" for name, value in case.items() if name not in ("kernel", "strategy"))
        phases = " ".join(f"{name} {of['middle']:.3g}" for name, of in said.items() if name != "output")
        print(f"{case['kernel']:6} {case['strategy']:16} {rest:58} {middle:8.4f} ({least:.4f} - {most:.4f})"
              f"  said {output['middle']:8.4f}  {output['middle'] / middle:5.2f}  {phases if arguments.phases else ''}")
    of = summary(rows)
    print(f"{of['cases']} cases: median error {of['median_error']:.1%}, 80 % within {of['most_are_within']:.0%}, worst "
          f"{of['worst']:.2f} times; {of['in_interval']:.0%} in their interval; {of['in_order']:.1%} of {of['pairs']} "
          "pairs in order")


def advised(build: str, profile: str, case: Case) -> dict:
    left_out = ("strategy", "layout", "kernel", "ranks")
    words = [f"{build}/bin/weft", "advise", *command_of({k: v for k, v in case.items() if k not in left_out} |
                                                        {"kernel": case["kernel"]}),
             "--store", profile, "--ranks", case["ranks"], "--json"]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode != 0:
        sys.exit(f"{shlex.join(words)}\n{ended.stderr}")
    return json.loads(ended.stdout)


def of_the_store(command: str) -> Case:
    """The options that `weft advise` adds for the store; what "reads" chooses hangs on them."""
    words = shlex.split(command)
    return {word[2:]: words[words.index(word) + 1] for word in ("--latency", "--bandwidth") if word in words}


def writing(way: dict, which: str = "middle") -> float:
    return way["prediction"]["seconds"]["output"][which]


def timed_ways(arguments: argparse.Namespace, shared: Case, ranks: str, ways: list[str],
               draw: random.Random) -> dict[str, list[float]]:
    """Seconds of each way. The first one and those near the best run three times as often: the least of several medians
    is lower than what it is the median of."""
    seconds: dict[str, list[float]] = {options: [] for options in ways}

    def run(those: list[str], repeats: int) -> None:
        runs = [options for options in those for _ in range(repeats)]
        draw.shuffle(runs)
        for options in runs:
            words = command_of(shared) + options.split()
            seconds[options].append(report_of(arguments, words, ranks)["seconds"]["output"])

    run(ways, arguments.repeats)
    middles = {options: statistics.median(times) for options, times in seconds.items()}
    quick = min(middles.values())
    run([options for options in ways if options == ways[0] or middles[options] < 1.4 * quick], 2 * arguments.repeats)
    return seconds


def try_advice(arguments: argparse.Namespace) -> None:
    draw = random.Random(arguments.seed)
    near = 0
    with open(arguments.out, "a") as out:
        for number in range(arguments.cases):
            case = draw_case(draw, arguments.pace)
            # The runs write and do not read, so the order is that of what writing is said to take.
            advice = advised(arguments.build, arguments.profile, case)
            ways = sorted(advice["ways"], key=writing)
            shared = {k: v for k, v in case.items() if k not in ("strategy", "layout")} | of_the_store(advice["next"])
            # Ways that are surely ten times slower are not run: the first is then not within 10 % of them for the worse.
            ways = [way for way in ways if writing(way) < arguments.most * writing(ways[0])]
            first = ways[0]["options"]
            seconds = timed_ways(arguments, shared, case["ranks"], [way["options"] for way in ways], random.Random(number))
            middles = {options: statistics.median(times) for options, times in seconds.items()}
            best = min(middles, key=lambda options: middles[options])
            ratio = middles[first] / middles[best]
            of_best = next(way for way in ways if way["options"] == best)
            cannot_tell = writing(of_best, "least") <= writing(ways[0], "most")
            near += ratio <= 1.1
            out.write(json.dumps({"store": arguments.store, "seed": arguments.seed, "case": number, "run": shared,
                                  "first": first, "best": best, "ratio": ratio, "cannot_tell": cannot_tell,
                                  "seconds": seconds}) + "\n")
            out.flush()
            print(f"{number:3} {case['kernel']:6} first {first:38} {ratio:5.2f} of the best, {best}"
                  f"{'' if cannot_tell else ' (said to be slower)'}", flush=True)
    remove_all(arguments)
    print(f"{near} of {arguments.cases} first choices are within 10 % of the best")


def judge_advice(arguments: argparse.Namespace) -> None:
    """Today's first choice of each case that `try-advice` ran, by what the ways took then."""
    cases = near = 0
    for path in arguments.results:
        for line in Path(path).read_text().splitlines():
            tried = json.loads(line)
            case = {name: value for name, value in tried["run"].items() if name not in ("latency", "bandwidth")}
            middles = {options: statistics.median(times) for options, times in tried["seconds"].items()}
            first = min(advised(arguments.build, arguments.profile, case)["ways"], key=writing)["options"]
            # A way that was not run was said to be several times slower than the first one of that time.
            ratio = middles.get(first, math.inf) / min(middles.values())
            cases += 1
            near += ratio <= 1.1
            if ratio > 1.1 and not arguments.json:
                rest = " ".join(f"{name}={value}" for name, value in case.items())
                print(f"{rest}: {first} took {ratio:.2f} of the best, {min(middles, key=lambda way: middles[way])}")
    if arguments.json:
        print(json.dumps({"cases": cases, "near": near}))
    else:
        print(f"{near} of {cases} first choices are within 10 % of the best")


def summary(rows: list[tuple]) -> dict[str, float]:
    errors = [abs(math.log(said["output"]["middle"] / middle)) for _, middle, _, _, said in rows]
    inside = [said["output"]["least"] <= middle <= said["output"]["most"] for _, middle, _, _, said in rows]
    pairs = right = 0
    for one in range(len(rows)):
        for other in range(one):
            # Of two settings that can be told apart the one is always quicker.
            low, high = sorted((rows[one], rows[other]), key=lambda row: row[1])
            if low[3] >= high[2]:
                continue
            pairs += 1
            right += low[4]["output"]["middle"] < high[4]["output"]["middle"]
    return {"cases": len(rows), "median_error": math.exp(statistics.median(errors)) - 1,
            "most_are_within": math.exp(sorted(errors)[int(0.8 * len(errors))]) - 1, "worst": math.exp(max(errors)),
            "in_interval": sum(inside) / len(inside), "in_order": right / max(pairs, 1), "pairs": pairs}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    actions = parser.add_subparsers(required=True)
    run = actions.add_parser("measure")
    run.add_argument("--build", default="build")
    run.add_argument("--folder", required=True)
    run.add_argument("--store", required=True, help="a name for the store, kept with the results")
    run.add_argument("--pace", choices=SIZES, default="fast")
    run.add_argument("--cases", type=int, default=60)
    run.add_argument("--repeats", type=int, default=3)
    run.add_argument("--seed", type=int, default=23)
    run.add_argument("--keep", action="store_true", help="the emptied files stay: a profile is to be taken next")
    run.add_argument("--mpiexec", default="mpiexec.openmpi --oversubscribe")
    run.add_argument("--out", required=True)
    run.set_defaults(action=measure)
    compare = actions.add_parser("judge")
    compare.add_argument("results", nargs="+")
    compare.add_argument("--build", default="build")
    compare.add_argument("--profile", required=True)
    compare.add_argument("--half", choices=["first", "second"], help="the half to look at, or the one that tests")
    compare.add_argument("--seeds", type=int, nargs="*", help="only the cases that these drew")
    compare.add_argument("--phases", action="store_true")
    compare.add_argument("--json", action="store_true", help="the summary alone")
    compare.set_defaults(action=judge)
    again = actions.add_parser("judge-advice")
    again.add_argument("results", nargs="+")
    again.add_argument("--build", default="build")
    again.add_argument("--profile", required=True)
    again.add_argument("--json", action="store_true")
    again.set_defaults(action=judge_advice)
    attempt = actions.add_parser("try-advice")
    for name, value in {"--build": "build", "--store": "", "--mpiexec": "mpiexec.openmpi --oversubscribe"}.items():
        attempt.add_argument(name, default=value)
    for name in ("--profile", "--folder", "--out"):
        attempt.add_argument(name, required=True)
    attempt.add_argument("--pace", choices=SIZES, default="fast")
    for name, number in {"--cases": 30, "--repeats": 3, "--seed": 7, "--most": 10}.items():
        attempt.add_argument(name, type=int, default=number)
    attempt.set_defaults(action=try_advice)
    arguments = parser.parse_args()
    try:
        arguments.action(arguments)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")


if __name__ == "__main__":
    main()
