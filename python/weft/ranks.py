"""Ranks: what a series asks of a group of processes, done by the mpi4py communicator that the program itself uses.

So the package needs no MPI of its own, and works with whichever one mpi4py has. weft._core calls these methods, from the
thread that writes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from mpi4py import MPI

# MPI counts in 32-bit integers. MPI keeps the order of messages between two ranks, so a long one is simply several.
MOST_BYTES = (1 << 31) - 1


class Ranks:
    """A duplicate of an mpi4py communicator. Making it is collective, as all of its methods are."""

    def __init__(self, comm: MPI.Intracomm) -> None:
        self._comm: Any = comm.Dup()  # old stubs of mpi4py have only half of it
        self.rank = int(self._comm.rank)
        self.size = int(self._comm.size)

    def min(self, value: int) -> int:
        return int(self._comm.allreduce(value, _mpi().MIN))

    def max(self, value: int) -> int:
        return int(self._comm.allreduce(value, _mpi().MAX))

    def sum(self, value: int) -> int:
        return int(self._comm.allreduce(value, _mpi().SUM))

    def sum_before(self, value: int) -> int:
        """The sum over the ranks before this one."""
        before = self._comm.exscan(value, _mpi().SUM)
        return 0 if self.rank == 0 else int(before)

    def broadcast(self, mine: bytes | None, root: int) -> bytes:
        """Every rank gets the root's bytes."""
        length = self._comm.bcast(len(mine) if mine is not None else None, root)
        buffer = bytearray(mine) if mine is not None else bytearray(length)
        for part in _parts(memoryview(buffer)):
            self._comm.Bcast([part, _mpi().BYTE], root)
        return bytes(buffer)

    def all_to_all(self, outgoing: Sequence[bytes]) -> list[bytes]:
        """outgoing[r] goes to rank r; the result's [r] came from rank r."""
        sent = np.array([len(message) for message in outgoing], np.int64)
        received = np.empty(self.size, np.int64)
        self._comm.Alltoall(sent, received)
        incoming = [bytearray(int(length)) for length in received]
        self.exchange(
            [(peer, memoryview(message)) for peer, message in enumerate(outgoing) if message],
            [(peer, memoryview(message)) for peer, message in enumerate(incoming) if message],
        )
        return [bytes(message) for message in incoming]

    def exchange(self, outgoing: Sequence[tuple[int, memoryview]], incoming: Sequence[tuple[int, memoryview]]) -> None:
        """One message a pair of ranks, of a length that both know, into and out of memory that weft._core has."""
        byte = _mpi().BYTE
        requests = [self._comm.Irecv([part, byte], peer) for peer, view in incoming for part in _parts(view)]
        requests += [self._comm.Isend([part, byte], peer) for peer, view in outgoing for part in _parts(view)]
        _mpi().Request.Waitall(requests)

    def free(self) -> None:
        """Gives the duplicate back; collective."""
        self._comm.Free()

    def abort(self) -> NoReturn:
        """Ends all ranks: one of them cannot go on, and the others would wait for it."""
        sys.stdout.flush()
        sys.stderr.flush()
        self._comm.Abort(1)
        raise SystemExit(1)


def _mpi() -> Any:
    from mpi4py import MPI

    return MPI


def _parts(view: memoryview) -> list[memoryview]:
    return [view[at : at + MOST_BYTES] for at in range(0, len(view), MOST_BYTES)]


def ranks_of(comm: Any, path: str) -> Ranks | None:
    """What weft._core takes for comm: None for one rank. Collective.

    Raises ValueError where the program was started on several ranks and none is given (each would write the whole
    file), TypeError for what is no mpi4py communicator, RuntimeError where the launcher is of another MPI library than
    mpi4py: then every rank believes that it is alone.
    """
    launched = max(int(os.environ.get(name, "1")) for name in ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE"))
    if comm is None:
        if launched > 1:
            raise ValueError(
                f"{path}: the program runs on {launched} ranks, and each would write this file; give "
                "comm=MPI.COMM_WORLD (of mpi4py), or comm=MPI.COMM_SELF where each rank has a file of its own"
            )
        return None
    if "mpi4py.MPI" not in sys.modules or not isinstance(comm, _mpi().Intracomm):
        raise TypeError(f"comm is an mpi4py communicator, as MPI.COMM_WORLD, not {comm!r}")
    mpi = _mpi()
    if launched > 1 and mpi.COMM_WORLD.size == 1 and mpi.Comm.Compare(comm, mpi.COMM_SELF) != mpi.IDENT:
        library = mpi.Get_library_version().split(",")[0].splitlines()[0].strip(" \0")
        raise RuntimeError(
            f"{path}: the launcher started {launched} ranks, and mpi4py's MPI ({library}) sees one: they are two MPI "
            "libraries; use that one's mpiexec, or build mpi4py for this one (MPICC=... pip install --no-binary mpi4py "
            "mpi4py)"
        )
    return None if comm.size == 1 else Ranks(comm)
