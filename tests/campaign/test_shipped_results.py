"""The results that come with the campaigns: small, and whatever is left out is made of them again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from campaign_run import REPO, weft
from weft.report.making import make_report

MOST_BYTES = 2_000_000
KEPT = {"results.jsonl", "campaign.toml", "report/report.md"}  # and one picture
FOLDERS = sorted(file.parent for file in REPO.glob("campaigns/*/results/*/results.jsonl"))


def name_of(folder: Path) -> str:
    return f"{folder.parents[1].name}/{folder.name}"


def tracked() -> list[Path]:
    """What git has of campaigns/; a source tree that came as an archive has no git."""
    command = ["git", "-c", "safe.directory=*", "-C", str(REPO), "ls-files", "-z", "campaigns"]
    try:
        listed = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("this is no git checkout")
    return [REPO / name for name in listed.split("\0") if name]


def test_they_take_little_room() -> None:
    files = tracked()
    assert len(files) > 100
    assert sum(file.stat().st_size for file in files if file.exists()) <= MOST_BYTES


def test_pages_and_bitmaps_are_not_kept() -> None:
    assert [file for file in tracked() if file.suffix in (".html", ".png", ".csv")] == []


def test_each_folder_has_its_data_its_text_and_one_picture() -> None:
    files = tracked()
    for folder in FOLDERS:
        names = {str(file.relative_to(folder)) for file in files if folder in file.parents}
        assert names >= KEPT and len(names) == len(KEPT) + 1, name_of(folder)
        (picture,) = names - KEPT
        assert picture.endswith(".svg")
        assert f"]({Path(picture).name})" in (folder / "report" / "report.md").read_text()


@pytest.mark.parametrize("folder", FOLDERS, ids=name_of)
def test_made_again_they_are_the_same(folder: Path, tmp_path: Path) -> None:
    make_report(folder, tmp_path)
    made = {file.name for file in tmp_path.iterdir()}
    assert {"report.html", "runs.csv", "values.csv", "ratios.csv", "ratios.png", "ratios.svg"} <= made
    kept = [name for name in ("report.md", "values.svg", "lines.svg") if (folder / "report" / name).exists()]
    assert len(kept) == 2
    for name in kept:
        assert (tmp_path / name).read_bytes() == (folder / "report" / name).read_bytes(), name


def test_git_is_none_the_wiser(tmp_path: Path) -> None:
    """Of a copy, as other tests read the tree meanwhile: all that weft report makes is kept as it is, or ignored."""
    folder = FOLDERS[0].relative_to(REPO)

    def git(*words: str) -> str:
        command = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org", *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout

    kept = [file for file in tracked() if REPO / folder in file.parents]
    for file in (REPO / ".gitignore", *kept):
        copy = tmp_path / file.relative_to(REPO)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    git("init", "--quiet")
    git("add", "--all")
    assert weft("report", tmp_path / folder).code == 0
    assert (tmp_path / folder / "report" / "report.html").is_file()
    assert git("status", "--short", "--untracked-files=all").replace("A  ", "").split() == sorted(
        [".gitignore", *(str(file.relative_to(REPO)) for file in kept)]
    )
