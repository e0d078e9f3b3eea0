"""Whether a vector lies in the cone of others, in exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from qifldp.refinement.search.explicit_exact import PRIMES, independent_rows

MOST_STEPS = 10_000
"""Exchanges of columns at most: they end by themselves, but nobody knows a good bound."""


@dataclass(frozen=True)
class Place:
    """Where a target is.

    Attributes:
        weights: On some linearly independent columns, with which they sum to the target: all ≥ 0 if it is in the cone.
        functional: Not above zero on any column, and above zero on the target; None if it is inside, or not known.
    """

    weights: dict[int, fmpq]
    functional: list[fmpq] | None = None

    @property
    def inside(self) -> bool:
        """Whether the weights prove that the target is in the cone."""
        return all(weight >= 0 for weight in self.weights.values())


def place_in_cone(
    columns: Sequence[Sequence[fmpq]],
    target: Sequence[fmpq],
    start: Sequence[int],
    *,
    check_time: Callable[[], None],
    most_steps: int = MOST_STEPS,
) -> Place:
    """Find out whether a target is in the cone of columns that span the space.

    Source: the proof of the fundamental theorem of linear inequalities (Schrijver, Theory of Linear and Integer
    Programming, 1986, Theorem 7.1), which is the simplex method with Bland's rule: of the columns with a negative
    weight the first leaves, and the first column beyond the plane through the others enters. It ends from any start.

    Args:
        columns: The columns.
        target: What may be a sum of them with weights ≥ 0.
        start: Linearly independent columns, as many as there are rows.
        check_time: Called before each step; raises an error to give up.
        most_steps: After which neither is known.
    """
    table = fmpq_mat(columns)
    wanted = fmpq_mat([[entry] for entry in target])
    basis, weights = list(start), dict[int, fmpq]()
    for _ in range(most_steps):
        check_time()
        square = fmpq_mat([columns[y] for y in basis])
        weights = dict(zip(basis, square.transpose().solve(wanted).entries(), strict=True))
        negative = [y for y in basis if weights[y] < 0]
        if not negative:
            break
        leaving = min(negative)
        plane = square.solve(fmpq_mat([[int(y == leaving)] for y in basis]))
        entering = next((y for y, value in enumerate((table * plane).entries()) if value < 0), None)
        if entering is None:
            return Place(weights, [-entry for entry in plane.entries()])
        basis[basis.index(leaving)] = entering
    return Place(weights)


def independent_columns(columns: Sequence[Sequence[fmpq]], order: Sequence[int]) -> list[int]:
    """Return the first columns in an order that are linearly independent, as many as there are rows.

    Raises:
        ArithmeticError: If every prime hides some of the rank.
    """
    table = fmpq_mat([columns[y] for y in order])
    for prime in PRIMES:
        try:
            found = independent_rows(table, prime)
        except ValueError:  # the prime divides a denominator
            continue
        if len(found) == table.ncols():  # independent modulo a prime, so independent
            return [order[index] for index in found]
    raise ArithmeticError("The rank of a channel matrix was not found modulo any of the primes.")
