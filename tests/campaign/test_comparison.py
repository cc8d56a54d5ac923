"""What is told apart, what is said of it, and where the paper agrees."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

import pytest
from weft.campaign.campaign_file import Overrides, parse_campaign
from weft.campaign.model import Campaign
from weft.report.answers import answer
from weft.report.beside_paper import agreement, beside, direction
from weft.report.comparison import compare_all, letters_of
from weft.report.samples import Samples, samples_of
from weft.report.tables import values_table
from weft.report.wording import Doings, agreement_words, ratio_words, times, what_would_change_it

CAMPAIGN = """\
title = "t"
question = "q"
[run]
kernel = "ecg"
[matrix]
size = [1, 2]
[[matrix.way]]
name = "old"
[[matrix.way]]
name = "new"
label = "new chunks"
[[matrix.way]]
name = "odd"
[report]
compare = "way"
[[measure]]
name = "output"
value = "seconds.output"
[paper]
cite = "A paper"
where = "a cluster"
[[paper.values]]
way = "old"
size = 1
output = [100, 2]
[[paper.values]]
way = "new"
size = 1
output = [50, 2]
[[paper.values]]
way = "odd"
size = 1
output = [101, 2]
"""
NOISE = [1.0, 1.06, 0.95, 1.02, 0.98]
OTHER_NOISE = [1.03, 0.97, 1.01, 0.96, 1.05]


def result(choice: Mapping[str, str], repeat: int, seconds: float | None, load: float = 0.1) -> dict[str, Any]:
    told: dict[str, Any] = {"key": f"{choice} #{repeat}", "choice": choice, "labels": {**choice, "way": choice["way"].replace("new", "new chunks")}, "repeat": repeat, "load": load,
                            "settings": {"ranks": 2}, "status": "failed", "message": "no"}  # fmt: skip
    if seconds is not None:
        told |= {"status": "ok", "report": {"seconds": {"output": seconds}}}
    return told


def campaign(text: str = CAMPAIGN) -> Campaign:
    return parse_campaign("t.toml", text)


def samples(seconds: Mapping[tuple[str, str], Sequence[float | None]], text: str = CAMPAIGN) -> Samples:
    results = [
        result({"size": size, "way": way, "folder": "work"}, repeat, value)
        for (size, way), values in seconds.items()
        for repeat, value in enumerate(values, 1)
    ]
    return samples_of(campaign(text), results)


def of_one_size(**factors: float) -> Samples:
    """Ways that take so many times the noise of 5 repeats; every way has noise of its own."""
    noises = [NOISE, OTHER_NOISE, NOISE[::-1]]
    return samples(
        {("1", way): [f * n for n in noise] for (way, f), noise in zip(factors.items(), noises, strict=False)}
    )


def test_a_difference_and_none() -> None:
    (compared,) = compare_all(of_one_size(old=1.0, new=0.5, odd=1.0))
    assert [(c.way, c.verdict, c.letters) for c in compared.ways] == [
        ("old", "baseline", "b"), ("new", "better", "a"), ("odd", "within the noise", "b"),
    ]  # fmt: skip
    assert [c.way for c in compared.leaders] == ["new"]


def test_what_cannot_be_told_apart_is_not_ranked() -> None:
    found = of_one_size(old=1.0, new=0.99, odd=1.01)
    (compared,) = compare_all(found)
    assert {c.letters for c in compared.ways} == {"a"} and len(compared.leaders) == 3
    assert "cannot be told apart by their output" in answer(found, [compared])
    assert "least" not in answer(found, [compared])


def test_letters() -> None:
    apart = frozenset({frozenset("ac")})
    assert letters_of(["a", "b", "c"], apart) == {"a": "a", "b": "ab", "c": "b"}
    assert letters_of(["a", "b"], frozenset()) == {"a": "a", "b": "a"}
    every = frozenset(frozenset(pair) for pair in ("ab", "ac", "bc"))
    assert letters_of(["c", "a", "b"], every) == {"c": "a", "a": "b", "b": "c"}


def test_many_that_are_all_alike_have_one_letter() -> None:
    """All subsets of 40 would be 10^12."""
    ways = [str(number) for number in range(40)]
    assert set(letters_of(ways, frozenset()).values()) == {"a"}
    every = frozenset(frozenset(pair) for pair in itertools.combinations(ways, 2))
    letters = letters_of(ways, every)
    assert len(set(letters.values())) == 40 and (letters["25"], letters["26"], letters["39"]) == ("z", "a2", "n2")


def test_who_leads_follows_from_pairs_and_not_from_means() -> None:
    """One slow repeat of old's: its mean is the greater, and it is the faster in four repeats of five."""
    found = samples({("1", "old"): [1, 1, 1, 1, 100], ("1", "new"): [1.3, 1.3, 1.3, 1.3, 95]})
    (compared,) = compare_all(found)
    assert compared.ways[0].summary.mean > compared.ways[1].summary.mean
    assert compared.ways[1].verdict == "worse" and [c.way for c in compared.leaders] == ["old"]
    assert answer(found, [compared]).startswith("The least output is that of old")


def test_one_that_came_through_once_does_not_lead() -> None:
    found = samples(
        {
            ("1", "old"): NOISE,
            ("1", "new"): [n / 2 for n in OTHER_NOISE],
            ("1", "odd"): [0.001, None, None, None, None],
        }
    )
    (compared,) = compare_all(found)
    assert compared.untold == {"odd"} and [c.letters for c in compared.ways] == ["b", "a", ""]
    assert answer(found, [compared]) == (
        "The least output is that of new chunks, 0.502 s: 0.50 times (95 %: 0.47 – 0.53) that of old; "
        "of odd there are too few repeats."
    )


@pytest.mark.parametrize(("ours", "verdict"), [([-10.0, -10.1, -9.9], "better"), ([-2.0, -2.1, -1.9], "worse")])
def test_values_below_zero(ours: list[float], verdict: str) -> None:
    found = samples({("1", "old"): [-5.0, -5.1, -5.0], ("1", "new"): ours})
    (compared,) = compare_all(found)
    assert compared.ways[1].verdict == verdict
    assert ratio_words(compared.ways[1].ratio) == "" and "times" not in answer(found, [compared])


def test_a_failed_repeat_has_no_pair() -> None:
    found = samples({("1", "old"): [1.0, None, 1.0, 1.1], ("1", "new"): [0.5, 0.5, None, 0.56]})
    (compared,) = compare_all(found)
    new = compared.of("new")
    assert new is not None and new.ratio is not None
    assert (new.summary.count, new.ratio.pairs) == (3, 2)
    assert len(found.failed) == 2


def test_one_repeat_says_nothing() -> None:
    found = samples({("1", "old"): [1.0], ("1", "new"): [0.1]})
    (compared,) = compare_all(found)
    assert compared.ways[1].verdict == "too few repeats"
    assert answer(found, [compared]) == "One repeat says nothing of noise, so nothing can be told apart."


def test_no_results_have_no_answer() -> None:
    found = samples({("1", "old"): [None], ("1", "new"): [None]})
    assert answer(found, compare_all(found)) == "No experiment ended, so there is no answer."


def test_answers() -> None:
    found = of_one_size(old=1.0, new=0.5, odd=2.0)
    assert answer(found, compare_all(found)) == (
        "The least output is that of new chunks, 0.502 s: 0.50 times (95 %: 0.47 – 0.53) that of old."
    )
    found = of_one_size(old=1.0, new=3.0)
    assert answer(found, compare_all(found)) == (
        "The least output is that of old, 1.00 s; next is new chunks, with 3.01 times as much."
    )
    found = of_one_size(old=10.0, new=1.0, odd=1.0)
    assert answer(found, compare_all(found)) == (
        "The least output is that of new chunks and odd, which cannot be told apart: 0.10 times that of old."
    )


def test_what_follows_is_ranked_only_where_it_is_told() -> None:
    """Odd is slower than new and cannot be told from old, which leads with it."""
    noisy = [1.0, 2.2, 0.9, 1.9, 1.2]
    found = samples({("1", "old"): noisy, ("1", "new"): [0.9, 0.9, 0.91, 0.9, 0.9], ("1", "odd"): [1.0, 1.0, 1.01, 1.0, 1.0]})  # fmt: skip
    (compared,) = compare_all(found)
    assert [c.way for c in compared.leaders] == ["old", "new"]
    assert [c.way for c in compared.next_to_leaders] == ["odd"] and compared.ways[2].verdict == "within the noise"
    assert answer(found, [compared]) == (
        "The least output is that of old and new chunks, which cannot be told apart; next is odd, which cannot be told from "
        "old."
    )


def test_a_setting_that_one_way_came_through_says_nothing() -> None:
    found = samples({("1", "old"): NOISE, ("1", "new"): [None] * 5,
                     ("2", "old"): NOISE, ("2", "new"): [n / 2 for n in OTHER_NOISE]})  # fmt: skip
    told = answer(found, compare_all(found))
    assert told.startswith("Size 2: the least output is that of new chunks, 0.502 s: 0.50 times")
    found = samples({("1", "old"): NOISE, ("2", "old"): [2 * n for n in NOISE]})
    assert answer(found, compare_all(found)) == "old: output 1.00 to 2.00 s in 2 settings, and nothing beside it."


def test_several_measures_over_several_settings() -> None:
    text = CAMPAIGN.replace('compare = "way"', 'compare = "way"\nanswer = ["output", "half"]').replace(
        "[paper]", '[[measure]]\nname = "half"\nvalue = "seconds.output / 2"\n[paper]'
    )
    values = {(size, way): [f * n for n in noise] for size in "12" for way, f, noise in (("old", 1, NOISE), ("new", 0.5, OTHER_NOISE))}  # fmt: skip
    found = samples(values, text)
    told = answer(found, compare_all(found))
    assert "the least output is that of new chunks" in told and "the least half is that of new chunks" in told


def test_a_measure_that_no_run_has() -> None:
    text = CAMPAIGN.replace('value = "seconds.output"', 'value = "seconds.nothing"\noptional = true\n[[measure]]\nname = "all"\nvalue = "seconds.output"')  # fmt: skip
    found = samples({("1", "old"): NOISE, ("1", "new"): OTHER_NOISE}, text)
    assert answer(found, compare_all(found)) == "No run that came to its end has 'output', so there is no answer."
    table = values_table(found, compare_all(found), found.groups[0])
    assert table.header[3] == "median all"


def test_answers_over_several_settings() -> None:
    half = {("1", "old"): NOISE, ("1", "new"): [n / 2 for n in OTHER_NOISE]}
    same = {("2", "old"): NOISE, ("2", "new"): [n / 4 for n in OTHER_NOISE]}
    found = samples({**half, **same})
    assert answer(found, compare_all(found)) == (
        "In all 2 settings the least output is that of new chunks: 0.25 to 0.50 times that of old."
    )
    other = {("2", "old"): NOISE, ("2", "new"): [n * 4 for n in OTHER_NOISE]}
    found = samples({**half, **other})
    told = answer(found, compare_all(found))
    assert (
        told.startswith("It depends. Size 1: the least output is that of new chunks")
        and "size 2: the least output is that of old" in told
    )


def test_what_would_change_it() -> None:
    found = of_one_size(old=1.0, new=0.97)
    quiet = Doings(cores=2, most_ranks=2, loads=[1.0, 2.0])
    (told,) = what_would_change_it(found, compare_all(found), quiet)
    assert told.startswith("new chunks against old: 0.97 (") and "repeats would tell them apart" in told
    *_, busy = what_would_change_it(found, compare_all(found), Doings(cores=2, most_ranks=2, loads=[6.0, 5.0]))
    assert busy.startswith("A quiet machine: when runs began, 5.50 processes wanted its 2 cores")


@pytest.mark.parametrize(
    ("ours", "base", "expected"),
    [
        ((50, 2), (100, 2), "better"),
        ((200, 2), (100, 2), "worse"),
        ((29.9, 6.5), (49.5, 13.0), "within its spread"),  # paper 1, Table 1, Output
        ((2333.5, 940.4), (49.5, 13.0), "worse"),
        ((103, None), (100, None), "within its spread"),
        ((110, None), (100, None), "worse"),
        ((0, None), (100, None), "better"),  # a phase that the way does without
        ((100, 2), (0, 0), "worse"),
        ((0, None), (0, None), "within its spread"),
    ],
)
def test_the_papers_direction(
    ours: tuple[float, float | None], base: tuple[float, float | None], expected: str
) -> None:
    assert direction(ours, base, higher_is_better=False) == expected


@pytest.mark.parametrize(
    ("paper", "ours", "expected"),
    [
        ("better", "better", "agrees"),
        ("better", "worse", "the other way"),
        ("worse", "within the noise", "not seen here"),
        ("the same", "within the noise", "agrees"),
        ("within its spread", "within the noise", "neither can tell"),
        ("within its spread", "worse", "only here"),
        ("better", "too few repeats", "not known"),
    ],
)
def test_agreement(paper: str, ours: str, expected: str) -> None:
    assert agreement(paper, ours) == expected


def test_beside_the_paper() -> None:
    """The paper measured at size 1: that is what its figures are put beside."""
    values = {(size, way): [f * n for n in noise] for size in "12"
              for way, f, noise in (("old", 1.0, NOISE), ("new", 0.5, OTHER_NOISE), ("odd", 1.0, NOISE[::-1]))}  # fmt: skip
    put = beside(samples(values))
    assert [(b.finding.way, b.finding.ratio, b.agreement) for b in put] == [
        ("new", 0.5, "agrees"), ("odd", 1.01, "neither can tell"),
    ]  # fmt: skip
    assert all(dict(b.group)["size"] == "1" for b in put)
    assert (
        agreement_words(put) == "Of 2 directions that the paper's figures have, 1 agrees and 1 can be told by neither."
    )


def test_a_place_that_was_left_out_is_not_ours() -> None:
    """Only size 2 was asked for: the paper's figures of size 1 are not about it."""
    found = parse_campaign("t.toml", CAMPAIGN, Overrides(axes={"size": [2]}))
    results = [
        result({"size": "2", "way": way, "folder": "work"}, n, 1.0 + n) for way in ("old", "new") for n in (1, 2)
    ]
    assert beside(samples_of(found, results)) == []
    elsewhere = CAMPAIGN.replace("size = [1, 2]", "size = [3]")  # the paper's place is no place of this campaign
    results = [
        result({"size": "3", "way": way, "folder": "work"}, n, 1.0 + n) for way in ("old", "new") for n in (1, 2)
    ]
    assert [b.finding.way for b in beside(samples_of(campaign(elsewhere), results))] == ["new", "odd"]


def test_what_was_not_run_is_counted_beside_the_paper() -> None:
    put = beside(samples({("1", "old"): NOISE, ("1", "new"): [n / 2 for n in OTHER_NOISE], ("1", "odd"): [None] * 5}))
    assert (
        agreement_words(put) == "Of 2 directions that the paper's figures have, 1 agrees and 1 has too few runs here."
    )


def test_a_papers_phase_of_nothing() -> None:
    values = {("1", "old"): NOISE, ("1", "new"): [n / 2 for n in OTHER_NOISE]}
    text = CAMPAIGN.replace("output = [100, 2]", "output = 0")
    put = [b for b in beside(samples(values, text)) if b.finding.way == "new"]
    assert [(b.finding.ratio, b.finding.direction, b.agreement) for b in put] == [(None, "worse", "the other way")]


def test_more_is_better() -> None:
    text = CAMPAIGN.replace('value = "seconds.output"', 'value = "seconds.output"\nunit = "GB/s"\nbetter = "higher"')
    values = {("1", "old"): NOISE, ("1", "new"): [n / 2 for n in OTHER_NOISE]}
    found = samples(values, text)
    (compared,) = compare_all(found)
    assert compared.ways[1].verdict == "worse"
    assert answer(found, [compared]).startswith("The greatest output is that of old, 1.00 GB/s")
    assert [b.agreement for b in beside(found) if b.finding.way == "new"] == ["agrees"]  # 50 of 100 GB/s is worse


def test_ratios_as_words() -> None:
    ratios = {0.0904: "0.090", 0.0973: "0.10", 1.04: "1.04", 47.13: "47", 0.0042: "0.0042", 0.5: "0.50", 0.0: "0.00"}
    assert {ratio: times(ratio) for ratio in ratios} == ratios


def test_no_ratio_is_claimed_of_what_is_too_noisy() -> None:
    """Odd leads together with new, and is too noisy to be told from old."""
    noisy = [0.2, 1.1, 0.3, 1.0, 0.25]
    found = samples({("1", "old"): NOISE, ("1", "new"): [n * 0.5 for n in OTHER_NOISE], ("1", "odd"): noisy})
    (compared,) = compare_all(found)
    assert [c.letters for c in compared.ways] == ["b", "a", "ab"]
    assert answer(found, [compared]) == (
        "The least output is that of new chunks and odd, which cannot be told apart: new chunks has 0.50 times "
        "(95 %: 0.47 – 0.53) that of old, from which odd cannot be told."
    )
