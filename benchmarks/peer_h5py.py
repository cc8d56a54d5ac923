"""h5py in one process (peer_program.py). VARIANT: contiguous, automatic (h5py's own guess), or the chunk, as 41x0x2; 0 is
all nodes."""

from __future__ import annotations

from typing import Any

import h5py
from peer_program import Values, run


class Written:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.file = h5py.File(path, "w")
        chunks: Any = None if variant == "contiguous" else True
        if "x" in variant:
            k, n, c = map(int, variant.split("x"))
            chunks = (min(k, steps), min(n, nodes) or nodes, c)
        self.data = self.file.create_dataset("Data", (steps, nodes, 2), "f8", chunks=chunks)

    def put(self, step: int, values: Values) -> None:
        self.data[step] = values

    def close(self) -> None:
        self.file.close()


class Opened:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.data = h5py.File(path, "r")["Data"]

    def trace(self, node: int) -> Any:
        return self.data[:, node]

    def snapshot(self, step: int) -> Any:
        return self.data[step]

    def block(self, first: int, count: int) -> Any:
        return self.data[:, first : first + count]


if __name__ == "__main__":
    run(Written, Opened)
