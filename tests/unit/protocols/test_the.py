"""The default threshold of THE has the least variance."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from oracles.cases import THETA_STEPS
from oracles.cases import best_threshold as trisected
from oracles.definitions import BudgetCase
from qifldp.protocols.threshold_histogram import THE

GRID = np.linspace(0.5, 1, 20_001)
"""Steps of 2.5e-5: the variance between grid points differs by less than 1e-8 from the nearest one's."""

EPSILONS = ("0.01", "0.05", "0.3", "1", "1.9", "2.1", "5", "10", "20", "50")


def variances(epsilon: float, theta: np.ndarray) -> np.ndarray:
    """Return q(1 − q)/(p − q)², with p − q written without cancellation."""
    rise, stay = np.exp(-epsilon * theta / 2) / 2, np.exp(-epsilon * (1 - theta) / 2) / 2
    return rise * (1 - rise) / (1 - stay - rise) ** 2


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_default_theta_has_the_least_variance_on_a_grid(epsilon: str) -> None:
    chosen = float(THE(2, epsilon).theta)
    on_grid = variances(float(epsilon), GRID)
    assert variances(float(epsilon), np.array([chosen]))[0] <= on_grid.min() * (1 + 1e-12)
    assert abs(chosen - GRID[on_grid.argmin()]) <= 2 * (GRID[1] - GRID[0])


@pytest.mark.parametrize("epsilon", [*EPSILONS, "1e-9", "300", "700"])
def test_default_theta_is_the_trisected_one(epsilon: str) -> None:
    """The root is found in doubles, and rounded to twelve decimals: the last may differ by one."""
    wanted = trisected(BudgetCase((), Fraction(epsilon)))
    assert abs(THE(2, epsilon).theta - wanted) <= Fraction(1, THETA_STEPS)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_variance_is_the_closed_form(epsilon: str) -> None:
    protocol = THE(50, epsilon)
    expected = variances(float(epsilon), np.array([float(protocol.theta)]))[0] / 1000
    # p − q is a difference of numbers near one half at small ε: the closed form in doubles loses three digits
    assert protocol.variance(0, 1000) == pytest.approx(expected, rel=1e-12)


def test_theta_is_part_of_the_description() -> None:
    assert THE(5, 1, theta="3/4").spec == "the:epsilon=1,theta=0.75"
    assert THE(5, 1, theta=0.75) == THE(5, 1, theta="3/4") != THE(5, 1)
    assert THE(5, 1).theta.denominator <= THETA_STEPS
    assert [THE(5, 1, theta=theta).theta for theta in (0.5, 1)] == [Fraction(1, 2), 1]
