"""`weft`, `weft-campaign` and `weft-report` of a Python that has the package; the first starts the program that a wheel
brought.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = Path(__file__).parent / "bin" / "weft"


def main() -> None:
    if not PROGRAM.exists():
        sys.exit(
            "weft: error: this package was installed without the command; scripts/make-wheel makes a wheel that has it, "
            "make build builds it alone"
        )
    # weft campaign and weft report are found on the PATH, beside this program.
    here = str(Path(sys.argv[0]).resolve().parent)
    os.environ["PATH"] = os.pathsep.join([here, os.environ.get("PATH", "")])
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])


def campaign() -> None:
    _companion("campaign")


def report() -> None:
    _companion("report")


def _companion(name: str) -> None:
    missing = [module for module in ("matplotlib", "rich") if importlib.util.find_spec(module) is None]
    if missing:
        sys.exit(
            f"weft: error: weft {name}: this Python has no {' and no '.join(missing)}; "
            "install what it takes: pip install 'weft-io[campaign]'"
        )
    with _one_blas_thread():
        command = importlib.import_module(f"weft.{name}.command")
    sys.exit(command.main())


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """While numpy is imported: the threads that its OpenBLAS makes then spin for a tenth of a second, on the cores of
    what a campaign measures, and nothing here needs them. The programs of a campaign do not see it.
    """
    name = "OPENBLAS_NUM_THREADS"
    if name in os.environ:
        yield
        return
    os.environ[name] = "1"
    try:
        yield
    finally:
        del os.environ[name]
