"""No library at all, in one process (peer_program.py): steps behind one another in a file, read by positioned reads."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from peer_program import Values, run

NODE = 16  # bytes: two doubles


class Written:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)

    def put(self, step: int, values: Values) -> None:
        data = values.data.cast("B")
        while len(data) > 0:
            data = data[os.write(self.file, data) :]

    def close(self) -> None:
        os.close(self.file)


class Opened:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.file = os.open(path, os.O_RDONLY)
        self.nodes, self.steps = nodes, steps

    def trace(self, node: int) -> Any:
        return self.block(node, 1)

    def snapshot(self, step: int) -> Any:
        return self._read(step, 0, self.nodes)

    def block(self, first: int, count: int) -> Any:
        return np.concatenate([self._read(step, first, count) for step in range(self.steps)])

    def _read(self, step: int, first: int, count: int) -> Values:
        return np.frombuffer(os.pread(self.file, count * NODE, (step * self.nodes + first) * NODE))


if __name__ == "__main__":
    run(Written, Opened)
