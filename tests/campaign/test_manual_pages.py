"""The manual pages of weft campaign and weft report, which are made of what their --help says, and the completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from campaign_run import REPO, WEFT, weft

PACKAGE = REPO / "python" / "weft"
COMMANDS = [["campaign"], ["campaign", "run"], ["campaign", "list"], ["campaign", "sbatch"], ["report"]]
HEADINGS = ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO")


def make(folder: Path) -> subprocess.CompletedProcess[str]:
    """As the build does it, on a Python that has nothing installed."""
    command = [sys.executable, "-E", "-S", "-B", str(PACKAGE), "manual", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    made = make(folder)
    assert (made.returncode, made.stdout, made.stderr) == (0, "", "")
    return folder / "man1"


def page_of(pages: Path, command: list[str]) -> str:
    return (pages / f"{'-'.join(['weft', *command])}.1").read_text()


def options_of(command: list[str]) -> set[str]:
    done = weft(*command, "--help")
    assert done.code == 0, done
    lines = re.findall(r"^  (-.*)", done.out, re.MULTILINE)
    return {name for line in lines for name in re.findall(r"(?:^|, )(--?[a-z][a-z-]*)", line)}


def test_a_page_for_each_command(pages: Path) -> None:
    assert {page.name for page in pages.iterdir()} == {f"{'-'.join(['weft', *command])}.1" for command in COMMANDS}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_option_is_in_its_page(pages: Path, command: list[str]) -> None:
    page = page_of(pages, command)
    plain = page.replace("\\-", "-")
    assert plain.startswith(f'.TH "{"-".join(["weft", *command]).upper()}" 1 "" "weft 0.')
    options = options_of(command)
    assert {"-h", "--help"} <= options and ("--json" in options or command != ["report"])
    for option in options:
        assert re.search(rf"^\.TP\n.*\\fB{re.escape(option)}\\fR", plain, re.MULTILINE), option
    for heading in HEADINGS:
        assert f".SH {heading}\n" in page


def test_what_a_page_says(pages: Path) -> None:
    run = page_of(pages, ["campaign", "run"]).replace("\\-", "-")
    assert '.SS "Settings that override the file"\n' in run
    assert "\\fBweft campaign run\\fR [\\fIOPTIONS\\fR] \\fB--out\\fR \\fIOUT\\fR \\fIfile\\fR\n" in run
    assert "the folder of the results (required)\n" in run
    assert ".SH EXAMPLES\n.nf\nweft campaign run ecg-table-1 --out results" in run
    assert "\\fBweft-campaign\\fR(1)\n" in run
    top = page_of(pages, ["campaign"]).replace("\\-", "-")
    assert ".SH COMMANDS\n.TP\n\\fBweft-campaign-run\\fR(1)\nrun the experiments" in top
    assert "\\fBweft\\fR(1),\n\\fBweft-campaign-run\\fR(1),\n" in top
    assert "\\fBweft report\\fR [\\fIOPTIONS\\fR] \\fIresults\\fR ...\n" in page_of(pages, ["report"])


def test_the_same_pages_each_time(pages: Path, tmp_path: Path) -> None:
    assert make(tmp_path).returncode == 0
    for page in sorted(pages.iterdir()):
        assert (tmp_path / "man1" / page.name).read_bytes() == page.read_bytes()
        assert str(REPO) not in page.read_text()


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_groff_has_nothing_to_say(pages: Path) -> None:
    for page in sorted(pages.iterdir()):
        done = subprocess.run(["groff", "-wall", "-man", "-Tascii", str(page)], capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b""), page.name


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    made = make(tmp_path / "file")
    assert made.returncode == 1 and made.stderr.startswith("weft: error: ") and len(made.stderr.splitlines()) == 1


@pytest.mark.parametrize("words", [[], ["a", "b"]])
def test_it_takes_one_folder(words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-B", str(PACKAGE), "manual", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        (["campaign", ""], {"run", "list", "sbatch"}),
        (["campaign", "run", "--re"], {"--repeats", "--resume", "--retry-failed"}),
        (["report", "--"], {"--help", "--out", "--campaign", "--json"}),
        (["report", "here", "--j"], {"--json"}),
        (["report", "he"], {"here"}),
        (["report", "here", "th"], {"there"}),
    ],
    ids=" ".join,
)
def test_bash_completes(tmp_path: Path, typed: list[str], offered: set[str]) -> None:
    assert weft("manual", tmp_path / "manual").code == 0
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    words = " ".join(f"'{word}'" for word in ("weft", *typed))
    script = (f"source '{tmp_path}/manual/completions/weft'; COMP_WORDS=({words}); COMP_CWORD={len(typed)}; _weft; "
              "printf '%s\\n' \"${COMPREPLY[@]}\"")  # fmt: skip
    path = f"{Path(WEFT).parent}:{os.environ['PATH']}"
    done = subprocess.run(["bash", "--norc", "-c", script], cwd=tmp_path, env={**os.environ, "PATH": path},
                          capture_output=True, text=True, check=True, timeout=60)  # fmt: skip
    assert {line for line in done.stdout.splitlines() if line} == offered
