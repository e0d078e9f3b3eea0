"""Classes of support sizes: what a report of each class tells, and which sizes make up a class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.counting import log_binomial_masses
from qifldp.collection.mechanism import Mechanism

MOST_CLASSES = 64
"""Classes of size at most: neighbouring sizes tell almost the same."""

MOST_CELLS = 1 << 21
"""Cells of a table of counts by class (16 MiB): a large domain has fewer classes, and gains little by them."""


@dataclass(frozen=True)
class SizeClasses:
    """Ranges of support sizes, and the chances of support in each.

    Given that a report supports w values, whatever the true one is, it supports the true one with p_w and any other
    with q_w:

        p_w = w ρ/(w ρ + k − w)    q_w = (w − p_w)/(k − 1)    d_w = p_w − q_w    ρ = p(1 − q)/((1 − p) q)

    and a class has their means under the law of the sizes.

    Attributes:
        starts: The first size of each class, increasing, from 0.
        domain_size: Number of values k.
        absent: q = Pr[support | another value, class].
        gap: d = Pr[support | true value, class] − q.
        share: Pr[class].
        fixed_size: The one size of all reports, if they have one.
    """

    starts: tuple[int, ...]
    domain_size: int
    absent: NDArray[np.float64]
    gap: NDArray[np.float64]
    share: NDArray[np.float64]
    fixed_size: int | None = None

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The least and the largest size of each class."""
        if self.fixed_size is not None:
            return [(self.fixed_size, self.fixed_size)]
        return list(zip(self.starts, [start - 1 for start in self.starts[1:]] + [self.domain_size], strict=True))

    @cached_property
    def class_of(self) -> NDArray[np.uint16]:
        """The class of each size 0..k."""
        sizes = np.arange(self.domain_size + 1)
        return (np.searchsorted(np.array(self.starts), sizes, side="right") - 1).astype(np.uint16)


def single_class(mechanism: Mechanism) -> SizeClasses:
    """Return one class of all sizes: the textbook estimator's."""
    p, q = mechanism.support_chances
    absent, gap = np.array([float(q)]), np.array([float(p - q)])
    return SizeClasses((0,), mechanism.domain_size, absent, gap, np.ones(1), mechanism.fixed_size)


def size_classes(mechanism: Mechanism, starts: tuple[int, ...] | None = None) -> SizeClasses:
    """Return the classes of a mechanism: each size its own where there are few, else ranges of about one mass.

    Args:
        mechanism: The mechanism.
        starts: The classes' first sizes, if they are given.
    """
    k = mechanism.domain_size
    most = min(MOST_CLASSES, MOST_CELLS // k)
    if mechanism.fixed_size is not None or most < 2 or starts == (0,):
        return single_class(mechanism)
    mass, absent, gap = _law(mechanism)
    if starts is None:
        starts = tuple(range(k + 1)) if k < most else _even_starts(mass, most)
    at = np.array(starts)
    share = np.add.reduceat(mass, at)
    part = np.where(share > 0, share, 1.0)  # a class whose mass is below all doubles tells nothing that counts
    absent, gap = (np.add.reduceat(mass * chance, at) / part for chance in (absent, gap))
    return SizeClasses(starts, k, absent, gap, share)


def _law(mechanism: Mechanism) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return μ[w], q_w and d_w for w = 0..k, of a report whose members are independent."""
    k, (p, q) = mechanism.domain_size, mechanism.support_chances
    ratio = p * (1 - q) / ((1 - p) * q)
    rho, excess = float(ratio), float(ratio - 1)
    w = np.arange(k + 1, dtype=np.float64)
    weight = w * rho + (k - w)
    logs = log_binomial_masses(k, _log(q), _log(1 - q)) + np.log(weight)
    mass = np.exp(logs - logs.max())
    return (
        mass / mass.sum(),
        w * (np.maximum(w - 1, 0) * rho + (k - w)) / (weight * (k - 1)),
        w * (k - w) * excess / (weight * (k - 1)),
    )


def _log(chance: Fraction) -> float:
    return math.log(chance.numerator) - math.log(chance.denominator)


def _even_starts(mass: NDArray[np.float64], most: int) -> tuple[int, ...]:
    """Return starts of at most so many ranges, none of much more than an equal share of the mass."""
    below = np.concatenate(([0.0], np.cumsum(mass)[:-1]))
    label = np.minimum((below * most).astype(np.int64), most - 1)
    return tuple(np.flatnonzero(np.diff(label, prepend=-1)).tolist())
