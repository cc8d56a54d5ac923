"""TensorStore in one process (peer_program.py), on Zarr 3 with the chunks of peer_zarr.py; steps are gathered as there."""

from __future__ import annotations

from typing import Any

import numpy as np
import tensorstore as ts
from peer_program import Values, run

CHUNK = (16, 4096, 2)


def spec(path: str) -> dict[str, Any]:
    return {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}


class Written:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        chunks = [min(CHUNK[0], steps), min(CHUNK[1], nodes), 2]
        self.data = ts.open(
            spec(path),
            create=True,
            dtype=ts.float64,
            shape=[steps, nodes, 2],
            chunk_layout=ts.ChunkLayout(chunk_shape=chunks),
        ).result()
        self.window = np.empty((chunks[0], nodes, 2))
        self.first = self.held = 0

    def put(self, step: int, values: Values) -> None:
        self.window[self.held] = values
        self.held += 1
        if self.held == len(self.window):
            self._flush()

    def _flush(self) -> None:
        self.data[self.first : self.first + self.held].write(self.window[: self.held]).result()
        self.first, self.held = self.first + self.held, 0

    def close(self) -> None:
        if self.held:
            self._flush()


class Opened:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.data = ts.open(spec(path), open=True).result()

    def trace(self, node: int) -> Any:
        return self.data[:, node].read().result()

    def snapshot(self, step: int) -> Any:
        return self.data[step].read().result()

    def block(self, first: int, count: int) -> Any:
        return self.data[:, first : first + count].read().result()


if __name__ == "__main__":
    run(Written, Opened)
