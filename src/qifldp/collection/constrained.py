"""Estimates that are frequencies: at least zero, of sum one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.size_classes import SizeClasses

Floats = NDArray[np.float64]

HALVINGS = 200
"""Steps of a bisection: ample to narrow any bracket of doubles to neighbouring ones."""


def norm_sub(estimates: Floats) -> Floats:
    """Return the estimates after Norm-Sub: set negative ones to zero, add one number to the others, until none is left.

    Its result is the projection onto the simplex (:func:`onto_simplex`).

    Source: T. Wang et al., "Locally Differentially Private Frequency Estimation with Consistency", NDSS 2020.
    """
    found = np.array(estimates, np.float64)
    kept = np.ones(len(found), bool)
    while True:
        found[kept] += (1 - found[kept].sum()) / kept.sum()
        negative = kept & (found < 0)
        if not negative.any():
            return found
        found[negative] = 0
        kept &= ~negative


def onto_simplex(estimates: Floats) -> Floats:
    """Return the nearest frequencies: the minimum of Σ (f − f̂)² over f ≥ 0, Σ f = 1, that is (f̂ − τ)⁺."""
    ordered = np.sort(estimates)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(ordered) + 1)
    tau = excess[np.flatnonzero(ordered > excess)[-1]]
    return np.maximum(estimates - tau, 0)


def most_likely(classes: SizeClasses, table: NDArray[np.int64], totals: NDArray[np.int64]) -> Floats:
    """Return the frequencies of greatest likelihood of the counts.

        max Σ_x Σ_c [C_cx ln(q_c + f_x d_c) + (n_c − C_cx) ln(1 − q_c − f_x d_c)]    over f ≥ 0, Σ f = 1

    For GRR, whose reports support one value, the second term is left out, and this is the maximum-likelihood
    estimate itself: what iterative Bayesian updates converge to. For the others it is a *composite* likelihood: each
    value's counts by their own law, as if those of different values were independent.

    At the maximum every positive f_x has the same slope λ, so λ is bisected, and within it each f_x.
    """
    told = (totals > 0) & (classes.gap != 0)
    q, d = classes.absent[told][:, None], classes.gap[told][:, None]
    yes = table[told].astype(np.float64)
    no = totals[told][:, None] - yes
    if classes.fixed_size == 1:
        no = np.zeros_like(yes)

    def slope(f: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(yes > 0, yes * d / (q + f * d), 0.0) - np.where(no > 0, no * d / (1 - q - f * d), 0.0)
        return np.asarray(found.sum(axis=0))

    def at(level: float) -> Floats:
        """Return for each value the f in [0, 1] at which its slope is the level (slopes fall)."""
        low, high = np.zeros(yes.shape[1]), np.ones(yes.shape[1])
        for _ in range(60):
            middle = (low + high) / 2
            above = slope(middle) > level
            low, high = np.where(above, middle, low), np.where(above, high, middle)
        return np.where(slope(np.zeros_like(low)) <= level, 0.0, low)

    most, least = float(slope(np.zeros(yes.shape[1])).max()), float(np.min(slope(np.ones(yes.shape[1]))))
    for _ in range(HALVINGS):
        level = (most + least) / 2
        if level in (most, least):
            break
        if at(level).sum() > 1:
            least = level
        else:
            most = level
    found = at(most)
    total = found.sum()
    return found / total if total > 0 else onto_simplex(found)
