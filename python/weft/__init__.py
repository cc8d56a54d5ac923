"""Weft in Python: campaigns (weft.campaign) and their reports (weft.report).

A campaign is a set of runs of `weft run`, described in a file and done in random order; a report is what can be said
of their results. Parts that decide (parsing, order, statistics, wording) touch no file and start no process; those that
act are few: weft.campaign.runner, weft.campaign.preparation, and the two commands.
"""

from __future__ import annotations

__version__ = "0.1.0"
