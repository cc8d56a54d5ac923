"""Going on with what there is, and only with that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from campaign_run import CAMPAIGN, Outcome, lines_of, results_of, weft, write_campaign

ALL = {f"way={way}, size={size}, folder=work #{n}" for way in "ab" for size in "12" for n in (1, 2, 3)}


def test_more_repeats_are_added(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    assert weft("campaign", "run", file, "--out", tmp_path / "r", "--repeats", 1).code == 0
    done = weft("campaign", "run", file, "--out", tmp_path / "r", "--repeats", 3, "--resume")
    assert done.code == 0 and "8 experiments (4 were done before)" in done.out
    assert {r["key"] for r in results_of(tmp_path / "r")} == ALL


def test_resuming_another_campaign(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    assert weft("campaign", "run", file, "--out", tmp_path / "r").code == 0
    write_campaign(tmp_path, CAMPAIGN, ("[matrix]", "[options]\nbytes = 20\n\n[matrix]"))
    refused = weft("campaign", "run", file, "--out", tmp_path / "r", "--resume")
    assert refused.code == 2 and "was run with bytes = None, and it is 20 now" in refused.error_lines[0]
    write_campaign(tmp_path, CAMPAIGN, ('way = ["a", "b"]', 'way = ["a", "c"]'))
    refused = weft("campaign", "run", file, "--out", tmp_path / "r", "--resume")
    assert refused.code == 2 and "which this campaign does not have" in refused.error_lines[0]


def test_resume_remembers_what_the_command_line_said(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    words = ["campaign", "run", file, "--out", tmp_path / "r"]
    assert weft(*words, "--repeats", 2, "--set", "size=5", "--folder", f"here={tmp_path / 'elsewhere'}").code == 0
    resumed = weft(*words, "--resume")
    assert resumed.code == 0 and "0 experiments (4 were done before)" in resumed.out
    assert {r["choice"]["folder"] for r in results_of(tmp_path / "r")} == {"here"}
    assert lines_of(tmp_path / "r")[0]["machine"]["folders"].keys() == {"here"}


def test_a_refused_resume_leaves_what_there_is(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    results = tmp_path / "r"
    assert weft("campaign", "run", file, "--out", results, "--repeats", 1).code == 0
    before = {path.name: path.read_bytes() for path in results.iterdir() if path.is_file()}
    assert before.keys() == {"campaign.toml", "resume.json", "results.jsonl"}
    write_campaign(tmp_path, CAMPAIGN, ("[matrix]", "[options]\nbytes = 20\n\n[matrix]"))
    assert weft("campaign", "run", file, "--out", results, "--resume", "--seed", 3).code == 2
    assert {path.name: path.read_bytes() for path in results.iterdir() if path.is_file()} == before


def test_a_seed_of_0_is_one(tmp_path: Path) -> None:
    file = write_campaign(tmp_path)
    words = ["campaign", "run", file, "--out", tmp_path / "r"]
    assert weft(*words, "--repeats", 1, "--seed", 5).code == 0
    assert weft(*words, "--repeats", 2, "--seed", 0, "--resume").code == 0
    assert [line["campaign"]["seed"] for line in lines_of(tmp_path / "r") if line["record"] == "session"] == [5, 0]


def test_the_report_knows_the_axes_of_the_command_line(tmp_path: Path) -> None:
    """The first value is what the others are compared with, and the command line may say which is the first."""
    file = write_campaign(tmp_path, CAMPAIGN, ('[report]\ncompare = "way"\n', ""))
    assert weft("campaign", "run", file, "--out", tmp_path / "r", "--repeats", 2, "--set", "way=b,a").code == 0
    assert weft("report", tmp_path / "r").code == 0
    assert "| against b |" in (tmp_path / "r" / "report" / "report.md").read_text()


def resumed(tmp_path: Path, *changes: tuple[str, str], words: tuple[str, ...] = ()) -> Outcome:
    """With ranks, as otherwise no launcher starts anything."""
    file = write_campaign(tmp_path, CAMPAIGN, *changes, ("size = [1, 2]", "size = [1, 2]\nranks = [1]"))
    return weft("campaign", "run", file, "--out", tmp_path / "r", "--repeats", 1, "--resume", *words)


@pytest.mark.parametrize(
    ("change", "words", "told"),
    [
        (('"-I", "-S"', '"-S", "-I"'), (), "with run = {python} -I -S {here}/fake.py, and it is {python} -S -I {here}/fake.py now"),
        (("seed = 7", 'seed = 7\ncache = "cold"'), (), "with cache = warm, and it is cold now"),
        (("seed = 7", "seed = 7"), ("--launcher", "env {command}"), "with launcher = none, and it is env {command} now"),
    ],
)  # fmt: skip
def test_measured_in_another_way(tmp_path: Path, change: tuple[str, str], words: tuple[str, ...], told: str) -> None:
    assert resumed(tmp_path).code == 0
    refused = resumed(tmp_path, change, words=words)
    assert refused.code == 2 and len(refused.error_lines) == 1, refused
    assert f"--resume: there are results {told}; resume with the same" in refused.error_lines[0]
    dry = resumed(tmp_path, change, words=(*words, "--dry-run"))
    assert dry.code == 2 and told in dry.error_lines[0]
    assert len(lines_of(tmp_path / "r")) == 5


def change_session(results: Path, **changed: Any) -> None:
    """As if it had been another machine that measured."""
    first, *rest = (results / "results.jsonl").read_text().splitlines()
    session = json.loads(first)
    session["machine"].update(changed)
    (results / "results.jsonl").write_text("\n".join([json.dumps(session), *rest]) + "\n")


def test_on_another_file_system(tmp_path: Path) -> None:
    """A folder of the same name may lie elsewhere now; its path is not recorded, but what it lies on is."""
    assert resumed(tmp_path).code == 0
    change_session(tmp_path / "r", folders={"work": {"type": "lustre", "mount": "/scratch"}})
    refused = resumed(tmp_path)
    assert refused.code == 2 and "with folder work = lustre at /scratch, and it is " in refused.error_lines[0]


def test_on_another_machine(tmp_path: Path) -> None:
    assert resumed(tmp_path).code == 0
    change_session(tmp_path / "r", cpu="Another", kernel="1.0", memory_bytes=5, cores=77)
    assert resumed(tmp_path).code == 0


def test_what_is_all_done_again_may_be_done_otherwise(tmp_path: Path) -> None:
    """Nothing stays that would be beside it."""
    fails = ("[matrix]", "[options]\nfail = true\n\n[matrix]")
    assert resumed(tmp_path, fails).code == 1
    assert "with launcher = none" in resumed(tmp_path, fails, words=("--launcher", "env {command}")).error_lines[0]
    done = resumed(tmp_path, fails, words=("--launcher", "env {command}", "--retry-failed"))
    assert done.code == 1 and len(results_of(tmp_path / "r")) == 8


def test_what_was_said_cannot_be_read(tmp_path: Path) -> None:
    assert resumed(tmp_path).code == 0
    (tmp_path / "r" / "resume.json").write_text("[]")
    refused = resumed(tmp_path)
    assert refused.code == 2 and "is not what weft campaign run wrote there" in refused.error_lines[0]
