from __future__ import annotations

import pytest
import weft_run as w
from solving import NO_PETSC


@pytest.fixture(scope="session")
def probe(tmp_path_factory: pytest.TempPathFactory) -> w.Outcome:
    """A run of the solver that is refused at once, with PETSc or without."""
    return w.weft("run", "ecg", "--source", "solve", "--dt", "5ms", "--out", tmp_path_factory.mktemp("probe") / "a.h5")


@pytest.fixture(scope="session")
def petsc(probe: w.Outcome) -> None:
    if NO_PETSC in probe.err:
        pytest.skip("this weft was built without PETSc")
