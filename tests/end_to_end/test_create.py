"""A new file is made beside its place: until it is whole, what stood there is as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import h5py
import pytest
import weft_run as w

NODES = 211
SMALL = ["--nodes", NODES, "--target", "8KiB", "--steps", 20]


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("strategy", ["owner", "cached", "per-step"])
def test_a_refused_run_leaves_the_old_file(tmp_path: Path, strategy: str, ranks: int | None) -> None:
    path = tmp_path / "out.h5"
    path.write_bytes(b"of somebody")
    refused = [["--strategy", strategy, "--no-overwrite"]]
    if strategy == "owner":
        refused.append(["--budget", "1KiB"])
    for arguments in refused:
        outcome = w.weft("run", "ecg", "--out", path, *SMALL, *arguments, ranks=ranks)
        assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
        assert ".weft-part" not in outcome.err
        assert path.read_bytes() == b"of somebody"
        assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]
    path.chmod(0o640)
    w.run_ecg(path, *SMALL, "--strategy", strategy, ranks=ranks)
    w.check_file(path, NODES, 20)
    assert path.stat().st_mode & 0o777 == 0o640
    assert [p.name for p in tmp_path.iterdir()] == ["out.h5"]


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_link_stays_one(tmp_path: Path, ranks: int | None) -> None:
    (tmp_path / "far").mkdir()
    link, far = tmp_path / "out.h5", tmp_path / "far" / "real.h5"
    link.symlink_to("far/real.h5")
    for steps in (20, 30):  # it leads nowhere at first
        w.run_ecg(link, *SMALL[:-1], steps, ranks=ranks)
        assert link.is_symlink() and not far.is_symlink()
        w.check_file(far, NODES, steps)
    w.run_ecg(link, *SMALL[:-1], 40, "--append", ranks=ranks)
    w.check_file(far, NODES, 40)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["far", "out.h5", "real.h5"]


@w.not_with_sanitizers
@pytest.mark.parametrize("ranks", [None, 2])
def test_a_mesh_is_not_copied(tmp_path: Path, ranks: int | None) -> None:
    """It costs the memory of the program that holds it, which the kernel here is, and no more."""
    path = tmp_path / "out.h5"
    size = ["--nodes", 500_000, "--steps", 2, "--budget", "24MiB"]
    without = w.run_ecg(path, *size, "--mesh", "none", ranks=ranks)["peak_rss_bytes"]
    peak = w.run_ecg(path, *size, ranks=ranks)["peak_rss_bytes"]
    with h5py.File(path, "r") as file:
        mesh = sum(file["mesh"][name].nbytes for name in file["mesh"]) // (ranks or 1)
    assert mesh > 50_000_000
    assert peak < without + mesh + (8 << 20)


def test_other_commands_leave_an_old_file_too(tmp_path: Path) -> None:
    path, maps = tmp_path / "out.h5", tmp_path / "maps.h5"
    w.run_ecg(path, *SMALL, "--fields", "separate")
    maps.write_bytes(b"of somebody")
    reduce = ["reduce", path, "--field", "V", "--quantity", "peak"]
    for arguments in list[list[object]]([["--budget", "1"], ["--no-overwrite"]]):
        outcome = w.weft(*reduce, "--out", maps, *arguments)
        assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
        assert maps.read_bytes() == b"of somebody"
    before = path.read_bytes()
    outcome = w.weft(*reduce, "--out", path)
    assert outcome.code == 2 and "is the input file" in outcome.err and path.read_bytes() == before
    w.weft_ok(*reduce, "--out", maps)
    for to in ("vtu", "tecplot", "csv"):
        out = tmp_path / f"as_{to}"
        if to == "tecplot":
            out = out.with_suffix(".plt")
        w.weft_ok("convert", path, "--to", to, "--out", out, "--steps", "0:2")
        outcome = w.weft("convert", path, "--to", to, "--out", out, "--no-overwrite")
        assert outcome.code == 2 and len(outcome.error_lines) == 1, outcome
    assert not list(tmp_path.rglob("*.weft-part"))


@w.not_with_sanitizers
def test_a_system_without_files_in_memory(tmp_path: Path) -> None:
    """HDF5 then works beside the file, and nothing of it stays."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler for the library that has no files in memory")
    source, library, path = tmp_path / "none.c", tmp_path / "none.so", tmp_path / "folder" / "out.h5"
    source.write_text("#include <errno.h>\nint memfd_create(const char* name, unsigned flags) {\n"
                      "  (void)name, (void)flags;\n  errno = ENOSYS;\n  return -1;\n}\n")
    assert w.call([compiler, "-shared", "-fPIC", "-o", str(library), str(source)]).code == 0
    path.parent.mkdir()
    grown = ["--unknown-steps", "--budget", "40KiB"]
    command = [w.WEFT, "run", "ecg", "--out", path, *SMALL, *grown]
    outcome = w.call(["env", f"LD_PRELOAD={library}", *map(str, command)])
    assert outcome.code == 0, outcome
    w.check_file(path, NODES, 20)
    assert [p.name for p in path.parent.iterdir()] == ["out.h5"]
