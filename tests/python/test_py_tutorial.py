"""Each block of docs/python-tutorial.md runs, and prints what the page says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest

PAGE = Path(__file__).parents[2] / "docs" / "python-tutorial.md"


def test_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mpl.use("agg")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(python|text)\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in blocks].count("python") > 10
    names: dict[str, Any] = {}
    printed = ""
    for kind, text in blocks:
        if kind == "text":
            assert printed == text
            printed = ""
            continue
        assert printed == "", "the page does not show this"
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile(text, PAGE.name, "exec"), names)  # noqa: S102
        printed = out.getvalue()
    assert printed == ""
    assert {"traces.png", "activation.png"} <= {path.name for path in tmp_path.iterdir()}
