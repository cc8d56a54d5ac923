"""Meshes of meshio go into a series, and its steps come out as pyvista's; the real packages."""

from __future__ import annotations

from pathlib import Path

import meshio
import numpy as np
import pytest
from weft.adaptors.meshio import mesh_of

import weft

POINTS = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1], [2, 0.5, 0.5]])
CELLS = [("hexahedron", [list(range(8))]), ("pyramid", [[1, 2, 6, 5, 8]]), ("triangle", [[0, 1, 2]])]


def test_a_mesh_goes_in_and_a_step_comes_out(tmp_path: Path) -> None:
    meshio.Mesh(POINTS, CELLS).write(tmp_path / "in.vtu")
    fields = {
        "V": weft.FieldSpec(units="mV"),
        "u": weft.FieldSpec((..., 3), dtype="float32"),
        "tissue": weft.FieldSpec(dtype="uint8", support="cells"),
        "energy": weft.FieldSpec(support="global"),
    }
    with weft.create(tmp_path / "a.h5", fields, mesh=mesh_of(meshio.read(tmp_path / "in.vtu"))) as out:
        for step in range(4):
            u = np.full((9, 3), step, np.float32)
            out.step(float(step), V=np.arange(9.0) + step, u=u, tissue=np.array([1, 2], np.uint8), energy=1.0)
    with weft.open(tmp_path / "a.h5") as file:
        grid = file.to_pyvista(2)
        np.testing.assert_array_equal(grid.points, POINTS)
        assert grid.celltypes.tolist() == [12, 14] and grid.volume == pytest.approx(1 + 1 / 3)
        np.testing.assert_array_equal(grid.point_data["V"], np.arange(9.0) + 2)
        np.testing.assert_array_equal(grid.point_data["u"], np.full((9, 3), 2))
        np.testing.assert_array_equal(grid.cell_data["tissue"], [1, 2])
        assert file.to_pyvista(fields=["V"]).array_names == ["V"]
        with pytest.raises(IndexError, match="no step 4"):
            file.to_pyvista(4)
        with pytest.raises(ValueError, match="energy does not stand on"):
            file.to_pyvista(0, ["energy"])


def test_what_does_not_fit_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cells of type tetra10"):
        mesh_of(meshio.Mesh(np.zeros((10, 3)), [("tetra10", [list(range(10))])]))
    with pytest.raises(ValueError, match="no cells of dimension 3"):
        mesh_of(meshio.Mesh(POINTS[:, :2], [("triangle", [[0, 1, 2]])]), dimension=3)
    flat = mesh_of(meshio.Mesh(POINTS[:4, :2], [("quad", [[0, 1, 2, 3]])]))
    assert np.asarray(flat.points).shape == (4, 3)
    with weft.create(tmp_path / "a.h5", {"V": weft.FieldSpec(3)}) as out:
        out.step(0.0, V=np.zeros(3))
    with pytest.raises(ValueError, match="has no mesh"):
        weft.open(tmp_path / "a.h5").to_pyvista()
