"""A small mesh of tetrahedra, and every format it can be written in for `weft run ecg --source solve --mesh FILE`."""

from __future__ import annotations

import itertools
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from weft_run import Values

TORSO, HEART, BLOOD = 0, 1, 2


@dataclass
class Tetrahedra:
    points: Values
    cells: Values
    tissue: Values
    on_cells: dict[str, Values] = field(default_factory=dict)
    on_points: dict[str, Values] = field(default_factory=dict)


def slab() -> Tetrahedra:
    """20 x 8 x 6 mm in cubes of 2 mm, six tetrahedra each, of which the upper third is a bath of torso and blood. Plane
    after plane from below, so the heart comes first."""
    cubes = (10, 4, 3)
    axes = [np.arange(n + 1) for n in cubes]
    z, y, x = np.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    points = 2.0 * np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)
    node = {tuple(p): n for n, p in enumerate(np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1).tolist())}
    cells, tissue = [], []
    for k, j, i in itertools.product(*(range(n) for n in reversed(cubes))):
        for order in itertools.permutations(range(3)):
            at = [i, j, k]
            corners = [node[tuple(at)]]
            for axis in order:
                at[axis] += 1
                corners.append(node[tuple(at)])
            if order in ((0, 2, 1), (1, 0, 2), (2, 1, 0)):  # odd: the other way round
                corners[2], corners[3] = corners[3], corners[2]
            cells.append(corners)
            tissue.append(HEART if k < 2 else TORSO if i < 5 else BLOOD)
    return Tetrahedra(points, np.array(cells), np.array(tissue))


def vtu(path: Path, mesh: Tetrahedra, *, cells: Values | None = None, kind: int = 10) -> Path:
    """As ascii, and with a triangle behind the tetrahedra, which is no part of the mesh."""
    tetrahedra = mesh.cells if cells is None else cells
    connectivity = [*tetrahedra.ravel().tolist(), 0, 1, 2]
    offsets = [4 * (c + 1) for c in range(len(tetrahedra))]
    types = [kind] * len(tetrahedra)

    def array(name: str, kind: str, values: Any, components: int = 1) -> str:
        text = " ".join(str(v) for v in np.asarray(values).ravel().tolist())
        more = f' NumberOfComponents="{components}"' if components > 1 else ""
        return f'<DataArray type="{kind}" Name="{name}"{more} format="ascii">{text}</DataArray>'

    def arrays(values: dict[str, Values], extra: int) -> str:
        lines = []
        for name, one in values.items():
            components = one.shape[1] if one.ndim == 2 else 1
            all_values = [*one.ravel().tolist(), *([0] * extra * components)]
            lines.append(array(name, "Float32" if one.dtype.kind == "f" else "Int16", all_values, components))
        return "".join(lines)

    path.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian">\n'
        f'<UnstructuredGrid><Piece NumberOfPoints="{len(mesh.points)}" NumberOfCells="{len(types) + 1}">'
        f"<PointData>{arrays(mesh.on_points, 0)}</PointData>\n"
        f"<CellData>{arrays({'tissue': mesh.tissue, **mesh.on_cells}, 1)}</CellData>\n"
        f"<Points>{array('Points', 'Float64', mesh.points, 3)}</Points>\n"
        f"<Cells>{array('connectivity', 'Int64', connectivity)}{array('offsets', 'Int64', [*offsets, offsets[-1] + 3])}"
        f"{array('types', 'UInt8', [*types, 5])}</Cells></Piece></UnstructuredGrid></VTKFile>\n"
    )
    return path


def names_of(names: dict[int, str]) -> str:
    if not names:
        return ""
    lines = "".join(f'3 {number} "{name}"\n' for number, name in names.items())
    return f"$PhysicalNames\n{len(names)}\n{lines}$EndPhysicalNames\n"


def msh2(path: Path, mesh: Tetrahedra, names: dict[int, str] | None = None) -> Path:
    """Gmsh 2.2, ascii, with a triangle on the surface."""
    nodes = "".join(f"{n + 1} {p[0]!r} {p[1]!r} {p[2]!r}\n" for n, p in enumerate(mesh.points.tolist()))
    cells = "".join(
        f"{c + 2} 4 2 {tissue} {tissue + 1} {a + 1} {b + 1} {d + 1} {e + 1}\n"
        for c, (tissue, (a, b, d, e)) in enumerate(zip(mesh.tissue.tolist(), mesh.cells.tolist(), strict=True))
    )
    path.write_text(
        f"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{names_of(names or {})}$Nodes\n{len(mesh.points)}\n{nodes}$EndNodes\n"
        f"$Elements\n{len(mesh.cells) + 1}\n1 2 2 9 1 1 2 3\n{cells}$EndElements\n"
    )
    return path


def blocks_of(tissue: Values) -> list[tuple[int, int, int]]:
    """(tissue, first, last + 1) of each row of cells that are alike."""
    ends = [*(np.flatnonzero(np.diff(tissue)) + 1).tolist(), len(tissue)]
    begins = [0, *ends[:-1]]
    return [(int(tissue[first]), first, last) for first, last in zip(begins, ends, strict=True)]


def msh4(path: Path, mesh: Tetrahedra, names: dict[int, str] | None = None) -> Path:
    """Gmsh 4.1, ascii: an entity for each tissue, and tissue 0 in no physical volume."""
    tissues = sorted(set(mesh.tissue.tolist()))
    entities = "".join(f"{t + 1} 0 0 0 20 8 6 {f'1 {t}' if t else '0'} 0\n" for t in tissues)
    count = len(mesh.points)
    tags = "".join(f"{n + 1}\n" for n in range(count))
    nodes = "".join(f"{p[0]!r} {p[1]!r} {p[2]!r}\n" for p in mesh.points.tolist())
    cells = ""
    for tissue, first, last in blocks_of(mesh.tissue):
        cells += f"3 {tissue + 1} 4 {last - first}\n"
        cells += "".join(
            f"{c + 1} {' '.join(str(n + 1) for n in mesh.cells[c].tolist())}\n" for c in range(first, last)
        )
    path.write_text(
        f"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n{names_of(names or {})}"
        f"$Entities\n0 0 0 {len(tissues)}\n{entities}$EndEntities\n"
        f"$Nodes\n1 {count} 1 {count}\n3 {tissues[0] + 1} 0 {count}\n{tags}{nodes}$EndNodes\n"
        f"$Elements\n{len(blocks_of(mesh.tissue))} {len(mesh.cells)} 1 {len(mesh.cells)}\n{cells}$EndElements\n"
    )
    return path


def msh2_binary(path: Path, mesh: Tetrahedra) -> Path:
    text = b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n%d\n" % len(mesh.points)
    text += b"".join(struct.pack("<i3d", n + 1, *p) for n, p in enumerate(mesh.points.tolist()))
    text += b"\n$EndNodes\n$Elements\n%d\n" % len(mesh.cells) + struct.pack("<3i", 4, len(mesh.cells), 2)
    for c, (tissue, corners) in enumerate(zip(mesh.tissue.tolist(), (mesh.cells + 1).tolist(), strict=True)):
        text += struct.pack("<7i", c + 1, tissue, tissue + 1, *corners)
    path.write_bytes(text + b"\n$EndElements\n")
    return path


def msh4_binary(path: Path, mesh: Tetrahedra) -> Path:
    tissues = sorted(set(mesh.tissue.tolist()))
    text = b"$MeshFormat\n4.1 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Entities\n"
    text += struct.pack("<4Q", 0, 0, 0, len(tissues))
    for t in tissues:
        text += struct.pack("<i6d", t + 1, 0, 0, 0, 20, 8, 6)
        text += (struct.pack("<Qi", 1, t) if t else struct.pack("<Q", 0)) + struct.pack("<Q", 0)
    count = len(mesh.points)
    text += b"\n$EndEntities\n$Nodes\n" + struct.pack("<4Q3iQ", 1, count, 1, count, 3, tissues[0] + 1, 0, count)
    text += np.arange(1, count + 1, dtype="<u8").tobytes() + mesh.points.astype("<f8").tobytes()
    blocks = blocks_of(mesh.tissue)
    text += b"\n$EndNodes\n$Elements\n" + struct.pack("<4Q", len(blocks), len(mesh.cells), 1, len(mesh.cells))
    for tissue, first, last in blocks:
        text += struct.pack("<3iQ", 3, tissue + 1, 4, last - first)
        for c in range(first, last):
            text += struct.pack("<5Q", c + 1, *(mesh.cells[c] + 1).tolist())
    path.write_bytes(text + b"\n$EndElements\n")
    return path
