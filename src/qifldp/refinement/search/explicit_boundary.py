"""Exact witnesses near floats: a correction inside the set of garblings, vertices and supports on its boundary."""

from __future__ import annotations

from fractions import Fraction

import highspy
import numpy as np
from flint import fmpq, fmpq_mat
from scipy.linalg import qr
from scipy.sparse.linalg import LinearOperator, lsqr

from qifldp.refinement.search.explicit_exact import (
    PRIMES,
    Floats,
    flint_matrix,
    floats,
    independent_rows,
    part,
    stochastic,
)
from qifldp.refinement.search.explicit_proportion import margin_in_proportion
from qifldp.refinement.search.linear import FINEST, UnsolvedError, maximisation, run_to_optimum, silent_solver

SUPPORT = 1e-5
"""An entry of a garbling above this is taken to be positive: an interior point stops within 1e-6 of the boundary."""

VERTEX_SUPPORT = 1e-9
"""The same for a vertex, whose other entries are zero but for the solver's own tolerance."""

SIMPLE = 1000
"""Denominators up to this are tried for every entry at once: merging, copying and coin flips have small ones."""

MOST_VERTEX_UNKNOWNS = 1_000
"""Entries of a witness for which a vertex is looked for: its support is solved for in one exact system."""

POLISHING_ROUNDS = 3
"""Rounds of least squares: each takes the residual down to the rounding of the one before."""


def corrected_witness(original: fmpq_mat, refined: fmpq_mat, interior: Floats) -> fmpq_mat | None:
    """Return the exact witness near a positive one: only rows at a basis T of A's columns are moved.

        W_T ← W_T + A_T⁻¹ (B − A·W)

    If W is stochastic, its row sums stay: A_T⁻¹ (B·1 − A·W·1) = A_T⁻¹ (1 − 1) = 0.

    Args:
        original: A, of full row rank.
        refined: B.
        interior: W in floats.
    """
    weighted = floats(original) * interior.min(axis=1)
    basis = qr(weighted, mode="r", pivoting=True)[1][: original.nrows()].tolist()
    table = stochastic(interior)
    try:
        move = part(original, None, basis).solve(refined - original * table)
    except ZeroDivisionError:
        return None
    rows = table.tolist()
    for index, row in zip(basis, move.tolist(), strict=True):
        rows[index] = [entry + change for entry, change in zip(rows[index], row, strict=True)]
    return fmpq_mat(rows) if all(entry >= 0 for row in rows for entry in row) else None


def polished(original: Floats, refined: Floats, garbling: Floats) -> Floats:
    """Return the garbling with small entries at zero and the others moved least to meet A·W = B and W·1 = 1.

    Each column in units of B's largest entry in it: a small column is met as well, in proportion, as a large one.
    """
    scale = refined.max(axis=0)
    kept = garbling > SUPPORT * garbling.max(axis=0)
    table = np.where(kept, garbling / scale, 0.0)
    (secrets, outputs), targets = original.shape, refined.shape[1]
    place = np.zeros(garbling.shape)

    def forward(entries: Floats) -> Floats:
        place[kept] = entries.ravel()
        return np.concatenate(((original @ place).ravel(), place @ scale))

    def backward(errors: Floats) -> Floats:
        flat = errors.ravel()
        rows, sums = flat[: secrets * targets].reshape(secrets, targets), flat[secrets * targets :]
        spread: Floats = (original.T @ rows + sums[:, None] * scale)[kept]
        return spread

    shape = (secrets * targets + outputs, int(np.count_nonzero(kept)))
    system = LinearOperator(shape, matvec=forward, rmatvec=backward, dtype=np.float64)
    for _ in range(POLISHING_ROUNDS):
        lacking = np.concatenate(((refined / scale - original @ table).ravel(), 1 - table @ scale))
        table[kept] += lsqr(system, lacking, atol=1e-15, btol=1e-15)[0]
    return table * scale


def boundary_witness(original: fmpq_mat, refined: fmpq_mat, near: Floats) -> fmpq_mat | None:
    """Return an exact witness with zeros, if one of simple fractions, a vertex or the support of ``near`` gives one.

    Args:
        original: A, of full row rank.
        refined: B.
        near: A polished garbling of A that is B up to rounding.
    """
    simple = flint_matrix([[Fraction(v).limit_denominator(SIMPLE) for v in row] for row in near.tolist()])
    if is_witness(original, refined, simple):
        return simple
    unknowns = near.size
    if unknowns > MOST_VERTEX_UNKNOWNS:
        return supported_witness(original, refined, near)
    corner = _vertex(floats(original), floats(refined))
    found = None if corner is None else _on_support(original, refined, corner > VERTEX_SUPPORT)
    return supported_witness(original, refined, near) if found is None else found


def is_witness(original: fmpq_mat, refined: fmpq_mat, witness: fmpq_mat) -> bool:
    """Whether W ≥ 0, W·1 = 1 and A·W = B, exactly."""
    rows = witness.tolist()
    return (
        all(entry >= 0 for row in rows for entry in row)
        and all(sum(row, fmpq(0)) == 1 for row in rows)
        and original * witness == refined
    )


def _vertex(original: Floats, refined: Floats) -> Floats | None:
    """Return W, in proportion, at a vertex of the largest t ≤ 1 with A·W = t·B + (1 − t)·1b̄, by the simplex method."""
    if not (original.any(axis=0).all() and refined.any(axis=0).all()):  # an output too rare for doubles
        return None
    cost, rows, row_bounds = margin_in_proportion(original, refined)
    bounds = np.zeros(len(cost)), np.append(np.full(len(cost) - 1, highspy.kHighsInf), 1.0)
    solver = silent_solver()
    solver.setOptionValue("solver", "simplex")
    solver.setOptionValue("primal_feasibility_tolerance", FINEST)
    solver.passModel(maximisation(cost, rows, row_bounds=row_bounds, bounds=bounds))
    try:
        run_to_optimum(solver)
    except UnsolvedError:
        return None
    return np.array(solver.getSolution().col_value)[:-1].reshape(original.shape[1], refined.shape[1])


def _on_support(original: fmpq_mat, refined: fmpq_mat, kept: np.ndarray) -> fmpq_mat | None:
    """Return the witness with the given support, solved for in one exact system, if there is exactly one."""
    places = [(int(y), int(z)) for y, z in np.argwhere(kept)]
    (outputs, targets), table_a, table_b = kept.shape, original.tolist(), refined.tolist()
    system, right = [], []
    for x, row in enumerate(table_a):
        for target in range(targets):
            system.append([row[y] if z == target else fmpq(0) for y, z in places])
            right.append([table_b[x][target]])
    for output in range(outputs):
        system.append([fmpq(int(y == output)) for y, _ in places])
        right.append([fmpq(1)])
    try:
        rows = independent_rows(fmpq_mat(system), PRIMES[0])
    except ValueError:  # the prime divides a denominator
        return None
    if len(rows) < len(places):
        return None
    solved = part(fmpq_mat(system), rows).solve(part(fmpq_mat(right), rows)).tolist()
    table = [[fmpq(0)] * targets for _ in range(outputs)]
    for (y, z), (value,) in zip(places, solved, strict=True):
        table[y][z] = value
    witness = fmpq_mat(table)
    return witness if is_witness(original, refined, witness) else None


def supported_witness(original: fmpq_mat, refined: fmpq_mat, near: Floats) -> fmpq_mat | None:
    """Return the exact witness on the support of a float one, corrected column by column.

    A column of B is met by moving an independent set of its support; what the row sums then lack lies in A's
    kernel, and goes to a column whose support has room for it.
    """
    table = stochastic(near).transpose().tolist()  # a row a column of B
    values, columns = floats(original), refined.transpose().tolist()
    for z, entries in enumerate(table):
        support = np.flatnonzero(near[:, z] > 0)
        weighted = values[:, support] * near[support, z]
        triangle, order = qr(weighted, mode="r", pivoting=True)
        diagonal = np.abs(np.diag(triangle))
        rank = int(np.count_nonzero(diagonal > 1e-10 * diagonal[0])) if diagonal.size else 0
        chosen = support[order[:rank]].tolist()
        lacking = fmpq_mat([[v] for v in columns[z]]) - original * fmpq_mat([[v] for v in entries])
        if not rank or not _moved(original, lacking, chosen, entries):
            return None
    excess = [sum(column, fmpq(0)) - 1 for column in zip(*table, strict=True)]
    for entries in table:
        if all(entry >= over for entry, over in zip(entries, excess, strict=True)):
            entries[:] = [entry - over for entry, over in zip(entries, excess, strict=True)]
            break
    witness = fmpq_mat(table).transpose()
    return witness if is_witness(original, refined, witness) else None


def _moved(original: fmpq_mat, lacking: fmpq_mat, chosen: list[int], entries: list[fmpq]) -> bool:
    """Add to the chosen entries, in place, what makes up for what is lacking; return whether that can be done."""
    columns = part(original, None, chosen)
    try:
        rows = independent_rows(columns, PRIMES[0])
        move = part(columns, rows).solve(part(lacking, rows))
    except (ValueError, ZeroDivisionError):  # the prime divides a denominator, or the columns are dependent
        return False
    if columns * move != lacking:
        return False
    for index, (change,) in zip(chosen, move.tolist(), strict=True):
        entries[index] += change
    return True
