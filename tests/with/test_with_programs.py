"""`weft with` on programs as they are: every value, and all that programs can see, as without it."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import h5py
import numpy as np
import programs as p
import pytest
import weft_run as w

WAYS = [["--watch"], ["--write-behind"], ["--layout", "reads", "--write-behind"], ["--layout", "isotropic"]]


def both_ways(tmp_path: Path, words: Sequence[object], after: Sequence[object] = ()) -> None:
    """Runs `words PATH after` without and in each way, and compares what it says and leaves."""
    plain = tmp_path / "plain.h5"
    alone = p.run([*words, plain, *after])
    for way in WAYS:
        path = tmp_path / ("with" + "".join(way).replace("-", "") + ".h5")
        done = p.run([*p.WITH, *way, *words, path, *after])
        assert done.stdout == alone.stdout
        p.same(plain, path)
        if "--write-behind" in way:
            assert any("are gathered" in line for line in p.said(done)), done.stderr


H5PY_STEPS = """
import sys, h5py, numpy as np
random = np.random.default_rng(1)
with h5py.File(sys.argv[1], "w") as file:
    rows = file.create_dataset("V", (0, 4000), maxshape=(None, 4000), chunks=(20, 250), dtype="f8")
    packed = file.create_dataset("c", (0, 30, 40), maxshape=(None, 30, 40), chunks=(7, 30, 20), dtype="f4",
                                 compression="gzip", shuffle=True)
    fixed = file.create_dataset("fixed", (120, 500), dtype=">i4")
    time = file.create_dataset("time", (0,), maxshape=(None,))
    for step in range(120):
        for data in (rows, packed, time):
            data.resize(step + 1, axis=0)
        rows[step] = random.random(4000)
        file["c"][step] = random.random((30, 40))  # opened anew each time
        fixed[step] = np.arange(500) * step
        time[step] = step * 0.5
        if step % 50 == 49:
            print(rows[step - 3 : step, 7], float(packed[:, 3, 3].sum()), rows.id.get_storage_size())
    file["V"].attrs["units"] = "mV"
with h5py.File(sys.argv[1]) as file:
    print(file["V"][:, 17].sum(), file["c"][11].sum(), len(file["time"]))
"""


@pytest.mark.parametrize("python", [p.PYPI_PYTHON, p.DEBIAN_PYTHON], ids=["pypi", "debian"])
def test_h5py(tmp_path: Path, python: str) -> None:
    p.needs(python)
    script = tmp_path / "steps.py"
    # What a dataset takes in the file depends on its chunks.
    script.write_text(H5PY_STEPS.replace(", rows.id.get_storage_size()", ""))
    both_ways(tmp_path, [python, script])


def test_storage_is_asked_for(tmp_path: Path) -> None:
    script = tmp_path / "steps.py"
    script.write_text(H5PY_STEPS)
    alone = p.run([p.DEBIAN_PYTHON, script, tmp_path / "a.h5"])
    assert p.run([*p.WITH, "--write-behind", p.DEBIAN_PYTHON, script, tmp_path / "b.h5"]).stdout == alone.stdout


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("python", [p.PYPI_PYTHON, p.DEBIAN_PYTHON], ids=["pypi", "debian"])
def test_any_operations(tmp_path: Path, python: str, seed: int) -> None:
    """Steps that are skipped, written again, cut, copied, asked for, through several identifiers, and files that the
    program leaves open."""
    p.needs(python)
    plain, behind = tmp_path / "plain.h5", tmp_path / "behind.h5"
    p.run([python, p.HERE / "operations.py", plain, seed])
    p.run([*p.WITH, "--write-behind", "--budget", "100KiB", python, p.HERE / "operations.py", behind, seed])
    assert Path(f"{behind}.0.said").read_text() == Path(f"{plain}.0.said").read_text()
    p.same(plain, behind)


@pytest.mark.parametrize("compressed", [[], ["zlib"]], ids=["plain", "zlib"])
def test_netcdf4_python(tmp_path: Path, compressed: list[object]) -> None:
    p.needs(p.PYPI_PYTHON)
    both_ways(tmp_path, [p.PYPI_PYTHON, p.HERE / "netcdf_steps.py"], compressed)


def test_netcdf_fortran(tmp_path: Path) -> None:
    if shutil.which("gfortran") is None or shutil.which("nf-config") is None:
        pytest.skip("no netCDF-Fortran")
    program = tmp_path / "netcdf_steps"
    flags = p.run(["nf-config", "--fflags"]).stdout.split() + p.run(["nf-config", "--flibs"]).stdout.split()
    p.run(["gfortran", p.HERE / "netcdf_steps.f90", "-o", program, *flags], extra={"PWD": str(tmp_path)})
    both_ways(tmp_path, [program])


def test_tools_say_the_same(tmp_path: Path) -> None:
    """h5dump and h5repack: not one byte differs."""
    path = tmp_path / "steps.h5"
    script = tmp_path / "steps.py"
    script.write_text(H5PY_STEPS)
    p.run([p.DEBIAN_PYTHON, script, path])
    for way in [["--watch"], ["--write-behind"], ["--layout", "reads", "--write-behind", "--watch"]]:
        for tool in (
            ["h5dump", "-H", path],
            ["h5dump", "-d", "/V", "-s", "3,3", "-c", "2,5", path],
            ["h5ls", "-rv", path],
        ):
            assert p.run([*p.WITH, *way, *tool]).stdout == p.run(tool).stdout
    plain = tmp_path / "a.h5"
    p.run(["h5repack", "-f", "GZIP=1", path, plain])
    for number, way in enumerate([["--watch"], ["--write-behind"]]):
        again = tmp_path / f"b{number}.h5"
        p.run([*p.WITH, *way, "h5repack", "-f", "GZIP=1", path, again])
        # HDF5 notes in objects in which second it made them, with a sum: some bytes of 4 MB.
        a, b = (np.frombuffer(file.read_bytes(), np.uint8) for file in (plain, again))
        assert len(a) == len(b) and np.count_nonzero(a != b) < 100
        p.same(plain, again)


def test_two_hdf5_in_one_process(tmp_path: Path) -> None:
    """h5py and netCDF4 of PyPI bring an HDF5 each; a call goes to that of its caller."""
    p.needs(p.PYPI_PYTHON)
    script = tmp_path / "both.py"
    script.write_text(
        "import sys, h5py, netCDF4, numpy as np\n"
        "file = h5py.File(sys.argv[1], 'w')\n"
        "data = file.create_dataset('a', (0, 100), maxshape=(None, 100), chunks=(10, 50))\n"
        "with netCDF4.Dataset(sys.argv[1] + '.nc', 'w') as other:\n"
        "    other.createDimension('t', None); other.createDimension('x', 100)\n"
        "    field = other.createVariable('b', 'f8', ('t', 'x'), chunksizes=(10, 50))\n"
        "    for step in range(35):\n"
        "        data.resize(step + 1, axis=0); data[step] = np.arange(100) + step\n"
        "        field[step] = np.arange(100) * 2 + step\n"
        "    print(float(data[:].sum()), float(field[:].sum()))\n"
        "file.close()\n"
    )
    alone = p.run([p.PYPI_PYTHON, script, tmp_path / "a.h5"])
    done = p.run([*p.WITH, "--write-behind", p.PYPI_PYTHON, script, tmp_path / "b.h5"])
    assert done.stdout == alone.stdout and len([line for line in p.said(done) if "gathered" in line]) == 2
    p.same(tmp_path / "a.h5", tmp_path / "b.h5")
    p.same(tmp_path / "a.h5.nc", tmp_path / "b.h5.nc")


def test_a_virtual_dataset_shows_what_waits(tmp_path: Path) -> None:
    """Its extents are not asked for: HDF5 1.10.8 crashes where a virtual dataset without end was looked into."""
    script = tmp_path / "virtual.py"
    script.write_text(
        "import sys, h5py, numpy as np\n"
        "with h5py.File(sys.argv[1], 'w', libver='latest') as file:\n"
        "    data = file.create_dataset('a', (40, 100), chunks=(10, 50), dtype='f8')\n"
        "    layout = h5py.VirtualLayout((40, 100), 'f8')\n"
        "    layout[:] = h5py.VirtualSource('.', 'a', (40, 100))\n"
        "    view = file.create_virtual_dataset('v', layout, fillvalue=-1)\n"
        "    for step in range(40):\n"
        "        data[step] = np.arange(100) + step\n"
        "        if step % 7 == 0: print(file['v'][step, :3], view[: step + 1].sum())\n"
    )
    alone = p.run([p.DEBIAN_PYTHON, script, tmp_path / "a.h5"])
    for way in WAYS:
        path = tmp_path / ("".join(way).replace("-", "") + ".h5")
        assert p.run([*p.WITH, *way, p.DEBIAN_PYTHON, script, path]).stdout == alone.stdout


def test_a_budget_smaller_than_a_row_of_chunks(tmp_path: Path) -> None:
    script = tmp_path / "steps.py"
    script.write_text(H5PY_STEPS)
    p.run([p.DEBIAN_PYTHON, script, tmp_path / "a.h5"])
    done = p.run([*p.WITH, "--write-behind", "--budget", "200KiB", p.DEBIAN_PYTHON, script, tmp_path / "b.h5"])
    assert "weft with: /V: 6 steps of 31.2 KiB are gathered and written together" in p.said(done)
    p.same(tmp_path / "a.h5", tmp_path / "b.h5")


def test_a_child_of_fork_writes_nothing(tmp_path: Path) -> None:
    script = tmp_path / "fork.py"
    script.write_text(
        "import os, sys, h5py, numpy as np\n"
        "file = h5py.File(sys.argv[1], 'w')\n"
        "data = file.create_dataset('a', (0, 100), maxshape=(None, 100), chunks=(10, 50))\n"
        "for step in range(5): data.resize(step + 1, axis=0); data[step] = np.arange(100) + step\n"
        "if os.fork() == 0: os._exit(0)\n"
        "os.wait()\n"
        "for step in range(5, 25): data.resize(step + 1, axis=0); data[step] = np.arange(100) + step\n"
        "file.close()\n"
    )
    p.run([*p.WITH, "--write-behind", p.DEBIAN_PYTHON, script, tmp_path / "a.h5"])
    with h5py.File(tmp_path / "a.h5") as file:
        assert np.array_equal(file["a"][...], np.arange(100)[None] + np.arange(25)[:, None])


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    """The step that cannot be written is lost as without weft with: the program is told by the call that wrote it."""
    script = tmp_path / "full.py"
    script.write_text(
        "import resource, signal, sys, h5py, numpy as np\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2_000_000, 2_000_000))\n"
        "file = h5py.File(sys.argv[1], 'w')\n"
        "data = file.create_dataset('a', (0, 100000), maxshape=(None, 100000), chunks=(10, 50000), dtype='f8')\n"
        "for step in range(50): data.resize(step + 1, axis=0); data[step] = np.arange(100000) + step\n"
        "file.close()\n"
    )
    plain = w.call([p.DEBIAN_PYTHON, str(script), str(tmp_path / "plain.h5")])
    assert "OSError" in plain.err or "RuntimeError" in plain.err
    code = plain.code if plain.code >= 0 else 128 - plain.code  # HDF5 1.10.8 may crash over it when the program ends
    done = p.run([*p.WITH, "--write-behind", p.DEBIAN_PYTHON, script, tmp_path / "a.h5"], code=code)
    assert any("steps that waited could not be written" in line for line in p.said(done)), done.stderr
    assert "OSError" in done.stderr or "RuntimeError" in done.stderr


def test_it_is_exec_that_runs_the_program(tmp_path: Path) -> None:
    """Its exit code, its signals, its standard input."""
    assert p.run([*p.WITH, "sh", "-c", "cat; exit 7"], code=7).stdout == ""
    assert w.weft("with", "sh", "-c", "kill -TERM $$").code == 143
