"""Float results against the ball oracle, from ε = 1e-9 to 700 and from 2 to a million values."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb

from oracles import balls
from qifldp.adversaries import gain as gains
from qifldp.adversaries.prior import Prior
from qifldp.exact.budget import Budget
from qifldp.leakage.capacity import bayes_capacity, min_entropy_capacity
from qifldp.leakage.information import mutual_information, shannon_capacity, sibson_information
from qifldp.leakage.tradeoff import pairwise_advantage, trade_off
from qifldp.leakage.vulnerability import additive_leakage, asr, guessing_entropy
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.protocols.threshold_histogram import THE

REPORTED = 1e-12
"""Relative accuracy that the package promises for up to a thousand values."""

REPORTED_FOR_A_MILLION = 1e-10
"""Relative accuracy that the package promises for a million values."""

NEVER = 1e-26
"""Absolute, for telling membership: what reports that occur with less than 1e-30 could add, k = 1000 such sizes."""

EPSILONS = ("1e-9", "1e-6", "1e-3", "0.1", "1", "5", "20", "100", "700")
SPECS = ("grr", "ss", "blh", "olh", "sue", "oue", "the", "the:theta=0.75")
N = 1000

every_budget = pytest.mark.parametrize("epsilon", EPSILONS)
every_protocol = pytest.mark.parametrize("spec", SPECS)


def reported(protocol: Protocol, tries: int, members: int, zipf: Prior) -> dict[str, float]:
    """Return what the package says."""
    profile = protocol.profile
    wanted = {
        "capacity": bayes_capacity(profile),
        "success rate": asr(profile),
        "excess": additive_leakage(profile) * protocol.domain_size,
        "min-entropy": min_entropy_capacity(profile),
        "Sibson ∞": sibson_information(profile, math.inf),
        "Shannon": mutual_information(profile),
        "Shannon capacity": shannon_capacity(profile),
        "Sibson 2": sibson_information(profile, 2),
        "advantage": pairwise_advantage(profile),
        "total variation": trade_off(profile).total_variation,
        "guesses": additive_leakage(profile, None, gains.guesses(tries)),
        "membership": additive_leakage(profile, None, gains.membership(range(members))),
        "zipf": additive_leakage(profile, zipf),
        "guessing entropy": guessing_entropy(profile),
        "deviation": math.sqrt(protocol.variance(0.0, N)),
        "deviation, frequent": math.sqrt(protocol.variance(0.5, N)),
        "tight epsilon": protocol.tight_epsilon,
    }
    return {name: float(value) for name, value in wanted.items()}


def enclosed(protocol: Protocol, epsilon: str, tries: int, members: int, zipf: Prior) -> dict[str, float]:
    """Return what balls say."""
    k = protocol.domain_size
    theta = protocol.theta if isinstance(protocol, THE) else None
    weights = [Fraction(weight) for weight in zipf.probabilities.tolist()]

    def measures() -> dict[str, arb]:
        found = balls.profile(k, balls.law(protocol.name.lower(), k, Fraction(epsilon), theta))
        excess, shannon = balls.capacity_excess(found), balls.shannon_bits(found)
        entropy, advantage = balls.min_entropy_capacity(found), balls.advantage(found)
        return {
            "capacity": 1 + excess,
            "success rate": (1 + excess) / k,
            "excess": excess,
            "min-entropy": entropy,
            "Sibson ∞": entropy,
            "Shannon": shannon,
            "Shannon capacity": shannon,
            "Sibson 2": balls.sibson_two_bits(found),
            "advantage": advantage,
            "total variation": advantage,
            "guesses": balls.guesses_leakage(found, tries),
            "membership": balls.membership_leakage(found, members),
            "zipf": balls.one_guess_leakage(found, weights),
            "guessing entropy": balls.guessing_entropy(found),
            "deviation": balls.variance(found, Fraction(0), N).sqrt(),
            "deviation, frequent": balls.variance(found, Fraction(1, 2), N).sqrt(),
            "tight epsilon": found.law.ratio.log(),
        }

    return balls.settle(measures)


def check_against_balls(spec: str, epsilon: str, k: int, tolerance: float, members: int) -> None:
    protocol = parse_spec(spec).build(k, Budget.read(epsilon))
    zipf, tries = Prior.zipf(k), max(1, k // 3)
    found = reported(protocol, tries, members, zipf)
    expected = enclosed(protocol, epsilon, tries, members, zipf)
    wrong = {
        name: (value, expected[name], abs(value / expected[name] - 1) if expected[name] else value)
        for name, value in found.items()
        if value != pytest.approx(expected[name], rel=tolerance, abs=NEVER if name == "membership" else 0)
    }
    assert set(found) == set(expected)
    assert wrong == {}


@every_budget
@every_protocol
@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_small_domains(spec: str, epsilon: str, k: int) -> None:
    check_against_balls(spec, epsilon, k, REPORTED, members=k // 2)


@every_budget
@every_protocol
def test_a_thousand_values(spec: str, epsilon: str) -> None:
    check_against_balls(spec, epsilon, 1000, REPORTED, members=3)


@pytest.mark.parametrize(("spec", "epsilon"), [("grr", "1e-9"), ("ss", "5")])
def test_a_million_values_of_one_size(spec: str, epsilon: str) -> None:
    check_against_balls(spec, epsilon, 10**6, REPORTED_FOR_A_MILLION, members=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "epsilon"),
    [("sue", "1e-6"), ("oue", "1"), ("olh", "5"), ("blh", "20"), ("the", "0.1"), ("the:theta=0.75", "700")],
)
def test_a_million_values(spec: str, epsilon: str) -> None:
    check_against_balls(spec, epsilon, 10**6, REPORTED_FOR_A_MILLION, members=1)
