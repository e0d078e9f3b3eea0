"""Deficiency and vulnerability ratio between explicit channels, in floats."""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, eye_array, hstack, kron, vstack

from qifldp.channels.channel import Channel
from qifldp.errors import ConvergenceError
from qifldp.refinement.search.explicit_cone import equations, exact_margin
from qifldp.refinement.search.explicit_interior import RANK_TOLERANCE, find_margin
from qifldp.refinement.search.explicit_proportion import Table, margin_in_proportion
from qifldp.refinement.search.explicit_reading import read_pair
from qifldp.refinement.search.linear import FINEST, UnsolvedError, maximise
from qifldp.refinement.search.strength import clear_of_rounding

Floats = NDArray[np.float64]

OFF_THE_SPACE = 1e-9
"""Share of a column's deviation outside of the space of A's columns that is more than rounding."""

ROUNDED = 1e-15
"""Share of a column that is rounding of its entries (1e-16 each)."""

BLURRED = 1e-14
"""Singular values below this share of the largest are nothing but rounding; up to 1e-12, they may be."""

RARE = 1e-8
"""Probability of an output below which the interior point's rounding, some 1e-16, blurs what the output says."""

ASTRAY = 1e-5
"""A margin that far beyond what it can be is wrong, and not only rounded; a share of it, if it is above one."""

CLEARLY_LACKING = 1e-6
"""A deficiency above it is no boundary: far more than any rounding, and the margin is below one."""

MOST_IN_PROPORTION = 4_096
"""Entries of W in a program that counts rare outputs in proportion (a second)."""

MOST_UNKNOWNS = 100_000
"""Entries of W in one linear program (about a minute)."""

BEYOND = "The margin is beyond floats, which end at 1.8e308."
"""Why an exact one is not told."""

MOST_EQUATIONS, EXACT_SECONDS = 300, 3.0
"""Up to so many equations the margin of exact channels is found in exact numbers, if it takes no longer."""

LOST = "The margin is lost to rounding: the interior point's bounds on it are apart, or cross."
"""Why there is none."""


def explicit_margin(original: Channel, refined: Channel, *, seconds: float | None = None) -> float | None:
    """Return the largest t for which A is refined to t·B + (1 − t)·1b̄, every posterior shrunk towards uniform by t.

    Exact but for the last rounding, if both channels are exact and W has 300 equations at most (:data:`MOST_EQUATIONS`)
    and is found within seconds. Else by programs in floats: to about 1e-6, where what both say is far above rounding:
    outputs have probabilities of 1e-8 at least (:data:`RARE`, the mean over the secrets), and rows differ by no less.
    None if it is too large to compute, or if B says nothing, so that every t will do.

    Raises:
        ConvergenceError: If the time is up.
        UnsolvedError: If the bounds on the margin are not together, or it is beyond floats.
    """
    a, b = _matrix(original), _matrix(refined)
    if b.shape[1] == 1 or a.shape[1] * b.shape[1] > MOST_UNKNOWNS:
        return None
    if original.is_exact and refined.is_exact:
        exact = None
        with suppress(ConvergenceError):  # floats may have time enough
            exact = _exact_margin(
                original, refined, EXACT_SECONDS if seconds is None else min(EXACT_SECONDS, seconds / 3)
            )
        if exact is not None:
            if exact > sys.float_info.max:
                raise UnsolvedError(BEYOND)
            return float(exact)
    mean = b.mean(axis=0)
    deviation = b - mean
    left, sizes, _ = np.linalg.svd(a / a.mean(axis=0), full_matrices=False)  # a rare report counts as any other
    space = left[:, sizes > RANK_TOLERANCE * sizes[0]]
    outside = np.abs(deviation - space @ (space.T @ deviation)).max(axis=0)
    if (outside > OFF_THE_SPACE * np.abs(deviation).max(axis=0) + ROUNDED * mean).any():
        if ((sizes > BLURRED * sizes[0]) & (sizes <= RANK_TOLERANCE * sizes[0])).any():
            raise UnsolvedError(LOST)  # what A says may be rounding, and may be it
        return 0.0  # no combination of A's columns deviates from uniform as B's do
    deadline = None if seconds is None else time.monotonic() + seconds
    if min(mean.min(), a.mean(axis=0).min()) < RARE and a.shape[1] * b.shape[1] <= MOST_IN_PROPORTION:
        cost, rows, (lower, upper) = margin_in_proportion(_table(original), _table(refined))
        share = None if seconds is None else seconds / 3
        with suppress(ConvergenceError):  # then the interior point may see enough
            return max(0.0, float(maximise(cost, rows, lower, upper, seconds=share, tolerance=FINEST)[0][-1]))
    found = find_margin(a, b, until_clear=False, deadline=deadline)
    apart = abs(found.upper - found.lower) / max(1.0, found.upper)
    if not (found.lower > -ASTRAY and apart < ASTRAY and found.upper < np.inf):
        raise UnsolvedError(LOST)
    return max(0.0, (found.lower + found.upper) / 2)


def _exact_margin(original: Channel, refined: Channel, seconds: float) -> Fraction:
    """Return the margin of two exact channels.

    Raises:
        ConvergenceError: If it is too large for exact numbers, or the time is up.
    """
    read = read_pair(original, refined)
    if read is None:
        return Fraction(1)
    a, b = read.reduced_original, read.reduced_refined
    if equations(a, b) > MOST_EQUATIONS:
        raise ConvergenceError(f"The margin has more than {MOST_EQUATIONS} equations.")
    return exact_margin(a, b, deadline=time.monotonic() + seconds)


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
