"""field.plot draws what the field holds, into axes of matplotlib."""

import h5py
import matplotlib
import numpy as np
import pytest
import pyvista

import weft

matplotlib.use("Agg")


@pytest.mark.parametrize("per_step", [(60,), (4, 5), (3, 4, 5)], ids=str)
def test_traces_maps_and_snapshots(tmp_path, per_step):
    values = np.random.default_rng(1).normal(size=(6, *per_step))
    names = ["time", *(["node"] if len(per_step) == 1 else ["z", "y", "x"][-len(per_step) :])]
    with h5py.File(tmp_path / "run.h5", "w") as file:
        data = file.create_dataset("V", data=values)
        for axis, name in enumerate(names):
            data.dims[axis].label = name
    field = weft.open(tmp_path / "run.h5")["V"]
    lines = field.plot.trace([0, 7]).get_lines()
    np.testing.assert_array_equal(lines[1].get_ydata(), values.reshape(6, -1)[:, 7])
    place = tuple(n - 1 for n in per_step)  # on a line, a tuple of one node
    (line,) = field.plot.trace(place).get_lines()
    np.testing.assert_array_equal(line.get_ydata(), values[:, *place])
    for drawn, expected in ((field.plot.snapshot(-1), values[-1]), (field.plot.map("max"), values.max(axis=0))):
        if len(per_step) == 1:
            shown = drawn.get_lines()[0].get_ydata()
        else:
            shown = np.asarray(drawn.images[0].get_array())
            expected = expected[1] if len(per_step) == 3 else expected
        np.testing.assert_array_equal(shown, expected)
    with pytest.raises(ValueError, match="mean"):
        field.plot.map("median of all")
    with pytest.raises(ValueError, match="shape"):
        field.plot.map(np.zeros(3))


def test_cells_of_a_mesh_are_drawn_into_a_plotter(tmp_path):
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    mesh = weft.Mesh(points, np.array([[0, 1, 2, 3], [1, 2, 3, 4]]), types=10)
    fields = {
        "V": weft.FieldSpec((5, 2), units="mV"),
        "q": weft.FieldSpec(2, support="cells"),
        "E": weft.FieldSpec((), support="global"),
    }
    values = np.arange(20.0).reshape(2, 5, 2)
    with weft.create(tmp_path / "a.h5", fields, mesh=mesh, steps=2) as out:
        for step in range(2):
            out.step(float(step), V=values[step], q=np.array([step, 7.0]), E=0.0)
    file = weft.open(tmp_path / "a.h5")
    plotter = file["V"].plot.snapshot(-1, component=1, plotter=pyvista.Plotter(off_screen=True))
    (drawn,) = plotter.meshes
    assert drawn.n_cells == 2
    np.testing.assert_array_equal(drawn.point_data["V [mV]"], values[1, :, 1])
    plotter.screenshot(tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000
    on_cells = file["q"].plot.map("max", plotter=pyvista.Plotter(off_screen=True))
    np.testing.assert_array_equal(on_cells.meshes[0].cell_data["q"], [1, 7])
    with pytest.raises(ValueError, match="does not stand on"):
        file["E"].plot.map(np.array(1.0), plotter=pyvista.Plotter(off_screen=True))
