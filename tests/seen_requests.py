"""What a run is seen to write, and what `weft predict` says of it. Shared by the pytest folders.

strace is the witness for what MPI-IO makes of the writes that it is given, where Open MPI and MPICH differ in nearly
every case; and for Weft's own counters, which then are witnesses themselves.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import h5py
import pytest
import weft_run as w
from strace import Moved, trace

LOCAL = str(w.REPO / "stores" / "profiles" / "local-disk.json")
STORE = os.environ.get("WEFT_STORE_PROFILE", LOCAL)
WRITES = "pwrite64,pwritev,pwritev2,write,writev"
UNKNOWN = "what MPI-IO makes of these requests, which are what it is given"
PAST_THE_CACHE = "the system calls of requests that go past the page cache: each may be several"
NO_CLOCK = ("--commit-every", "1000000s")  # a slow machine must not commit once more than the prediction
Requests = tuple[int, int]  # how many, and their bytes


def said_of(ranks: int, *words: object, store: str = STORE) -> Any:
    return w.weft_ok("predict", *words, "--ranks", ranks, "--store", store, "--json").json


@cache
def knows_the_library() -> bool:
    return UNKNOWN not in said_of(1, "hard", "--strategy", "collective")["leaves_out"]


def requests(said: Any) -> Requests:
    if UNKNOWN in said["leaves_out"] and not knows_the_library():
        pytest.skip("an MPI library whose MPI-IO is not known")
    writes, count = said["requests"]["writes"], said["requests"]["bytes"]
    assert writes == pytest.approx(round(writes)) and count == pytest.approx(round(count))
    return round(writes), round(count)


def total(moved: list[Moved]) -> Requests:
    return len(moved), sum(m.bytes for m in moved)


@dataclass
class Seen:
    out: Path
    report: Any
    moved: list[Moved]

    def requests(self) -> Requests:
        """Those that a prediction counts."""
        kernel, strategy = self.report["kernel"], self.report["strategy"]
        if kernel == "ecg":
            return self._of_ecg(strategy)
        if strategy == "series":
            return self._of_series(kernel)
        if (kernel, strategy) == ("hard", "hdf5"):
            return self._of_records()
        # The tables beside mhm's solutions are not what it is measured by; and ROMIO keeps in a file what ranks share.
        tables = ("mesh.txt", "element.txt", "parameters.txt")
        of_run = total([m for m in self.moved if Path(m.file).is_relative_to(self.out)
                        and ".shfp" not in m.file and Path(m.file).name not in tables])
        ours = self.report["counters"]["syscall"]
        assert ours["writes"] == 0 or (ours["writes"], ours["bytes"]) == of_run
        return of_run

    def _of_ecg(self, strategy: str) -> Requests:
        ours = self.report["counters"]["syscall"]
        seen = ours["writes"], ours["bytes_written"]
        if strategy == "owner":
            assert total([m for m in self.moved if m.name == "pwritev" and m.file.startswith(str(self.out))]) == seen
            return seen
        with h5py.File(self.out, "r") as file:
            fields = [name for name in ("Data", "V", "phi_e") if name in file]
        for field in fields:
            first, end = w.chunk_range(self.out, field)
            count, size = total([m for m in self.moved if Path(m.file) == self.out and first <= m.offset < end])
            seen = seen[0] + count, seen[1] + size
        return seen

    def _of_series(self, kernel: str) -> Requests:
        # HDF5's objects are written by other calls.
        ours = [m for m in self.moved if m.name == "pwritev" and Path(m.file).is_relative_to(self.out)]
        if kernel == "mhm":  # its mesh is written before what is measured
            with h5py.File(self.out / "solution.h5", "r") as file:
                mesh = [(file[f"VTKHDF/{name}"].id.get_offset(), file[f"VTKHDF/{name}"].nbytes)
                        for name in ("Points", "Types", "Connectivity", "Offsets")]
            ours = [m for m in ours if not any(first <= m.offset < first + size for first, size in mesh)]
            return total(ours)
        counted = self.report["counters"]["syscall"]
        assert total(ours) == (counted["writes"], counted["bytes"])
        return total(ours)

    def _of_records(self) -> Requests:
        seen = 0, 0
        for path in self.out.iterdir():
            with h5py.File(path, "r") as file:
                records = file["record"].id
                first, end = records.get_offset(), records.get_offset() + records.get_storage_size()
            count, size = total([m for m in self.moved if Path(m.file) == path and first <= m.offset < end])
            seen = seen[0] + count, seen[1] + size
        return seen


def see(folder: Path, ranks: int, *words: object) -> Seen:
    out = folder / "out"
    if out.is_dir():
        shutil.rmtree(out)
    out.unlink(missing_ok=True)
    outcome, moved = trace(WRITES, "run", *words, "--out", out, "--json", ranks=ranks)
    return Seen(out, outcome.json, moved)
