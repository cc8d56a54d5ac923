#!/usr/bin/env python3
"""The view figure: all snapshots in order through VTK's reader of the view, against HDF5's reads of the source dataset.

    .venv-readers/bin/python benchmarks/viewing.py --folder /data/scratch [--rounds 5] [--nodes 3253316] [--steps 40]

Both read every step of V, warm, in one process; the order is drawn anew in every round. Also printed: what `weft view`
takes, and what it adds to the file.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import h5py
from measuring import ROOT, ratios, rounds, run_json, spread
from vtkmodules.vtkIOHDF import vtkHDFReader

WEFT = ROOT / "build/bin/weft"


def through_vtk(path: Path, steps: int) -> float:
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.UpdateInformation()
    selection = reader.GetPointDataArraySelection()
    selection.DisableAllArrays()
    selection.EnableArray("V")
    reader.UseCacheOn()  # the mesh does not change: it is read once
    reader.SetStep(0)
    reader.Update()
    start = time.perf_counter()
    for step in range(steps):
        reader.SetStep(step)
        reader.Update()
    return time.perf_counter() - start


def through_hdf5(path: Path, steps: int) -> float:
    with h5py.File(path) as file:
        start = time.perf_counter()
        for step in range(steps):
            file["V"][step]  # an array of its own for each step, as VTK makes one
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--nodes", type=int, default=3_253_316)
    parser.add_argument("--steps", type=int, default=40)
    arguments = parser.parse_args()
    for layout in ("rows", "isotropic", "reads"):
        path = arguments.folder / "weft-view.h5"
        run = [str(WEFT), "run", "ecg", "--fields", "separate", "--layout", layout, "--nodes", str(arguments.nodes)]
        subprocess.run([*run, "--steps", str(arguments.steps), "--out", str(path)], check=True, capture_output=True)
        report = run_json([str(WEFT), "view", str(path), "--no-xdmf", "--json"])
        took: dict[str, list[float]] = {"vtk": [], "hdf5": []}
        readers = {"vtk": through_vtk, "hdf5": through_hdf5}

        def read(name: str, path: Path = path, took: dict[str, list[float]] = took, readers: Any = readers) -> None:
            took[name].append(readers[name](path, arguments.steps))

        rounds(arguments.rounds, {name: partial(read, name) for name in readers})
        print(
            f"{layout:10} VTK {spread(took['vtk'])}, HDF5 {spread(took['hdf5'])}, "
            f"ratio {spread(ratios(took['vtk'], took['hdf5']), '')}; "
            f"view {1e3 * report['seconds']:.0f} ms, {report['bytes_added']} bytes"
        )
        path.unlink()


if __name__ == "__main__":
    main()
