"""Telling two secrets apart: trade-off curves (f-DP), (ε, δ), total variation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import ExactProfile
from qifldp.channels.hyper import Numbers
from qifldp.channels.profile import Profile
from qifldp.errors import InputError
from qifldp.leakage.source import Measured, Real, Source, measured

MOST_PAIRS = 5_000_000
"""Pairs of secrets times outputs that are compared for the worst pair of a matrix."""


@dataclass(frozen=True, eq=False)
class TradeOff:
    """The trade-off curve between two secrets: the best tests of "the secret is x" against "it is x'".

    Outputs are listed in classes of one likelihood ratio each, the most telling for x' first (two classes may
    share a ratio). The best test of each level rejects x after the first classes. α is the chance to reject x
    wrongly (type I), β the chance not to reject it when the secret is x' (type II); the curve is linear between
    its points.

    Attributes:
        first: Probability of each class under x, shape (m,).
        second: Probability of each class under x', shape (m,).
        log_ratio: ln(second / first) of each class, decreasing; ±inf where one of them is zero.
    """

    first: Numbers
    second: Numbers
    log_ratio: Numbers

    @property
    def alpha(self) -> Numbers:
        """Type I errors at the points of the curve, from 0 to 1, shape (m + 1,)."""
        return np.concatenate(([self.first[0] * 0], np.cumsum(self.first)))

    @property
    def beta(self) -> Numbers:
        """Type II errors at the points of the curve, from 1 to 0, shape (m + 1,)."""
        return np.concatenate((np.cumsum(self.second[::-1])[::-1], [self.second[0] * 0]))

    @property
    def total_variation(self) -> Real:
        """Largest difference over events: of Pr[event | x'] − Pr[event | x]."""
        return self.delta(0)

    @property
    def advantage(self) -> Real:
        """The best test's success beyond blind guessing, on a scale from 0 to 1: the total variation."""
        return self.total_variation

    @property
    def tight_epsilon(self) -> float:
        """The smallest ε with δ = 0, in nats; infinite if there is none."""
        return max(float(self.log_ratio[0]), -float(self.log_ratio[-1]))

    def type_two_error(self, alpha: float) -> float:
        """Return the smallest β of a test with type I error at most α: the curve at α."""
        if not 0 <= alpha <= 1:
            raise InputError.expected("alpha", "from 0 to 1", alpha)
        return float(np.interp(alpha, self.alpha.astype(np.float64), self.beta.astype(np.float64)))

    def delta(self, epsilon: float) -> Real:
        """Return the smallest δ for which the two secrets are (ε, δ)-indistinguishable, both ways.

            δ(ε) = max over both directions of Σ_y max(0, Pr[y | x'] − e^ε Pr[y | x])

        Args:
            epsilon: ε ≥ 0 in nats. At ε = 0 an exact curve gives an exact answer, the total variation.
        """
        if not 0 <= epsilon < math.inf:
            raise InputError.expected("epsilon", "finite and not negative", epsilon)
        if epsilon == 0 and self.first.dtype == object:
            gaps: Numbers = self.second - self.first
            return gaps[gaps > 0].sum() + Fraction(0)
        first, second = self.first.astype(np.float64), self.second.astype(np.float64)
        logs = self.log_ratio.astype(np.float64)
        forward = -second * np.expm1(np.minimum(epsilon - logs, 0.0))
        backward = -first * np.expm1(np.minimum(epsilon + logs, 0.0))
        return max(float(np.sum(forward)), float(np.sum(backward)))

    def epsilon(self, delta: float) -> float:
        """Return the smallest ε ≥ 0 for which the secrets are (ε, δ)-indistinguishable; infinite if there is none.

        Bisection: the answer is at most 1e-12 too large, never too small by more than rounding.
        """
        if not 0 <= delta <= 1:
            raise InputError.expected("delta", "from 0 to 1", delta)
        if self.delta(0.0) <= delta:
            return 0.0
        finite = np.abs(self.log_ratio.astype(np.float64))
        low, high = 0.0, float(finite[np.isfinite(finite)].max(initial=0.0))
        if self.delta(high) > delta:
            return math.inf
        while high - low > 1e-12:
            middle = (low + high) / 2
            low, high = (low, middle) if self.delta(middle) <= delta else (middle, high)
        return high


def trade_off(source: Source, first: int = 0, second: int = 1) -> TradeOff:
    """Return the trade-off curve between two secrets (any two, for the symmetric protocols).

    For a profile, with D = Σ_w μ[w] α_w w(k − w)/(k − 1) = Pr[x ∈ S, x' ∉ S given x], it goes through (0, 1),
    (D/ρ, 1 − D), (1 − D, D/ρ) and (1, 0).

    Args:
        source: A protocol, profile or channel.
        first: Row of the secret x of the null hypothesis.
        second: Row of the secret x'.

    Raises:
        InputError: If these are not two different secrets of the domain.
    """
    found = measured(source)
    for secret in (first, second):
        if isinstance(secret, bool) or not isinstance(secret, int | np.integer) or not 0 <= secret < found.domain_size:
            raise InputError.expected("a secret", f"a row from 0 to {found.domain_size - 1}", secret)
    if first == second:
        raise InputError(f"A trade-off curve needs two different secrets, got {first} twice.")
    if isinstance(found, Channel):
        return _between_rows(found.matrix[first], found.matrix[second])
    telling = split_probability(found)
    if isinstance(found, ExactProfile):
        far, rest = telling / found.ratio, 1 - telling - telling / found.ratio
        ratio = math.log(found.ratio.numerator) - math.log(found.ratio.denominator)
        logs = np.array([ratio, 0.0, -ratio])
        return _nonzero(np.array([far, rest, telling]), np.array([telling, rest, far]), logs)
    far = telling * math.exp(-found.log_ratio)
    rest = _alike_probability(found)
    logs = np.array([found.log_ratio, 0.0, -found.log_ratio])
    return _nonzero(np.array([far, rest, telling]), np.array([telling, rest, far]), logs)


def split_probability(found: Profile | ExactProfile[Fraction]) -> Real:
    """Return D = Pr[x ∈ S, x' ∉ S given x], the chance that a report tells x from x' rightly."""
    hyper, k = found.hyper, found.domain_size
    size = hyper.multiplicity[:, 0]
    terms = hyper.outer * hyper.density[:, 0] * (size * (k - size))
    whole = terms.sum() / (k * (k - 1))
    return whole if isinstance(whole, Fraction) else float(whole)


def pairwise_advantage(source: Source) -> Real:
    """Return the largest total variation between two secrets: D(1 − 1/ρ) for the symmetric protocols.

    Raises:
        InputError: If a matrix has too many pairs of rows to compare them all.
    """
    found: Measured = measured(source)
    if isinstance(found, ExactProfile):
        return split_probability(found) * (1 - 1 / found.ratio)
    if isinstance(found, Profile):
        return split_probability(found) * -math.expm1(-found.log_ratio)
    k, matrix = found.domain_size, found.matrix
    if k * matrix.size > 100 * MOST_PAIRS:
        raise InputError(f"A matrix of {k} × {matrix.shape[1]} has too many pairs of rows to compare them all.")
    best = max((abs(matrix[x + 1 :] - matrix[x]).sum(axis=1).max() for x in range(k - 1)), default=0.0)
    return best / 2 if isinstance(best, Fraction) else float(best) / 2


def _alike_probability(profile: Profile) -> float:
    """Return Pr[x and x' are both in S, or both out], given x."""
    k, w = profile.domain_size, profile.sizes
    both = w * (w - 1) / (k * (k - 1))
    neither = (k - w) * (k - w - 1) / (k * (k - 1))
    density = np.exp(profile.log_density)
    return float(np.sum(np.exp(profile.log_mass) * (both * density[:, 0] + neither * density[:, 1])))


def _between_rows(first: Numbers, second: Numbers) -> TradeOff:
    seen = (first > 0) | (second > 0)
    first, second = first[seen], second[seen]
    with np.errstate(divide="ignore"):
        logs = np.log(second.astype(np.float64)) - np.log(first.astype(np.float64))
    order = np.argsort(-logs, kind="stable")
    return TradeOff(first[order], second[order], logs[order])


def _nonzero(first: Numbers, second: Numbers, logs: Numbers) -> TradeOff:
    seen = (first > 0) | (second > 0)
    return TradeOff(first[seen], second[seen], logs[seen])
