"""Several threads read from one File side by side, on a store where each request takes a while."""

import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest
from weft._core import Requests

import weft
from weft.reading import File, Options

STEPS, NODES, CHUNK = 32, 4096, (8, 256)
DELAY = 0.01


@pytest.fixture(params=[None, "gzip"], ids=["plain", "compressed"])
def made(request, tmp_path):
    path = tmp_path / "run.h5"
    values = np.arange(STEPS * NODES, dtype=np.float64).reshape(STEPS, NODES)
    with h5py.File(path, "w") as file:
        data = file.create_dataset("V", data=values, chunks=CHUNK, compression=request.param)
        data.dims[0].label, data.dims[1].label = "time", "node"
    return path, values


def test_sixteen_threads_wait_for_their_requests_at_once(made):
    path, values = made
    random = np.random.default_rng(3)
    boxes = [(int(random.integers(0, 4)) * 8, int(random.integers(0, 16)) * 256) for _ in range(64)]

    def read(box):
        step, node = box
        return np.array_equal(field[step + 1 : step + 7, node + 3 : node + 250],
                              values[step + 1 : step + 7, node + 3 : node + 250])

    requests = Requests()
    field = File(path, Options(budget=0, latency=1e-3, bandwidth=1e9, delay=DELAY), requests)["V"]
    field[0, 0]
    began, before = time.monotonic(), requests.reads
    assert all(map(read, boxes[:16]))
    alone, of_16 = time.monotonic() - began, requests.reads - before
    assert of_16 >= 16 and alone >= 16 * DELAY
    began = time.monotonic()
    with ThreadPoolExecutor(16) as threads:
        assert all(threads.map(read, boxes))
    together = time.monotonic() - began
    # Four times as many boxes, in less time than 16 threads with one lock would take for a third of them.
    assert together < 4 * alone / 3


def test_threads_open_close_and_reload_one_file(made):
    path, _ = made
    with weft.open(path) as file, ThreadPoolExecutor(8) as threads:
        def work(i):
            if i % 10 == 0:
                file.reload()
            with weft.open(path) as other:
                return np.array_equal(other["V"].trace(i), file["V"].trace(i))

        assert all(threads.map(work, range(80)))


def test_what_one_thread_meets_others_do_not(made):
    path, values = made
    field = weft.open(path)["V"]

    def work(i):
        if i % 3:
            return np.array_equal(field.trace(i), values[:, i])
        with pytest.raises(IndexError):
            field.trace(NODES + i)
        return True

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(work, range(60)))
