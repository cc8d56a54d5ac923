"""Functions of DOLFINx in a series, on ranks: Debian's DOLFINx, with its own Python and NumPy, read by VTK."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest

import weft

PYTHON = "/usr/bin/python3"
WAVES = Path(__file__).parent / "waves.py"


@pytest.fixture(scope="module", params=[1, 2, 3])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[int, Path]:
    folder = tmp_path_factory.mktemp("waves")
    (folder / "packages").mkdir()
    (folder / "packages" / "weft").symlink_to(Path(weft.__file__).parent)  # and no NumPy but Debian's
    launch = [*shlex.split(os.environ["WEFT_MPIEXEC"]), "-n", str(request.param)]
    done = subprocess.run(
        [*launch, PYTHON, str(WAVES), str(folder)],
        env={**os.environ, "PYTHONPATH": str(folder / "packages"), "XDG_CACHE_HOME": str(folder)},
        capture_output=True, text=True, timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return request.param, folder


@pytest.mark.parametrize(
    ("name", "cells", "type_", "measure"),
    [("tetrahedra", 144, 10, 1.0), ("quadratic", 144, 71, 1.0), ("hexahedra", 24, 12, 1.0), ("triangles", 40, 69, 1.0)],
)
def test_values_stand_where_they_are(
    written: tuple[int, Path], name: str, cells: int, type_: int, measure: float
) -> None:
    path = written[1] / f"{name}.h5"
    with weft.open(path) as file:
        x, y, z = file.points.T
        assert file["u"].units == "K" and set(file.cell_types) == {type_}
        for step in range(4):
            t = 0.5 * step
            np.testing.assert_allclose(file["u"][step], np.sin(x + t) + y * y)
            np.testing.assert_allclose(file["v"][step], np.stack((y + t, -x, z * t), axis=1), atol=1e-15)
            assert file["energy"][step] == 2.0 * t
        shown = file.to_pyvista(3, fields=["u", "q"])
    assert shown.n_cells == cells and len(np.unique(shown.points, axis=0)) == shown.n_points
    sizes = shown.compute_cell_sizes(length=False)
    size = sizes["Area" if name == "triangles" else "Volume"]
    assert (size > 0).all() and abs(size.sum() - measure) < 1e-6  # wrong orders of nodes turn cells inside out
    centres = shown.cell_centers().points
    np.testing.assert_allclose(shown["q"], np.sin(centres[:, 0] + 1.5) + centres[:, 1] ** 2, atol=1e-6)


@pytest.mark.parametrize(("name", "corners"), [("quadratic", 4), ("triangles", 3)])  # degrees 2, 3
def test_nodes_of_high_degrees_are_in_the_order_of_vtk(written: tuple[int, Path], name: str, corners: int) -> None:
    with weft.open(written[1] / f"{name}.h5") as file:
        shown = file.to_pyvista(0, fields=["u"])
    for number in range(shown.n_cells):
        cell = shown.GetCell(number)
        nodes = np.array([cell.GetPoints().GetPoint(i) for i in range(cell.GetNumberOfPoints())])
        edges = (nodes[1:corners] - nodes[0]).T
        places = np.linalg.lstsq(edges, (nodes - nodes[0]).T, rcond=None)[0].T
        if name == "triangles":  # DOLFINx has its nodes nearer to the corners than VTK, which has them at thirds
            places = np.round(places * 3) / 3
        for node, place in enumerate(places):
            weights = [0.0] * len(nodes)
            cell.InterpolateFunctions([*place, 0.0][:3], weights)  # VTK's own: 1 for the node that stands there
            np.testing.assert_allclose(weights, np.arange(len(nodes)) == node, atol=1e-9)


def test_cells_alone_and_sound_files(written: tuple[int, Path]) -> None:
    folder = written[1]
    with weft.open(folder / "cells.h5") as file:
        assert file["q"].support == "cells" and len(file.points) == 60 and file["q"].shape == (1, 144)
    for path in sorted(folder.glob("*.h5")):
        assert weft.verify(path), path


def test_what_cannot_be_one_file_is_refused_by_all(written: tuple[int, Path]) -> None:
    ranks, folder = written
    for name, words in {
        "two spaces": "another space",
        "two meshes": "another mesh",
        "no space": "neither a continuous",
        "no function": "at least one",
    }.items():
        for rank in range(ranks):
            assert words in (folder / f"{name}.{rank}").read_text()
    assert not (folder / "refused.h5").exists()
