"""Accuracy of estimates, against formulas written out again in ball arithmetic, and against simulation."""

from __future__ import annotations

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np
import pytest
from flint import arb, ctx, fmpz
from numpy.typing import NDArray

from qifldp.comparison.accuracy import detectable_frequency, standard_error, weighted_standard_error
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

REPORTED = 1e-12
"""Relative accuracy that the package promises for domains of up to a thousand values."""

QUANTILE = 1e-9
"""Relative: two independent rational approximations of the normal quantile, each good to about 1e-15, and at
k = 1000 the standard library's is evaluated at a probability of 2.5e-5."""

PRECISION = 800
"""Bits: at ε = 100 the two terms of the weighted error agree in their first 150 bits."""

N = 12_345
SIZES = (2, 3, 7, 20)
BUDGETS = (0.01, 0.5, 1.0, 3.0, 10.0, 40.0, 100.0)

MAKERS: dict[str, Callable[[int, float], Protocol]] = {
    "GRR": GRR,
    "SS": SS,
    "BLH": BLH,
    "OLH": OLH,
    "SUE": SUE,
    "OUE": OUE,
    "THE": THE,
    "LH": lambda k, epsilon: LH(k, epsilon, g=5),
    "SS of one less": lambda k, epsilon: SS(k, epsilon, omega=k - 1),
    "THE at one": lambda k, epsilon: THE(k, epsilon, theta=1),
}
every_protocol = pytest.mark.parametrize("name", MAKERS)
every_size = pytest.mark.parametrize("k", SIZES)
every_budget = pytest.mark.parametrize("epsilon", BUDGETS)


def ball(value: float) -> arb:
    """Return the number that the shortest decimal of a double states, which is how budgets are read."""
    return arb(repr(value))


def support(name: str, protocol: Protocol) -> tuple[arb, arb]:
    """Return Pr[a value is supported], for the true value and for another, from the definitions in the paper."""
    k, weight = protocol.domain_size, ball(protocol.epsilon).exp()
    if isinstance(protocol, SS):
        p = protocol.omega * weight / (protocol.omega * weight + k - protocol.omega)
        return p, (protocol.omega - p) / (k - 1)
    if isinstance(protocol, LH):
        return weight / (weight + protocol.buckets - 1), 1 / arb(protocol.buckets)
    if name == "SUE":
        return weight.sqrt() / (weight.sqrt() + 1), 1 / (weight.sqrt() + 1)
    if name == "OUE":
        return arb(1) / 2, 1 / (weight + 1)
    assert isinstance(protocol, THE)
    theta, epsilon = arb(protocol.theta.numerator) / protocol.theta.denominator, ball(protocol.epsilon)
    return 1 - (epsilon * (theta - 1) / 2).exp() / 2, (-epsilon * theta / 2).exp() / 2


def size_law(protocol: Protocol, p: arb, q: arb) -> list[arb]:
    """Return Pr[the report supports w values], w = 0..k: one size for SS, else a shifted binomial."""
    k = protocol.domain_size
    if isinstance(protocol, SS):
        return [arb(1) if w == protocol.omega else arb(0) for w in range(k + 1)]

    def binomial(w: int) -> arb:
        if not 0 <= w <= k - 1:
            return arb(0)
        return arb(fmpz.bin_uiui(k - 1, w)) * q**w * (1 - q) ** (k - 1 - w)

    return [p * binomial(w - 1) + (1 - p) * binomial(w) for w in range(k + 1)]


def information_by_size(k: int, p: arb, q: arb, protocol: Protocol) -> list[arb]:
    """Return the Fisher information of a report of each size about a frequency, at the uniform point."""
    ratio = ball(protocol.epsilon).exp() if isinstance(protocol, SS) else p * (1 - q) / ((1 - p) * q)
    found = []
    for w in range(k + 1):
        member, other = ratio / (w * ratio + k - w), 1 / (w * ratio + k - w)
        if w in (0, k):
            member = other = arb(1) / k
        found.append(arb(k) ** 3 * (w * member**2 + (k - w) * other**2 - arb(1) / k) / (k - 1) ** 2)
    return found


@every_protocol
@every_size
@every_budget
def test_plain_error_is_the_formula(name: str, k: int, epsilon: float) -> None:
    protocol = MAKERS[name](k, epsilon)
    with ctx.workprec(PRECISION):
        p, q = support(name, protocol)
        variance = (p * (1 - p) / k + (1 - arb(1) / k) * q * (1 - q)) / (N * (p - q) ** 2)
        expected = float(variance.sqrt())
    assert standard_error(protocol, N) == pytest.approx(expected, rel=REPORTED)


@every_protocol
@every_size
@every_budget
def test_weighted_error_is_the_formula_even_where_doubles_cancel(name: str, k: int, epsilon: float) -> None:
    protocol = MAKERS[name](k, epsilon)
    with ctx.workprec(PRECISION):
        p, q = support(name, protocol)
        law, information = size_law(protocol, p, q), information_by_size(k, p, q, protocol)
        total = sum((mass * found for mass, found in zip(law, information, strict=True)), arb(0))
        variance = 1 / (N * total) - (1 - arb(1) / k) / (k * arb(N))
        assert variance > 0
        expected = float(variance.sqrt())
    assert weighted_standard_error(protocol.profile, N) == pytest.approx(expected, rel=REPORTED)


@pytest.mark.parametrize("name", ["GRR", "SS", "SS of one less"])
@pytest.mark.parametrize("k", [2, 5, 156, 1000])
@every_budget
def test_one_size_leaves_nothing_to_weigh(name: str, k: int, epsilon: float) -> None:
    protocol = MAKERS[name](k, epsilon)
    assert weighted_standard_error(protocol.profile, N) == pytest.approx(standard_error(protocol, N), rel=REPORTED)


@every_protocol
@pytest.mark.parametrize("k", [*SIZES, 300])
@every_budget
def test_weighing_never_hurts_near_uniform_data(name: str, k: int, epsilon: float) -> None:
    protocol = MAKERS[name](k, epsilon)
    assert weighted_standard_error(protocol.profile, N) <= standard_error(protocol, N) * (1 + REPORTED)


def test_weighing_helps_as_much_as_was_simulated() -> None:
    for k, epsilon, ratio in ((2, 1.0, 2.0), (4, 2.0, 1.4), (10, 2.0, 1.2), (50, 4.0, 1.15)):
        protocol = OUE(k, epsilon)
        gain = (standard_error(protocol, N) / weighted_standard_error(protocol.profile, N)) ** 2
        assert gain == pytest.approx(ratio, rel=0.06)  # the simulated ratios are printed to two digits


@pytest.mark.parametrize("k", [2, 10, 1000])
@pytest.mark.parametrize("name", ["GRR", "SS", "OLH", "OUE", "THE"])
def test_detectable_frequency(name: str, k: int) -> None:
    protocol = MAKERS[name](k, 1.0)
    with ctx.workprec(PRECISION):
        p, q = support(name, protocol)
        absent = float((q * (1 - q) / (N * (p - q) ** 2)).sqrt())
    quantile = NormalDist().inv_cdf(1 - 0.05 / (2 * k))
    assert detectable_frequency(protocol, N) == pytest.approx(quantile * absent, rel=QUANTILE)


def test_absent_values_seldom_look_detected() -> None:
    """Of 400 collections, some 5 % show one of 19 absent values above the threshold: at most 9 % (4.5 sigma)."""
    rng = np.random.default_rng(11)
    protocol, n = OUE(20, 1), 2000
    p, q = (float(value) for value in (0.5, 1 / (math.e + 1)))
    counts = rng.binomial(n, q, size=(400, 19))
    estimates = (counts / n - q) / (p - q)
    share = float((np.abs(estimates).max(axis=1) > detectable_frequency(protocol, n)).mean())
    assert 0.005 < share < 0.09


def weighted_estimates(reports: NDArray[np.bool_], rho: float) -> NDArray[np.float64]:
    """Estimate frequencies within each report size, and average with weights n_w I_w."""
    k = reports.shape[1]
    sizes = reports.sum(axis=1)
    total, weight = np.zeros(k), 0.0
    for w in range(1, k):
        chosen = reports[sizes == w]
        member, other = rho / (w * rho + k - w), 1 / (w * rho + k - w)
        p, q = w * member, (w - w * member) / (k - 1)
        information = len(chosen) * k**3 * (w * member**2 + (k - w) * other**2 - 1 / k) / (k - 1) ** 2
        if len(chosen):
            total += information * (chosen.mean(axis=0) - q) / (p - q)
            weight += information
    return total / weight


ROUNDS, PEOPLE = 500, 4000
SPREAD = 0.2
"""Of a mean of 500 rounds × 3 free squared errors; its standard deviation is √(2/1500) = 3.7 %: five sigmas and
a little for the weights' own noise. The plain error, 40 % above, is refused."""


@pytest.mark.parametrize(("kind", "k", "epsilon"), [(OUE, 4, 2.0), (SUE, 4, 2.5)])
def test_weighted_error_is_what_a_collection_shows(kind: type[OUE | SUE], k: int, epsilon: float) -> None:
    protocol = kind(k, epsilon)
    p, q = (0.5, 1 / (math.exp(epsilon) + 1)) if kind is OUE else (1 / (1 + math.exp(-epsilon / 2)), 0.0)
    q = q or 1 - p
    rng = np.random.default_rng(3)
    values = np.arange(PEOPLE) % k
    chances = np.where(values[:, None] == np.arange(k), p, q)
    plain, weighted = [], []
    for _ in range(ROUNDS):
        reports = rng.random((PEOPLE, k)) < chances
        weighted.append(np.mean((weighted_estimates(reports, math.exp(epsilon)) - 1 / k) ** 2))
        plain.append(np.mean(((reports.mean(axis=0) - q) / (p - q) - 1 / k) ** 2))
    predicted = weighted_standard_error(protocol.profile, PEOPLE) ** 2
    assert np.mean(weighted) == pytest.approx(predicted, rel=SPREAD)
    assert np.mean(plain) == pytest.approx(standard_error(protocol, PEOPLE) ** 2, rel=SPREAD)
    assert np.mean(plain) > predicted * (1 + SPREAD)


def test_unary_encoding_with_any_probabilities() -> None:
    protocol = UE(6, p="0.75", q="0.2")
    expected = math.sqrt((0.75 * 0.25 / 6 + 0.2 * 0.8 * 5 / 6) / (N * 0.55**2))
    assert standard_error(protocol, N) == pytest.approx(expected, rel=REPORTED)
