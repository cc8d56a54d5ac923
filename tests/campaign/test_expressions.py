"""What may be said of a report, and what may not."""

from __future__ import annotations

import pytest
from weft.campaign.expressions import Expression, names_for

REPORT = {
    "seconds": {"output": 3.0, "raw": 1.5, "each": [1.0, 2.0, 9.0]},
    "as_planned": True,
    "bytes": 48,
    "kernel": "ecg",
    "endless": float("inf"),
    "huge": 10**400,
    "none": [],
    "names": ["ecg"],
}
NAMES = names_for(REPORT, {"nodes": 3, "sub-elements": 2})


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("seconds.output", 3.0),
        ("seconds.output / seconds.raw", 2.0),
        ("seconds.output - 2 * seconds.raw + -1", -1.0),
        ("(1 + 2) * 3 % 5", 4),
        ("median(seconds.each)", 2.0),
        ("max(seconds.each) - min(seconds.each)", 8.0),
        ("bytes == settings.nodes * 16", True),
        ("4 ** settings.sub_elements", 16),
        ("as_planned and not bytes < 10", True),
        ("1 < settings.nodes <= 3 or kernel == 'mhm'", True),
        ("1 < 2 < 2", False),
    ],
)
def test_values(text: str, value: object) -> None:
    assert Expression(text).evaluate(NAMES) == value


@pytest.mark.parametrize(
    "text",
    ["", "1 +", "open('file')", "__import__('os')", "seconds['output']", "lambda: 1", "[1]", "a if b else c",
     "median(seconds.each, 2)", "f'{bytes}'"],
)  # fmt: skip
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not an expression|cannot be used here"):
        Expression(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("seconds.inptu", "the report has no 'seconds.inptu'"),
        ("bytes.more", "the report has no 'bytes.more'"),
        ("bytes / 0", "has no value: division by zero"),
        ("kernel + 1", "has no value"),
        ("10 ** 10 ** 10", "has no value: .* is not a number that can be computed"),
        ("(0 - 8) ** 0.5", "has no value: .* is not a number that can be computed"),
        ("'x' * 10 ** 12", "has no value: 'x' is not a number"),
        ("kernel + kernel", "has no value: 'ecg' is not a number"),
        ("1e308 * 10", "is not finite: inf"),
        ("endless - endless", "is not finite: nan"),
        ("huge", "is too large"),
        ("huge / 2", "has no value"),
        ("max(none)", "is not a list of numbers"),
        ("sum(bytes)", "is not a list of numbers"),
        ("min(names)", "'ecg' is not a number"),
        ("not " * 900 + "bytes", "has no value|is nested too deep|is not a number"),
        ("kernel", "is not a number but 'ecg'"),
        ("as_planned", "is not a number but True"),
    ],
)
def test_what_has_no_number(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Expression(text).number(NAMES)
