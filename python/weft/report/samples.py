"""Results as values: what was measured, of which way, in which setting, in which repeat. Pure.

Measures are taken from the reports anew, so that a campaign's file may be mended after the runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from weft.campaign.expressions import Expression, names_for
from weft.campaign.measured import values_in
from weft.campaign.model import Campaign, Measure

Group = tuple[tuple[str, str], ...]  # the axes that are not compared, each with its value's name


@dataclass(frozen=True)
class Sample:
    way: str
    group: Group
    repeat: int
    values: Mapping[str, float]  # by measure, the total among them
    x: float | None = None  # where on the axis of lines it lies


@dataclass(frozen=True)
class Samples:
    campaign: Campaign
    measures: tuple[Measure, ...]  # that are compared: parts first, their total last
    shown: tuple[Measure, ...]  # that are only told
    ways: tuple[str, ...]  # in the order of the file
    groups: tuple[Group, ...]  # in the order of the file
    all: tuple[Sample, ...]
    failed: tuple[Mapping[str, Any], ...]  # results of runs that failed
    labels: Mapping[tuple[str, str], str] = field(default_factory=dict)  # of (axis, name)

    def of(self, group: Group, way: str) -> list[Sample]:
        return [sample for sample in self.all if sample.group == group and sample.way == way]

    def label(self, axis: str, name: str) -> str:
        return self.labels.get((axis, name), name)

    def way_label(self, way: str) -> str:
        return self.label(self.campaign.report.compare, way)

    @property
    def telling_axes(self) -> list[str]:
        """Axes of groups in which they differ."""
        return (
            [axis for i, (axis, _) in enumerate(self.groups[0]) if len({g[i] for g in self.groups}) > 1]
            if self.groups
            else []
        )

    def group_label(self, group: Group) -> str:
        """What sets a group apart from the others: "ranks 4, gluster"; nothing where there is one."""
        telling = self.telling_axes
        return ", ".join(
            self.label(axis, name) if not self.label(axis, name).replace(".", "").isdigit() else f"{axis} {name}"
            for axis, name in group
            if axis in telling
        )


def samples_of(campaign: Campaign, results: Iterable[Mapping[str, Any]]) -> Samples:
    """Raises ValueError where a report does not tell what the campaign measures."""
    compare = campaign.report.compare
    samples: list[Sample] = []
    failed: list[Mapping[str, Any]] = []
    labels: dict[tuple[str, str], str] = {}
    seen: dict[str, list[str]] = {axis.name: [] for axis in campaign.axes}
    for result in results:
        for axis, name in result["choice"].items():
            labels[axis, name] = result.get("labels", {}).get(axis, name)
            if name not in seen.setdefault(axis, []):
                seen[axis].append(name)
        if result["status"] != "ok":
            failed.append(result)
            continue
        group = group_of(campaign, result["choice"])
        samples.append(
            Sample(
                way=result["choice"][compare],
                group=group,
                repeat=result["repeat"],
                values=values_of(campaign, result),
                x=_where(campaign, result),
            )
        )
    for known in campaign.axes:  # the file's words go before those it had when it was run: they may have been mended
        labels.update(
            {(known.name, value.name): value.label for value in known.values if (known.name, value.name) in labels}
        )
    order = {axis: in_file_order(campaign, axis, names) for axis, names in seen.items()}
    present = {sample.group for sample in samples}
    groups = sorted(present, key=lambda group: [order[axis].index(name) for axis, name in group])
    return Samples(
        campaign=campaign,
        measures=compared_measures(campaign),
        shown=tuple(measure for measure in campaign.measures if measure.shown),
        ways=tuple(way for way in order[compare] if any(sample.way == way for sample in samples)),
        groups=tuple(groups),
        all=tuple(samples),
        failed=tuple(failed),
        labels=labels,
    )


def compared_measures(campaign: Campaign) -> tuple[Measure, ...]:
    parts = tuple(measure for measure in campaign.measures if not measure.shown)
    if not campaign.report.total:
        return parts
    return (*parts, Measure(campaign.report.total, Expression("0"), parts[0].unit, parts[0].higher_is_better))


def sorted_axes(campaign: Campaign, choice: Mapping[str, str]) -> list[tuple[str, str]]:
    """Axes as the file has them; those that the command line added, last."""
    known = [axis.name for axis in campaign.axes]
    return sorted(choice.items(), key=lambda item: known.index(item[0]) if item[0] in known else len(known))


def group_of(campaign: Campaign, choice: Mapping[str, str]) -> Group:
    return tuple((axis, name) for axis, name in sorted_axes(campaign, choice) if axis != campaign.report.compare)


def in_file_order(campaign: Campaign, axis: str, names: list[str]) -> list[str]:
    known = [value.name for each in campaign.axes if each.name == axis for value in each.values]
    return [name for name in known if name in names] + [name for name in names if name not in known]


def values_of(campaign: Campaign, result: Mapping[str, Any]) -> dict[str, float]:
    names = names_for(result["report"], result["settings"])
    ways = [value for axis in campaign.axes for value in axis.values if result["choice"].get(axis.name) == value.name]
    changed = {measure: expression for value in ways for measure, expression in value.measures.items()}
    values = values_in(campaign, changed, names)
    if campaign.report.total:
        values[campaign.report.total] = sum(values[m.name] for m in campaign.measures if not m.shown)
    return values


def _where(campaign: Campaign, result: Mapping[str, Any]) -> float | None:
    if campaign.report.x is None:
        return None
    return campaign.report.x.number(names_for(result["report"], result["settings"]))
