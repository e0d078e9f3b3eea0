"""Every measure of every protocol, in floats, against sums over the enumerated matrix."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from oracles import brute_force as oracle
from oracles.cases import Case, all_cases
from oracles.priors import awkward_priors
from qifldp.adversaries import gain as gains
from qifldp.adversaries.prior import Prior
from qifldp.leakage.blocks import information_per_report
from qifldp.leakage.capacity import bayes_capacity, max_case_capacity, min_entropy_capacity, tight_epsilon
from qifldp.leakage.information import mutual_information, shannon_capacity, sibson_information
from qifldp.leakage.source import Source, uniform_hyper
from qifldp.leakage.tradeoff import pairwise_advantage, trade_off
from qifldp.leakage.vulnerability import (
    additive_leakage,
    asr,
    guessing_entropy,
    max_case_leakage,
    max_case_posterior_vulnerability,
    multiplicative_leakage,
    posterior_vulnerability,
    worst_output_vulnerability,
)

REPORTED = 1e-12
"""Relative accuracy that the package promises for domains of up to a thousand values."""

ROUNDED = 2e-15
"""Absolute: differences of probabilities, each of which is a sum of some ten terms of at most one in doubles."""

SUMMED = 3e-13
"""Absolute: probabilities that are sums over up to 2,744 columns in doubles: 2,744 · 2^-53 at worst."""

ORDERS = (0.5, 1, 1.0000001, 2, 10, math.inf)

CASES = all_cases()

every_case = pytest.mark.parametrize("case", CASES, ids=str)


def assert_reported(found: object, expected: object, floor: float = 0.0) -> None:
    """Assert that a float result is the oracle's number to twelve digits."""
    assert isinstance(found, float)
    assert found == pytest.approx(float(oracle.as_decimal(expected)), rel=REPORTED, abs=floor)


def written_out(case: Case) -> Source:
    """Return the package's own explicit channel, in floats and merged, as the second way to each measure."""
    return case.protocol.channel().reduced().to_float()


@every_case
def test_measures_without_a_prior(case: Case) -> None:
    matrix, even = case.decimal_matrix, oracle.uniform(case.domain_size)
    for source in (case.protocol, written_out(case)):
        assert_reported(bayes_capacity(source), oracle.bayes_capacity(matrix))
        assert_reported(max_case_capacity(source), oracle.largest_ratio(matrix))
        assert_reported(tight_epsilon(source), oracle.as_decimal(oracle.largest_ratio(matrix)).ln())
        assert_reported(pairwise_advantage(source), oracle.pairwise_advantage(matrix))
        assert_reported(guessing_entropy(source), oracle.guessing_entropy(matrix, even))
        assert_reported(asr(source), oracle.bayes_capacity(matrix) / case.domain_size)
    assert_reported(min_entropy_capacity(case.protocol), oracle.sibson_information(matrix, math.inf, even))


@every_case
def test_information(case: Case) -> None:
    even = oracle.uniform(case.domain_size)
    for order in ORDERS:
        expected = oracle.sibson_information(case.decimal_matrix, order, even)
        assert_reported(sibson_information(case.protocol, order), expected)
        if order == 1:
            assert_reported(mutual_information(case.protocol), expected)
            assert_reported(shannon_capacity(case.protocol), expected)


@every_case
def test_fisher_information_per_report(case: Case) -> None:
    """k·(Σ_y Σ_x C[x, y]²/m_y − k)/(k − 1)², m the column means."""
    k = case.domain_size
    total = sum(sum(entry**2 for entry in column) / sum(column) * k for column in oracle.columns(case.decimal_matrix))
    expected = k * (total - k) / (k - 1) ** 2
    assert_reported(information_per_report(uniform_hyper(case.protocol)), expected)


@every_case
def test_guesses_and_membership_under_the_uniform_prior(case: Case) -> None:
    k, even = case.domain_size, oracle.uniform(case.domain_size)
    for tries in range(1, k + 2):
        gain, wanted = gains.guesses(tries), oracle.guess_gain(k, tries)
        after, before = oracle.posterior_vulnerability(case.decimal_matrix, even, wanted), min(tries, k) / Decimal(k)
        for prior in (None, Prior(even)):
            assert_reported(posterior_vulnerability(case.protocol, prior, gain), after)
            leakage = additive_leakage(case.protocol, prior, gain)
            assert_reported(leakage, oracle.as_decimal(after) - before, floor=0.0 if tries < k else ROUNDED)
    for size in range(1, k + 1):
        members = range(k - size, k)
        gain, wanted = gains.membership(members), oracle.membership_gain(k, members)
        after, before = (
            oracle.posterior_vulnerability(case.decimal_matrix, even, wanted),
            max(size, k - size) / Decimal(k),
        )
        assert_reported(posterior_vulnerability(case.protocol, None, gain), after)
        assert_reported(additive_leakage(case.protocol, None, gain), oracle.as_decimal(after) - before, floor=ROUNDED)


@every_case
def test_guesses_under_awkward_priors(case: Case) -> None:
    k = case.domain_size
    for weights in awkward_priors(k, case.ratio).values():
        prior = Prior(weights)
        for tries in range(1, k + 1):
            gain, wanted = gains.guesses(tries), oracle.guess_gain(k, tries)
            after = oracle.as_decimal(oracle.posterior_vulnerability(case.decimal_matrix, weights, wanted))
            before = oracle.as_decimal(oracle.prior_vulnerability(weights, wanted))
            assert_reported(posterior_vulnerability(case.protocol, prior, gain), after)
            assert_reported(additive_leakage(case.protocol, prior, gain), after - before, floor=ROUNDED)
            assert_reported(multiplicative_leakage(case.protocol, prior, gain), after / before)


@every_case
def test_worst_cases_under_awkward_priors(case: Case) -> None:
    k = case.domain_size
    priors = awkward_priors(k, case.ratio) | {"uniform": oracle.uniform(k)}
    for weights in priors.values():
        prior = Prior(weights)
        for gain, wanted in (
            (gains.guesses(1), oracle.guess_gain(k, 1)),
            (gains.from_matrix([[5] + [0] * (k - 1), [1] * k]), [[5] + [0] * (k - 1), [1] * k]),
        ):
            worst = oracle.max_case_posterior_vulnerability(case.decimal_matrix, weights, wanted)
            before = max(p * max(action[x] for action in wanted) for x, p in enumerate(weights))
            assert_reported(max_case_posterior_vulnerability(case.protocol, prior, gain), worst)
            ratio = oracle.as_decimal(worst) / oracle.as_decimal(before)
            assert_reported(max_case_leakage(case.protocol, prior, gain), ratio)
            luckiest = oracle.worst_output_vulnerability(case.decimal_matrix, weights, wanted)
            assert_reported(worst_output_vulnerability(case.protocol, prior, gain), luckiest)


@every_case
def test_trade_off_curve(case: Case) -> None:
    first, second = case.decimal_matrix[:2]
    for source in (case.protocol, written_out(case)):
        curve, floor = trade_off(source), ROUNDED if source is case.protocol else SUMMED
        levels = [float(alpha) for alpha in curve.alpha] + [0.0, 0.05, 0.3, 0.5, 0.9, 1.0]
        for alpha in levels:
            expected = oracle.type_two_error(first, second, Decimal(min(alpha, 1.0)))
            assert curve.type_two_error(min(alpha, 1.0)) == pytest.approx(float(expected), abs=floor)
        assert_reported(curve.total_variation, oracle.total_variation(first, second))
        assert_reported(curve.tight_epsilon, oracle.as_decimal(case.ratio).ln())
        for share in (0.0, 0.3, 0.9, 1.0, 1.5):
            epsilon = share * curve.tight_epsilon
            expected = oracle.delta(first, second, Decimal(epsilon).exp())
            found = curve.delta(epsilon)
            assert float(found) == pytest.approx(float(expected), rel=REPORTED, abs=floor)


BISECTED = Decimal("2e-12")
"""The answer is bisected to 1e-12."""


@every_case
def test_epsilon_of_a_delta(case: Case) -> None:
    first, second = case.decimal_matrix[:2]
    curve = trade_off(case.protocol)
    assert curve.epsilon(1.0) == 0
    for share in (0.1, 0.5, 0.9):
        wanted = share * float(curve.total_variation)
        epsilon = Decimal(curve.epsilon(wanted))
        assert oracle.delta(first, second, (epsilon + BISECTED).exp()) <= Decimal(wanted)
        assert oracle.delta(first, second, (epsilon - BISECTED).exp()) >= Decimal(wanted)
