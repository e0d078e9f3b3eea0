"""What the frontier of all ε-LDP protocols offers within a limit: a mixture of subset selections, or a single one."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction

from qifldp.comparison.candidates import ALIKE, Candidate, Goal, Kind, candidate_for, measured_at
from qifldp.comparison.frontier import (
    Mixture,
    best_epsilon_of_bits,
    best_selection,
    frontier,
    information_wanted,
    mixture_of_bits,
)
from qifldp.exact.budget import Budget, show_rational
from qifldp.protocols.specs import parse_spec
from qifldp.protocols.subset_selection import SS

WEIGHT_DIGITS = 6
"""Digits of the weights of a mixture."""

MOST_ERROR = 1e6
"""A mixture's standard error need not be larger: a frequency is at most one, and weights have finitely many digits."""

SIDES = (0, 1, -1)
"""Units of a weight's last digit to go on from where it is cut: one way or the other keeps the limit."""

EPSILON_DIGITS = 6
"""Digits of an ε that is chosen freely, not solved for."""


def offers_of_the_frontier(chosen: Candidate | None, k: int, n: int, goal: Goal) -> list[Candidate]:
    """Return the frontier's mixture within the limits, and beside a limit on reports the best single subset selection.

    Args:
        chosen: The best protocol named, at whose tight ε the mixture is if the goal sets no largest one.
        k: Number of values.
        n: Number of reports.
        goal: The limit.
    """
    alone, mixed = (_largest_size(k, goal.most_bytes, spare) for spare in (0, 1))
    offers: list[Candidate | None] = []
    budget = goal.largest
    if budget is None and chosen is not None and chosen.tight_epsilon is not None:
        budget = Budget.read(float(f"{chosen.tight_epsilon:.12g}"))
    if budget is not None and mixed:
        offers.append(_mixture(k, n, budget, goal, mixed))
    if goal.most_bytes is not None and alone:
        if goal.largest is not None:
            offers.append(_single(k, n, goal.largest, goal, alone))
        else:  # at the least ε, as those named
            found = candidate_for(parse_spec(f"ss:omega={alone}"), k, n, goal)
            offers.append(found if found.outcome != "infeasible" else None)
    return [one for one in offers if one is not None]


def _largest_size(k: int, most_bytes: int | None, spare: int) -> int:
    """Return the largest size of sets whose reports, and so many bytes to spare, fit; 0 if none does."""
    if most_bytes is None:
        return k - 1
    return bisect_right(range(1, k), most_bytes - spare, key=lambda size: SS(k, 1, omega=size).report_bytes)


def _mixture(k: int, n: int, budget: Budget, goal: Goal, largest_size: int) -> Candidate | None:
    """Return the frontier's mixture within a limit, its weights rounded so that it keeps it; None if there is none."""
    if goal.kind == "bits":
        best = best_epsilon_of_bits(k, budget, goal.number, largest_size=largest_size)
        if best < budget.epsilon * (1 - ALIKE):
            budget = Budget.read(float(f"{best:.{EPSILON_DIGITS}g}"))
    for spare in (0, ALIKE):  # at a corner there is nothing to round, and the figure may be a double's unit too large
        found = _mixture_within(goal.number * (1 - spare), k, n, budget, goal.kind, largest_size)
        parts = [] if found is None else [(size, weight) for size, weight in found.parts if size]
        for further in SIDES if parts else ():
            measured = measured_at(parse_spec(_mixture_spec(parts, budget, further)).build(k), n)
            if goal.is_kept(measured):
                return measured
    return None


def _mixture_within(limit: float, k: int, n: int, budget: Budget, kind: Kind, largest_size: int) -> Mixture | None:
    if kind == "bits":
        return mixture_of_bits(k, budget, limit, largest_size=largest_size)
    edge = frontier(k, budget, largest_size=largest_size)
    if kind == "error":
        return edge.mixture_of_error(min(limit, MOST_ERROR), n)
    return edge.mixture(max(limit, 1 / k) if kind == "asr" else 1.0)


def _single(k: int, n: int, budget: Budget, goal: Goal, largest_size: int) -> Candidate | None:
    """Return the best single subset selection within a limit; None if there is none."""
    for spare in (0, ALIKE):
        limit = goal.number * (1 - spare)
        size = best_selection(
            k,
            budget,
            largest_size,
            excess=k * limit - 1 if goal.kind == "asr" else math.inf,
            bits=limit if goal.kind == "bits" else math.inf,
            information=information_wanted(k, limit, n) if goal.kind == "error" else 0.0,
        )
        measured = None if size is None else measured_at(SS(k, budget, omega=size), n)
        if measured is not None and goal.is_kept(measured):
            return measured
    return None


def _mixture_spec(parts: Sequence[tuple[int, float]], budget: Budget, further: int) -> str:
    """Return one or two subset selections with their weights as a spec.

    The first is cut where the smaller weight has six digits, and the second or silence takes up what is left.

    Args:
        parts: Sizes and weights; what is left of one is silence, or the second part's.
        budget: Their ε.
        further: Units of the last digit to go on from there.
    """
    (first, weight), *rest = parts
    smaller = min(weight, rest[0][1] if rest else 1 - weight)
    unit = Fraction(10) ** (math.floor(math.log10(smaller if smaller > 0 else 0.1)) + 1 - WEIGHT_DIGITS)
    share = unit * (math.floor(Fraction(weight) / unit) + further)
    if share >= 1 or share <= 0:
        return f"ss:epsilon={budget},omega={first if share >= 1 else rest[0][0]}"
    shares = [(first, share)] + ([(rest[0][0], 1 - share)] if rest else [])
    text = "+".join(f"{show_rational(one)}*ss@{size}" for size, one in shares)
    return f"mix:epsilon={budget},parts={text}"
