"""weft probe: what it measures, what it leaves behind, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
import weft_run as w

QUICK = ["--seconds", 1, "--no-layers"]
SIZES = [512, 4096, 32768, 262144, 1 << 20, 2 << 20, 4 << 20]
ODD = [4104, 47008, 1000008]  # of writes
CALLS = {"create", "stat", "open", "make", "reserve", "sync", "remove"}


def cells(profile: dict[str, Any], **wanted: object) -> list[dict[str, Any]]:
    return [cell for cell in profile["requests"] if all(cell[key] == value for key, value in wanted.items())]


@pytest.mark.parametrize("ranks", [None, 1, 3])
def test_a_profile(tmp_path: Path, ranks: int | None) -> None:
    out = tmp_path / "disk.json"
    profile = w.weft_ok("probe", tmp_path, *QUICK, "--out", out, "--json", "--name", "disk", ranks=ranks).json
    assert profile == json.loads(out.read_text()) and profile["name"] == "disk"
    assert profile["ranks"] == (ranks or 1) and profile["nodes"] == 1
    assert profile["cores"] == os.cpu_count()
    assert 0 < profile["sync_records_bytes_per_s"] and 0 < profile["sync_bytes_per_s"]
    for access in ("read", "write"):
        for sharing in ["own files", "apart", "in turn"][: 3 if ranks == 3 else 1]:
            for count in (1, 2, 3) if sharing == "own files" and ranks == 3 else [ranks or 1]:
                found = cells(profile, access=access, sharing=sharing, ranks=count, threads=1, cached=False)
                assert [cell["bytes"] for cell in found] == SIZES + ODD * (access == "write"), (access, sharing, count)
    for cell in profile["requests"]:
        assert cell["requests"] >= 9 and 0 < cell["request_s"] <= cell["late_s"]
        assert 0 < cell["least_bytes_per_s"] <= cell["bytes_per_s"] <= cell["most_bytes_per_s"]
    assert {cell["call"] for cell in profile["calls"]} == CALLS
    assert set(profile["rates"]) == {"sync together", "sync records together"}
    assert [path.name for path in tmp_path.iterdir()] == ["disk.json"]


def test_layers_are_calls(tmp_path: Path) -> None:
    profile = w.weft_ok("probe", tmp_path, "--seconds", 2, "--json", ranks=2, patience=4 * w.PATIENCE).json
    calls = {(cell["call"], cell["ranks"]): cell["call_s"] for cell in profile["calls"] if " " in cell["call"]}
    names = {name for name, _ in calls}
    assert {"mpi open", "mpi round", "hdf5 create", "series create", "series MiB"} <= names
    for name in names:
        assert (name, 2) in calls and 0 < calls[name, 2] < 10, name
    # A rank alone has no pieces; everything else it has.
    assert {name for name in names if (name, 1) not in calls} == {"mpi piece"}
    assert calls["series create", 2] > 1e-4 and calls["mpi open", 2] > 1e-5
    assert set(profile["rates"]) == {"fresh copy", "format", "results", "zlib", "libdeflate", "message",
                                     "sync together", "sync records together"}
    assert list(tmp_path.iterdir()) == []


def test_what_people_see(tmp_path: Path) -> None:
    out = tmp_path / "disk.json"
    text = w.weft_ok("probe", tmp_path, *QUICK, "--out", out, ranks=2).out
    assert "2 ranks, in turn" in text and "512 B" in text and "4.0 MiB" in text
    assert text.splitlines()[-1] == f"Next: weft layout 151x400000x2 --store {out}"
    cost = w.weft_ok("layout", "151x400000x2", "--store", out, "--json").json["store"]
    first = cells(json.loads(out.read_text()), access="read", bytes=512, ranks=1, threads=1, cached=False)[0]
    assert cost["latency_s"] == pytest.approx(first["request_s"])


def test_profiles_that_are_kept() -> None:
    kept = sorted((w.REPO / "stores" / "profiles").glob("*.json"))
    assert len(kept) >= 3
    for path in kept:
        cost = w.weft_ok("layout", "151x400000x2", "--store", path, "--json").json["store"]
        assert 0 < cost["latency_s"] < 1 and cost["bandwidth"] > 0


def test_profiles_that_are_none(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    for text, line in [("", "is no store profile"), ("[1]", "is no store profile"), ('{"weft_store_profile": 1}', "whole")]:
        path.write_text(text)
        refused = w.weft("layout", "10x10", "--store", path)
        assert refused.code != 0 and len(refused.error_lines) == 1 and line in refused.err
    missing = w.weft("layout", "10x10", "--store", tmp_path / "none.json")
    assert missing.code != 0 and "cannot be read" in missing.err


@pytest.mark.parametrize("ranks", [None, 2])
def test_folders_where_it_cannot_be(tmp_path: Path, ranks: int | None) -> None:
    for folder, line in [(tmp_path / "none", "No such file"), ("/proc", "free")]:
        refused = w.weft("probe", folder, *QUICK, ranks=ranks)
        assert refused.code != 0 and len(refused.error_lines) == 1 and line in refused.err, refused
    assert w.weft("probe", tmp_path, "--seconds", 0).code == 2


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")
def test_a_nearly_full_disk(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    if w.call(["mount", "-t", "tmpfs", "-o", "size=20m", "tmpfs", str(small)]).code != 0:
        pytest.skip("cannot mount here")
    try:
        refused = w.weft("probe", small, *QUICK)
        assert refused.code == 2 and len(refused.error_lines) == 1, refused
        assert f"{small}: " in refused.err and "are free, and a probe needs 32.0 MiB" in refused.err
        assert not list(small.iterdir())
        # Others fill it meanwhile.
        assert w.call(["mount", "-o", "remount,size=64m", str(small)]).code == 0
        with started([w.WEFT, "probe", str(small), "--seconds", "60"]) as run:
            wait_for_folder(small)
            taken = small / "others"
            with taken.open("wb") as file:
                try:
                    for _ in range(64):
                        file.write(bytes(1 << 20))
                        file.flush()
                except OSError:
                    pass
            assert run.wait(60) == 1
            assert [path.name for path in small.iterdir()] == ["others"]
    finally:
        w.call(["umount", str(small)])


def started(command: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


def wait_for_folder(parent: Path) -> None:
    end = time.monotonic() + 20
    while not list(parent.glob(".weft-probe-*/read-own-0")):
        assert time.monotonic() < end, "the probe has not begun"
        time.sleep(0.02)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("ranks", [None, 2])
def test_it_cleans_up_when_it_is_killed(tmp_path: Path, how: signal.Signals, ranks: int | None) -> None:
    command = [str(word) for word in w.on_ranks(ranks, [w.WEFT, "probe", str(tmp_path), "--seconds", "60"])]
    with started(command) as run:
        wait_for_folder(tmp_path)
        if ranks is None:
            run.send_signal(how)
        else:
            os.killpg(run.pid, how)
        code = run.wait(30)
        assert code != 0 or ranks is not None  # MPICH's mpiexec that is sent a signal may return 0
    end = time.monotonic() + 10
    while list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not list(tmp_path.iterdir())


def test_other_folders_are_not_removed(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    assert w.call([w.WEFT, "clean-up-after", str(kept)]).code == 0
    assert kept.exists()


def test_several_are_merged(tmp_path: Path) -> None:
    paths = [tmp_path / f"{n}.json" for n in range(3)]
    made = [w.weft_ok("probe", tmp_path, *QUICK, "--out", path, "--json").json for path in paths]
    out = tmp_path / "all.json"
    merged = w.weft_ok("probe", "--merge", *paths, "--out", out, "--name", "all", "--json").json
    assert merged == json.loads(out.read_text()) and merged["name"] == "all"
    for number, cell in enumerate(merged["requests"]):
        speeds = [one["requests"][number]["bytes_per_s"] for one in made]
        assert cell["bytes_per_s"] == sorted(speeds)[1]
        assert cell["requests"] == sum(one["requests"][number]["requests"] for one in made)
    assert "Next: weft layout" in w.weft_ok("probe", "--merge", *paths).out


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ([], "folder"),
        (["--merge"], "--merge"),
        (["--merge", "nowhere.json"], "nowhere.json: cannot be read"),
        (["DIR", "--merge", "DIR/one.json"], "--merge"),
        (["--merge", "DIR/one.json", "DIR/other.json"], "--merge: the profiles are of"),
    ],
)
def test_what_cannot_be_merged_is_one_line(tmp_path: Path, words: list[str], what: str) -> None:
    one = w.weft_ok("probe", tmp_path, *QUICK, "--out", tmp_path / "one.json", "--json").json
    (tmp_path / "other.json").write_text(json.dumps(one | {"file_system": "lustre"}))
    outcome = w.weft("probe", *[word.replace("DIR", str(tmp_path)) for word in words])
    assert outcome.code == 2 if "nowhere" not in what else outcome.code == 1
    assert len(outcome.error_lines) == 1 and what in outcome.err, outcome.err
