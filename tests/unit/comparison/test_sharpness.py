"""Constants that decide what counts as equal, as a distribution, or as certain: each must be as sharp as it says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from qifldp import OUE, InputError, Prior, estimate_posterior_vulnerability, gains, trade_off
from qifldp.comparison.compare import Row, least
from qifldp.leakage.tradeoff import split_probability

ROUNDED = 1e-12
"""A handful of roundings of 1e-16, amplified by an exponential."""


def row(spec: str, value: float) -> Row:
    return Row("GRR", spec, 1.0, 1.0, {"bayes_capacity": value})


def test_a_millionth_more_is_not_the_least() -> None:
    assert least([row("a", 1.0), row("b", 1.0 + 1e-6)])["bayes_capacity"] == ["a"]
    assert least([row("a", 1.0), row("b", 1.0 + 1e-15)])["bayes_capacity"] == ["a", "b"]


def test_a_millionth_more_is_not_a_distribution() -> None:
    with pytest.raises(InputError, match="must sum to one"):
        Prior([0.5, 0.5 + 1e-6])
    assert Prior([0.5, 0.5 + 1e-12]).domain_size == 2


@pytest.mark.parametrize("delta", [1e-6, 0.01, 0.2])
def test_epsilon_of_delta_is_the_inverse(delta: float) -> None:
    protocol = OUE(10, 1)
    telling = float(split_probability(protocol.profile))
    # δ(ε) = D (1 − e^{ε − ln ρ}), inverted
    expected = 1 + math.log1p(-delta / telling)
    assert trade_off(protocol).epsilon(delta) == pytest.approx(expected, abs=2e-12)  # the bisection ends at 1e-12


def test_the_interval_is_the_empirical_bernstein_bound() -> None:
    """Maurer and Pontil (2009), Theorem 4, once for each side, at half the error each."""
    protocol, samples, confidence = OUE(3, 1), 400, 0.9
    wanted = gains.from_matrix([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    found = estimate_posterior_vulnerability(
        protocol, gain=wanted, rng=np.random.default_rng(5), samples=samples, confidence=confidence
    )
    # The same reports again, from the same seed, for the gains behind the mean.
    seen: list[float] = []

    class Recording(type(wanted)):  # type: ignore[misc]  # records what the adversary gains from each report
        def best(self, weights: np.ndarray) -> np.ndarray:
            values = super().best(weights)
            seen.extend(values.tolist())
            return values

    recorder = Recording(wanted.matrix(3))
    estimate_posterior_vulnerability(
        protocol, gain=recorder, rng=np.random.default_rng(5), samples=samples, confidence=confidence
    )
    values = np.array(seen[:samples])
    log = math.log(2 / ((1 - confidence) / 2))
    margin = math.sqrt(2 * values.var(ddof=1) * log / samples) + 7 * 2.0 * log / (3 * (samples - 1))
    assert found.value == pytest.approx(values.mean(), rel=ROUNDED)
    assert found.high == pytest.approx(values.mean() + margin, rel=ROUNDED)
    assert found.low == pytest.approx(max(values.mean() - margin, 2 / 3), rel=ROUNDED)
