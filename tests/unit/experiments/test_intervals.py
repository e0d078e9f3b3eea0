"""Intervals hold what they should as often as they say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from qifldp.errors import InputError
from qifldp.experiments.intervals import each_of, mean_square_interval, success_interval


@pytest.mark.parametrize("n", [1, 7, 40])
def test_the_interval_of_a_chance_is_scipys_exact_one(n: int) -> None:
    for successes in range(n + 1):
        reference = stats.binomtest(successes, n).proportion_ci(0.99, method="exact")
        # Two implementations of one quantile: relative to 1e-9 is far within what either promises.
        assert success_interval(successes, n, 0.99) == pytest.approx((reference.low, reference.high), rel=1e-9)


@pytest.mark.parametrize("n", [1, 5, 60])
def test_the_interval_of_a_chance_holds_it_often_enough(n: int) -> None:
    ends = np.array([success_interval(successes, n, 0.9) for successes in range(n + 1)])
    for chance in np.linspace(0, 1, 101):
        held = (ends[:, 0] <= chance) & (chance <= ends[:, 1])
        assert stats.binom.pmf(np.arange(n + 1), n, chance)[held].sum() >= 0.9


@pytest.mark.parametrize("confidence", [0.99, 1 - 0.01 / 240])
@pytest.mark.parametrize(("errors", "runs"), [(1, 2), (1, 10), (12, 10), (3_000, 10), (1, 100), (12, 100)])
def test_the_interval_of_a_mean_square_holds_it_often_enough(errors: int, runs: int, confidence: float) -> None:
    """Against the law of a mean of squares of equal variances: held on both sides, with at most 30 times the error."""
    low, high = mean_square_interval(1.0, np.full(errors, 7.0), runs, confidence)
    law, side = stats.chi2(errors * runs, scale=1 / (errors * runs)), (1 - confidence) / 2
    assert law.sf(1 / low) <= side
    assert law.cdf(1 / high) <= side
    low, high = mean_square_interval(1.0, np.full(errors, 7.0), runs, 1 - (1 - confidence) * 30)
    assert law.sf(1 / low) > side
    assert law.cdf(1 / high) > side


@pytest.mark.parametrize(("errors", "runs", "confidence"), [(1, 2, 0.9), (12, 10, 0.99), (3_000, 10, 0.98)])
def test_the_ends_of_a_mean_square_are_chernoffs_at_half_the_error(errors: int, runs: int, confidence: float) -> None:
    """For N normal errors of equal variances the bound is (x e^{1 − x})^{N/2}: at both ends it is half the error."""
    ends = mean_square_interval(1.0, np.full(errors, 7.0), runs, confidence)
    for x in (1 / end for end in ends):
        assert errors * runs / 2 * (x - 1 - np.log(x)) == pytest.approx(-np.log((1 - confidence) / 2), rel=1e-6)


@pytest.mark.parametrize(
    ("successes", "n", "sentence"),
    [
        (5, 3, "successes must be a whole number from 0 to the 3 trials, got 5."),
        (-1, 3, "successes must be a whole number from 0 to the 3 trials, got -1."),
        (2.5, 10, "successes must be a whole number from 0 to the 10 trials, got 2.5."),
        (math.nan, 10, "successes must be a whole number from 0 to the 10 trials, got nan."),
        (0, 0, "n must be a whole number of trials, one at least, got 0."),
        (1, 2.5, "n must be a whole number of trials, one at least, got 2.5."),
    ],
)
def test_no_interval_without_trials(successes: Any, n: Any, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        success_interval(successes, n, 0.9)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("mean", "runs", "sentence"),
    [
        (-1.0, 3, "mean must be a finite number, 0 or above, got -1.0."),
        (math.nan, 3, "mean must be a finite number, 0 or above, got nan."),
        (math.inf, 3, "mean must be a finite number, 0 or above, got inf."),
        (1.0, 0, "runs must be a whole number, one at least, got 0."),
        (1.0, -1, "runs must be a whole number, one at least, got -1."),
        (1.0, 2.5, "runs must be a whole number, one at least, got 2.5."),
    ],
)
def test_no_interval_of_no_mean_square(mean: float, runs: Any, sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        mean_square_interval(mean, np.array([1.0, 2.0]), runs, 0.9)
    assert str(refused.value) == sentence


def test_whole_numbers_of_numpy_are_whole() -> None:
    one, two, runs = np.array([1, 2, 3])
    assert success_interval(one, two, 0.9) == success_interval(1, 2, 0.9)
    assert mean_square_interval(0.0, np.array([1.0]), runs, 0.9) == (0.0, 0.0)


@pytest.mark.parametrize("variances", [[], [0.0, 1.0], [np.inf], [-1.0]])
def test_no_interval_without_variances(variances: list[float]) -> None:
    with pytest.raises(InputError, match="variances must be positive numbers"):
        mean_square_interval(1.0, np.array(variances), 3, 0.9)


@pytest.mark.parametrize("rest", [1, 30])
def test_the_interval_of_a_mean_square_holds_it_if_one_error_has_half_of_the_variance(rest: int) -> None:
    """By simulation, 200,000 means over four runs; a χ² of the same mean and variance would be too narrow.

    At 98 %, 1 % on each side: more than 1.13 % are missed by chance in one of a billion (six standard errors).
    """
    variances, rng = np.array([1.0, *([1 / rest] * rest)]), np.random.default_rng(1)
    whole = rng.chisquare(4, 200_000) + rng.chisquare(4 * rest, 200_000) / rest
    low, high = mean_square_interval(1.0, variances, 4, 0.98)
    ratios = whole / 8
    assert np.mean(ratios > 1 / low) < 0.0113
    assert np.mean(ratios < 1 / high) < 0.0113
    scaled = mean_square_interval(3.0, variances * 5, 4, 0.98)
    assert scaled == pytest.approx((3 * low, 3 * high), rel=1e-12)  # a few operations in doubles


def test_bonferroni() -> None:
    assert each_of(1, 0.99) == 0.99
    assert each_of(200, 0.99) == pytest.approx(0.99995, rel=1e-15)


@pytest.mark.parametrize("confidence", [0, 1, -1, float("nan")])
def test_refused_confidence(confidence: float) -> None:
    sentence = f"confidence must be between 0 and 1, got {confidence}."
    with pytest.raises(InputError) as refused:
        success_interval(1, 2, confidence)
    assert str(refused.value) == sentence
    with pytest.raises(InputError) as refused:
        mean_square_interval(1.0, np.array([1.0, 2.0]), 2, confidence)
    assert str(refused.value) == sentence
