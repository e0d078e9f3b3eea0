"""Local hashing: a frozen family of hash functions, and reports of a seed and a bucket.

The hash of value x under the seed (a, b), two 64-bit words:

    h(x) = ⌊g · ⌊(a·π(x) + b mod 2⁶⁴) / 2³²⌋ / 2³²⌋        π(x) = the 32-bit mixer below, a permutation

*Proved*: for a, b uniform the words ⌊(a·z + b mod 2⁶⁴) / 2³²⌋ of two different 32-bit numbers z are uniform and
independent (Dietzfelbinger 1996: multiply-add-shift), π is injective, so buckets are pairwise independent, each with a
probability within 2⁻³² of 1/g. Hence estimates are unbiased (to 2⁻³²) with the stated variance.
*Measured, not proved*: the number of values that a report supports is distributed as under ideal hashing, to the noise
of 40 million seeds; of a·x + b without π it is far from it. Leakage figures are about ideal hashing.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.entropy import WORD, Entropy
from qifldp.collection.mechanism import DirectMechanism, Rows
from qifldp.collection.subsets import index_bytes

SEED_BYTES = 16
"""a, then b, little-endian."""

MIX_START = 0x9E3779B9
"""2³² over the golden ratio. Started at 0 the mixer has π(0) = 0, and π(2x) = 2π(x) for some small x: the hashes of
0, x and 2x would be pairwise independent, but not the three together, on which weights by size depend."""

MIX_FIRST, MIX_SECOND = 0x7FEB352D, 0x846CA68B
"""Odd multipliers of the mixer (C. Wellons, Hash Prospector, 2018: 16 · 15 · 16, the least biased of its form)."""

HALF_BITS = np.uint64(32)


def scatter(domain_size: int) -> NDArray[np.uint64]:
    """Return π(0..k − 1), modulo 2³².

    x += MIX_START; x ^= x≫16; x *= MIX_FIRST; x ^= x≫15; x *= MIX_SECOND; x ^= x≫16
    """
    return _scattered(domain_size)


@lru_cache(maxsize=4)
def _scattered(domain_size: int) -> NDArray[np.uint64]:
    x = np.arange(domain_size, dtype=np.uint32) + np.uint32(MIX_START)
    x ^= x >> np.uint32(16)
    x *= np.uint32(MIX_FIRST)
    x ^= x >> np.uint32(15)
    x *= np.uint32(MIX_SECOND)
    x ^= x >> np.uint32(16)
    found = x.astype(np.uint64)
    found.setflags(write=False)
    return found


@dataclass(frozen=True)
class HashMechanism(DirectMechanism):
    """Local hashing: a seed, and randomised response over g buckets on the bucket of the true value.

    Attributes:
        buckets: Number of buckets g, from 2 to 2³¹.
    """

    buckets: int

    @property
    def width(self) -> int:
        return SEED_BYTES + index_bytes(self.buckets)

    @property
    def support_chances(self) -> tuple[Fraction, Fraction]:
        return Fraction(self.keep, WORD), Fraction(1, self.buckets)

    @property
    def likelihood_ratio(self) -> Fraction:
        p = Fraction(self.keep, WORD)
        ratio = p * (self.buckets - 1) / (1 - p)
        return max(ratio, 1 / ratio)

    def hashes(self, a: NDArray[np.uint64], b: NDArray[np.uint64], values: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return h(x) for seeds and values that broadcast together."""
        return self._buckets_of(a * scatter(self.domain_size)[values] + b)

    def _buckets_of(self, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return ((words >> HALF_BITS) * np.uint64(self.buckets)) >> HALF_BITS

    def _draw(self, values: NDArray[np.int64], state: NDArray[np.uint64], rows: Rows) -> None:
        from qifldp.collection.kernels import hashing  # noqa: PLC0415  # compiled when first used

        hashing.draw(values, scatter(self.domain_size), self.buckets, np.uint64(self.keep), state, rows)

    def _draw_securely(self, values: NDArray[np.int64], entropy: Entropy) -> Rows:
        n, g = len(values), self.buckets
        seeds = entropy.integers(2 * n, np.uint64).reshape(n, 2)
        own = self.hashes(seeds[:, 0], seeds[:, 1], values).astype(np.int64)
        other = entropy.below(g - 1, n)
        other += other >= own
        bucket = np.where(entropy.bernoulli(self.keep, n), own, other)
        rows = np.empty((n, self.width), np.uint8)
        rows[:, :SEED_BYTES] = seeds.astype("<u8").view(np.uint8)
        rows[:, SEED_BYTES:] = bucket.astype("<u8").view(np.uint8).reshape(n, 8)[:, : self.width - SEED_BYTES]
        return rows

    def unpack(self, rows: Rows) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint64]]:
        """Return a, b and the bucket of each report."""
        seeds = np.ascontiguousarray(rows[:, :SEED_BYTES]).view("<u8").astype(np.uint64)
        bucket = np.zeros(len(rows), np.uint64)
        for place in range(self.width - SEED_BYTES):
            bucket |= rows[:, SEED_BYTES + place].astype(np.uint64) << np.uint64(8 * place)
        return seeds[:, 0], seeds[:, 1], bucket

    def faults(self, rows: Rows) -> NDArray[np.uint8]:
        return np.where(self.unpack(rows)[2] >= self.buckets, 5, 0).astype(np.uint8)

    def supports(self, rows: Rows) -> NDArray[np.bool_]:
        a, b, bucket = (part[:, None] for part in self.unpack(rows))
        return self._buckets_of(a * scatter(self.domain_size) + b) == bucket

    def count(self, rows: Rows, class_of: NDArray[np.uint16], table: NDArray[np.int64]) -> NDArray[np.int64]:
        from qifldp.collection.kernels import hashing  # noqa: PLC0415  # compiled when first used

        totals = np.zeros(len(table), np.int64)
        if len(table) == 1:
            hashing.count(rows, scatter(self.domain_size), self.buckets, table[0])
            totals[0] = len(rows)
        else:
            hashing.count_by_size(rows, scatter(self.domain_size), self.buckets, class_of, table, totals)
        return totals
