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
from qifldp.collection.entropy import WORD
from qifldp.collection.estimates import Post, _miss_of_each, _Model, estimate
from qifldp.collection.mechanism import Mechanism
from qifldp.collection.mixture import MixMechanism
from qifldp.collection.size_classes import SizeClasses, single_class, size_classes
from qifldp.collection.subsets import SubsetMechanism
from qifldp.protocols.local_hashing import BLH, OLH
from qifldp.protocols.mixture import Mix
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
    classes = SizeClasses((0, 1), 1, q, p - q, np.zeros(2), np.zeros(2), np.array([0.5, 0.5]))
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


def supports(mechanism: Mechanism, value: int) -> dict[tuple[int, ...], Fraction]:
    """Return the law of which values a report on a value supports; hashing is taken to be ideal."""
    k = mechanism.domain_size
    found: dict[tuple[int, ...], Fraction] = {}
    if isinstance(mechanism, MixMechanism):
        found[(0,) * k] = Fraction(mechanism.silence, WORD)
        for weight, part in zip(mechanism.chances, mechanism.parts, strict=True):
            for bits, chance in supports(part, value).items():
                found[bits] = found.get(bits, Fraction(0)) + Fraction(weight, WORD) * chance
        return found
    p, q = mechanism.support_chances
    for bits in itertools.product((0, 1), repeat=k):
        if isinstance(mechanism, SubsetMechanism):
            like_it = math.comb(k - 1, mechanism.size - bits[value])  # sets of that size that agree on the value
            chance = (p if bits[value] else 1 - p) / like_it if sum(bits) == mechanism.size else Fraction(0)
        else:
            chances = [p if x == value else q for x in range(k)]
            chance = math.prod((a if bit else 1 - a for a, bit in zip(chances, bits, strict=True)), start=Fraction(1))
        found[bits] = chance
    assert sum(found.values()) == 1
    return {bits: chance for bits, chance in found.items() if chance}


def exact_covariances(counts: Accumulator, weight: Floats, frequency: Floats) -> Floats:
    """Return the covariances of Σ_c u_c (C_c/n_c − q_c)/d_c about the data, for given weights, by the law of reports.

    Of people drawn from the frequencies, less what drawing them adds.
    """
    classes, k = counts.classes, counts.protocol.domain_size
    told = [c for c in range(len(counts.table)) if counts.totals[c] and classes.gap[c]]
    laws = [supports(counts.protocol.mechanism, x) for x in range(k)]
    found = np.outer(frequency, frequency) - np.diag(frequency)
    found /= counts.n
    for u, c in zip(weight, told, strict=True):
        once, twice = np.zeros(k), np.zeros((k, k))
        for f, law in zip(frequency, laws, strict=True):
            inside = {bits: chance for bits, chance in law.items() if classes.class_of[sum(bits)] == c}
            mass = sum(inside.values())
            for bits, chance in inside.items():
                once += f * float(chance / mass) * np.array(bits)
                twice += f * float(chance / mass) * np.outer(bits, bits)
        found += np.outer(u, u) * (twice - np.outer(once, once)) / (counts.totals[c] * classes.gap[c] ** 2)
    return np.asarray(found)


def shares_given_way(post: str, counts: Accumulator, frequency: Floats) -> Floats:
    """Return by how much each frequency above zero falls if all of them are to fall by one together."""
    classes, fall = counts.classes, np.zeros(len(frequency))
    if post != "mle":
        fall += 1
    else:
        for q, d, yes, n in zip(classes.absent, classes.gap, counts.table, counts.totals, strict=True):
            if n and d:
                fall += yes * (d / (q + frequency * d)) ** 2
                if classes.fixed_size != 1:
                    fall += (n - yes) * (d / (1 - q - frequency * d)) ** 2
    give = np.where(frequency > 0, 1 / fall, 0)
    return np.asarray(give / give.sum())


PAIRS: list[Protocol] = [
    GRR(2, 1), GRR(4, 1), SS(2, 1), SS(4, 1, omega=2), SS(5, 1, omega=3), OUE(2, 1), OUE(4, 2), SUE(4, 2), BLH(4, 1),
    OLH(4, 2), UE(4, p="0.2", q="0.7"), Mix(2, 1, parts="0.5*grr+0.3*oue"), Mix(4, 2, parts="0.3*grr+0.4*ss@2+0.2*oue"),
    Mix(5, 1, parts="0.6*ss@1+0.4*ss@2"),
]  # fmt: skip


@pytest.mark.parametrize("protocol", PAIRS, ids=repr)
@pytest.mark.parametrize("starts", [(0,), (0, 2), None], ids=["plain", "two classes", "sizes"])
@pytest.mark.parametrize("post", ["normsub", "simplex", "mle"])
@pytest.mark.parametrize("absent", [0, 1])
def test_errors_after_post_processing_are_those_of_the_linear_map(
    protocol: Protocol, starts: tuple[int, ...] | None, post: Post, absent: int
) -> None:
    """The diagonal of A Σ Aᵀ: Σ by the law of whole reports, and the matrix of the map written out."""
    k, rng = protocol.domain_size, np.random.default_rng(5)
    classes = size_classes(protocol.mechanism, starts)
    empty = np.zeros((len(classes.starts), k), np.int64)
    counts = Accumulator(protocol, classes, empty, empty[:, 0].copy())
    counts.count_part(protocol.mechanism.draw(rng.integers(0, k - absent, 3000), rng))
    found = counts.estimate(post=post)
    kept = found.frequency > 0
    weight = _Model(counts.classes, counts.table, counts.totals).estimate()[2].weight
    covariances = exact_covariances(counts, weight, found.frequency)
    share = shares_given_way(post, counts, found.frequency)
    matrix = np.eye(k) - np.outer(share, kept)
    matrix[~kept] = np.eye(k)[~kept]
    expected = np.diag(matrix @ covariances @ matrix.T)
    # of a single value that is left nothing is: rounding of the variances that cancel
    np.testing.assert_allclose(found.standard_error**2, expected, rtol=1e-9, atol=1e-14 * np.diag(covariances).max())


@pytest.mark.parametrize("post", ["normsub", "simplex", "mle"])
@pytest.mark.parametrize("protocol", [*PAIRS, GRR(50, 3), SS(50, 3, omega=4)], ids=repr)
def test_what_changes_no_estimate_changes_no_error(protocol: Protocol, post: Post) -> None:
    """Estimates from reports of one size add up to one: where none is negative, nothing is left to be done."""
    k, rng = protocol.domain_size, np.random.default_rng(1)
    counts = protocol.accumulator()
    counts.count_part(protocol.mechanism.draw(np.arange(2000 * k) % k, rng))
    raw, found = counts.estimate(), counts.estimate(post=post)
    assert raw.frequency.min() > 0
    together = raw.frequency.sum() == pytest.approx(1, abs=1e-12)  # others add up to one but for little of their errors
    np.testing.assert_allclose(found.standard_error, raw.standard_error, rtol=1e-9 if together else 0.02)


def test_independent_counts_have_no_covariance() -> None:
    for protocol in (OUE(5, 1), UE(5, p="0.2", q="0.7"), OLH(5, 2)):
        counts = sample_counts(protocol, [100] * 5, rng=np.random.default_rng(1))
        covariance = _Model(counts.classes, counts.table, counts.totals).estimate()[2]
        variance = counts.estimate().standard_error ** 2
        others = covariance.with_others(np.full(5, 0.2), np.ones(5, bool))
        assert (np.abs(others) <= ROUNDING * variance).all()
