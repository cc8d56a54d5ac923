"""The package's types: the stub of weft._core is that of the extension, and mypy finds nothing in strict mode."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import weft

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "python"


def run(*arguments: object, where: Path = SOURCES) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False, cwd=where
    )


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What mypy knows of NumPy and the like takes it half a minute to learn: once for all."""
    return tmp_path_factory.mktemp("mypy")


def test_the_stub_is_that_of_the_extension(tmp_path: Path) -> None:
    made = tmp_path / "_core.pyi"
    done = run(
        *("-m", "nanobind.stubgen", "-q", "-m", "weft._core", "-p", SOURCES / "bindings" / "stubs.pattern"),
        *("-o", made),
        where=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    assert made.read_text() == (SOURCES / "weft" / "_core.pyi").read_text(), f"copy {made} over it"


def test_names_for_readers_of_types_are_those_that_are_there() -> None:
    tree = ast.parse((SOURCES / "weft" / "__init__.py").read_text())
    block = next(node for node in tree.body if isinstance(node, ast.If))
    said = {(name.asname, of.module) for of in block.body if isinstance(of, ast.ImportFrom) for name in of.names}
    assert said == set(weft._LAZY.items())


def test_the_package_has_no_mistake_of_types(cache: Path) -> None:
    done = run("-m", "mypy", "--strict", "--cache-dir", cache, "-p", "weft")
    assert done.returncode == 0, done.stdout


PROGRAM = """
from typing import Any, assert_type
import numpy as np
import numpy.typing as npt
import weft

with weft.open("run.h5") as file:
    assert_type(file, weft.File)
    field = file["V"]
    assert_type(field, weft.Field)
    assert_type(field.trace(3), npt.NDArray[Any])
    assert_type(file.times, npt.NDArray[np.float64])
with weft.create("a.h5", {"V": weft.FieldSpec(10)}) as out:
    out.step(0.0, V=np.zeros(10))
"""


def test_a_program_is_checked(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "right.py").write_text(PROGRAM)
    done = run("-m", "mypy", "--strict", "--cache-dir", cache, tmp_path / "right.py")
    assert done.returncode == 0, done.stdout
    (tmp_path / "wrong.py").write_text(PROGRAM.replace("trace(3)", "trace(3.5)").replace("weft.open(", "weft.opened("))
    done = run("-m", "mypy", "--strict", "--cache-dir", cache, tmp_path / "wrong.py")
    assert done.returncode == 1 and "opened" in done.stdout
