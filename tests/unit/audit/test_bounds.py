"""Bounds hold as often as they say, exactly where that can be computed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from qifldp.audit.bounds import (
    Tally,
    band,
    bounded_mean,
    cell_power,
    exceeding_error,
    power,
    proportion_high,
    proportion_low,
    two_sided,
)


@pytest.mark.parametrize("trials", [1, 7, 60])
@pytest.mark.parametrize("chance", [0.0, 0.01, 0.3, 0.5, 0.97, 1.0])
def test_bounds_on_a_proportion_are_wrong_at_most_as_often_as_said(trials: int, chance: float) -> None:
    error, hits = 0.02, np.arange(trials + 1)
    masses = binom.pmf(hits, trials, chance)
    assert masses[proportion_low(hits, trials, error) > chance].sum() <= error
    assert masses[proportion_high(hits, trials, error) < chance].sum() <= error


def test_what_was_never_seen_has_a_bound() -> None:
    assert float(proportion_high(0, 1000, 0.01)) == pytest.approx(1 - 0.01 ** (1 / 1000), rel=1e-9)
    assert float(proportion_low(0, 1000, 0.01)) == 0.0
    assert float(proportion_high(5, 5, 0.01)) == 1.0
    low, high, epsilon = Tally(0, 10, 3, 10).bound(0.01)
    assert (low, high, epsilon) == (0.0, float(proportion_high(3, 10, 0.005)), -math.inf)
    low, high, epsilon = Tally(7, 10, 3, 10).bound(0.01)
    assert (low, high) == (float(proportion_low(7, 10, 0.005)), float(proportion_high(3, 10, 0.005)))
    assert epsilon == pytest.approx(math.log(low / high))


def test_the_bound_on_epsilon_is_wrong_at_most_as_often_as_said() -> None:
    n, p, q, error = 40, 0.5, 0.2, 0.1
    hits, others = np.arange(n + 1), np.arange(n + 1)
    low, high = proportion_low(hits, n, error / 2), proportion_high(others, n, error / 2)
    beyond = low[:, None] > p / q * high[None, :]
    wrong = (binom.pmf(hits, n, p)[:, None] * binom.pmf(others, n, q)[None, :])[beyond].sum()
    assert 0 < wrong <= error


TALLIES = [(600, 33_000, 120, 33_000), (8, 100, 0, 90), (3, 4, 1, 90), (90_000, 200_000, 32_800, 200_000)]


@pytest.mark.parametrize("counts", TALLIES)
def test_a_bound_exceeds_epsilon_from_some_error_on(counts: tuple[int, int, int, int]) -> None:
    error = float(exceeding_error(*counts, 1.0))
    assert 0 < error < 1
    assert Tally(*counts).bound(error * 0.999)[2] < 1 < Tally(*counts).bound(error * 1.001)[2]


def test_what_does_not_exceed_epsilon_does_so_at_no_error() -> None:
    found = exceeding_error([0, 5, 9, 90], [9, 90, 9, 90], [3, 5, 9, 90], [9, 90, 9, 90], 1.0)
    assert found.tolist() == [1.0] * 4


@pytest.mark.parametrize(("trials", "chance"), [(40, 0.5), (300, 0.1)])
def test_what_keeps_epsilon_seems_to_exceed_it_as_seldom_as_the_error_says(trials: int, chance: float) -> None:
    counts = np.arange(trials + 1)
    errors = exceeding_error(counts[:, None], trials, counts[None, :], trials, 1.0)
    masses = binom.pmf(counts, trials, chance)[:, None] * binom.pmf(counts, trials, chance / math.e)[None, :]
    for level in (0.001, 0.01, 0.1):
        assert 0 < masses[errors <= level].sum() <= level


@pytest.mark.parametrize("trials", [50, 500])
def test_p_values_are_valid(trials: int) -> None:
    for chance in (0.01, 0.3, 0.5):
        counts = np.arange(trials + 1)
        values = two_sided(counts, trials, chance)
        for level in (0.001, 0.01, 0.1):
            assert binom.pmf(counts, trials, chance)[values <= level].sum() <= level


def exact_power(p: float, q: float, n: int, epsilon: float, error: float) -> float:
    counts = np.arange(n + 1)
    low, high = proportion_low(counts, n, error / 2), proportion_high(counts, n, error / 2)
    found = low[:, None] > math.exp(epsilon) * high[None, :]
    return float((binom.pmf(counts, n, p)[:, None] * binom.pmf(counts, n, q)[None, :])[found].sum())


@pytest.mark.parametrize("n", [100, 300, 1000, 3000])
def test_power_is_from_below_and_near(n: int) -> None:
    exact = exact_power(0.5, 0.11, n, 1, 0.01)
    found = power(0.5, 0.11, n, n, epsilon=1, error=0.01)
    assert found <= exact
    assert found > 0.93 or exact < 0.99
    counts = np.arange(n + 1)
    rejected = two_sided(counts, n, 0.3) <= 0.01
    true = binom.pmf(counts, n, 0.4)[rejected].sum()
    assert true - 1e-12 <= cell_power(0.3, 0.4, n, 0.01) <= true + 1e-12


def test_power_of_what_cannot_be_found_is_nothing() -> None:
    assert power(0.2, 0.2, 1000, 1000, epsilon=1, error=0.01) == 0.0


def test_means_of_bounded_numbers() -> None:
    sample = np.random.default_rng(1).random(10_000)
    found = bounded_mean(sample, 0.0, 1.0, 0.01)
    assert 0.48 < found.low < 0.5 < found.high < 0.52
    assert bounded_mean(sample[:1], 0.0, 1.0, 0.01).low == 0.0


def test_the_band_of_a_distribution_function_holds() -> None:
    rng, n, error = np.random.default_rng(1), 400, 0.1
    missed = 0
    for _ in range(200):
        sample = np.sort(np.concatenate([rng.random(n // 2), rng.random(n // 2) ** 2]))  # two laws
        truth = (sample + np.sqrt(sample)) / 2
        steps = np.arange(n + 1) / n
        missed += max(np.abs(truth - steps[1:]).max(), np.abs(truth - steps[:-1]).max()) > band(n, error)
    assert missed <= error * 200
    assert band(n, error) < 0.09
