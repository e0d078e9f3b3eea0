"""Numbers of the paper "Beyond epsilon: a principled QIF framework for LDP", as printed or as corrected."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import pytest

from oracles.brute_force import as_decimal
from qifldp.exact.budget import Budget
from qifldp.leakage.capacity import bayes_capacity
from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE

ROUNDED = 1e-14
"""Relative: a closed form of a few operations in doubles on either side."""


def printed(value: object, digits: int) -> str:
    return f"{float(value):.{digits}f}"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("spec", "value", "digits"),
    [
        ("grr", "37.59", 2),
        ("ss", "37.59", 2),
        ("oue", "21.67", 2),
        ("olh", "21.69", 2),
        ("sue", "11.95", 2),
        ("the:theta=0.75", "9.38", 2),
        ("blh", "1.987", 3),
    ],
)
def test_figure_six_at_epsilon_five(spec: str, value: str, digits: int) -> None:
    assert printed(bayes_capacity(parse_spec(spec).build(50, Budget.read(5))), digits) == value


@pytest.mark.parametrize("epsilon", range(26, 31))
def test_olh_does_not_wiggle_at_large_budgets(epsilon: int) -> None:
    """The authors' figure wiggles beyond ε = 26 by cancellation; the limit is (k + 1)/2 = 25.5.

    Capacity is short of the limit by a share that falls like e^−ε·k/2 (1.3e-10 at ε = 26): below 5e-10.
    """
    capacity = float(bayes_capacity(OLH(50, epsilon)))
    assert 0 < 1 - capacity / 25.5 < 5e-10
    assert 1 - capacity / 25.5 == pytest.approx(25 * math.exp(-epsilon), rel=0.05)


@pytest.mark.parametrize(("k", "value"), [(2, "0.7267"), (10, "0.4384"), (40, "0.2276")])
def test_figure_seven_at_epsilon_three(k: int, value: str) -> None:
    """The notebook behind the figure takes g = round(e^ε) + 1 = 21."""
    assert printed(asr(LH(k, 3, g=21)), 4) == value
    assert OLH(k, 3).buckets == round(math.exp(3)) + 1 == 21


@pytest.mark.parametrize(("epsilon", "tight"), [(1, "0.883"), (2, "1.624"), (4, "2.907"), (8, "5.158"), (16, "9.315")])
def test_the_spends_less_than_it_says(epsilon: int, tight: str) -> None:
    assert printed(THE(50, epsilon, theta="0.75").tight_epsilon, 3) == tight


@pytest.mark.parametrize("k", [2, 3, 10, 50, 1000])
def test_limits_of_section_seven(k: int) -> None:
    """At e^700 nothing of a double is missing from the limits."""
    assert bayes_capacity(OUE(k, 700)) == pytest.approx((k + 1) / 2, rel=ROUNDED)
    assert bayes_capacity(OLH(k, 700)) == pytest.approx((k + 1) / 2, rel=ROUNDED)
    assert bayes_capacity(BLH(k, 700)) == pytest.approx(2 - 2.0 ** (1 - k), rel=ROUNDED)
    assert bayes_capacity(GRR(k, 700)) == pytest.approx(k, rel=ROUNDED)
    assert bayes_capacity(SUE(k, 700)) == pytest.approx(k, rel=ROUNDED)


def equation_25(k: int, g: int, e: Fraction) -> Fraction:
    """Return the attack success rate of local hashing as earlier work has it."""
    return e / ((e + g - 1) * max(Fraction(k, g), Fraction(1)))


def equation_26(k: int, g: int, e: Fraction) -> Fraction:
    return (e * g**k + (g - 1) ** k * (1 - e)) / ((e + g - 1) * k * g ** (k - 1))


@pytest.mark.parametrize("k", [2, 3, 5, 17, 40])
@pytest.mark.parametrize("g", [2, 3, 21])
def test_attack_on_local_hashing_is_equation_26(k: int, g: int) -> None:
    e = Fraction(20)
    protocol = LH(k, exp_epsilon=20, g=g)
    assert asr(protocol.exact_profile()) == equation_26(k, g, e)
    assert asr(protocol) == pytest.approx(float(equation_26(k, g, e)), rel=ROUNDED)
    assert asr(protocol.exact_profile()) != equation_25(k, g, e)


@pytest.mark.parametrize("k", [2, 5, 17])
def test_what_is_missing_from_equation_25(k: int) -> None:
    """Equation (26) is p·E[1/|U|] plus the guess on an empty support, (1 − p)(1 − 1/g)^(k−1)/k."""
    g, e = 3, Fraction(9)
    p = e / (e + g - 1)
    others = [comb(k - 1, j) * Fraction(1, g) ** j * Fraction(g - 1, g) ** (k - 1 - j) for j in range(k)]
    expected_share = sum(chance / (j + 1) for j, chance in enumerate(others))
    empty = (1 - p) * others[0] / k
    rest = sum((1 - p) * chance / j * Fraction(0) for j, chance in enumerate(others) if j)  # a wrong set never wins
    assert asr(LH(k, exp_epsilon=9, g=g).exact_profile()) == p * expected_share + empty + rest
    assert p * expected_share != equation_25(k, g, e)


@pytest.mark.parametrize("k", [3, 4, 6, 10])
def test_capacity_of_subset_selection_is_not_the_printed_one(k: int) -> None:
    """Printed: k·p/C(k−1, ω−1). Right: k e^ε/(ωe^ε + k − ω). They agree for ω = 1 and ω = k − 1 only."""
    e = Fraction(7)
    for omega in range(1, k):
        right = k * e / (omega * e + k - omega)
        as_printed = k * (omega * e / (omega * e + k - omega)) / comb(k - 1, omega - 1)
        assert bayes_capacity(SS(k, exp_epsilon=7, omega=omega).exact_profile()) == right
        assert (as_printed == right) == (omega in (1, k - 1))


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_olh_with_a_whole_number_of_buckets_is_oue(k: int) -> None:
    """e^ε + 1 = 4 = g: both support the secret with 1/2, and any other value with 1/4."""
    olh, oue = OLH(k, exp_epsilon=3), OUE(k, exp_epsilon=3)
    assert olh.exact_profile() == oue.exact_profile()
    assert olh.profile.log_ratio == oue.profile.log_ratio
    assert olh.profile.sizes.tolist() == oue.profile.sizes.tolist()
    assert olh.profile.log_mass.tolist() == oue.profile.log_mass.tolist()
    assert olh.exact_profile() != OUE(k, exp_epsilon=4).exact_profile()


def test_blh_is_oue_on_two_values_only() -> None:
    for exp_epsilon in (Fraction(3), Fraction(9, 4), Fraction(100)):
        for k in (2, 3, 4):
            blh = BLH(k, exp_epsilon=exp_epsilon).exact_profile()
            oue = OUE(k, exp_epsilon=exp_epsilon).exact_profile()
            assert (blh == oue) == (k == 2)


@pytest.mark.parametrize(("epsilon", "domain"), [(2, 6), (4, 10), (8, 57), (16, 2983)])
def test_oue_is_more_useful_than_sue_from_a_domain_size_on(epsilon: int, domain: int) -> None:
    """The paper says always. MSE over all values is the variance at frequency 1/k."""

    def better(k: int) -> bool:
        return OUE(k, epsilon).variance(1 / k, 1) < SUE(k, epsilon).variance(1 / k, 1)

    assert not any(better(k) for k in range(2, domain))
    assert all(better(k) for k in range(domain, domain + 50))


SMALL = 1e-8
"""Relative: the next term of the series in ε = 1e-9 is of that order."""


@pytest.mark.parametrize(
    "protocol",
    [GRR(50, "1e-9"), SS(50, "1e-9", omega=5), SS(50, "1e-9"), BLH(50, "1e-9")],
    ids=lambda found: found.spec,
)
def test_information_at_a_tiny_budget(protocol: Protocol) -> None:
    """With one size w, I = ε²/2 · w(k − w)/k² nats to first order, averaged over sizes: 6.49e-20 bits for ω = 5."""
    k, epsilon = 50, 1e-9
    sizes = {protocol.omega: 1.0} if isinstance(protocol, SS) else {w: comb(k, w) / 2**k for w in range(k + 1)}
    nats = epsilon**2 / 2 * sum(mass * w * (k - w) / k**2 for w, mass in sizes.items())
    bits = float(shannon_capacity(protocol))
    assert bits == pytest.approx(nats / math.log(2), rel=SMALL)
    if isinstance(protocol, SS) and protocol.omega == 5:
        assert f"{bits:.1e}" == "6.5e-20"


def test_rounding_of_omega_costs_a_few_per_cent_at_most() -> None:
    """ω = ⌊k/(e^ε + 1) + 1/2⌋ is within 2.6 % of the least variance at frequency 1/k, and not always at it."""
    losses = []
    for k in range(2, 40):
        for tenths in range(1, 60, 2):
            chosen = SS(k, Fraction(tenths, 10))
            best = min(SS(k, Fraction(tenths, 10), omega=omega).variance(1 / k, 1) for omega in range(1, min(k, 25)))
            losses.append(chosen.variance(1 / k, 1) / best)
    assert 1.015 < max(losses) < 1.026
    assert 0.001 < sum(loss > 1.0001 for loss in losses) / len(losses) < 0.05


def test_local_hashing_formula_at_four_values() -> None:
    """Two buckets, ε = 2: 1.666 for all functions (a family of three functions leaks 1.762)."""
    weight = float(as_decimal(2).exp())
    formula = (weight * 2**4 + (1 - weight)) / ((weight + 1) * 2**3)
    assert printed(formula, 3) == "1.666"
    assert bayes_capacity(BLH(4, 2)) == pytest.approx(formula, rel=ROUNDED)
