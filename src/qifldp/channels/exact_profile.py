"""Profiles in exact numbers: rationals, or balls when the budget is real."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import Generic

import numpy as np

from qifldp.channels.channel import Channel, set_label
from qifldp.channels.hyper import Hyper
from qifldp.channels.profile import check_domain_size
from qifldp.errors import TooLargeError
from qifldp.exact.fields import Field, Number, Ordered

LARGEST_EXPANSION = 1 << 22
"""Cells of an explicit matrix that a profile is expanded to at most."""


@dataclass(frozen=True)
class ExactProfile(Generic[Ordered]):
    """A support-set channel Profile(k, ρ, μ) in one number field, canonical as :class:`Profile` is.

    Two rational profiles are equal objects exactly when their abstract channels are equal up to
    relabelling of outputs.

    Attributes:
        domain_size: Ordered of secrets k.
        ratio: ρ ≥ 1.
        mass: Pairs (w, μ[w]) of the sizes that occur, increasing in w, w in 0..k−1.
        field: The number field of ρ and μ.
    """

    domain_size: int
    ratio: Ordered
    mass: tuple[tuple[int, Ordered], ...]
    field: Field[Ordered] = dataclasses.field(compare=False, repr=False)

    @classmethod
    def fixed_size(cls, domain_size: int, *, ratio: Ordered, size: int, field: Field[Ordered]) -> ExactProfile[Ordered]:
        """Return the profile whose sets all have one size (ρ > 1)."""
        return cls(check_domain_size(domain_size), ratio, ((size, field.number(1)),), field)

    @classmethod
    def independent(cls, domain_size: int, *, p: Ordered, q: Ordered, field: Field[Ordered]) -> ExactProfile[Ordered]:
        """Return the profile of a report with independent members, p·Bin(w−1; k−1, q) + (1−p)·Bin(w; k−1, q)."""
        k = check_domain_size(domain_size)
        if p < q:
            p, q = 1 - p, 1 - q
        not_p, not_q = 1 - p, 1 - q
        ratio = p * not_q / (not_p * q)
        powers = [field.number(1)]
        others = [field.number(1)]
        for _ in range(k):
            powers.append(powers[-1] * q)
            others.append(others[-1] * not_q)
        masses, below, choose = [], field.number(0), field.number(1)  # C(k−1, w−1) and C(k−1, w)
        for w in range(k):
            absent = not_p * powers[w] * others[k - 1 - w] * choose
            present = p * powers[w - 1] * others[k - w] * below if w else field.number(0)
            masses.append(absent + present)
            below, choose = choose, choose * (k - 1 - w) / (w + 1)
        masses[0] = masses[0] + p * powers[k - 1]
        return cls(k, ratio, tuple(enumerate(masses)), field)

    @cached_property
    def _one(self) -> Ordered:
        return self.field.number(1)

    def densities(self, size: int) -> tuple[Ordered, Ordered]:
        """Return kα_w and kβ_w, the posterior over the prior of a member and of a non-member."""
        k, one = self.domain_size, self._one
        if size == 0:
            return one, one
        total = self.ratio * size + (k - size)
        return self.ratio * k / total, one * k / total

    @property
    def hyper(self) -> Hyper:
        """The exact hyper-distribution under the uniform prior."""
        k = self.domain_size
        density = np.array([self.densities(size) for size, _ in self.mass], dtype=object)
        return Hyper(
            outer=np.array([mass for _, mass in self.mass], dtype=object),
            prior=np.array([Fraction(1, k)] * 2, dtype=object),
            density=density,
            excess=density - 1,
            multiplicity=np.array([(size, k - size) for size, _ in self.mass], dtype=np.int64),
        )


def independent_mass(domain_size: int, *, p: Number, q: Number, size: int, field: Field[Number]) -> Number:
    """Return μ[w] for one interior size w, 1 ≤ w ≤ k − 1, of a report with independent members (p > q)."""
    k, absent = domain_size, field.number(math.comb(domain_size - 1, size))
    present = field.number(math.comb(domain_size - 1, size - 1))
    shared = q ** (size - 1) * (1 - q) ** (k - 1 - size)
    return shared * (absent * (1 - p) * q + present * p * (1 - q))


def expand(profile: ExactProfile[Fraction]) -> Channel:
    """Return the explicit rational channel of a profile, one column for each set of values.

    Raises:
        TooLargeError: If it would have more than four million cells.
    """
    k = profile.domain_size
    cells = k * sum(math.comb(k, size) for size, _ in profile.mass)
    if cells > LARGEST_EXPANSION:
        raise TooLargeError(
            f"The explicit channel would have {cells:,} cells (at most {LARGEST_EXPANSION:,}): "
            "use the profile, which works for any domain size."
        )
    columns, labels = [], []
    for size, mass in profile.mass:
        member, other = (mass * density / math.comb(k, size) for density in profile.densities(size))
        for chosen in combinations(range(k), size):
            columns.append([member if x in chosen else other for x in range(k)])
            labels.append(set_label(chosen))
    return Channel(list(zip(*columns, strict=True)), outputs=labels)
