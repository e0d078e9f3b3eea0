"""The formulas of estimates, by other ways of computing them: no simulation, every term counts."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import binom

from qifldp.collection.accumulator import Accumulator
from qifldp.collection.counts_only import sample_counts
from qifldp.collection.estimates import _error_on, _miss_of_each, _Model, estimate
from qifldp.collection.size_classes import SizeClasses, single_class, size_classes
from qifldp.protocols.local_hashing import BLH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

Floats = NDArray[np.float64]

Pair = tuple[float, float]

ROUNDING = 1e-11
"""Relative: a few dozen operations in doubles, with differences of numbers of one size."""

PROTOCOLS: list[Protocol] = [OUE(4, 1), SUE(5, 2), UE(3, p="0.2", q="0.7")]

every = pytest.mark.parametrize("protocol", PROTOCOLS, ids=repr)


@every
def test_chances_of_support_given_the_size_are_those_of_all_reports(protocol: Protocol) -> None:
    """The true value is 0: sum the chances of all its reports, in fractions."""
    p, q = protocol.mechanism.support_chances
    k = protocol.domain_size
    mass, own, other = ([Fraction(0)] * (k + 1) for _ in range(3))
    for bits in itertools.product((0, 1), repeat=k):
        chances = [p if x == 0 else q for x in range(k)]
        chance = math.prod(a if bit else 1 - a for a, bit in zip(chances, bits, strict=True))
        size = sum(bits)
        mass[size] += chance
        own[size] += chance * bits[0]
        other[size] += chance * bits[1]
    classes = size_classes(protocol.mechanism)
    assert classes.starts == tuple(range(k + 1))
    for size in range(k + 1):
        assert classes.share[size] == pytest.approx(float(mass[size]), rel=ROUNDING)
        assert classes.absent[size] == pytest.approx(float(other[size] / mass[size]), rel=ROUNDING)
        assert classes.gap[size] == pytest.approx(float((own[size] - other[size]) / mass[size]), rel=ROUNDING)


def counted(protocol: Protocol) -> Accumulator:
    """Return counts of reports of people none of whom has the last value."""
    k, rng = protocol.domain_size, np.random.default_rng(5)
    found = protocol.accumulator()
    found.count_part(protocol.mechanism.draw(rng.integers(0, k - 1, 2000), rng))
    return found


def by_definition(counts: Accumulator, frequency: Floats) -> tuple[Floats, Floats, Floats]:
    """Return Σ u_c (C_c/n_c − q_c)/d_c, and Σ u_c² V_c(g)/n_c − g(1 − g)/n as a function of g at two places."""
    classes, n = counts.classes, counts.n
    told = [c for c in range(len(counts.table)) if counts.totals[c] and classes.gap[c]]
    total, found, at_estimate, at_half = ([0.0] * len(frequency) for _ in range(4))

    def noise(c: int, f: float) -> float:
        q, d = classes.absent[c], classes.gap[c]
        p = q + d
        return float((f * p * (1 - p) + (1 - f) * q * (1 - q)) / d**2 + f * (1 - f))

    for x, f in enumerate(frequency):
        weights = {c: counts.totals[c] / noise(c, f) for c in told}
        total[x] = sum(weights.values())
        for c, weight in weights.items():
            share = weight / total[x]
            found[x] += share * (counts.table[c, x] / counts.totals[c] - classes.absent[c]) / classes.gap[c]
        g = min(max(found[x], 0.0), 1.0)
        for c, weight in weights.items():
            at_estimate[x] += (weight / total[x]) ** 2 * noise(c, g) / counts.totals[c]
            at_half[x] += (weight / total[x]) ** 2 * noise(c, 0.5) / counts.totals[c]
        at_estimate[x] -= g * (1 - g) / n
        at_half[x] -= 0.25 / n
    return np.array(found), np.array(at_estimate), np.array(at_half)


@every
def test_weighted_estimates_and_their_variance_are_as_defined(protocol: Protocol) -> None:
    counts = counted(protocol)
    first, _, _ = by_definition(counts, np.zeros(protocol.domain_size))
    expected, variance, half = by_definition(counts, np.clip(first, 0, 1))
    found = counts.estimate()
    np.testing.assert_allclose(found.frequency, expected, rtol=0, atol=ROUNDING)
    np.testing.assert_allclose(found.standard_error**2, variance, rtol=ROUNDING)
    law = _Model(counts.classes, counts.table, counts.totals).estimate()[1]
    np.testing.assert_allclose(law.at(np.full(protocol.domain_size, 0.5)), half, rtol=ROUNDING)


@every
@pytest.mark.parametrize("people", [0, 1, 7, 20])
def test_skewness_is_that_of_the_count_of_the_people_who_reported(protocol: Protocol, people: int) -> None:
    """The count is a sum of two binomial ones: its cumulants by summing over all that it can be."""
    n = 20
    p, q = (float(chance) for chance in protocol.mechanism.support_chances)
    law = np.convolve(binom.pmf(np.arange(people + 1), people, p), binom.pmf(np.arange(n - people + 1), n - people, q))
    values = (np.arange(n + 1) / n - q) / (p - q)
    mean = float(law @ values)
    variance, third = (float(law @ (values - mean) ** power) for power in (2, 3))
    classes, k = single_class(protocol.mechanism), protocol.domain_size
    model = _Model(classes, np.full((1, k), 9), np.array([n])).estimate()[1]
    at = np.full(k, people / n)
    np.testing.assert_allclose(model.at(at), variance, rtol=ROUNDING)
    np.testing.assert_allclose(model.skew(at), third / variance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("absent", "present", "totals", "counts"),
    [
        ((0.294, 0.004), (0.438, 0.098), (84, 50), (35, 2)),
        ((0.954, 0.606), (0.998, 0.672), (874, 545), (833, 335)),
    ],
    ids=["most skewed at the low end", "most skewed at the high end"],
)
def test_ends_are_moved_by_the_largest_skewness_on_the_way(
    absent: Pair, present: Pair, totals: tuple[int, int], counts: tuple[int, int]
) -> None:
    """Looked for on a fine grid, from 0 to the low end and from the high end to 1."""
    q, p = np.array(absent), np.array(present)
    classes = SizeClasses((0, 1), 1, q, p - q, np.array([0.5, 0.5]))
    table, confidence = np.array(counts)[:, None], 0.99
    model = _Model(classes, table, np.array(totals)).estimate()
    (value,), variance = model[0], model[1]
    square = np.array([[ndtri((1 - confidence) / 2) ** 2]])
    low, high = (float(end[0, 0]) for end in variance._score_intervals(model[0], square))

    def skew(places: Floats) -> Floats:
        return np.array([variance.skew(np.array([place]))[0] for place in places])

    up, down = skew(np.linspace(0, low, 1_001)).max(), -skew(np.linspace(high, 1, 1_001)).min()
    assert (up > skew(np.zeros(1))[0] + 0.005) or (down > -skew(np.ones(1))[0] + 0.005)  # not only at the far ends
    tail = (square[0, 0] - 1) / 6
    found = estimate(classes, table, np.array(totals), confidence=confidence)
    for end, moved, given in ((0, -tail * max(up, 0), found.low), (1, tail * max(down, 0), found.high)):
        expected = variance._score_intervals(np.array([value + moved]), square)[end][0, 0]
        assert given[0] == pytest.approx(expected, rel=1e-9)  # monotone on the way: the grid holds its ends


@pytest.mark.parametrize("epsilon", ["0.1", "1", "4", "12"])
@pytest.mark.parametrize("kind", [GRR, SS, OUE, SUE, THE, BLH, OLH])
def test_intervals_miss_as_often_as_they_may_from_a_hundred_reports_on(
    kind: Callable[[int, str], Protocol], epsilon: str
) -> None:
    """By the whole law of the count, which even of a hundred people takes few values: the documented 1.3 times."""
    n = 100
    for k in (2, 100):
        protocol = kind(k, epsilon)
        p, q = (float(chance) for chance in protocol.mechanism.support_chances)
        found = estimate(single_class(protocol.mechanism), np.arange(n + 1)[None, :], np.array([n]), confidence=0.95)
        for people in (0, 1, 10, 50, 99, 100):
            law = np.convolve(
                binom.pmf(np.arange(people + 1), people, p), binom.pmf(np.arange(n - people + 1), n - people, q)
            )
            missed = (people / n < found.low - 1e-12) | (people / n > found.high + 1e-12)  # rounding of an end
            assert law[missed].sum() <= 1.3 * 0.05


@pytest.mark.parametrize(("confidence", "k"), [(0.95, 1), (0.95, 4), (0.5, 100), (0.99, 1024)])
def test_simultaneous_intervals_are_those_at_the_level_of_independent_counts(confidence: float, k: int) -> None:
    protocol = OUE(k, 1) if k > 1 else OUE(2, 1)
    counts = sample_counts(protocol, np.full(protocol.domain_size, 50), rng=np.random.default_rng(1))
    together = counts.estimate(confidence=confidence)
    alone = counts.estimate(confidence=confidence ** (1 / protocol.domain_size))
    np.testing.assert_allclose(together.low_simultaneous, alone.low, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(together.high_simultaneous, alone.high, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("k", [1, 1024, 10**6])
@pytest.mark.parametrize("miss", [Fraction(1, 20), Fraction(1, 10**9), Fraction(1, 2**53)])
def test_each_of_many_intervals_may_miss_its_share_to_all_digits(miss: Fraction, k: int) -> None:
    """By the series 1 − (1 − m)^(1/k) = Σ (1/k)(1 − 1/k)(2 − 1/k)…/j! m^j, in fractions."""
    power, term, expected = Fraction(1, k), Fraction(-1), Fraction(0)
    for j in range(1, 40):
        term *= (Fraction(j - 1) - power) / j * miss
        expected += term
    assert _miss_of_each(1 - float(miss), k) == pytest.approx(float(expected), rel=1e-15 / float(miss) + 1e-14)
    if miss == Fraction(1, 2**53):  # of which one minus it is a double
        assert _miss_of_each(1 - 2.0**-53, k) == pytest.approx(float(expected), rel=1e-14)


def test_intervals_at_a_confidence_next_to_one() -> None:
    """The ends are at the quantile of 2^-54; of one minus it, the nearest double is one."""
    protocol, n = SUE(2, 1), 10**8
    q = float(protocol.mechanism.support_chances[1])
    table = np.array([[round(n * q), round(n * q)]])
    found = estimate(single_class(protocol.mechanism), table, np.array([n]), confidence=1 - 2.0**-53)
    assert np.isfinite([found.low, found.high, found.low_simultaneous, found.high_simultaneous]).all()
    z = -ndtri(2.0**-54)
    # of so many reports the skewness and the slope of the variance move an end by less than a thousandth
    assert found.high[0] == pytest.approx(found.frequency[0] + z * found.standard_error[0], rel=2e-3)
    assert (found.high_simultaneous > found.high).all()


@pytest.mark.parametrize("pull", [np.ones(4), np.array([0.1, 0.4, 0.2, 0.3])])
def test_errors_after_post_processing_are_those_of_the_linear_map(pull: Floats) -> None:
    """Those kept are f̂ − pull·(Σ f̂ − 1)/Σ pull: the diagonal of A·diag(σ²)·Aᵀ, with the matrix written out."""
    kept, spread = np.array([True, False, True, True]), np.array([0.1, 0.2, 0.3, 0.05])
    share = np.where(kept, pull, 0) / pull[kept].sum()
    matrix = np.eye(4) - np.outer(share, kept)
    expected = np.sqrt(np.diag(matrix @ np.diag(spread**2) @ matrix.T))
    np.testing.assert_allclose(_error_on(kept, spread, pull), expected, rtol=ROUNDING)


@pytest.mark.parametrize("post", ["normsub", "simplex", "mle"])
def test_post_processed_estimates_have_those_errors(post: str) -> None:
    counts = counted(OUE(4, 1))
    raw, found = counts.estimate(), counts.estimate(post=post)  # type: ignore[arg-type]
    kept = found.frequency > 0
    pull = raw.standard_error**2 if post == "mle" else np.ones(4)
    np.testing.assert_allclose(found.standard_error, _error_on(kept, raw.standard_error, pull), rtol=ROUNDING)
    assert kept.sum() >= 3
