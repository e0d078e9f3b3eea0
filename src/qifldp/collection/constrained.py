"""Estimates that are frequencies: at least zero, of sum one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.size_classes import SizeClasses

Floats = NDArray[np.float64]

STEPS = 200
"""Steps of a search at most: ample for halving any bracket of doubles; Newton's method takes about ten."""

NEVER = 1e-200
"""In place of a chance of zero: what did not happen has a likelihood of one all the same."""

SETTLED = 1e-12
"""A step of Newton's method of this size is the last: what it leaves is far below what doubles tell apart."""


def norm_sub(estimates: Floats) -> Floats:
    """Return the estimates after Norm-Sub: set negative ones to zero, add one number to the others, until none is left.

    Its result is the projection onto the simplex (:func:`onto_simplex`), and the largest is subtracted here too. Those
    that are 1 or more below it end at zero, and are set to zero first: no sum is of large numbers.

    Source: T. Wang et al., "Locally Differentially Private Frequency Estimation with Consistency", NDSS 2020.
    """
    found = estimates - np.max(estimates)
    kept = found > -1
    found[~kept] = 0
    while True:
        found[kept] += (1 - found[kept].sum()) / kept.sum()
        negative = kept & (found < 0)
        if not negative.any():
            return np.asarray(found / found.sum())
        found[negative] = 0
        kept &= ~negative


def onto_simplex(estimates: Floats) -> Floats:
    """Return the nearest frequencies: the minimum of Σ (f − f̂)² over f ≥ 0, Σ f = 1, that is (f̂ − τ)⁺.

    To subtract one number from all estimates changes nothing: here the largest, which is at most 1 above τ. So the sums
    that give τ are of small numbers, and keep their digits however far the estimates lie outside 0 to 1.
    """
    below = estimates - np.max(estimates)
    ordered = np.sort(below)[::-1]
    excess = (np.cumsum(ordered) - 1) / np.arange(1, len(ordered) + 1)
    tau = excess[np.flatnonzero(ordered > excess)[-1]]
    found = np.maximum(below - tau, 0)
    return np.asarray(found / found.sum())  # the sum is 1 up to rounding


def most_likely(classes: SizeClasses, table: NDArray[np.int64], totals: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the frequencies of greatest likelihood of the counts, and how far each gives way to a common slope.

        max Σ_x Σ_c [C_cx ln(q_c + f_x d_c) + (n_c − C_cx) ln(1 − q_c − f_x d_c)]    over f ≥ 0, Σ f = 1

    For GRR, whose reports support one value, the second term is left out, and this is the maximum-likelihood
    estimate itself: what iterative Bayesian updates converge to. For the others it is a *composite* likelihood: each
    value's counts by their own law, as if those of different values were independent.

    At the maximum every positive f_x has the same slope λ, and the slope of every other is at most λ at zero. For a λ
    the frequencies follow one by one; λ is where they add up to one. Both are found by Newton's method in brackets.
    How far a frequency gives way, −df_x/dλ, is one over how fast its slope falls: without the sum, the most likely f_x
    are nearly the unbiased estimates, and what they add up to beyond one is taken from them in these shares.
    """
    told = (totals > 0) & (classes.gap != 0)
    q, d = classes.absent[told][:, None], classes.gap[told][:, None]
    yes = table[told].astype(np.float64)
    no = totals[told][:, None] - yes
    if classes.fixed_size == 1:
        no = np.zeros_like(yes)
    slopes = _Slopes(yes, no, q, d)
    k = yes.shape[1]
    found = np.full(k, 1 / k)
    at_zero, at_one = slopes.at(np.zeros(k))[0], slopes.at(np.ones(k))[0]
    least, most = float(at_one.min()), float(at_zero.max())
    level = float(slopes.at(found)[0].mean())
    for _ in range(STEPS):
        found, fall = slopes.solve(level, found, at_zero <= level, at_one >= level)
        excess = float(found.sum()) - 1
        if excess > 0:
            least = max(least, level)
        else:
            most = min(most, level)
        if abs(excess) <= SETTLED or not least < most:
            break
        level = level + excess / fall if fall > 0 else np.inf
        if not least < level < most:
            level = least / 2 + most / 2
        if level in (least, most):
            break
    total = float(found.sum())
    found = found / total if total > 0 else onto_simplex(found)
    return found, 1 / np.maximum(slopes.at(found)[1], NEVER)


@dataclass(frozen=True)
class _Slopes:
    """The slope of each value's log-likelihood, which falls with its frequency.

    Attributes:
        yes: Reports of each class that support each value.
        no: Reports that do not, and say something by that.
        q: Pr[support | another value, class].
        d: Pr[support | the value, class] − q.
    """

    yes: Floats
    no: Floats
    q: Floats
    d: Floats

    def at(self, f: Floats) -> tuple[Floats, Floats]:
        """Return the slopes, and how fast they fall."""
        chance = self.q + f * self.d
        present, absent = self.d / np.maximum(chance, NEVER), self.d / np.maximum(1 - chance, NEVER)
        up, down = self.yes * present, self.no * absent
        with np.errstate(over="ignore"):
            fall = up * present + down * absent
        return np.asarray((up - down).sum(axis=0)), np.asarray(fall.sum(axis=0))

    def solve(
        self, level: float, start: Floats, none: NDArray[np.bool_], whole: NDArray[np.bool_]
    ) -> tuple[Floats, float]:
        """Return the frequencies in [0, 1] at which slopes are the level, and how fast their sum falls with it.

        Args:
            level: The slope.
            start: Frequencies from which to search.
            none: Values whose slope is no larger at zero: they stay there.
            whole: Values whose slope is no smaller at one: they go there.
        """
        f, low, high = start, np.zeros(len(start)), np.ones(len(start))
        for _ in range(STEPS):
            slope, fall = self.at(f)
            above = slope > level
            low, high = np.where(above, f, low), np.where(above, high, f)
            with np.errstate(divide="ignore", invalid="ignore"):
                step = f + (slope - level) / fall
            step = np.where((step > low) & (step < high), step, (low + high) / 2)
            moved = float(np.max(np.abs(step - f), where=~(none | whole), initial=0.0))
            f = step
            if moved <= SETTLED:
                break
        f = np.where(none, 0.0, np.where(whole, 1.0, f))
        fall = self.at(f)[1]
        inside = ~(none | whole) & (fall > 0)
        return f, float(np.sum(1 / fall[inside]))
