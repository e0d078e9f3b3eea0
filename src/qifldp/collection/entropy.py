"""Exact random choices from the operating system's entropy: integers decide, never floats."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

WORD_BITS = 64
WORD = 1 << WORD_BITS
"""Probabilities are whole numbers of 2⁻⁶⁴."""

BLOCK = 1 << 22
"""Bytes of entropy that are drawn at once at most, so that a large array does not need a copy of itself."""


class Entropy:
    """Exact Bernoulli and uniform choices from a source of random bytes."""

    def __init__(self, source: Callable[[int], bytes] = os.urandom) -> None:
        """Take bytes from a source, the operating system by default.

        Args:
            source: Returns that many independent uniform bytes.
        """
        self._source = source

    def integers(self, count: int, dtype: type[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
        """Return uniform integers over all the values of an unsigned type."""
        size = np.dtype(dtype).itemsize
        found = np.empty(count, dtype)
        step = BLOCK // size
        for start in range(0, count, step):
            part = found[start : start + step]
            part[:] = np.frombuffer(self._source(len(part) * size), np.dtype(dtype).newbyteorder("<"))
        return found

    def bernoulli(self, chance: int, count: int) -> NDArray[np.bool_]:
        """Return independent bits, each set with probability chance / 2⁶⁴ exactly.

        A uniform 64-bit number is compared with the chance digit by digit in base 256, from the top: all but one
        in 256 are decided by their first byte, and only the others draw a second.
        """
        return self.bernoulli_each(np.full(1, chance, np.uint64), count)

    def bernoulli_each(self, chances: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
        """Return independent bits, the i-th set with probability chances[i mod len(chances)] / 2⁶⁴ exactly."""
        bits = np.zeros(count, bool)
        undecided = np.arange(count)
        for place in range(WORD_BITS // 8 - 1, -1, -1):
            digits = (chances >> np.uint64(8 * place)).astype(np.uint8)
            digit = digits[0] if len(chances) == 1 else digits[undecided % len(chances)]
            drawn = self.integers(len(undecided), np.uint8)
            bits[undecided[drawn < digit]] = True
            undecided = undecided[drawn == digit]
        return bits  # a number equal to the chance is not below it

    def below(self, limit: int, count: int) -> NDArray[np.int64]:
        """Return uniform integers in 0..limit − 1, by rejection.

        Args:
            limit: From 1 to 2³².
            count: How many.
        """
        dtype = np.uint16 if limit <= 1 << 8 else np.uint32 if limit <= 1 << 24 else np.uint64
        whole = (1 << (8 * np.dtype(dtype).itemsize)) // limit * limit  # the largest multiple of the limit
        found = np.empty(count, np.int64)
        missing = np.arange(count)
        while len(missing):
            drawn = self.integers(len(missing), dtype)
            accepted = drawn < whole if whole < 1 << (8 * np.dtype(dtype).itemsize) else np.ones(len(drawn), bool)
            found[missing[accepted]] = (drawn[accepted] % dtype(limit)).astype(np.int64)
            missing = missing[~accepted]
        return found
