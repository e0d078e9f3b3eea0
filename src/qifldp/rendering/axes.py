"""Ticks of logarithmic axes: round numbers, below and above everything that is drawn."""

from __future__ import annotations

import math

FEW, MANY = (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9)
"""First digits of ticks, where the data go over more than a power of ten and where they do not."""

ROOM = 1.04
"""By which factor the outer ticks are beyond the data, at least."""


def log_ticks(least: float, most: float) -> list[float]:
    """Return round numbers, the first below everything and the last above everything."""
    digits = FEW if most > 10 * least else MANY
    powers = range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(most)) + 2)
    ticks = [float(f"{digit}e{power}") for power in powers for digit in digits]
    first = max(tick for tick in ticks if tick * ROOM <= least)
    last = min(tick for tick in ticks if tick >= most * ROOM)
    return [tick for tick in ticks if first <= tick <= last]
