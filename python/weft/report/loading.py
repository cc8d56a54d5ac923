"""A folder of results, read for a report: the campaign's file, the results, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from weft.campaign.campaign_file import Overrides, read_campaign_file
from weft.campaign.model import Campaign
from weft.campaign.results import FILE_NAME, Results, read_results
from weft.campaign.wishes import CAMPAIGN_COPY, remembered_axes
from weft.errors import UsageError
from weft.report.samples import Samples, samples_of


@dataclass(frozen=True)
class Loaded:
    campaign: Campaign
    found: Results
    samples: Samples


def load(results: Path, campaign_file: Path | None = None) -> Loaded:
    """`campaign_file`: another than the copy beside the results."""
    found = read_results(results)
    scale = found.sessions[-1]["campaign"]["scale"] if found.sessions else None
    overrides = Overrides(scale=scale, axes=remembered_axes(results))
    campaign = read_campaign_file(campaign_file or results / CAMPAIGN_COPY, overrides)
    for session in found.sessions:
        if session["campaign"]["runs"] != campaign.runs:
            raise not_of_this(results, f"it ran {session['campaign']['runs']}, and the file runs {campaign.runs}")
    try:
        return Loaded(campaign, found, samples_of(campaign, found.of_experiments))
    except (ValueError, KeyError) as error:
        raise not_of_this(results, str(error)) from None


def not_of_this(results: Path, why: str) -> UsageError:
    remedy = "name the campaign's file with --campaign"
    return UsageError(str(results / FILE_NAME), f"is not of this campaign: {why}", remedy)
