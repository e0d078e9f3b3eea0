"""Unary encoding: UE, SUE and OUE. The report is k bits, each kept or flipped on its own (Def. 7)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.collection.bits import UnaryMechanism
from qifldp.errors import InputError, TooLargeError
from qifldp.exact.budget import LARGEST_EPSILON, SMALLEST_EPSILON, Budget, Exactly, parse_rational, show_rational
from qifldp.exact.fields import Field, Number
from qifldp.protocols.protocol import LARGEST_MATRIX, BudgetedProtocol, IndependentProtocol


@dataclass(frozen=True, init=False, repr=False)
class UnaryEncoding(IndependentProtocol):
    """What the unary encodings share: k bits, the true one set with p, the others with q."""

    def channel(self) -> Channel:
        k = self.domain_size
        if k * 2 ** min(k, 64) > LARGEST_MATRIX:
            raise TooLargeError(f"The channel of {self.name} over {k} values is too large to write out.")
        p, not_p, q, not_q = self.chances
        reports = list(product((0, 1), repeat=k))
        matrix = np.empty((k, len(reports)), dtype=object if self.is_exact else np.float64)
        for column, bits in enumerate(reports):
            ones = sum(bits)
            for x, bit in enumerate(bits):
                own = p if bit else not_p
                matrix[x, column] = own * q ** (ones - bit) * not_q ** (k - 1 - ones + bit)
        return Channel(matrix, outputs=["".join(map(str, bits)) for bits in reports], normalize=not self.is_exact)

    @cached_property
    def mechanism(self) -> UnaryMechanism:
        return UnaryMechanism(self.domain_size, *self._outward())

    @property
    def report_bytes(self) -> int:
        return (self.domain_size + 7) // 8


@dataclass(frozen=True, init=False, repr=False)
class UE(UnaryEncoding):
    """Unary encoding with any bit probabilities 0 < p, q < 1, p ≠ q.

    It claims the ε that it has: |ln p(1 − q)/((1 − p)q)|.

    Attributes:
        p: Pr[bit of the true value is reported as 1].
        q: Pr[any other bit is reported as 1].
    """

    name = "UE"

    p: Fraction
    q: Fraction

    def __init__(self, domain_size: int, *, p: Exactly, q: Exactly) -> None:
        super().__init__(domain_size)
        for what, value in (("p", p), ("q", q)):
            chance = parse_rational(value, what)
            if not 0 < chance < 1:
                raise InputError.expected(what, "strictly between 0 and 1", value)
            object.__setattr__(self, what, chance)
        if self.p == self.q:
            raise InputError(f"p and q must differ, got {show_rational(self.p)} twice: such a report says nothing.")
        if not SMALLEST_EPSILON <= self.epsilon <= LARGEST_EPSILON:
            limits = f"from {SMALLEST_EPSILON:g} to {LARGEST_EPSILON}"
            raise InputError(f"The epsilon of p and q must be {limits}, got {self.epsilon:.6g}.")

    @property
    def epsilon(self) -> float:
        return self.profile.tight_epsilon

    @property
    def tight_budget(self) -> Budget:
        ratio = self.p * (1 - self.q) / ((1 - self.p) * self.q)
        return Budget(Fraction(1), max(ratio, 1 / ratio))

    @property
    def supports_less(self) -> bool:
        return self.p < self.q

    @property
    def parameters(self) -> dict[str, str]:
        return {"p": show_rational(self.p), "q": show_rational(self.q)}

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        return field.number(self.p), field.number(self.q)


@dataclass(frozen=True, init=False, repr=False)
class SUE(UnaryEncoding, BudgetedProtocol):
    """Symmetric unary encoding: p = e^{ε/2}/(e^{ε/2} + 1), q = 1 − p (RAPPOR's one-time report)."""

    name = "SUE"

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        root = field.exponential(self.budget, Fraction(1, 2))
        return root / (root + 1), 1 / (root + 1)


@dataclass(frozen=True, init=False, repr=False)
class OUE(UnaryEncoding, BudgetedProtocol):
    """Optimised unary encoding: p = 1/2, q = 1/(e^ε + 1), of least variance for rare values at one ε."""

    name = "OUE"

    def support_probabilities(self, field: Field[Number]) -> tuple[Number, Number]:
        return field.number(Fraction(1, 2)), 1 / (self.exp_epsilon(field) + 1)
