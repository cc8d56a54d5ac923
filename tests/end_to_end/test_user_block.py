"""Files behind a user block: a series is refused in one line, files of others are read and repacked right."""

from __future__ import annotations

import subprocess
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES = 211
STEPS = 40
CHUNKS = ["--nodes", NODES, "--target", "4KiB"]


def behind_a_user_block(source: Path, target: Path, block: Path, size: int = 512) -> None:
    block.write_bytes(b"words of another program\n" * (size // 50))
    subprocess.run(["h5jam", "-i", source, "-u", block, "-o", target], check=True, capture_output=True)
    with h5py.File(target) as file:
        assert file.userblock_size >= size


COMMANDS: dict[str, list[object]] = {
    "info": ["info", "FILE"],
    "read": ["read", "FILE", "--field", "Data", "--snapshot", "3"],
    "append": ["run", "ecg", *CHUNKS, "--steps", STEPS + 9, "--append", "--out", "FILE"],
    "view": ["view", "FILE"],
    "recover": ["recover", "FILE"],
    "reduce": ["reduce", "FILE", "--field", "Data:0", "--quantity", "peak", "--out", "MAPS"],
    "convert": ["convert", "FILE", "--to", "csv", "--out", "COPY"],
    "ecg": ["ecg", "FILE", "--csv"],
    "refs": ["refs", "FILE"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_series_behind_a_user_block(tmp_path: Path, name: str) -> None:
    original, path = tmp_path / "a.h5", tmp_path / "b.h5"
    w.run_ecg(original, *CHUNKS, "--steps", STEPS)
    behind_a_user_block(original, path, tmp_path / "block")
    before = path.read_bytes()
    names = {"FILE": path, "MAPS": tmp_path / "maps.h5", "COPY": tmp_path / "copy"}
    outcome = w.weft(*[names.get(str(word), word) for word in COMMANDS[name]])
    assert path.read_bytes() == before
    assert outcome.code == 1, outcome
    assert len(outcome.error_lines) == 1
    assert "has a user block of 512 bytes" in outcome.err and "h5unjam" in outcome.err


def test_what_h5unjam_leaves_is_a_series_again(tmp_path: Path) -> None:
    original, path, again = tmp_path / "a.h5", tmp_path / "b.h5", tmp_path / "c.h5"
    w.run_ecg(original, *CHUNKS, "--steps", STEPS)
    behind_a_user_block(original, path, tmp_path / "block")
    changes: tuple[list[str], ...] = ([], ["--add-checksums"])
    for arguments in changes:
        outcome = w.weft("verify", path, *arguments)
        told = outcome.err if arguments else outcome.out  # what would be changed is refused before it is looked at
        assert outcome.code == 1 and "user block of 512 bytes" in told
    # As the line says.
    subprocess.run(["h5unjam", "-i", path, "--delete", "-o", again], check=True, capture_output=True)
    w.run_ecg(again, *CHUNKS, "--steps", STEPS + 9, "--append")
    w.check_file(again, NODES, STEPS + 9)


@pytest.mark.parametrize("size", [512, 4096])
@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("layout", ["contiguous", "chunked", "early", "filtered"])
def test_files_of_others_behind_a_user_block(tmp_path: Path, layout: str, libver: str, size: int) -> None:
    source, target = tmp_path / "a.h5", tmp_path / "b.h5"
    values = np.arange(40 * 60, dtype="f8").reshape(40, 60)
    with h5py.File(source, "w", userblock_size=size, libver=libver) as file:
        if layout == "early":
            properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            properties.set_chunk((7, 9))
            properties.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
            made = h5py.h5d.create(file.id, b"d", h5py.h5t.NATIVE_DOUBLE, h5py.h5s.create_simple((40, 60)), properties)
            h5py.Dataset(made)[...] = values
        else:
            chunks = None if layout == "contiguous" else (7, 9)
            file.create_dataset("d", data=values, chunks=chunks, compression=1 if layout == "filtered" else None)
    for filters in ("none", "deflate"):
        w.weft_ok("repack", source, target, "--dataset", "d", "--target", "1KiB", "--filter", filters, "--overwrite")
        with h5py.File(target) as file:
            assert file.userblock_size == size
            assert w.same_bits(file["d"][...], values)
    w.weft_ok("inspect", source, "--axes", "step,node", "--measure")
    w.weft_ok("verify", source, target)
