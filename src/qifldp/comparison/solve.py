"""Inverse questions: the budget at which a figure of a protocol takes a wanted value."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.optimize import brentq

from qifldp.exact.budget import LARGEST_EPSILON

SMALLEST_SOLVED = 1e-9
"""Budgets are looked for from here to the largest, 700."""

SCAN_POINTS = 48
"""Points of the geometric scan that brackets a crossing. Figures of OLH at tiny domains fall a little where its
rounded g jumps, so the scan, not one bracket, decides which crossing is taken."""


@dataclass(frozen=True)
class Solution:
    """A budget that answers an inverse question, or why there is none.

    Attributes:
        epsilon: ε, or None.
        reason: Why there is no ε, or what to know about it; empty if it simply is the answer.
    """

    epsilon: float | None
    reason: str = ""


def solve(
    figure: Callable[[float], float],
    target: float,
    *,
    rising: bool = True,
    take: Literal["first", "last"] = "last",
    step: Callable[[], None] | None = None,
) -> Solution:
    """Return the budget at which a figure crosses a target.

    The answer is on the admissible side: the figure there does not exceed the target.

    Args:
        figure: The figure as a function of ε.
        target: The value wanted.
        rising: Whether the figure grows with ε (leakage), or falls (error).
        take: Which crossing to take, should there be several.
        step: Called after every evaluation of the figure.
    """

    def excess(log_epsilon: float) -> float:
        value = figure(math.exp(log_epsilon))
        if step is not None:
            step()
        return math.log(value) - math.log(target)

    grid = np.linspace(math.log(SMALLEST_SOLVED), math.log(LARGEST_EPSILON), SCAN_POINTS)
    grid[-1] = math.nextafter(grid[-1], 0)  # the largest budget itself must not be exceeded by rounding
    signs = [excess(point) <= 0 for point in grid]
    if all(signs):
        return Solution(None, "every ε reaches it")
    crossings = [i for i in range(SCAN_POINTS - 1) if signs[i] == rising and signs[i + 1] != rising]
    if not crossings:
        return Solution(None, "no ε reaches it")
    index = crossings[-1] if take == "last" else crossings[0]
    root = float(brentq(excess, grid[index], grid[index + 1], xtol=1e-15, rtol=8.9e-16))
    toward = -1 if rising else 1
    shift = 0.0
    while excess(root + toward * shift) > 0:  # step from the rounded root to the admissible side
        shift = max(2 * shift, 1e-15)
    return Solution(math.exp(root + toward * shift))
