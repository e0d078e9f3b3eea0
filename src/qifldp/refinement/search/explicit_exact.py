"""Exact linear algebra for the refinement of explicit channels: classes, independent rows, gains and bounds (flint)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
from flint import fmpq, fmpq_mat, nmod_mat
from numpy.typing import NDArray

from qifldp.exact.budget import nearest_double
from qifldp.refinement.proofs import GainMatrix
from qifldp.refinement.verify_explicit import posterior_gain

Floats = NDArray[np.float64]

PRIMES = (2**61 - 1, 2**62 - 57, 2**63 - 25)
"""Ranks are guessed modulo these and then checked exactly; a guess is wrong with chance about 1e-15."""

GAIN_BITS = tuple(40 * 2**step for step in range(11))
"""Bits after the point that a gain function is rounded to: the first with which it still separates."""

WITNESS_BITS = 60
"""Bits of the largest entry of a column made stochastic: below the spacing of doubles there, so little is lost."""

SMALLEST_COLUMN = 1e-100
"""Columns below it keep fewer bits: every matrix that they are multiplied with grows by theirs."""


def rational(value: Fraction | float) -> fmpq:
    """Return a Fraction or a float as the flint rational that it is."""
    return fmpq(*value.as_integer_ratio())


def fraction(value: fmpq) -> Fraction:
    """Return a flint rational as a Fraction."""
    return Fraction(int(value.p), int(value.q))


def flint_matrix(rows: Iterable[Iterable[Fraction | float]]) -> fmpq_mat:
    """Return a table of Fractions or floats as an exact flint matrix."""
    return fmpq_mat([[rational(entry) for entry in row] for row in rows])


def fractions(matrix: fmpq_mat) -> list[list[Fraction]]:
    """Return a flint matrix as a table of Fractions."""
    return [[fraction(entry) for entry in row] for row in matrix.tolist()]


def floats(matrix: fmpq_mat) -> Floats:
    """Return a flint matrix rounded to floats."""
    return np.array([[nearest_double(fraction(entry)) for entry in row] for row in matrix.tolist()], dtype=np.float64)


def part(matrix: fmpq_mat, rows: Sequence[int] | None, columns: Sequence[int] | None = None) -> fmpq_mat:
    """Return the matrix of the chosen rows and columns (None: all)."""
    table = matrix.tolist()
    kept = table if rows is None else [table[row] for row in rows]
    return fmpq_mat(kept if columns is None else [[row[column] for column in columns] for row in kept])


def column_classes(matrix: fmpq_mat) -> list[list[int]]:
    """Return the classes of exactly proportional columns, zero columns left out, in order of appearance."""
    classes: dict[tuple[tuple[int, int], ...], list[int]] = {}
    for index, column in enumerate(matrix.transpose().tolist()):
        lead = next((entry for entry in column if entry), None)
        if lead is not None:
            direction = [entry / lead for entry in column]
            classes.setdefault(tuple((int(entry.p), int(entry.q)) for entry in direction), []).append(index)
    return list(classes.values())


def merged(matrix: fmpq_mat, classes: list[list[int]]) -> fmpq_mat:
    """Return the matrix with the columns of each class summed."""
    return fmpq_mat([[sum((row[i] for i in group), fmpq(0)) for group in classes] for row in matrix.tolist()])


def independent_rows(matrix: fmpq_mat, prime: int) -> list[int]:
    """Return rows that are linearly independent, as many as the rank modulo a prime (the true rank, nearly surely)."""
    table = [[int(v.p) * pow(int(v.q), -1, prime) % prime for v in row] for row in matrix.transpose().tolist()]
    reduced, rank = nmod_mat(table, prime).rref()
    rows = reduced.tolist()[:rank]
    return [next(index for index, entry in enumerate(row) if int(entry)) for row in rows]


def dependencies(matrix: fmpq_mat) -> tuple[list[int], list[int], fmpq_mat | None]:
    """Return independent rows S, the other rows, and L with matrix[others] = L · matrix[S] (None if there are none).

    Raises:
        ArithmeticError: If every prime guessed a wrong rank.
    """
    for prime in PRIMES:
        try:
            rows = independent_rows(matrix, prime)
        except ValueError:  # the prime divides a denominator
            continue
        others = sorted(set(range(matrix.nrows())) - set(rows))
        if not others:
            return rows, others, None
        basis = part(matrix, rows)
        columns = independent_rows(basis.transpose(), prime)
        square = part(basis, None, columns)
        factor = square.transpose().solve(part(matrix, others, columns).transpose()).transpose()
        if factor * basis == part(matrix, others):
            return rows, others, factor
    raise ArithmeticError("The rank of a channel matrix was not found modulo any of the primes.")


def separating_gain(
    actions: Sequence[Sequence[Fraction]], original: fmpq_mat, refined: fmpq_mat, *, most_bits: int = GAIN_BITS[-1]
) -> GainMatrix | None:
    """Return the actions rounded to as few bits as still gain strictly more from B than from A, made non-negative.

    Args:
        actions: A gain function, a row an action, of any sign.
        original: A.
        refined: B.
        most_bits: Bits after the point at which to give up.
    """
    largest = max(abs(entry) for row in actions for entry in row)
    if not largest:
        return None
    scale = Fraction(2) ** (largest.denominator.bit_length() - largest.numerator.bit_length())
    for bits in GAIN_BITS:
        if bits > most_bits:
            break
        unit = Fraction(1, 2**bits)
        rounded = [[round(entry * scale / unit) * unit for entry in row] for row in actions]
        table = flint_matrix(rounded)
        if posterior_gain(table, original) < posterior_gain(table, refined):
            least = [min(column) for column in zip(*rounded, strict=True)]
            return GainMatrix(tuple(tuple(v - low for v, low in zip(row, least, strict=True)) for row in rounded))
    return None


def stochastic(matrix: Floats) -> fmpq_mat:
    """Return a float matrix clipped, rounded in proportion to its columns, and completed to a stochastic one."""
    table = np.nan_to_num(np.clip(matrix, 0.0, 1.0))
    table = np.where(table.sum(axis=1, keepdims=True) > 0, table, 1.0)
    table /= table.sum(axis=1, keepdims=True)
    small = np.frexp(np.maximum(table.max(axis=0), SMALLEST_COLUMN))[1]
    bits = [WITNESS_BITS - int(exponent) for exponent in small]
    rows = []
    for row in table.tolist():
        entries = [fmpq(math.floor(math.ldexp(value, b)), 1 << b) for value, b in zip(row, bits, strict=True)]
        largest = max(range(len(entries)), key=entries.__getitem__)
        entries[largest] += 1 - sum(entries, fmpq(0))
        rows.append(entries)
    return fmpq_mat(rows)


def distances(original: fmpq_mat, witness: fmpq_mat, refined: fmpq_mat) -> tuple[float, float]:
    """Return max_x TV((A·W)_x, B_x), rounded up, and the largest error of a column in proportion to its largest entry.

    For stochastic W the first is a proved upper bound on the Le Cam deficiency.
    """
    table = [[abs(entry) for entry in row] for row in (original * witness - refined).tolist()]
    total = fraction(max(sum(row, fmpq(0)) for row in table)) / 2
    columns = zip(zip(*table, strict=True), refined.transpose().tolist(), strict=True)
    relative = max(fraction(max(error) / max(column)) for error, column in columns)
    bound = float(total)
    return (bound if Fraction(bound) >= total else math.nextafter(bound, math.inf)), float(relative)
