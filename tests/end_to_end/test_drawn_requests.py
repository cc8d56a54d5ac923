"""The requests of runs drawn at random: what weft predict says, and what strace sees.

Sizes that somebody has thought of are the ones that the model was made for. WEFT_DRAWS draws more than the suite does,
and WEFT_DRAW_SEED others.
"""

from __future__ import annotations

import math
import os
import random
from pathlib import Path

import pytest
import weft_run as w
from seen_requests import NO_CLOCK, PAST_THE_CACHE, requests, said_of, see
from strace import needs_strace

pytestmark = [needs_strace, w.not_with_sanitizers]

DRAWS = int(os.environ.get("WEFT_DRAWS", "24"))
SEED = int(os.environ.get("WEFT_DRAW_SEED", "1"))
Words = tuple[object, ...]


def size(draw: random.Random, least: int, most: int) -> int:
    return round(math.exp(draw.uniform(math.log(least), math.log(most))))


def heart(draw: random.Random) -> Words:
    nodes = size(draw, 2, 200_000)
    words: Words = ("ecg", "--nodes", nodes, "--steps", size(draw, 1, max(2, min(2000, 1_500_000 // nodes))))
    strategy = draw.choice(["owner", "cached", "per-step"])
    words += ("--strategy", strategy, "--layout", draw.choice(["reads", "isotropic", "rows"]))
    words += ("--target", f"{draw.choice([4, 16, 64, 256, 1024])}KiB", "--mesh", draw.choice(["none", "none", "box"]))
    words += ("--fields", draw.choice(["joint", "separate"]), "--sync", draw.choice(["commit", "window", "none"]))
    if strategy == "owner":
        words += ("--writers", draw.choice(["auto", "all", 1, 2]), "--budget", draw.choice(["256MiB", "1MiB", "64KiB"]))
    return (*words, *NO_CLOCK)


def waves(draw: random.Random) -> Words:
    grid = "x".join(str(size(draw, 3, 90)) for _ in range(3))
    return ("awp", "--strategy", draw.choice(["hindexed", "hindexed-rows", "subarray", "series"]), "--grid", grid,
            "--skip", draw.choice([1, 2, 3]), "--steps-per-file", size(draw, 1, 6), "--variables", draw.choice([1, 3]))


def flow(draw: random.Random) -> Words:
    strategy = draw.choice(["reopen-elementwise", "typed", "typed-collective", "series"])
    most, steps = (10, 2) if strategy == "reopen-elementwise" else (40, 4)
    grid = "x".join(str(size(draw, 3, most)) for _ in range(3))
    return ("picmss", "--strategy", strategy, "--grid", grid, "--steps", size(draw, 1, steps),
            draw.choice(["--ghost", "--no-ghost"]))


def problems(draw: random.Random) -> Words:
    strategy = draw.choice(["files", "files-buffered", "shared", "shared-buffered", "shared-collective", "shared-aligned",
                            "series"])
    words: Words = ("mhm", "--strategy", strategy, "--ccross", draw.choice([1, 2, 3]), "--dims", 1, "--sub-elements",
                    size(draw, 2, 30 if strategy == "shared" else 120))
    if strategy in ("files-buffered", "shared-buffered", "shared-collective"):
        words += ("--buffer", f"{draw.choice([4, 32, 512])}KiB")
    return words


def results(draw: random.Random) -> Words:
    return ("blast", "--strategy", draw.choice(["immediate", "two-stage"]), "--tasks", size(draw, 1, 40), "--result-size",
            f"{size(draw, 1, 200)}KiB")


def records(draw: random.Random) -> Words:
    strategy = draw.choice(["files", "raw", "collective", "hdf5", "series"])
    return ("hard", "--strategy", strategy, "--records", size(draw, 1, 60), "--record", size(draw, 8, 60_000) // 8 * 8,
            "--transfer", f"{draw.choice([64, 1000, 2048])}KiB")


def drawn(number: int) -> tuple[int, Words]:
    draw = random.Random(f"{SEED} {number}")
    ranks = draw.randint(1, 8)
    kernel = draw.choice([heart, heart, heart, waves, flow, problems, results, records])
    words = (*kernel(draw), *draw.choice([(), (), ("--align", f"{draw.choice([1, 4, 64, 1024])}KiB")]))
    if kernel is not heart:
        words += ("--phases", draw.choice([1, 1, 2, 3]))
    if kernel is results:
        words += ("--ranks-per-node", draw.randint(1, ranks))
    return ranks, words


@pytest.mark.parametrize("number", range(DRAWS))
def test_requests_of_a_run_drawn_at_random(tmp_path: Path, number: int) -> None:
    ranks, words = drawn(number)
    plan = w.weft("predict", *words, "--ranks", ranks, "--store", w.REPO / "stores" / "profiles" / "local-disk.json")
    if plan.code != 0:  # more ranks than points, or a budget that does not do: the run says the same, for its file
        why = plan.err.removeprefix("weft: error: ").split(": ", 1)[-1].strip()
        outcome = w.weft("run", *words, "--out", tmp_path / "out", ranks=ranks)
        assert outcome.code != 0 and why in outcome.err, (plan.err, outcome.err)
        return
    said = said_of(ranks, *words)
    seen = see(tmp_path, ranks, *words)
    if PAST_THE_CACHE in said["leaves_out"]:
        pytest.skip("the system calls of such requests are not said")
    assert requests(said) == seen.requests(), " ".join(map(str, (ranks, *words)))
