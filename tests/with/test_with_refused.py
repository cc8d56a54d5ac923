"""Programs that `weft with` cannot serve: one line, and what to do."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import programs as p
import pytest
import weft_run as w


def refused(words: str, *arguments: object, code: int = 2) -> None:
    outcome = w.weft("with", *arguments)
    assert outcome.code == code and outcome.out == "" and len(outcome.err.splitlines()) == 1, outcome
    assert words in outcome.err


def test_a_static_program(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("no C compiler")
    source, program = tmp_path / "a.c", tmp_path / "a"
    source.write_text("int main(void) { return 0; }\n")
    p.run(["cc", "-static", source, "-o", program])
    refused("is statically linked; nothing can be put before its HDF5", program)


def test_a_program_with_rights_of_its_own(tmp_path: Path) -> None:
    program = tmp_path / "a"
    shutil.copy("/bin/true", program)
    os.chmod(program, 0o4755)
    refused("runs with rights of its own", program)


def test_a_program_without_hdf5() -> None:
    done = p.run([*p.WITH, "ls", "/"])
    assert p.said(done) == [
        "weft with: ls: called no HDF5 that could be seen: it has none, or is linked with a static one"
    ]
    assert "bin" in done.stdout


def test_two_dashes_before_the_program() -> None:
    for options in (["--"], ["--watch", "--"], ["--budget", "64MiB", "--read=trace=1", "--"]):
        assert p.run([w.WEFT, "with", *options, "echo", "-n", "--", "x"]).stdout == "-- x"
    assert p.run([w.WEFT, "with", "echo", "--", "x"]).stdout == "-- x\n"
    refused("there is no program", "--")
    refused("there is no program", "--watch", "--")


def test_a_program_that_is_killed(tmp_path: Path) -> None:
    """What was asked for is missing, and said so; who asked for no report misses none."""
    killed = ["sh", "-c", "kill -9 $$"]
    report = tmp_path / "report.json"
    outcome = w.weft("with", "--json", report, *killed)
    assert outcome.code == 128 + 9
    assert outcome.err == "weft with: sh: was ended by a signal before it could report\n"
    assert not report.exists()
    outcome = w.weft("with", "--write-behind", *killed)
    assert outcome.code == 128 + 9 and outcome.err == ""


def test_what_is_no_program(tmp_path: Path) -> None:
    refused("is no program in PATH", "no-such-program")
    refused("No such file", tmp_path / "none", code=1)
    plain = tmp_path / "text"
    plain.write_text("hello\n")
    refused("is not a program", plain)
    refused("there is no program")
    refused("is no option of weft with", "--no-such-option", "ls")


def test_options_that_cannot_be_used() -> None:
    refused("is not known; use reads or isotropic", "--layout", "best", "ls")
    refused("reads", "--layout", "reads", "--read", "everything=1", "ls")
    refused("--steps", "--layout", "reads", "--steps", "0", "ls")
    refused("lots", "--write-behind", "--budget", "lots", "ls")


def test_a_report_that_cannot_be_written_is_told_before(tmp_path: Path) -> None:
    """The program has not run then."""
    ran = tmp_path / "ran"
    refused("cannot be written", "--json", tmp_path / "none" / "report.json", "touch", ran, code=1)
    assert not ran.exists()


def test_a_script_is_its_interpreter(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("#!/usr/bin/env sh\necho $0 $1\n")
    script.chmod(0o755)
    assert p.run([*p.WITH, script, "--watch"]).stdout == f"{script} --watch\n"


def test_what_others_preload_stays() -> None:
    done = p.run([*p.WITH, "sh", "-c", "echo $LD_PRELOAD"], extra={"LD_PRELOAD": "/lib/x86_64-linux-gnu/libm.so.6"})
    assert done.stdout.strip().endswith("libweft-with.so:/lib/x86_64-linux-gnu/libm.so.6")
