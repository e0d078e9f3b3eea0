"""Counts of support drawn straight from the true counts, exact in distribution, without any reports.

The counts are of reports of all sizes together, so estimates from them are the textbook ones.

- Independent members (UE, and LH under ideal hashing): the counts of different values are independent given the data,
  and the count of value x is Bin(n_x, p) + Bin(n − n_x, q).
- One value a report (GRR): those who keep their value, and one multinomial of the others.
- Sets of ω values (SS): see :func:`_sets`.
- Mixtures: the people of each value are split among the parts by a multinomial draw; the parts' counts are added up.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.accumulator import Accumulator
from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.entropy import WORD
from qifldp.collection.hashing import HashMechanism
from qifldp.collection.mechanism import Mechanism, check_generator
from qifldp.collection.mixture import MixMechanism
from qifldp.collection.reports import Collectable
from qifldp.collection.size_classes import single_class
from qifldp.collection.subsets import SubsetMechanism
from qifldp.errors import InputError

Counts = NDArray[np.int64]

MOST_PEOPLE = 10**15
"""Products of counts and thresholds stay within doubles, in which NumPy's binomial sampler works."""

MOST_SWEPT = 10**9 - 1
"""NumPy's multivariate hypergeometric sampler refuses totals of 10^9 and more."""


def sample_counts(protocol: Collectable, counts: object, *, rng: np.random.Generator) -> Accumulator:
    """Return the counts of support that a server would have, had these people reported.

    Args:
        protocol: The protocol; local hashing is taken to be ideal.
        counts: How many people have each value, shape (k,).
        rng: The source of randomness.

    Raises:
        InputError: If the counts are not k whole numbers of at most 10^15 people, or the source of randomness is none.
    """
    check_generator(rng)
    wrong = f"The true counts must be {protocol.domain_size} whole numbers, one for each value."
    try:
        people = np.asarray(counts)
    except ValueError:  # lists of several lengths
        raise InputError(wrong) from None
    whole = np.issubdtype(people.dtype, np.integer) and not np.ma.is_masked(counts)
    if people.shape != (protocol.domain_size,) or not whole:
        raise InputError(wrong)
    if people.min() < 0 or not 0 < sum(people.tolist()) <= MOST_PEOPLE:
        raise InputError("The true counts must be of at least one person and at most 10^15, and none negative.")
    people = people.astype(np.int64)
    support = _support(protocol.mechanism, people, rng)
    return Accumulator(protocol, single_class(protocol.mechanism), support[None, :], people.sum(keepdims=True))


def _support(mechanism: Mechanism, people: Counts, rng: np.random.Generator) -> Counts:
    """Return how many reports support each value."""
    if isinstance(mechanism, MixMechanism):
        shares = [chance / WORD for chance in (*mechanism.chances, mechanism.silence)]
        chosen = rng.multinomial(people, np.array(shares) / sum(shares))
        parts = [_support(part, chosen[:, place], rng) for place, part in enumerate(mechanism.parts)]
        return np.sum(parts, axis=0)
    p, q = (float(chance) for chance in mechanism.support_chances)
    if isinstance(mechanism, SubsetMechanism):
        return _ones(people, p, rng) if mechanism.size == 1 else _sets(people, mechanism.size, p, rng)
    assert isinstance(mechanism, UnaryMechanism | HashMechanism)
    support: Counts = rng.binomial(people, p) + rng.binomial(people.sum() - people, q)
    return support.astype(np.int64)


def _ones(people: Counts, keep: float, rng: np.random.Generator) -> Counts:
    """Return the counts of GRR: a report that is not the true value is uniform among the others.

    Draw it as uniform among all k with probability λ = (1 − keep)·k/(k − 1), else the true one.
    """
    k = len(people)
    blurred = (1 - keep) * k / (k - 1)
    kept = rng.binomial(people, 1 - blurred)
    return kept + rng.multinomial(int((people - kept).sum()), np.full(k, 1 / k))


def _sets(people: Counts, size: int, keep: float, rng: np.random.Generator) -> Counts:
    """Return the counts of SS, whose joint law is not that of independent counts (they add up to nω).

    A report is a uniform ω-set with probability λ = (1 − keep)/(1 − ω/k), else the true value and a uniform set of
    ω − 1 others. Sweep the values, keeping how many reports still need r members of the m values that are left: at a
    value each of those takes it with probability r/m, except that those who are *forced* to hold it do. The forced
    ones of a value, who have not met it yet, are spread over the needs r as a simple random sample is: a multivariate
    hypergeometric draw pulls them out.
    """
    k, n = len(people), int(people.sum())
    if n > MOST_SWEPT:  # people are independent of one another: sweep them in two halves
        half = people // 2
        return _sets(half, size, keep, rng) + _sets(people - half, size, keep, rng)
    free = rng.binomial(people, (1 - keep) / (1 - size / k))
    forced = people - free
    found = forced.copy()
    before = np.zeros(size + 1, np.int64)  # reports whose own value is still to come, by members still needed
    after = np.zeros(size + 1, np.int64)  # reports without, or whose own value has come
    before[size - 1], after[size] = int(forced.sum()), int(free.sum())
    for x in range(k):
        own = _pull(before, int(forced[x]), rng)
        before -= own
        found[x] += _take(before, k - x - 1, rng) + _take(after, k - x, rng)
        after += own
    return found


def _take(waiting: Counts, left: int, rng: np.random.Generator) -> int:
    """Let reports take the next of the values that are left to them, and return how many do."""
    needing = np.flatnonzero(waiting[1:]) + 1
    if not len(needing):
        return 0
    low, high = int(needing[0]), int(needing[-1]) + 1
    taken = rng.binomial(waiting[low:high], np.minimum(np.arange(low, high) / left, 1.0))
    waiting[low:high] -= taken
    waiting[low - 1 : high - 1] += taken
    return int(taken.sum())


def _pull(among: Counts, number: int, rng: np.random.Generator) -> Counts:
    """Return how many of a simple random sample of reports fall to each need."""
    pulled = np.zeros_like(among)
    occurring = np.flatnonzero(among)
    if number:
        pulled[occurring] = rng.multivariate_hypergeometric(among[occurring], number, method="marginals")
    return pulled
