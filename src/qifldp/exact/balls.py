"""Ball arithmetic (python-flint), and doubles that are rounded balls."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb, ctx, fmpq

FIRST_PRECISION = 128
LAST_PRECISION = 1 << 18
"""Bits: ample for e^700 against e^-700 (2,000 bits), and for any tie that is not exact."""

ENOUGH_BITS = 64
"""Relative accuracy asked of a ball before its midpoint is rounded to a double of 53 bits."""


def ball(value: Fraction | int) -> arb:
    """Return the ball of a rational number at the working precision."""
    number = Fraction(value)
    return arb(fmpq(number.numerator, number.denominator))


def is_narrow(value: arb) -> bool:
    """Whether a ball is so narrow that its midpoint can be rounded to a double: its relative radius is below 2^-64."""
    return value.is_exact() or value.rel_accuracy_bits() >= ENOUGH_BITS


def nearest_float(expression: Callable[[], arb]) -> float:
    """Return the double nearest to a real expression, whatever it cancels.

    The expression is evaluated in balls of growing precision until its relative radius is below 2^-64:
    a formula evaluated this way needs no numerically stable variant.

    Raises:
        ArithmeticError: If the value cannot be told from zero with 2^18 bits.
    """
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        with ctx.workprec(precision):
            value = expression()
            if is_narrow(value):
                return float(value.mid())
        precision *= 2
    raise ArithmeticError(f"a value could not be told from zero with {LAST_PRECISION} bits")


def certain_floor(expression: Callable[[], arb]) -> int:
    """Return the floor of a real expression that is not an integer, or is one exactly.

    Raises:
        ArithmeticError: If the value cannot be told from an integer with 2^18 bits.
    """
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        with ctx.workprec(precision):
            floor = expression().floor().unique_fmpz()
            if floor is not None:
                return int(floor)
        precision *= 2
    raise ArithmeticError(f"a value could not be told from an integer with {LAST_PRECISION} bits")
