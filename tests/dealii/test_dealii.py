"""c/weft_dealii.h with the real deal.II: the file has the values of the functions, at the points of the elements.

WEFT_DEALII: the folder with the programs (scripts/test-dealii builds them).
"""

import os
import shlex
import subprocess
from pathlib import Path

import h5py
import numpy
import pytest

PROGRAMS = Path(os.environ["WEFT_DEALII"])
MPIEXEC = shlex.split(os.environ.get("WEFT_MPIEXEC", "mpiexec --oversubscribe --bind-to none"))


def run(ranks: int, *words: object) -> subprocess.CompletedProcess[str]:
    command = [*MPIEXEC, "-n", str(ranks), *map(str, words)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


def measure(points: numpy.ndarray, corners: numpy.ndarray, kind: int) -> float:
    """Area or volume of a cell, whose orientation has to be VTK's."""
    p = points[corners]
    if kind == 5:  # triangle
        return float(numpy.cross(p[1, :2] - p[0, :2], p[2, :2] - p[0, :2]) / 2)
    if kind == 9:  # quadrilateral
        x, y = p[:, 0], p[:, 1]
        return float(numpy.dot(x, numpy.roll(y, -1)) - numpy.dot(y, numpy.roll(x, -1))) / 2
    if kind == 10:  # tetrahedron
        return float(numpy.dot(numpy.cross(p[1] - p[0], p[2] - p[0]), p[3] - p[0])) / 6
    assert kind == 12  # a hexahedron with flat faces
    return float(numpy.dot(numpy.cross(p[1] - p[0], p[3] - p[0]), p[4] - p[0]))


CASES = [  # element, dimension, degree, components, vector
    ("q", 2, 1, 1, "distributed"),
    ("q", 3, 2, 3, "petsc"),
    ("q", 2, 4, 1, "trilinos"),
    ("q", 3, 1, 1, "petsc"),
    ("dgq", 2, 2, 2, "distributed"),
    ("simplex", 2, 1, 1, "trilinos"),
    ("simplex", 3, 1, 3, "petsc"),
]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 7])
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_a_polynomial(tmp_path: Path, ranks: int, case: tuple[str, int, int, int, str]) -> None:
    element, dim, degree, components, vector = case
    path = tmp_path / "cube.h5"
    done = run(ranks, PROGRAMS / "nodes", element, dim, degree, components, vector, path)
    assert done.returncode == 0, done.stderr
    with h5py.File(path) as file:
        u, points = file["u"][:], file["VTKHDF/Points"][:]
        offsets, connectivity = file["VTKHDF/Offsets"][:], file["VTKHDF/Connectivity"][:]
        types = file["VTKHDF/Types"][:]
    nodes = len(points)
    want = points @ [1, 2, 4 if dim == 3 else 0]
    want = want[None, :, None] + 8 * numpy.arange(components) + 100 * numpy.arange(3)[:, None, None]
    if degree < 3:  # halves of halves: exact
        assert numpy.array_equal(u.reshape(3, nodes, components), want)
    else:
        assert numpy.allclose(u.reshape(3, nodes, components), want, rtol=0, atol=1e-12)
    sizes = [
        measure(points, connectivity[begin:end], kind)
        for begin, end, kind in zip(offsets[:-1], offsets[1:], types, strict=True)
    ]
    assert min(sizes) > 0 and sum(sizes) == pytest.approx(1.0, abs=1e-12)
    assert set(connectivity) == set(range(nodes))


def test_a_vector_of_one_process(tmp_path: Path) -> None:
    assert run(1, PROGRAMS / "nodes", "q", 2, 2, 1, "serial", tmp_path / "a.h5").returncode == 0


def test_what_is_refused_says_why(tmp_path: Path) -> None:
    done = run(2, PROGRAMS / "nodes", "q", 2, 1, 1, "refined", tmp_path / "a.h5")
    assert done.returncode != 0 and "u: the mesh has changed since the series began" in done.stderr
    done = run(1, PROGRAMS / "nodes", "dgq", 2, 0, 1, "distributed", tmp_path / "b.h5")
    assert done.returncode != 0 and "FE_DGQ<2>(0): only FE_Q and FE_DGQ from degree 1 on" in done.stderr
    done = run(1, PROGRAMS / "nodes", "q", 2, 1, 1, "distributed", tmp_path / "none" / "c.h5")
    assert done.returncode != 0 and "c.h5" in done.stderr


@pytest.mark.parametrize("ranks", [1, 2, 4])
def test_heat_stays_in_the_disc(tmp_path: Path, ranks: int) -> None:
    path = tmp_path / "disc.h5"
    done = run(ranks, PROGRAMS / "dealii_heat", path)
    assert done.returncode == 0, done.stderr
    with h5py.File(path) as file:
        u, points = file["u"][:], file["VTKHDF/Points"][:]
        assert file["u"].attrs["units"] in ("K", b"K") and numpy.allclose(file["time"][:], 0.01 * numpy.arange(21))
    x, y = points[:, 0], points[:, 1]
    assert numpy.allclose(u[0], numpy.cos(numpy.pi / 2 * x) * numpy.cos(numpy.pi / 2 * y), atol=1e-15)
    assert numpy.hypot(x, y).max() == pytest.approx(1)
    # Heat flows outwards: extremes close in, and the middle cools at the rate of the Laplacian, -pi^2 / 2.
    assert (numpy.diff(u.max(axis=1)) < 0).all() and (numpy.diff(u.min(axis=1)) > 0).all()
    middle = u[:, numpy.hypot(x, y).argmin()]
    assert middle[1] == pytest.approx(numpy.exp(-numpy.pi**2 / 2 * 0.01), rel=2e-3)
