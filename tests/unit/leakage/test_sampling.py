"""Simulated vulnerabilities: intervals that hold the truth as often as they say, and reject a wrong one."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from oracles import brute_force as oracle
from oracles.definitions import BudgetCase, matrix_of, subset_selection, unary_encoding
from oracles.priors import zipf
from qifldp.adversaries import gain as gains
from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.leakage.sampling import estimate_posterior_vulnerability
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import SS
from qifldp.protocols.unary_encoding import OUE

K = 5
(WEIGHT,) = BudgetCase((), Fraction(3, 2)).powers(Fraction(1))
PRIOR = zipf(K)
PLAYED = [[Fraction(3), Fraction(0), Fraction(1), Fraction(0), Fraction(2)], [Fraction(1)] * K]

ADVERSARIES: list[tuple[Gain, oracle.Matrix]] = [
    (gains.bayes(), oracle.guess_gain(K, 1)),
    (gains.guesses(2), oracle.guess_gain(K, 2)),
    (gains.membership([1, 3]), oracle.membership_gain(K, [1, 3])),
    (gains.distance(), oracle.distance_gain(K)),
    (gains.from_matrix(PLAYED), PLAYED),
]
NAMES = ["bayes", "two guesses", "membership", "distance", "matrix"]

PROTOCOLS: list[tuple[Protocol, list[list[oracle.Number]]]] = [
    (OUE(K, "1.5"), matrix_of(unary_encoding(K, WEIGHT / WEIGHT / 2, 1 / (WEIGHT + 1)))),
    (SS(K, "1.5", omega=2), matrix_of(subset_selection(K, 2, WEIGHT))),
]

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""


@pytest.mark.parametrize(("protocol", "matrix"), PROTOCOLS, ids=["oue", "ss"])
@pytest.mark.parametrize(("gain", "table"), ADVERSARIES, ids=NAMES)
def test_intervals_hold_the_truth(protocol: Protocol, matrix: oracle.Matrix, gain: Gain, table: oracle.Matrix) -> None:
    truth = float(oracle.posterior_vulnerability(matrix, PRIOR, table))
    found = estimate_posterior_vulnerability(
        protocol, Prior(PRIOR), gain, rng=np.random.default_rng(5), samples=40_000, confidence=1 - FALSE_ALARM
    )
    assert found.low <= truth <= found.high
    assert found.low <= found.value <= found.high
    assert found.high - found.low < 0.05 * max(max(row) for row in table)
    assert (found.confidence, found.samples) == (1 - FALSE_ALARM, 40_000)


def test_intervals_reject_other_adversaries_and_budgets() -> None:
    protocol, matrix = PROTOCOLS[0]
    found = estimate_posterior_vulnerability(
        protocol, Prior(PRIOR), gains.bayes(), rng=np.random.default_rng(5), samples=40_000, confidence=1 - FALSE_ALARM
    )
    for _, table in ADVERSARIES[1:]:
        wrong = float(oracle.posterior_vulnerability(matrix, PRIOR, table))
        assert not found.low <= wrong <= found.high
    for epsilon in ("1.05", "1.95"):  # ε ± 30 %
        (weight,) = BudgetCase((), Fraction(epsilon)).powers(Fraction(1))
        other = matrix_of(unary_encoding(K, weight / weight / 2, 1 / (weight + 1)))
        wrong = float(oracle.posterior_vulnerability(other, PRIOR, ADVERSARIES[0][1]))
        assert not found.low <= wrong <= found.high


@pytest.mark.parametrize(("protocol", "matrix"), PROTOCOLS, ids=["oue", "ss"])
@pytest.mark.parametrize(("gain", "table"), ADVERSARIES, ids=NAMES)
def test_intervals_miss_no_more_often_than_they_say(
    protocol: Protocol, matrix: oracle.Matrix, gain: Gain, table: oracle.Matrix
) -> None:
    truth, runs, confidence = float(oracle.posterior_vulnerability(matrix, PRIOR, table)), 300, 0.9
    misses = 0
    for seed in range(runs):
        found = estimate_posterior_vulnerability(
            protocol, Prior(PRIOR), gain, rng=np.random.default_rng(seed), samples=200, confidence=confidence
        )
        misses += not found.low <= truth <= found.high
    assert misses <= binom.isf(FALSE_ALARM, runs, 1 - confidence)


@pytest.mark.parametrize(("gain", "table"), ADVERSARIES, ids=NAMES)
def test_estimates_are_unbiased(gain: Gain, table: oracle.Matrix) -> None:
    """The mean of independent runs is within six standard errors of the truth (false alarm 2e-9)."""
    protocol, matrix = PROTOCOLS[1]
    truth = float(oracle.posterior_vulnerability(matrix, PRIOR, table))
    values = [
        estimate_posterior_vulnerability(
            protocol, Prior(PRIOR), gain, rng=np.random.default_rng([7, seed]), samples=1000
        ).value
        for seed in range(100)
    ]
    error = float(np.std(values, ddof=1)) / math.sqrt(len(values))
    assert 0 < error < 0.01
    assert abs(float(np.mean(values)) - truth) <= 6 * error


def test_randomness_and_progress_are_arguments() -> None:
    steps: list[tuple[int, int]] = []
    one, two, other = (
        estimate_posterior_vulnerability(
            OUE(3000, 2),
            gain=gains.distance(),
            rng=np.random.default_rng(seed),
            samples=3000,
            progress=lambda done, total: steps.append((done, total)),
        )
        for seed in (1, 1, 2)
    )
    assert one == two != other
    assert steps[-1] == (3000, 3000)
    assert len(steps) > 3
    assert steps[0][0] < 3000
    assert 0.75 < one.value < 0.76  # three quarters are had without any report; k = 3000 at ε = 2 adds little


def test_what_is_refused() -> None:
    rng = np.random.default_rng(1)
    with pytest.raises(InputError) as caught:
        estimate_posterior_vulnerability(Channel([[1]]), rng=rng)
    assert str(caught.value) == (
        "Only profiles are simulated: use posterior_vulnerability, which is exact, for this source."
    )
    for samples in (99, 0, 1000.5, True, 10**8 + 1):
        with pytest.raises(InputError) as caught:
            estimate_posterior_vulnerability(OUE(3, 1), rng=rng, samples=samples)  # type: ignore[arg-type]
        assert str(caught.value) == f"samples must be a whole number from 100 to 100,000,000, got {samples}."
    for confidence in (0, 1, -0.5, math.nan):
        with pytest.raises(InputError) as caught:
            estimate_posterior_vulnerability(OUE(3, 1), rng=rng, confidence=confidence)
        assert str(caught.value) == f"confidence must be between 0 and 1, got {confidence}."
