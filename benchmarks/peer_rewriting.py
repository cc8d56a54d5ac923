"""A series in rows, as most programs write it, rewritten for reads of all kinds: by weft repack, by h5repack into the same
chunks, or (which changes nothing) by cp.

    peer_rewriting.py FILE NODES STEPS WAY        WAY: weft, h5repack or cp

The file that is rewritten is made before, in FILE.rows, and is not timed. Prints {"rewrite": [seconds]}.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROWS = 41  # steps of a chunk of all nodes: the layout that paper 1 begins with


def weft() -> str:
    return os.environ.get("WEFT", str(Path(__file__).resolve().parents[1] / "build/bin/weft"))


def quietly(command: list[str]) -> str:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def make(path: str, nodes: str, steps: str) -> None:
    quietly([weft(), "run", "ecg", "--nodes", nodes, "--steps", steps, "--layout", "rows", "--strategy", "per-step",
             "--mesh", "none", "--out", path])  # fmt: skip


def main() -> None:
    out, nodes, steps, way = sys.argv[1:5]
    rows = f"{out}.rows"
    make(rows, nodes, steps)
    command = {
        "weft": [weft(), "repack", "--dataset", "Data", rows, out],
        "cp": ["cp", "--reflink=never", rows, out],
    }
    if way == "h5repack":
        planned = json.loads(quietly([weft(), "repack", rows, "--plan", "--json"]))
        chunk = "x".join(map(str, planned["datasets"][0]["new_chunk"]))
        command["h5repack"] = ["h5repack", "-l", f"Data:CHUNK={chunk}", rows, out]
    subprocess.run(["sync", "-f", rows], check=True)
    start = time.perf_counter()
    quietly(command[way])
    seconds = time.perf_counter() - start
    os.unlink(rows)
    print(json.dumps({"rewrite": [seconds]}))


if __name__ == "__main__":
    main()
