"""Where the keys of a TOML file stand, which tomllib does not tell: so that an error can name the line.

The text must have passed tomllib; only its structure is read here, values are passed over.

    [run]              ("run",): 1
    kernel = "ecg"     ("run", "kernel"): 2
    [[matrix.way]]     ("matrix", "way", 0): 3
    hint = ["a=1",     ("matrix", "way", 0, "hint"): 4, (.., "hint", 0): 4
            "b=2"]     (.., "hint", 1): 5
"""

from __future__ import annotations

import json
import re

Path = tuple[str | int, ...]

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
BARE_VALUE = re.compile(r"[^,\]}#\n]+")


def places_of(text: str) -> dict[Path, int]:
    """The line (from 1) of every table, key and element of an array."""
    return _Reader(text.replace("\r\n", "\n")).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.line = 1
        self.places: dict[Path, int] = {}
        self.lengths: dict[Path, int] = {}  # of arrays of tables

    def read(self) -> dict[Path, int]:
        table: Path = ()
        while self._next():
            if self.text.startswith("[[", self.at):
                self._go(2)
                table = self._header(self._keys(), repeated=True)
                self._go(2)
            elif self.text[self.at] == "[":
                self._go(1)
                table = self._header(self._keys(), repeated=False)
                self._go(1)
            else:
                self._pair(table)
        return self.places

    def _header(self, keys: list[str], repeated: bool) -> Path:
        path: Path = ()
        for number, key in enumerate(keys):
            path = (*path, key)
            self.places.setdefault(path, self.line)
            last = number + 1 == len(keys)
            if last and repeated:
                self.lengths[path] = self.lengths.get(path, 0) + 1
            if path in self.lengths:  # a name below an array of tables means the last of them
                path = (*path, self.lengths[path] - 1)
                self.places.setdefault(path, self.line)
        return path

    def _pair(self, table: Path) -> None:
        path = table
        for key in self._keys():
            path = (*path, key)
            self.places.setdefault(path, self.line)
        self._blank()
        self._go(1)  # =
        self._blank()
        self._value(path)

    def _value(self, path: Path) -> None:
        start = self.text[self.at]
        if start in "\"'":
            self._string()
        elif start == "[":
            self._go(1)
            for number in range(len(self.text)):
                if not self._next() or self.text[self.at] == "]":
                    break
                self.places[(*path, number)] = self.line
                self._value((*path, number))
                self._comma()
            self._go(1)
        elif start == "{":
            self._go(1)
            while self._next() and self.text[self.at] != "}":
                self._pair(path)
                self._comma()
            self._go(1)
        else:
            match = BARE_VALUE.match(self.text, self.at)
            self._go(len(match[0]) if match else 1)

    def _comma(self) -> None:
        if self._next() and self.text[self.at] == ",":
            self._go(1)

    def _keys(self) -> list[str]:
        """A dotted key: a."b c".d -> ["a", "b c", "d"]."""
        keys = []
        while True:
            self._blank()
            if self.text[self.at] in "\"'":
                literal = self._string()
                keys.append(literal[1:-1] if literal[0] == "'" else _unescaped(literal))
            else:
                match = BARE_KEY.match(self.text, self.at)
                assert match, f"line {self.line}: no key"
                keys.append(match[0])
                self._go(len(match[0]))
            self._blank()
            if self.text[self.at] != ".":
                return keys
            self._go(1)

    def _string(self) -> str:
        """Passes over a string of any of the four kinds, and returns it as it stands, quotes and all."""
        begin = self.at
        quote = self.text[self.at]
        if self.text.startswith(quote * 3, self.at):
            self._go(3)
            while not self.text.startswith(quote * 3, self.at):
                self._go(2 if quote == '"' and self.text[self.at] == "\\" else 1)
            while self.text.startswith(quote * 4, self.at):  # up to two quotes may stand before the closing three
                self._go(1)
            self._go(3)
        else:
            self._go(1)
            while self.text[self.at] != quote:
                self._go(2 if quote == '"' and self.text[self.at] == "\\" else 1)
            self._go(1)
        return self.text[begin : self.at]

    def _next(self) -> bool:
        """On to what is no blank, newline or comment; whether there is anything."""
        while self.at < len(self.text):
            letter = self.text[self.at]
            if letter == "#":
                end = self.text.find("\n", self.at)
                self._go((end if end >= 0 else len(self.text)) - self.at)
            elif letter in " \t\n":
                self._go(1)
            else:
                return True
        return False

    def _blank(self) -> None:
        while self.text[self.at] in " \t":
            self._go(1)

    def _go(self, letters: int) -> None:
        self.line += self.text.count("\n", self.at, self.at + letters)
        self.at += letters


def _unescaped(literal: str) -> str:
    """A basic string's text. TOML's escapes are JSON's, and \\UXXXXXXXX."""
    plain = re.sub(r"\\U([0-9A-Fa-f]{8})", lambda match: chr(int(match[1], 16)), literal)
    return str(json.loads(plain, strict=False))
