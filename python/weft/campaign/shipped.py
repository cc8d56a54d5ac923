"""The campaigns that come with Weft: campaigns/NAME/campaign.toml, in the source tree or in the installed package."""

from __future__ import annotations

from pathlib import Path

from weft.campaign.section import nearest
from weft.errors import UsageError

FILE = "campaign.toml"


def shipped_folder() -> Path | None:
    package = Path(__file__).resolve().parents[1]
    places = [package / "campaigns", package.parents[1] / "campaigns"]
    return next((place for place in places if place.is_dir()), None)


def shipped() -> dict[str, Path]:
    folder = shipped_folder()
    files = sorted(folder.glob(f"*/{FILE}")) if folder else []
    return {file.parent.name: file for file in files}


def campaign_named(text: str) -> Path:
    """A file, a folder with a campaign.toml in it, or the name of a shipped campaign."""
    path = Path(text)
    if path.is_dir() and (path / FILE).is_file():
        return path / FILE
    if path.exists() or path.suffix == ".toml" or "/" in text:
        return path
    known = shipped()
    if text not in known:
        raise UsageError(text, "is neither a file nor a shipped campaign", nearest(text, known))
    return known[text]
