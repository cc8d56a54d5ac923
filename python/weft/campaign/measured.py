"""What a run's report says of what its campaign measures. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from weft.campaign.experiments import Experiment
from weft.campaign.expressions import Expression, names_for
from weft.campaign.model import Campaign


def measured(campaign: Campaign, experiment: Experiment, report: dict[str, Any]) -> dict[str, float]:
    """Raises ValueError where the report does not tell what is measured. Pure."""
    return values_in(campaign, experiment.measures, names_for(report, experiment.settings))


def values_in(campaign: Campaign, changed: Mapping[str, Expression], names: Mapping[str, Any]) -> dict[str, float]:
    """`changed`: measures that are had in another way. Those that a report may be without are left out then."""
    values = {}
    for measure in campaign.measures:
        try:
            values[measure.name] = changed.get(measure.name, measure.value).number(names)
        except ValueError:
            if not measure.optional:
                raise
    return values
