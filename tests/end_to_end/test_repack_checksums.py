"""weft repack --checksums: of what was read, of everything that can have them, checked with h5py and zlib alone."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w
from hdf5_content import checksums_hold, content, differences


def repacked(source: Path, *arguments: str, ranks: int | None = None) -> Path:
    target = source.with_name("out.h5")
    outcome = w.weft("repack", source, target, "--checksums", "--overwrite", *arguments, ranks=ranks)
    assert outcome.code == 0, outcome.err
    return target


def check(source: Path, target: Path) -> int:
    """Content as before, and every checksum right; Weft says so too. Returns how many there are."""
    count = checksums_hold(target)
    report = w.weft("verify", target, "--json").json
    assert [c["verdict"] for c in report["checks"] if c["check"] == "checksums"] == ["pass"]
    assert w.weft("verify", source, target, "--json").json["equal"]
    with h5py.File(target, "r+") as file:
        del file["weft/checksums"]
        if not len(file["weft"]):
            del file["weft"]
    assert differences(content(source), content(target)) == []
    return count


def a_file(path: Path, rows: int = 61) -> Path:
    values = np.random.default_rng(3).normal(size=(rows, 1007, 2))
    with h5py.File(path, "w") as file:
        file.create_dataset("plain", data=values, chunks=(20, 1007, 2))
        file.create_dataset("coded", data=values[:, :, 0].round(2), chunks=(7, 100), compression="gzip")
        file.create_dataset("grows", data=values[:, :, 0].astype(">f4"), chunks=(61, 10), maxshape=(None, 1007))
        filled = file.create_dataset("holes", (rows, 1007), "i2", chunks=(8, 50), fillvalue=-3)
        filled[20:30, 500:530] = 9
        file.create_dataset("never", (rows, 1007), "i2", chunks=(8, 50), fillvalue=-3)
        file["one"] = 3.5
        file["names"] = np.array([b"ab", b"cde"], dtype="S3")
        file["texts"] = ["of", "variable", "length"]
        file["none"] = h5py.Empty("f4")
        file["view"] = h5py.SoftLink("/plain")
    return path


@pytest.mark.parametrize("ranks", [None, 2, 3])
@pytest.mark.parametrize("filters", ["none", "shuffle+deflate", "keep"])
def test_all_that_can_have_them_has_them(tmp_path: Path, ranks: int | None, filters: str) -> None:
    source = a_file(tmp_path / "a.h5")
    target = repacked(source, "--filter", filters, "--target", "32KiB", "--budget", "1MiB", ranks=ranks)
    with h5py.File(target) as file:
        has = sorted(file["weft/checksums"])
        assert has == ["coded", "grows", "holes", "names", "never", "one", "plain"]
        assert file["weft/checksums/plain"].attrs["chunk"].tolist() == list(file["plain"].chunks)
    assert check(source, target) > 40


def test_by_way_of_a_spill_file(tmp_path: Path) -> None:
    source = tmp_path / "a.h5"
    with h5py.File(source, "w") as file:
        file.create_dataset("d", data=np.arange(800_000.0).reshape(200, 4000), chunks=(1, 4000), compression="gzip")
    for filters in ("none", "deflate"):
        options = ["--read", "trace", "--filter", filters, "--target", "64KiB", "--budget", "600KiB", "--checksums"]
        outcome = w.weft("repack", source, tmp_path / "out.h5", "--overwrite", *options)
        assert outcome.code == 0 and "spill file" in outcome.err, outcome.err
        assert check(source, tmp_path / "out.h5") > 40


def test_a_weft_file_and_a_second_time(tmp_path: Path) -> None:
    source = tmp_path / "a.h5"
    w.run_ecg(source, "--nodes", 3000, "--steps", 40, "--layout", "rows", "--fields", "separate")
    target = repacked(source, "--target", "64KiB", "--filter", "deflate")
    again = tmp_path / "again.h5"
    assert w.weft("repack", target, again, "--target", "16KiB", "--filter", "none").code == 0
    assert checksums_hold(again) == checksums_hold(target), "no layout changes them"
    third = tmp_path / "third.h5"
    assert w.weft("repack", target, third, "--target", "16KiB", "--filter", "none", "--checksums").code == 0
    with h5py.File(third) as file:
        for name in ("V", "phi_e"):
            assert file["weft/checksums"][name].attrs["chunk"].tolist() == list(file[name].chunks)
    assert checksums_hold(third) > checksums_hold(target)
    for path in (target, again, third):
        report = w.weft("verify", path, "--json").json
        assert report["sound"], report


def test_a_changed_value_is_found(tmp_path: Path) -> None:
    target = repacked(a_file(tmp_path / "a.h5"), "--filter", "deflate", "--target", "32KiB")
    with h5py.File(target, "r+") as file:
        file["plain"][60, 1006, 1] += 1e-12
    report = w.weft("verify", target, "--json").json
    failed = [c for c in report["checks"] if c["verdict"] == "fail"]
    assert [c["check"] for c in failed] == ["checksums"]
    assert "plain" in failed[0]["problems"][0]
