"""How long a campaign may take. Pure."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from dataclasses import dataclass

from weft.campaign.experiments import Experiment
from weft.campaign.model import Campaign
from weft.quantities import format_duration


@dataclass
class Estimate:
    """Runs of the same setting tell best, other runs next, what the campaign's file says last."""

    campaign: Campaign
    seen: dict[str, list[float]]  # wall seconds, by setting key

    @staticmethod
    def of(campaign: Campaign, order: list[Experiment], results: Mapping[str, Mapping[str, object]]) -> Estimate:
        estimate = Estimate(campaign, {})
        for experiment in order:
            seconds = results.get(experiment.key, {}).get("wall_seconds")
            if isinstance(seconds, (int, float)):
                estimate.add(experiment, float(seconds))
        return estimate

    def add(self, experiment: Experiment, seconds: float) -> None:
        self.seen.setdefault(experiment.setting_key, []).append(seconds)

    def of_one(self, experiment: Experiment) -> float | None:
        if experiment.setting_key in self.seen:
            return statistics.fmean(self.seen[experiment.setting_key])
        if self.seen:
            return statistics.fmean(statistics.fmean(each) for each in self.seen.values())
        return self.campaign.takes

    def of_all(self, experiments: list[Experiment]) -> float | None:
        each = [self.of_one(experiment) for experiment in experiments]
        if any(seconds is None for seconds in each):
            return None
        return sum(seconds or 0.0 for seconds in each) + self.campaign.pause * max(len(each) - 1, 0)

    def words(self, experiments: list[Experiment]) -> str:
        whole = self.of_all(experiments)
        if whole is not None:
            return f"about {format_duration(whole)}"
        pauses = self.campaign.pause * max(len(experiments) - 1, 0)
        return f"{format_duration(pauses)} of pauses; the time of a run is not known (takes = in [run])"
