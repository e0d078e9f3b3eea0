"""The margin between explicit channels as a linear program in which outputs that hardly ever occur count as any."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_array, diags_array, eye_array, hstack, kron, vstack

Floats = NDArray[np.float64]

Table = NDArray[Any]
"""A matrix of floats, or of Fractions."""


def margin_in_proportion(original: Table, refined: Table) -> tuple[Floats, csc_array, tuple[Floats, Floats]]:
    """Return the program for the largest t with A·W = t·B + (1 − t)·1b̄: its cost, its rows, their bounds.

    Unknowns: ψ by rows, the mass that W moves from y to z, in units of the lesser of both masses, and t. With
    P = A/ā − 1 and D = B/b̄ − 1, what outputs say beyond nothing,

        Σ_y P[x, y] ψ[y, z] min(ā_y, b̄_z)/b̄_z = t·D[x, z],   ψ fills each row and each column

    each column z in units of its largest |D|. So it is met in proportion, however small its mass and what it says.

    Args:
        original: A, of shape (k, m), without zero columns.
        refined: B, of shape (k, n), without zero columns.
    """
    m, n = original.shape[1], refined.shape[1]
    (mass_a, said), (mass_b, wanted) = _excess(original), _excess(refined)
    moved = np.minimum.outer(mass_a, mass_b)
    share, load = moved / mass_b, moved / mass_a[:, None]
    units = np.abs(wanted).max(axis=0)
    scale = diags_array(np.tile(1 / np.where(units > 0, units, 1.0), len(said) - 1))
    said, wanted = said[:-1], wanted[:-1].reshape(-1, 1)  # over all secrets both sum to zero
    rows = vstack(
        [
            scale @ hstack([kron(csc_array(said), eye_array(n)) @ diags_array(share.ravel()), csc_array(-wanted)]),
            hstack([kron(np.ones((1, m)), eye_array(n)) @ diags_array(share.ravel()), csc_array((n, 1))]),
            hstack([kron(eye_array(m), np.ones((1, n))) @ diags_array(load.ravel()), csc_array((m, 1))]),
        ]
    )
    cost = np.zeros(m * n + 1)
    cost[-1] = 1.0
    met, filled = np.zeros(len(wanted)), np.ones(n)
    least = np.concatenate((met, filled, np.full(m, -np.inf)))  # B takes all of A's mass, so every row is full
    return cost, csc_array(rows), (least, np.concatenate((met, filled, np.ones(m))))


def _excess(table: Table) -> tuple[Floats, Floats]:
    """Return the mean row of a channel and what each entry exceeds it by, in units of it; of Fractions, exactly."""
    mean = table.sum(axis=0) / len(table)
    return mean.astype(np.float64), ((table - mean) / mean).astype(np.float64)
