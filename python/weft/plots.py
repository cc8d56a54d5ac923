"""Pictures of a field: `field.plot.trace(nodes)`, `.map(values)`, `.snapshot(step)`.

Each draws into matplotlib axes, new ones where none are given, and returns them. Where the file has a mesh, `.map` and
`.snapshot` draw its cells into a `pyvista.Plotter` that is given to them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

if TYPE_CHECKING:
    import pyvista
    from matplotlib.axes import Axes

    from weft.field import Array, Field

# What is made of each node's trace, by name; steps are the first axis.
QUANTITIES: dict[str, Callable[[Any], Any]] = {
    "mean": lambda steps: np.mean(steps, axis=0),
    "min": lambda steps: np.min(steps, axis=0),
    "max": lambda steps: np.max(steps, axis=0),
    "range": lambda steps: np.ptp(steps, axis=0),
}


class FieldPlots:
    def __init__(self, field: Field) -> None:
        self._field = field

    def trace(
        self, nodes: int | Sequence[int | Sequence[int]], *, component: int = 0, ax: Axes | None = None
    ) -> Axes:
        """Values over time, one line a node. On a grid a tuple is the place of one node (z, y, x), as in field.trace();
        several nodes are a list. Raises IndexError for a node that is not there."""
        field = self._field
        is_place = isinstance(nodes, tuple) and 1 < len(field.places) == len(nodes)
        chosen: list[Any] = [nodes] if is_place or isinstance(nodes, int | np.integer) else list(nodes)
        ax = _axes(ax)
        for node, values in zip(chosen, field.traces(chosen), strict=True):
            ax.plot(field.file.times, _one(values, 1, component), label=f"node {node}")
        ax.set_xlabel(_with_units("time", field.file.time_units))
        ax.set_ylabel(_with_units(field.name, field.units))
        ax.legend()
        return ax

    @overload
    def snapshot(self, step: int, *, component: int = 0, ax: Axes | None = None) -> Axes: ...
    @overload
    def snapshot(self, step: int, *, component: int = 0, plotter: pyvista.Plotter) -> pyvista.Plotter: ...
    def snapshot(
        self, step: int, *, component: int = 0, ax: Axes | None = None, plotter: pyvista.Plotter | None = None
    ) -> Axes | pyvista.Plotter:
        """One step, drawn as map() draws it."""
        values, title = self._field.snapshot(step), f"step {step % self._field.shape[0]}"
        if plotter is not None:
            plotter.add_title(title)
            return self.map(values, component=component, plotter=plotter)
        ax = self.map(values, component=component, ax=ax)
        ax.set_title(title)
        return ax

    @overload
    def map(self, values: str | Array, *, component: int = 0, ax: Axes | None = None) -> Axes: ...
    @overload
    def map(self, values: str | Array, *, component: int = 0, plotter: pyvista.Plotter) -> pyvista.Plotter: ...
    def map(
        self,
        values: str | Array,
        *,
        component: int = 0,
        ax: Axes | None = None,
        plotter: pyvista.Plotter | None = None,
    ) -> Axes | pyvista.Plotter:
        """One value a node: an image on a grid (in three dimensions its middle plane), points where there is a mesh
        (seen along z), else over the number of the node. With a plotter of pyvista, the cells of the mesh.

        values: an array of one step's shape, or what to make of each node's trace: "mean", "min", "max", "range".
        Raises ValueError for another shape, and with a plotter where the file has no mesh or the field is not on it.
        """
        field = self._field
        if isinstance(values, str):
            if values not in QUANTITIES:
                raise ValueError(f"map of {values!r}; ask for one of: {', '.join(QUANTITIES)}, or give an array")
            values = QUANTITIES[values](np.asarray(field))
        values = np.asarray(values)
        places = field.places
        if values.shape[: len(places)] != places:
            raise ValueError(f"values of shape {values.shape} for the nodes {places} of {field.name!r}")
        shown = _one(values, len(places), component)
        label = _with_units(field.name, field.units)
        if plotter is not None:
            return _on_mesh(field, shown, label, plotter)
        ax = _axes(ax)
        if len(places) >= 2:
            plane = shown[len(shown) // 2] if len(places) == 3 else shown
            _colours(ax, ax.imshow(plane, origin="lower"), label)
            return ax
        points = _points(field)
        if points is None:
            ax.plot(np.ravel(shown))
            ax.set_xlabel("node")
            ax.set_ylabel(label)
            return ax
        _colours(ax, ax.scatter(points[:, 0], points[:, 1], c=shown, s=4), label)
        ax.set_aspect("equal")
        return ax


def _on_mesh(field: Field, values: Array, label: str, plotter: pyvista.Plotter) -> pyvista.Plotter:
    from weft.adaptors.pyvista import data_of, mesh_of

    grid = mesh_of(field.file)
    data = data_of(grid, field)
    if data is None:
        raise ValueError(f"{field.file.path}: {field.name} does not stand on the nodes or cells of the mesh")
    data[label] = values
    plotter.add_mesh(grid, scalars=label)
    return plotter


def _points(field: Field) -> Array | None:
    if field.support != "nodes" or "/mesh/points" not in field.file.arrays:
        return None
    points = field.file.points
    return points if len(points) == field.places[0] else None


def _one(values: Array, axes: int, component: int) -> Array:
    """Of several components the chosen one."""
    if values.ndim == axes:
        return values
    flat: Array = values.reshape(*values.shape[:axes], -1)
    return flat[..., component]


def _axes(ax: Axes | None) -> Axes:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots()[1]


def _colours(ax: Axes, drawn: Any, label: str) -> None:
    figure: Any = ax.figure
    figure.colorbar(drawn, ax=ax, label=label)


def _with_units(name: str, units: str) -> str:
    return f"{name} [{units}]" if units else name
