"""What comes after a run, done as codes without Weft do it: the same copies and maps as Weft's own, read by HDF5 alone."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

QUANTITIES = ["activation_time", "peak", "apd_90"]
PAPER = ["--afterwards", "paper"]
WAYS = [("rows", "per-step"), ("isotropic", "cached"), ("reads", "owner")]


def check_same_maps(out: Path, path: Path, *more: object) -> None:
    """Bit for bit those of `weft reduce`, which test_reduce.py holds to the definitions."""
    wanted = path.with_suffix(".maps.h5")
    w.weft_ok("reduce", path, "--field", "V", "--quantity", ",".join(QUANTITIES), "--out", wanted, *more)
    with h5py.File(out) as got, h5py.File(wanted) as expected:
        assert set(got) == set(expected) == {"rows", "beats", *QUANTITIES}
        for name in [*QUANTITIES, "beats"]:
            assert w.same_bits(got[name][...], expected[name][...]), name
            assert dict(got[name].attrs) == dict(expected[name].attrs), name
        assert np.isfinite(got["peak"][0]).any(), "something was there to compare"


def check_same_copies(folder: Path, path: Path, ranks: int | None) -> None:
    """Byte for byte those of `weft convert` on as many ranks, which tests/readers holds to VTK."""
    copies = path.with_suffix(".copies")
    w.weft_ok("convert", path, "--to", "vtu", "--out", copies, ranks=ranks)
    names = sorted(file.name for file in copies.iterdir())
    assert names == sorted(file.name for file in folder.iterdir() if file.name != "maps.h5")
    for name in names:
        assert (copies / name).read_bytes() == (folder / name).read_bytes(), name


@pytest.mark.parametrize(("layout", "strategy"), WAYS, ids=[layout for layout, _ in WAYS])
@pytest.mark.parametrize(
    ("nodes", "ranks", "more"),
    [
        (307, None, []),
        (307, 1, ["--afterwards-cache", 0]),
        (307, 2, ["--fields", "separate", "--afterwards-cache", "20KiB"]),
        (307, 3, ["--ownership", "uneven"]),
        (4, 3, ["--afterwards-cache", "1KiB"]),
        (2, 3, []),
        (1, 2, []),
    ],
)
def test_copies_and_maps_are_those_of_weft(
    tmp_path: Path, layout: str, strategy: str, nodes: int, ranks: int | None, more: list[object]
) -> None:
    """Ranks without a node or a cell too, and caches for many chunks, a few and none."""
    path = tmp_path / "a.h5"
    steps = 130
    arguments = ["--nodes", nodes, "--steps", steps, "--layout", layout, "--strategy", strategy, "--target", "8KiB"]
    report = w.run_ecg(path, *arguments, *more, *PAPER, "--keep-afterwards", ranks=ranks)["afterwards"]
    folder = tmp_path / "a.h5.afterwards"
    assert report["way"] == "paper" and report["folder"] == str(folder)
    conversion, maps = report["conversion"], report["post_processing"]
    assert conversion["kept"] and conversion["out"] == str(folder / "a.pvd") and conversion["steps"] == steps
    files = [file for file in folder.iterdir() if file.name != "maps.h5"]
    assert conversion["files"] == len(files) and conversion["bytes"] == sum(file.stat().st_size for file in files)
    check_same_copies(folder, path, ranks)
    assert maps["maps"] == str(folder / "maps.h5") and maps["quantities"] == QUANTITIES
    assert maps["nodes"] == nodes and maps["reads"] == nodes, "one H5Dread a node"
    assert maps["bytes_read"] == 8 * nodes * steps
    check_same_maps(folder / "maps.h5", path)
    for phase in (conversion, maps):
        assert 0 < phase["reading_seconds"] < phase["seconds"] < w.PATIENCE
    if ranks is None:  # and, without any of our readers, a step's values are in its file
        v, phi_e = w.wave(nodes, steps)
        bytes_of_it = (folder / "a_0077.vtu").read_bytes()
        assert v[77].tobytes() in bytes_of_it and phi_e[77].tobytes() in bytes_of_it


@pytest.mark.parametrize("ranks", [None, 3])
def test_copies_are_removed_unless_kept(tmp_path: Path, ranks: int | None) -> None:
    path = tmp_path / "a.h5"
    report = w.run_ecg(path, "--nodes", 300, "--steps", 20, *PAPER, ranks=ranks)["afterwards"]
    assert [file.name for file in (tmp_path / "a.h5.afterwards").iterdir()] == ["maps.h5"]
    conversion = report["conversion"]
    assert not conversion["kept"] and "out" not in conversion
    # A piece a rank and a list of them for each step, and the list of steps.
    assert conversion["files"] == (20 if ranks is None else 20 * (ranks + 1)) + 1
    assert conversion["bytes"] > 20 * 300 * (2 + 3) * 8
    check_same_maps(tmp_path / "a.h5.afterwards" / "maps.h5", path)
    assert report["cache_bytes"] == 128 << 20


def test_a_series_that_grew_and_one_that_went_on(tmp_path: Path) -> None:
    """Several datasets a field; and what an earlier run left in the folder is replaced."""
    path = tmp_path / "a.h5"
    folder = tmp_path / "a.h5.afterwards"
    more = ["--nodes", 300, "--target", "4KiB", "--unknown-steps", *PAPER, "--keep-afterwards", "--max-beats", 3]
    runs: list[tuple[int, list[str]]] = [(100, []), (170, ["--append"])]
    for steps, append in runs:
        report = w.run_ecg(path, *more, "--steps", steps, *append, "--threshold", -40, ranks=2)["afterwards"]
        assert report["conversion"]["steps"] == steps
        check_same_copies(folder, path, 2)
        check_same_maps(folder / "maps.h5", path, "--max-beats", 3, "--threshold", -40)
        assert report["post_processing"]["most_beats"] == 1


def test_with_maps_in_passing_they_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    w.run_ecg(path, "--nodes", 500, *PAPER, "--reduce", ",".join(QUANTITIES), ranks=2)
    with h5py.File(path) as file, h5py.File(tmp_path / "a.h5.afterwards" / "maps.h5") as maps:
        for name in [*QUANTITIES, "beats"]:
            assert w.same_bits(file["maps/V"][name][...], maps[name][...]), name


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_hdf5_reads_whole_chunks_once_or_single_values(tmp_path: Path) -> None:
    """What the cache is for, as the system sees it: a chunk a read, or a value a read where no chunk fits."""
    nodes, steps = 200, 50
    if w.call(["strace", "-qq", "-e", "trace=none", "true"]).code != 0:
        pytest.skip("strace cannot trace here")

    def lengths_read(cache: object) -> tuple[Any, list[int]]:
        path = tmp_path / "a.h5"
        log = tmp_path / "strace"
        command = ["strace", "-f", "-o", str(log), "-y", "-e", "trace=pread64", w.WEFT, "run", "ecg", "--json"]
        more = ["--nodes", nodes, "--steps", steps, "--layout", "isotropic", "--target", "16KiB", *PAPER]
        outcome = w.call([*command, *map(str, more), "--afterwards-cache", str(cache), "--out", str(path)])
        assert outcome.code == 0, outcome
        first, behind = w.chunk_range(path, "Data")
        reads = re.findall(
            rf"pread64\(\d+<{re.escape(str(path))}>, .*, (\d+), (\d+)\)", log.read_text(errors="replace")
        )
        return outcome.json["afterwards"], [int(length) for length, at in reads if first <= int(at) < behind]

    with_cache, lengths = lengths_read("1MiB")
    with h5py.File(tmp_path / "a.h5") as file:
        chunk, chunks = file["Data"].chunks, file["Data"].id.get_num_chunks()
    chunk_bytes = 8 * int(np.prod(chunk))
    assert with_cache["chunks_in_cache"] == (1 << 20) // chunk_bytes > chunks > 1
    assert lengths == 2 * chunks * [chunk_bytes], "each chunk once for each of the two"
    without, lengths = lengths_read(0)
    assert without["chunks_in_cache"] == 0 and without["conversion"]["reads"] == with_cache["conversion"]["reads"]
    assert lengths.count(8) == nodes * steps, "every value of V by itself"
    assert sum(lengths) - 8 * nodes * steps == 8 * 2 * nodes * steps, "and the conversion every value"


def test_the_text_names_both(tmp_path: Path) -> None:
    path = tmp_path / "a.h5"
    out = w.weft_ok("run", "ecg", "--nodes", 200, "--steps", 9, *PAPER, "--out", path).out
    lines = {line[2:14].strip(): line[15:] for line in out.splitlines()}
    assert "VTU files, each removed when it was whole" in lines["conversion"]
    assert "200 reads, node after node" in lines["post-proc."] and str(path) in lines["post-proc."]
    assert lines["HDF5 cache"].startswith("128.0 MiB on a rank, for ")
    more = ["--nodes", 200, "--steps", 9, *PAPER, "--keep-afterwards", "--afterwards-cache", 100, "--out", path]
    out = w.weft_ok("run", "ecg", *more).out
    assert "smaller than a chunk" in out and str(tmp_path / "a.h5.afterwards" / "a.pvd") in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--afterwards", "later"], "--afterwards 'later': is not known; use none or paper"),
        (["--keep-afterwards"], "add --afterwards paper"),
        ([*PAPER, "--afterwards-cache", "much"], "size 'much'"),
        ([*PAPER, "--mesh", "none"], "no mesh"),
        ([*PAPER, "--max-beats", 0], "--max-beats"),
    ],
)
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_done_gets_one_line(
    tmp_path: Path, arguments: list[object], words: str, ranks: int | None
) -> None:
    """Before the run, not behind it."""
    path = tmp_path / "a.h5"
    outcome = w.weft("run", "ecg", "--nodes", 100, "--steps", 5, "--out", path, *arguments, ranks=ranks)
    assert outcome.code == 2 and outcome.out == "" and len(outcome.error_lines) == 1, outcome
    assert words in outcome.error_lines[0]
    assert not path.exists()


@pytest.mark.parametrize("ranks", [None, 2])
def test_a_folder_that_cannot_be_is_one_line(tmp_path: Path, ranks: int | None) -> None:
    path = tmp_path / "a.h5"
    (tmp_path / "a.h5.afterwards").write_text("in the way")
    outcome = w.weft("run", "ecg", "--nodes", 100, "--steps", 5, "--out", path, *PAPER, ranks=ranks)
    assert outcome.code == 1 and len(outcome.error_lines) == 1 and "a.h5.afterwards" in outcome.error_lines[0], outcome
    w.check_file(path, 100, 5)


def test_a_replay_of_a_file_with_a_mesh_has_it_too(tmp_path: Path) -> None:
    path, again = tmp_path / "a.h5", tmp_path / "again.h5"
    w.run_ecg(path, "--nodes", 307, "--steps", 130, "--fields", "joint")
    w.run_ecg(again, "--source", "replay", "--from", f"{path}:Data", "--layout", "rows", *PAPER, ranks=3)
    with h5py.File(path) as first, h5py.File(again) as second:
        for name in ("points", "connectivity", "offsets", "types"):
            assert w.same_bits(first[f"mesh/{name}"][...], second[f"mesh/{name}"][...])
        assert list(second["Data"].attrs["weft_components"]) == list(first["Data"].attrs["weft_components"])
    check_same_maps(tmp_path / "again.h5.afterwards/maps.h5", again)
    bare = w.weft(
        "run", "ecg", "--source", "replay", "--from", f"{path}:Data", "--mesh", "none", *PAPER, "--out", again
    )
    assert bare.code == 2 and len(bare.error_lines) == 1 and "no mesh" in bare.err
