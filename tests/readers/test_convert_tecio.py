"""Copies as a binary Tecplot file, read by a second reader: the package `tecio` of PyPI. Version 2.0.6 fails on zones
that share their elements with another, so of meshes it reads files of one step; of grids, any."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import weft_run as w
from test_convert_tecplot import write_case

HERE = Path(__file__).parent
TECIO = Path(sys.prefix) / "tecio"


def read(path: Path) -> dict[str, np.ndarray]:
    out = path.with_suffix(".npz")
    outcome = w.call([sys.executable, str(HERE / "read_with_tecio.py"), str(path), str(out)],
                     env={**os.environ, "PYTHONPATH": str(TECIO)})  # fmt: skip
    assert outcome.code == 0, outcome
    return dict(np.load(out))


@pytest.mark.parametrize("ranks", [None, 1, 3])
@pytest.mark.parametrize("step", [0, 5])
def test_a_step_of_a_run(tmp_path: Path, step: int, ranks: int | None) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 3003, "--steps", 6)
    w.weft_ok("convert", source, "--to", "tecplot", "--steps", f"{step}:{step + 1}", "--out", tmp_path / "out.plt",
              ranks=ranks)  # fmt: skip
    file = read(tmp_path / "out.plt")
    assert list(file["variables"]) == ["X", "Y", "Z", "V", "phi_e"] and list(file["times"]) == [step]
    with h5py.File(source) as h5:
        points, values = h5["mesh/points"][:], h5["Data"][step]
        types, connectivity = h5["mesh/types"][:], h5["mesh/connectivity"][:]
    tetrahedra = connectivity[: 4 * np.count_nonzero(types == 10)].reshape(-1, 4)
    assert np.array_equal(file["0 elements"], tetrahedra)
    for name, expected in zip(file["variables"], [*points.T, *values.T], strict=True):
        assert w.same_bits(file[f"0 {name}"], np.ascontiguousarray(expected)), name
        assert list(file[f"0 {name} range"]) == [expected.min(), expected.max()], name


@pytest.mark.parametrize("ranks", [None, 2])
def test_all_steps_of_a_grid(tmp_path: Path, ranks: int | None) -> None:
    source = write_case("grid", tmp_path / "out.h5")
    w.weft_ok("convert", source, "--to", "tecplot", "--out", tmp_path / "out.plt", ranks=ranks)
    file = read(tmp_path / "out.plt")
    with h5py.File(source) as h5:
        steps = len(h5["number"])
        assert list(file["times"]) == [0.5 * step for step in range(steps)]
        for step in range(steps):
            assert w.same_bits(file[f"{step} number"].ravel(order="F"), h5["number"][step].ravel())
            assert w.same_bits(file[f"{step} vector_1"].ravel(order="F"), h5["vector"][step, ..., 1].ravel())
