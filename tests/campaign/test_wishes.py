"""What the command line says instead of the file, and what is recalled of it."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest
from campaign_run import CAMPAIGN
from weft.campaign.campaign_file import parse_campaign
from weft.campaign.command import parser
from weft.campaign.experiments import Experiment, experiments_of
from weft.campaign.model import Settings
from weft.campaign.wishes import overrides_of, recall, remember
from weft.errors import UsageError, WeftError

FOLDERS = (
    CAMPAIGN.replace('["a", "b"]', '["a"]').replace("[1, 2]", "[1]")
    + """
[[matrix.folder]]
name = "scratch"
label = "the scratch disk"
folder = "/scratch"
bytes = 20
[[matrix.folder]]
name = "home"
folder = "/home"
"""
)


def said(*words: object) -> argparse.Namespace:
    return parser().parse_args(["run", "a.toml", "--out", "r", *map(str, words)])


def experiments(text: str, *words: object) -> list[Experiment]:
    return experiments_of(parse_campaign("a.toml", text, overrides_of(said("--repeats", 1, *words))))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--folder", "/a/scratch", "--folder", "/b/scratch"), "--folder: has the value 'scratch' twice; .*NAME=PATH"),
        (("--folder", "x=/a", "--folder", "x=/b"), "--folder: has the value 'x' twice"),
        (("--set", "ranks=2,2"), "--set ranks: has the value '2' twice; leave one out"),
        (("--set", "size=1,2,1"), "--set size: has the value '1' twice; leave one out"),
        (("--set", "size=1", "--set", "size=2"), "--set size=2: 'size' is set twice; say it once: --set size=A,B"),
        (("--set", "folder=/a", "--folder", "/b"), "--folder: --set has set the folders; leave one of them out"),
        (("--folder", "=/a"), "--folder =/a: names no folder"),
        (("--scale", "1e9"), "--scale 1000000000.0: is more than 1e"),
        (("--scale", "nan"), "--scale nan: is not above 0"),
        (("--pause", "9" * 400), "--pause: time '9*' is longer than a year"),
        (("--repeats", 10**9), "--repeats: 4 settings, each 1000000000 times, are more than 100,000 experiments"),
    ],
)
def test_what_cannot_be_wished(words: tuple[object, ...], told: str) -> None:
    with pytest.raises(UsageError, match=f"^{told}"):
        experiments(CAMPAIGN, *words)


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (("--folder", "scratch=/lustre/me"), [{"folder": "/lustre/me", "bytes": 20}]),
        (("--folder", "/lustre/scratch", "--folder", "new=/n"), [{"folder": "/lustre/scratch", "bytes": 20}, {"folder": "/n"}]),
        (("--set", "folder=home"), [{"folder": "/home"}]),
    ],
)  # fmt: skip
def test_the_path_that_is_given_wins(words: tuple[object, ...], settings: list[Settings]) -> None:
    """A folder that the file names keeps what else the file says of it."""
    found = experiments(FOLDERS, *words)
    assert [
        {name: value for name, value in e.settings.items() if name in ("folder", "bytes")} for e in found
    ] == settings
    assert all(e.labels["folder"] == "the scratch disk" for e in found if e.choice["folder"] == "scratch")


def test_words_that_are_no_numbers() -> None:
    assert [e.settings["x"] for e in experiments(FOLDERS, "--set", "x=nan,inf,1.5,2,true", "--set", "folder=home")] == [
        "nan", "inf", 1.5, 2, True,
    ]  # fmt: skip


def test_what_was_said_is_recalled(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.touch()
    words = ("--seed", 7, "--scale", 0.5, "--set", "size=1", "--keep", "--launcher", "none", "--pause", "2s")
    first = said(*words, "--out", tmp_path)
    remember(first, file, tmp_path / "campaign.toml")
    again = said("--out", tmp_path)
    recall(again)
    assert vars(again) == vars(first)
    other = said("--out", tmp_path, "--seed", 0, "--set", "size=2")
    recall(other)
    assert (other.seed, other.scale, other.set) == (0, 0.5, ["size=2"]), "0 is said, too"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.toml", "campaign.toml", "resume.json"]


@pytest.mark.parametrize(
    "text", ["[]", "5", '"x"', "{", "[" * 9000, "\xff", '{"scale": "x"}', '{"set": [1]}', '{"folder": {"a": 1}}']
)
def test_what_was_not_remembered_by_us(tmp_path: Path, text: str) -> None:
    (tmp_path / "resume.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(UsageError, match=r"resume\.json: is not what weft campaign run wrote there; remove it"):
        recall(said("--out", tmp_path))


def test_remembering_where_there_is_no_room(tmp_path: Path) -> None:
    """What was there stays whole where what replaces it cannot be written."""
    file = tmp_path / "a.toml"
    file.write_text("new")
    (tmp_path / "campaign.toml").write_text("old")
    (tmp_path / ".campaign.toml.new").mkdir()
    with pytest.raises(WeftError, match="cannot be written: Is a directory"):
        remember(said("--out", tmp_path), file, tmp_path / "campaign.toml")
    assert (tmp_path / "campaign.toml").read_text() == "old"


def test_names_that_are_no_utf_8(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    file.touch()
    remember(said("--out", tmp_path, "--folder", "/\udcff"), file, tmp_path / "campaign.toml")
    assert json.loads((tmp_path / "resume.json").read_text())["folder"] == ["/\udcff"]


def test_a_job_has_its_own_launcher() -> None:
    assert parser().parse_args(["sbatch", "a.toml", "--out", "r"]).launcher == "srun"
    with pytest.raises(UsageError, match="unrecognized arguments: --launcher none; see weft campaign --help"):
        parser().parse_args(["sbatch", "a.toml", "--out", "r", "--launcher", "none"])
