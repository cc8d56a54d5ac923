"""field.plot draws what the field holds, into axes of matplotlib."""

import h5py
import matplotlib
import numpy as np
import pytest

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
