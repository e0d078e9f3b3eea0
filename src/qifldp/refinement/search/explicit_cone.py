"""Witnesses between small exact channels as a place in a cone: ties, and the margin to its last digit.

A·W = B and W·1 = 1 say that (B, 1) lies in a cone with a generator for each entry of W ≥ 0. The generator of W[y, z]
has A[:, y] in the place of B's column z, and 1 in that of row y; the last column of B follows from the others.
"""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from flint import fmpq, fmpq_mat

from qifldp.errors import ConvergenceError
from qifldp.refinement.search.cone import independent_columns, place_in_cone
from qifldp.refinement.search.explicit_exact import dependencies, fraction, part
from qifldp.refinement.search.linear import check_time

ZERO, ONE = fmpq(0), fmpq(1)


def equations(original: fmpq_mat, refined: fmpq_mat) -> int:
    """Return the number of equations that W has to satisfy: all of them independent, if A has full row rank."""
    return int(original.nrows() * (refined.ncols() - 1) + original.ncols())


def generators(original: fmpq_mat, outputs: int) -> list[list[fmpq]]:
    """Return the generators of the entries of W by rows, for B of so many outputs."""
    columns, secrets = original.transpose().tolist(), original.nrows()
    nothing, found = [ZERO] * secrets, []
    for y, column in enumerate(columns):
        row = [ONE if other == y else ZERO for other in range(len(columns))]
        for z in range(outputs):
            blocks = [entry for place in range(outputs - 1) for entry in (column if place == z else nothing)]
            found.append([*blocks, *row])
    return found


def target(product: fmpq_mat, sums: list[fmpq]) -> list[fmpq]:
    """Return what the generators sum to for a W with the product A·W and the row sums."""
    return [*(entry for column in product.transpose().tolist()[:-1] for entry in column), *sums]


def exact_margin(original: fmpq_mat, refined: fmpq_mat, *, deadline: float | None = None) -> Fraction:
    """Return the largest t for which some W ≥ 0 has A·W = t·B + (1 − t)·1b̄ and W·1 = 1, exactly.

    From a t that is too large, a functional that keeps the target out of the cone gives the next: the t at which it
    no longer does (Newton's method for a concave function of pieces, so it ends at the margin).

    Args:
        original: A, of shape (k, m), without zero columns.
        refined: B, of shape (k, n), without zero columns, not all rows equal.
        deadline: ``time.monotonic()`` at which to give up.

    Raises:
        ConvergenceError: If the time is up.
    """
    k, outputs = refined.nrows(), refined.ncols()
    mean = fmpq_mat([[sum(column, ZERO) / k for column in refined.transpose().tolist()]] * k)
    said = refined - mean
    rows, others, factor = dependencies(original)
    if factor is not None and any((part(said, others) - factor * part(said, rows)).entries()):
        return Fraction(0)  # A's rows have a relation that what B says does not have
    largest = min(-at / by for at, by in zip(mean.entries(), said.entries(), strict=True) if by < 0)
    a, still, moving = part(original, rows), part(mean, rows), part(said, rows)
    columns = generators(a, outputs)
    rest, slope = target(still, [ONE] * a.ncols()), target(moving, [ZERO] * a.ncols())
    basis = independent_columns(columns, range(len(columns)))
    t = largest
    while True:
        place = place_in_cone(
            columns,
            [c + t * d for c, d in zip(rest, slope, strict=True)],
            basis,
            check_time=partial(check_time, deadline),
        )
        if place.inside:
            return fraction(t)
        if place.functional is None:
            raise ConvergenceError("The exact margin takes too many steps.")
        at, by = (
            sum((f * entry for f, entry in zip(place.functional, vector, strict=True)), ZERO)
            for vector in (rest, slope)
        )
        t, basis = -at / by, list(place.weights)
