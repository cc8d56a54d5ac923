"""weft predict against the shipped campaigns: no clock runs here, so what it says of kept results is always the same."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from campaign_run import REPO, WEFT

BUILD = Path(WEFT).resolve().parent.parent


@pytest.mark.skipif(not (BUILD / "lib" / "weft" / "weft-simulate").exists(), reason="this build has no SimGrid")
def test_settings_that_a_campaign_tells_apart_are_predicted_in_order() -> None:
    """What docs/predicting.md claims: 95 % of all pairs."""
    command = [sys.executable, REPO / "benchmarks" / "campaign_order.py", "--build", BUILD]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    last = re.fullmatch(r"(\d+) of (\d+) pairs in order, .*", done.stdout.splitlines()[-1])
    assert last, done.stdout
    right, pairs = map(int, last.groups())
    assert pairs > 500 and right >= 0.95 * pairs, done.stdout
