"""Confidence intervals of what was simulated."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv, stdtrit

from qifldp.errors import InputError


def success_interval(successes: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson (1934) for the chance behind ``successes`` of ``n`` trials.

    It holds the chance with at least this confidence for every n, each side at half the error.
    """
    check_confidence(confidence)
    error = (1 - confidence) / 2
    low = float(betaincinv(successes, n - successes + 1, error)) if successes > 0 else 0.0
    high = float(betaincinv(successes + 1, n - successes, 1 - error)) if successes < n else 1.0
    return low, high


def mean_interval(sample: NDArray[np.float64], confidence: float) -> tuple[float, float]:
    """Return Student's interval for the mean behind a sample of two or more, cut at 0: exact for normal ones."""
    check_confidence(confidence)
    spread = float(sample.std(ddof=1)) / math.sqrt(len(sample))
    reach = spread * float(stdtrit(len(sample) - 1, 1 - (1 - confidence) / 2))
    mean = float(sample.mean())
    return max(mean - reach, 0.0), mean + reach


def each_of(points: int, confidence: float) -> float:
    """Return the confidence of one interval at which all of so many hold together with ``confidence`` (Bonferroni)."""
    return 1 - (1 - confidence) / points


def check_confidence(confidence: float) -> None:
    """Raise InputError unless this can be a confidence."""
    if not 0 < confidence < 1:
        raise InputError.expected("confidence", "between 0 and 1", confidence)
