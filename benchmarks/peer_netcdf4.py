"""netCDF-4 in one process (peer_program.py): time is unlimited, as in most files of that kind."""

from __future__ import annotations

from typing import Any

import netCDF4
from peer_program import Values, run


class Written:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.file = netCDF4.Dataset(path, "w")
        for name, size in (("time", None), ("node", nodes), ("component", 2)):
            self.file.createDimension(name, size)
        self.data = self.file.createVariable("Data", "f8", ("time", "node", "component"))

    def put(self, step: int, values: Values) -> None:
        self.data[step] = values

    def close(self) -> None:
        self.file.close()


class Opened:
    def __init__(self, path: str, nodes: int, steps: int, variant: str) -> None:
        self.file = netCDF4.Dataset(path, "r")
        self.data = self.file["Data"]
        self.data.set_auto_mask(False)

    def trace(self, node: int) -> Any:
        return self.data[:, node]

    def snapshot(self, step: int) -> Any:
        return self.data[step]

    def block(self, first: int, count: int) -> Any:
        return self.data[:, first : first + count]


if __name__ == "__main__":
    run(Written, Opened)
