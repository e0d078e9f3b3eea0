"""Local hashing: LH, BLH and OLH, with ideal hashing (all functions from values to buckets)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.collection.hashing import SEED_BYTES, HashMechanism
from qifldp.collection.subsets import index_bytes
from qifldp.errors import InputError, TooLargeError
from qifldp.exact.balls import certain_floor
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS, Field, Number
from qifldp.protocols.protocol import (
    LARGEST_MATRIX,
    BudgetedProtocol,
    IndependentProtocol,
    check_whole,
)

MOST_BUCKETS = 2**31
"""Buckets that a deployed hash can tell apart. The channel itself is defined, and measured, for any number."""

LEAST_BUCKETS = 2
"""Hashing to a single bucket would say nothing."""

MOST_MEASURED = 10**306
"""Buckets for which the channel is computed: more than OLH takes at the largest budget, and still a double."""


@dataclass(frozen=True, init=False, repr=False)
class LH(IndependentProtocol, BudgetedProtocol):
    """Local hashing: draw a hash h of the values to g buckets, report h and randomised response on h(x) (Def. 6).

        p = e^ε / (e^ε + g − 1),  q = 1/g   (of supporting a value: h(x) = the reported bucket)

    The channel is that of ideal hashing: h uniform among all g^k functions. A real hash family is near it,
    not equal to it.

    Attributes:
        buckets: Number of buckets g, at least 2.
    """

    name = "LH"

    buckets: int

    def __init__(self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None, g: int | str) -> None:
        super().__init__(domain_size, epsilon, exp_epsilon=exp_epsilon)
        buckets = check_whole(g, "g", LEAST_BUCKETS, None)
        if buckets > MOST_MEASURED:
            raise InputError("g must be at most 10^306.")
        object.__setattr__(self, "buckets", buckets)

    @property
    def parameters(self) -> dict[str, str]:
        return super().parameters | {"g": str(self.buckets)}

    def at(self, budget: Budget) -> LH:
        return LH(self.domain_size, budget, g=self.buckets)

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        weight = self.exp_epsilon(field)
        return weight / (weight + (self.buckets - 1)), field.number(Fraction(1, self.buckets))

    def channel(self) -> Channel:
        k, g = self.domain_size, self.buckets
        if k * (k + 1) * math.log2(g) > 64 * k or k * g ** (k + 1) > LARGEST_MATRIX:
            raise TooLargeError(f"The channel of {self.name} over {k} values is too large to write out.")
        p, not_p, _, _ = self.chances
        hashes = g**k
        hit, miss = p / hashes, not_p / (g - 1) / hashes
        matrix = np.full((k, hashes * g), miss, dtype=object if self.is_exact else np.float64)
        labels = []
        for index, values in enumerate(product(range(g), repeat=k)):
            for x, bucket in enumerate(values):
                matrix[x, index * g + bucket] = hit
            labels += [f"{'.'.join(map(str, values))}→{bucket}" for bucket in range(g)]
        return Channel(matrix, outputs=labels, normalize=not self.is_exact)

    @cached_property
    def mechanism(self) -> HashMechanism:
        if self.buckets > MOST_BUCKETS:
            raise InputError.expected("The number of buckets of a hash that is run", "at most 2^31", self.buckets)
        return HashMechanism(self.domain_size, self._outward()[0], self.buckets)

    @property
    def report_bytes(self) -> int | None:
        return SEED_BYTES + index_bytes(self.buckets) if self.buckets <= MOST_BUCKETS else None


@dataclass(frozen=True, init=False, repr=False)
class BLH(LH):
    """Binary local hashing: g = 2."""

    name = "BLH"

    def __init__(self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None) -> None:
        super().__init__(domain_size, epsilon, exp_epsilon=exp_epsilon, g=2)

    @property
    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.budget)}


@dataclass(frozen=True, init=False, repr=False)
class OLH(LH):
    """Optimised local hashing: g = ⌊e^ε + 3/2⌋, the rounded optimum e^ε + 1 of the variance."""

    name = "OLH"

    def __init__(self, domain_size: int, epsilon: object = None, *, exp_epsilon: object = None) -> None:
        budget = Budget.read(epsilon, exp_epsilon)
        super().__init__(domain_size, budget, g=_best_buckets(budget))

    @property
    def parameters(self) -> dict[str, str]:
        return {"epsilon": str(self.budget)}

    @property
    def default_range(self) -> tuple[float | None, float | None]:
        start = math.log(self.buckets - Fraction(3, 2)) if self.buckets > LEAST_BUCKETS else None
        return start, math.log(self.buckets - Fraction(1, 2))


def _best_buckets(budget: Budget) -> int:
    if budget.exp_epsilon is not None:
        return math.floor(budget.exp_epsilon + Fraction(3, 2))
    return certain_floor(lambda: BALLS.exponential(budget) + BALLS.number(Fraction(3, 2)))
