"""Witnesses known by what they lie near to: short decimals where the exact solution has thousands of digits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat

from qifldp.refinement.search.explicit_exact import Floats, flint_matrix, floats
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify_explicit import check_near_witness

DIGITS = (17, 34, 51, 68)
"""Digits of an entry in each round: a correction in doubles finds at most so many more."""

LEAST_ROOM = 1e-9
"""Share of the largest room that a row is taken to have at least, so that its column of A is not lost to rounding."""


def near_witness(original: fmpq_mat, refined: fmpq_mat, interior: Floats) -> tuple[fmpq_mat, fmpq_mat] | None:
    """Return W₀ and R that prove a witness (:class:`~qifldp.refinement.certificate.NearWitness`), if these floats do.

        W₀ ← W₀ + R (B − A·W₀)

    R is a right inverse of A that moves the rows of W₀ in proportion to their room, their smallest entries. As in any
    iterative refinement, floats do for R and the step, if what is lacking is exact.

    Args:
        original: A, of full row rank.
        refined: B.
        interior: Positive, and for A that is not square roughly a witness; for square A any start will do.
    """
    room = interior.min(axis=1, keepdims=True)
    room = np.maximum(room / room.max(), LEAST_ROOM)
    try:
        inverse = room * np.linalg.pinv(floats(original) * room.T)
    except np.linalg.LinAlgError:
        return None
    decimals = _shortest(inverse)
    near = _shortest(interior)
    for digits in DIGITS:
        moved = near + flint_matrix(inverse @ floats(refined - original * near))
        near = fmpq_mat([_rounded(row, digits) for row in moved.tolist()])
        try:
            check_near_witness(original, refined, near, decimals)
        except CertificateError:
            continue
        return near, decimals
    return None


def _shortest(table: Floats) -> fmpq_mat:
    """Return floats as the shortest decimals that print them."""
    return flint_matrix([[Fraction(repr(entry)) for entry in row] for row in table.tolist()])


def _rounded(row: list[fmpq], digits: int) -> list[fmpq]:
    """Return entries rounded down to so many digits (or one more), the largest made up so that they sum to one."""
    short = []
    for entry in row:
        top, bottom = int(entry.p), int(entry.q)
        scale = 10 ** max(digits + len(str(bottom)) - len(str(abs(top))), 0)
        short.append(fmpq(top * scale // bottom, scale))
    largest = max(range(len(short)), key=short.__getitem__)
    short[largest] += 1 - sum(short, fmpq(0))
    return short
