"""A matrix becomes experiments, in an order that the seed gives."""

from __future__ import annotations

import itertools

import pytest
from campaign_run import CAMPAIGN
from hypothesis import given
from hypothesis import strategies as st
from weft.campaign.campaign_file import Overrides, parse_campaign
from weft.campaign.experiments import experiments_of, in_random_order, option_words
from weft.campaign.model import Settings
from weft.campaign.scaling import scaled


def keys(seed: int, repeats: int = 3, order: str = "all") -> list[str]:
    campaign = parse_campaign("fake.toml", CAMPAIGN, Overrides(repeats=repeats))
    return [experiment.key for experiment in in_random_order(experiments_of(campaign), seed, order)]


def test_all_of_them_once() -> None:
    settings = [f"way={way}, size={size}, folder=work" for way, size in itertools.product("ab", "12")]
    assert sorted(keys(7)) == sorted(f"{setting} #{repeat}" for setting in settings for repeat in (1, 2, 3))


def test_the_order_is_that_of_the_seed() -> None:
    """Pinned: the same on any machine, in any version of Python."""
    assert keys(7) == keys(7)
    assert keys(7)[:4] == [
        "way=b, size=1, folder=work #2",
        "way=a, size=1, folder=work #1",
        "way=a, size=2, folder=work #3",
        "way=b, size=1, folder=work #3",
    ]
    assert len({tuple(keys(seed)) for seed in range(20)}) == 20


def test_every_place_is_as_likely() -> None:
    """Of 600 seeds each of 12 experiments is first about 50 times; chi-squared with 11 degrees of freedom stays below
    31.3 in all but 1 of 1,000 cases, and the seeds are fixed."""
    firsts = [keys(seed)[0] for seed in range(600)]
    counts = [firsts.count(key) for key in keys(0)]
    assert sum((count - 50) ** 2 / 50 for count in counts) < 31.3


def test_more_repeats_leave_the_order_of_the_others() -> None:
    more = keys(7, repeats=5)
    assert [key for key in more if key in set(keys(7))] == keys(7)


def test_rounds_do_each_setting_before_any_comes_again() -> None:
    rounds = keys(7, order="rounds")
    assert [key[-1] for key in rounds] == ["1"] * 4 + ["2"] * 4 + ["3"] * 4
    assert [key[:-3] for key in rounds[:4]] != [key[:-3] for key in rounds[4:8]]


def test_options_as_words() -> None:
    options: Settings = {"steps": 5, "json": True, "mesh": "none", "sync": False, "hint": ["a=1", "b=2"], "x": 0.5}
    assert option_words(options) == [
        "--steps",
        "5",
        "--json",
        "--mesh",
        "none",
        "--hint",
        "a=1",
        "--hint",
        "b=2",
        "--x",
        "0.5",
    ]


def test_sizes_follow_the_scale() -> None:
    assert scaled({"full": 3253316, "least": 1000}, 0.01) == 32533
    assert scaled({"full": 3253316, "least": 1000}, 1e-9) == 1000
    assert scaled({"full": 3253316}, 1) == 3253316
    assert scaled({"full": 9, "by": "log4", "least": 2}, 0.01) == 6
    assert scaled({"full": 64, "by": "square", "multiple": 16}, 0.5) == 48
    assert scaled({"full": "10125x5000x1060", "by": "cube"}, 0.001) == "1013x500x106"
    assert scaled({"full": "768MiB", "least": "1MiB"}, 0.01) == str(round(768 * 2**20 * 0.01))
    assert scaled({"full": "768MiB", "least": "1MiB"}, 1e-6) == str(2**20)
    assert scaled({"full": 0.5}, 0.5) == 0.25
    assert scaled({"full": 100, "multiple": 16, "least": 1, "most": 60.5}, 0.5) == 48


@pytest.mark.parametrize(
    "value",
    [
        {"full": "large"},
        {"full": True},
        {"full": 5, "by": "pi"},
        {"full": 5, "lest": 1},
        {"full": 5, "multiple": 0},
        {"full": 5, "multiple": 1.5},
        {"full": 5, "least": True},
        {"full": 10**400},
    ],
)
def test_what_cannot_be_scaled(value: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"neither a number|is not known|unknown key|whole number|too large"):
        scaled(value, 0.5)


def test_names_may_be_any_bytes() -> None:
    """Of a folder whose name is no UTF-8, as Python has it."""
    campaign = parse_campaign("fake.toml", CAMPAIGN, Overrides(axes={"folder": [("\udcff", "/scratch")]}))
    assert len(in_random_order(experiments_of(campaign), 1)) == 12


@given(
    st.integers(1, 10**12),
    st.floats(1e-6, 1, exclude_max=True),
    st.sampled_from(["linear", "square", "cube", "log2", "log4"]),
)
def test_a_scaled_size_is_never_nothing_nor_more(full: int, scale: float, by: str) -> None:
    size = scaled({"full": full, "by": by}, scale)
    assert isinstance(size, int) and 1 <= size <= full
