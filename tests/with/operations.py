"""A program as many are, for `weft with`: h5py does what a seed says to some datasets, and notes what it sees.

Usage: operations.py FILE SEED [COUNT]. On ranks (mpi4py, an h5py with MPI) all ranks do the same, each with its part of
the nodes. What rank 0 sees goes to FILE.0.said, and so on. It must not matter whether it runs under `weft with`.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
from typing import Any

import numpy as np

try:
    if "WITH_MPI" not in os.environ:
        raise ImportError
    from mpi4py import MPI

    RANK, RANKS = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size
    HOW: dict[str, Any] = {"driver": "mpio", "comm": MPI.COMM_WORLD}
except ImportError:
    RANK, RANKS = 0, 1
    HOW = {}
import h5py

NODES = 500


def digest(values: Any) -> str:
    return hashlib.sha256(np.ascontiguousarray(values).tobytes()).hexdigest()[:12]


def part(nodes: int) -> slice:
    return slice(nodes * RANK // RANKS, nodes * (RANK + 1) // RANKS)


class Run:
    def __init__(self, path: str, seed: int) -> None:
        self.path = path
        self.choose = random.Random(seed)
        self.file = h5py.File(path, "w", **HOW)
        self.steps: dict[str, int] = {}
        self.shapes: dict[str, tuple[int, ...]] = {}
        for number in range(self.choose.randint(1, 3)):
            self.create(f"set{number}")
        self.file["scalar"] = 5.0

    def create(self, name: str) -> None:
        rest = self.choose.choice([(NODES,), (NODES, 3), (20, 25), ()])
        if HOW and not rest:
            rest = (NODES,)
        fixed = self.choose.random() < 0.3
        chunk = (self.choose.choice([1, 3, 10, 40]), *(self.choose.choice([7, 20, 125]) for _ in rest))
        chunk = tuple(min(c, n) for c, n in zip(chunk, (60, *rest)))
        more: dict[str, Any] = {}
        if not HOW and self.choose.random() < 0.3:
            more = self.choose.choice([{"compression": "gzip"}, {"shuffle": True}, {"fletcher32": True}])
        if self.choose.random() < 0.3 or (HOW and fixed):  # what ranks never wrote is anything, without
            more["fillvalue"] = 7
        dtype = self.choose.choice(["f8", "f4", ">f8", "i4"])
        data = self.file.create_dataset(
            name,
            (60 if fixed else 0, *rest),
            maxshape=(60 if fixed else None, *rest),
            chunks=chunk if not fixed or self.choose.random() < 0.5 or more else None,
            dtype=dtype,
            **more,
        )
        self.steps[name] = 0
        self.shapes[name] = data.shape

    def put(self, name: str, where: Any, values: Any) -> None:
        data = self.file[name]
        if HOW and self.collective:
            with data.collective:
                data[where] = values
        else:
            data[where] = values

    def values(self, step: int, shape: tuple[int, ...], extra: int = 0) -> Any:
        return (np.arange(int(np.prod(shape)), dtype="f8").reshape(shape) * 0.5 + step * 1000 + extra).astype(
            self.choose.choice(["f8", "f4"])
        )

    def step(self, name: str, index: int, extra: int = 0) -> None:
        data = self.file[name]
        rest = data.shape[1:]
        if data.shape[0] <= index:
            if data.maxshape[0] is not None and index >= data.maxshape[0]:
                return
            data.resize(index + 1, axis=0)
        whole = self.values(index, rest, extra)
        if not rest:
            self.put(name, index, whole)
        elif self.parts == 1:
            mine = part(rest[0])
            self.put(name, (index, mine), whole[mine])
        else:  # the components one after the other, or halves of the first axis
            for half in range(3 if len(rest) == 2 and rest[1] == 3 and not self.strided else 2):
                if len(rest) == 2 and rest[1] == 3:
                    mine = part(rest[0])
                    where: Any = (index, mine, slice(half, 3, 2) if half == 0 and self.strided else half)
                    self.put(name, where, whole[where[1:]])
                else:
                    nodes = slice(0, rest[0] // 2) if half == 0 else slice(rest[0] // 2, rest[0])
                    mine = part(nodes.stop - nodes.start)
                    where = slice(nodes.start + mine.start, nodes.start + mine.stop)
                    self.put(name, (index, where), whole[where])
        self.steps[name] = index + 1

    def sync(self) -> None:
        """What ranks wrote is seen by all from here on, as MPI-IO has it."""
        if HOW:
            self.file.flush()
            MPI.COMM_WORLD.barrier()
            self.file.flush()

    def look(self, name: str) -> str:
        data = self.file[name]
        if data.shape[0] == 0:
            return "empty"
        kind = self.choose.choice(["whole", "step", "trace", "storage", "chunks"])
        self.sync()
        if kind == "whole":
            return "whole " + digest(data[...])
        if kind == "step":
            return "step " + digest(data[self.choose.randrange(data.shape[0])])
        if kind == "trace" and data.ndim > 1:
            return "trace " + digest(data[:, self.choose.randrange(data.shape[1])])
        if kind == "storage" and data.chunks is None:
            return f"storage {data.id.get_storage_size()}"
        if kind == "chunks" and data.chunks and not HOW and data.compression is None:
            return f"chunks {data.id.get_num_chunks()} {data.id.get_storage_size()}"
        return "shape " + str(data.shape)

    def act(self) -> str:
        name = self.choose.choice(sorted(self.steps))
        data = self.file[name]
        action = self.choose.choices(
            [
                "run",
                "again",
                "skip",
                "block",
                "look",
                "shrink",
                "flush",
                "reopen",
                "copy",
                "attribute",
                "handle",
                "swap",
            ],
            [12, 2, 2, 2, 4, 1, 1, 1, 1, 1, 2, 2],
        )[0]
        self.parts = self.choose.choice([1, 1, 2])
        self.strided = self.choose.random() < 0.5
        self.collective = self.choose.random() < 0.7
        said = ""
        if action in ("again", "block"):
            self.sync()  # over what another rank wrote
        if action == "run":
            for _ in range(self.choose.randint(1, 25)):
                self.step(name, self.steps[name])
        elif action == "again" and self.steps[name]:
            self.step(name, self.choose.randrange(self.steps[name]), extra=self.choose.randrange(100))
        elif action == "skip" and not HOW:  # what ranks never wrote is anything
            self.step(name, self.steps[name] + self.choose.randint(1, 3))
        elif action == "block" and data.ndim > 1 and data.shape[0] > 3:
            first = self.choose.randrange(data.shape[0] - 2)
            mine = part(data.shape[1])
            shape = (2, mine.stop - mine.start, *data.shape[2:])
            self.put(name, (slice(first, first + 2), mine), self.values(first, shape, 13))
        elif action == "look":
            said = self.look(name)
        elif action == "shrink" and data.shape[0] > 2 and data.maxshape[0] is None and RANKS == 1:
            # On ranks HDF5 1.10.8 loses steps that are written where it was cut, now these and now those.
            data.resize(data.shape[0] - self.choose.randint(1, 2), axis=0)
            self.steps[name] = min(self.steps[name], data.shape[0])
        elif action == "flush":
            self.file.flush()
        elif action == "reopen":
            self.file.close()
            self.file = h5py.File(self.path, "r+", **HOW)
        elif action == "copy":
            copy = f"{name}-copy{len(self.file)}"
            self.sync()
            self.file.copy(name, copy)
            self.sync()
            said = digest(self.file[copy][...])
        elif action == "attribute":
            data.attrs["seen"] = self.steps[name]
        elif action == "handle":  # a second identifier of the same dataset, both in use
            other = self.file[name]
            for _ in range(4):
                self.step(name, self.steps[name])
            if other.shape[0] > 0 and not HOW:
                said = digest(other[-1])
        elif action == "swap" and len(self.steps) > 1:  # two datasets in turn
            for _ in range(6):
                for each in sorted(self.steps):
                    self.step(each, self.steps[each])
        return f"{action} {name} {said}"


def main() -> None:
    run = Run(sys.argv[1], int(sys.argv[2]))
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 25):
        said = run.act()
        with open(f"{sys.argv[1]}.{RANK}.said", "a") as out:
            out.write(said + "\n")
    if random.Random(int(sys.argv[2])).random() < 0.8:  # some programs end without closing
        run.file.close()


main()
