"""The solver from end to end: what it holds is what the file has, on any ranks. Its checkpoints have a file of their own."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import weft_run as w
from solving import NO_PETSC, SMALL, check_close, check_line, datasets, on_mesh
from weft_run import Values

REST = -85.23  # mV
QUANTITIES = "activation_time,peak"
RANKS = [(2, False), (3, False), (4, False), (2, True), (3, True)]  # and whether nodes are scattered over them
STRATEGIES = [("owner", False), ("cached", False), ("per-step", False), ("owner", True), ("cached", True)]

# mV, five times what was seen. Equations solved to 1e-9, on any ranks:
RANKS_DIFFER = {"V": 4e-8, "phi_e": 3.5e-7, "electrodes": 1.7e-7}

Solved = Callable[[int, bool], tuple[Path, Any]]
Written = Callable[[str, bool, str], tuple[Path, Any]]

needs_petsc = pytest.mark.usefixtures("petsc")


def test_without_petsc_gets_one_line(probe: w.Outcome) -> None:
    if NO_PETSC not in probe.err:
        pytest.skip("this weft was built with PETSc")
    assert probe.code == 2 and probe.out == "" and probe.err.count("\n") == 1, probe
    assert probe.err.startswith("weft: error: --source solve: ") and "libpetsc-real-dev" in probe.err, probe


@needs_petsc
def test_the_solver_alone_loads_petsc(tmp_path: Path) -> None:
    libraries = subprocess.run(["ldd", w.WEFT], capture_output=True, text=True, check=True).stdout
    assert "libhdf5" in libraries and "petsc" not in libraries.lower()
    # A command that was copied without it says what is missing.
    alone = tmp_path / "bin" / "weft"
    alone.parent.mkdir()
    shutil.copy(w.WEFT, alone)
    outcome = w.call([str(alone), "run", "ecg", "--source", "solve", "--out", str(tmp_path / "out.h5")])
    assert outcome.code == 1 and outcome.error_lines == [
        "weft: error: weft-solve: is not there; it is built and installed with the command"
    ], outcome


@pytest.fixture(scope="module")
def pool() -> Iterator[ThreadPoolExecutor]:
    """Runs what many tests look at. Ranks wait for each other, and starting takes longer than solving: some at a time."""
    with ThreadPoolExecutor(3) as pool:
        yield pool


@pytest.fixture(scope="module")
def solved(petsc: None, pool: ThreadPoolExecutor, tmp_path_factory: pytest.TempPathFactory) -> Solved:
    """The same 7 steps on any ranks, each made once: ranks and scatter to the file and the report."""
    folder = tmp_path_factory.mktemp("solved")

    def run(ranks: int, scatter: bool) -> tuple[Path, Any]:
        path = folder / f"{ranks}-{scatter}.h5"
        arguments = [*SMALL, "--duration", "6ms", "--tolerance", 1e-9, *(["--scatter"] if scatter else [])]
        return path, w.run_ecg(path, *arguments, "--reduce", QUANTITIES, ranks=ranks)

    runs = {how: pool.submit(run, *how) for how in [(1, False), *RANKS]}
    return lambda ranks, scatter: runs[ranks, scatter].result()


def electrodes_of(path: Path) -> tuple[list[str], list[int]]:
    """The electrodes' names, and their nodes."""
    with h5py.File(path) as file:
        attributes = file["electrodes"].attrs
        return attributes["weft_components"].split(), [int(node) for node in attributes["nodes"]]


@needs_petsc
@pytest.mark.parametrize(("ranks", "scatter"), RANKS)
def test_any_ranks_find_the_same(solved: Solved, ranks: int, scatter: bool) -> None:
    one, report = solved(1, False)
    path, other_report = solved(ranks, scatter)
    check_close(path, one, RANKS_DIFFER)
    assert datasets(one, "V")["V"].max() > 20, "the wave is there"
    with h5py.File(one) as wanted, h5py.File(path) as got:
        assert set(got["mesh"]) == set(wanted["mesh"]) >= {"points", "connectivity", "offsets", "types"}
        for name in wanted["mesh"]:
            assert w.same_bits(got["mesh"][name][...], wanted["mesh"][name][...]), name
    assert electrodes_of(path) == electrodes_of(one)
    for key in ("mesh", "heart_nodes", "tetrahedra", "spacing_mm", "conductivities"):
        assert other_report["solve"][key] == report["solve"][key], key


@needs_petsc
def test_any_ranks_choose_the_same_conductivities(tmp_path: Path) -> None:
    slab = ["--source", "solve", "--mesh", "slab:1", "--dt", "0.2ms", "--duration", "0ms"]
    reports = [w.run_ecg(tmp_path / "a.h5", *slab, ranks=ranks) for ranks in (None, 2)]
    one, two = (report["solve"]["conductivities"] for report in reports)
    assert one == two and one["tuned"]


def checksum(values: Values) -> str:
    """Of every value's bits times an odd number that says where it stands, modulo 2^64."""
    bits = values.reshape(-1).view(np.uint64)
    odd = 2 * np.arange(bits.size, dtype=np.uint64) + np.uint64(1)
    return f"{int((bits * odd).sum(dtype=np.uint64)):016x}"


@pytest.fixture(scope="module")
def written(petsc: None, pool: ThreadPoolExecutor, tmp_path_factory: pytest.TempPathFactory) -> Written:
    """The same 13 steps by every strategy: strategy, scatter and fields to the file and the report."""
    folder = tmp_path_factory.mktemp("written")

    def run(strategy: str, scatter: bool, fields: str) -> tuple[Path, Any]:
        path = folder / f"{strategy}-{scatter}-{fields}.h5"
        # A few steps fit a window.
        arguments = [*on_mesh(3000, "0.4ms"), "--duration", "4.8ms", "--print-every", "0.4ms", "--fields", fields]
        arguments += ["--target", "16KiB", "--budget", "120KB", "--strategy", strategy, "--tolerance", 1e-3]
        return path, w.run_ecg(path, *arguments, *(["--scatter"] if scatter else []), ranks=3)

    runs = {(*how, fields): pool.submit(run, *how, fields) for how in STRATEGIES for fields in ("separate", "joint")}
    return lambda strategy, scatter, fields: runs[strategy, scatter, fields].result()


@needs_petsc
@pytest.mark.parametrize("fields", ["separate", "joint"])
@pytest.mark.parametrize(("strategy", "scatter"), STRATEGIES)
def test_the_file_is_what_the_solver_held(written: Written, strategy: str, scatter: bool, fields: str) -> None:
    path, report = written(strategy, scatter, fields)
    heart, nodes = report["solve"]["heart_nodes"], report["nodes"]
    shapes: dict[str, tuple[int, ...]] = {"V": (13, heart), "phi_e": (13, nodes)}
    if fields == "joint":
        shapes = {"Data": (13, nodes, 2)}
    held = report["solve"]["checksums"]
    assert set(held) == {*shapes, "electrodes"} and 0 < heart < nodes
    got = datasets(path, *held)
    for name, shape in shapes.items():
        assert got[name].shape == shape
    assert {name: checksum(values) for name, values in got.items()} == held
    if fields == "joint":
        assert np.isnan(got["Data"][:, heart:, 0]).all() and not np.isnan(got["Data"][:, :heart]).any()
        assert not np.isnan(got["Data"][..., 1]).any()
    assert strategy != "owner" or report["counters"]["app"]["windows"] > 2
    phi_e = got["phi_e"] if fields == "separate" else got["Data"][..., 1]
    assert np.ptp(phi_e[-1]) > 1, "there is something to be held"
    assert w.same_bits(got["electrodes"], np.ascontiguousarray(phi_e[:, electrodes_of(path)[1]]))


@needs_petsc
@pytest.mark.parametrize(("ranks", "scatter"), [(2, False), (3, True)])
def test_maps_of_a_run_are_those_of_its_file(solved: Solved, tmp_path: Path, ranks: int, scatter: bool) -> None:
    path, report = solved(ranks, scatter)
    out = tmp_path / "maps.h5"
    w.weft_ok("reduce", path, "--field", "V", "--quantity", QUANTITIES, "--out", out)
    with h5py.File(path) as file, h5py.File(out) as wanted:
        maps = file["maps/V"]
        assert set(maps) == set(wanted) - {"rows"} >= set(QUANTITIES.split(","))
        for name in maps:
            got, expected = maps[name][...], wanted[name][...]
            assert got.shape == expected.shape, name
            assert np.array_equal(got, expected, equal_nan=got.dtype.kind == "f"), name
        assert np.nanmax(maps["peak"][...]) > 0 and report["reduction"]["nodes"] == report["solve"]["heart_nodes"]


@needs_petsc
def test_the_ecg_is_that_of_the_recorded_electrodes(solved: Solved) -> None:
    path, _ = solved(2, False)
    names, nodes = electrodes_of(path)
    assert names == ["RA", "LA", "LL", "RL", "V1", "V2", "V3", "V4", "V5", "V6"]
    recorded = datasets(path, "electrodes", "time", "mesh/points")
    report = w.weft_ok("ecg", path, "--json").json
    assert report["times"] == recorded["time"].tolist()
    at = {signal["name"]: np.array(signal["values"]) for signal in report["signals"]}
    for column, name in enumerate(names):
        assert w.same_bits(at[name], np.ascontiguousarray(recorded["electrodes"][:, column])), name
    assert w.same_bits(at["lead III"], at["lead II"] - at["lead I"])
    central = (at["RA"] + at["LA"] + at["LL"]) / 3
    leads = {
        "I": at["LA"] - at["RA"],
        "II": at["LL"] - at["RA"],
        "aVR": at["RA"] - (at["LA"] + at["LL"]) / 2,
        "aVL": at["LA"] - (at["RA"] + at["LL"]) / 2,
        "aVF": at["LL"] - (at["RA"] + at["LA"]) / 2,
        **{f"V{chest}": at[f"V{chest}"] - central for chest in range(1, 7)},
    }
    for name, values in leads.items():
        assert np.allclose(at[f"lead {name}"], values, rtol=0, atol=1e-12), name
        assert np.abs(values).max() > 1e-6, f"something comes through to lead {name}"

    places = []
    for name, node in zip(names, nodes):
        x, y, z = recorded["mesh/points"][node].tolist()
        places += ["--electrode", f"{name}={x!r},{y!r},{z!r}"]
    again = w.weft_ok("ecg", path, "--field", "phi_e", "--potential", *places, "--json").json
    assert {s["name"]: s["values"] for s in again["signals"]} == {s["name"]: s["values"] for s in report["signals"]}


@needs_petsc
def test_what_must_hold_of_any_heart(solved: Solved) -> None:
    path, report = solved(1, False)
    got = datasets(path, "V", "phi_e", "electrodes")
    assert (got["V"][0] == REST).all() and (got["phi_e"][0] == 0).all()
    names, nodes = electrodes_of(path)
    assert (got["phi_e"][:, nodes[names.index("RL")]] == 0).all(), "the ground"
    assert (got["electrodes"][:, names.index("RL")] == 0).all()
    flowing = report["solve"]["current_flowing_uA"]
    assert flowing > 1 and abs(report["solve"]["current_lost_uA"]) < 1e-6 * flowing


@needs_petsc
def test_plates_reach_everything_while_they_are_on(tmp_path: Path) -> None:
    path, other = tmp_path / "a.h5", tmp_path / "b.h5"
    w.run_ecg(path, *SMALL, "--duration", "7ms", "--plates", "0.05,2,3")
    w.run_ecg(other, *SMALL, "--duration", "7ms")
    got, without = datasets(path, "V", "phi_e"), datasets(other, "V", "phi_e")
    for name in got:
        assert w.same_bits(got[name][:2], without[name][:2]), "nothing before 2 ms"
    changed = np.ptp(got["phi_e"] - without["phi_e"], axis=1)
    print("mV between the ends:", changed)
    assert (changed[3:5] > 50).all() and (changed[6:] < 5).all()
    assert np.abs(got["V"][3:] - without["V"][3:]).max() > 0.01, "the cells feel it"


@needs_petsc
@pytest.mark.parametrize("dt", ["0.1ms", "0.2ms"])
def test_plates_are_on_from_their_start_and_off_at_their_end(tmp_path: Path, dt: str) -> None:
    path = tmp_path / "a.h5"
    w.run_ecg(path, *on_mesh(3000, dt), "--duration", 6, "--plates", "0.05,2,3")  # 6 ms
    on = np.ptp(datasets(path, "phi_e")["phi_e"], axis=1) > 50
    assert np.flatnonzero(on).tolist() == [2, 3, 4]


# Arguments, and what the line must say.
USAGE: list[tuple[list[Any], str]] = [
    (["--dt", "5ms"], "--dt: a step of 5 ms"),
    (["--dt", 5], "--dt: a step of 5 ms"),
    (["--nodes", 3000, "--print-every", "0.25ms", "--dt", "0.1ms"], "0.25 ms is not a multiple of 0.1 ms"),
    (["--nodes", 100], "give 3000 or more"),
    (["--mesh", "slab:abc"], "--mesh slab:abc: is not slab:MILLIMETRES"),
    (["--mesh", "slab:0"], "a spacing of 0 mm"),
    (["--mesh", "cube"], "--mesh cube: is not known"),
    (["--plates", "1,2"], "--plates '1,2': is not 3 numbers"),
    (["--velocity", "x"], "--velocity 'x': is not 2 numbers"),
    (["--steps", 7], "--steps: source solve has as many as its time gives"),
    (["--ownership", "uneven"], "--ownership uneven: source solve deals its nodes itself"),
    (["--source", "synthetic", "--nodes", 100, "--checkpoint-every", 5], "source synthetic has no state to keep"),
]


@needs_petsc
@pytest.mark.parametrize("ranks", [None, 2])
def test_what_cannot_be_solved_gets_one_line(tmp_path: Path, ranks: int | None) -> None:
    def check(arguments: list[Any], words: str) -> None:
        given = arguments if "--source" in arguments else ["--source", "solve", "--as-measured", *arguments]
        check_line(w.weft("run", "ecg", "--out", tmp_path / "a.h5", *given, ranks=ranks), 2, words, ranks)

    # The launcher takes a second to end after an error, in which it does nothing.
    with ThreadPoolExecutor(len(USAGE)) as pool:
        for result in [pool.submit(check, *case) for case in USAGE]:
            result.result()
    assert not list(tmp_path.iterdir()), "found before the file is made"


@needs_petsc
@pytest.mark.parametrize("ranks", [None, 2])
def test_equations_that_are_not_solved(tmp_path: Path, ranks: int | None) -> None:
    path = tmp_path / "a.h5"
    arguments = [*SMALL, "--duration", "5ms", "--print-every", "0.2ms", "--budget", "80KB"]
    # What little flows before the wave comes is good enough as it is.
    options = "-phi_e_ksp_max_it 1 -phi_e_ksp_atol 1"
    outcome = w.weft("run", "ecg", "--out", path, *arguments, "--petsc", options, ranks=ranks)
    check_line(outcome, 1, "the equations of phi_e: were not solved in 1 iterations", ranks)
    w.check_h5dump(path)
    committed = w.committed_steps(path)
    assert 10 < committed < 26
    got = datasets(path, "V", "time")
    assert np.allclose(got["time"][:committed], 0.2 * np.arange(committed), rtol=0, atol=1e-12)
    assert np.abs(got["V"][: committed - 2] - REST).max() < 1 and (got["V"][0] == REST).all()


@needs_petsc
@pytest.mark.parametrize(("stimulus", "ranks"), [(-1000, None), (-100000, None), (-100000, 2)])
def test_more_than_a_cell_can_have(tmp_path: Path, stimulus: int, ranks: int | None) -> None:
    arguments = [*on_mesh(6000), "--duration", "3ms", "--stimulus", stimulus]
    outcome = w.weft("run", "ecg", "--out", tmp_path / "a.h5", *arguments, ranks=ranks)
    check_line(outcome, 2, "the step of 0.2 ms is too long for this mesh; give a shorter --dt", ranks)
