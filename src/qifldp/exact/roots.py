"""Rational powers of rationals, when they are rational again."""

from __future__ import annotations

from fractions import Fraction

LARGEST_BITS = 1 << 20
"""Bits of a numerator or denominator that are worth computing; larger powers count as not rational."""


def rational_power(base: Fraction, exponent: Fraction) -> Fraction | None:
    """Return base^exponent if it is rational (and not of more than a million bits), else None.

    Args:
        base: A positive rational.
        exponent: Any rational.
    """
    if exponent < 0:
        base, exponent = 1 / base, -exponent
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * exponent.numerator > LARGEST_BITS:
        return None
    root = exponent.denominator
    if root >= size and base != 1:
        return None  # an exact root of degree n of a number other than 1 has at least n + 1 bits
    top = _exact_root(base.numerator, root)
    bottom = _exact_root(base.denominator, root)
    return None if top is None or bottom is None else Fraction(top, bottom) ** exponent.numerator


def _exact_root(number: int, degree: int) -> int | None:
    """Return the positive integer r with r^degree = number, or None (bisection on integers)."""
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle**degree <= number else (low, middle - 1)
    return low if low**degree == number else None


def primitive_root(number: Fraction) -> tuple[Fraction, int]:
    """Return (r, m) with r^m = number and m as large as possible, for a rational number above 1."""
    power, degree = 1, 2
    while degree <= max(number.numerator.bit_length(), number.denominator.bit_length()):
        root = rational_power(number, Fraction(1, degree))
        if root is None:
            degree += 1
        else:
            number, power = root, power * degree
    return number, power
