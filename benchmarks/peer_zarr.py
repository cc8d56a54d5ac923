"""Zarr in one process (peer_program.py). Chunks hold 16 steps; steps are gathered, so that each chunk is written once."""

from __future__ import annotations

from typing import Any

import numpy as np
import zarr
from peer_program import Values, run

CHUNK = (16, 4096, 2)


class Written:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        chunks = (min(CHUNK[0], steps), min(CHUNK[1], nodes), 2)
        self.data = zarr.create_array(path, shape=(steps, nodes, 2), chunks=chunks, dtype="f8", compressors=None)
        self.window = np.empty((chunks[0], nodes, 2))
        self.first = self.held = 0

    def put(self, step: int, values: Values) -> None:
        self.window[self.held] = values
        self.held += 1
        if self.held == len(self.window):
            self._flush()

    def _flush(self) -> None:
        self.data[self.first : self.first + self.held] = self.window[: self.held]
        self.first, self.held = self.first + self.held, 0

    def close(self) -> None:
        if self.held:
            self._flush()


class Opened:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.data = zarr.open_array(path, mode="r")

    def trace(self, node: int) -> Any:
        return self.data[:, node]

    def snapshot(self, step: int) -> Any:
        return self.data[step]

    def block(self, first: int, count: int) -> Any:
        return self.data[:, first : first + count]


if __name__ == "__main__":
    run(Written, Opened)
