"""The package as it is installed: its programs, its names, and other HDF5s in the same process."""

from __future__ import annotations

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

import weft

PROGRAMS = Path(sys.executable).parent


def python(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)


def test_every_name_is_there() -> None:
    for name in dir(weft):
        assert getattr(weft, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'weave'"):
        weft.weave  # type: ignore[attr-defined]  # noqa: B018


def test_importing_it_takes_neither_numpy_nor_the_extension() -> None:
    done = python("import sys, weft, weft.campaign; sys.exit(any(m in sys.modules for m in ('numpy', 'weft._core')))")
    assert done.returncode == 0, done.stderr


LIBRARIES = ["weft._core", "h5py", "netCDF4", "vtkmodules.vtkIOHDF"]


@pytest.mark.parametrize("order", [*itertools.permutations(LIBRARIES[:3]), LIBRARIES, LIBRARIES[::-1]])
def test_other_hdf5s_in_the_process_do_no_harm(tmp_path: Path, order: tuple[str, ...]) -> None:
    program = f"""
import {", ".join(order)}, numpy as np, weft
values = np.arange(600.0).reshape(20, 30)
mesh = weft.Mesh(np.arange(90.0).reshape(30, 3), np.arange(30).reshape(30, 1), types=1)
with weft.create("{tmp_path}/a.h5", {{"V": weft.FieldSpec(30, filters="shuffle+deflate:1")}}, mesh=mesh) as out:
    for step in range(20):
        out.step(float(step), V=values[step])
mine = weft.open("{tmp_path}/a.h5")
with h5py.File("{tmp_path}/a.h5") as one, netCDF4.Dataset("{tmp_path}/a.h5") as other:
    for at in range(20):
        for read in (mine["V"][at], one["V"][at], other["V"][at].data):
            assert np.array_equal(read, values[at])
"""
    if "vtkmodules.vtkIOHDF" in order:
        program += f"""
from vtkmodules.util.numpy_support import vtk_to_numpy
reader = vtkmodules.vtkIOHDF.vtkHDFReader()
reader.SetFileName("{tmp_path}/a.h5")
for at in range(20):
    reader.SetStep(at)
    reader.Update()
    assert np.array_equal(vtk_to_numpy(reader.GetOutput().GetPointData().GetArray("V")), values[at])
"""
    done = python(program)
    assert done.returncode == 0, done.stderr


def test_programs_say_what_they_lack() -> None:
    weft_command = subprocess.run([PROGRAMS / "weft", "info"], capture_output=True, text=True, check=False)
    assert weft_command.returncode == 1 and len(weft_command.stderr.splitlines()) == 1
    assert "without the command" in weft_command.stderr
    # What tests take may have brought rich along.
    without_rich = (
        "import sys; sys.modules['rich'] = None; sys.argv = ['weft-campaign', 'list']; from weft.command import "
    )
    campaign = python(without_rich + "campaign; sys.exit(campaign())")
    assert campaign.returncode == 1 and campaign.stderr.splitlines() == [
        "weft: error: weft campaign: this Python has no rich; install what it takes: pip install 'weft-io[campaign]'"
    ]
