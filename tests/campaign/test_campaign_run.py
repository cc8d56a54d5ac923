"""weft campaign run, as users run it: mostly of a program that takes no time, and once of weft run ecg."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from campaign_run import CAMPAIGN, LAUNCHER, WEFT, environment, lines_of, results_of, weft, write_campaign

ALL = {f"way={way}, size={size}, folder=work #{n}" for way in "ab" for size in "12" for n in (1, 2, 3)}

ECG = """\
title = "Small"
question = "Which?"
[run]
kernel = "ecg"
repeats = 1
rehearse = { nodes = 8, steps = 2 }
[options]
nodes = 500
steps = 5
[matrix]
strategy = ["owner", "cached"]
ranks = [2]
[checks]
"all is written" = "bytes == settings.nodes * settings.steps * 16"
"the file is sound" = ["{weft}", "verify", "{out}"]
"""


def test_every_experiment_once_in_the_order_of_the_seed(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    done = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert done.code == 0, done
    session, *results = lines_of(tmp_path / "r")
    assert session["record"] == "session" and session["machine"]["cores"] >= 1
    assert session["machine"]["folders"]["work"]["type"] and session["campaign"]["seed"] == 7
    assert {r["key"] for r in results} == ALL and len(results) == len(ALL)
    again = weft("campaign", "run", file, "--out", tmp_path / "r2")
    assert again.code == 0
    assert [r["key"] for r in results_of(tmp_path / "r2")] == [r["key"] for r in results]
    other = weft("campaign", "run", file, "--out", tmp_path / "r3", "--seed", 8)
    assert other.code == 0
    assert [r["key"] for r in results_of(tmp_path / "r3")] != [r["key"] for r in results]
    for result in results:
        assert result["status"] == "ok" and result["report"]["seconds"]["output"] == result["measures"]["output"]
        assert result["cache"] == "warm; earlier writes were brought to the disk" and result["wall_seconds"] > 0
        assert str(tmp_path) not in result["command"], "results may be shown"
    assert not any((tmp_path / "r" / "work").iterdir()), "files are removed"
    assert re.search(r"^\[12/12\] ", done.out, re.MULTILINE) and "Next: weft report" in done.out


@pytest.mark.parametrize("threads", [None, "3"])
def test_the_campaigns_own_blas_threads_are_not_those_of_its_programs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, threads: str | None
) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    if threads:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", threads)
    done = weft("campaign", "run", write_campaign(tmp_path), "--out", tmp_path / "r", "--repeats", 1)
    assert done.code == 0, done
    assert {result["report"].get("blas threads") for result in results_of(tmp_path / "r")} == {threads}


def test_what_exists_is_not_overwritten(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    assert weft("campaign", "run", file, "--out", tmp_path / "r").code == 0
    refused = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert refused.code == 2 and "has results already; continue with --resume" in refused.err
    resumed = weft("campaign", "run", file, "--out", tmp_path / "r", "--resume")
    assert resumed.code == 0 and "0 experiments (12 were done before)" in resumed.out
    assert len(results_of(tmp_path / "r")) == 12


def test_killed_again_and_again_it_does_every_experiment_once(tmp_path: Path) -> None:
    """kill -9 at random times; what has a line is never done again, nor counted twice."""
    file = write_campaign(
        tmp_path, CAMPAIGN, ("repeats = 3", "repeats = 5"), ("[matrix]", "[options]\nsleep = 0.08\n\n[matrix]")
    )
    results = tmp_path / "r"
    chance = random.Random(3)
    kills = 0
    for attempt in range(40):
        before = results_of(results) if (results / "results.jsonl").exists() else []
        process = subprocess.Popen(
            [WEFT, "campaign", "run", str(file), "--out", str(results), "--resume"], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        deadline = time.monotonic() + (chance.uniform(0.5, 1.4) if attempt < 4 else 60)
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
            kills += 1
        said = process.communicate()[1]
        data = (results / "results.jsonl").read_bytes() if (results / "results.jsonl").exists() else b""
        now = [line for line in data.split(b"\n")[:-1] if b'"record":"result"' in line]
        assert len(now) >= len(before), said
        if process.returncode == 0:
            break
    else:
        pytest.fail("it never came to its end")
    keys = [r["key"] for r in results_of(results)]
    assert len(keys) == len(set(keys)) == 20
    assert kills >= 2, "the machine was too quick for this test"
    assert not any((results / "work").iterdir()), "what killed runs left is removed"
    (summary,) = [
        line for line in weft("campaign", "run", file, "--out", results, "--resume").out.splitlines() if "Next" in line
    ]
    assert summary.startswith("0 experiments (20 were done before)")


def test_a_torn_line_is_done_again(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    assert weft("campaign", "run", file, "--out", tmp_path / "r").code == 0
    path = tmp_path / "r" / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    assert weft("campaign", "run", file, "--out", tmp_path / "r", "--resume").code == 0
    assert {r["key"] for r in results_of(tmp_path / "r")} == ALL and len(results_of(tmp_path / "r")) == 12


def test_one_at_a_time(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, CAMPAIGN, ("[matrix]", "[options]\nsleep = 5\n\n[matrix]"))
    words = [WEFT, "campaign", "run", str(file), "--out", str(tmp_path / "r")]
    with subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as first:
        while not (tmp_path / "r" / "results.jsonl").exists() and first.poll() is None:
            time.sleep(0.02)
        second = weft("campaign", "run", file, "--out", tmp_path / "r", "--resume")
        first.kill()
    assert second.code == 1 and "another weft campaign run writes here" in second.error_lines[0]


def test_interrupted_it_says_how_to_go_on(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, CAMPAIGN, ("[matrix]", "[options]\nsleep = 0.5\n\n[matrix]"))
    words = [WEFT, "campaign", "run", str(file), "--out", str(tmp_path / "r")]
    with subprocess.Popen(
        words, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        while not (tmp_path / "r" / "results.jsonl").exists() and process.poll() is None:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130 and f"--out {tmp_path / 'r'} --resume" in out
    assert not any((tmp_path / "r" / "work").iterdir())


# Options that make the runs of way b go wrong, and what is recorded.
FAILURES = [
    ("fail = true", r"it was told to fail \(ended with 1\)"),
    ("garbage = true", "printed no JSON object"),
    ("sleep = 30", "took longer than 1 s and was ended"),
    ("sleep = 30\nstubborn = true", "took longer than 1 s and was ended"),
    ("bytes = 5", "check 'ten bytes': bytes == 10 does not hold"),
    ("bytes = 11", "check 'not eleven': .*ended with 1"),
    ('measure = { output = "seconds.inptu" }', "the report has no 'seconds.inptu'"),
    ('measure = { output = "seconds.endless" }', "'seconds.endless' is not finite: inf"),
    ('measure = { output = "10 ** 10 ** 10" }', "is not a number that can be computed"),
]


@pytest.mark.parametrize(("option", "words"), FAILURES)
def test_a_failed_run_is_recorded_and_the_campaign_goes_on(tmp_path: Path, option: str, words: str) -> None:
    matrix = f'[[matrix.way]]\nname = "a"\nway = "a"\n[[matrix.way]]\nname = "b"\n{option}\n[matrix]\nsize = [1]\n'
    checks = '[checks]\n"ten bytes" = "bytes == 10 or bytes == 11"\n"not eleven" = ["sh", "-c", "test $(wc -c < {out}) = 10"]\n'
    text = CAMPAIGN.replace('[matrix]\nway = ["a", "b"]\nsize = [1, 2]\n', matrix + checks).replace(
        "repeats = 3", 'repeats = 2\ntimeout = "1s"'
    )
    text = text.replace('"bytes == 10 or bytes == 11"', '"bytes == 10"') if option == "bytes = 5" else text
    file = write_campaign(tmp_path, text)
    done = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert done.code == 1 and "2 of 4 experiments failed" in done.error_lines[0]
    told = {r["choice"]["way"]: (r["status"], r.get("message", "")) for r in results_of(tmp_path / "r")}
    assert told["a"] == ("ok", "") and told["b"][0] == "failed"
    assert re.search(words, told["b"][1]), told["b"][1]
    resumed = weft("campaign", "run", file, "--out", tmp_path / "r", "--resume")
    assert resumed.code == 0 and "0 experiments (4 were done before)" in resumed.out, "what failed is done, too"
    again = weft("campaign", "run", file, "--out", tmp_path / "r", "--resume", "--retry-failed")
    assert again.code == 1 and len(results_of(tmp_path / "r")) == 6


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, CAMPAIGN, ('"{python}", "-I"', '"{here}/none", "-I"'))
    refused = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert refused.code == 2 and not (tmp_path / "r").exists()
    assert f"fake.toml:5: there is no program '{tmp_path}/none' here; install it" in refused.error_lines[0]
    file = write_campaign(tmp_path, CAMPAIGN, ("{here}", "{hear}"))
    refused = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert refused.code == 2 and "fake.toml:5: '{hear}' has no value; did you mean 'here'?" in refused.error_lines[0]


def test_files_are_kept_where_that_is_asked(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    assert weft("campaign", "run", file, "--out", tmp_path / "r", "--keep", "--repeats", 1).code == 0
    results = results_of(tmp_path / "r")
    assert len({r["workspace"] for r in results}) == 4
    assert all((tmp_path / "r" / "work" / r["workspace"] / "out").is_file() for r in results)
    kept = {r["key"]: r["workspace"] for r in results}
    assert weft("campaign", "run", file, "--out", tmp_path / "r", "--resume", "--repeats", 2).code == 0
    results = results_of(tmp_path / "r")
    assert len(results) == 8 and {r["key"]: r["workspace"] for r in results}.items() >= kept.items()
    assert all((tmp_path / "r" / "work" / r["workspace"] / "out").is_file() for r in results), "of all repeats"


def test_what_a_program_and_a_folder_may_be_called(tmp_path: Path) -> None:
    """What UTF-8 cannot hold: half a surrogate pair in a program's JSON, and a folder's name of other bytes."""
    file = write_campaign(tmp_path, CAMPAIGN, ("[matrix]", "[options]\nsurrogate = true\n\n[matrix]"))
    folder = os.fsdecode(os.fsencode(tmp_path) + b"/\xff")
    words = ("campaign", "run", file, "--out", tmp_path / "r", "--folder", folder, "--repeats", 1)
    assert weft(*words, "--dry-run").code == 0
    done = weft(*words)
    assert done.code == 0 and len(results_of(tmp_path / "r")) == 4, done
    assert results_of(tmp_path / "r")[0]["report"]["name"] == "\ud800"


def test_too_little_disk(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, CAMPAIGN, ("seed = 7", 'seed = 7\nroom = "settings.size * 1e18"'))
    refused = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert refused.code == 1 and len(refused.error_lines) == 1
    assert re.search(r"has [\d.]+ \w+ free, and 'way=a, size=1, folder=work' needs", refused.error_lines[0])
    assert not (tmp_path / "r" / "results.jsonl").exists()


def test_no_folder_to_write_into(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    file = write_campaign(tmp_path)
    refused = weft("campaign", "run", file, "--out", tmp_path / "r", "--folder", tmp_path / "file" / "below")
    assert refused.code == 2 and f"there is no {tmp_path}/file to make it in; make that first" in refused.error_lines[0]
    typo = tmp_path / "scrtach" / "me"
    refused = weft("campaign", "run", file, "--out", tmp_path / "r", "--folder", typo, "--dry-run")
    assert refused.code == 2 and f"there is no {typo.parent} to make it in" in refused.error_lines[0]
    assert weft("campaign", "run", file, "--out", tmp_path / "r", "--repeats", 1, "--folder", typo.parent).code == 0
    refused = weft("campaign", "run", file, "--out", tmp_path / "file")
    assert refused.code == 1 and "cannot be made: Not a directory; name another --out" in refused.error_lines[0]


def test_retrying_is_for_going_on(tmp_path: Path) -> None:
    refused = weft("campaign", "run", write_campaign(tmp_path), "--out", tmp_path / "r", "--retry-failed")
    assert refused.code == 2 and "--retry-failed: needs --resume; use --resume --retry-failed" in refused.error_lines[0]


def test_a_slip_in_a_check_is_found_before_the_first_run(tmp_path: Path) -> None:
    check = '[checks]\n"all is written" = "byte == 10"\n\n[matrix]'
    changes = [("[matrix]", check), ("seed = 7", "seed = 7\nrehearse = { size = 1 }")]
    refused = weft("campaign", "run", write_campaign(tmp_path, CAMPAIGN, *changes), "--out", tmp_path / "r")
    assert refused.code == 2 and not (tmp_path / "r").exists()
    assert "fake.toml:12: check 'all is written': the report has no 'byte'" in refused.error_lines[0]
    done = weft("campaign", "run", write_campaign(tmp_path, CAMPAIGN, *changes[:1]), "--out", tmp_path / "r")
    assert (
        done.code == 1
        and "check 'all is written': the report has no 'byte'" in results_of(tmp_path / "r")[0]["message"]
    )


def test_ended_by_sigterm_it_says_how_to_go_on(tmp_path: Path) -> None:
    """As batch systems end a job."""
    file = write_campaign(tmp_path, CAMPAIGN, ("[matrix]", "[options]\nsleep = 5\n\n[matrix]"))
    started = subprocess.Popen(
        [WEFT, "campaign", "run", file, "--out", tmp_path / "r"], stdout=subprocess.PIPE, text=True
    )
    while not list((tmp_path / "r").glob("work/*/*/out")):
        assert started.poll() is None
        time.sleep(0.05)
    started.terminate()
    out, _ = started.communicate(timeout=30)
    assert started.returncode == 130 and "To resume: weft campaign run" in out
    assert not list((tmp_path / "r").glob("work/*"))


def test_a_dry_run_does_nothing(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, CAMPAIGN, ("seed = 7", 'seed = 7\ntakes = "10s"\npause = "2s"'))
    done = weft("campaign", "run", file, "--out", tmp_path / "r", "--dry-run")
    assert done.code == 0 and not (tmp_path / "r").exists()
    lines = [line for line in done.out.splitlines() if re.match(r"\d+ ", line)]
    assert len(lines) == 13 and "--way a --size 1 --out out --json" in done.out
    assert "12 experiments, about 2 min 22 s; started by none, seed 7" in done.out  # 12 x 10 s + 11 x 2 s


def test_the_script_for_slurm(tmp_path: Path) -> None:
    file = write_campaign(
        tmp_path, CAMPAIGN, ("size = [1, 2]", "ranks = [4, 8]"), ("seed = 7", 'seed = 7\ntakes = "100s"')
    )
    done = weft("campaign", "sbatch", file, "--out", tmp_path / "r", "--repeats", 2, "--", "--partition=short")
    assert done.code == 0
    assert done.out.startswith("#!/bin/bash\n#SBATCH --job-name=fake\n#SBATCH --ntasks=8\n#SBATCH --time=00:20:00\n")
    assert "#SBATCH --partition=short" in done.out  # 8 x 100 s, and half as much again
    assert "#SBATCH --output=weft-campaign-%j.log\n" in done.out, "where sbatch is called: Slurm makes no folder for it"
    last = done.out.splitlines()[-1]
    assert last.endswith(f"campaign run {file} --out {tmp_path / 'r'} --repeats 2 --launcher srun --resume")
    assert subprocess.run(["bash", "-n"], input=done.out, text=True, check=False).returncode == 0


def test_weft_run_on_ranks(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, ECG)
    done = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert done.code == 0, done
    session, *results = lines_of(tmp_path / "r")
    assert {r["report"]["strategy"] for r in results} == {"owner", "cached"}
    assert all(r["report"]["ranks"] == 2 and r["report"]["file"] == "out" for r in results)
    assert session["machine"]["weft"].startswith("weft 0.1.0, HDF5 1.") and "MPI" in session["machine"]["weft"]


# A change of ECG, the line of the error, its words, and the exit code.
ECG_MISTAKES = [
    (('"owner", "cached"', '"owner", "fast"'), 11, "strategy 'fast': is not known; use owner, per-step or cached", 2),
    (("steps = 5", "stpes = 5"), 9, "weft run ecg has no option 'stpes'; did you mean 'steps'?", 2),
    (("steps = 5", "json = true"), 9, "the option 'json' is given by the campaign itself", 2),
    (('kernel = "ecg"', 'kernel = "egc"'), 4, "this weft has no kernel 'egc'; did you mean 'ecg'?", 2),
    (("ranks = [2]", "ranks = [0]"), 12, "ranks = 0 is not a number of ranks", 2),
    (("ranks = [2]", 'ranks = ["two"]'), 12, "ranks = 'two' is not a number of ranks", 2),
    (("repeats = 1", 'repeats = 1\nlauncher = "none"'), 13, 'ranks = 2, and launcher = "none" starts one', 2),
    (
        ("[checks]", '[[measure]]\nname = "x"\nvalue = "seconds.x"\n[checks]'),
        15,
        "measure 'x': the report has no 'seconds.x'",
        2,
    ),
]


@pytest.mark.parametrize(("change", "line", "words", "code"), ECG_MISTAKES)
def test_mistakes_are_found_before_the_first_run(
    tmp_path: Path, change: tuple[str, str], line: int, words: str, code: int
) -> None:
    file = write_campaign(tmp_path, ECG, change)
    refused = weft("campaign", "run", file, "--out", tmp_path / "r")
    assert refused.code == code and len(refused.error_lines) == 1, refused
    assert refused.error_lines[0].startswith(f"weft: error: {file}:{line}: "), refused.error_lines
    assert words in refused.error_lines[0]
    assert not (tmp_path / "r" / "results.jsonl").exists()


def bare_path(tmp_path: Path, *programs: str) -> dict[str, str]:
    """A PATH with no launcher on it but those named, and no launcher from elsewhere."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("sh", "ldd", "bash", "sync", "true", "cat", *programs):
        found = shutil.which(name)
        if found:
            (folder / name).symlink_to(os.path.realpath(found))
    return {"PATH": str(folder), "WEFT_MPIEXEC": ""}


def test_no_mpirun(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, ECG)
    refused = weft("campaign", "run", file, "--out", tmp_path / "r", env=bare_path(tmp_path))
    assert refused.code == 2 and len(refused.error_lines) == 1
    assert re.search(
        r"fake\.toml:3: there is no (Open MPI's mpirun|MPICH's mpiexec) on the PATH", refused.error_lines[0]
    )


def test_too_few_slots(tmp_path: Path) -> None:
    file = write_campaign(tmp_path, ECG, ("ranks = [2]", "ranks = [997]"))
    refused = weft("campaign", "run", file, "--out", tmp_path / "r", env={"WEFT_MPIEXEC": ""})
    assert refused.code == 1 and len(refused.error_lines) == 1
    assert f"{file}:12: " in refused.error_lines[0] and "oversubscribe = true in [launch]" in refused.error_lines[0]


def test_the_launcher_given_is_used(tmp_path: Path) -> None:
    """The tests' own launcher oversubscribes; so may a campaign."""
    file = write_campaign(tmp_path, ECG, ("ranks = [2]", "ranks = [3]"), ('["owner", "cached"]', '["owner"]'))
    done = weft("campaign", "run", file, "--out", tmp_path / "r", env={"WEFT_MPIEXEC": " ".join(LAUNCHER)})
    assert done.code == 0 and results_of(tmp_path / "r")[0]["report"]["ranks"] == 3


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["run"], "the following arguments are required"),
        (["dance"], "invalid choice: 'dance'"),
        (["run", "none.toml", "--out", "r"], "none.toml: cannot be read"),
        (["run", "no-such", "--out", "r"], "is neither a file nor a shipped campaign"),
        (["run", "a.toml", "--out", "r", "--scale", "-1"], "--scale -1.0: is not above 0"),
        (["run", "a.toml", "--out", "r", "--set", "ranks"], "is not AXIS=VALUE,VALUE"),
        (["run", "a.toml", "--out", "r", "--pause", "soon"], "time 'soon' is not a duration"),
        (["run", "a.toml", "--out", "r", "--", "--partition=short"], "takes nothing behind --: --partition=short"),
        (["list", "--", "--all"], "takes nothing behind --: --all"),
        (["sbatch", "a.toml", "--out", "r", "--launcher", "none"], "unrecognized arguments: --launcher none"),
    ],
)
def test_wrong_words(tmp_path: Path, words: list[str], told: str) -> None:
    refused = weft("campaign", *words, cwd=tmp_path)
    assert refused.code == 2 and len(refused.error_lines) == 1 and told in refused.error_lines[0], refused


def test_under_a_launcher_it_refuses(tmp_path: Path) -> None:
    refused = weft("campaign", "run", "a.toml", "--out", "r", cwd=tmp_path, env={"PMI_RANK": "0"})
    assert refused.code == 2 and "it starts the ranks itself" in refused.error_lines[0]


def test_a_table_on_a_terminal(tmp_path: Path) -> None:
    """As a terminal would have it, by util-linux' script."""
    file = write_campaign(tmp_path, CAMPAIGN, ("repeats = 3", "repeats = 1"))
    command = f"{WEFT} campaign run {file} --out {tmp_path / 'r'}"
    done = subprocess.run(
        ["script", "-qec", command, "/dev/null"], env=environment({"TERM": "xterm"}), capture_output=True, text=True,
        timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    assert "4 of 4 done" in done.stdout and "repeat" in done.stdout and "output" in done.stdout
