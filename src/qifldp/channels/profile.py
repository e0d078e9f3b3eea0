"""Profiles: symmetric channels of any size in support-set normal form, in log space."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.counting import log_binomial_masses
from qifldp.channels.hyper import Hyper
from qifldp.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

LARGEST_DOMAIN = 10**7
"""A profile of ten million values takes about a gigabyte while it is measured."""


def check_domain_size(domain_size: int) -> int:
    """Return the number of values k if it is an integer from 2 to ten million, else raise InputError."""
    if isinstance(domain_size, bool) or not isinstance(domain_size, int | np.integer):
        raise InputError.expected("domain size", "a whole number", domain_size)
    if not 2 <= domain_size <= LARGEST_DOMAIN:
        raise InputError.expected("domain size", f"from 2 to {LARGEST_DOMAIN:,}", domain_size)
    return int(domain_size)


@dataclass(frozen=True)
class MemberLaw:
    """The law of a report whose members are independent: the secret is in with p, any other value with q.

    Logarithms of p, 1 − p, q and 1 − q, with p > q.
    """

    log_p: float
    log_not_p: float
    log_q: float
    log_not_q: float

    def complement(self) -> MemberLaw:
        """Return the law of the values that are *not* in the report."""
        return MemberLaw(self.log_not_p, self.log_p, self.log_not_q, self.log_q)


@dataclass(frozen=True, eq=False)
class Profile:
    """A support-set channel Profile(k, ρ, μ), in canonical form.

    The output is a set S of values. Its size has distribution μ whatever the secret is, and among the
    sets of one size a set that contains the secret is ρ times as likely as one that does not:

        α_w = ρ/(wρ + k − w)   posterior (uniform prior) of a member of a set of size w
        β_w = 1/(wρ + k − w)   of a non-member

    Canonical: ρ ≥ 1, and the sets ∅ and [k], which say nothing, are one silent report of size 0. A
    profile in which only the silent report occurs has ρ = 1.

    Attributes:
        domain_size: Number of secrets k.
        log_ratio: ln ρ in nats.
        sizes: Sizes w that occur, increasing, in 0..k−1, shape (m,).
        log_mass: ln μ[w] of each size, shape (m,).
        members: The law of independent members, if the profile came from one.

    Source: theory of support-set channels, docs/explanation/theory.md.
    """

    domain_size: int
    log_ratio: float
    sizes: NDArray[np.int64]
    log_mass: NDArray[np.float64]
    members: MemberLaw | None = None

    @classmethod
    def fixed_size(cls, domain_size: int, *, log_ratio: float, size: int) -> Profile:
        """Return the profile whose sets all have one size, 1 ≤ size ≤ k − 1 (ρ > 1)."""
        return cls(check_domain_size(domain_size), log_ratio, np.array([size]), np.zeros(1))

    @classmethod
    def independent(cls, domain_size: int, *, log_ratio: float, members: MemberLaw) -> Profile:
        """Return the profile of a report with independent members.

            μ[w] = Bin(w; k, q) · (1 − p)/(1 − q) · (k − w + wρ)/k      ρ = p(1 − q)/((1 − p)q)

        (equal to p·Bin(w−1; k−1, q) + (1−p)·Bin(w; k−1, q)).

        Args:
            domain_size: Number of secrets k.
            log_ratio: ln ρ; negative if p < q, which stands for the complement.
            members: Logarithms of p, 1 − p, q, 1 − q.
        """
        k = check_domain_size(domain_size)
        if log_ratio < 0:
            log_ratio, members = -log_ratio, members.complement()
        w = np.arange(k + 1, dtype=np.float64)
        with np.errstate(divide="ignore"):
            weight = np.logaddexp(np.log(k - w), np.log(w) + log_ratio) - np.log(k)
        logs = log_binomial_masses(k, members.log_q, members.log_not_q) + weight
        logs -= logs.max()
        logs -= np.log(np.sum(np.exp(logs)))  # the masses sum to one, which also brings in (1 − p)/(1 − q)
        logs[0] = np.logaddexp(logs[0], logs[k])
        return cls(k, log_ratio, np.arange(k), logs[:k], members)

    @classmethod
    def from_masses(cls, domain_size: int, *, ratio: float, mass: Sequence[float]) -> Profile:
        """Return the canonical profile of any size distribution.

        Args:
            domain_size: Number of secrets k.
            ratio: ρ > 0; below one it stands for the complement.
            mass: μ[0..k], non-negative, summing to one within 1e-12.

        Raises:
            InputError: If ρ is not positive and finite, or μ is not a distribution over 0..k.
        """
        k = check_domain_size(domain_size)
        if not 0 < ratio < np.inf:
            raise InputError.expected("ratio", "positive and finite", ratio)
        mu = np.array(mass, dtype=np.float64)
        if mu.shape != (k + 1,) or not np.all(mu >= 0) or abs(mu.sum() - 1) > 1e-12:
            raise InputError(f"mass must be {k + 1} probabilities (sizes 0 to {k}) that sum to one.")
        if ratio < 1:
            ratio, mu = 1 / ratio, mu[::-1].copy()
        mu[0] += mu[k]
        if ratio == 1 or not mu[1:k].any():
            ratio, mu = 1.0, np.eye(1, k + 1)[0]
        sizes = np.flatnonzero(mu[:k] > 0)
        return cls(k, float(np.log(ratio)), sizes, np.log(mu[sizes]))

    @property
    def tight_epsilon(self) -> float:
        """The smallest ε for which the channel is ε-LDP: ln ρ."""
        return self.log_ratio

    @cached_property
    def log_density(self) -> NDArray[np.float64]:
        """ln(kα_w) and ln(kβ_w), shape (m, 2): posterior over prior, accurate at both ends of ε."""
        share = self.sizes / self.domain_size
        rest = (self.domain_size - self.sizes) / self.domain_size
        shrink = rest * -np.expm1(-self.log_ratio)
        with np.errstate(divide="ignore"):
            far = -np.logaddexp(np.log(share), np.log(rest) - self.log_ratio)
        members = np.where(shrink < 0.5, -np.log1p(-np.minimum(shrink, 0.5)), far)
        if self.log_ratio < 1:
            others = -np.log1p(share * np.expm1(self.log_ratio))
        else:
            with np.errstate(divide="ignore"):
                grow = np.log(share) + self.log_ratio
            small = grow < -1  # near zero, ln(1 + x) needs x itself
            others = np.where(
                small,
                -np.log1p(np.exp(np.minimum(grow, -1)) - share),
                -np.logaddexp(np.log(rest), grow),
            )
        silent = self.sizes == 0
        members[silent] = 0.0
        others[silent] = 0.0
        return np.stack((members, others), axis=1)

    @cached_property
    def hyper(self) -> Hyper:
        """The hyper-distribution under the uniform prior: a row a size, two blocks (members, others)."""
        return Hyper(
            outer=np.exp(self.log_mass),
            prior=np.full(2, 1 / self.domain_size),
            density=np.exp(self.log_density),
            excess=np.expm1(self.log_density),
            multiplicity=np.stack((self.sizes, self.domain_size - self.sizes), axis=1),
            float_log_density=self.log_density,
        )
