"""Priors that a closed form can get wrong: skewed, tied, with zeros, certain, on the edge of a change of mind."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

Weights = list[Fraction]


def normalised(weights: Sequence[int | Fraction]) -> Weights:
    total = sum(Fraction(weight) for weight in weights)
    return [Fraction(weight) / total for weight in weights]


def zipf(size: int) -> Weights:
    return normalised([Fraction(1, rank) for rank in range(1, size + 1)])


def awkward_priors(size: int, ratio: object) -> dict[str, Weights]:
    """Return named priors over ``size`` secrets, unsorted where that matters.

    Args:
        size: Number of secrets.
        ratio: The channel's likelihood ratio; if it is rational, one prior sits where a report just changes a mind.
    """
    found = {
        "zipf": zipf(size),
        "rising": zipf(size)[::-1],
        "zeros": normalised([0, 3, 1, 2, 2, 1][:size]),
        "ties": normalised([2, 1, 2, 1, 1, 2][:size]),
        "steep": normalised([Fraction(1, 20**rank) for rank in range(size)]),
        "point mass": normalised([0] * (size - 1) + [1]),
    }
    if isinstance(ratio, Fraction):
        edge = [Fraction(1), ratio, Fraction(1), ratio, Fraction(1), 1 / ratio]
        found["on the edge"] = normalised(edge[:size])
    return found
