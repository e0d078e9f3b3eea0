"""Weighing reports by their size: how much it gains, and that it loses nowhere (docs/explanation/collecting.md)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import norm

from oracles.weighing import Gain, shares, squared_errors
from qifldp.protocols.local_hashing import BLH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import PROTOCOLS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE

LEAST = 0.98
"""Plain over weighted error, below which the weights would lose."""

FALSE_ALARM = 1e-6
"""Chance that any of the ratios of one test falls below, were all of them at least one; seeds are fixed."""

KINDS: dict[str, Callable[[int, float], Protocol]] = {kind.name: kind for kind in (SUE, OUE, BLH, OLH, THE)}
KINDS["MIX"] = lambda k, epsilon: Mix(k, epsilon, parts="0.25*grr+0.3*ss+0.35*oue")  # and a tenth of silence
DOMAINS, EPSILONS, SHAPES = (2, 4, 10, 50, 200), (0.5, 1, 2, 4), ("uniform", "zipf", "one")
PEOPLE = 10_000


def falls_short(gains: list[Gain]) -> bool:
    """Return whether a ratio is below the least by more than its noise over the runs, at Bonferroni's level.

    A ratio of mean squared errors over 300 runs has a standard error of up to 0.2 (few values, errors that hardly
    resemble each other), and of 0.0004 where the two estimates are almost one: each is held against its own.
    """
    bound = float(norm.isf(FALSE_ALARM / len(gains)))
    return any(gain.ratio < LEAST - bound * gain.error for gain in gains)


def gains_of(protocol: str, k: int, epsilon: float, shape: str, *, swapped: bool = False) -> tuple[Gain, list[Gain]]:
    """Return the gain of the summed errors, and those of each value."""
    plain, weighted = squared_errors(KINDS[protocol](k, epsilon), shares(shape, k, PEOPLE))
    if swapped:
        plain, weighted = weighted, plain
    return Gain.of(plain.sum(axis=1), weighted.sum(axis=1)), [Gain.of(plain[:, x], weighted[:, x]) for x in range(k)]


@pytest.mark.parametrize(("k", "epsilon", "least"), [(2, 1, 1.8), (4, 2, 1.3), (10, 2, 1.1)])
def test_weights_gain_what_is_promised(k: int, epsilon: float, least: float) -> None:
    """For OUE and uniform data: twice fewer people at k = 2."""
    plain, weighted = squared_errors(OUE(k, epsilon), shares("uniform", k, PEOPLE))
    assert Gain.of(plain.sum(axis=1), weighted.sum(axis=1)).ratio >= least


QUICK = [
    ("SUE", 10, 4, "one"), ("OUE", 50, 4, "zipf"), ("BLH", 4, 2, "one"), ("OLH", 10, 0.5, "zipf"),
    ("MIX", 10, 4, "one"), ("MIX", 50, 1, "zipf"),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "k", "epsilon", "shape"), QUICK)
def test_weights_lose_nowhere_in_a_few_cases(protocol: str, k: int, epsilon: float, shape: str) -> None:
    """The first is the hardest for weights that are the same for all values, which lose there."""
    summed, by_value = gains_of(protocol, k, epsilon, shape)
    assert summed.ratio >= LEAST
    assert not falls_short(by_value)


def test_weights_that_lose_would_be_seen() -> None:
    """The two estimates swapped."""
    summed, by_value = gains_of("SUE", 10, 4, "one", swapped=True)
    assert summed.ratio < LEAST
    assert falls_short([summed])
    assert falls_short(by_value)


def test_protocols_whose_reports_have_sizes_are_in_the_grid() -> None:
    fixed = {"ss", "grr"}
    general = {"lh", "ue"}  # of which the grid has two members each
    assert {name.lower() for name in KINDS} == set(PROTOCOLS) - fixed - general


@pytest.mark.slow
@pytest.mark.parametrize("protocol", KINDS)
@pytest.mark.parametrize("k", DOMAINS)
def test_weights_lose_nowhere(protocol: str, k: int) -> None:
    for epsilon in EPSILONS:
        for shape in SHAPES:
            summed, by_value = gains_of(protocol, k, epsilon, shape)
            assert summed.ratio >= LEAST, (epsilon, shape)
            assert not falls_short(by_value), (epsilon, shape)
            assert np.median([gain.ratio for gain in by_value]) >= LEAST, (epsilon, shape)
