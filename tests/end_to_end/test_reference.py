"""make docs: the reference of what is installed is made without a warning, and says what the headers say."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
import weft_run as w

HEADER = """// demo.hpp - a demo.
#pragma once

namespace demo {

// What it is: `a < b` and more than <b>.
struct Thing {
  int count = 0;  // of things
  const char* url = "http://nowhere";
};

}  // namespace demo
"""


def test_comments_as_doxygen_wants_them(tmp_path: Path) -> None:
    header = tmp_path / "demo.hpp"
    header.write_text(HEADER)
    made = subprocess.run(
        [w.REPO / "scripts" / "doxygen-comments", header], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert len(made) == len(HEADER.splitlines())  # a warning names the line
    assert made[0] == "// demo.hpp - a demo."
    assert made[5] == r"/// What it is: `a < b` and more than \<b\>."
    assert made[7] == "  int count = 0;  ///< of things"
    assert made[8] == '  const char* url = "http://nowhere";'


@pytest.mark.skipif(shutil.which("doxygen") is None, reason="there is no doxygen (make docs installs it)")
def test_the_reference_has_no_warning() -> None:
    made = subprocess.run([w.REPO / "scripts" / "make-reference"], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    assert made.stderr == ""
    page = w.REPO / "build" / "docs" / "html" / "classweft_1_1SeriesWriter.html"
    assert "Nothing can be put after it" in page.read_text()
    assert "create_series" in (w.REPO / "build" / "docs" / "html" / "examples.html").read_text()
