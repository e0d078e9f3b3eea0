"""Where a hash family that is pairwise independent is not more than that."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from qifldp.collection import hashing
from qifldp.collection.hashing import scatter

FACTORS = range(1, 9)
"""A relation with larger factors moves fewer of the values that share a bucket."""


def related(k: int) -> list[tuple[int, int, int]]:
    """Return values x, y, z with m (π(y) − π(x)) = n (π(z) − π(x)) for small m, n: their hashes are not independent.

    The words of such values, a·π + b modulo 2⁶⁴, have a fixed linear combination whose factors add up to zero.
    """
    numbers = scatter(k).astype(np.int64)
    found = []
    for x in range(k):
        steps = {int(step): place for place, step in enumerate(numbers - numbers[x]) if place != x}
        for m, n in itertools.product(FACTORS, range(-8, 9)):
            if n and m != n and np.gcd(m, n) == 1:
                found += [(x, y, steps[m * step // n]) for step, y in steps.items()
                          if m * step % n == 0 and m * step // n in steps]  # fmt: skip
    return found


@pytest.mark.parametrize("k", [64, 200])
def test_no_three_values_are_related(k: int) -> None:
    """Of so many random numbers three are related with chance k³ · 90/2³²: 1/200 and 1/6."""
    assert related(k) == []


def test_three_values_would_be_related_if_the_mixer_started_at_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "MIX_START", 0)
    monkeypatch.setattr(hashing, "_scattered", hashing._scattered.__wrapped__)
    assert {tuple(sorted(triple)) for triple in related(64)} == {(0, 17, 34), (0, 27, 54)}
