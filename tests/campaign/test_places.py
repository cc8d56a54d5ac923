"""Every key of a TOML file has its line."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from weft.campaign.toml_places import places_of

SAMPLE = """\
# a comment with [brackets] and "quotes"
title = "a # b ] } ="
text = \"\"\"
several
lines with \\" and "" and [table]
\"\"\"\"
literal = '''
x = 1
''' # behind
[run]
"odd key" . 'other' = 1
numbers = [ 1, # one
            2,
            [3, 4] ]
inline = { a = 1, b = { c = "}" }, d = [ { e = 1 }, { e = 2 } ] }

[[way]]
name = "x"
[way.deep]
x = 1979-05-27T07:32:00Z
[[way]]
name = "y"
[[way.part]]
z = true
"""


def all_paths(data: Any, path: tuple[str | int, ...] = ()) -> set[tuple[str | int, ...]]:
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else []
    return {p for key, value in items for p in ({(*path, key)} | all_paths(value, (*path, key)))}


def test_the_lines_of_a_sample() -> None:
    places = places_of(SAMPLE)
    assert places["title",] == 2
    assert places["text",] == 3
    assert places["literal",] == 7
    assert places["run",] == 10
    assert places["run", "odd key", "other"] == 11
    assert [places["run", "numbers", i] for i in range(3)] == [12, 13, 14]
    assert places["run", "numbers", 2, 1] == 14
    assert places["run", "inline", "d", 1, "e"] == 15
    assert [places["way", i] for i in range(2)] == [17, 21]
    assert places["way", 0, "deep", "x"] == 20
    assert places["way", 1, "part", 0, "z"] == 24
    assert set(places) == all_paths(tomllib.loads(SAMPLE))


def test_windows_line_ends() -> None:
    assert places_of(SAMPLE.replace("\n", "\r\n")) == places_of(SAMPLE)


KEYS = st.text(alphabet="abz-_09", min_size=1, max_size=4) | st.sampled_from(['"a b"', "'c.d'", '"\\u0041"', '"\\""'])
SCALARS = st.sampled_from(
    [
        "1",
        "-0.5",
        "true",
        '"text"',
        '"#]}"',
        "'it\\'",
        '"""a\nb"""',
        "'''\n# c\n'''",
        "1979-05-27",
        '"\\\\"',
        '""',
        "''",
    ]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda items: "[" + ",\n ".join(items) + "]")
        | st.dictionaries(st.text(alphabet="xyz", min_size=1, max_size=2), inner, max_size=3).map(
            lambda items: "{" + ", ".join(f"{key} = {value}" for key, value in items.items()) + "}"
        )
    ),
    max_leaves=6,
)


@given(st.lists(st.tuples(st.sampled_from(["", "[{}]\n", "[[{}]]\n", "# {}\n"]), KEYS, KEYS, VALUES), max_size=6))
def test_whatever_tomllib_reads_has_its_places(statements: list[tuple[str, str, str, str]]) -> None:
    text = "".join(f"{header.format(table)}{key} = {value}\n" for header, table, key, value in statements)
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return  # keys that come twice
    places = places_of(text)
    assert set(places) == all_paths(data)
    assert all(1 <= line <= text.count("\n") for line in places.values())
