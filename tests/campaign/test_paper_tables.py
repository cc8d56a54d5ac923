"""weft predict against the papers' tables, from the kept profiles: what docs/predicting.md says of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from campaign_run import REPO, WEFT

BUILD = Path(WEFT).resolve().parent.parent


@pytest.mark.skipif(not (BUILD / "lib" / "weft" / "weft-simulate").exists(), reason="this build has no SimGrid")
def test_the_other_half_of_the_cells_is_predicted() -> None:
    command = [sys.executable, REPO / "benchmarks" / "paper_tables.py", "judge", "--build", BUILD]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    last = re.fullmatch(
        r"(\d+) cells predicted: geometric mean error (\d+) %, (\d+) of (\d+) pairs in order",
        done.stdout.splitlines()[-1],
    )
    assert last, done.stdout
    cells, error, right, pairs = map(int, last.groups())
    said = " ".join((REPO / "docs" / "predicting.md").read_text().split())
    assert f"predicted, {cells} cells" in said
    assert f"error is {error} % and {right} of {pairs} pairs" in said
