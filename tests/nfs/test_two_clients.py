"""Files on NFS, seen by two clients with a cache each: what ranks on both write, what others see of it, who is kept out.

By hand: `make test-nfs`. The server and the clients are a guest's (scripts/nfs-guest), even ranks on one client, odd ones
on the other; what is in a file is looked at on the server, and by another HDF5 on this machine.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

TREE = Path(__file__).resolve().parents[2]
GUEST = str(TREE / "scripts" / "nfs-guest")
SHARE = TREE / "build" / "nfs-guest" / "share"
NODES = 2003
# Chunks whose edges two ranks share a page at, and windows of a few steps.
SMALL: list[object] = ["--nodes", NODES, "--target", "8KiB", "--budget", "300KiB"]
GROWING: list[object] = [*SMALL, "--unknown-steps", "--commit-every", "7steps"]


@pytest.fixture(scope="module", params=["4.2", "3"])
def nfs(request: pytest.FixtureRequest) -> Iterator[str]:
    subprocess.run([GUEST, "down"], check=False)
    subprocess.run([GUEST, "up", "--vers", request.param], check=True)
    yield request.param
    subprocess.run([GUEST, "down"], check=True)


def in_guest(*command: object, more: dict[str, str] | None = None) -> w.Outcome:
    # The guest has temporary folders of its own.
    environment = {"OMPI_MCA_orte_tmpdir_base": "/tmp", **(more or {})}
    return w.call([GUEST, *map(str, command)], env=environment, patience=240)


def weft(
    *arguments: object, ranks: int | None = None, client: int = 1, more: dict[str, str] | None = None
) -> w.Outcome:
    """On the ranks of both clients, or as one process on one."""
    where = ["run", "--client", client] if ranks is None else ["mpirun", "-n", ranks]
    return in_guest(*where, w.WEFT, *arguments, more=more)


def weft_ok(*arguments: object, ranks: int | None = None, client: int = 1) -> w.Outcome:
    outcome = weft(*arguments, ranks=ranks, client=client)
    assert outcome.code == 0, outcome
    return outcome


def fetch(name: str, into: Path) -> Path:
    """A file as the server has it."""
    assert in_guest("run", "cp", f"/export/{name}", SHARE / name).code == 0
    return Path(shutil.move(SHARE / name, into / name))


@pytest.mark.parametrize("ranks", [2, 3, 4, 7])
def test_nothing_is_lost_that_two_clients_write(nfs: str, ranks: int, tmp_path: Path) -> None:
    runs: tuple[tuple[int, list[str]], ...] = ((60, []), (110, ["--append"]))
    for steps, more in runs:
        weft_ok("run", "ecg", "--out", "/mnt/nfs/a.h5", *GROWING, "--steps", steps, *more, ranks=ranks)
        path = fetch("a.h5", tmp_path)
        w.check_file(path, NODES, steps)
        assert w.weft("verify", path).code == 0
    for client in (1, 2):
        assert json.loads(weft_ok("info", "/mnt/nfs/a.h5", "--json", client=client).out)["committed"] == 110


def test_through_the_caches_it_would_be(nfs: str, tmp_path: Path) -> None:
    known = {"WEFT_SHARED_FILE_SYSTEMS": "nfs,nfs4"}  # which is not true
    weft("run", "ecg", "--out", "/mnt/nfs/a.h5", *GROWING, "--steps", 60, ranks=4, more=known)
    with pytest.raises((AssertionError, OSError, KeyError)):
        w.check_file(fetch("a.h5", tmp_path), NODES, 60)


def test_other_commands_on_two_clients_do_as_one_process_does(nfs: str, tmp_path: Path) -> None:
    weft_ok("run", "ecg", "--out", "/mnt/nfs/a.h5", *SMALL, "--steps", 60, ranks=4)
    source = fetch("a.h5", tmp_path)
    w.check_file(source, NODES, 60)
    weft_ok("repack", "/mnt/nfs/a.h5", "/mnt/nfs/b.h5", "--target", "5KiB", ranks=4)
    w.check_file(fetch("b.h5", tmp_path), NODES, 60)
    maps = ["--field", "Data:V", "--quantity", "max,peak"]
    weft_ok("reduce", "/mnt/nfs/a.h5", "--out", "/mnt/nfs/m.h5", *maps, ranks=4)
    w.weft_ok("reduce", source, "--out", tmp_path / "alone.h5", *maps)
    with h5py.File(fetch("m.h5", tmp_path)) as many, h5py.File(tmp_path / "alone.h5") as one:
        names = [name for name in one if isinstance(one[name], h5py.Dataset)]
        assert names
        for name in names:
            assert np.array_equal(many[name][:], one[name][:], equal_nan=many[name].dtype.kind == "f"), name
    weft_ok("convert", "/mnt/nfs/a.h5", "--out", "/mnt/nfs/c.plt", "--to", "tecplot", ranks=4)
    alone = tmp_path / "alone"  # the name is in the file
    alone.mkdir()
    w.weft_ok("convert", source, "--out", alone / "c.plt", "--to", "tecplot")
    assert fetch("c.plt", tmp_path).read_bytes() == (alone / "c.plt").read_bytes()


@pytest.mark.parametrize("strategy", ["per-step", "cached"])
def test_what_would_go_through_the_caches_is_refused(nfs: str, strategy: str, tmp_path: Path) -> None:
    weft_ok("run", "ecg", "--out", "/mnt/nfs/a.h5", *SMALL, "--steps", 20, ranks=2)
    before = fetch("a.h5", tmp_path).read_bytes()
    outcome = weft("run", "ecg", "--out", "/mnt/nfs/a.h5", *SMALL, "--steps", 20, "--strategy", strategy, ranks=2)
    assert outcome.code != 0
    lines = [line for line in outcome.error_lines if "several clients of NFS" in line]
    assert len(lines) == 1 and "--strategy owner" in lines[0], outcome
    assert fetch("a.h5", tmp_path).read_bytes() == before


def test_a_file_has_one_writer_on_all_clients(nfs: str, tmp_path: Path) -> None:
    run: list[object] = ["run", "ecg", "--out", "/mnt/nfs/a.h5", *GROWING, "--steps", 5000, "--compute", 20]
    in_guest("run", "rm", "-f", "/export/a.h5")
    with subprocess.Popen(
        [GUEST, "run", "--client", "1", w.WEFT, *map(str, run)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        until = time.monotonic() + 60
        while weft("info", "/mnt/nfs/a.h5", client=2).code != 0 and time.monotonic() < until:
            time.sleep(0.2)
        commands: list[list[object]] = [["view", "/mnt/nfs/a.h5"], ["recover", "/mnt/nfs/a.h5"], run]
        for command in commands:
            refused = weft(*command, client=2)
            assert refused.code != 0 and len(refused.error_lines) == 1, refused
            assert "weft run ecg" in refused.error_lines[0], refused
        in_guest("run", "pkill", "-9", "-x", "weft")
        running.wait()
    weft_ok("recover", "/mnt/nfs/a.h5", client=2)
    steps = json.loads(weft_ok("info", "/mnt/nfs/a.h5", "--json", client=2).out)["committed"]
    assert steps > 0
    w.check_file(fetch("a.h5", tmp_path), NODES, steps)


def test_readers_on_both_clients_follow_it(nfs: str) -> None:
    run = ["run", "ecg", "--out", "/mnt/nfs/a.h5", *GROWING, "--steps", 400, "--compute", 30]
    expected = w.wave(NODES, 400)[0]
    seen = {1: 0, 2: 0}
    in_guest("run", "rm", "-f", "/export/a.h5")
    with subprocess.Popen(
        [GUEST, "mpirun", "-n", "2", w.WEFT, *map(str, run)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as running:
        while running.poll() is None:
            for client in (1, 2):
                look = weft("read", "/mnt/nfs/a.h5", "--field", "Data", "--trace", 17, "--json", client=client)
                if look.code != 0:
                    assert seen[client] == 0, look  # before it is there
                    continue
                values = np.array(json.loads(look.out)["values"])[:, 0]
                assert np.array_equal(values, expected[: len(values), 17])
                assert len(values) >= seen[client]
                seen[client] = len(values)
        assert running.returncode == 0, running.communicate()
    assert min(seen.values()) > 20, seen
