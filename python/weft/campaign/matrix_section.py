"""The matrix of a campaign's file: axes, and what their values set.

    [matrix]
    ranks = [2, 4]                  each value sets the option of the axis' own name

    [[matrix.way]]                  a value that sets several options, under a name
    name = "default chunks"
    layout = "rows"
    strategy = "per-step"

Three names are the engine's and no option of the run: ranks, folder and program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from weft.campaign.expressions import Expression
from weft.campaign.model import Axis, Place, Setting, Settings, Value
from weft.campaign.scaling import is_scaled, scaled
from weft.campaign.section import Section, setting_of
from weft.errors import UsageError

# A value as the command line gives it: a setting, or (for folders) a name and the setting it stands for.
AxisWish = Setting | tuple[str, Setting]

NAME_IN_LABEL = re.compile(r"\{([^{}]*)\}")
DEFAULT_FOLDER = Value("work", {"folder": ""}, {}, Place("--folder", 0), "work")


def read_setting(section: Section, key: str, scale: float) -> Setting:
    raw = section.table[key]
    section.has(key)
    try:
        return scaled(raw, scale) if is_scaled(raw) else setting_of(raw)
    except TypeError:
        section.fail(
            key, f"{key} = {raw!r} is not a setting", "write a text, a number, true, false or a list of one kind"
        )
    except ValueError as error:
        section.fail(key, f"{key}: {error}")


def read_settings(section: Section, scale: float, axis: str = "") -> tuple[Settings, dict[str, Place]]:
    """All keys of a section that have not been asked for. `axis`: whose value they are."""
    keys = section.rest()
    if "folder" in keys and axis != "folder":  # each folder is prepared, and told, as a value of its axis
        section.fail("folder", "folder is an axis of the matrix, and is set nowhere else",
                     'write [matrix] and folder = ["/scratch"]')  # fmt: skip
    return {key: read_setting(section, key, scale) for key in keys}, {key: section.place(key) for key in keys}


def read_axes(matrix: Section, scale: float, overrides: Mapping[str, Sequence[AxisWish]]) -> tuple[Axis, ...]:
    axes = []
    for name in matrix.rest():
        if name not in overrides:
            axes.append(_axis(matrix, name, scale))
        else:
            axes.append(_overridden(name, overrides[name], matrix, scale))
    for name in overrides:
        if name not in matrix.table:
            axes.append(_overridden(name, overrides[name], None, scale))
    if not axes:
        matrix.fail(None, "the matrix has no axis", 'write what is compared: [matrix] and strategy = ["a", "b"]')
    if not any(axis.name == "folder" for axis in axes):
        axes.append(Axis("folder", (DEFAULT_FOLDER,), matrix.place()))
    return tuple(axes)


def _axis(matrix: Section, name: str, scale: float) -> Axis:
    raw = matrix.table[name]
    if not isinstance(raw, list) or not raw:
        matrix.fail(name, f"the axis '{name}' is not a list of values", f"write it as in {name} = [1, 2]")
    place = matrix.place(name)
    if all(isinstance(item, dict) and not is_scaled(item) for item in raw):
        values = tuple(_bundle(section, name, scale) for section in matrix.sections(name))
    else:
        values = tuple(
            _plain(name, item, scale, matrix.document.place((*matrix.path, name, i)), matrix)
            for i, item in enumerate(raw)
        )
    names = [value.name for value in values]
    for i, value in enumerate(values):
        if value.name in names[:i]:
            matrix.fail(name, f"the axis '{name}' has the value '{value.name}' twice", "leave one out")
    return Axis(name, values, place)


def _plain(axis: str, raw: Any, scale: float, place: Place, matrix: Section) -> Value:
    try:
        setting = scaled(raw, scale) if is_scaled(raw) else setting_of(raw)
    except (TypeError, ValueError) as error:
        raise UsageError(str(place), f"{axis}: {str(error) or f'{raw!r} is not a setting'}") from None
    # Named after the paper's size, whatever becomes of it here: so it finds its figures.
    name = str(raw["full"]) if is_scaled(raw) else name_of(setting)
    return Value(name, {axis: setting}, {axis: place}, place, name_of(setting))


def _bundle(section: Section, axis: str, scale: float) -> Value:
    name = section.text("name")
    label = section.text("label", name)
    measures: dict[str, Expression] = {}
    overridden = section.section("measure")
    for measure in overridden.rest():
        measures[measure] = overridden.expression(measure)
    settings, places = read_settings(section, scale, axis)
    if axis == "folder" and "folder" not in settings:
        section.fail(None, f"the folder '{name}' has no path", 'write folder = "/scratch"')
    if not set(NAME_IN_LABEL.findall(label)) <= settings.keys() or re.search(r"[{}]", NAME_IN_LABEL.sub("", label)):
        section.fail("label", f"label = '{label}' names what this value does not set", f"it sets {', '.join(settings)}")
    label = NAME_IN_LABEL.sub(lambda match: name_of(settings[match[1]]), label)
    return Value(name, settings, places, section.place(), label, measures)


def _overridden(name: str, wishes: Sequence[AxisWish], matrix: Section | None, scale: float) -> Axis:
    """An axis as the command line has it; a name that the file has stands for the file's value, but for the path that
    a folder is given there."""
    folders = any(isinstance(wish, tuple) for wish in wishes)
    place = Place("--folder" if folders else f"--set {name}", 0)
    known = {value.name: value for value in _axis(matrix, name, scale).values} if matrix else {}
    values: dict[str, Value] = {}
    for wish in wishes:
        label, setting = wish if isinstance(wish, tuple) else (name_of(wish), wish)
        if label in values:
            raise UsageError(str(place), f"has the value '{label}' twice",
                             "give each a name: --folder NAME=PATH" if folders else "leave one out")  # fmt: skip
        value = known.get(label, Value(label, {name: setting}, {name: place}, place, label))
        if isinstance(wish, tuple):
            value = replace(
                value, settings={**value.settings, name: setting}, places={**value.places, name: place}, place=place
            )
        values[label] = value
    return Axis(name, tuple(values.values()), place, frozenset(known) - values.keys())


def name_of(setting: Setting) -> str:
    """What a value of an axis is called where nothing else is said: also by the paper's figures."""
    if isinstance(setting, bool):
        return "yes" if setting else "no"
    return ", ".join(map(str, setting)) if isinstance(setting, list) else str(setting)
