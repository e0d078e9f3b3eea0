"""Deficiency and vulnerability ratio between explicit channels, in floats."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, eye_array, hstack, kron, vstack

from qifldp.channels.channel import Channel
from qifldp.refinement.search.explicit_interior import RANK_TOLERANCE, find_margin
from qifldp.refinement.search.explicit_proportion import Table, margin_in_proportion
from qifldp.refinement.search.linear import FINEST, UnsolvedError, maximise
from qifldp.refinement.search.strength import clear_of_rounding

Floats = NDArray[np.float64]

OFF_THE_SPACE = 1e-9
"""Share of a column's deviation outside of the space of A's columns that is more than rounding."""

ROUNDED = 1e-15
"""Share of a column that is rounding of its entries (1e-16 each)."""

RARE = 1e-8
"""Probability of an output below which the interior point's rounding, some 1e-16, blurs what the output says."""

ASTRAY = 1e-5
"""A margin as far beyond what it can be is not rounded but wrong: rare outputs led the interior point astray."""

CLEARLY_LACKING = 1e-6
"""A deficiency above it is no boundary: far more than any rounding, and the margin is below one."""

MOST_IN_PROPORTION = 4_096
"""Entries of W in a program that counts rare outputs in proportion (a second)."""

MOST_UNKNOWNS = 100_000
"""Entries of W in one linear program (about a minute)."""


def explicit_margin(original: Channel, refined: Channel, *, seconds: float | None = None) -> float | None:
    """Return the largest t for which A is refined to t·B + (1 − t)·1b̄, every posterior shrunk towards uniform by t.

    To about 1e-6, where each output of A and of B has a probability of 1e-8 at least (:data:`RARE`, its mean over the
    secrets), or W at most 4,096 entries (:data:`MOST_IN_PROPORTION`); else what rare outputs say is lost to rounding.
    None if it is too large to compute, or if B says nothing, so that every t will do.

    Raises:
        ConvergenceError: If the time is up.
        UnsolvedError: If what is found is no margin, as rare outputs lead the interior point astray.
    """
    a, b = _matrix(original), _matrix(refined)
    if b.shape[1] == 1 or a.shape[1] * b.shape[1] > MOST_UNKNOWNS:
        return None
    mean = b.mean(axis=0)
    deviation = b - mean
    left, sizes, _ = np.linalg.svd(a / a.mean(axis=0), full_matrices=False)  # a rare report counts as any other
    space = left[:, sizes > RANK_TOLERANCE * sizes[0]]
    outside = np.abs(deviation - space @ (space.T @ deviation)).max(axis=0)
    if (outside > OFF_THE_SPACE * np.abs(deviation).max(axis=0) + ROUNDED * mean).any():
        return 0.0  # no combination of A's columns deviates from uniform as B's do
    deadline = None if seconds is None else time.monotonic() + seconds
    if min(mean.min(), a.mean(axis=0).min()) < RARE and a.shape[1] * b.shape[1] <= MOST_IN_PROPORTION:
        cost, rows, (lower, upper) = margin_in_proportion(_table(original), _table(refined))
        with suppress(UnsolvedError):  # then the interior point may see enough
            return max(0.0, float(maximise(cost, rows, lower, upper, seconds=seconds, tolerance=FINEST)[0][-1]))
    found = find_margin(a, b, until_clear=False, deadline=deadline)
    if not (-ASTRAY < found.lower < found.upper + ASTRAY < np.inf):
        raise UnsolvedError("The interior point lost what outputs that hardly ever occur say.")
    return max(0.0, (found.lower + found.upper) / 2)


def explicit_deficiency(original: Channel, refined: Channel, *, seconds: float | None = None) -> float | None:
    """Return the Le Cam deficiency min_W max_x TV((A·W)_x, B_x), to about 1e-9; None if it is too large to solve.

    It is the distance of the W that the program finds, made stochastic: rounding apart, never below the deficiency.
    What the solver leaves out of A is less than 1e-12 for each of its outputs.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    a, b = _matrix(original), _matrix(refined)
    found = nearest_garbling(a, b, seconds=seconds)
    return None if found is None else clear_of_rounding(lacking(a, b, found[0]))


def nearest_garbling(a: Floats, b: Floats, *, seconds: float | None = None) -> tuple[Floats, Floats] | None:
    """Return the W with the least max_x TV((A·W)_x, B_x), and the dual; None if it is too large to solve.

    The dual is the gain function, a row an action, whose adversary gains most more from B than from A.

    Args:
        a: A, of shape (k, m).
        b: B, of shape (k, n).
        seconds: At which to give up.

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    (k, m), n = a.shape, b.shape[1]
    if m * n + k * n > MOST_UNKNOWNS:
        return None
    # Unknowns: W by rows, what B has beyond A·W by rows, and the largest total variation t.
    stochastic = kron(eye_array(m), np.ones((1, n)))
    product = kron(csc_array(a), eye_array(n))
    beyond = kron(eye_array(k), np.ones((1, n)))
    rows = vstack(
        [
            hstack([stochastic, csc_array((m, k * n + 1))]),
            hstack([product, eye_array(k * n), csc_array((k * n, 1))]),
            hstack([csc_array((k, m * n)), -beyond, csc_array(np.ones((k, 1)))]),
        ]
    )
    cost = np.zeros(m * n + k * n + 1)
    cost[-1] = -1.0
    lower = np.concatenate((np.ones(m), b.ravel(), np.zeros(k)))
    upper = np.concatenate((np.ones(m), np.full(k * n + k, np.inf)))
    solution, duals = maximise(cost, csc_array(rows), lower, upper, seconds=seconds, tolerance=FINEST)
    return _stochastic(solution[: m * n].reshape(m, n)), np.abs(duals[m : m + k * n]).reshape(k, n).T


def lacking(a: Floats, b: Floats, witness: Floats) -> float:
    """Return max_x TV((A·W)_x, B_x)."""
    return float(np.maximum(b - a @ witness, 0.0).sum(axis=1).max())


def explicit_ratio(original: Channel, refined: Channel, *, seconds: float | None = None) -> float | None:
    """Return the largest s ≤ 1 with A·W ≥ s·B entrywise for some W, to some 1e-7; None if it is too large to solve.

    It is what the W that the program finds reaches, mended: rounding apart, never above the largest. If W lacks at
    most l_z in column z, A·W + 1l ≥ s·B, then (W + 1l)/(1 + Σ l) reaches s/(1 + Σ l).

    Raises:
        ConvergenceError: If HiGHS fails or the time is up.
    """
    a, b = _matrix(original), _matrix(refined)
    (k, m), n = a.shape, b.shape[1]
    if m * n > MOST_UNKNOWNS:
        return None
    stochastic = kron(eye_array(m), np.ones((1, n)))
    product = kron(csc_array(a), eye_array(n))
    rows = vstack(
        [
            hstack([stochastic, csc_array((m, 1))]),
            hstack([product, csc_array(-b.reshape(-1, 1))]),
        ]
    )
    cost = np.zeros(m * n + 1)
    cost[-1] = 1.0
    lower = np.concatenate((np.ones(m), np.zeros(k * n)))
    upper = np.concatenate((np.ones(m), np.full(k * n, np.inf)))
    solution, _ = maximise(cost, csc_array(rows), lower, upper, seconds=seconds)
    ratio, witness = float(solution[-1]), _stochastic(solution[: m * n].reshape(m, n))
    missed = np.maximum(ratio * b - a @ witness, 0.0).max(axis=0).sum()
    return min(1.0, float(ratio / (1 + missed)))


def _matrix(channel: Channel) -> Floats:
    """Return the reduced channel in floats, without what is too rare for them."""
    matrix = channel.reduced().to_float().matrix
    return matrix[:, matrix.any(axis=0)]


def _table(channel: Channel) -> Table:
    """Return :func:`_matrix`, in Fractions where the channel is exact."""
    reduced = channel.reduced()
    kept: Table = reduced.matrix[:, reduced.to_float().matrix.any(axis=0)]
    return kept


def _stochastic(found: Floats) -> Floats:
    """Return what the solver found as a stochastic matrix: entries and row sums are off by its tolerance."""
    witness = np.maximum(found, 0.0)
    return witness / witness.sum(axis=1, keepdims=True)
