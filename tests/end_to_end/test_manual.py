"""The manual pages and the completion for bash: complete, and without mistakes that groff or bash would find."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import weft_run as w


def help_of(command: list[str]) -> str:
    return w.weft_ok(*command, "--help").out


def commands_below(command: list[str]) -> list[list[str]]:
    """The command and all that --help lists below it."""
    text = help_of(command)
    names = (
        re.findall(r"^  (\w+)  ", text.split("Subcommands:\n", 1)[1], re.MULTILINE) if "Subcommands:\n" in text else []
    )
    return [command, *(c for name in names for c in commands_below([*command, name]))]


def options_of(command: list[str]) -> list[str]:
    lines = re.findall(r"^  (-[^ ]+)", help_of(command), re.MULTILINE)
    return [name for line in lines for name in line.split(",")]


@pytest.fixture(scope="module")
def manual(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual")
    assert w.weft_ok("manual", folder).out == ""
    return folder


def test_every_option_of_every_command_is_in_its_page(manual: Path) -> None:
    commands = commands_below([])
    assert len(commands) >= 12
    pages = {"-".join(["weft", *command]) + ".1" for command in commands}
    assert {p.name for p in (manual / "man1").iterdir()} == pages
    for command in commands:
        page = (manual / "man1" / ("-".join(["weft", *command]) + ".1")).read_text().replace("\\-", "-")
        for option in options_of(command):
            assert re.search(rf"^\.TP\n.*\\fB{re.escape(option)}\\fR", page, re.MULTILINE), f"weft {command} {option}"
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
            assert f".SH {heading}\n" in page
    assert "manual" not in help_of([]), "it is for the build"


@pytest.mark.skipif(shutil.which("groff") is None, reason="no groff")
def test_groff_has_nothing_to_say(manual: Path) -> None:
    for page in sorted((manual / "man1").iterdir()):
        outcome = w.call(["groff", "-wall", "-man", "-Tascii", str(page)])
        assert outcome.code == 0 and outcome.err == "", f"{page.name}: {outcome.err}"
    plain = w.call(["groff", "-man", "-Tascii", "-P-cbou", str(manual / "man1" / "weft-verify.1")]).out
    assert "weft verify [OPTIONS] file [other]" in plain and "--add-checksums" in plain
    assert "weft verify heart.h5 copy.h5" in plain.split("EXAMPLES")[1]


def complete(manual: Path, *words: str, cwd: Path | None = None, path: Path | None = None) -> set[str]:
    """What bash offers for the last of the words."""
    script = manual / "completions" / "weft"
    typed = " ".join(f"'{word}'" for word in ("weft", *words))
    source = (
        f"source '{script}'; COMP_WORDS=({typed}); COMP_CWORD={len(words)}; _weft; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    settings = {"PATH": f"{path}:{os.environ['PATH']}"} if path else None
    outcome = w.call(["bash", "--norc", "-c", source], cwd=cwd, env=settings)
    assert outcome.code == 0 and outcome.err == "", outcome
    return {line for line in outcome.out.splitlines() if line}


def test_bash_completes_commands_and_options(manual: Path) -> None:
    script = manual / "completions" / "weft"
    outcome = w.call(["bash", "--norc", "-c", f"source '{script}' && complete -p weft"])
    assert outcome.out == "complete -o filenames -F _weft weft\n" and outcome.err == ""
    assert complete(manual, "") == {c[0] for c in commands_below([]) if len(c) == 1}
    assert complete(manual, "re") == {"read", "reduce", "refs", "recover", "repack"}
    assert complete(manual, "run", "") == {c[1] for c in commands_below(["run"])[1:]}
    for command in commands_below([]):
        assert complete(manual, *command, "-") == set(options_of(command)), command
    assert complete(manual, "run", "ecg", "--st") == {"--steps", "--stimulus", "--stimulate", "--strategy",
                                                      "--stripe-count", "--stripe-size"}  # fmt: skip
    assert complete(manual, "verify", "--json", "--qu") == {"--quick"}


def test_bash_completes_programs_of_their_own(manual: Path, tmp_path: Path) -> None:
    program = tmp_path / "weft-orchard"
    program.write_text("""#!/bin/sh
if [ "$1" = pick ]; then echo "  --ripe   only those"; exit; fi
printf 'COMMAND\n    pick      apples\n    plant     trees\n  -h, --help  this\n  --trees N\n'
""")
    program.chmod(0o755)
    assert complete(manual, "or", path=tmp_path) == {"orchard"}
    assert complete(manual, "orchard", "", path=tmp_path) == {"pick", "plant"}
    assert complete(manual, "orchard", "--", path=tmp_path) == {"--help", "--trees"}
    assert complete(manual, "orchard", "pick", "--r", path=tmp_path) == {"--ripe"}


def test_bash_completes_names_of_files(manual: Path, tmp_path: Path) -> None:
    for name in ("heart.h5", "heart beat.h5", "head.h5"):
        (tmp_path / name).touch()
    (tmp_path / "heap").mkdir()
    assert complete(manual, "info", "hea", cwd=tmp_path) == {"heart.h5", "heart beat.h5", "head.h5", "heap"}
    assert complete(manual, "verify", "heart.h5", "heart", cwd=tmp_path) == {"heart.h5", "heart beat.h5"}
    assert complete(manual, "run", "ecg", "--out", "head", cwd=tmp_path) == {"head.h5"}
    assert complete(manual, "run", "ecg", "--out", "=", cwd=tmp_path) == set(os.listdir(tmp_path))
    assert complete(manual, "info", "nothing", cwd=tmp_path) == set()


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    outcome = w.weft("manual", tmp_path / "file")
    assert outcome.code == 1 and len(outcome.error_lines) == 1


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="no shellcheck")
def test_shellcheck_has_nothing_to_say(manual: Path) -> None:
    script = manual / "completions" / "weft"
    checked = subprocess.run(["shellcheck", "--shell=bash", str(script)], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stdout
