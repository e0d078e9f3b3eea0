"""Reports that are a set of ω values: packed bits, or the values themselves in increasing order if that is shorter."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.bits import count_bits, padding_faults, unpacked
from qifldp.collection.entropy import WORD, Entropy
from qifldp.collection.mechanism import DirectMechanism, Rows
from qifldp.collection.size_law import SizeLaw, one_size


@dataclass(frozen=True)
class SubsetMechanism(DirectMechanism):
    """Subset selection: a set of ω values that holds the true one with p, uniform otherwise.

    Nothing in a report but the set depends on the value: its members are written in increasing order.

    Attributes:
        size: Number of members ω.
    """

    size: int

    @property
    def item_bytes(self) -> int:
        """Bytes of a value's place, little-endian."""
        return index_bytes(self.domain_size)

    @property
    def listed(self) -> bool:
        """Whether members are listed; else each value has a bit."""
        return self.size * self.item_bytes <= (self.domain_size + 7) // 8

    @property
    def width(self) -> int:
        return set_bytes(self.domain_size, self.size)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (self.size,)

    def size_law(self) -> SizeLaw:
        return one_size(self.domain_size, self.size, *self.support_chances)

    @property
    def support_chances(self) -> tuple[Fraction, Fraction]:
        p = Fraction(self.keep, WORD)
        return p, (self.size - p) / (self.domain_size - 1)

    @property
    def likelihood_ratio(self) -> Fraction:
        p, k, w = Fraction(self.keep, WORD), self.domain_size, self.size
        ratio = p * (k - w) / ((1 - p) * w)
        return max(ratio, 1 / ratio)

    def _draw(self, values: NDArray[np.int64], state: NDArray[np.uint64], rows: Rows) -> None:
        from qifldp.collection.kernels import subsets  # noqa: PLC0415  # compiled when first used

        draw = subsets.draw_listed if self.listed else subsets.draw_bits
        draw(values, np.uint64(self.keep), self.domain_size, self.size, state, rows)

    def _draw_securely(self, values: NDArray[np.int64], entropy: Entropy) -> Rows:
        """Draw as :meth:`draw` does: first whether the true value is in, then a uniform set of the others.

        The set is drawn by Floyd's method: each step adds a uniform one of a growing range, or the range's end
        if that one is in already.
        """
        k, n = self.domain_size, len(values)
        kept = entropy.bernoulli(self.keep, n)
        rows = np.zeros((n, self.width), np.uint8)
        for row, value, own in zip(rows, values.tolist(), kept.tolist(), strict=True):
            wanted = self.size - own
            chosen: set[int] = set()
            for end in range(k - 1 - wanted, k - 1):
                at = int(entropy.below(end + 1, 1)[0])
                chosen.add(end if at in chosen else at)
            members = sorted([other + (other >= value) for other in chosen] + [value] * own)
            if self.listed:
                row[:] = np.frombuffer(b"".join(at.to_bytes(self.item_bytes, "little") for at in members), np.uint8)
            else:
                np.bitwise_or.at(row, np.array(members) // 8, (1 << (np.array(members) % 8)).astype(np.uint8))
        return rows

    def members(self, rows: Rows) -> NDArray[np.int64]:
        """Return the listed members of each report, shape (n, ω)."""
        cut = rows.reshape(len(rows), self.size, self.item_bytes).astype(np.int64)
        return cut @ (1 << (8 * np.arange(self.item_bytes)))

    def faults(self, rows: Rows) -> NDArray[np.uint8]:
        if not self.listed:
            found = padding_faults(rows, self.domain_size)
            sizes = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
            found[(found == 0) & (sizes != self.size)] = 2
            return found
        members = self.members(rows)
        found = np.where((members >= self.domain_size).any(axis=1), 3, 0).astype(np.uint8)
        found[(found == 0) & (np.diff(members, axis=1) <= 0).any(axis=1)] = 4
        return found

    def supports(self, rows: Rows) -> NDArray[np.bool_]:
        if not self.listed:
            return unpacked(rows, self.domain_size)
        found = np.zeros((len(rows), self.domain_size), bool)
        np.put_along_axis(found, self.members(rows), True, axis=1)
        return found

    def count(self, rows: Rows, class_of: NDArray[np.uint16], table: NDArray[np.int64]) -> NDArray[np.int64]:
        if not self.listed:
            return count_bits(rows, class_of, table)
        from qifldp.collection.kernels import subsets  # noqa: PLC0415  # compiled when first used

        totals, place = np.zeros(len(table), np.int64), class_of[self.size]
        subsets.count_listed(rows, self.item_bytes, table[place])
        totals[place] = len(rows)
        return totals


def set_bytes(domain_size: int, size: int) -> int:
    """Return the bytes of a packed set of so many values."""
    return min((domain_size + 7) // 8, size * index_bytes(domain_size))


def index_bytes(values: int) -> int:
    """Return the bytes of a number that is one of this many."""
    return max(1, ((values - 1).bit_length() + 7) // 8)
