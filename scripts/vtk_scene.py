"""Drawing surfaces with VTK, off-screen: what scripts/render_demo.py puts together."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from vtkmodules import vtkRenderingFreeType, vtkRenderingOpenGL2
from vtkmodules.util.numpy_support import numpy_to_vtk, vtk_to_numpy
from vtkmodules.vtkCommonCore import VTK_ID_TYPE, vtkLookupTable
from vtkmodules.vtkCommonDataModel import VTK_TETRA, vtkCellArray, vtkPolyData
from vtkmodules.vtkFiltersCore import (
    vtkPolyDataConnectivityFilter,
    vtkPolyDataNormals,
    vtkTubeFilter,
    vtkWindowedSincPolyDataFilter,
)
from vtkmodules.vtkFiltersGeometry import vtkGeometryFilter
from vtkmodules.vtkIOImage import vtkPNGWriter
from vtkmodules.vtkRenderingAnnotation import vtkAxesActor, vtkScalarBarActor
from vtkmodules.vtkRenderingCore import (
    vtkActor,
    vtkPolyDataMapper,
    vtkRenderer,
    vtkRenderWindow,
    vtkTextActor,
    vtkWindowToImageFilter,
)

PARTS = (vtkRenderingFreeType, vtkRenderingOpenGL2)  # what draws letters, and all else: importing them does it
WIDTH, HEIGHT = 1600, 1200
FINER = 2  # drawn so many times larger, and averaged: smooth edges whatever the driver offers
TOWARDS_VIEWER = np.array([0.62, -1.0, 0.38])  # front, left and a little above
INK = (0.1, 0.1, 0.13)


def turned(data: Any) -> Any:
    """With every tetrahedron's corners in VTK's order, so that its faces look outwards. Files may have either order."""
    if not data.IsA("vtkUnstructuredGrid"):
        return data
    types = vtk_to_numpy(data.GetCellTypesArray())
    offsets = vtk_to_numpy(data.GetCells().GetOffsetsArray())[:-1][types == VTK_TETRA]
    corners = vtk_to_numpy(data.GetCells().GetConnectivityArray()).astype(np.int64)
    points = vtk_to_numpy(data.GetPoints().GetData())
    first, *others = (points[corners[offsets + i]] for i in range(4))
    a, b, c = (other - first for other in others)
    wrong = offsets[np.einsum("ij,ij->i", np.cross(a, b), c) < 0]
    corners[wrong], corners[wrong + 1] = corners[wrong + 1], corners[wrong]
    cells = vtkCellArray()
    cells.SetData(
        numpy_to_vtk(vtk_to_numpy(data.GetCells().GetOffsetsArray()).astype(np.int64), True, VTK_ID_TYPE),
        numpy_to_vtk(corners, True, VTK_ID_TYPE),
    )
    grid = data.NewInstance()
    grid.ShallowCopy(data)
    grid.SetCells(data.GetCellTypesArray(), cells)
    return grid


def surface_of(data: Any) -> vtkPolyData:
    """Its outer faces, no lone points."""
    faces = vtkGeometryFilter()
    faces.SetInputData(turned(data))
    faces.Update()
    surface = faces.GetOutput()
    bare = vtkPolyData()
    bare.SetPoints(surface.GetPoints())
    bare.SetPolys(surface.GetPolys())
    bare.GetPointData().ShallowCopy(surface.GetPointData())
    return bare


def smoothed(surface: vtkPolyData) -> vtkPolyData:
    """With normals."""
    smooth = vtkWindowedSincPolyDataFilter()
    smooth.SetInputData(surface)
    smooth.SetNumberOfIterations(20)
    smooth.SetPassBand(0.03)
    smooth.NormalizeCoordinatesOn()
    normals = vtkPolyDataNormals()
    normals.SetInputConnection(smooth.GetOutputPort())
    normals.SplittingOff()
    normals.ConsistencyOff()  # the faces are right as they are; where three meet in an edge, VTK would turn some
    normals.Update()
    return normals.GetOutput()


def shaded(surface: vtkPolyData) -> vtkPolyData:
    """With the normals of a smoothed copy: the stairs of a mesh that was cut from a grid would drown the colours. No
    point is moved."""
    lit = smoothed(surface)
    lit.SetPoints(surface.GetPoints())
    return lit


def colours(names: list[str], low: float, high: float) -> vtkLookupTable:
    stops = np.array([[int(name[i : i + 2], 16) / 255 for i in (1, 3, 5)] for name in names])
    table = vtkLookupTable()
    table.SetNumberOfTableValues(256)
    at = np.linspace(0, len(names) - 1, 256)
    for i, place in enumerate(at):
        red, green, blue = (float(np.interp(place, range(len(names)), stops[:, channel])) for channel in range(3))
        table.SetTableValue(i, red, green, blue, 1)
    table.SetTableRange(low, high)
    table.SetNanColor(0.75, 0.75, 0.75, 1)
    return table


def coloured(surface: vtkPolyData, name: str, table: vtkLookupTable) -> vtkActor:
    mapper = vtkPolyDataMapper()
    mapper.SetInputData(shaded(surface))
    mapper.SetScalarModeToUsePointFieldData()
    mapper.SelectColorArray(name)
    mapper.SetLookupTable(table)
    mapper.UseLookupTableScalarRangeOn()
    mapper.InterpolateScalarsBeforeMappingOn()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetAmbient(0.5)
    actor.GetProperty().SetDiffuse(0.55)
    actor.GetProperty().SetSpecular(0.06)
    actor.GetProperty().SetSpecularPower(20)
    return actor


def veil(body: Any) -> list[vtkActor]:
    """The outer surface of a body that there is more of than what is coloured: seen through."""
    outer = vtkPolyDataConnectivityFilter()
    outer.SetInputData(surface_of(body))
    outer.SetExtractionModeToLargestRegion()
    outer.Update()
    surface = smoothed(outer.GetOutput())
    actors = []
    for culled in (True, False):  # the far side first: what lies nearer is mixed over it
        mapper = vtkPolyDataMapper()
        mapper.SetInputData(surface)
        mapper.ScalarVisibilityOff()
        actor = vtkActor()
        actor.SetMapper(mapper)
        look = actor.GetProperty()
        look.SetColor(0.62, 0.7, 0.8)
        look.SetOpacity(0.16)
        look.SetAmbient(0.4)
        look.SetDiffuse(0.6)
        look.SetFrontfaceCulling(culled)
        look.SetBackfaceCulling(not culled)
        actors.append(actor)
    return actors


def tubes(lines: vtkPolyData, radius: float, colour: tuple[float, float, float]) -> vtkActor:
    tube = vtkTubeFilter()
    tube.SetInputData(lines)
    tube.SetRadius(radius)
    tube.SetNumberOfSides(10)
    mapper = vtkPolyDataMapper()
    mapper.SetInputConnection(tube.GetOutputPort())
    mapper.ScalarVisibilityOff()
    actor = vtkActor()
    actor.SetMapper(mapper)
    actor.GetProperty().SetColor(*colour)
    actor.GetProperty().LightingOff()
    return actor


def look_at(renderer: vtkRenderer, surfaces: list[Any], shape: float) -> float:
    """Turns to the viewer's side and fills `shape` (width / height) with all points. Returns the height it shows."""
    towards = TOWARDS_VIEWER / np.linalg.norm(TOWARDS_VIEWER)
    right = np.cross([0.0, 0.0, 1.0], towards)
    right /= np.linalg.norm(right)
    up = np.cross(towards, right)
    points = np.concatenate([vtk_to_numpy(surface.GetPoints().GetData()) for surface in surfaces])
    axes = np.stack([right, up, towards])
    seen = points @ axes.T
    low, high = seen.min(axis=0), seen.max(axis=0)
    centre = ((low + high) / 2) @ axes
    extent = float(np.max(high - low)) or 1.0
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(*centre)
    camera.SetPosition(*(centre + 4 * extent * towards))
    camera.SetViewUp(*up)
    height = 1.1 * max(float(high[1] - low[1]), float(high[0] - low[0]) / shape, 1e-9)
    camera.SetParallelScale(height / 2)
    renderer.ResetCameraClippingRange()
    return height


def letters(text: str, size: int, place: tuple[float, float], bold: bool = False) -> vtkTextActor:
    actor = vtkTextActor()
    actor.SetInput(text)
    style = actor.GetTextProperty()
    style.SetFontSize(size * FINER)
    style.SetColor(*INK)
    style.SetBold(bold)
    style.SetVerticalJustificationToCentered()
    actor.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    actor.SetPosition(*place)
    return actor


def scalar_bar(table: vtkLookupTable, title: str, labels: list[float]) -> vtkScalarBarActor:
    bar = vtkScalarBarActor()
    bar.SetLookupTable(table)
    bar.SetTitle(title)
    bar.UnconstrainedFontSizeOn()
    ticks = numpy_to_vtk(np.array(labels, dtype=float), deep=True)
    bar.SetUseCustomLabels(True)
    bar.SetCustomLabels(ticks)
    bar.SetUnconstrainedFontSize(True)
    bar.SetLabelFormat("  {:g}")  # SetTextPad() would shift them along the bar
    bar.SetMaximumNumberOfColors(256)
    bar.SetBarRatio(0.3)
    bar.GetPositionCoordinate().SetCoordinateSystemToNormalizedViewport()
    bar.SetPosition(0.87, 0.14)
    bar.SetWidth(0.1)
    bar.SetHeight(0.7)
    bar.SetVerticalTitleSeparation(14 * FINER)
    for style, size in ((bar.GetTitleTextProperty(), 26), (bar.GetLabelTextProperty(), 23)):
        style.SetFontSize(size * FINER)
        style.SetColor(*INK)
        style.ItalicOff()
        style.BoldOff()
        style.ShadowOff()
    return bar


def axes_cross(window: vtkRenderWindow) -> None:
    renderer = vtkRenderer()
    renderer.SetBackground(1, 1, 1)
    renderer.SetViewport(0, 0, 0.13, 0.15)
    axes = vtkAxesActor()
    axes.SetShaftTypeToCylinder()
    axes.SetCylinderRadius(0.03)
    axes.SetConeRadius(0.22)
    axes.SetNormalizedLabelPosition(1.3, 1.3, 1.3)
    for caption in (axes.GetXAxisCaptionActor2D(), axes.GetYAxisCaptionActor2D(), axes.GetZAxisCaptionActor2D()):
        style = caption.GetCaptionTextProperty()
        style.SetColor(*INK)
        style.ShadowOff()
        style.ItalicOff()
        style.BoldOff()
        caption.GetTextActor().SetTextScaleModeToNone()
        style.SetFontSize(20 * FINER)
    for part, colour in (("X", (0.8, 0.25, 0.2)), ("Y", (0.25, 0.6, 0.25)), ("Z", (0.2, 0.35, 0.8))):
        for shape in ("Shaft", "Tip"):
            getattr(axes, f"Get{part}Axis{shape}Property")().SetColor(*colour)
    renderer.AddActor(axes)
    window.AddRenderer(renderer)
    towards = TOWARDS_VIEWER / np.linalg.norm(TOWARDS_VIEWER)
    camera = renderer.GetActiveCamera()
    camera.ParallelProjectionOn()
    camera.SetFocalPoint(0.35, 0.35, 0.35)
    camera.SetPosition(*(np.full(3, 0.35) + 10 * towards))
    camera.SetViewUp(0, 0, 1)
    camera.SetParallelScale(1.15)
    renderer.ResetCameraClippingRange()


@dataclass
class Picture:
    """One scene: what is shown, the bar and the words beside it."""

    title: str
    subtitle: str
    table: vtkLookupTable
    unit: str
    labels: list[float]
    actors: list[vtkActor]
    fitted: list[Any]  # what has to be in sight
    lines: vtkPolyData | None = None


def draw(picture: Picture, path: Path) -> None:
    """Throws OSError where the file cannot be written."""
    window = vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.SetMultiSamples(0)
    window.SetSize(WIDTH * FINER, HEIGHT * FINER)
    around = vtkRenderer()
    around.SetBackground(1, 1, 1)
    around.AddViewProp(letters(picture.title, 38, (0.03, 0.955), bold=True))
    around.AddViewProp(letters(picture.subtitle, 24, (0.03, 0.915)))
    around.AddViewProp(scalar_bar(picture.table, picture.unit, picture.labels))
    window.AddRenderer(around)
    scene = vtkRenderer()
    scene.SetBackground(1, 1, 1)
    scene.SetViewport(0.02, 0.02, 0.84, 0.885)
    scene.SetUseDepthPeeling(True)
    window.AddRenderer(scene)
    for actor in picture.actors:
        scene.AddActor(actor)
    height = look_at(scene, picture.fitted, (0.82 * WIDTH) / (0.865 * HEIGHT))
    if picture.lines is not None and picture.lines.GetNumberOfCells():
        scene.AddActor(tubes(picture.lines, 0.0014 * height, INK))
    scene.ResetCameraClippingRange()
    axes_cross(window)
    window.Render()
    grab = vtkWindowToImageFilter()
    grab.SetInput(window)
    grab.ReadFrontBufferOff()
    grab.Update()
    save(grab.GetOutput(), path)


def save(image: Any, path: Path) -> None:
    """Averages FINER x FINER pixels into one and writes a PNG that has its name when it is whole."""
    fine = vtk_to_numpy(image.GetPointData().GetScalars()).reshape(HEIGHT, FINER, WIDTH, FINER, 3)
    mean = fine.astype(np.uint16).sum(axis=(1, 3)) // FINER**2
    small = type(image)()
    small.SetDimensions(WIDTH, HEIGHT, 1)
    pixels = numpy_to_vtk(mean.reshape(-1, 3).astype(np.uint8), deep=True)
    small.GetPointData().SetScalars(pixels)
    writer = vtkPNGWriter()
    writer.SetInputData(small)
    writer.WriteToMemoryOn()
    writer.Write()
    part = path.with_name(path.name + ".part")
    part.write_bytes(vtk_to_numpy(writer.GetResult()).tobytes())
    part.replace(path)
