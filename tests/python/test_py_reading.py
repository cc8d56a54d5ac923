"""weft.open: fields, traces, snapshots, sweeps, and what is raised where they cannot be had."""

import multiprocessing
import pickle
import shutil
import timeit

import h5py
import numpy as np
import pytest

import weft

STEPS, NODES = 23, 500


def make(path, filters=None, damaged=False):
    """A file that Weft did not write, with (time, node, 2) in small chunks."""
    values = np.arange(STEPS * NODES * 2, dtype=np.float32).reshape(STEPS, NODES, 2)
    with h5py.File(path, "w") as file:
        time = file.create_dataset("time", data=np.arange(STEPS) * 0.5)
        time.attrs["units"] = "ms"
        time.make_scale("time")
        data = file.create_dataset("V", data=values, chunks=(4, 90, 2), compression=filters)
        data.attrs["units"] = "mV"
        data.dims[0].attach_scale(time)
        data.dims[0].label, data.dims[1].label, data.dims[2].label = "time", "node", "component"
    return values


@pytest.fixture(params=[None, "gzip"], ids=["plain", "compressed"])
def made(request, tmp_path):
    path = tmp_path / "run.h5"
    return path, make(path, request.param)


def test_what_a_field_is_and_reads(made):
    path, values = made
    with weft.open(path) as file:
        assert list(file) == ["V"] and len(file) == 1 and "V" in file
        assert (file.committed, file.steps, file.time_units) == (STEPS, STEPS, "ms")
        np.testing.assert_array_equal(file.times, np.arange(STEPS) * 0.5)
        field = file["V"]
        assert (field.shape, field.dtype, field.units, field.chunks) == (values.shape, "float32", "mV", (4, 90, 2))
        np.testing.assert_array_equal(field.trace(7), values[:, 7])
        np.testing.assert_array_equal(field.trace(-1), values[:, -1])
        np.testing.assert_array_equal(field.traces([3, 4, 499, 0]), values[:, [3, 4, 499, 0]].swapaxes(0, 1))
        np.testing.assert_array_equal(field.snapshot(-2), values[-2])
        np.testing.assert_array_equal(field.block(100, 50, 3, 9), values[3:12, 100:150])
        np.testing.assert_array_equal(np.array(list(field.sweep(2, 9))), values[2:9])
        np.testing.assert_array_equal(np.asarray(field), values)
        np.testing.assert_array_equal(field[::-3, [5, 1], ..., 0], values[::-3, [5, 1], ..., 0])
        assert field.traces([]).shape == (0, STEPS, 2)


def test_what_cannot_be_read_has_a_fitting_exception(made, tmp_path):
    path, _ = made
    file = weft.open(path)
    field = file["V"]
    for wrong in (NODES, -NODES - 1):
        with pytest.raises(IndexError, match="no node"):
            field.trace(wrong)
    with pytest.raises(IndexError, match="no step"):
        field.snapshot(STEPS)
    with pytest.raises(IndexError):
        field.block(490, 20)
    with pytest.raises(TypeError):
        field.trace(1.5)
    with pytest.raises(KeyError, match="it has: V"):
        file["W"]
    assert "W" not in file
    with pytest.raises(FileNotFoundError, match="no-such-file"):
        weft.open(tmp_path / "no-such-file.h5")
    with pytest.raises(ValueError, match="threads"):
        weft.open(path, threads=0)
    file.close()
    for read in (lambda: field.trace(0), lambda: file["V"], lambda: field[0], lambda: file.committed):
        with pytest.raises(ValueError, match="closed"):
            read()
    assert "closed" in repr(file) and "closed" in repr(field)


def test_a_damaged_file_is_a_data_error(made, tmp_path):
    path, _ = made
    text = tmp_path / "text.h5"
    text.write_text("no file of HDF5's\n" * 100)
    with pytest.raises(weft.DataError):
        weft.open(text)
    short = tmp_path / "short.h5"
    shutil.copy(path, short)
    with short.open("r+b") as file:
        file.truncate(short.stat().st_size // 2)
    with pytest.raises(weft.DataError):
        weft.open(short)["V"][...]
    with h5py.File(path) as file:
        chunk = file["V"].id.get_chunk_info(2)
        compressed = file["V"].compression is not None
    if not compressed:
        return
    with path.open("r+b") as file:
        file.seek(chunk.byte_offset)
        file.write(b"\0" * chunk.size)
    with pytest.raises(weft.DataError, match="chunk"):
        weft.open(path)["V"][...]


def test_cost_and_reprs_say_what_reads_take(made):
    path, values = made
    field = weft.open(path)["V"]
    cost = field.cost("trace")
    assert cost.asked_bytes == STEPS * 2 * 4 and cost.requests > 0 and cost.seconds > 0
    assert field.cost("snapshot").asked_bytes == values[0].nbytes
    assert field.cost(((0, 0, 0), (1, 1, 1))).asked_bytes == 4
    with pytest.raises(ValueError, match="trace"):
        field.cost("everything")
    for shown in (repr(field), field._repr_html_(), field.file._repr_html_()):
        assert "23 x 500 x 2 float32" in shown and "mV" in shown and "request" in shown
    assert "23 x 500 x 2" in repr(field.file)


def test_they_pickle_by_their_path(made):
    path, values = made
    field = pickle.loads(pickle.dumps(weft.open(path, threads=2)["V"]))
    np.testing.assert_array_equal(field.trace(9), values[:, 9])
    assert field.file._options.threads == 2


def trace_in_child(field, node, queue):
    queue.put(field.trace(node).tolist())


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_child_processes_read(made, how):
    path, values = made
    field = weft.open(path)["V"]
    field.trace(0)
    context = multiprocessing.get_context(how)
    queue = context.Queue()
    child = context.Process(target=trace_in_child, args=(field, 5, queue))
    child.start()
    try:
        assert queue.get(timeout=15) == values[:, 5].tolist()
        child.join(30)
        assert child.exitcode == 0
    finally:
        child.kill()
    np.testing.assert_array_equal(field.trace(6), values[:, 6])


def test_follow_ends_after_its_timeout(made):
    path, _ = made
    assert list(weft.open(path).follow(timeout=0.05, poll=0.01, first=20)) == [20, 21, 22]


def test_a_trace_through_python_costs_little(tmp_path):
    path = tmp_path / "small.h5"
    make(path)
    field = weft.open(path)["V"]
    reader, values = field.file._reader, np.empty((STEPS, 2), np.float32)
    through_python = min(timeit.repeat(lambda: field.trace(7), number=500, repeat=5)) / 500
    reader_alone = min(timeit.repeat(lambda: reader.read_trace("V", 7, values), number=500, repeat=5)) / 500
    assert through_python - reader_alone < 30e-6
