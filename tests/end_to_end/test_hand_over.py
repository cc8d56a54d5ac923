"""A file that one rank makes is at the servers before another rank opens it, where there are servers.

CephFS's FUSE client can hang otherwise (docs/decisions/0011-a-file-is-handed-over.md). What the ranks open and sync, and
in which order, is written down by a library (log_opens.c) that also says on what the files lie.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import weft_run as w

pytestmark = w.not_with_sanitizers
SOURCE = Path(__file__).with_name("log_opens.c")
FUSE, EXT4 = "0x65735546", "0xEF53"


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler for the library that writes down")
    built = tmp_path_factory.mktemp("library") / "log_opens.so"
    outcome = w.call([compiler, "-shared", "-fPIC", "-O1", "-o", str(built), str(SOURCE), "-ldl"])
    assert outcome.code == 0, outcome.err
    return built


def calls(library: Path, made: Path, arguments: list[object], store: str = FUSE) -> list[list[str]]:
    """[rank, call, path] of all files whose names begin as `made`, of a run on two ranks."""
    log = made.parent / "calls"
    settings = {"LD_PRELOAD": library, "WEFT_WATCH": made, "WEFT_LOG": log, "WEFT_STATFS": store}
    words = ["env", *(f"{name}={value}" for name, value in settings.items()), w.WEFT, *map(str, arguments)]
    outcome = w.call(w.on_ranks(2, words))
    assert outcome.code == 0, outcome
    return [line.split(" ", 2) for line in log.read_text().splitlines()]


def commands(tmp_path: Path) -> dict[str, tuple[Path, list[object]]]:
    """What makes a file that all ranks write."""
    file = tmp_path / "in.h5"
    w.run_ecg(file, "--nodes", 211, "--steps", 21)
    small = ["--nodes", 211, "--steps", 21]
    return {
        "a series": (tmp_path / "a.h5", ["run", "ecg", *small, "--out", tmp_path / "a.h5"]),
        "a series through MPI-IO": (
            tmp_path / "b.h5",
            ["run", "ecg", *small, "--strategy", "cached", "--out", tmp_path / "b.h5"],
        ),
        "maps": (
            tmp_path / "maps.h5",
            ["reduce", file, "--field", "V", "--quantity", "mean", "--out", tmp_path / "maps.h5"],
        ),
        "a repacked file": (tmp_path / "c.h5", ["repack", file, tmp_path / "c.h5"]),
        "Tecplot's": (tmp_path / "c.plt", ["convert", file, "--to", "tecplot", "--out", tmp_path / "c.plt"]),
    }


def before_another_opens_it(seen: list[list[str]]) -> tuple[str, list[list[str]]]:
    """The file, and what happened until rank 1 opened it."""
    opened = next((i for i, (rank, call, _) in enumerate(seen) if rank == "1" and call == "open"), None)
    assert opened is not None, "the other rank opens it"
    return seen[opened][2], seen[:opened]


@pytest.mark.parametrize("what", ["a series", "a series through MPI-IO", "maps", "a repacked file", "Tecplot's"])
def test_it_is_at_the_servers_before_another_opens_it(tmp_path: Path, library: Path, what: str) -> None:
    path, before = before_another_opens_it(calls(library, *commands(tmp_path)[what]))
    assert ["0", "fdatasync", path] in before, before


@pytest.mark.parametrize(
    "command",
    [
        ["run", "ecg", "--nodes", 211, "--steps", 40, "--append", "--out"],
        ["repack", "-"],
        ["reduce", "-", "--field", "V", "--quantity", "mean"],
    ],
    ids=["append", "repack", "reduce"],
)
def test_a_rank_that_finds_another_file_is_refused(tmp_path: Path, command: list[object]) -> None:
    # As on NFS, where a client believes in the file that had the name before. Here each rank has a folder of its own.
    for rank in ("0", "1"):
        (tmp_path / rank).mkdir()
        w.run_ecg(tmp_path / rank / "a.h5", "--nodes", 211, "--steps", 21)
    contents = [(tmp_path / rank / "a.h5").read_bytes() for rank in ("0", "1")]
    words = ["a.h5" if word == "-" else str(word) for word in command]
    words += ["a.h5"] if words[-1] == "--out" else []
    words += ["b.h5"] if words[0] == "repack" else []
    chosen = 'cd "$0/${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" && exec "$@"'
    outcome = w.call(w.on_ranks(2, ["sh", "-c", chosen, str(tmp_path), w.WEFT, *words]))
    assert outcome.code != 0
    assert len(outcome.error_lines) == 1 and "rank 1 finds a different file under this name" in outcome.error_lines[0], outcome
    assert [(tmp_path / rank / "a.h5").read_bytes() for rank in ("0", "1")] == contents
    assert all([path.name for path in (tmp_path / rank).iterdir()] == ["a.h5"] for rank in ("0", "1"))


def test_a_disk_of_ones_own_is_not_waited_for(tmp_path: Path, library: Path) -> None:
    path, before = before_another_opens_it(calls(library, *commands(tmp_path)["a series"], store=EXT4))
    assert ["0", "open", path] in before and not any(call == "fdatasync" for _, call, _ in before)
