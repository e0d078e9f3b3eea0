"""The yardstick of hashing servers: the shortest compiled loop over reports and values; only a total is kept."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray


@njit(nogil=True)
def count_inside(
    factors: NDArray[np.uint64], offsets: NDArray[np.uint64], widest: NDArray[np.uint64], scattered: NDArray[np.uint64]
) -> int:
    """Return how often factor · z + offset ≤ widest modulo 2⁶⁴, over reports and values."""
    total = 0
    for i in range(len(factors)):
        factor, offset, most = factors[i], offsets[i], widest[i]
        for x in range(len(scattered)):
            total += factor * scattered[x] + offset <= most
    return total
