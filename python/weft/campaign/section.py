"""A table of a campaign's file, read key by key: whatever is wrong is told with its line, also a key nobody asks for.

section = Document.parse("a.toml", text).top
title = section.text("title")
section.section("run").whole("repeats", 3)
section.done()            # a.toml:3: unknown key 'qestion'; did you mean 'question'?
"""

from __future__ import annotations

import difflib
import math
import re
import tomllib
from collections.abc import Callable, Iterable
from typing import Any, NoReturn, TypeVar

from weft.campaign.expressions import Expression
from weft.campaign.model import Place, Setting
from weft.campaign.toml_places import Path, places_of
from weft.errors import UsageError
from weft.quantities import LONGEST, parse_seconds

T = TypeVar("T")

ENDLESS_DIGITS = re.compile(r"\d[\d_]{4000,}")  # Python turns no more of them into an integer


def nearest(word: str, known: Iterable[str]) -> str:
    """What to do about an unknown word: "did you mean 'x'?", or what there is."""
    known = sorted(known)
    close = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else f"there is {', '.join(known)}" if known else ""


class Document:
    def __init__(self, file: str, data: dict[str, Any], places: dict[Path, int]) -> None:
        self.file = file
        self.data = data
        self.places = places

    @staticmethod
    def parse(file: str, text: str) -> Document:
        try:
            data = tomllib.loads(text)
            places = places_of(text)
        except tomllib.TOMLDecodeError as error:
            # "Expected '=' after a key in a key/value pair (at line 3, column 7)"
            what, _, position = str(error).rpartition(" (at ")
            line = position.removeprefix("line ").split(",")[0].rstrip(")")
            where = f"{file}:{line if line.isdigit() else len(text.splitlines())}"
            raise UsageError(where, f"not TOML: {what or error}") from None
        except RecursionError:
            raise UsageError(f"{file}:{_deepest_line(text)}", "brackets are nested too deep", "close some") from None
        except ValueError as error:  # tomllib lets it pass, and has no line
            found = ENDLESS_DIGITS.search(text)
            above = text.count("\n", 0, found.start() if found else 0)
            raise UsageError(
                f"{file}:{above + 1}", "the number is too large" if found else f"not TOML: {error}"
            ) from None
        document = Document(file, data, places)
        document.check_numbers()
        return document

    def check_numbers(self) -> None:
        """Once for all: TOML's integers have 64 bits, and nothing can be done infinitely often."""
        left: list[tuple[Path, Any]] = [((), self.data)]
        while left:
            path, value = left.pop()
            inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
            left += [((*path, key), each) for key, each in inner]
            name = next((part for part in reversed(path) if isinstance(part, str)), "")
            if isinstance(value, float) and not math.isfinite(value):
                raise UsageError(str(self.place(path)), f"{name} = {value} is not finite", "write a number")
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                raise UsageError(str(self.place(path)), f"{name}: the number is too large", "write one of 64 bits")

    def place(self, path: Path) -> Place:
        while path and path not in self.places:
            path = path[:-1]
        return Place(self.file, self.places.get(path, 1))

    @property
    def top(self) -> Section:
        return Section(self, (), self.data)


class Section:
    def __init__(self, document: Document, path: Path, table: dict[str, Any]) -> None:
        self.document = document
        self.path = path
        self.table = table
        self.asked: list[str] = []

    def place(self, key: str | None = None) -> Place:
        return self.document.place(self.path if key is None else (*self.path, key))

    def fail(self, key: str | None, what: str, remedy: str = "") -> NoReturn:
        raise UsageError(str(self.place(key)), what, remedy)

    def has(self, key: str) -> bool:
        if key not in self.asked:
            self.asked.append(key)
        return key in self.table

    def _take(self, key: str, default: T | None, read: Callable[[Any], T], example: str) -> T:
        if not self.has(key):
            if default is None:
                self.fail(None, f"'{key}' is missing{self._in_table()}", f"write {key} = {example}")
            return default
        try:
            return read(self.table[key])
        except (TypeError, KeyError):
            self.fail(key, f"{key} = {self.table[key]!r} is not what is wanted", f"write it as in {key} = {example}")
        except ValueError as error:
            self.fail(key, f"{key}: {error}")

    def _in_table(self) -> str:
        names = [str(part) for part in self.path if isinstance(part, str)]
        return f" in [{'.'.join(names)}]" if names else ""

    def text(self, key: str, default: str | None = None, example: str = '"words"') -> str:
        return self._take(key, default, lambda value: " ".join(_is(value, str).split()), example)

    def flag(self, key: str, default: bool) -> bool:
        return self._take(key, default, lambda value: _is(value, bool), "true")

    def whole(self, key: str, default: int | None = None, least: int = 0) -> int:
        value = self._take(key, default, lambda value: _is(value, int), str(max(least, 1)))
        if value < least:
            self.fail(key, f"{key} = {value} is less than {least}")
        return value

    def positive(self, key: str, default: float, most: float = math.inf) -> float:
        value = self._take(key, default, _number, "0.5")
        if not value > 0:
            self.fail(key, f"{key} = {value} is not above 0")
        if value > most:
            self.fail(key, f"{key} = {value} is more than {most:g}")
        return value

    def seconds(self, key: str, default: float) -> float:
        value = self._take(
            key, default, lambda value: _number(value) if not isinstance(value, str) else parse_seconds(value), '"2s"'
        )
        if not 0 <= value <= LONGEST:
            self.fail(key, f"{key} = {value} is not between 0 and a year", f'write it as in {key} = "2s"')
        return value

    def one_of(self, key: str, known: Iterable[str], default: str) -> str:
        value = self.text(key, default)
        if value not in (known := list(known)):
            self.fail(key, f"{key} = '{value}' is not known", nearest(value, known))
        return value

    def words(self, key: str, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        return self._take(key, default, lambda value: tuple(_is(word, str) for word in _is(value, list)), '["a", "b"]')

    def expression(self, key: str) -> Expression:
        return self._take(key, None, lambda value: Expression(_is(value, str)), '"seconds.output"')

    def section(self, key: str) -> Section:
        """The table of that name; an empty one where there is none."""
        return Section(self.document, (*self.path, key), self._take(key, {}, lambda value: _is(value, dict), "a table"))

    def sections(self, key: str) -> list[Section]:
        tables: list[dict[str, Any]] = self._take(key, [], _tables, "[[a table]]")
        return [Section(self.document, (*self.path, key, i), table) for i, table in enumerate(tables)]

    def rest(self) -> list[str]:
        """Keys that nobody has asked for, now asked for."""
        keys = [key for key in self.table if key not in self.asked]
        self.asked += keys
        return keys

    def done(self) -> None:
        """No key may be left."""
        known = set(self.asked) - set(self.table)
        for key in self.rest():
            self.fail(key, f"unknown key '{key}'{self._in_table()}", nearest(key, known))


def _deepest_line(text: str) -> int:
    """Where most brackets are open, those in strings and comments among them."""
    line = found = 1
    depth = deepest = 0
    for letter in text:
        line += letter == "\n"
        depth += (letter in "[{") - (letter in "]}")
        if depth > deepest:
            deepest, found = depth, line
    return found


def setting_of(value: Any) -> Setting:
    """Raises TypeError for what no option can be set to."""
    if isinstance(value, list):
        if not value or any(isinstance(item, bool) or not isinstance(item, (str, int, float)) for item in value):
            raise TypeError
        return value
    if isinstance(value, (str, int, float, bool)):
        return value
    raise TypeError


def _is(value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError
    return value


def _tables(value: Any) -> list[dict[str, Any]]:
    return [_is(table, dict) for table in _is(value, list)]


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError
    return float(value)
