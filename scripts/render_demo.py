#!/usr/bin/env python3
"""Pictures of a Weft file with a mesh: the wave at one step, and the map of activation times. Needs no display.

    .venv-readers/bin/python scripts/render_demo.py heart.h5 --wave wave.png --activation activation.png

VTK's own reader reads the file (it is a VTKHDF file); the map comes from /maps/FIELD/activation_time (`weft run ecg
--reduce activation_time`), or from heart.maps.h5 beside it (`weft reduce`). The field may stand on some of the nodes,
the heart of a torso: the rest is drawn as a veil around it. One looks from the front and the left of a patient: x to
the patient's left, y to the back, z up. scripts/install-readers makes the Python.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

VENV = "scripts/install-readers makes a Python that has it: .venv-readers/bin/python"


def stop(line: str) -> NoReturn:
    sys.exit(f"render_demo: error: {line}")


try:
    import h5py
    import numpy as np
    from numpy.typing import NDArray
    from vtk_scene import Picture, coloured, colours, draw, surface_of, veil
    from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
    from vtkmodules.vtkCommonCore import vtkLogger
    from vtkmodules.vtkCommonDataModel import vtkDataObject, vtkPolyData
    from vtkmodules.vtkFiltersCore import vtkContourFilter, vtkThreshold
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    stop(f"this Python ({sys.executable}) cannot import what it takes ({missing}); {VENV}")

# Even steps of two perceptually even colour maps, without the ends that shading would lose in black or white.
WAVE = ["#1b0f6b", "#5302a3", "#8b0aa5", "#b83289", "#db5c68", "#f48849", "#febd2a", "#f4ee27"]
ACTIVATION = ["#f4e61e", "#addc30", "#5ec962", "#28ae80", "#21918c", "#2c728e", "#3b528b", "#472d7b"]
ALL = 1e300  # every number; NaN is not among them
PROBE = """
import vtkmodules.vtkRenderingOpenGL2
from vtkmodules.vtkRenderingCore import vtkRenderer, vtkRenderWindow
window = vtkRenderWindow()
window.SetOffScreenRendering(1)
window.AddRenderer(vtkRenderer())
window.Render()
print("rendered")
"""


@dataclass
class Recording:
    """What the pictures are made of, at one step."""

    path: Path
    field: str
    time: str  # "45 ms"
    units: str  # of the field
    body: Any  # the whole mesh
    carrier: Any  # the mesh whose nodes have the field: the whole one, or a block of its own


def text_of(value: object) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def leaves(data: Any) -> list[Any]:
    """The grids in what the reader gives: one, or the blocks of a file whose fields stand on different nodes."""
    if not data.IsA("vtkPartitionedDataSetCollection"):
        return [data]
    return [data.GetPartition(i, 0) for i in range(data.GetNumberOfPartitionedDataSets())]


def read_map(path: Path, field: str) -> tuple[NDArray[np.float64], str]:
    """The first beat's activation times, one a node of the field, and their unit."""
    beside = path.with_name(f"{path.stem}.maps{path.suffix}")
    for file, name in ((path, f"/maps/{field}/activation_time"), (beside, "/activation_time")):
        if not file.exists():
            continue
        with h5py.File(file) as h5:
            if name in h5:
                data = h5[name]
                return np.asarray(data[0] if data.ndim > 1 else data, dtype=float), text_of(data.attrs.get("units", ""))
    stop(
        f"{path}: has no map of activation times of {field}; make it: "
        f"weft reduce {path} --field {field} --quantity activation_time"
    )


def read_step(path: Path, field: str, wanted: int | None) -> Recording:
    try:
        with h5py.File(path) as h5:
            if "VTKHDF" not in h5:
                stop(f"{path}: has no mesh, so there is nothing to look at; weft run ecg writes one")
            times = np.asarray(h5["time"])
            time_units = text_of(h5["time"].attrs.get("units", ""))
            units = text_of(h5[field].attrs.get("units", "")) if field in h5 else ""
    except OSError as error:
        what = "is no HDF5 file" if path.is_file() else os.strerror(error.errno or 2)
        stop(f"{path}: {what}; name a Weft file")
    step = wanted if wanted is not None else chosen_step(path, field, times)
    if not 0 <= step < len(times):
        stop(f"--step {step}: {path} has steps 0 to {len(times) - 1}")
    reader = vtkHDFReader()
    reader.SetFileName(str(path))
    reader.SetStep(step)
    reader.Update()
    grids = leaves(reader.GetOutputDataObject(0))
    carriers = [grid for grid in grids if grid.GetPointData().HasArray(field)]
    if not carriers:
        names = {
            grid.GetPointData().GetArrayName(i)
            for grid in grids
            for i in range(grid.GetPointData().GetNumberOfArrays())
        }
        stop(f"--field {field}: {path} has {', '.join(sorted(names)) or 'no field'} on its nodes")
    body = max(grids, key=lambda grid: grid.GetNumberOfCells())
    return Recording(path, field, f"{times[step]:g} {time_units}".strip(), units, body, carriers[0])


def chosen_step(path: Path, field: str, times: NDArray[Any]) -> int:
    """When a third of the nodes are active, where a map says so: the front is in sight then."""
    with h5py.File(path) as h5:
        name = f"/maps/{field}/activation_time"
        known = np.asarray(h5[name][0]) if name in h5 else np.empty(0)
    known = known[np.isfinite(known)]
    if not known.size:
        return len(times) // 3
    return min(int(np.searchsorted(times, np.quantile(known, 1 / 3))), len(times) - 1)


def where_known(data: Any, name: str) -> Any:
    """The cells all of whose points have a value of `name`."""
    keep = vtkThreshold()
    keep.SetInputData(data)
    keep.SetInputArrayToProcess(0, 0, 0, vtkDataObject.FIELD_ASSOCIATION_POINTS, name)
    keep.SetThresholdFunction(vtkThreshold.THRESHOLD_BETWEEN)
    keep.SetLowerThreshold(-ALL)
    keep.SetUpperThreshold(ALL)
    keep.AllScalarsOn()
    keep.Update()
    return keep.GetOutput()


def isochrones(surface: vtkPolyData, name: str, levels: list[float]) -> vtkPolyData:
    surface.GetPointData().SetActiveScalars(name)
    contour = vtkContourFilter()
    contour.SetInputData(surface)
    contour.SetInputArrayToProcess(0, 0, 0, vtkDataObject.FIELD_ASSOCIATION_POINTS, name)
    contour.ComputeScalarsOff()
    contour.ComputeNormalsOff()
    for i, level in enumerate(levels):
        contour.SetValue(i, level)
    contour.Update()
    return contour.GetOutput()


def with_unit(name: str, unit: str) -> str:
    return f"{name} ({unit})" if unit else name


def even_step(span: float, parts: int) -> float:
    """The least of 1, 2, 5, 10 ... that cuts `span` into no more than so many parts."""
    power = 10.0 ** np.floor(np.log10(span / parts))
    return float(next(power * digit for digit in (1, 2, 5, 10) if span / (power * digit) <= parts * (1 + 1e-9)))


def wave(recording: Recording, heart: Any, limits: tuple[float, float], torso: bool) -> Picture:
    surface = surface_of(heart)
    table = colours(WAVE, *limits)
    step = even_step(limits[1] - limits[0], 8)
    labels = [float(x) for x in np.arange(np.ceil(limits[0] / step) * step, limits[1] + step / 100, step)]
    actors, fitted = [coloured(surface, recording.field, table)], [surface]
    if torso:
        actors += veil(recording.body)
        fitted = [recording.body]
    title = f"{recording.field} at {recording.time}"
    return Picture(
        title, recording.path.name, table, with_unit(recording.field, recording.units), labels, actors, fitted
    )


def activation(recording: Recording) -> Picture:
    times, unit = read_map(recording.path, recording.field)
    nodes = recording.carrier.GetNumberOfPoints()
    if len(times) > nodes:
        stop(f"{recording.path}: its map has {len(times)} nodes, its mesh {nodes}; is the map of another file?")
    every = np.full(nodes, np.nan)
    every[: len(times)] = times  # of a field on the first nodes only
    name = "activation time"
    carrier = recording.carrier.NewInstance()
    carrier.ShallowCopy(recording.carrier)
    array = numpy_to_vtk(every, deep=True)
    array.SetName(name)
    carrier.GetPointData().AddArray(array)
    surface = surface_of(where_known(carrier, recording.field))  # with the nodes that never fired, grey
    shown = vtk_to_numpy(surface.GetPointData().GetArray(name)) if surface.GetNumberOfPoints() else np.empty(0)
    shown = shown[np.isfinite(shown)]
    if not shown.size:
        stop(f"{recording.path}: no node on the surface was activated, so there is no map to draw")
    low, high = float(shown.min()), float(shown.max())
    step = even_step(max(high - low, 1e-9), 14)
    # The bar begins and ends at a line.
    low = float(np.floor(low / step) * step)
    high = max(float(np.ceil(high / step) * step), low + step)
    levels = [low + i * step for i in range(round((high - low) / step) + 1)]
    table = colours(ACTIVATION, low, high)
    fired = surface_of(where_known(surface, name))
    lines = isochrones(fired, name, levels)
    title = f"Activation of {recording.field}, lines every {step:g} {unit}".rstrip()
    return Picture(
        title, recording.path.name, table, unit, levels[::2], [coloured(surface, name, table)], [surface], lines
    )


def finish(picture: Picture, path: Path) -> None:
    try:
        draw(picture, path)
    except OSError as error:
        stop(f"{path}: cannot write: {error.strerror}; choose another place")
    print(f"drawn: {path}")


def check_rendering() -> None:
    """In a process of its own: where VTK finds no way to render, it ends the process without a word."""
    tried = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, check=False, text=True)
    if tried.returncode != 0 or "rendered" not in tried.stdout:
        stop("VTK cannot render off-screen here; install libegl1 (with Mesa's drivers) or libosmesa6")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Pictures of a Weft file: a wave, and the map of activation times.")
    parser.add_argument("file", type=Path, help="a Weft file with a mesh")
    parser.add_argument("--wave", type=Path, metavar="PNG", help="draw the field at one step")
    parser.add_argument("--activation", type=Path, metavar="PNG", help="draw the activation times, with isochrones")
    parser.add_argument("--field", default="V", help="the transmembrane potential (V)")
    parser.add_argument("--step", type=int, help="of the wave (when a third of the nodes are active)")
    parser.add_argument("--range", type=float, nargs=2, default=(-90.0, 40.0), metavar=("LOW", "HIGH"),
                        help="of the wave's colours (-90 40)")  # fmt: skip
    given = parser.parse_args()
    if given.wave is None and given.activation is None:
        parser.error("there is nothing to draw: give --wave wave.png, --activation activation.png or both")
    if not given.range[0] < given.range[1]:
        parser.error("--range: LOW must be less than HIGH")
    return given


def main() -> None:
    given = arguments()
    os.environ.pop("DISPLAY", None)  # a display is never asked: what is drawn is the same with one and without
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_OFF)  # failures are said here, in one line
    check_rendering()
    recording = read_step(given.file, given.field, given.step)
    heart = where_known(recording.carrier, given.field)
    if not heart.GetNumberOfCells():
        stop(f"{given.file}: no cell has {given.field} at all of its nodes")
    torso = heart.GetNumberOfCells() < 0.9 * recording.body.GetNumberOfCells()
    if given.wave is not None:
        finish(wave(recording, heart, (given.range[0], given.range[1]), torso), given.wave)
    if given.activation is not None:
        finish(activation(recording), given.activation)


if __name__ == "__main__":
    main()
