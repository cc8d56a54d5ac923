"""weft inspect of what is no HDF5 file, or no whole one any more: one line, in seconds, and never a crash."""

from __future__ import annotations

import random
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w

# A flipped bit may hang HDF5 until weft ends it, after ten seconds of computing.
SOON = 90.0


def check_line(outcome: w.Outcome, code: int, *words: str) -> None:
    assert outcome.code == code, outcome
    # On a machine that does much else two seconds may pass, and then there is a word on how far it is.
    said = [line for line in outcome.err.splitlines() if ": dataset " not in line and ": sample " not in line]
    assert said == outcome.error_lines and len(said) == 1, outcome
    assert outcome.error_lines[0].startswith("weft: error: ")
    for word in words:
        assert word in outcome.error_lines[0], outcome
    assert outcome.out == ""


def write_some_of_everything(path: Path, libver: str) -> None:
    with h5py.File(path, "w", libver=libver) as file:
        file["time"] = np.arange(20.0)
        file["time"].make_scale("time")
        v = file.create_dataset("V", data=np.ones((20, 30, 2)), chunks=(5, 10, 2), maxshape=(None, 30, 2))
        v.dims[0].attach_scale(file["time"])
        file.create_dataset("packed", data=np.zeros((20, 300)), chunks=(7, 100), compression=1, fletcher32=True)
        file["piece"] = np.ones((30, 40))
        file["group/names"] = ["a", "bb", "ccc"]
        file["pairs"] = np.zeros(5, [("a", "f8"), ("b", "i4", (3,))])
        file["references"] = np.array([file["piece"].ref], dtype=h5py.ref_dtype)
        data = file.create_dataset("Data", data=np.zeros((4, 5, 2)), maxshape=(None, 5, 2), chunks=(2, 5, 2))
        data.attrs["Variable Details"] = np.array([b"V(mV)", b"W(mV)"], "S20")
        layout = h5py.VirtualLayout((20, 30, 2), "f8")
        layout[:] = h5py.VirtualSource(v)
        file.create_virtual_dataset("view", layout)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", ["is not an HDF5 file", "it is empty"]),
        (b"no HDF5 here\n" * 1000, ["is not an HDF5 file"]),
        (random.Random(1).randbytes(100_000), ["is not an HDF5 file"]),
        (b"CDF\x01" + bytes(1000), ["classic netCDF", "nccopy"]),
        (b"\x89HDF\r\n\x1a\n", []),
        (b"\x89HDF\r\n\x1a\n" + bytes(2000), []),
        (b"\x89HDF\r\n\x1a\n" + random.Random(2).randbytes(100_000), []),
    ],
    ids=["empty", "text", "noise", "netcdf3", "signature", "zeros", "signature and noise"],
)
def test_what_is_no_hdf5(tmp_path: Path, content: bytes, words: list[str]) -> None:
    path = tmp_path / "some.h5"
    path.write_bytes(content)
    for arguments in list[list[str]]([[], ["--json"], ["--measure"]]):
        check_line(w.weft("inspect", path, *arguments, patience=SOON), 1, str(path), *words)


def test_what_is_no_file(tmp_path: Path) -> None:
    check_line(w.weft("inspect", tmp_path / "missing.h5"), 1, "missing.h5: cannot open: No such file or directory")
    check_line(w.weft("inspect", tmp_path), 1, str(tmp_path))
    check_line(w.weft("inspect", "/dev/null"), 1, "/dev/null")


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["--dataset", "W"], 1, "has no dataset W; it has /Data, /V"),
        (["--axes", "step,node,component,more"], 2, "has 4 axes"),
        (["--axes", "step,node", "--dataset", "V"], 2, "/V: axes 'step,node': 2 names for a dataset of 3 axes"),
        (["--axes", "x,y,z", "--dataset", "V"], 2, "no axis is the step"),
        (["--read", "diagonal", "--dataset", "V"], 2, "diagonal"),
        (["--read", "diagonal"], 2, "diagonal"),
        (["--read", "plane", "--dataset", "V"], 2, "two spatial axes"),
        (["--ranks", "0"], 2, "--ranks"),
        (["--latency", "soon"], 2, "time 'soon'"),
        (["--bandwidth", "0"], 2, "rate '0'"),
        (["--target", "big"], 2, "size 'big'"),
    ],
)
def test_arguments_that_do_not_fit(tmp_path: Path, arguments: list[str], code: int, word: str) -> None:
    path = tmp_path / "some.h5"
    write_some_of_everything(path, "earliest")
    check_line(w.weft("inspect", path, *arguments, patience=SOON), code, word)


def test_files_that_end_too_soon(tmp_path: Path) -> None:
    whole = tmp_path / "whole.h5"
    write_some_of_everything(whole, "earliest")
    content = whole.read_bytes()
    cut = tmp_path / "cut.h5"
    for length in [*range(0, 100, 9), *range(100, len(content), len(content) // 12), len(content) - 1]:
        cut.write_bytes(content[:length])
        check_line(w.weft("inspect", cut, patience=SOON), 1, str(cut))
    check_line(w.weft("inspect", cut), 1, "is truncated", "copy it again")


@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_a_flipped_bit_is_a_line_or_does_no_harm(tmp_path: Path, libver: str) -> None:
    whole = tmp_path / "whole.h5"
    write_some_of_everything(whole, libver)
    content = whole.read_bytes()
    flipped = tmp_path / "flipped.h5"
    chance = random.Random(7)
    refused = 0
    for flip in range(80):
        damaged = bytearray(content)
        # Most of the metadata lies at the beginning.
        at = chance.randrange(min(len(content), 6000) if flip % 2 else len(content))
        damaged[at] ^= 1 << chance.randrange(8)
        flipped.write_bytes(damaged)
        outcome = w.weft("inspect", flipped, *(["--measure"] if flip % 8 == 0 else []), patience=SOON)
        assert outcome.code in (0, 1), f"bit at {at}: {outcome}"
        if outcome.code == 1:
            refused += 1
            check_line(outcome, 1, str(flipped))
        else:
            assert outcome.out.startswith(str(flipped)) and outcome.error_lines == [], f"bit at {at}: {outcome}"
    assert refused > 0, "some bits matter"
