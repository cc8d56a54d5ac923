"""A campaign's file, read and checked: every key is known, every name means something. docs/campaigns.md describes it.

Reading the matrix is in matrix_section.py, the paper's figures in paper_section.py.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TypeVar

from weft.campaign.expressions import Expression
from weft.campaign.matrix_section import AxisWish, read_axes, read_settings
from weft.campaign.model import Axis, Campaign, Launch, Measure, Place, ReportWishes
from weft.campaign.paper_section import read_paper
from weft.campaign.scaling import MOST_SCALE
from weft.campaign.section import Document, Section, nearest
from weft.errors import UsageError

T = TypeVar("T")

LAUNCHERS = ("mpirun", "srun", "none")
MOST_EXPERIMENTS = 100_000
DEFAULT_MEASURE = Measure("output", Expression("seconds.output"))


@dataclass(frozen=True)
class Overrides:
    """What the command line says instead of the file."""

    scale: float | None = None
    repeats: int | None = None
    seed: int | None = None
    pause: float | None = None
    launcher: str | None = None
    keep: bool = False
    axes: Mapping[str, Sequence[AxisWish]] = field(default_factory=dict)  # --set ranks=2,4; --folder


def read_campaign_file(path: FilePath, overrides: Overrides = Overrides()) -> Campaign:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(str(path), f"cannot be read: {error.strerror}", "name a campaign's file") from None
    except UnicodeDecodeError:
        raise UsageError(str(path), "is not text in UTF-8") from None
    return parse_campaign(str(path), text, overrides)


def parse_campaign(file: str, text: str, overrides: Overrides = Overrides()) -> Campaign:
    """Pure. Raises UsageError, whose line names the file and the line in it."""
    top = Document.parse(file, text).top
    title = top.text("title")
    question = top.text("question")
    reproduces = top.text("reproduces", "")
    run = top.section("run")
    kernel, program = _what_runs(run)
    scale = _first(overrides.scale, run.positive("scale", 1.0, MOST_SCALE))
    options, option_places = read_settings(top.section("options"), scale)
    axes = read_axes(top.section("matrix"), scale, overrides.axes)
    measures = _measures(top)
    report = _report(top.section("report"), axes, measures)
    checks, check_commands, check_places = _checks(top.section("checks"))
    repeats = _first(overrides.repeats, run.whole("repeats", 3, least=1))
    _check_count(axes, repeats, "--repeats" if overrides.repeats is not None else str(run.place("repeats")))
    campaign = Campaign(
        title=title,
        question=question,
        reproduces=reproduces,
        axes=axes,
        measures=measures,
        report=report,
        place=run.place("kernel" if kernel else "program"),
        kernel=kernel,
        program=program,
        options=options,
        option_places=option_places,
        launch=_launch(run, top.section("launch"), overrides.launcher),
        repeats=repeats,
        seed=_first(overrides.seed, run.whole("seed", 1)),
        order=run.one_of("order", ["all", "rounds"], "all"),
        pause=_first(overrides.pause, run.seconds("pause", 0.0)),
        cache=run.one_of("cache", ["warm", "cold"], "warm"),
        timeout=_timeout(run),
        takes=run.seconds("takes", 0.0) * scale or None,
        scale=scale,
        room=run.expression("room") if run.has("room") else None,
        rehearse=read_settings(run.section("rehearse"), 1.0)[0] if run.has("rehearse") else None,
        keep=overrides.keep or run.flag("keep", False),
        checks=checks,
        check_commands=check_commands,
        check_places=check_places,
        paper=read_paper(top.section("paper"), axes, measures, report) if top.has("paper") else None,
    )
    run.done()
    top.done()
    return campaign


def _first(wished: T | None, written: T) -> T:
    return written if wished is None else wished


def _check_count(axes: tuple[Axis, ...], repeats: int, where: str) -> None:
    settings = math.prod(len(axis.values) for axis in axes)
    if settings * repeats > MOST_EXPERIMENTS:
        raise UsageError(where, f"{settings} settings, each {repeats} times, are more than {MOST_EXPERIMENTS:,} experiments",
                         "ask for fewer repeats, or fewer values of an axis")  # fmt: skip


def _timeout(run: Section) -> float:
    timeout = run.seconds("timeout", 3600.0)
    if timeout == 0:
        run.fail("timeout", "timeout = 0 leaves no time to run", 'write it as in timeout = "10min"')
    return timeout


def _what_runs(run: Section) -> tuple[str, tuple[str, ...]]:
    kernel = run.text("kernel", "")
    program = run.words("program")
    if bool(kernel) == bool(program):
        run.fail(
            "kernel" if kernel else None, "[run] needs a kernel or a program, and not both", 'write kernel = "ecg"'
        )
    return kernel, program


def _launcher_said(words: str) -> tuple[str, tuple[str, ...]]:
    """A launcher as the command line names it, or as its own words."""
    if words in LAUNCHERS:
        return words, ()
    try:
        template = tuple(shlex.split(words))
    except ValueError as error:
        raise UsageError("--launcher", f"'{words}': {error}") from None
    if "{command}" not in template:
        raise UsageError("--launcher", f"'{words}' has no word '{{command}}', and is none of {', '.join(LAUNCHERS)}",
                         "write it as in --launcher 'mpirun -n {ranks} {command}'")  # fmt: skip
    return "template", template


def _launch(run: Section, section: Section, override: str | None) -> Launch:
    place = run.place("launcher")
    template: tuple[str, ...] = ()
    if isinstance(run.table.get("launcher"), list):
        launcher, template = "template", run.words("launcher")
        if "{command}" not in template:
            run.fail("launcher", "the launcher's words have no '{command}' among them",
                     'write it as in ["mpirun", "-n", "{ranks}", "{command}"]')  # fmt: skip
    else:
        launcher = run.one_of("launcher", LAUNCHERS, "mpirun")
    if override is not None:
        launcher, template, place = *_launcher_said(override), Place("--launcher", 0)
    launch = Launch(
        launcher=launcher,
        template=template,
        oversubscribe=section.flag("oversubscribe", False),
        options={name: section.words(name) for name in ("openmpi", "mpich", "srun")},
        place=place,
    )
    section.done()
    return launch


def _measures(top: Section) -> tuple[Measure, ...]:
    measures: list[Measure] = []
    for section in top.sections("measure"):
        shown = section.flag("shown", False)
        measure = Measure(
            name=section.text("name"),
            value=section.expression("value"),
            unit=section.text(
                "unit", "" if shown else "s"
            ),  # what is compared is mostly a time, what is told mostly a count
            higher_is_better=section.one_of("better", ["lower", "higher"], "lower") == "higher",
            shown=shown,
            optional=section.flag("optional", False),
            place=section.place("value"),
        )
        if any(other.name == measure.name for other in measures):
            section.fail("name", f"there are two measures '{measure.name}'", "give each a name of its own")
        section.done()
        measures.append(measure)
    if all(measure.shown for measure in measures):
        measures.insert(0, DEFAULT_MEASURE)
    return tuple(measures)


def _report(section: Section, axes: tuple[Axis, ...], measures: tuple[Measure, ...]) -> ReportWishes:
    names = [axis.name for axis in axes]
    compare = section.text("compare", names[0])
    if compare not in names:
        section.fail("compare", f"compare = '{compare}' is not an axis of the matrix", nearest(compare, names))
    values = [value.name for value in next(axis for axis in axes if axis.name == compare).values]
    baseline = section.text("baseline", values[0])
    if baseline not in values:
        section.fail("baseline", f"baseline = '{baseline}' is not a value of '{compare}'", nearest(baseline, values))
    lines = section.text("lines", "")
    if lines and lines not in names:
        section.fail("lines", f"lines = '{lines}' is not an axis of the matrix", nearest(lines, names))
    compared = [measure.name for measure in measures if not measure.shown]
    total = section.text("total", "")
    if total in compared:
        section.fail("total", f"total = '{total}' is the name of a measure", "name the sum of them otherwise")
    if total and len({(m.unit, m.higher_is_better) for m in measures if not m.shown}) > 1:
        section.fail("total", "measures of different units have no sum", "leave total out")
    if total and any(m.optional for m in measures if not m.shown):
        section.fail("total", "measures that some ways do not have make no whole", "leave total or optional out")
    if isinstance(section.table.get("answer"), list):
        answers = section.words("answer")
    else:
        answers = (section.text("answer", total or compared[0]),)
    known = [*compared, total] if total else compared
    for answer in answers or ("",):
        if answer not in known:
            section.fail("answer", f"answer = '{answer}' is not a measure that is compared", nearest(answer, known))
    wishes = ReportWishes(
        compare=compare,
        baseline=baseline,
        answers=answers,
        total=total,
        lines=lines,
        x=section.expression("x") if section.has("x") else None,
        x_label=section.text("x-label", ""),
        would_change=section.text("would-change", ""),
    )
    if lines and wishes.x is None:
        section.fail("lines", "where do the values of this axis lie?", 'write x = "bytes / 1e6" and x-label = "MB"')
    section.done()
    return wishes


def _checks(section: Section) -> tuple[dict[str, Expression], dict[str, tuple[str, ...]], dict[str, Place]]:
    """An expression that must be true of the report, or a command that must end with 0; and where each is written."""
    expressions: dict[str, Expression] = {}
    commands: dict[str, tuple[str, ...]] = {}
    places: dict[str, Place] = {}
    for name in section.rest():
        places[name] = section.place(name)
        if isinstance(section.table[name], list):
            commands[name] = section.words(name)
        else:
            expressions[name] = section.expression(name)
    return expressions, commands, places
