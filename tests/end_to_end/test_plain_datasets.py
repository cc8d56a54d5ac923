"""/V and /time are plain datasets, whatever became of the series; and what is done when their index is damaged."""

import random
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

NODES = 300
CHUNKS = ["--nodes", NODES, "--target", 2000]  # 7 steps or so a chunk, some dozen chunks a row


def series(path: Path, kind: str, ranks: int | None = None) -> int:
    """A series of this kind; returns its steps."""
    unknown = [] if kind in ("whole", "appended") else ["--unknown-steps"]
    steps = {"whole": 100, "appended": 100, "short": 13, "grown": 301, "regrown": 201}[kind]
    w.run_ecg(path, *CHUNKS, "--steps", steps, *unknown, ranks=ranks)
    if kind not in ("appended", "regrown"):
        return steps
    for more in (1, 40, 333):
        steps += more
        w.run_ecg(path, *CHUNKS, "--steps", steps, "--append", *unknown, ranks=ranks)
    return steps


KINDS = ["whole", "appended", "short", "grown", "regrown"]


@pytest.mark.parametrize("ranks", [None, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_datasets_are_plain(tmp_path: Path, kind: str, ranks: int | None) -> None:
    path = tmp_path / "run.h5"
    steps = series(path, kind, ranks)
    w.check_file(path, NODES, steps)
    with h5py.File(path) as file:
        for name in ("Data", "time"):
            data = file[name]
            assert not data.is_virtual and data.maxshape[0] is None
            grid = [-(-size // chunk) for size, chunk in zip(data.shape, data.chunks, strict=True)]
            # Neither more chunks than it has, nor fewer.
            assert data.id.get_num_chunks() == np.prod(grid)
            assert data.id == file[f"weft/segments/0/{name}"].id
    w.check_h5dump(path)


def test_other_tools_make_it_longer(tmp_path: Path) -> None:
    """h5py adds chunks, which Weft did not place; it reads what is there and adds nothing where it cannot."""
    path = tmp_path / "run.h5"
    steps = series(path, "short")
    with h5py.File(path, "r+") as file:
        for name in ("Data", "time"):
            file[name].resize(steps + 2000, axis=0)
        file["time"][steps:] = np.arange(steps, steps + 2000)
        file["Data"][steps:] = 1.5
    outcome = w.weft("read", path, "--field", "Data", "--trace", 0)
    assert outcome.code == 1 and len(outcome.error_lines) == 1
    assert "index of" in outcome.err and "weft recover" in outcome.err


def index_of(path: Path, name: str) -> tuple[int, int]:
    """Where the index of a dataset begins, and its bytes."""
    with h5py.File(path) as file:
        data = file[name]
        room = file["weft/segments/0"].attrs[f"room of {name}"]
        first = min(data.id.get_chunk_info(n).byte_offset for n in range(data.id.get_num_chunks()))
    return int(room[0]), first - int(room[0])


def test_damage_to_an_index_is_seen_and_mended(tmp_path: Path) -> None:
    path = tmp_path / "run.h5"
    steps = series(path, "whole")
    whole = path.read_bytes()
    at, length = index_of(path, "Data")
    chance = random.Random(1)
    seen = 0
    for _ in range(25):
        damaged = bytearray(whole)
        place = at + chance.randrange(length)
        damaged[place] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            with h5py.File(path) as file:
                data = file["Data"][...]
            right = w.same_bits(data, w.expected_fields(NODES, steps)["Data"])
        except (OSError, RuntimeError):
            right = False
        outcome = w.weft("read", path, "--field", "Data", "--trace", 0)
        if outcome.code == 0:
            assert right, f"byte {place - at} of the index: h5py reads other values, and weft says nothing"
            continue
        seen += 1
        assert outcome.code == 1 and len(outcome.error_lines) == 1, outcome
        assert w.weft("verify", path).code == 1
        assert "make the index of" in w.weft_ok("recover", path, "--dry-run").out
        w.weft_ok("recover", path)
        assert path.read_bytes() == whole
    assert seen > 5
    w.check_file(path, NODES, steps)
