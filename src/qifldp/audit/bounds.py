"""Confidence bounds that hold for every number of samples."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, betaincc, betainccinv, betaincinv
from scipy.stats import binom

from qifldp.errors import InputError

Numbers = NDArray[np.float64]

UNLIKELY = 1e-6
"""Chance of the counts in each tail that a power leaves out: far below what it is stated to."""

HALVINGS = 40
"""Of the interval in which two bounds meet: to 1e-12, which a million samples tell from nothing."""

COUNTS = 1001
"""Counts that a power is summed over at most: neighbours differ by a hundredth of a standard deviation."""


def check_confidence(confidence: object) -> None:
    """Raise InputError unless this is a number between 0 and 1."""
    number = isinstance(confidence, int | float | np.floating) and not isinstance(confidence, bool)
    if not number or not 0 < float(confidence) < 1:  # type: ignore[arg-type]
        raise InputError.expected("confidence", "a number between 0 and 1", confidence)


def proportion_low(hits: object, trials: object, error: float) -> Numbers:
    """Return the lower bound of Clopper and Pearson (1934) for the chance behind hits among independent trials.

    It is above the chance with probability ``error`` at most; so it is above the mean of chances that differ, since
    a sum of such is less spread than a binomial (Hoeffding, 1956, Theorem 5).
    """
    h, n = np.broadcast_arrays(np.asarray(hits, float), np.asarray(trials, float))
    some = h > 0
    found = np.zeros(h.shape)
    found[some] = betaincinv(h[some], n[some] - h[some] + 1, error)
    return found


def proportion_high(hits: object, trials: object, error: float) -> Numbers:
    """Return the upper bound of Clopper and Pearson, as above; 1 − error^(1/n) for no hit among n trials."""
    h, n = np.broadcast_arrays(np.asarray(hits, float), np.asarray(trials, float))
    some = h < n
    found = np.ones(h.shape)
    found[some] = betainccinv(h[some] + 1, n[some] - h[some], error)
    return found


@dataclass(frozen=True)
class Tally:
    """How often an event was seen under two inputs (or two mixtures of inputs).

    Attributes:
        hits: Times it was seen under the first.
        trials: Reports on the first.
        other_hits: Times it was seen under the second.
        other_trials: Reports on the second.
    """

    hits: int
    trials: int
    other_hits: int
    other_trials: int

    def bound(self, error: float) -> tuple[float, float, float]:
        """Return p₁ from below, p₀ from above and ln(p₁/p₀), a lower bound on ε; together wrong with this chance.

        ε-LDP says p₁ ≤ e^ε p₀. Each bound has half of the error.
        """
        low = float(proportion_low(self.hits, self.trials, error / 2))
        high = float(proportion_high(self.other_hits, self.other_trials, error / 2))
        return low, high, math.log(low / high) if low > 0 else -math.inf


def exceeding_error(hits: object, trials: object, others: object, other_trials: object, epsilon: float) -> Numbers:
    """Return the least error at which :meth:`Tally.bound` exceeds ε: how clearly the counts do; 1 if at none.

    The bounds meet at p₁ = e^ε p₀ where Pr[hits or more | p₁] = Pr[others or fewer | p₀]: half of the error is this
    chance. It is a p-value of "p₁ ≤ e^ε p₀": at most δ with a chance of δ at most, if that is so.
    """
    h, n, o, m = np.broadcast_arrays(*(np.asarray(counts, float) for counts in (hits, trials, others, other_trials)))
    some = (h > 0) & (o < m)  # else one of the bounds says nothing
    h, n, o, m = h[some], n[some], o[some], m[some]
    low, high = np.zeros(h.shape), np.full(h.shape, math.exp(-epsilon))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        beyond = betainc(h, n - h + 1, np.minimum(1.0, math.exp(epsilon) * middle)) > betaincc(o + 1, m - o, middle)
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    found = np.ones(some.shape)
    found[some] = np.minimum(1.0, 2 * betaincc(o + 1, m - o, high))
    return found


def two_sided(counts: object, trials: object, chances: object) -> Numbers:
    """Return exact p-values of binomial counts: twice the smaller tail."""
    c, n, p = np.asarray(counts), np.asarray(trials), np.asarray(chances, float)
    found: Numbers = np.minimum(1.0, 2 * np.minimum(binom.cdf(c, n, p), binom.sf(c - 1, n, p)))
    return found


@dataclass(frozen=True)
class MeanBounds:
    """A mean with a confidence interval."""

    value: float
    low: float
    high: float


def bounded_mean(sample: Numbers, low: float, high: float, error: float) -> MeanBounds:
    """Return the mean of independent numbers from a known range, by the empirical Bernstein bound.

        |mean − E| ≤ √(2 V ln(4/δ)/n) + 7 (high − low) ln(4/δ) / (3(n − 1))

    Source: Maurer and Pontil (2009), Theorem 4, each side at half the error.
    """
    n, mean = len(sample), float(sample.mean())
    if n < 2:  # no variance
        return MeanBounds(mean, low, high)
    log = math.log(4 / error)
    margin = math.sqrt(2 * float(sample.var(ddof=1)) * log / n) + 7 * (high - low) * log / (3 * (n - 1))
    return MeanBounds(mean, max(low, mean - margin), min(high, mean + margin))


def band(trials: int, error: float) -> float:
    """Return how far an empirical distribution function is from the mean of the true ones at most.

        P[sup |F_n − F| > t] ≤ 2e · exp(−2nt²) for independent observations that need not have one law

    Source: Dvoretzky, Kiefer and Wolfowitz (1956); Massart (1990) for one law (without the e); Bretagnolle (1980).
    """
    return math.sqrt((1 + math.log(2 / error)) / (2 * trials))


def power(chance: float, other: float, trials: int, other_trials: int, *, epsilon: float, error: float) -> float:
    """Return from below the probability that :meth:`Tally.bound` exceeds ε, for an event of these two chances.

    The two counts are let go below and above the quantiles that they pass with a chance of η and 1 − η each; whatever
    they are within these, the bound is found. The best of a few η is taken.
    """
    missed = np.geomspace(1e-6, 0.4, 40)[:, None]
    beyond = np.minimum(0.5, missed * np.array([0.2, 1.0, 5.0]))
    hits, other_hits = binom.ppf(missed, trials, chance), binom.isf(beyond, other_trials, other)
    low, high = proportion_low(hits, trials, error / 2), proportion_high(other_hits, other_trials, error / 2)
    found = low > math.exp(epsilon) * high
    lost = binom.cdf(hits - 1, trials, chance) + binom.sf(other_hits, other_trials, other)
    return float(np.max(np.where(found, 1 - lost, 0.0)))


def apart_power(chance: float, other: float, trials: int, *, epsilon: float, error: float) -> float:
    """Return the probability that :meth:`Tally.bound` exceeds ε, for counts on different reports: they are independent.

    For each count of the rare side the other one has to be so large that its lower bound exceeds e^ε times the rare
    side's upper bound. Of many such counts neighbours are taken together, each for the largest of them, and those in
    the far tails are left out: so it is from below.
    """
    ends = binom.ppf(UNLIKELY, trials, other), binom.isf(UNLIKELY, trials, other)
    others = np.unique(np.linspace(*ends, COUNTS).astype(np.int64))
    masses = np.diff(binom.cdf(others, trials, other), prepend=binom.cdf(others[0] - 1, trials, other))
    bar = math.exp(epsilon) * proportion_high(others, trials, error / 2)
    reached = bar < 1
    # low > bar ⇔ Pr[so many or more | bar] < error/2, by the definition of Clopper and Pearson
    most = binom.isf(error / 2, trials, bar[reached])
    return float(np.sum(masses[reached] * binom.sf(most, trials, chance)))


def cell_power(chance: float, actual: float, trials: int, error: float) -> float:
    """Return the probability that :func:`two_sided` is at most ``error`` if the chance is another one."""
    low, high = binom.ppf(error / 2, trials, chance), binom.isf(error / 2, trials, chance)
    # from ``low`` to ``high`` a count is not found
    return float(binom.cdf(low - 1, trials, actual) + binom.sf(high, trials, actual))
