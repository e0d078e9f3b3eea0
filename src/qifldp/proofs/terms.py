"""Rational functions of several variables: the formulas of protocols for every ε and θ at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly, fmpq_mpoly_ctx

from qifldp.errors import InexactError
from qifldp.exact.budget import Budget
from qifldp.exact.fields import Field
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.threshold_histogram import THE


@dataclass(frozen=True, eq=False)
class Term:
    """A rational function top/bottom in lowest terms, the leading coefficient of its denominator 1."""

    top: fmpq_mpoly
    bottom: fmpq_mpoly

    @classmethod
    def of(cls, top: fmpq_mpoly, bottom: fmpq_mpoly) -> Term:
        """Return top/bottom, reduced."""
        common = top.gcd(bottom)
        top, bottom = top // common, bottom // common
        scale = 1 / bottom.leading_coefficient()
        return cls(top * scale, bottom * scale)

    def _lift(self, value: Term | int | Fraction) -> Term:
        if isinstance(value, Term):
            return value
        number = Fraction(value)
        one = self.bottom.context().constant(1)
        return Term(one * fmpq(number.numerator, number.denominator), one)

    def __add__(self, other: Term | int | Fraction) -> Term:
        right = self._lift(other)
        return Term.of(self.top * right.bottom + right.top * self.bottom, self.bottom * right.bottom)

    def __mul__(self, other: Term | int | Fraction) -> Term:
        right = self._lift(other)
        return Term.of(self.top * right.top, self.bottom * right.bottom)

    def __truediv__(self, other: Term | int | Fraction) -> Term:
        right = self._lift(other)
        return Term.of(self.top * right.bottom, self.bottom * right.top)

    def __neg__(self) -> Term:
        return Term(-self.top, self.bottom)

    def __sub__(self, other: Term | int | Fraction) -> Term:
        return self + -self._lift(other)

    def __rsub__(self, other: int | Fraction) -> Term:
        return self._lift(other) - self

    def __rtruediv__(self, other: int | Fraction) -> Term:
        return self._lift(other) / self

    def __pow__(self, exponent: int) -> Term:
        return Term(self.top**exponent, self.bottom**exponent)

    __radd__ = __add__
    __rmul__ = __mul__

    @property
    def is_zero(self) -> bool:
        """Whether this is the zero function."""
        return bool(self.top.is_zero())

    def derivative(self, variable: str) -> Term:
        """Return the partial derivative."""
        top = self.top.derivative(variable) * self.bottom - self.top * self.bottom.derivative(variable)
        return Term.of(top, self.bottom**2)

    def at(self, point: Sequence[Fraction]) -> Fraction:
        """Return the value at a rational point.

        Raises:
            ZeroDivisionError: If the denominator vanishes there.
        """
        values = [fmpq(x.numerator, x.denominator) for x in point]
        top, bottom = self.top(*values), self.bottom(*values)
        value = top / bottom
        return Fraction(int(value.p), int(value.q))

    def __str__(self) -> str:
        return str(self.top) if self.bottom.is_one() else f"({self.top})/({self.bottom})"


def variables(*names: str) -> list[Term]:
    """Return the variables of these names, as terms in one ring."""
    context = fmpq_mpoly_ctx.get(names, Ordering.lex)
    one = context.constant(1)
    return [Term(generator, one) for generator in context.gens()]


MARKED = Budget(Fraction(1))
"""The budget whose powers are read as powers of s: any budget would do."""

MARKED_THETA = Fraction(3, 4)
"""The θ whose powers are read as powers of u. At this θ the exponents ½, 1, −θ/2 and (θ − 1)/2 all differ."""


class BitField(Field[Any]):
    """Rational functions of s = e^{ε/2} and, for THE, u = e^{εθ/2}, for every ε and θ at once.

    A protocol states p and q once, in any field; in this one the statement is read for all budgets.
    """

    def __init__(self, s: Term, u: Term | None = None) -> None:
        """Fix the terms that s and u stand for."""
        self.one = s / s
        self.powers = {Fraction(1): s**2, Fraction(1, 2): s}
        if u is not None:
            self.powers |= {-MARKED_THETA / 2: 1 / u, (MARKED_THETA - 1) / 2: u / s}

    def number(self, value: Fraction | int) -> Term:
        return self.one * value

    def exponential(self, budget: Budget, multiple: Fraction | int = 1) -> Term:
        if budget != MARKED or Fraction(multiple) not in self.powers:
            raise InexactError(f"e^({multiple}·ε) at epsilon = {budget} is no power of s and u.")
        return self.powers[Fraction(multiple)]


@dataclass(frozen=True, eq=False)
class Bit:
    """A channel on one bit by its two errors (the paper's (14)): rows (1 − α, α) and (β, 1 − β).

    Attributes:
        alpha: α = q, the chance that 0 is reported as 1.
        beta: β = 1 − p, the chance that 1 is reported as 0.
    """

    alpha: Term
    beta: Term

    @property
    def rows(self) -> list[list[Term]]:
        """The 2 × 2 matrix."""
        return [[1 - self.alpha, self.alpha], [self.beta, 1 - self.beta]]


def bit_of(protocol: type[Protocol], s: Term, u: Term | None = None, **settings: object) -> Bit:
    """Return the bit channel of a protocol for every budget, from the product's own formulas.

    Args:
        protocol: SUE, OUE, THE (needs u) or LH (a report supports a value or not, as one bit).
        s: e^{ε/2}.
        u: e^{εθ/2}, for THE.
        settings: Further parameters of the protocol.
    """
    marked: Any = settings | ({"theta": MARKED_THETA} if protocol is THE else {})
    made: Any = protocol
    p, q = made(2, MARKED, **marked).support_probabilities(BitField(s, u))
    return Bit(q, 1 - p)
