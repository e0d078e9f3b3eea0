"""Frequencies estimated from counts of support: unbiased, weighed by size, or constrained, each with its error.

Within a class c of reports (all of them, for the textbook estimator) a value of frequency f is supported by a share
q_c + f·d_c of the reports, d_c = p_c − q_c. Classes are combined with weights u_c that are best for the value's f:

    f̂ = Σ_c u_c (C_c/n_c − q_c)/d_c      u_c ∝ n_c/V_c(f)
    V_c(f) = [f p_c(1 − p_c) + (1 − f) q_c(1 − q_c)]/d_c² + f(1 − f)

with f taken from a first estimate, of the weights for f = 0, held to [0, 1]. About the data, the people who did report,

    Var f̂ = Σ_c u_c² V_c(f)/n_c − f(1 − f)/n      (one class: [f p(1 − p) + (1 − f) q(1 − q)]/(n d²))

Estimates of two values v and w are not independent: a report that supports one has less room for the other. With r₁ the
chance of supporting the true value and a certain other, r₀ of two certain others,

    Cov(f̂_v, f̂_w) = Σ_c u_vc u_wc B_c(f_v, f_w)/n_c + f_v f_w/n
    B_c(f, g) = [(f + g)(r₁c − p_c q_c) + (1 − f − g)(r₀c − q_c²)]/d_c² − f g

One class: f̂ is unbiased. Several: its weights come from the same reports, which biases it by a term of order 1/n, far
below its error. In a sum over many values the biases add up while the errors largely cancel: such sums want one class.

Counts of rare support are skewed, and the ends of simultaneous intervals are far out in their tails, where the normal
law would give each of them away too often. So the interval is the score interval with its ends moved out by the
skewness (Cornish and Fisher 1938), and never in: of a normal law's tail the quantile z σ becomes
z σ + (z² − 1) κ₃/(6 σ²), κ₃ the third cumulant of f̂.

Source: docs/explanation/theory.md, "And an accuracy".
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import ndtri

from qifldp.collection.constrained import most_likely, norm_sub, onto_simplex
from qifldp.collection.size_classes import SizeClasses
from qifldp.errors import InputError

Floats = NDArray[np.float64]

Post = Literal["none", "normsub", "simplex", "mle"]
"""What is done to the unbiased estimates."""


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimated frequencies of k values among n people.

    Attributes:
        n: Number of reports.
        post: What was done to the unbiased estimates.
        confidence: Of the intervals.
        frequency: Estimates, shape (k,); unbiased if post is ``none`` (to 1/n, if weighed by size).
        standard_error: Of each estimate, about the data; where post is not ``none``, to first order: as if the values
            that are above zero had been known beforehand, and of the others that of the unbiased estimate.
        low: Start of the interval of each value on its own.
        high: End of it.
        low_simultaneous: Start of the interval of each value, if all k are to hold together.
        high_simultaneous: End of it.
    """

    n: int
    post: Post
    confidence: float
    frequency: Floats
    standard_error: Floats
    low: Floats
    high: Floats
    low_simultaneous: Floats
    high_simultaneous: Floats

    @property
    def detected(self) -> NDArray[np.bool_]:
        """Values that occur: those whose simultaneous interval is above zero. All are right with the confidence."""
        found: NDArray[np.bool_] = self.low_simultaneous > 0
        return found

    def to_arrow(self, values: Sequence[str] | None = None) -> pa.Table:
        """Return a table with a row for each value: its label (or place), estimate, error and intervals."""
        labels = pa.array(range(len(self.frequency)) if values is None else list(values))
        return pa.table({"value": labels} | {name: pa.array(column) for name, column in self.columns.items()})

    @property
    def columns(self) -> dict[str, NDArray[np.float64] | NDArray[np.bool_]]:
        """The columns of the table, by name."""
        return {
            "frequency": self.frequency,
            "standard_error": self.standard_error,
            "low": self.low,
            "high": self.high,
            "low_simultaneous": self.low_simultaneous,
            "high_simultaneous": self.high_simultaneous,
            "detected": self.detected,
        }


def estimate(
    classes: SizeClasses,
    table: NDArray[np.int64],
    totals: NDArray[np.int64],
    *,
    post: Post = "none",
    confidence: float = 0.95,
) -> Estimates:
    """Return estimates from counts of support by class.

    Args:
        classes: What a report of each class tells.
        table: Counts, shape (classes, k).
        totals: Reports of each class.
        post: See :data:`Post`.
        confidence: Of the intervals.

    Raises:
        InputError: If there are no reports, or no class with reports tells anything, or an option is out of range.
    """
    if post not in get_args(Post):
        raise InputError.expected("post", ", ".join(get_args(Post)), post)
    if not 0 < confidence < 1:
        raise InputError.expected("confidence", "between 0 and 1", confidence)
    model = _Model(classes, table, totals)
    n, k = model.everyone, table.shape[1]
    raw, variance, covariance = model.estimate()
    spread = np.sqrt(variance.at(np.clip(raw, 0, 1)))
    low, high = variance.intervals(raw, [1 - confidence, _miss_of_each(confidence, k)])
    found = Estimates(n, "none", confidence, raw, spread, low[0], high[0], low[1], high[1])
    if post == "none":
        return found
    if post == "mle":
        frequency, give = most_likely(classes, table, totals)
    else:
        frequency, give = norm_sub(raw) if post == "normsub" else onto_simplex(raw), np.ones(k)
    # An interval that held the truth still does when it is stretched to the estimate.
    return replace(
        found,
        post=post,
        frequency=frequency,
        standard_error=_moved_errors(frequency, give, variance, covariance),
        low=np.minimum(found.low, frequency),
        high=np.maximum(found.high, frequency),
        low_simultaneous=np.minimum(found.low_simultaneous, frequency),
        high_simultaneous=np.maximum(found.high_simultaneous, frequency),
    )


def frequencies(classes: SizeClasses, table: NDArray[np.int64], totals: NDArray[np.int64]) -> Floats:
    """Return the unbiased estimates of :func:`estimate` alone, shape (k,): errors and intervals take longer.

    Raises:
        InputError: If there are no reports, or no class with reports tells anything.
    """
    return _Model(classes, table, totals).estimate()[0]


@dataclass(frozen=True, eq=False)
class _Variance:
    """The variance of estimates as a function of the true frequency: constant + slope·f + curve·f².

    Attributes:
        constant: The variance of absent values.
        slope: As in the formula.
        curve: As in the formula.
        third: The third cumulant about the population, c₀ + c₁f + c₂f² + c₃f³, shape (4, k).
        n: Number of reports.
    """

    constant: Floats
    slope: Floats
    curve: Floats
    third: Floats
    n: int

    def at(self, frequency: Floats) -> Floats:
        found: Floats = np.maximum(self.constant + frequency * (self.slope + frequency * self.curve), 0.0)
        return found

    def skew(self, frequency: Floats) -> Floats:
        """Return κ₃/σ² at a frequency: the third cumulant about the data, the people who reported, over the variance.

        About the population the cumulant is larger by what sampling the people adds (the law of total cumulance).
        """
        f, (c0, c1, c2, c3) = frequency, self.third
        spread = f * (1 - f) / self.n
        sampled = 3 * spread * (self.slope + 2 * self.curve * f) + spread * (1 - 2 * f) / self.n
        variance = self.at(f)
        third = c0 + f * (c1 + f * (c2 + f * c3)) - sampled
        return np.divide(third, variance, out=np.zeros_like(variance), where=variance > 0)

    def intervals(self, estimate: Floats, misses: Sequence[float]) -> tuple[Floats, Floats]:
        """Return the ends of intervals that miss with the chances ``misses``, which fall; each of shape (misses, k).

        They are held to [0, 1].
        """
        square = ndtri(np.array(misses)[:, None] / 2) ** 2
        low, high = self._score_intervals(estimate, square)
        # Skewness between an end and the frequency that it has to let in is largest at one of the two.
        nothing, everything = np.zeros_like(estimate), np.ones_like(estimate)
        up = np.maximum(np.maximum(self.skew(nothing), self.skew(low)), 0)
        down = np.maximum(np.maximum(-self.skew(everything), -self.skew(high)), 0)
        tail = np.maximum(square - 1, 0) / 6
        low, _ = self._score_intervals(estimate - tail * up, square)
        _, high = self._score_intervals(estimate + tail * down, square)
        # Ends that are equal but for rounding must not cross: the rarer the miss, the wider the interval.
        low = np.minimum.accumulate(low)
        return low, np.maximum.accumulate(np.maximum(low, high))

    def _score_intervals(self, estimate: Floats, square: Floats) -> tuple[Floats, Floats]:
        """Return the frequencies f with (f̂ − f)² ≤ z² Var(f) (Wilson 1927), held to [0, 1].

        They lie between the roots of a f² − 2b f + c. Its discriminant b² − a c is written without the term f̂², of
        which little is left where the variance is small, and each root by the one of two forms that adds up.
        """
        a = 1 - square * self.curve
        b = estimate + square * self.slope / 2
        c = estimate**2 - square * self.constant
        spread = self.constant + estimate * (self.slope + estimate * self.curve)
        root = np.sqrt(np.maximum(square * (spread + square * (self.slope**2 / 4 - self.curve * self.constant)), 0.0))
        with np.errstate(invalid="ignore", divide="ignore"):
            low = np.where(b > 0, c / (b + root), (b - root) / a)
            high = np.where(b >= 0, (b + root) / a, c / (b - root))
        wide = a <= 0  # so few reports that no frequency is far from the estimate in its own standard errors
        # Below an estimate of less than 0 there is no frequency that it could be too large for; above 1, too small.
        low = np.where(wide | (estimate <= 0), 0.0, np.clip(low, 0, 1))
        return low, np.where(wide | (estimate >= 1), 1.0, np.clip(high, 0, 1))


@dataclass(frozen=True, eq=False)
class _Covariance:
    """The covariance of the estimates of two values, Σ_c u_vc u_wc [β_c + α_c (f_v + f_w) − f_v f_w]/n_c + f_v f_w/n.

    Attributes:
        weight: u, shape (classes, k).
        totals: Reports of each class n_c, shape (classes, 1).
        constant: β, shape (classes, 1).
        slope: α, shape (classes, 1).
        n: Number of reports.
    """

    weight: Floats
    totals: Floats
    constant: Floats
    slope: Floats
    n: int

    def with_others(self, frequency: Floats, kept: NDArray[np.bool_]) -> Floats:
        """Return the sum of an estimate's covariances with those of the other kept values, for each that is kept."""
        f, u = frequency[kept], self.weight[:, kept]
        among = (u * f).sum(axis=1, keepdims=True)
        others = self.constant + self.slope * f
        found = u * (others * (u.sum(axis=1, keepdims=True) - u) + (self.slope - f) * (among - u * f)) / self.totals
        return np.asarray(found.sum(axis=0) + f * (f.sum() - f) / self.n)


def _miss_of_each(confidence: float, k: int) -> float:
    """Return 1 − c^(1/k): how often each of k intervals may miss so that all hold together (Šidák 1967).

    In this form digits are not lost where the power is near one: at a million values, or a confidence of 1 − 1e-15.
    """
    return -math.expm1(math.log(confidence) / k)


NO_NOISE = 1e-200
"""In place of a sum of zero that is divided by: where ε is so large that all doubles nearest to q are 0."""


class _Model:
    """Counts by class, with what each class tells; classes without reports or without information left out."""

    def __init__(self, classes: SizeClasses, table: NDArray[np.int64], totals: NDArray[np.int64]) -> None:
        self.everyone = int(totals.sum())
        if self.everyone == 0:
            raise InputError("There are no reports to estimate from.")
        told = (totals > 0) & (classes.gap != 0)
        if not told.any():
            raise InputError(
                "All reports support no value or all values, and weighed by size they say nothing: "
                "take the textbook estimate (--weights plain)."
            )
        self.q, self.d = classes.absent[told][:, None], classes.gap[told][:, None]
        self.own_pair, self.other_pair = classes.own_pair[told][:, None], classes.other_pair[told][:, None]
        self.n = totals[told][:, None].astype(np.float64)
        self.counts = table[told]

    def estimate(self) -> tuple[Floats, _Variance, _Covariance]:
        """Return unbiased estimates, their variance and their covariance.

        The weights are from a first estimate that treats values alike.
        """
        nothing = np.zeros((1, 1))
        first = self._combine(np.broadcast_to(nothing, (1, self.counts.shape[1])))[0]
        return self._combine(np.clip(first, 0, 1)[None, :])

    def _combine(self, frequency: Floats) -> tuple[Floats, _Variance, _Covariance]:
        """Return the estimates with the weights that are best at a frequency, their variance and their covariance."""
        q, d, n = self.q, self.d, self.n
        p = q + d
        base, slope = q * (1 - q) / d**2, (p * (1 - p) - q * (1 - q)) / d**2
        noise = base + frequency * slope + frequency * (1 - frequency)
        weight = n / np.maximum(noise, NO_NOISE)
        weight /= weight.sum(axis=0)
        found = np.sum(weight * (self.counts / n - q) / d, axis=0)
        square = weight**2 / n
        drawn = square.sum(axis=0) - 1 / self.everyone
        cube = square * weight / (n * d**3)
        moments = q * (1 - q) * (1 - 2 * q), d * (1 - 6 * q * (1 - q)), 3 * d**2 * (2 * q - 1), 2 * d**3
        third = np.array([np.sum(cube * moment, axis=0) for moment in moments])
        constant, slope = np.sum(square * base, axis=0), np.sum(square * slope, axis=0) + drawn
        with_own, of_others = (self.own_pair - p * q) / d**2, (self.other_pair - q**2) / d**2
        covariance = _Covariance(weight, n, of_others, with_own - of_others, self.everyone)
        return found, _Variance(constant, slope, -drawn, third, self.everyone), covariance


def _moved_errors(frequency: Floats, give: Floats, variance: _Variance, covariance: _Covariance) -> Floats:
    """Return the errors of estimates that were moved to a sum of one, each by its share of ``give``.

    Those above zero are x_v = f̂_v − s_v (Σ f̂_w − 1), s_v = give_v/Σ give_w, the sums over all above zero, so that

        Var x_v = Var f̂_v − 2 s_v Σ_w Cov(f̂_v, f̂_w) + s_v² Σ_u Σ_w Cov(f̂_u, f̂_w)

    To one that ended at zero its own error is left.
    """
    kept, found = frequency > 0, variance.at(frequency)
    # All shares are 0 where every slope falls faster than doubles tell.
    share = give[kept] / max(float(give[kept].sum()), NO_NOISE)
    with_sum = found[kept] + covariance.with_others(frequency, kept)
    found[kept] += share * (share * with_sum.sum() - 2 * with_sum)
    return np.asarray(np.sqrt(np.maximum(found, 0)))
