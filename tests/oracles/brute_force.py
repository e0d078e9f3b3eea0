"""Measures of an explicit matrix, summed up straight from their definitions.

Numbers are exact rationals (``Fraction``) or decimals of sixty digits (``Decimal``), never mixed. A matrix is a
list of rows (secrets) of Pr[output | secret]; a prior a list; a gain function a list of actions, each a list of
gains, one for each secret. Nothing here imports the package.
"""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import inf
from typing import Any, TypeAlias

DIGITS = 60
"""Decimal digits: what cancels in a measure of a small channel leaves forty at least."""

decimal.getcontext().prec = DIGITS

Number: TypeAlias = Any
Row: TypeAlias = Sequence[Number]
Matrix: TypeAlias = Sequence[Row]


def as_decimal(value: Number) -> Decimal:
    """Return a rational as a decimal of sixty digits; decimals stay."""
    if isinstance(value, Fraction):
        return Decimal(value.numerator) / Decimal(value.denominator)
    return Decimal(value)


def decimals(row: Row) -> list[Decimal]:
    return [as_decimal(entry) for entry in row]


def like(matrix: Matrix, prior: Row) -> list[Number]:
    """Return a rational prior or action in the kind of number that the matrix has."""
    return list(prior) if isinstance(matrix[0][0], Fraction) else decimals(prior)


def uniform(size: int) -> list[Fraction]:
    return [Fraction(1, size)] * size


def columns(matrix: Matrix) -> list[tuple[Number, ...]]:
    return list(zip(*matrix, strict=True))


def joint_columns(matrix: Matrix, prior: Row) -> list[list[Number]]:
    weights = like(matrix, prior)
    return [[w * c for w, c in zip(weights, column, strict=True)] for column in columns(matrix)]


def guess_gain(size: int, tries: int) -> list[list[int]]:
    """Return the gain of naming ``tries`` values: 1 if the secret is among them."""
    return [[int(x in chosen) for x in range(size)] for chosen in combinations(range(size), min(tries, size))]


def membership_gain(size: int, members: Sequence[int]) -> list[list[int]]:
    """Return the gain of saying yes or no to "is it one of these?"."""
    return [[int(x in members) for x in range(size)], [int(x not in members) for x in range(size)]]


def distance_gain(size: int) -> list[list[Fraction]]:
    """Return the gain of coming near: 1 − |w − x|/(k − 1)."""
    return [[1 - Fraction(abs(w - x), size - 1) for x in range(size)] for w in range(size)]


def prior_vulnerability(prior: Row, gain: Matrix) -> Number:
    return max(sum(p * g for p, g in zip(prior, action, strict=True)) for action in gain)


def posterior_vulnerability(matrix: Matrix, prior: Row, gain: Matrix) -> Number:
    """Return Σ_y max_w Σ_x π_x C[x, y] g(w, x)."""
    actions = [like(matrix, action) for action in gain]
    return sum(prior_vulnerability(column, actions) for column in joint_columns(matrix, prior))


def max_case_posterior_vulnerability(matrix: Matrix, prior: Row, gain: Matrix) -> Number:
    """Return the largest Pr[x | y] · g(w, x) over all actions, secrets, and outputs that occur."""
    peak = [max(action[x] for action in gain) for x in range(len(matrix))]
    return max(
        entry / sum(column) * peak[x]
        for column in joint_columns(matrix, prior)
        if sum(column) > 0
        for x, entry in enumerate(column)
    )


def worst_output_vulnerability(matrix: Matrix, prior: Row, gain: Matrix) -> Number:
    """Return max_y V_g(posterior of y)."""
    return max(
        prior_vulnerability(column, gain) / sum(column) for column in joint_columns(matrix, prior) if sum(column) > 0
    )


def bayes_capacity(matrix: Matrix) -> Number:
    return sum(max(column) for column in columns(matrix))


def largest_ratio(matrix: Matrix) -> Number:
    """Return the largest C[x, y]/C[x', y]; infinite if an output is possible for some secrets only."""
    seen = [column for column in columns(matrix) if max(column) > 0]
    return inf if any(min(column) == 0 for column in seen) else max(max(column) / min(column) for column in seen)


def bits(nats: Decimal) -> Decimal:
    return nats / Decimal(2).ln()


def mutual_information(matrix: Matrix, prior: Row) -> Decimal:
    """Return Σ π_x C[x, y] log2(C[x, y] / Pr[y])."""
    rows, weights = [decimals(row) for row in matrix], decimals(prior)
    total = Decimal(0)
    for column in columns(rows):
        outer = sum(w * c for w, c in zip(weights, column, strict=True))
        total += sum((w * c * _ln(c / outer) for w, c in zip(weights, column, strict=True) if w * c > 0), Decimal(0))
    return bits(total)


def sibson_information(matrix: Matrix, order: float, prior: Row) -> Decimal:
    """Return a/(a − 1) · log2 Σ_y (Σ_x π_x C[x, y]^a)^{1/a}, with its limits at a = 1 and a = ∞."""
    if order == 1:
        return mutual_information(matrix, prior)
    rows, weights = [decimals(row) for row in matrix], decimals(prior)
    if order == inf:
        support = [row for row, w in zip(rows, weights, strict=True) if w > 0]
        return bits(Decimal(bayes_capacity(support)).ln())
    a = Decimal(repr(order))
    total = Decimal(0)
    for column in columns(rows):
        mean = sum((w * _power(c, a) for w, c in zip(weights, column, strict=True) if w * c > 0), Decimal(0))
        total += _power(mean, 1 / a)
    return bits(a / (a - 1) * total.ln())


@lru_cache(maxsize=10_000)
def _power(base: Decimal, exponent: Decimal) -> Decimal:
    return base**exponent if base > 0 else Decimal(0)


@lru_cache(maxsize=10_000)
def _ln(value: Decimal) -> Decimal:
    return value.ln()


def guessing_entropy(matrix: Matrix, prior: Row) -> Number:
    """Return the expected rank of the secret when the likeliest values are guessed first."""
    return sum(
        rank * entry
        for column in joint_columns(matrix, prior)
        for rank, entry in enumerate(sorted(column, reverse=True), start=1)
    )


def total_variation(first: Row, second: Row) -> Number:
    return sum(abs(a - b) for a, b in zip(first, second, strict=True)) / 2


def pairwise_advantage(matrix: Matrix) -> Number:
    return max(total_variation(a, b) for a, b in combinations(matrix, 2))


def delta(first: Row, second: Row, exp_epsilon: Number) -> Number:
    """Return the smallest δ for which both rows are (ε, δ)-indistinguishable, both ways."""
    zero = first[0] * 0
    forward = sum(max(zero, b - exp_epsilon * a) for a, b in zip(first, second, strict=True))
    return max(forward, sum(max(zero, a - exp_epsilon * b) for a, b in zip(first, second, strict=True)))


def type_two_error(first: Row, second: Row, alpha: Number) -> Number:
    """Return the least type II error of a test with type I error at most α, by linear-programming duality.

    min β = max over λ ≥ 0 of Σ_y min(second, λ · first) − λα; the maximum is at a likelihood ratio (or at 0).
    """
    ratios = {b / a for a, b in zip(first, second, strict=True) if a > 0} | {first[0] * 0}
    best = max(sum(min(b, r * a) for a, b in zip(first, second, strict=True)) - r * alpha for r in ratios)
    if alpha == 0:  # λ → ∞
        best = max(best, sum(b for a, b in zip(first, second, strict=True) if a > 0))
    return best


def abstract_channel(matrix: Matrix) -> dict[tuple[Number, ...], Number]:
    """Return the posteriors under the uniform prior, rounded to forty digits if not exact, with their masses."""
    found: dict[tuple[Number, ...], Number] = {}
    for column in columns(matrix):
        total = sum(column)
        if total > 0:
            posterior = tuple(entry / total for entry in column)
            if isinstance(total, Decimal):
                posterior = tuple(round(entry, 40) for entry in posterior)
            found[posterior] = found.get(posterior, total * 0) + total / len(column)
    return found
