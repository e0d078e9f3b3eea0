"""Unary reports: one bit a value, packed, the first value in the lowest bit of the first byte."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.entropy import WORD, Entropy
from qifldp.collection.mechanism import TOO_CLOSE, DirectMechanism, Rows
from qifldp.errors import InputError

ROWS_AT_ONCE = 1 << 22
"""Bits that are drawn unpacked at most."""


@dataclass(frozen=True)
class UnaryMechanism(DirectMechanism):
    """Unary encoding: the bit of the true value is set with p, any other with q.

    Attributes:
        other: 2⁶⁴ · q.
    """

    other: int

    def __post_init__(self) -> None:
        if not 0 < self.other < WORD:
            raise InputError(TOO_CLOSE)
        super().__post_init__()

    @property
    def width(self) -> int:
        return (self.domain_size + 7) // 8

    @property
    def support_chances(self) -> tuple[Fraction, Fraction]:
        return Fraction(self.keep, WORD), Fraction(self.other, WORD)

    @property
    def likelihood_ratio(self) -> Fraction:
        p, q = self.support_chances
        ratio = p * (1 - q) / ((1 - p) * q)
        return max(ratio, 1 / ratio)

    def _draw(self, values: NDArray[np.int64], state: NDArray[np.uint64], rows: Rows) -> None:
        from qifldp.collection.kernels import bits  # noqa: PLC0415  # compiled when first used

        bits.draw(values, np.uint64(self.keep), np.uint64(self.other), self.domain_size, state, rows)

    def _draw_securely(self, values: NDArray[np.int64], entropy: Entropy) -> Rows:
        k = self.domain_size
        rows = np.empty((len(values), self.width), np.uint8)
        step = max(1, ROWS_AT_ONCE // k)
        for start in range(0, len(values), step):
            part = values[start : start + step]
            members = entropy.bernoulli(self.other, len(part) * k).reshape(-1, k)
            members[np.arange(len(part)), part] = entropy.bernoulli(self.keep, len(part))
            rows[start : start + step] = np.packbits(members, axis=1, bitorder="little")
        return rows

    def faults(self, rows: Rows) -> NDArray[np.uint8]:
        return padding_faults(rows, self.domain_size)

    def supports(self, rows: Rows) -> NDArray[np.bool_]:
        return unpacked(rows, self.domain_size)

    def count(self, rows: Rows, class_of: NDArray[np.uint16], table: NDArray[np.int64]) -> NDArray[np.int64]:
        return count_bits(rows, class_of, table)


def padding_faults(rows: Rows, domain_size: int) -> NDArray[np.uint8]:
    """Return 1 for each report with bits beyond the domain, else 0."""
    spare = -domain_size % 8
    beyond = np.uint8(0xFF << (8 - spare) & 0xFF)
    return ((rows[:, -1] & beyond) != 0).astype(np.uint8)


def unpacked(rows: Rows, domain_size: int) -> NDArray[np.bool_]:
    """Return packed bits as booleans, shape (n, k)."""
    return np.unpackbits(rows, axis=1, count=domain_size, bitorder="little").astype(bool)


def count_bits(rows: Rows, class_of: NDArray[np.uint16], table: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add packed bits to a table of counts by class of size, and return the number of reports in each class."""
    from qifldp.collection.kernels import bits  # noqa: PLC0415  # compiled when first used

    totals = np.zeros(len(table), np.int64)
    if len(table) == 1:
        bits.count(rows, table[0])
        totals[0] = len(rows)
    else:
        bits.count_by_size(rows, class_of, table, totals)
    return totals
