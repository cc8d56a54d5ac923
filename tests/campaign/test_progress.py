"""What is shown on a terminal while a campaign goes."""

from __future__ import annotations

import io

from campaign_run import CAMPAIGN
from rich.console import Console
from weft.campaign.campaign_file import parse_campaign
from weft.campaign.estimate import Estimate
from weft.campaign.experiments import experiments_of
from weft.campaign.progress import LiveTable


def test_brackets_are_shown_as_they_are() -> None:
    """rich takes [red] for a colour, and [/tmp] for the end of one that never began."""
    text = CAMPAIGN.replace('title = "Fake"', 'title = "Cost of [/tmp]"').replace('["a", "b"]', '["[red]", "[/b]"]')
    text = text.replace("size = [1, 2]", '"[/i]" = [1, 2]')
    campaign = parse_campaign("fake.toml", text)
    todo = experiments_of(campaign)
    out = io.StringIO()
    with LiveTable(campaign, todo, Estimate(campaign, {}), Console(file=out, width=100)) as table:
        for number, experiment in enumerate((todo[0], todo[-1])):
            table.begins(experiment, number)
            table.ended(experiment, {"status": "failed", "message": "[/nothing]"})
    for words in ("Cost of [/tmp]", "[red]", "[/b]", "[/i]", "[/nothing]", "2 of 12 done, 2 failed"):
        assert words in out.getvalue()
