"""Intervals hold what they should as often as they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from qifldp.errors import InputError
from qifldp.experiments.intervals import each_of, mean_interval, success_interval


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


def test_the_interval_of_a_mean_is_students() -> None:
    sample = np.array([3.0, 4.0, 6.0, 9.0])
    reference = stats.t.interval(0.9, 3, loc=sample.mean(), scale=stats.sem(sample))
    assert mean_interval(sample, 0.9) == pytest.approx(reference, rel=1e-12)  # a few operations in doubles
    assert mean_interval(sample, 0.9999)[0] == 0.0


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
        mean_interval(np.array([1.0, 2.0]), confidence)
    assert str(refused.value) == sentence
