"""What a campaign is, once its file has been read and checked. Pure data.

Worked: the axes ranks (2, 4) and way ("default", "new"), 3 repeats, are 12 experiments: 2 x 2 settings, each 3 times.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from weft.campaign.expressions import Expression

# What an option of a run can be set to; a list repeats the option, true is a flag, false leaves it out.
Setting = str | int | float | bool | list[str] | list[int] | list[float]
Settings = dict[str, Setting]


@dataclass(frozen=True)
class Place:
    """A line of a campaign's file."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


NOWHERE = Place("", 0)


@dataclass(frozen=True)
class Value:
    """One value of an axis: a setting, or several that go together under a name."""

    name: str
    settings: Settings
    places: dict[str, Place]  # of each setting
    place: Place
    label: str = ""  # for people: "{ccross} x {sub-elements}" is filled in with the settings as they are scaled
    measures: Mapping[str, Expression] = field(default_factory=dict)  # where they are had in another way for this value


@dataclass(frozen=True)
class Axis:
    name: str
    values: tuple[Value, ...]
    place: Place
    left_out: frozenset[str] = frozenset()  # names of values that the file has and the command line did not ask for


@dataclass(frozen=True)
class Measure:
    """Something that a run's report tells, and that experiments are compared by."""

    name: str
    value: Expression
    unit: str = "s"
    higher_is_better: bool = False
    shown: bool = False  # only told, not compared: counts
    optional: bool = False  # some ways have none of it
    place: Place = NOWHERE


@dataclass(frozen=True)
class Launch:
    """How ranks are started."""

    launcher: str = "mpirun"  # mpirun, srun, none, or template
    template: tuple[str, ...] = ()  # words with {ranks}, {ranks/2}, .. and the word {command}
    oversubscribe: bool = False  # more ranks than cores
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # more options, by openmpi, mpich, srun
    place: Place = NOWHERE


@dataclass(frozen=True)
class PaperValue:
    """What the paper measured: a mean, and its spread where that is told."""

    choice: Mapping[str, str]  # axis: name of the value it was measured at
    measure: str
    mean: float
    spread: float | None = None


@dataclass(frozen=True)
class PaperRatio:
    """What the paper says of one way against another, where it gives no values."""

    choice: Mapping[str, str]
    against: str
    measure: str
    ratio: float | None  # of times, or whatever the measure is; nothing: only the direction is told
    direction: str  # faster, slower or same
    where: str = ""
    words: str = ""


@dataclass(frozen=True)
class Paper:
    cite: str
    where: str
    values: tuple[PaperValue, ...] = ()
    ratios: tuple[PaperRatio, ...] = ()
    why: Mapping[str, str] = field(default_factory=dict)  # measure: why ours may go another way


@dataclass(frozen=True)
class ReportWishes:
    compare: str  # the axis whose values are compared
    baseline: str
    answers: tuple[str, ...]  # the measures that the answer is about
    total: str = ""  # measures are parts of this one, and stacked in plots; "": they stand alone
    lines: str = ""  # the axis along which lines are drawn; "": bars
    x: Expression | None = None  # where on the axis of lines a run lies
    x_label: str = ""
    would_change: str = ""

    @property
    def answer(self) -> str:
        return self.answers[0]


@dataclass(frozen=True)
class Campaign:
    title: str
    question: str
    axes: tuple[Axis, ...]
    measures: tuple[Measure, ...]
    report: ReportWishes
    place: Place  # of [run]
    reproduces: str = ""
    kernel: str = ""  # weft run KERNEL, or
    program: tuple[str, ...] = ()  # any other that prints one JSON object
    options: Settings = field(default_factory=dict)
    option_places: Mapping[str, Place] = field(default_factory=dict)
    launch: Launch = Launch()
    repeats: int = 3
    seed: int = 1
    order: str = "all"  # or rounds: each setting once, then each once more
    pause: float = 0.0
    cache: str = "warm"
    timeout: float = 3600.0
    takes: float | None = None  # a guess at what one run takes
    scale: float = 1.0
    room: Expression | None = None  # bytes that a run needs in its folder
    rehearse: Settings | None = None  # settings that make a run tiny, to try options with
    keep: bool = False
    checks: Mapping[str, Expression] = field(default_factory=dict)
    check_commands: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    check_places: Mapping[str, Place] = field(default_factory=dict)  # of both
    paper: Paper | None = None

    @property
    def runs(self) -> str:
        """What is run, in words: results of something else are not this campaign's."""
        return f"weft run {self.kernel}" if self.kernel else " ".join(self.program)
