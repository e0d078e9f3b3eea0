"""Numbers written in one power of e^ε: exact equality where ε is real.

For a rational ε the number s = e^{ε/d} is transcendental (Lindemann), so two rational functions of s are equal
numbers exactly when they are equal functions. For e^ε = b^m, b no perfect power, s = b^{m/d} is a root of an
irreducible polynomial, and functions are compared modulo that polynomial.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_poly

from qifldp.errors import InexactError
from qifldp.exact.budget import Budget
from qifldp.exact.fields import Field

LARGEST_DEGREE = 10_000
"""Degree of a minimal polynomial, and power of its constant, that are written out."""


@dataclass(frozen=True, eq=False)
class Symbolic:
    """A rational function top/bottom of s."""

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
    """Rational functions of s = e^{ε/d} for one budget ε."""

    def __init__(self, budget: Budget, degree: int) -> None:
        """Fix the budget, and the number d of which ε is divided."""
        self.budget = budget
        self.degree = degree

    def number(self, value: Fraction | int) -> Symbolic:
        exact = Fraction(value)
        return Symbolic(fmpq_poly([fmpq(exact.numerator, exact.denominator)]), fmpq_poly([1]))

    def exponential(self, budget: Budget, multiple: Fraction | int = 1) -> Symbolic:
        power = Fraction(multiple) * self.degree
        if budget != self.budget or power.denominator != 1:
            raise InexactError(f"e^({multiple}·ε) at epsilon = {budget} is no power of e^(ε/{self.degree}).")
        monomial = Symbolic(fmpq_poly([0] * abs(int(power)) + [1]), fmpq_poly([1]))
        return monomial if power >= 0 else 1 / monomial

    def equal(self, first: Symbolic, second: Symbolic) -> bool:
        """Whether two elements are known to be one number: never true of two different ones."""
        difference = first.top * second.bottom - second.top * first.bottom
        if difference != fmpq_poly([]) and self.budget.base is not None:
            # s^(d·n) = b^m with ε = (m/n)·ln b in lowest terms; s = b^(m/(d·n)) has degree d·n/gcd(d·n, m).
            exponent = self.budget.multiple / self.degree
            if max(exponent.numerator, exponent.denominator) > LARGEST_DEGREE:
                return False  # not known to be equal
            base = self.budget.base**exponent.numerator
            modulus = fmpq_poly([-fmpq(base.numerator, base.denominator)] + [0] * (exponent.denominator - 1) + [1])
            difference = difference % modulus
        return difference == fmpq_poly([])


def _lift(value: Symbolic | int) -> Symbolic:
    return value if isinstance(value, Symbolic) else Symbolic(fmpq_poly([value]), fmpq_poly([1]))
