"""Confidence intervals of what was simulated."""

from __future__ import annotations

import math
from numbers import Integral

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betaincinv

from qifldp.errors import InputError

NEAR_ONE = 1e-12
"""At u = 1 − 1e-12 Chernoff's exponent is about 5e11 or more: beyond any confidence that a double can hold."""


def success_interval(successes: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson (1934) for the chance behind ``successes`` of ``n`` trials.

    It holds the chance with at least this confidence for every n, each side at half the error.

    Raises:
        InputError: If there is no trial, the numbers are not whole, or the confidence is none.
    """
    check_confidence(confidence)
    if not (isinstance(n, Integral) and n >= 1):
        raise InputError.expected("n", "a whole number of trials, one at least", n)
    if not (isinstance(successes, Integral) and 0 <= successes <= n):
        raise InputError.expected("successes", f"a whole number from 0 to the {n} trials", successes)
    error = (1 - confidence) / 2
    low = float(betaincinv(successes, n - successes + 1, error)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - error)) if successes < n else 1.0
    return low, high


def mean_square_interval(
    mean: float, variances: NDArray[np.float64], runs: int, confidence: float
) -> tuple[float, float]:
    """Return an interval for the mean squared error behind a mean of squares, of independent normal errors.

    If the errors X_y have mean 0 and variances in the given proportions, the mean of X_y² over all y and runs, divided
    by its expectation, is S = Σ_y a_y χ²_y/r with a_y = var_y/Σ var and χ²_y of r = ``runs`` degrees of freedom. Its
    cumulants K(t) = −(r/2) Σ_y ln(1 − 2ta_y/r) give Chernoff's bound (1952): S is beyond x = K′(t), on the side of t's
    sign, with a chance of at most exp(K(t) − tK′(t)). The interval's ends are the mean over the two x at which that is
    half the error: it holds the expectation with at least ``confidence``, however uneven the variances are.

    Args:
        mean: The mean of the squares, over all errors and runs; 0 or above.
        variances: The variance of each error, up to a common factor; positive, shape (k,).
        runs: In how many independent runs each error was seen; one at least.
        confidence: With which the interval holds the expectation.

    Raises:
        InputError: If an argument is not as it is said here.
    """
    check_confidence(confidence)
    if not 0 <= mean < math.inf:
        raise InputError.expected("mean", "a finite number, 0 or above", mean)
    if not (isinstance(runs, Integral) and runs >= 1):
        raise InputError.expected("runs", "a whole number, one at least", runs)
    if not (len(variances) and np.all(np.isfinite(variances)) and np.all(variances > 0)):
        raise InputError.expected("variances", "positive numbers, one at least", variances)
    found, times = np.unique(variances, return_counts=True)
    parts, exponent = found / found.max(), -math.log((1 - confidence) / 2)

    def excess(u: float) -> float:  # u = 2t a/r for the largest a, from −∞ to 1
        return runs / 2 * float(times @ (u * parts / (1 - u * parts) + np.log1p(-u * parts))) - exponent

    def place(u: float) -> float:
        return float(times @ (parts / (1 - u * parts))) / float(times @ parts)

    least = -1.0
    while excess(least) < 0:
        least *= 2
    low, high = brentq(excess, least, 0.0), brentq(excess, 0.0, 1 - NEAR_ONE)
    return mean / place(high), mean / place(low)


def each_of(points: int, confidence: float) -> float:
    """Return the confidence of one interval at which all of so many hold together with ``confidence`` (Bonferroni)."""
    return 1 - (1 - confidence) / points


def check_confidence(confidence: float) -> None:
    """Raise InputError unless this can be a confidence."""
    if not 0 < confidence < 1:
        raise InputError.expected("confidence", "between 0 and 1", confidence)
