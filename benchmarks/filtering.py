"""Compressed series: against filtering alone on the same cores, and against HDF5's own parallel filtered writes.

    python3 benchmarks/filtering.py --build build --folder /data/scratch --rounds 5

Every round runs all of them, in random order; everything is warm and nothing is synced by the runs (`--sync none`). What
one has left in the page cache is written back before the next begins, and a few seconds go by, as disks have caches of
their own. A ratio is of one round; the median and the range of the rounds are printed.

A virtual machine may give free memory back to the one below, and pays for it when it is used again: 2 to 3 s a GB were
seen after some seconds at rest. Each run begins with memory at hand, as it has on a machine of its own (MEMORY).

Where the disk is a virtual one, the machine below writes to it with the same cores (`steal` in /proc/stat). So filtering
alone is timed twice: with the disk at rest, and while something else writes to it as many bytes a second as Weft does.
"""

from __future__ import annotations

import argparse
import json
import mmap
import os
import random
import statistics
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5py

# As root in a container, and on more ranks than cores, Open MPI has to be told.
ENVIRONMENT = {
    **os.environ,
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_orte_tmpdir_base": "/dev/shm",  # on a busy disk mpiexec misses the end of ranks: docs/write.md
}

SETTLES = 6.0  # seconds, of a disk and of the machine below
MEMORY = 2 << 30  # bytes; more than a run takes


def run(command: list[str]) -> Any:
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def have_memory_at_hand() -> None:
    # Shared memory, which is the default here, is of small pages, and those that a host takes back are large.
    with mmap.mmap(-1, MEMORY, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as memory:
        memory.madvise(mmap.MADV_HUGEPAGE)
        for page in range(0, MEMORY, mmap.PAGESIZE):
            memory[page] = 1


@contextmanager
def written_to(path: Path, bytes_per_second: float) -> Iterator[None]:
    """A file is written directly to the disk meanwhile, at this pace."""
    block = mmap.mmap(-1, 4 << 20)
    ends = threading.Event()

    def write() -> None:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_DIRECT)
        begun = time.monotonic()
        written = 0
        while not ends.wait(max(0.0, begun + written / bytes_per_second - time.monotonic())):
            written += os.pwrite(file, block, written)
        os.close(file)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        ends.set()
        thread.join()
        path.unlink()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--nodes", type=int, default=3253316, help="of a file that is replayed: the first ones")
    parser.add_argument("--steps", type=int, default=151)
    parser.add_argument("--filter", default="shuffle+deflate:1")
    parser.add_argument("--from", dest="source", default="", help="replay the steps of this file, as FILE:DATASET")
    parser.add_argument(
        "--hdf5-rounds", type=int, help="HDF5's own writes, which take longest, in the first rounds alone"
    )
    parser.add_argument("--mpiexec", default="mpiexec")
    arguments = parser.parse_args()
    ranks = [arguments.mpiexec, "-n", str(arguments.ranks)]
    weft = [*ranks, str(arguments.build / "bin/weft"), "run", "ecg", "--json", "--sync", "none", "--mesh", "none"]
    what = ["--nodes", str(arguments.nodes), "--steps", str(arguments.steps)]
    if arguments.source:
        what += ["--source", "replay", "--from", arguments.source]
    arguments.folder.mkdir(parents=True, exist_ok=True)
    plain, filtered, peer, other = (arguments.folder / f"{name}.h5" for name in ("plain", "filtered", "hdf5", "other"))
    run([*weft, *what, "--out", str(plain)])
    report = run([*weft, *what, "--out", str(filtered), "--filter", arguments.filter])
    chunk = ",".join(map(str, report["chunk"][:2]))
    bytes_per_second = filtered.stat().st_size / report["seconds"]["output"]
    filtering = [*ranks, str(arguments.build / "bin/filtering")]

    def timed(name: str) -> float:
        for path in {"weft": [filtered], "hdf5": [peer]}.get(name, []):
            path.unlink(missing_ok=True)
        os.sync()
        if name == "beside":
            with written_to(other, bytes_per_second):
                return timed("encode")
        # What is read comes from the page cache, so that the disk has nothing else to do. It takes some seconds, too.
        if name == "encode":
            subprocess.run(["cat", plain], stdout=subprocess.DEVNULL, check=True)
        else:
            if arguments.source and name != "hdf5":
                subprocess.run(["cat", arguments.source.rpartition(":")[0]], stdout=subprocess.DEVNULL, check=True)
            time.sleep(SETTLES)
        have_memory_at_hand()
        if name == "weft":
            return float(run([*weft, *what, "--out", str(filtered), "--filter", arguments.filter])["seconds"]["output"])
        if name == "plain":
            return float(run([*weft, *what, "--out", str(arguments.folder / "again.h5")])["seconds"]["output"])
        if name == "encode":
            return float(run([*filtering, "encode", str(plain), arguments.filter, chunk])["seconds"])
        return float(run([*filtering, "hdf5", str(plain), arguments.filter, chunk, str(peer)])["seconds"])

    hdf5_rounds = arguments.rounds if arguments.hdf5_rounds is None else arguments.hdf5_rounds
    rounds: list[dict[str, float]] = []
    for number in range(arguments.rounds):
        names = ["weft", "plain", "encode", "beside", *(["hdf5"] if number < hdf5_rounds else [])]
        seconds = {name: timed(name) for name in random.sample(names, len(names))}
        rounds.append(seconds)
        print(f"round {number + 1}: " + ", ".join(f"{name} {seconds[name]:.2f} s" for name in names), flush=True)

    def ratio(left: str, right: str) -> str:
        ratios = sorted(r[left] / r[right] for r in rounds if left in r and right in r)
        return f"{statistics.median(ratios):.2f} ({ratios[0]:.2f} - {ratios[-1]:.2f})"

    with h5py.File(filtered) as file:
        stored = file["Data"].id.get_storage_size()
    raw = arguments.nodes * arguments.steps * 16
    print(f"{arguments.filter}, chunks of {chunk}: {raw / 2**20:.0f} MiB to {stored / 2**20:.0f} MiB")
    print(f"writing compressed / filtering alone: {ratio('weft', 'encode')}")
    print(f"the same, the disk as busy:           {ratio('weft', 'beside')}")
    if hdf5_rounds > 0:
        print(f"HDF5's filtered writes / ours:        {ratio('hdf5', 'weft')}")
    print(f"compressed / uncompressed:            {ratio('weft', 'plain')}")


if __name__ == "__main__":
    main()
