"""Every rational measure of every rational protocol equals the sum over its enumerated matrix, exactly."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import pytest

from oracles import brute_force as oracle
from oracles.cases import Case, all_cases
from oracles.priors import awkward_priors
from qifldp.adversaries import gain as gains
from qifldp.adversaries.gain import Gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import ExactProfile
from qifldp.leakage.capacity import bayes_capacity, max_case_capacity
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

DOMAINS = (2, 3, 4)
"""Sizes at which exact sums are done: even and odd, and one at which all sizes of sets differ."""

CASES = [case for case in all_cases() if case.domain_size in DOMAINS and case.protocol.is_exact]

every_rational_case = pytest.mark.parametrize("case", CASES, ids=str)


def assert_exactly(found: object, expected: Fraction | int) -> None:
    """Assert that the result is the rational number itself, not a float near it."""
    assert isinstance(found, Fraction)
    assert found == expected


@lru_cache(maxsize=1)
def exact_sources(case: Case) -> list[ExactProfile[Fraction] | Channel]:
    """Return the closed form, and the package's own explicit channel, as two ways to each measure."""
    return [case.protocol.exact_profile(), case.protocol.channel().reduced()]


def test_each_protocol_has_a_rational_case() -> None:
    assert {case.name for case in CASES} == {case.name for case in all_cases()}
    assert all(case.is_rational for case in CASES)


@every_rational_case
def test_measures_without_a_prior(case: Case) -> None:
    matrix, k = case.matrix, case.domain_size
    for source in exact_sources(case):
        assert_exactly(bayes_capacity(source), oracle.bayes_capacity(matrix))
        assert_exactly(max_case_capacity(source), oracle.largest_ratio(matrix))
        assert_exactly(pairwise_advantage(source), oracle.pairwise_advantage(matrix))
        assert_exactly(guessing_entropy(source), oracle.guessing_entropy(matrix, oracle.uniform(k)))
        assert_exactly(asr(source), oracle.bayes_capacity(matrix) / k)


@every_rational_case
def test_vulnerabilities_under_any_prior(case: Case) -> None:
    k, matrix = case.domain_size, case.matrix
    members = range(0, k, 2)
    adversaries: list[tuple[Gain, oracle.Matrix]] = [
        *((gains.guesses(tries), oracle.guess_gain(k, tries)) for tries in (1, 2, k)),
        (gains.membership(members), oracle.membership_gain(k, members)),
        (gains.from_matrix([["3/7"] * k, [2] + [0] * (k - 1)]), [[Fraction(3, 7)] * k, [2] + [0] * (k - 1)]),
    ]
    for weights in [oracle.uniform(k), *awkward_priors(k, case.ratio).values()]:
        prior = Prior(weights)
        for source in exact_sources(case):
            for gain, wanted in adversaries:
                after = oracle.posterior_vulnerability(matrix, weights, wanted)
                before = oracle.prior_vulnerability(weights, wanted)
                assert_exactly(posterior_vulnerability(source, prior, gain), after)
                assert_exactly(additive_leakage(source, prior, gain), after - before)
                assert_exactly(multiplicative_leakage(source, prior, gain), after / before)


@every_rational_case
def test_worst_cases_under_any_prior(case: Case) -> None:
    k, matrix = case.domain_size, case.matrix
    steep = [[Fraction(rank + 1)] * (rank + 1) + [Fraction(0)] * (k - rank - 1) for rank in range(k)]
    for weights in [oracle.uniform(k), *awkward_priors(k, case.ratio).values()]:
        prior = Prior(weights)
        for gain, wanted in ((gains.bayes(), oracle.guess_gain(k, 1)), (gains.from_matrix(steep), steep)):
            worst = oracle.max_case_posterior_vulnerability(matrix, weights, wanted)
            luckiest = oracle.worst_output_vulnerability(matrix, weights, wanted)
            before = max(p * max(action[x] for action in wanted) for x, p in enumerate(weights))
            for source in exact_sources(case):
                assert_exactly(max_case_posterior_vulnerability(source, prior, gain), worst)
                assert_exactly(max_case_leakage(source, prior, gain), worst / before)
                assert_exactly(worst_output_vulnerability(source, prior, gain), luckiest)


@every_rational_case
def test_trade_off_curve(case: Case) -> None:
    first, second = case.matrix[:2]
    for source in exact_sources(case):
        curve = trade_off(source)
        assert curve.alpha[0] == curve.beta[-1] == 0
        assert curve.alpha[-1] == curve.beta[0] == 1
        for alpha, beta in zip(curve.alpha, curve.beta, strict=True):
            assert_exactly(beta, oracle.type_two_error(first, second, alpha))
        assert_exactly(curve.total_variation, oracle.total_variation(first, second))


@every_rational_case
def test_trade_off_curve_of_a_profile_has_the_published_points(case: Case) -> None:
    """(0, 1), (D/ρ, 1 − D), (1 − D, D/ρ), (1, 0), with total variation D(1 − 1/ρ)."""
    curve = trade_off(case.protocol.exact_profile())
    telling = oracle.total_variation(*case.matrix[:2]) / (1 - 1 / case.ratio)
    expected = {(0, 1), (telling / case.ratio, 1 - telling), (1 - telling, telling / case.ratio), (1, 0)}
    assert set(zip(curve.alpha.tolist(), curve.beta.tolist(), strict=True)) == expected
