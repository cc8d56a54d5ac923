from __future__ import annotations

import math

import pytest
from weft.quantities import format_bytes, format_duration, format_number, parse_bytes, parse_seconds


@pytest.mark.parametrize(
    ("text", "count"),
    [("4096", 4096), ("1MiB", 2**20), ("1.5 GB", 1_500_000_000), ("256k", 256 * 1024), ("128KiB", 131072), ("7 B", 7)],
)
def test_sizes_are_those_of_weft(text: str, count: int) -> None:
    assert parse_bytes(text) == count


@pytest.mark.parametrize("text", ["", "big", "-1", "1 XB", "MiB", "1e400x", "8388608TiB", "9" * 400])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a number of bytes|is more than any file has"):
        parse_bytes(text)


def test_times() -> None:
    assert [parse_seconds(text) for text in ("2", "500ms", "2min", "1.5 h")] == [2.0, 0.5, 120.0, 5400.0]
    with pytest.raises(ValueError, match="is not a duration"):
        parse_seconds("soon")
    for text in ("9" * 400, "8785h"):
        with pytest.raises(ValueError, match="is longer than a year"):
            parse_seconds(text)


def test_as_people_read_them() -> None:
    assert [format_bytes(n) for n in (16, 1048544, 7.9e9)] == ["16 B", "1.0 MiB", "7.4 GiB"]
    assert [format_duration(s) for s in (0.31, 2, 75, 120, 4000, 7200)] == [
        "0.3 s", "2 s", "1 min 15 s", "2 min", "1 h 7 min", "2 h",
    ]  # fmt: skip
    numbers = {0: "0", 1234.5: "1,234", 12.345: "12.3", 9.996: "10.0", 0.01234: "0.0123", 0.099996: "0.100",
               1e-9: "1.00e-09", -2.5: "-2.50", 100.4: "100", math.nan: "nan"}  # fmt: skip
    assert {value: format_number(value) for value in numbers} == numbers
