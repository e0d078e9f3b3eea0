"""Numbers written in one power s of e, or of a rational: exact equality where ε is real.

For a rational r ≠ 0 the number s = e^r is transcendental (Lindemann), so two rational functions of s are equal
numbers exactly when they are equal functions. For s = b^r, b no perfect power, s is a root of an irreducible
polynomial, and functions are compared modulo that polynomial. Budgets of rational ratio share one s.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_poly

from qifldp.errors import InexactError
from qifldp.exact.budget import Budget
from qifldp.exact.fields import RATIONALS, Field
from qifldp.exact.roots import rational_power

LARGEST_DEGREE = 10_000
"""Degree of a polynomial, and power of its constant, that are written out."""


@dataclass(frozen=True, eq=False)
class Symbolic:
    """A rational function top/bottom of s, in which top and bottom may share factors."""

    top: fmpq_poly
    bottom: fmpq_poly

    def __add__(self, other: Symbolic | int) -> Symbolic:
        right = _lift(other)
        return Symbolic(self.top * right.bottom + right.top * self.bottom, self.bottom * right.bottom)

    def __mul__(self, other: Symbolic | int) -> Symbolic:
        right = _lift(other)
        return Symbolic(self.top * right.top, self.bottom * right.bottom)

    def __truediv__(self, other: Symbolic | int) -> Symbolic:
        right = _lift(other)
        return Symbolic(self.top * right.bottom, self.bottom * right.top)

    def __neg__(self) -> Symbolic:
        return Symbolic(-self.top, self.bottom)

    def __sub__(self, other: Symbolic | int) -> Symbolic:
        return self + -_lift(other)

    def __rsub__(self, other: int) -> Symbolic:
        return _lift(other) - self

    def __rtruediv__(self, other: int) -> Symbolic:
        return _lift(other) / self

    def __pow__(self, exponent: int) -> Symbolic:
        return Symbolic(self.top**exponent, self.bottom**exponent)

    __radd__ = __add__
    __rmul__ = __mul__


class SymbolicField(Field[Symbolic]):
    """Rational functions of s = e^step, or s = base^step if there is a base."""

    def __init__(self, step: Fraction, base: Fraction | None = None) -> None:
        """Fix s.

        Args:
            step: A positive rational.
            base: A rational above 1 that is no power of another, or None for e.
        """
        self.step = step
        self.base = base

    @classmethod
    def joining(cls, exponents: Iterable[tuple[Fraction, Fraction | None]]) -> SymbolicField:
        """Return the field in whose s given exponentials are whole powers, or rational.

        Args:
            exponents: Pairs (multiple, base) of positive multiples: the number base^multiple, or e^multiple.

        Raises:
            InexactError: If no power joins them: of e and of a rational, or of unrelated rationals.
        """
        wanted = [(m, base) for m, base in exponents if base is None or rational_power(base, m) is None]
        if len({base for _, base in wanted}) > 1:
            raise InexactError("No power joins the exponentials of the two budgets.")
        scale = math.lcm(*(multiple.denominator for multiple, _ in wanted))
        step = math.gcd(*(int(multiple * scale) for multiple, _ in wanted)) or 1
        return cls(Fraction(step, scale), wanted[0][1] if wanted else None)

    def number(self, value: Fraction | int) -> Symbolic:
        exact = Fraction(value)
        return Symbolic(fmpq_poly([fmpq(exact.numerator, exact.denominator)]), fmpq_poly([1]))

    def exponential(self, budget: Budget, multiple: Fraction | int = 1) -> Symbolic:
        power = budget.multiple * multiple / self.step
        if budget.base == self.base and power.denominator == 1 and abs(power) <= LARGEST_DEGREE:
            monomial = Symbolic(fmpq_poly([0] * abs(int(power)) + [1]), fmpq_poly([1]))
            return monomial if power >= 0 else 1 / monomial
        try:
            return self.number(RATIONALS.exponential(budget, multiple))
        except InexactError:
            unit = f"e^{self.step}" if self.base is None else f"{self.base}^({self.step})"
            raise InexactError(f"e^({multiple}·ε) at epsilon = {budget} is no small power of {unit}.") from None

    def equal(self, first: Symbolic, second: Symbolic) -> bool:
        """Whether two elements are known to be one number: never true of two different ones."""
        difference = first.top * second.bottom - second.top * first.bottom
        if difference != fmpq_poly([]) and self.base is not None:
            # With step = m/n in lowest terms, s is a root of x^n = base^m, which is irreducible.
            if max(self.step.numerator, self.step.denominator) > LARGEST_DEGREE:
                return False  # not known to be equal
            value = self.base**self.step.numerator
            modulus = fmpq_poly([-fmpq(value.numerator, value.denominator)] + [0] * (self.step.denominator - 1) + [1])
            difference = difference % modulus
        return difference == fmpq_poly([])


def _lift(value: Symbolic | int) -> Symbolic:
    return value if isinstance(value, Symbolic) else Symbolic(fmpq_poly([value]), fmpq_poly([1]))
