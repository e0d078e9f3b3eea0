"""Classes of support sizes: what a report of each class tells, and which sizes make up a class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.mechanism import Mechanism

MOST_CLASSES = 64
"""Classes of size at most: neighbouring sizes tell almost the same."""

MOST_CELLS = 1 << 21
"""Cells of a table of counts by class (16 MiB): a large domain has fewer classes, and gains little by them."""


@dataclass(frozen=True)
class SizeClasses:
    """Ranges of support sizes, and the chances of support in each: means under the law of the sizes.

    Attributes:
        starts: The first size of each class, increasing, from 0.
        domain_size: Number of values k.
        absent: q = Pr[support | another value, class].
        gap: d = Pr[support | true value, class] − q.
        own_pair: Pr[support of the true value and of a certain other | class].
        other_pair: Pr[support of two certain others | class].
        share: Pr[class].
        occurring: The sizes that reports can have, if not all.
    """

    starts: tuple[int, ...]
    domain_size: int
    absent: NDArray[np.float64]
    gap: NDArray[np.float64]
    own_pair: NDArray[np.float64]
    other_pair: NDArray[np.float64]
    share: NDArray[np.float64]
    occurring: tuple[int, ...] | None = None

    @property
    def fixed_size(self) -> int | None:
        """The one size of all reports, if they have one."""
        return self.occurring[0] if self.occurring is not None and len(self.occurring) == 1 else None

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """The least and the largest size of each class."""
        ranges = list(zip(self.starts, [start - 1 for start in self.starts[1:]] + [self.domain_size], strict=True))
        if self.occurring is None:
            return ranges
        inside = [[size for size in self.occurring if low <= size <= high] or (low, high) for low, high in ranges]
        return [(sizes[0], sizes[-1]) for sizes in inside]

    @cached_property
    def class_of(self) -> NDArray[np.uint16]:
        """The class of each size 0..k."""
        sizes = np.arange(self.domain_size + 1)
        return (np.searchsorted(np.array(self.starts), sizes, side="right") - 1).astype(np.uint16)


def single_class(mechanism: Mechanism) -> SizeClasses:
    """Return one class of all sizes: the textbook estimator's."""
    p, q = mechanism.support_chances
    absent, gap, own_pair, other_pair = (np.array([float(each)]) for each in (q, p - q, *mechanism.pair_chances))
    return SizeClasses((0,), mechanism.domain_size, absent, gap, own_pair, other_pair, np.ones(1), mechanism.sizes)


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
    law, few = mechanism.size_law(), mechanism.sizes
    if starts is None:
        if few is not None and len(few) <= most:
            starts = (0, *few[1:])
        else:
            starts = tuple(range(k + 1)) if k < most else _even_starts(law.mass, most)
    at = np.array(starts)
    share = np.add.reduceat(law.mass, at)
    part = np.where(share > 0, share, 1.0)  # a class whose mass is below all doubles tells nothing that counts
    absent, gap, own_pair, other_pair = (
        np.add.reduceat(law.mass * chance, at) / part for chance in (law.absent, law.gap, *law.pairs)
    )
    return SizeClasses(starts, k, absent, gap, own_pair, other_pair, share, few)


def _even_starts(mass: NDArray[np.float64], most: int) -> tuple[int, ...]:
    """Return starts of at most so many ranges, none of much more than an equal share of the mass."""
    below = np.concatenate(([0.0], np.cumsum(mass)[:-1]))
    label = np.minimum((below * most).astype(np.int64), most - 1)
    return tuple(np.flatnonzero(np.diff(label, prepend=-1)).tolist())
