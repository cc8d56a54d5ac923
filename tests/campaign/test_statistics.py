"""Against numbers that others published or that can be had by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from weft.report.statistics import (
    bootstrap,
    bootstrap_interval,
    holm,
    mean_of_rows,
    paired_ratio,
    paired_t_test,
    repeats_to_tell,
    summarise,
    two_sided_p,
)

# Efron and Tibshirani, An Introduction to the Bootstrap (1993), Table 2.1: survival of treated mice.
MICE = [94, 197, 16, 38, 99, 141, 23]
# Student, The probable error of a mean (1908): hours of sleep gained with one drug over those with another.
SLEEP = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4]


def test_mean_deviation_and_median_of_the_mice() -> None:
    summary = summarise(MICE)
    assert summary.count == 7
    assert summary.mean == pytest.approx(86.86, abs=0.005)
    assert summary.sd / math.sqrt(7) == pytest.approx(25.24, abs=0.005)
    assert summary.median == 94


def test_the_bootstraps_standard_error_is_the_books() -> None:
    """Table 2.2: 23.36 for infinitely many samples."""
    means = bootstrap(MICE, mean_of_rows, seed=1)
    assert float(np.std(means)) == pytest.approx(23.36, rel=0.02)


def test_the_interval_of_three_values() -> None:
    """A mean of three draws from 1, 2, 3 is 1 in 1 of 27 cases, which is more than 2.5 %: the interval is all of it."""
    assert bootstrap_interval([1.0, 2.0, 3.0], mean_of_rows, seed=3) == (1.0, 3.0)
    # At 20 % it is not: means of 4/3 or less, and of 8/3 or more, come in 4 of 27 cases each.
    low, high = bootstrap_interval([1.0, 2.0, 3.0], mean_of_rows, seed=3, level=0.2)
    assert (low, high) == (pytest.approx(4 / 3), pytest.approx(8 / 3))


def test_the_seed_decides() -> None:
    assert bootstrap_interval(MICE, mean_of_rows, 5) == bootstrap_interval(MICE, mean_of_rows, 5)
    assert bootstrap_interval(MICE, mean_of_rows, 5) != bootstrap_interval(MICE, mean_of_rows, 6)


def test_one_value_has_no_spread() -> None:
    summary = summarise([2.5])
    assert summary.mean == summary.median == 2.5
    assert math.isnan(summary.sd) and math.isnan(summary.low) and math.isnan(summary.high)


@pytest.mark.parametrize(
    ("t", "freedom"), [(12.706, 1), (4.3027, 2), (3.1824, 3), (2.7764, 4), (2.2622, 9), (2.0423, 30), (1.9840, 100)]
)
def test_the_t_table(t: float, freedom: int) -> None:
    """Any textbook's column of 0.05, two-sided."""
    assert two_sided_p(t, freedom) == pytest.approx(0.05, abs=2e-5)
    assert two_sided_p(-t, freedom) == two_sided_p(t, freedom)


def test_students_sleep() -> None:
    """t = 4.0621 with 9 degrees of freedom, p = 0.002833."""
    assert paired_t_test(SLEEP) == pytest.approx(0.002833, abs=5e-7)


def test_ends_of_the_t_test() -> None:
    assert two_sided_p(0.0, 5) == 1
    assert paired_t_test([0.0, 0.0, 0.0]) == 1
    assert paired_t_test([2.0, 2.0, 2.0]) == 0
    assert paired_t_test([2.0]) == 1


def test_a_ratio_paired_by_repeat() -> None:
    """A machine that is ten times slower in one repeat is so on both sides."""
    ratio = paired_ratio([0.5, 5.5, 0.45], [1.0, 10.0, 1.0])
    assert ratio.ratio == pytest.approx((0.5 * 0.55 * 0.45) ** (1 / 3))
    assert (ratio.low, ratio.high) == (pytest.approx(0.45), pytest.approx(0.55))
    # By hand: logarithms -0.6931, -0.5978, -0.7985; mean -0.6965, deviation 0.10038; t = -12.02, p = 0.00685.
    assert ratio.p == pytest.approx(0.00685, abs=5e-6)
    assert ratio.sd_log == pytest.approx(0.10038, abs=5e-6)


def test_a_way_that_does_without_a_phase() -> None:
    ratio = paired_ratio([0.0, 0.0, 0.0], [1.0, 1.1, 0.9])
    assert ratio.ratio == 0 and ratio.p < 0.01 and math.isnan(ratio.low)
    assert math.isnan(paired_ratio([1.0, 2.0], [0.0, 0.0]).ratio)


def test_one_pair_tells_nothing() -> None:
    ratio = paired_ratio([1.0], [2.0])
    assert (ratio.ratio, ratio.p) == (0.5, 1.0)


def test_holm() -> None:
    """The example of any text: 0.005 < 0.05/4 and 0.01 < 0.05/3 hold; 0.03 > 0.05/2 does not, nor any after it."""
    assert holm([0.01, 0.04, 0.03, 0.005]) == [True, False, False, True]
    assert holm([]) == []


def test_how_many_repeats_would_tell() -> None:
    ratio = paired_ratio([1.0, 1.2, 1.1], [1.0, 1.0, 1.0])
    count = repeats_to_tell(ratio)
    assert count is not None and count > 3
    spread, distance = ratio.sd_log, abs(math.log(ratio.ratio))
    assert two_sided_p(distance / (spread / math.sqrt(count)), count - 1) < 0.05
    assert two_sided_p(distance / (spread / math.sqrt(count - 1)), count - 2) >= 0.05
    assert repeats_to_tell(paired_ratio([1.0, 1.0], [1.0, 1.0])) is None


def test_of_nothing_few_differences_are_made() -> None:
    """Noise alone: five repeats of two equal ways, 2,000 times over. p < 0.05 in 5 % of them, give or take 1.5."""
    random = np.random.default_rng(11)
    told = sum(
        paired_t_test(np.log(random.lognormal(0, 0.1, 5)) - np.log(random.lognormal(0, 0.1, 5))) < 0.05
        for _ in range(2000)
    )
    assert 0.035 < told / 2000 < 0.065


@given(st.lists(st.floats(0.001, 1000), min_size=2, max_size=8), st.floats(0.1, 10))
def test_intervals_hold_what_they_are_of(values: list[float], factor: float) -> None:
    summary = summarise(values)
    slack = 1e-9 * max(values)
    assert min(values) - slack <= summary.low <= summary.mean + slack
    assert summary.mean - slack <= summary.high <= max(values) + slack
    ratio = paired_ratio([value * factor for value in values], values)
    assert ratio.ratio == pytest.approx(factor)
