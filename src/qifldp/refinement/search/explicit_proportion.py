"""The margin between explicit channels as a linear program in which outputs that hardly ever occur count as any."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array, eye_array, hstack, kron, vstack

Floats = NDArray[np.float64]


def margin_in_proportion(original: Floats, refined: Floats) -> tuple[Floats, csc_array, tuple[Floats, Floats]]:
    """Return the program for the largest t with A·W = t·B + (1 − t)·1b̄: its cost, its rows, their bounds.

    Unknowns: ψ by rows, the mass that W moves from y to z, in units of the lesser of both masses, and t. So a column of
    B is met, and a row of W filled, in proportion to its mass, however small.

    Args:
        original: A, of shape (k, m), without zero columns.
        refined: B, of shape (k, n), without zero columns.
    """
    (k, m), n = original.shape, refined.shape[1]
    mass_a, mass_b = original.mean(axis=0), refined.mean(axis=0)
    moved = np.minimum.outer(mass_a, mass_b)
    share, load = moved / mass_b, moved / mass_a[:, None]
    posteriors, targets = original / mass_a, (refined / mass_b - 1).reshape(-1, 1)  # in units of 1/k
    rows = vstack(
        [
            hstack([kron(csc_array(posteriors), eye_array(n)) @ diags_array(share.ravel()), csc_array(-targets)]),
            hstack([kron(eye_array(m), np.ones((1, n))) @ diags_array(load.ravel()), csc_array((m, 1))]),
        ]
    )
    cost = np.zeros(m * n + 1)
    cost[-1] = 1.0
    least = np.concatenate((np.ones(k * n), np.full(m, -np.inf)))  # B takes all of A's mass, so every row is full
    return cost, csc_array(rows), (least, np.ones(k * n + m))
