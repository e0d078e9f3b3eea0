"""Frequencies that are at least zero and add up to one: the projection, and the most likely ones."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from oracles.weighing import shares
from qifldp.collection.constrained import most_likely, norm_sub, onto_simplex
from qifldp.collection.counts_only import sample_counts
from qifldp.collection.estimates import Post
from qifldp.collection.size_classes import SizeClasses
from qifldp.protocols.local_hashing import BLH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE, UE

Floats = NDArray[np.float64]

SAME = 1e-12
"""Agreement of frequencies that are found by sums of up to a thousand doubles of size one, in two orders."""

HARD = [
    np.array([1.0]),
    np.array([0.5, 0.5]),
    np.array([2.0, -1.0]),
    np.array([-3.0, -2.0, -2.0]),
    np.array([0.0, 0.0, 0.0, 0.0]),
    np.array([1e6, 1e6, -1e6]),
    np.r_[1.0, np.full(999, -1e-3)],
    np.r_[0.3, np.full(999, 1e-3)],
    *(np.random.default_rng(seed).normal(1 / k, spread, k) for seed, (k, spread) in enumerate([
        (2, 1.0), (3, 0.1), (10, 0.3), (100, 0.01), (1000, 0.05), (1000, 1e-6),
    ])),
]  # fmt: skip


@pytest.mark.parametrize("estimates", HARD, ids=lambda each: f"{len(each)}-{each[0]:.2g}")
def test_norm_sub_is_the_projection(estimates: Floats) -> None:
    """And both are it: f̂ less one number where that is positive, else zero (the conditions of Karush, Kuhn, Tucker)."""
    size = max(1.0, float(np.abs(estimates).max()))
    before = estimates.copy()
    found = onto_simplex(estimates)
    np.testing.assert_allclose(norm_sub(estimates), found, rtol=0, atol=SAME * size)
    assert (estimates == before).all()
    assert found.min() >= 0
    assert found.sum() == pytest.approx(1, abs=SAME * size)
    pulled = (estimates - found)[found > 0]
    assert np.ptp(pulled) <= SAME * size
    assert (estimates[found == 0] <= pulled.max() + SAME * size).all()


def projected(estimates: Floats) -> Floats:
    """Return the projection of doubles in exact arithmetic."""
    exact = [Fraction(each) for each in estimates.tolist()]
    total, tau = Fraction(0), Fraction(0)
    for place, largest in enumerate(sorted(exact, reverse=True), 1):
        total += largest
        if largest > (total - 1) / place:
            tau = (total - 1) / place
    return np.array([float(max(each - tau, Fraction(0))) for each in exact])


FAR = [np.random.default_rng(1).normal(0.1, spread, 1000) for spread in (1e6, 1e9, 1e12, 1e16, 1e19)]
FAR += [size + np.r_[0.5, 0.25, np.full(98, -0.125), -size] for size in (1e6, 1e9, 1e12)]
FAR += [-each for each in FAR]


@pytest.mark.parametrize("estimates", FAR, ids=lambda each: f"{len(each)}-{each[0]:.2g}")
def test_estimates_far_outside_keep_their_digits(estimates: Floats) -> None:
    """As they are where ε is tiny. Their own digits are given: nothing more is lost."""
    expected = projected(estimates)
    for project in (norm_sub, onto_simplex):
        found = project(estimates)
        np.testing.assert_allclose(found, expected, rtol=0, atol=SAME)
        assert found.sum() == pytest.approx(1, abs=SAME)


@pytest.mark.parametrize("epsilon", ["1e-18", "1e-15", "1e-12", "1e-9"])
@pytest.mark.parametrize("post", ["simplex", "normsub", "mle"])
def test_frequencies_at_tiny_budgets(epsilon: str, post: Post) -> None:
    for seed in range(20):
        counts = sample_counts(GRR(4, epsilon), [250] * 4, rng=np.random.default_rng(seed))
        found = counts.estimate(post=post).frequency
        assert found.min() >= 0
        assert found.sum() == pytest.approx(1, abs=SAME)


KINDS: list[Protocol] = [
    GRR(4, 1), SS(4, 1, omega=2), OUE(4, 1), OUE(3, 4), SUE(3, 2), UE(4, p="0.2", q="0.6"), BLH(4, 2), OLH(4, 2),
    Mix(4, 2, parts="0.3*grr+0.4*ss@2+0.2*oue"),
]  # fmt: skip


def counted(
    protocol: Protocol, people: NDArray[np.int64], seed: int
) -> tuple[SizeClasses, NDArray[np.int64], NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    counts = protocol.accumulator()
    counts.update(protocol.perturb(np.repeat(np.arange(len(people)), people), rng=rng))
    return counts.classes, counts.table, counts.totals


def slopes(classes: SizeClasses, table: NDArray[np.int64], totals: NDArray[np.int64], f: Floats) -> Floats:
    """Return the slope of the log-likelihood in each frequency."""
    found = np.zeros(len(f))
    for q, d, yes, n in zip(classes.absent, classes.gap, table, totals, strict=True):
        if n and d:
            found += yes * d / (q + f * d)
            if classes.fixed_size != 1:
                found -= (n - yes) * d / (1 - q - f * d)
    return found


def log_likelihood(classes: SizeClasses, table: NDArray[np.int64], totals: NDArray[np.int64], f: Floats) -> float:
    total = 0.0
    for q, d, yes, n in zip(classes.absent, classes.gap, table, totals, strict=True):
        if n and d:
            total += float((yes * np.log(q + f * d)).sum())
            if classes.fixed_size != 1:
                total += float(((n - yes) * np.log(1 - q - f * d)).sum())
    return total


LEVEL = 1e-9
"""Of slopes at the maximum, for each report: frequencies are known to 4e-16, and d/(q + f·d) is below 1e3 here."""


@pytest.mark.parametrize("protocol", [*KINDS, OUE(50, 1), GRR(50, 2), SUE(200, 3)], ids=repr)
@pytest.mark.parametrize("shape", ["uniform", "zipf", "one"])
@pytest.mark.parametrize("n", [30, 3_000])
def test_most_likely_frequencies_meet_the_conditions(protocol: Protocol, shape: str, n: int) -> None:
    """All positive frequencies have one slope, those at zero have no larger one, and the sum is one."""
    counts = counted(protocol, shares(shape, protocol.domain_size, n), 1)
    found, give = most_likely(*counts)
    assert (give > 0).all()
    assert found.sum() == pytest.approx(1, abs=SAME)
    assert found.min() >= 0
    slope = slopes(*counts, found)
    level = slope[found > 0]
    size = float(counts[2].sum())
    inside = (found > 0) & (found < 1)
    if inside.any():
        assert np.ptp(slope[inside]) <= LEVEL * size
    assert (slope[found == 0] <= level.min() + LEVEL * size).all()


@pytest.mark.parametrize("protocol", KINDS, ids=repr)
@pytest.mark.parametrize("shape", ["uniform", "zipf", "one"])
def test_most_likely_frequencies_are_those_that_an_optimiser_finds(protocol: Protocol, shape: str) -> None:
    k = protocol.domain_size
    counts = counted(protocol, shares(shape, k, 500), 2)
    found, _ = most_likely(*counts)
    optimise: Any = minimize
    best = optimise(
        lambda f: -log_likelihood(*counts, np.asarray(f)) / 500,
        np.full(k, 1 / k),
        jac=lambda f: -slopes(*counts, np.asarray(f)) / 500,
        bounds=[(0, 1)] * k,
        constraints={"type": "eq", "fun": lambda f: f.sum() - 1, "jac": lambda f: np.ones(k)},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    # A flat maximum: the optimiser's 1e-14 of the value is about 1e-7 of a frequency; its square root, and some.
    assert log_likelihood(*counts, found) >= log_likelihood(*counts, best.x / best.x.sum()) - 1e-8
    np.testing.assert_allclose(found, best.x, atol=1e-5)


@pytest.mark.parametrize("shape", ["uniform", "zipf", "one"])
def test_most_likely_is_where_iterative_bayesian_updates_go(shape: str) -> None:
    """Of GRR, starting from uniform; 5,000 updates bring them within 1e-6."""
    protocol = GRR(5, 1)
    counts = counted(protocol, shares(shape, 5, 2_000), 3)
    matrix = np.asarray(protocol.channel().matrix, np.float64)
    reports = counts[1][0]
    f = np.full(5, 0.2)
    for _ in range(5_000):
        joint = f[:, None] * matrix
        f = (joint / joint.sum(axis=0)) @ reports / reports.sum()
    np.testing.assert_allclose(most_likely(*counts)[0], f, atol=1e-6)


def test_a_single_report_and_values_without_any() -> None:
    assert most_likely(*counted(GRR(4, 1), np.array([0, 1, 0, 0]), 1))[0].max() == 1
    classes, table, totals = counted(OUE(4, 3), np.array([0, 40, 0, 0]), 1)
    assert most_likely(classes, table, totals)[0][1] > 0.9


RUNS = 400

NEAR = 0.25
"""Of a standard error: the spread of 400 runs is known to 1/√800, that is to 17 % at a false alarm of 1e-6; the rest
is left to what is beyond first order."""


@pytest.mark.parametrize("post", ["normsub", "simplex", "mle"])
@pytest.mark.parametrize(
    ("protocol", "shape"),
    [
        (GRR(2, 1), "uniform"), (SS(4, 2, omega=2), "zipf"), (OUE(2, 1), "zipf"), (GRR(20, 2), "zipf"),
        (OUE(20, 1), "zipf"), (SS(20, 2, omega=3), "zipf"), (GRR(50, 3), "few"), (SS(50, 2), "few"),
        (OUE(50, 2), "few"),
    ],
)  # fmt: skip
def test_standard_errors_are_near_the_spread_after_post_processing(protocol: Protocol, shape: str, post: Post) -> None:
    """Of values that are well above zero, here by four standard errors; and an error 40 % off is seen."""
    k = protocol.domain_size
    people = np.r_[shares("zipf", 5, 20_000), np.zeros(k - 5, int)] if shape == "few" else shares(shape, k, 20_000)
    rng = np.random.default_rng(1)
    found = [sample_counts(protocol, people, rng=rng).estimate(post=post) for _ in range(RUNS)]
    spread = np.array([each.frequency for each in found]).std(axis=0, ddof=1)
    stated = np.sqrt(np.mean([each.standard_error**2 for each in found], axis=0))
    high = people / 20_000 > 4 * stated
    assert high.sum() >= min(3, k)
    ratios = stated[high] / spread[high]
    assert (np.abs(np.log(ratios)) < math.log(1 + NEAR)).all()
    for scale in (1 / 1.4, 1.4):
        assert not (np.abs(np.log(ratios * scale)) < math.log(1 + NEAR)).all()
