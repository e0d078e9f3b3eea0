"""Inverse questions: the budget at which a figure of a protocol takes a wanted value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import cache
from itertools import groupby
from typing import Literal

import numpy as np

from qifldp.errors import InputError
from qifldp.exact.budget import LARGEST_EPSILON

SMALLEST_SOLVED = 1e-9
"""Budgets are looked for from here to the largest, 700."""

SCAN_POINTS = 48
"""Points of the geometric scan that brackets a crossing. Figures of OLH at tiny domains fall a little where its
rounded g jumps, so the scan, not one bracket, decides which crossing is taken."""

DIGITS = 12
"""Digits of a solved budget: the last of a double depend on the processor, and no deployment needs them."""

MATCHED = 1e-9
"""Relative difference within which a solved figure counts as equal to the target."""

INSIDE = 1e-14
"""Relative distance from a jump at which a piece is evaluated: some fifty roundings, so that it is the piece meant."""


@dataclass(frozen=True)
class Solution:
    """A budget that answers an inverse question, or why there is none.

    Attributes:
        epsilon: ε, or None.
        reason: Why there is no ε, or what to know about it; empty if it simply is the answer.
    """

    epsilon: float | None
    reason: str = ""


@dataclass(frozen=True)
class Piece:
    """A range of budgets on which a protocol's rounded parameters stay the same; None where it has no end."""

    start: float | None = None
    end: float | None = None


def solve(
    figure: Callable[[float], float],
    target: float,
    *,
    rising: bool = True,
    take: Literal["first", "last"] = "last",
    piece: Callable[[float], Piece] = lambda _: Piece(),
    largest: float = LARGEST_EPSILON,
    draft: Callable[[float], float] | None = None,
) -> Solution:
    """Return the budget at which a figure crosses a target.

    The answer is on the admissible side: the figure there does not exceed the target, not by a bit.

    A scan finds the crossing wanted between two of its points. Within a piece on which rounded parameters stay
    the same every figure is monotone; at the jump between two pieces it may step back. So from the piece of
    that crossing the search goes on to the next piece (or the one before) as long as its near end would do.

    Args:
        figure: The figure as a function of ε, positive.
        target: The value wanted, positive.
        rising: Whether the figure grows with ε (leakage), or falls (error).
        take: Which crossing to take, should there be several.
        piece: The piece in which an ε lies.
        largest: The largest ε that is looked at.
        draft: The same figure from a cheaper computation, which may be some roundings off. It finds the crossing; the
            figure itself decides on which side of it the answer is.

    Raises:
        InputError: If the largest ε is not above the smallest that is looked at, 1e-9.
    """
    from scipy.optimize import brentq  # noqa: PLC0415  # a quarter of the time that importing qifldp would take

    figure = cache(figure)
    cheap = figure if draft is None else cache(draft)

    def log_figure(log_epsilon: float) -> float:
        return math.log(cheap(math.exp(log_epsilon))) - math.log(target)

    def root(low: float, high: float) -> float:
        return float(brentq(log_figure, low, high, xtol=1e-15, rtol=8.9e-16))

    if largest <= SMALLEST_SOLVED:
        raise InputError.expected("The largest ε to look at", f"above {SMALLEST_SOLVED:g}", largest)
    grid = np.linspace(math.log(SMALLEST_SOLVED), math.log(largest), SCAN_POINTS)
    grid[-1] = math.nextafter(grid[-1], 0)  # the largest budget itself must not be exceeded by rounding

    @cache
    def reached(place: int) -> bool:
        return log_figure(grid[place]) <= 0

    runs = [list(run) for _, run in groupby(range(SCAN_POINTS), key=lambda place: piece(math.exp(grid[place])))]
    index = _crossing(runs, reached, before=rising, last=take == "last")
    if index is None:
        return Solution(None, "every ε reaches it" if reached(0) else "no ε reaches it")
    found = root(grid[index], grid[index + 1])
    step = 1 if take == "last" else -1
    while (ends := _neighbour(piece, math.exp(found), step, largest)) is not None:
        near, far = math.log(ends[0]), math.log(ends[1])
        before_near = log_figure(near) <= 0
        if before_near != (rising == (take == "last")):
            break
        found = far if (log_figure(far) <= 0) == before_near else root(*sorted((near, far)))
    epsilon, shift = math.exp(found), 0.0
    while figure(epsilon * (1 - shift if rising else 1 + shift)) > target:  # step to the admissible side
        shift = max(2 * shift, 1e-15)
    epsilon *= 1 - shift if rising else 1 + shift
    return Solution(_in_few_digits(epsilon, figure, target, down=rising))


def _crossing(runs: Sequence[Sequence[int]], reached: Callable[[int], bool], *, before: bool, last: bool) -> int | None:
    """Return the first or last point between which and the next one the target is crossed; None if none is.

    Within a run of points in one piece the figure is monotone, so that the ends of runs are asked, and what is between
    them only where the crossing is.

    Args:
        runs: The points of each piece, in order.
        reached: Whether the target is reached at a point.
        before: Whether it is reached before the crossing.
        last: Whether the last crossing is wanted.
    """
    previous: bool | None = None  # at the nearest point of the run looked at before this one
    for run in reversed(runs) if last else runs:
        low, high = run[0], run[-1]
        if last and reached(high) == before and previous is (not before):
            return high
        if not last and reached(low) != before and previous is before:
            return low - 1
        if reached(low) == before and reached(high) != before:
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (middle, high) if reached(middle) == before else (low, middle)
            return low
        previous = reached(low if last else high)
    return None


def _in_few_digits(epsilon: float, figure: Callable[[float], float], target: float, *, down: bool) -> float:
    """Return an admissible ε of few digits, so that one question has one answer on every processor.

    The nearest such number if the figure there does not exceed the target, else the next on the admissible side; ε as
    it is if a jump of the figure lies between.
    """
    context = Context(prec=DIGITS)
    nearest = context.create_decimal_from_float(epsilon)
    context.rounding = ROUND_FLOOR if down else ROUND_CEILING
    for rounded in (float(nearest), float(context.create_decimal_from_float(epsilon))):
        if figure(rounded) <= target and math.isclose(figure(rounded), figure(epsilon), rel_tol=MATCHED):
            return rounded
    return epsilon


def _neighbour(
    piece: Callable[[float], Piece], epsilon: float, step: int, largest: float
) -> tuple[float, float] | None:
    """Return the near and the far end of the next piece (step 1) or the one before (−1), both inside it.

    What of a piece is beyond the budgets that are looked at is not of it.
    """
    here = piece(epsilon)
    edge = here.end if step > 0 else here.start
    if edge is None or not SMALLEST_SOLVED < edge < largest:
        return None
    near = edge * (1 + step * INSIDE)
    there = piece(near)
    far = there.end if step > 0 else there.start
    limit = math.nextafter(largest, 0) if step > 0 else SMALLEST_SOLVED
    far = limit if far is None or step * (far - limit) >= 0 else far * (1 - step * INSIDE)
    return (near, far) if step * (far - near) > 0 else None
