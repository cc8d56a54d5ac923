"""How a campaign goes: a table that is kept up to date on a terminal, a line for each experiment elsewhere."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Self

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from weft.campaign.estimate import Estimate
from weft.campaign.experiments import Experiment
from weft.campaign.model import Campaign
from weft.quantities import format_duration, format_number

SHOWN = 12  # experiments in the table


def shown_axes(campaign: Campaign) -> list[str]:
    """Axes that have something to tell apart."""
    return [axis.name for axis in campaign.axes if len(axis.values) > 1] or [campaign.report.compare]


def told(campaign: Campaign, record: dict[str, Any]) -> str:
    """What came of an experiment, shortly."""
    if record["status"] != "ok":
        return str(record.get("message", "failed"))
    measures = [m for m in campaign.measures if not m.shown and m.name in record["measures"]]
    values = [(m.name, record["measures"][m.name], m.unit) for m in measures]
    if campaign.report.total:
        values = [(campaign.report.total, sum(value for _, value, _ in values), measures[0].unit), *values]
    return ", ".join(f"{name} {format_number(value)} {unit}".strip() for name, value, unit in values)


class Lines:
    """For logs: a line when an experiment has ended."""

    def __init__(self, campaign: Campaign, todo: list[Experiment], estimate: Estimate) -> None:
        self.campaign = campaign
        self.todo = todo
        self.estimate = estimate
        self.number = 0

    def begins(self, experiment: Experiment, number: int) -> None:
        self.number = number

    def goes_on(self) -> None:
        pass

    def pauses(self, seconds: float) -> None:
        pass

    def ended(self, experiment: Experiment, record: dict[str, Any]) -> None:
        if "wall_seconds" in record:
            self.estimate.add(experiment, record["wall_seconds"])
        which = ", ".join(experiment.choice[axis] for axis in shown_axes(self.campaign))
        how = "" if record["status"] == "ok" else "FAILED: "
        print(f"[{self.number + 1}/{len(self.todo)}] {which} #{experiment.repeat}: {how}{told(self.campaign, record)}",
              flush=True)  # fmt: skip


class LiveTable:
    """For people: the last experiments, the one that runs, and how long the rest may take."""

    def __init__(self, campaign: Campaign, todo: list[Experiment], estimate: Estimate, console: Console) -> None:
        self.campaign = campaign
        self.todo = todo
        self.estimate = estimate
        self.axes = shown_axes(campaign)
        self.rows: deque[tuple[Experiment, dict[str, Any]]] = deque(maxlen=SHOWN)
        self.running: Experiment | None = None
        self.number = 0
        self.failed = 0
        self.began = time.monotonic()
        # Refreshed by the runner's own thread: a second one would be there when the runner forks.
        self.live = Live(console=console, auto_refresh=False, transient=False)

    def __enter__(self) -> Self:
        self.live.start()
        return self

    def __exit__(self, *how: object) -> None:
        self.running = None
        self.live.update(self._picture(), refresh=True)
        self.live.stop()

    def begins(self, experiment: Experiment, number: int) -> None:
        self.running, self.number, self.began = experiment, number, time.monotonic()
        self.goes_on()

    def goes_on(self) -> None:
        self.live.update(self._picture(), refresh=True)

    def pauses(self, seconds: float) -> None:
        self.running = None
        self.live.update(self._picture(f"a pause of {format_duration(seconds)}"), refresh=True)

    def ended(self, experiment: Experiment, record: dict[str, Any]) -> None:
        if "wall_seconds" in record:
            self.estimate.add(experiment, record["wall_seconds"])
        self.failed += record["status"] != "ok"
        self.rows.append((experiment, record))
        self.running, self.number = None, self.number + 1
        self.goes_on()

    def _picture(self, note: str = "") -> Group:
        table = Table(title=Text(self.campaign.title), title_justify="left", expand=False)
        for axis in self.axes:
            table.add_column(Text(axis), overflow="fold")
        table.add_column("repeat", justify="right")
        table.add_column("result", overflow="fold")
        for experiment, record in self.rows:
            style = "" if record["status"] == "ok" else "red"
            table.add_row(*self._cells(experiment), Text(told(self.campaign, record), style=style))
        if self.running is not None:
            since = format_duration(time.monotonic() - self.began)
            table.add_row(*self._cells(self.running), Text(f"runs, {since} so far", style="bold"))
        left = self.todo[self.number :]
        counted = Text(f"{self.number} of {len(self.todo)} done" + (f", {self.failed} failed" if self.failed else ""))
        if left:
            counted.append(f"; the rest: {self.estimate.words(left)}")
        if note:
            counted.append(f"; {note}")
        return Group(table, ProgressBar(total=len(self.todo), completed=self.number, width=60), counted)

    def _cells(self, experiment: Experiment) -> list[Text]:
        """Texts, not strings, in which rich would take brackets for its markup."""
        return [Text(words) for words in (*(experiment.labels[axis] for axis in self.axes), str(experiment.repeat))]
