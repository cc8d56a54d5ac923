"""Functions of DOLFINx through io4dolfinx and Weft's backend, written or read on these ranks: `write FOLDER`, `read FOLDER`."""

import sys

import dolfinx
import io4dolfinx
import numpy as np
from mpi4py import MPI

COMM = MPI.COMM_WORLD
BACKEND = "weft.adaptors.io4dolfinx"
TIMES = [0.0, 1.5, 0.5]
SPACES = {"u": ("Lagrange", 2, (3,)), "edges": ("N1curl", 1), "cells/q": ("DG", 1)}


def function(mesh, name: str, time: float):
    space = dolfinx.fem.functionspace(mesh, SPACES[name])
    made = dolfinx.fem.Function(space, name=name)
    if space.value_shape:
        made.interpolate(lambda x: np.stack((x[1] + time, -x[0], np.full(x.shape[1], time))))
    else:
        made.interpolate(lambda x: x[0] + 2 * x[1] - time * x[2])
    return made


def write(path: str) -> None:
    mesh = dolfinx.mesh.create_unit_cube(COMM, 4, 3, 2)
    io4dolfinx.write_mesh(path, mesh, backend=BACKEND)
    for time in TIMES:
        for name in SPACES:
            options = {"filters": "shuffle+deflate:1"}
            io4dolfinx.write_function(path, function(mesh, name, time), time, backend=BACKEND, backend_args=options)
    count = mesh.topology.index_map(3).size_local
    numbers = np.arange(count, dtype=np.int32) + np.int32(mesh.topology.index_map(3).local_range[0])
    tags = dolfinx.mesh.meshtags(mesh, 3, np.arange(count, dtype=np.int32), numbers)
    io4dolfinx.write_meshtags(path, mesh, tags, "numbers", backend=BACKEND)
    none = dolfinx.mesh.meshtags(mesh, 2, np.empty(0, np.int32), np.empty(0, np.int32))
    io4dolfinx.write_meshtags(path, mesh, none, "none", backend=BACKEND)
    io4dolfinx.write_attributes(path, COMM, "run", {"steps": np.array([3])}, backend=BACKEND)
    io4dolfinx.write_attributes(path, COMM, "run", {"solver": np.array("cg")}, backend=BACKEND)
    other = dolfinx.mesh.create_unit_cube(COMM, 4, 2, 3)  # as many cells, otherwise numbered
    try:
        io4dolfinx.write_function(path, function(other, "u", 9.0), 9.0, backend=BACKEND)
    except ValueError as error:
        assert "another numbering" in str(error)
    else:
        raise AssertionError("a function of another mesh was taken")


def read(path: str) -> None:
    mesh = io4dolfinx.read_mesh(path, COMM, backend=BACKEND)
    assert io4dolfinx.read_function_names(path, COMM, {}, backend=BACKEND) == sorted(SPACES)
    for name in SPACES:
        np.testing.assert_array_equal(io4dolfinx.read_timestamps(path, COMM, name, backend=BACKEND), TIMES)
        for time in TIMES:
            expected = function(mesh, name, time)
            found = dolfinx.fem.Function(expected.function_space, name=name)
            io4dolfinx.read_function(path, found, time, backend=BACKEND)
            np.testing.assert_allclose(found.x.array, expected.x.array, atol=1e-13)
    tags = io4dolfinx.read_meshtags(path, mesh, "numbers", backend=BACKEND)
    assert len(io4dolfinx.read_meshtags(path, mesh, "none", backend=BACKEND).values) == 0
    own = tags.indices < mesh.topology.index_map(3).size_local
    numbers = np.concatenate(COMM.allgather(tags.values[own]))
    np.testing.assert_array_equal(np.sort(numbers), np.arange(144))
    about = io4dolfinx.read_attributes(path, COMM, "run", backend=BACKEND)
    assert about["steps"][0] == 3 and str(about["solver"]) == "cg"


if __name__ == "__main__":
    {"write": write, "read": read}[sys.argv[1]](sys.argv[2])
