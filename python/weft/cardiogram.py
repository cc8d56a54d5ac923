"""Electrocardiograms: `weft.ecg` computes one from a file, or finds what the simulation recorded.

>>> ecg = weft.ecg("heart.h5", "V", {"LA": (10, 0, 15), "RA": (-10, 0, 15)})
>>> ecg.signals["LA"]
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from weft import _core
from weft.functions import Path, Progress, told

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = npt.NDArray[np.float64]
_PAPER, _FINE, _BOLD, _INK, _GREY = "#fff7f7", "#fad1d1", "#f2a3a3", "#0f0f1a", "#595966"
_MM_AN_INCH = 25.4
_POINTS_A_MM = 72 / _MM_AN_INCH


@dataclass(frozen=True)
class Ecg:
    """Potentials of electrodes over time, (steps,) each, and the twelve leads where all nine electrodes are there.

    kind: "recorded" by the simulation, "potential" at the nodes nearest to the electrodes, or "pseudo": of a heart in
    an endless conductor, in no unit. file: what it is of.
    """

    file: str
    kind: str
    times: Values
    time_units: str
    units: str
    signals: dict[str, Values]

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draws it as it is printed, at 25 mm/s on squared paper, into matplotlib axes: new ones of that very size
        where none are given, so that savefig("ecg.pdf") has the true scale.

        Raises weft.DataError where there is no step, ValueError where there are more signals than a sheet holds.
        """
        signals = [(name, values.tolist()) for name, values in self.signals.items()]
        sheet = _core.ecg_sheet(self.times.tolist(), self.time_units, self.units, signals, os.path.basename(self.file))
        return _drawn(sheet, ax)


def ecg(
    path: Path,
    field: str = "",
    electrodes: Mapping[str, Sequence[float]] | None = None,
    *,
    potential: bool = False,
    diffusivity: float = 1.0,
    mesh: Path = "",
    progress: Progress = None,
) -> Ecg:
    """What electrodes on or around a heart record: `weft ecg`.

    field: the transmembrane potential, NAME or NAME:COMPONENT, for a pseudo-ECG [none: the electrodes that the
    simulation recorded]. electrodes: their places, (x, y, z) in the mesh's unit; RA, LA, LL and V1 to V6 give the
    leads. potential: the field is what electrodes measure, and is read at the node nearest to each. diffusivity: D, a
    factor of a pseudo-ECG. mesh: a .vtu file [the mesh in the file].

    Raises ValueError where the field, the mesh or an electrode is not there, and as weft.open() does.
    """
    name = os.fspath(path)
    if bool(field) != bool(electrodes):
        raise ValueError(f"{name}: a field and electrodes go together; without both it is what the simulation recorded")
    if potential and not field:
        raise ValueError(f"{name}: potential=True reads a field; name it")
    kind = "recorded" if not field else "potential" if potential else "pseudo"
    places = []
    for electrode, place in (electrodes or {}).items():
        if len(place) != 3:
            raise ValueError(f"electrode {electrode}: a place is (x, y, z), not {tuple(place)}")
        places.append((electrode, [float(x) for x in place]))
    with told(progress, "reading") as tell:
        found = _core.ecg(name, kind, field, places, diffusivity, os.fspath(mesh), tell)
    return Ecg(
        name,
        kind,
        np.array(found["times"]),
        found["time_units"],
        found["units"],
        {signal: np.array(values) for signal, values in found["signals"].items()},
    )


def _drawn(sheet: dict[str, Any], ax: Axes | None) -> Axes:
    """The sheet in matplotlib axes whose unit is the millimetre."""
    from matplotlib import pyplot
    from matplotlib.collections import LineCollection
    from matplotlib.patches import Rectangle

    width, height = sheet["size"]
    left, top, across, down = sheet["grid"]
    if ax is None:
        figure = pyplot.figure(figsize=(width / _MM_AN_INCH, height / _MM_AN_INCH))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    ax.set_axis_off()
    ax.add_patch(Rectangle((left, top), across, down, facecolor=_PAPER, edgecolor="none"))
    for squares, colour, thickness in ((1, _FINE, 0.125), (5, _BOLD, 0.25)):
        lines = [[(x, top), (x, top + down)] for x in np.arange(left, left + across + 0.5, squares)]
        lines += [[(left, y), (left + across, y)] for y in np.arange(top, top + down + 0.5, squares)]
        ax.add_collection(LineCollection(lines, colors=colour, linewidths=thickness * _POINTS_A_MM))
    traces = [line for _, _, lines in sheet["traces"] for line in lines]
    for lines, thickness in ((sheet["ticks"], 0.25), (sheet["pulses"] + traces, 0.32)):
        ax.add_collection(LineCollection(lines, colors=_INK, linewidths=thickness * _POINTS_A_MM, capstyle="round"))
    for name, (x, y), _ in sheet["traces"]:
        ax.text(x, y, name, size=3.2 * _POINTS_A_MM, weight="bold", color=_INK)
    x, y = sheet["footer"]
    ax.text(x, y, sheet["scale"], size=3 * _POINTS_A_MM, color=_INK)
    ax.text(x, y + 4, sheet["notes"], size=2.4 * _POINTS_A_MM, color=_GREY)
    return ax
