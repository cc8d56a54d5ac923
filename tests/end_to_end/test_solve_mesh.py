"""`weft run ecg --source solve --mesh FILE`: the mesh of the file is the one written, whichever format it came in, and
what cannot be solved on gets one line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from mesh_files import HEART, Tetrahedra, msh2, msh2_binary, msh4, msh4_binary, slab, vtu
from weft_run import Values

SOLVE = ["--source", "solve", "--as-measured", "--conductivity-factor", 10, "--dt", "0.1ms"]
THREE_MS = [*SOLVE, "--duration", "3ms"]
CORNER = ["--stimulate", "0,0,0,3"]

pytestmark = pytest.mark.usefixtures("petsc")


def written(path: Path) -> dict[str, Values]:
    with h5py.File(path) as file:
        names = ["mesh/points", "mesh/connectivity", "mesh/offsets", "mesh/types", "V", "phi_e"]
        fields = {name: file[name][...] for name in names}
        if "electrodes" in file:
            fields["electrodes"] = file["electrodes"][...]
    return fields


def run(out: Path, mesh: Path, *arguments: object, ranks: int | None = None) -> tuple[dict[str, Values], Any]:
    report = w.run_ecg(out, "--mesh", mesh, *arguments, ranks=ranks)
    return written(out), report["solve"]


def check_mesh_is(fields: dict[str, Values], mesh: Tetrahedra) -> None:
    assert np.array_equal(fields["mesh/points"], mesh.points)
    assert np.array_equal(fields["mesh/connectivity"].reshape(-1, 4), mesh.cells)
    assert (fields["mesh/types"] == 10).all()


ELECTRODES = ["--electrode", "RL=20,8,6", "--electrode", "left=-5,4,6.1", "--electrode", "inside=10,4.4,3"]


def test_every_format_is_the_same_mesh_and_the_same_result(tmp_path: Path) -> None:
    """On one rank and on two; and a result with waves in it."""
    mesh = slab()
    files = {
        "vtu": vtu(tmp_path / "slab.vtu", mesh),
        "msh2": msh2(tmp_path / "two.msh", mesh),
        "msh4": msh4(tmp_path / "four.msh", mesh),
        "msh2_binary": msh2_binary(tmp_path / "two_binary.msh", mesh),
        "msh4_binary": msh4_binary(tmp_path / "four_binary.msh", mesh),
    }
    first: dict[str, Values] = {}
    for name, path in files.items():
        for ranks in (1, 2) if name in ("vtu", "msh4") else (2,):
            out = tmp_path / f"{name}.{ranks}.h5"
            fields, report = run(out, path, *THREE_MS, *CORNER, *ELECTRODES, ranks=ranks)
            check_mesh_is(fields, mesh)
            assert report["heart_nodes"] == 3 * 5 * 11 and "numbered as in the file" in report["mesh"]
            assert "fibres along x" in report["mesh"] and "nothing" not in report["mesh"]
            assert report["spacing_mm"] == pytest.approx(2)
            first = first or fields
            for one in ("V", "phi_e", "electrodes"):
                assert np.allclose(fields[one], first[one], rtol=0, atol=1e-2), (name, ranks, one)
            if ranks == 2 and name.startswith("msh"):
                same, _ = run(tmp_path / "vtu.h5", files["vtu"], *THREE_MS, *CORNER, *ELECTRODES, ranks=2)
                assert w.same_bits(fields["V"], same["V"]) and w.same_bits(fields["phi_e"], same["phi_e"])
    v, phi_e = first["V"][-1], first["phi_e"]
    assert v[0] > -20 and v[-1] < -80, "the corner is stimulated, and the wave has not come to the other end"
    assert np.ptp(phi_e[-1]) > 1
    # The electrodes are the nodes of the skin that lie nearest; RL is the ground.
    nodes = {name: int(np.argmin(np.linalg.norm(mesh.points - place, axis=1))) for name, place in
             {"RL": (20, 8, 6), "left": (0, 4, 6)}.items()}  # fmt: skip
    assert w.same_bits(first["electrodes"][:, 0], phi_e[:, nodes["RL"]]) and not first["electrodes"][:, 0].any()
    assert w.same_bits(first["electrodes"][:, 1], phi_e[:, nodes["left"]])
    inside = first["electrodes"][-1, 2]
    beside = [phi_e[-1, n] for n, p in enumerate(mesh.points.tolist()) if p[0] == 10 and p[2] in (0, 6)]
    assert inside in beside, "the skin's node, though one inside is nearer"


def test_arrays_of_a_vtu(tmp_path: Path) -> None:
    """Fibres along y carry the wave along y; stimulus times are the file's; layers change the cells."""
    mesh = slab()
    mesh.tissue[:] = HEART
    stimulus = np.full(len(mesh.points), -1.0)
    stimulus[0], stimulus[1] = 1.0, np.nan
    mesh.on_points = {"stimulus": stimulus, "layer": np.zeros(len(mesh.points), np.int64)}
    mesh.on_cells = {"fibre": np.tile([0.0, 2.0, 0.0], (len(mesh.cells), 1))}
    fields, report = run(tmp_path / "y.h5", vtu(tmp_path / "y.vtu", mesh), *SOLVE, "--duration", "2ms")
    assert "along x" not in report["mesh"] and "nothing" not in report["mesh"]
    v = fields["V"]
    at = {tuple(p): n for n, p in enumerate(mesh.points.tolist())}
    assert np.ptp(v[:2]) < 1 and v[2, 0] > v[1, 0] + 5, "stimulated from 1 ms on"
    assert v[2, at[0, 2, 0]] > v[2, at[2, 0, 0]] + 1, "faster along the fibres"

    mesh.on_cells["fibre"][::2] = 0
    mesh.on_points["layer"][:] = 2
    _, report = run(tmp_path / "some.h5", vtu(tmp_path / "some.vtu", mesh), *SOLVE, "--duration", "0ms")
    assert f"{len(mesh.cells) // 2} of the heart's tetrahedra without a fibre" in report["mesh"]
    # Asked for on the command line, the file's stimulus does not hold.
    fields, _ = run(tmp_path / "c.h5", vtu(tmp_path / "c.vtu", mesh), *SOLVE, "--duration", "1ms", *CORNER)
    assert fields["V"][1, 0] > -80


def test_what_lies_in_other_orders(tmp_path: Path) -> None:
    """Nodes that are not heart first are renumbered; tetrahedra alone are put in order; stray points are left out."""
    mesh = slab()
    backwards = np.arange(len(mesh.points))[::-1]
    turned = replace(mesh, points=mesh.points[::-1], cells=backwards[mesh.cells])
    plain, _ = run(tmp_path / "a.h5", vtu(tmp_path / "a.vtu", mesh), *THREE_MS, *CORNER)
    fields, report = run(tmp_path / "b.h5", vtu(tmp_path / "b.vtu", turned), *THREE_MS, *CORNER)
    assert "renumbered, the heart first" in report["mesh"]
    order = {tuple(p): n for n, p in enumerate(mesh.points.tolist())}
    where = [order[tuple(p)] for p in fields["mesh/points"].tolist()]
    assert sorted(where) == list(range(len(where)))
    heart = report["heart_nodes"]
    assert np.allclose(fields["V"], plain["V"][:, where[:heart]], rtol=0, atol=1e-2)
    relative = plain["phi_e"] - plain["phi_e"][:, :1]
    got = fields["phi_e"] - fields["phi_e"][:, [where.index(0)]]
    assert np.allclose(got, relative[:, where], rtol=0, atol=1e-2), "up to the ground, which is the last of the skin"

    mixed = replace(mesh, cells=mesh.cells[::-1], tissue=mesh.tissue[::-1])
    mixed.points = np.vstack([mesh.points[:3], [[-50.0, 0, 0]], mesh.points[3:]])
    mixed.cells = np.where(mixed.cells >= 3, mixed.cells + 1, mixed.cells)
    fields, report = run(tmp_path / "c.h5", vtu(tmp_path / "c.vtu", mixed), *SOLVE, "--duration", "0ms")
    assert "the heart's tetrahedra put first; points of no tetrahedron left out: 1" in report["mesh"]
    assert "nothing is stimulated" in report["mesh"]
    wanted = np.vstack([mesh.cells[::-1][mixed.tissue == HEART], mesh.cells[::-1][mixed.tissue != HEART]])
    check_mesh_is(fields, replace(mesh, cells=wanted))


def test_units_and_names(tmp_path: Path) -> None:
    mesh = slab()
    in_cm = replace(mesh, points=mesh.points / 10)
    fields, report = run(tmp_path / "a.h5", vtu(tmp_path / "a.vtu", in_cm), *SOLVE, "--duration", "0ms",
                         "--mesh-unit", "cm")  # fmt: skip
    assert np.allclose(fields["mesh/points"], mesh.points) and report["spacing_mm"] == pytest.approx(2)
    # Physical volumes by name, whatever their numbers.
    numbers = np.array([7, 9, 2])
    named = replace(mesh, tissue=numbers[mesh.tissue])
    for name, write in (("two", msh2), ("four", msh4)):
        path = write(tmp_path / f"{name}.msh", named, {7: "torso", 9: "heart", 2: "somewhere"})
        _, report = run(tmp_path / f"{name}.h5", path, *SOLVE, "--duration", "0ms")
        assert report["heart_nodes"] == 3 * 5 * 11
    # Without any physical volume all is heart.
    path = msh4(tmp_path / "none.msh", replace(mesh, tissue=np.zeros_like(mesh.tissue)))
    _, report = run(tmp_path / "none.h5", path, *SOLVE, "--duration", "0ms")
    assert report["heart_nodes"] == len(mesh.points)


def inside_out(mesh: Tetrahedra) -> Tetrahedra:
    cells = mesh.cells.copy()
    cells[7] = cells[7][[1, 0, 2, 3]]
    return replace(mesh, cells=cells)


def of_tissue(number: int) -> Callable[[Tetrahedra], Tetrahedra]:
    return lambda mesh: replace(mesh, tissue=np.full_like(mesh.tissue, number))


def of_no_such_node(mesh: Tetrahedra) -> Tetrahedra:
    cells = mesh.cells.copy()
    cells[7, 2] = 4998
    return replace(mesh, cells=cells)


def two_parts(mesh: Tetrahedra) -> Tetrahedra:
    return replace(
        mesh,
        points=np.vstack([mesh.points, mesh.points + 100]),
        cells=np.vstack([mesh.cells, mesh.cells + len(mesh.points)]),
        tissue=np.concatenate([mesh.tissue, mesh.tissue]),
    )


def cut(path: Path, share: float) -> Path:
    path.write_bytes(path.read_bytes()[: int(share * path.stat().st_size)])
    return path


def changed(path: Path, old: str, new: str) -> Path:
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new, 1))
    return path


def text(path: Path, what: str) -> Path:
    path.write_text(what)
    return path


def surface_alone(path: Path) -> Path:
    return text(path, "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n"
                      "1\n1 2 2 1 1 1 2 3\n$EndElements\n")  # fmt: skip


def with_arrays(on_points: dict[str, Values], on_cells: dict[str, Values]) -> Tetrahedra:
    return replace(slab(), on_points=on_points, on_cells=on_cells)


# What makes the file in a folder, the exit code and what the line says.
Case = tuple[Callable[[Path], Path], int, str]
CASES: dict[str, Case] = {
    "missing vtu": (lambda at: at / "no.vtu", 1, "No such file"),
    "missing msh": (lambda at: at / "no.msh", 1, "No such file"),
    "folder": (lambda at: at / "folder.msh", 1, "folder.msh"),
    "no such suffix": (lambda at: text(at / "a.stl", ""), 2, "is not known; use torso, slab:0.2, or a file"),
    "garbage vtu": (lambda at: text(at / "a.vtu", "garbage"), 1, "is not XML"),
    "garbage msh": (lambda at: text(at / "a.msh", "garbage"), 1, "does not begin with $MeshFormat"),
    "empty vtu": (lambda at: text(at / "a.vtu", ""), 1, "is not XML"),
    "empty msh": (lambda at: text(at / "a.msh", ""), 1, "ends too early (its beginning, line 1)"),
    "cut vtu": (lambda at: cut(vtu(at / "a.vtu", slab()), 0.6), 1, "is not XML"),
    "cut nodes": (lambda at: cut(msh2(at / "a.msh", slab()), 0.1), 1, "ends too early ($Nodes, line"),
    "cut elements": (lambda at: cut(msh2(at / "a.msh", slab()), 0.9), 1, "ends too early ($Elements, line"),
    "cut msh 4.1": (lambda at: cut(msh4(at / "a.msh", slab()), 0.6), 1, "ends too early ($Elements, line"),
    "cut binary": (lambda at: cut(msh4_binary(at / "a.msh", slab()), 0.6), 1, "ends too early ($Elements, byte"),
    # PETSc 3.18 would end at these by a signal.
    "no node msh 2.2": (lambda at: msh2(at / "a.msh", of_no_such_node(slab())), 1, "element 9 names node 4999, which is"),
    "no node msh 4.1": (lambda at: msh4(at / "a.msh", of_no_such_node(slab())), 1, "element 8 names node 4999, which is"),
    "no node binary 2.2": (lambda at: msh2_binary(at / "a.msh", of_no_such_node(slab())), 1, "names node 4999, which is"),
    "no node binary 4.1": (lambda at: msh4_binary(at / "a.msh", of_no_such_node(slab())), 1, "names node 4999, which is"),
    "two spaces": (
        lambda at: changed(msh2(at / "a.msh", slab(), {1: "heart"}), ' "heart"', '  "heart"'), 1,
        "has no name after 3 1 ($PhysicalNames, line 6); write it in quotes after a single space",
    ),
    "no tetrahedra vtu": (lambda at: vtu(at / "a.vtu", slab(), kind=8), 1, "has no tetrahedra"),
    "no tetrahedra msh": (lambda at: surface_alone(at / "a.msh"), 1, "has no tetrahedra"),
    "pyramids": (lambda at: vtu(at / "a.vtu", slab(), kind=14), 1, "cell 0 is not a tetrahedron (VTK type 14)"),
    "no heart vtu": (lambda at: vtu(at / "a.vtu", of_tissue(0)(slab())), 1, "has no heart"),
    "no heart msh": (lambda at: msh2(at / "a.msh", of_tissue(3)(slab())), 1, "has no heart"),
    "inside out vtu": (lambda at: vtu(at / "a.vtu", inside_out(slab())), 1, "is inside out"),
    "inside out msh": (lambda at: msh4(at / "a.msh", inside_out(slab())), 1, "is inside out"),
    "tissue 5 vtu": (lambda at: vtu(at / "a.vtu", of_tissue(5)(slab())), 1, "cell 0 has tissue 5"),
    "tissue -1": (lambda at: vtu(at / "a.vtu", of_tissue(-1)(slab())), 1, "cell 0 has tissue -1"),
    "tissue 5 msh": (lambda at: msh2(at / "a.msh", of_tissue(5)(slab())), 1, "physical volume 5 is not a tissue"),
    "layer 3": (lambda at: vtu(at / "a.vtu", with_arrays({"layer": np.full(220, 3)}, {})), 1, "point 0 has layer 3"),
    "short array": (lambda at: vtu(at / "a.vtu", with_arrays({"layer": np.zeros(7)}, {})), 1, "array layer has 7 values"),
    "long array": (
        lambda at: vtu(at / "a.vtu", with_arrays({}, {"fibre": np.zeros((721, 3))})), 1, "array fibre has 2166 values",
    ),
    "two components": (
        lambda at: vtu(at / "a.vtu", with_arrays({}, {"fibre": np.zeros((720, 2))})), 1, "array fibre has 2 components",
    ),
    "two parts": (lambda at: vtu(at / "a.vtu", two_parts(slab())), 1, "are in parts that share no point"),
}  # fmt: skip


@pytest.mark.parametrize("ranks", [None, 2])
@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_gets_one_line(tmp_path: Path, case: str, ranks: int | None) -> None:
    (tmp_path / "folder.msh").mkdir()
    make, code, words = CASES[case]
    out = tmp_path / "out.h5"
    outcome = w.weft("run", "ecg", "--out", out, *THREE_MS, "--mesh", make(tmp_path), ranks=ranks)
    assert len(outcome.error_lines) == 1 and words in outcome.error_lines[0], outcome
    assert outcome.code == code, outcome
    if ranks is None:
        assert outcome.err.splitlines() == outcome.error_lines, "nothing but the line"
    assert not out.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--mesh", "MESH", "--nodes", 100], "leave --nodes out"),
        (["--mesh", "MESH", "--mesh-unit", "inch"], "--mesh-unit 'inch'"),
        (["--mesh", "MESH", "--stimulate", "1,2,3"], "is not 4 numbers"),
        (["--mesh", "MESH", "--stimulate", "1,2,3,-1"], "negative radius"),
        (["--mesh", "MESH", "--electrode", "RA=1,2"], "is not NAME=X,Y,Z"),
        (["--mesh", "MESH", "--electrode", "a=1,2,3", "--electrode", "a=1,2,4"], "electrode a: is named twice"),
        (["--mesh", "slab:1", "--electrode", "a=1,2,3"], "are for files"),
    ],
)
def test_what_is_mistyped_gets_one_line(tmp_path: Path, arguments: list[object], words: str) -> None:
    mesh = vtu(tmp_path / "slab.vtu", slab())
    typed = [mesh if word == "MESH" else word for word in arguments]
    outcome = w.weft("run", "ecg", "--out", tmp_path / "out.h5", *THREE_MS, *typed, ranks=2)
    assert len(outcome.error_lines) == 1 and words in outcome.error_lines[0], outcome
    assert outcome.code == 2, outcome
