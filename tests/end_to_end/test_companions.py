"""`weft X` that is not built in is the program weft-X, beside weft or on the PATH."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
import weft_run as w

ECHO = """#!/bin/sh
echo "$0"
for word in "$@"; do echo "<$word>"; done
echo "$WEFT"
exit 7
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A folder that is first on the PATH."""
    (tmp_path / "bin").mkdir()
    return tmp_path / "bin"


def program(path: Path, name: str, text: str = ECHO, mode: int = 0o755) -> Path:
    file = path / name
    file.write_text(text)
    file.chmod(mode)
    return file


def weft(path: Path, *words: str) -> w.Outcome:
    return w.call([w.WEFT, *words], env={"PATH": f"{path}:{os.environ['PATH']}"})


def test_it_becomes_the_program(path: Path) -> None:
    echo = program(path, "weft-echo-2")
    outcome = weft(path, "echo-2", "--help", "a b", "", "-x")
    assert outcome.code == 7 and outcome.err == ""
    assert outcome.out.splitlines() == [str(echo), "<--help>", "<a b>", "<>", "<-x>", os.path.realpath(w.WEFT)]


def test_help_names_them(path: Path) -> None:
    program(path, "weft-echo")
    program(path, "weft-Not-one")
    program(path, "weft-plain", mode=0o644)
    named = re.search(r"Programs of their own: (.*)", weft(path, "--help").out)
    assert named is not None and "weft echo" in named[1] and "Not-one" not in named[1] and "plain" not in named[1]


def test_what_is_built_in_comes_first(path: Path) -> None:
    program(path, "weft-layout")
    assert weft(path, "layout", "151x400000x2").code == 0


@pytest.mark.parametrize("name", ["nonsense", "Echo", "../echo", "plain", "folder", "echo x", ""])
def test_what_is_neither_gets_the_usual_line(path: Path, name: str) -> None:
    program(path, "weft-echo")
    program(path, "weft-Echo")
    program(path, "weft-plain", mode=0o644)
    (path / "weft-folder").mkdir()
    outcome = weft(path, name)
    assert outcome.code == 2 and len(outcome.error_lines) == 1
    words = r"is not a command; (did you mean weft echo\? )?there are layout, run, info"
    assert re.search(re.escape(f"weft {name}: ") + words, outcome.error_lines[0])
    assert re.search(r"recover, (.*, )?echo\b", outcome.error_lines[0])  # the program on the PATH is one of them


def test_one_that_cannot_be_started(path: Path) -> None:
    program(path, "weft-broken", "#!/no/such/interpreter\n")
    outcome = weft(path, "broken")
    assert outcome.code == 1 and len(outcome.error_lines) == 1 and "cannot be started" in outcome.error_lines[0]


@pytest.mark.parametrize("name", ["campaign", "report"])
def test_without_the_python_side_it_says_what_to_run(path: Path, name: str) -> None:
    beside = Path(w.WEFT).with_name(f"weft-{name}")
    program(path, f"weft-{name}", beside.read_text().replace(".venv-weft", ".venv-that-is-not-there"))
    outcome = w.call([str(path / f"weft-{name}"), "run"])
    assert outcome.code == 1 and len(outcome.error_lines) == 1
    assert re.search(rf"weft {name}: its Python side is not installed; run '.*/scripts/install-python'", outcome.err)


def test_versions() -> None:
    lines = w.weft_ok("--version").out.splitlines()
    assert lines[0].startswith("weft 0.") and lines[1].startswith("HDF5 ") and len(lines) == 3
    assert re.match(r"(Open MPI v|MPICH Version: )\d", lines[2])
