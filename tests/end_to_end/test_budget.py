"""The memory for gathering steps: what it has to hold, and what is said where it does not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import weft_run as w

NODES = 60_000
STEP = NODES * 16


@pytest.mark.parametrize("ranks", [2, 3])
def test_the_plan_of_scattered_nodes_is_part_of_it(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "out.h5"
    words = ["--nodes", NODES, "--steps", 4, "--mesh", "none", "--layout", "isotropic", "--target", "32KiB"]

    def least(*ownership: str) -> int:
        """The budget that the line names for a run with too little."""
        refused = w.weft("run", "ecg", "--out", path, *words, *ownership, "--budget", "10KiB", ranks=ranks)
        assert refused.code == 2 and len(refused.error_lines) == 1, refused
        named = re.search(r"give at least --budget (\d+)", refused.err)
        assert named, refused.err
        return int(named[1])

    in_blocks, scattered = least(), least("--ownership", "scatter")
    # Of a rank's nodes, each has an entry of 16 to 40 bytes; and what goes to other ranks is held twice.
    nodes = NODES / ranks
    assert in_blocks < 2.2 * STEP / ranks
    assert in_blocks + 16 * nodes < scattered < in_blocks + 40 * nodes + 2.2 * STEP / ranks
    enough = [*words, "--ownership", "scatter", "--budget"]
    refused = w.weft("run", "ecg", "--out", path, *enough, scattered - 1, ranks=ranks)
    assert refused.code == 2 and str(scattered) in refused.err
    w.run_ecg(path, *enough, scattered, ranks=ranks)
    w.check_file(path, NODES, 4)
