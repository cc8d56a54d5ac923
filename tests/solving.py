"""What the tests of the solver share: the coarsest meshes, and how files are compared.

No conductivities are chosen (--as-measured), which would take a second a run: this is about the run, not about the
heart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import numpy as np
import weft_run as w
from weft_run import Values

NO_PETSC = "built without PETSc"


def on_mesh(nodes: int, dt: str = "0.2ms") -> list[Any]:
    return ["--source", "solve", "--nodes", nodes, "--dt", dt, "--as-measured", "--conductivity-factor", 10]


SMALL = on_mesh(3000)  # no torso has fewer nodes. A wave from 3 ms on, above 20 mV at 6 ms.


def datasets(path: Path, *names: str) -> dict[str, Values]:
    with h5py.File(path) as file:
        return {name: file[name][...] for name in names}


def check_close(path: Path, wanted_path: Path, bounds: dict[str, float], steps: int | None = None) -> dict[str, float]:
    """The first steps of a file, and their times, are those of another. Returns the largest differences."""
    names = ("time", *bounds)
    got, wanted = datasets(path, *names), datasets(wanted_path, *names)
    if steps is None:
        assert {name: values.shape for name, values in got.items()} == {n: v.shape for n, v in wanted.items()}
        steps = len(wanted["time"])
        assert w.committed_steps(path) == steps
    assert w.same_bits(got["time"][:steps], wanted["time"][:steps])
    differences = {name: float(np.abs(got[name][:steps] - wanted[name][:steps]).max(initial=0)) for name in bounds}
    print(path.name, steps, "steps:", differences)
    assert all(differences[name] <= bound for name, bound in bounds.items()), differences
    return differences


def check_line(outcome: w.Outcome, code: int, words: str, ranks: int | None) -> None:
    assert outcome.code == code and outcome.out == "" and len(outcome.error_lines) == 1, outcome
    assert outcome.error_lines[0].startswith("weft: error: ") and words in outcome.error_lines[0], outcome
    assert ranks is not None or outcome.err.splitlines() == outcome.error_lines, "nothing but the line"
