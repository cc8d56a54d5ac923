"""Files of a few kilobytes that claim 10^12 chunks: no command counts up to that."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

import h5py
import pytest
import weft_run as w

HUGE = 10**12
SOON = 20.0  # it takes a fifth of a second, on a machine that does nothing else


def claim(path: Path, name: str, libver: Any, **options: Any) -> None:
    with h5py.File(path, "a", libver=libver) as file:
        data = file.create_dataset(name, (HUGE,), "f8", chunks=(1,), **options)
        if libver == "earliest":
            data[0] = data[HUGE - 1] = 1.0


def ends_soon(*arguments: object) -> w.Outcome:
    begun = time.monotonic()
    outcome = w.weft(*arguments, patience=30)
    assert time.monotonic() - begun < SOON
    assert outcome.code in (0, 1, 2) and len(outcome.error_lines) <= 1, outcome
    return outcome


COMMANDS = ["info", "read", "verify", "recover", "view", "inspect", "repack", "reduce", "refs", "append"]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("libver", ["earliest", "latest"])
def test_a_series_that_claims_what_no_file_holds(tmp_path: Path, command: str, libver: str) -> None:
    path = tmp_path / "a.h5"
    w.run_ecg(path, "--nodes", 8, "--steps", 4)
    with h5py.File(path, "r+") as file:
        for name in ("/weft/segments/0/Data", "/weft/segments/0/time", "/Data", "/time"):
            del file[name]
    for field, per_step in (("time", ()), ("Data", (8, 2))):
        with h5py.File(path, "r+", libver=libver) as file:
            name = f"/weft/segments/0/{field}"
            file.create_dataset(name, (HUGE, *per_step), "f8", chunks=(1, *per_step))
            file[name].attrs["weft_support"] = "nodes" if per_step else "global"
            file[f"/{field}"] = file[name]
    rest: dict[str, list[Any]] = {
        "read": ["--field", "Data", "--snapshot", 0],
        "repack": [tmp_path / "out.h5"],
        "reduce": ["--field", "Data:0", "--quantity", "peak", "--out", tmp_path / "maps.h5"],
    }
    if command == "append":
        outcome = ends_soon("run", "ecg", "--nodes", 8, "--steps", 6, "--append", "--out", path)
    else:
        outcome = ends_soon(command, path, *rest.get(command, []))
    if command not in ("inspect", "repack"):
        assert outcome.code != 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["inspect", "--axes", "step"],
        ["inspect", "--axes", "step", "--measure"],
        ["verify"],
        ["verify", "FILE"],
        ["repack", "OUT"],
        ["refs"],
    ],
    ids=["inspect", "measure", "verify", "compare", "repack", "refs"],
)
@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("options", [{}, {"compression": 1}], ids=["plain", "deflate"])
def test_a_file_that_claims_what_no_file_holds(
    tmp_path: Path, arguments: list[str], libver: str, options: dict[str, Any]
) -> None:
    path = tmp_path / "a.h5"
    claim(path, "d", libver, **options)
    assert path.stat().st_size < 20_000
    copy = tmp_path / "copy.h5"
    shutil.copy(path, copy)
    names = {"OUT": str(tmp_path / "out.h5"), "FILE": str(copy)}
    outcome = ends_soon(arguments[0], path, *[names.get(word, word) for word in arguments[1:]])
    if arguments == ["verify", "FILE"]:
        assert outcome.code == 0, outcome
        if libver == "latest":
            return  # written there, the file would have an address for every chunk, and be as long as it claims
        with h5py.File(copy, "r+", libver=libver) as file:
            file["d"][HUGE - 1] = 2.0
        outcome = ends_soon("verify", path, copy)
        assert outcome.code == 1 and str(HUGE - 1) in outcome.out
