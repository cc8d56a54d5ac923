"""The programs in examples/, run as their first lines say."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import h5py
import numpy

EXAMPLES = Path(os.environ["WEFT_EXAMPLES"])


def run(name: str, *arguments: object, ranks: int = 1) -> str:
    command = [
        *shlex.split(os.environ["WEFT_MPIEXEC"]),
        "-n",
        str(ranks),
        EXAMPLES / f"example_{name}",
        *arguments,
    ]
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, timeout=60).stdout


def test_a_bar_is_written_read_and_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "bar.h5"
    run("write_series", path, ranks=3)
    wave = numpy.sin(0.01 * numpy.arange(1000)[None, :] + 0.1 * numpy.arange(50)[:, None])
    with h5py.File(path) as file:
        assert numpy.allclose(file["heat"][:], wave, rtol=0, atol=1e-12)
        assert (file["material"][:] == 1).all() and file["material"].shape == (50, 999)
        assert (file["energy"][:] == numpy.arange(50)).all() and (file["time"][:] == 0.5 * numpy.arange(50)).all()
        assert (file["mesh/types"][:] == 3).all() and file["mesh/connectivity"].shape == (2 * 999,)

    said = run("read_series", path).splitlines()
    assert said == [
        "50 steps committed",
        f"node 500 at the end: {wave[-1, 500]:.3f}",
        f"hottest: {wave.max():.3f}",
    ]

    run("restart", path, ranks=2)
    with h5py.File(path) as file:
        assert numpy.allclose(file["heat"][:30], wave[:30], rtol=0, atol=1e-12)
        assert (file["heat"][30:] == 300).all() and (file["material"][30:] == 2).all()
    assert run("read_series", path).splitlines()[-1] == "hottest: 300.000"


def test_maps_are_there_when_the_run_ends(tmp_path: Path) -> None:
    path = tmp_path / "beat.h5"
    assert "maps of 1000 nodes in /maps/V, 0 of them from the file" in run("reduce_while_running", path, ranks=3)
    with h5py.File(path) as file:
        v, maps = file["V"][:], file["maps/V"]
        assert (maps["time_above_0"][:] == (v[1:] > 0).sum(axis=0)).all()
        assert maps["time_above_0"].attrs["units"] == "ms"
        assert (maps["peak"][0] == 30.0).all() and (maps["beats"][:] == 1).all()
        first = (v > -30).argmax(axis=0)
        assert numpy.allclose(maps["activation_time"][0], first - 1 + 55 / 115)
