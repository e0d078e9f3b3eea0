"""The frontier's own protocols, run: how often a guess at their reports is right, and how far estimates are off."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from qifldp import Mix, simulate_attack
from qifldp.comparison.frontier import frontier
from qifldp.protocols.specs import parse_spec
from qifldp.protocols.subset_selection import SS

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each test; seeds are fixed, so it is met once or never."""

K, EPSILON = 12, "1.5"
PEOPLE = 24_000
RUNS = 60

MIXTURES = (
    "mix:epsilon=1.5,parts=0.4*ss@3+0.6*ss@4",
    "mix:epsilon=1.5,parts=0.25*ss@6+0.75*ss@5",
    "mix:epsilon=1.5,parts=0.5*ss@11",  # and silence
)


@pytest.mark.parametrize("spec", MIXTURES)
def test_guesses_are_right_as_often_as_the_frontier_says(spec: str) -> None:
    mix = parse_spec(spec).build(K)
    attack = simulate_attack(mix, n=400_000, rng=np.random.default_rng(5), confidence=1 - FALSE_ALARM)
    asr, information = ideal(mix)
    assert attack.low < asr < attack.high
    assert not attack.low < 1.05 * asr < attack.high  # the check would notice a twentieth
    edge = frontier(K, EPSILON)
    assert edge.information_at(K * asr - 1) == pytest.approx(information, rel=1e-12)


@pytest.mark.parametrize("spec", MIXTURES)
def test_estimates_are_off_by_what_the_frontier_says(spec: str) -> None:
    """The sum of squared errors over the standard error is χ² with RUNS·(k − 1) degrees, near uniform frequencies."""
    mix = parse_spec(spec).build(K)
    _, information = ideal(mix)
    variance = (1 / information - (K - 1) / K**2) / PEOPLE
    people = np.repeat(np.arange(K), PEOPLE // K)
    rng = np.random.default_rng(11)
    squares = 0.0
    for _ in range(RUNS):
        counts = mix.accumulator()
        counts.update(mix.perturb(people, rng=rng))
        squares += float(((counts.estimate().frequency - 1 / K) ** 2).sum())
    # k estimates with k − 1 free directions: their errors sum to almost nothing, since reports have known sizes
    degrees = RUNS * (K - 1)
    low, high = (float(chi2.ppf(tail, degrees)) / degrees for tail in (FALSE_ALARM / 2, 1 - FALSE_ALARM / 2))
    ratio = squares / (RUNS * K * variance)
    assert low < ratio < high
    assert not low < 1.5 * ratio < high


def ideal(mix: object) -> tuple[float, float]:
    """Return the chance of a right guess and the information of a mixture of subset selections, from its parts."""
    assert isinstance(mix, Mix)
    edge = frontier(K, EPSILON)
    corners = dict(zip(edge.sizes.tolist(), zip(edge.excess, edge.information, strict=True), strict=True))
    excess = information = 0.0
    for part in mix.parts:
        assert isinstance(part.protocol, SS)
        more, tells = corners[part.protocol.omega]
        excess, information = excess + float(part.weight) * more, information + float(part.weight) * tells
    return (1 + excess) / K, information
