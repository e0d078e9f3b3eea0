"""Binomial and hypergeometric probabilities, accurate where the mass is, and in log space where it is not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def log_binomial_masses(trials: int, log_success: float, log_failure: float) -> NDArray[np.float64]:
    """Return ln Bin(w; n, q) for w = 0..n, with q = exp(log_success) and 1 − q = exp(log_failure).

    Starts at the mode and multiplies the ratios Bin(w+1)/Bin(w) = (n − w)/(w + 1) · q/(1 − q) outwards.
    The logarithms stay small where the mass is, so their rounding errors do too (ln Γ of a million would
    lose nine digits), and far tails of 1e-300000 keep their value in log space.

    Returns:
        Array of shape (n + 1,).
    """
    w = np.arange(trials, dtype=np.float64)
    steps = np.log((trials - w) / (w + 1.0)) + (log_success - log_failure)
    mode = int(np.count_nonzero(steps > 0))  # the ratios fall as w grows
    above = np.cumsum(steps[mode:])
    below = -np.cumsum(steps[:mode][::-1])[::-1]
    logs = np.concatenate((below, [0.0], above))
    logs -= np.log(np.sum(np.exp(logs)))
    return logs


def hypergeometric_masses(population: int, marked: int, drawn: int) -> tuple[int, NDArray[np.float64]]:
    """Return the bulk of Hyp(j; population, marked, drawn), the number of marked among the drawn.

    Built from the mode outwards like the binomial. Only j within twelve standard deviations (and forty) of
    the mode are returned; by the Chernoff bound the rest have less than 1e-30 of the mass.

    Returns:
        The first j, and the probabilities of j, j + 1, ….
    """
    low, high = max(0, drawn + marked - population), min(drawn, marked)
    mode = min(max((drawn + 1) * (marked + 1) // (population + 2), low), high)
    share = marked / population
    reach = 40 + int(12 * np.sqrt(drawn * share * (1 - share)))
    low, high = max(low, mode - reach), min(high, mode + reach)
    j = np.arange(low, high, dtype=np.float64)
    steps = np.log((marked - j) / (j + 1)) + np.log((drawn - j) / (population - marked - drawn + j + 1))
    below = -np.cumsum(steps[: mode - low][::-1])[::-1]
    logs = np.concatenate((below, [0.0], np.cumsum(steps[mode - low :])))
    masses = np.exp(logs)
    return low, masses / masses.sum()
