"""Copies as a binary Tecplot file, read by the package tecio: every zone, variable, element and time."""

from __future__ import annotations

import os
import struct
import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it misses Tecplot's own library, which it needs for other formats
    import tecio

CASES = Path(os.environ["WEFT_READER_CASES"])
STEPS = 7
# Which corner of a cell of VTK's type stands at each corner of a brick.
IN_BRICK = {
    12: [0, 1, 2, 3, 4, 5, 6, 7],
    13: [0, 1, 2, 2, 3, 4, 5, 5],
    14: [0, 1, 2, 3, 4, 4, 4, 4],
    10: [0, 1, 2, 2, 3, 3, 3, 3],
    9: [0, 1, 2, 3, 0, 1, 2, 3],
    5: [0, 1, 2, 2, 0, 1, 2, 2],
    3: [0, 1, 1, 0, 0, 1, 1, 0],
}


def write_case(name: str, path: Path) -> Path:
    outcome = w.call([str(CASES), name, str(path)])
    assert outcome.code == 0, outcome
    return path


def converted(source: Path, out: Path, *arguments: object, ranks: int | None = None) -> tuple[Any, Any]:
    report = w.weft_ok("convert", source, "--to", "tecplot", "--out", out, "--json", *arguments, ranks=ranks).json
    assert report["out"] == str(out) and report["files"] == 1 and report["bytes"] == out.stat().st_size
    assert not list(out.parent.glob("*.weft-part"))
    return report, tecio.open(str(out))


def passive(zone: Any) -> set[str]:
    return {variable.name for variable in zone.variables if variable.is_passive()}


def stored(zone: Any) -> list[Any]:
    """The variables whose values stand in the zone itself."""
    return [v for v in zone.variables if not v.is_passive() and v.shared_zone is None]


def check_ranges(path: Path, zone: Any) -> None:
    """The reader skips the least and greatest values: they stand right before the values of the zone."""
    here = [variable.get_values() for variable in stored(zone)]
    ranges = b"".join(
        struct.pack("2d", *((0.0, 0.0) if np.isnan(v).all() else (np.nanmin(v), np.nanmax(v)))) for v in here
    )
    assert ranges + b"".join(values.tobytes(order="F") for values in here) in path.read_bytes()


def array(zone: Any, name: str) -> Any:
    """Of a grid, x fastest."""
    return zone.get_array(name).ravel(order="F")


def places(zone: Any) -> Any:
    return np.stack([array(zone, axis) for axis in "XYZ"], axis=-1)


@pytest.mark.parametrize("ranks", [None, 1, 2, 3, 4, 7])
def test_every_kind_of_field_and_cell(tmp_path: Path, ranks: int | None) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    report, file = converted(source, tmp_path / "out.plt", ranks=ranks)
    assert report["left_out"] == ["5 cells that are lone vertices: Tecplot has no such element"]
    assert file.variables == ["X", "Y", "Z", "number", "vector_0", "vector_1", "vector_2", "left", "right", "front",
                              "on cells", "listed"]  # fmt: skip
    assert file.num_zones == 2 * STEPS
    with h5py.File(source) as h5:
        points, types = h5["mesh/points"][:], h5["mesh/types"][:]
        connectivity, offsets = h5["mesh/connectivity"][:], h5["mesh/offsets"][:]
        bricks = [connectivity[offsets[c] :][IN_BRICK[t]] for c, t in enumerate(types) if t != 1]
        for step in range(STEPS):
            zone = file.zones[step]
            assert zone.zone_type.name == "FEBRICK" and zone.strand_id == 1
            assert zone.solution_time == 0.5 * step
            assert np.array_equal(places(zone), points)
            assert np.array_equal(zone.node_map, bricks)
            assert w.same_bits(array(zone, "number"), h5["number"][step])
            for c in range(3):
                assert w.same_bits(array(zone, f"vector_{c}"), h5["vector"][step, :, c])
            assert w.same_bits(array(zone, "left"), h5["pair"][step, :, 0])
            assert w.same_bits(array(zone, "right"), h5["pair"][step, :, 1])
            front = np.full(48, np.nan)
            front[:10] = h5["front"][step]
            assert np.array_equal(array(zone, "front"), front, equal_nan=True)
            assert zone.variables["on cells"].value_location.name == "CELL_CENTERED"
            assert w.same_bits(array(zone, "on cells"), h5["on cells"][step][types != 1])
            assert passive(zone) == {"listed"}
            notes = {name: float(value) for name, value in zone.auxdata.items()}
            assert notes == {"energy": h5["energy"][step], **{f"budget_{i}": h5["budget"][step, i] for i in range(4)}}
            check_ranges(tmp_path / "out.plt", zone)
            assert zone.shared_connectivity == (None if step == 0 else 0)
            assert len(stored(zone)) == (11 if step == 0 else 8), "X, Y, Z are there once"
        subset = h5["weft/subsets/listed"][:]
        for step in range(STEPS):
            zone = file.zones[STEPS + step]
            assert zone.strand_id == 2 and zone.solution_time == 0.5 * step
            assert np.array_equal(places(zone), points[subset])
            assert np.array_equal(array(zone, "listed"), h5["listed"][step].astype(float))
            assert passive(zone) == set(file.variables[3:11])
            check_ranges(tmp_path / "out.plt", zone)


@pytest.mark.parametrize(
    ("nodes", "ranks", "arguments", "kind"),
    [
        (1013, None, ["--fields", "joint"], "FETETRAHEDRON"),
        (1013, 3, ["--fields", "separate"], "FETETRAHEDRON"),
        (211, 2, ["--fields", "separate", "--unknown-steps", "--target", "2KiB"], "FETETRAHEDRON"),
        (3, 4, [], "ORDERED"),
        (1, 2, [], "ORDERED"),
        (9, 7, [], "FETETRAHEDRON"),
    ],
)
def test_a_run(tmp_path: Path, nodes: int, ranks: int | None, arguments: list[str], kind: str) -> None:
    source = tmp_path / "out.h5"
    steps = 70 if "--unknown-steps" in arguments else 6
    w.run_ecg(source, "--nodes", nodes, "--steps", steps, *arguments)
    _, file = converted(source, tmp_path / "out.plt", ranks=ranks)
    v, phi_e = w.wave(nodes, steps)
    with h5py.File(source) as h5:
        points, tetrahedra = h5["mesh/points"][:], h5["mesh/types"][:] == 10
        corners = h5["mesh/connectivity"][: 4 * np.count_nonzero(tetrahedra)].reshape(-1, 4)
    assert file.num_zones == steps and file.variables == ["X", "Y", "Z", "V", "phi_e"]
    for step in range(steps):
        zone = file.zones[step]
        assert zone.zone_type.name == kind and zone.solution_time == float(step)
        assert np.array_equal(places(zone), points)
        assert w.same_bits(array(zone, "V"), v[step]) and w.same_bits(array(zone, "phi_e"), phi_e[step])
        if kind != "ORDERED":
            assert np.array_equal(zone.node_map, corners)
        check_ranges(tmp_path / "out.plt", zone)


@pytest.mark.parametrize("ranks", [None, 2, 5])
@pytest.mark.parametrize(("case", "shape"), [("grid", (3, 4, 5)), ("flat-grid", (4, 5))])
def test_a_grid_is_ordered(tmp_path: Path, case: str, shape: tuple[int, ...], ranks: int | None) -> None:
    source = write_case(case, tmp_path / "out.h5")
    _, file = converted(source, tmp_path / "out.plt", ranks=ranks)
    z, y, x = np.meshgrid(*[np.arange(n) for n in (1, *shape)[-3:]], indexing="ij")
    expected = np.stack([1 + 0.1 * x, 2 + 0.2 * y, 3 + 0.3 * z], axis=-1).reshape(-1, 3)
    with h5py.File(source) as h5:
        for step in range(STEPS):
            zone = file.zones[step]
            assert zone.zone_type.name == "ORDERED" and list(zone.dimensions) == [*reversed(shape), 1][:3]
            assert np.allclose(places(zone), expected, rtol=0, atol=1e-12)
            assert w.same_bits(array(zone, "number"), h5["number"][step].ravel())
            for c in range(3):
                assert w.same_bits(array(zone, f"vector_{c}"), h5["vector"][step, ..., c].ravel())
            check_ranges(tmp_path / "out.plt", zone)


@pytest.mark.parametrize("case", ["mesh", "grid"])
def test_every_number_of_ranks_writes_the_same_bytes(tmp_path: Path, case: str) -> None:
    source = write_case(case, tmp_path / "out.h5")
    whole = converted(source, tmp_path / "whole.plt")[0]
    assert whole["ranks"] == 1
    for ranks, budget in [(1, "1GiB"), (2, "2KiB"), (3, "5KiB"), (7, "1MiB")]:
        out = tmp_path / f"r{ranks}" / "whole.plt"
        converted(source, out, "--budget", budget, ranks=ranks)
        assert out.read_bytes() == (tmp_path / "whole.plt").read_bytes()


def test_precision_and_choice(tmp_path: Path) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    _, file = converted(source, tmp_path / "out.plt", "--precision", "float32", "--fields", "right", "--steps", "1::4")
    assert file.variables == ["X", "Y", "Z", "right"] and file.num_zones == 2
    with h5py.File(source) as h5:
        for number, step in enumerate([1, 5]):
            zone = file.zones[number]
            assert array(zone, "X").dtype == np.float32 and zone.solution_time == 0.5 * step
            assert w.same_bits(array(zone, "right"), h5["pair"][step, :, 1].astype(np.float32))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--out", "out.h5"], "out.h5: is the input file"),
        (["--compress", "3"], "tecplot is not compressed"),
        (["--budget", "8"], "give at least --budget "),
        (["--fields", "none"], "has no field 'none'"),
    ],
)
def test_what_cannot_be_converted_gets_one_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    source = write_case("mesh", tmp_path / "out.h5")
    before = source.read_bytes()
    outcome = w.call([w.WEFT, "convert", "out.h5", "--to", "tecplot", *arguments], cwd=tmp_path)
    assert outcome.code == 2 and len(outcome.error_lines) == 1 and words in outcome.err
    assert source.read_bytes() == before and not list(tmp_path.glob("*.p*"))


def test_a_folder_gets_the_file(tmp_path: Path) -> None:
    source = write_case("globals", tmp_path / "out.h5")
    (tmp_path / "folder").mkdir()
    outcome = w.weft_ok("convert", source, "--to", "tecplot", "--out", tmp_path / "folder")
    assert outcome.out.splitlines()[-1] == f"open it: tec360 {tmp_path / 'folder' / 'out.plt'}"
    assert (tmp_path / "folder" / "out.plt").exists()


def test_a_full_disk_leaves_no_half_file(tmp_path: Path) -> None:
    source = tmp_path / "out.h5"
    w.run_ecg(source, "--nodes", 300_000, "--steps", 9)
    command = [w.WEFT, "convert", str(source), "--to", "tecplot"]
    # The limit leaves room for the MPI library's shared memory; a file of this mesh is larger still.
    outcome = w.call(["bash", "-c", f"trap '' XFSZ; ulimit -f {32 << 10}; exec \"$@\"", "bash", *command])
    assert outcome.code == 1 and len(outcome.error_lines) == 1 and "writing at byte" in outcome.err
    assert not list(tmp_path.glob("*.plt*"))
