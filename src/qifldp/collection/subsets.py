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

AT_ONCE = 1 << 20
"""Members, or bits, of the reports that are drawn securely at once, at least one: a few 64-bit numbers for each."""


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
    def pair_chances(self) -> tuple[Fraction, Fraction]:
        p, k, w = Fraction(self.keep, WORD), self.domain_size, self.size
        own = p * (w - 1) / (k - 1)
        return own, (w - 1) * (w - 2 * p) / ((k - 1) * max(k - 2, 1))  # of two values, none is two others: 0

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

        As many uniform others as are missing are drawn, those that are new are put in, and so on until none is missing.

        *Exact*: which others are in decides only how many more are drawn, and those are independent and uniform. So a
        permutation of the others leaves the law of the final set as it is; all sets of one size are images of one
        another, hence it is uniform.
        """
        rows = np.empty((len(values), self.width), np.uint8)
        step = max(1, AT_ONCE // (self.size if self.listed else self.domain_size))
        draw = self._list_securely if self.listed else self._bits_securely
        for start in range(0, len(values), step):
            part = values[start : start + step]
            rows[start : start + step] = draw(part, entropy.bernoulli(self.keep, len(part)), entropy)
        return rows

    def _list_securely(self, values: NDArray[np.int64], kept: NDArray[np.bool_], entropy: Entropy) -> Rows:
        """Return sets that hold the true value where it is kept, as lists of members."""
        n, k = len(values), self.domain_size
        own = np.flatnonzero(kept)
        found = own * k + values[own]  # a member x of the i-th set is written i·k + x, so that a set is a range
        while len(found) < n * self.size:
            missing = self.size - np.bincount(found // k, minlength=n)
            at, other = self._others(values, missing, entropy)
            found = np.sort(np.concatenate([found, at * k + other]))
            found = found[np.diff(found, prepend=-1) > 0]  # NumPy's own union takes ten times as long
        members = (found % k).astype("<u8").view(np.uint8).reshape(-1, 8)
        return members[:, : self.item_bytes].reshape(n, self.width)

    def _bits_securely(self, values: NDArray[np.int64], kept: NDArray[np.bool_], entropy: Entropy) -> Rows:
        """Return sets that hold the true value where it is kept, as bits, by the smaller of set and complement."""
        n, k = len(values), self.domain_size
        size = min(self.size, k - self.size)
        inside = np.zeros((n, k), bool)
        inside[np.arange(n), values] = kept if size == self.size else ~kept
        while (missing := size - np.count_nonzero(inside, axis=1)).any():
            inside[self._others(values, missing, entropy)] = True
        return np.packbits(inside if size == self.size else ~inside, axis=1, bitorder="little")

    def _others(
        self, values: NDArray[np.int64], wanted: NDArray[np.int64], entropy: Entropy
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return each person's place as often as values are wanted, and as many uniform values other than theirs."""
        at = np.repeat(np.arange(len(values)), wanted)
        other = entropy.below(self.domain_size - 1, len(at))
        return at, other + (other >= values[at])

    def members(self, rows: Rows) -> NDArray[np.int64]:
        """Return the listed members of each report, shape (n, ω)."""
        found = np.zeros((len(rows), self.size), np.int64)
        for place in range(self.item_bytes):
            found |= rows[:, place :: self.item_bytes].astype(np.int64) << (8 * place)
        return found

    def faults(self, rows: Rows) -> NDArray[np.uint8]:
        if not self.listed:
            found = padding_faults(rows, self.domain_size)
            sizes = np.bitwise_count(rows).sum(axis=1, dtype=np.int64)
            found[(found == 0) & (sizes != self.size)] = 2
            return found
        from qifldp.collection.kernels import subsets  # noqa: PLC0415  # compiled when first used

        found = np.zeros(len(rows), np.uint8)
        subsets.check_listed(rows, self.item_bytes, self.domain_size, found)
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
