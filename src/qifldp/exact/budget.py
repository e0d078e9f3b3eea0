"""Privacy budgets and parameters kept exactly as they were given."""

from __future__ import annotations

import math
import numbers
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import arb

from qifldp.errors import InputError
from qifldp.exact.balls import ball, nearest_float
from qifldp.exact.roots import primitive_root, rational_power

LARGEST_EPSILON = 700
"""e^700 ≈ 1e304 is the last budget whose e^ε, and its multiples that occur, are finite doubles."""

SMALLEST_EPSILON = 1e-100
"""Squares of smaller budgets (Shannon information is quadratic in ε) would leave the doubles."""

_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?"
_RATIONAL = re.compile(rf"\s*({_NUMBER})\s*(?:/\s*({_NUMBER})\s*)?")
_LOGARITHM = re.compile(rf"\s*(?:({_NUMBER}(?:\s*/\s*{_NUMBER})?)\s*\*\s*)?ln\s*\(([^()]*)\)\s*")
_LONGEST = 400
"""Characters of a number that are read at most: numbers come from strangers."""

Exactly = int | float | str | Fraction
"""What can be read as an exact number; a float stands for the shortest decimal that prints it."""


def parse_rational(value: object, what: str) -> Fraction:
    """Return the exact number that ``value`` states.

    Args:
        value: An integer, a fraction, text such as ``"0.75"``, ``"3/4"`` or ``"1e-9"``, or a float, which
            is read as the shortest decimal that prints it (0.1 is one tenth).
        what: The argument's name, for the error.

    Raises:
        InputError: If the value is not a finite number.
    """
    if isinstance(value, str):
        match = _RATIONAL.fullmatch(value) if len(value) <= _LONGEST else None
        if match and (match[2] is None or Fraction(match[2]) != 0):
            return Fraction(match[1]) / Fraction(match[2] or 1)
    elif isinstance(value, numbers.Rational) and not isinstance(value, bool):
        return Fraction(int(value.numerator), int(value.denominator))
    elif isinstance(value, numbers.Real) and math.isfinite(float(value)) and not isinstance(value, bool):
        return Fraction(repr(float(value)))
    raise InputError.expected(what, "a finite number such as 0.75 or 3/4", value)


def nearest_double(value: Fraction) -> float:
    """Return the double nearest to a rational, infinity if it is beyond them."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def show_rational(value: Fraction) -> str:
    """Return the shortest text that :func:`parse_rational` reads back: a decimal if it ends, else a/b."""
    rest = value.denominator
    for prime in (2, 5):
        while rest % prime == 0:
            rest //= prime
    if rest != 1 or value.denominator == 1 or value.denominator > 10**24:
        return str(value)
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    if 0 < abs(value) < Fraction(1, 10**6):
        return f"{(value * 10**digits).numerator}e-{digits}"
    whole, part = divmod(abs((value * 10**digits).numerator), 10**digits)
    return f"{'-' if value < 0 else ''}{whole}.{part:0{digits}d}"


@dataclass(frozen=True)
class Budget:
    """A privacy budget ε > 0, kept as it was given: ε = multiple, or ε = multiple · ln(base).

    With a base, e^{rε} = base^{r·multiple} is rational for many r, and then stays an exact rational. The base
    is brought to a number that is no power of another, so that ln(9) and 2*ln(3) are one budget.
    """

    multiple: Fraction
    base: Fraction | None = None

    def __post_init__(self) -> None:
        if self.base is not None:
            if self.base <= 0 or self.base == 1:
                raise InputError.expected("the number under ln", "positive and not 1", show_rational(self.base))
            base, multiple = (self.base, self.multiple) if self.base > 1 else (1 / self.base, -self.multiple)
            root, power = primitive_root(base)
            object.__setattr__(self, "base", root)
            object.__setattr__(self, "multiple", multiple * power)
        if self.multiple <= 0 or not self.epsilon >= SMALLEST_EPSILON:
            raise InputError.expected("epsilon", "positive (1e-100 at least)", str(self))
        if not self.epsilon <= LARGEST_EPSILON:
            raise InputError.expected("epsilon", f"at most {LARGEST_EPSILON}", str(self))

    @classmethod
    def read(cls, epsilon: object = None, exp_epsilon: object = None) -> Budget:
        """Return the budget stated by ε (a number, ``"ln(3)"``, ``"2*ln(3)"``) or by e^ε.

        Raises:
            InputError: If neither or both are given, or ε is not in [1e-100, 700].
        """
        if (epsilon is None) == (exp_epsilon is None):
            raise InputError("Give a budget: either epsilon or exp_epsilon (that is e^epsilon), not both.")
        if exp_epsilon is not None:
            base = parse_rational(exp_epsilon, "exp_epsilon")
            if base <= 1:
                raise InputError.expected("exp_epsilon", "above 1", exp_epsilon)
            return cls(Fraction(1), base)
        if isinstance(epsilon, Budget):
            return epsilon
        if isinstance(epsilon, str) and len(epsilon) <= _LONGEST and (match := _LOGARITHM.fullmatch(epsilon)):
            return cls(parse_rational(match[1] or "1", "epsilon"), parse_rational(match[2], "the number under ln"))
        try:
            number = parse_rational(epsilon, "epsilon")
        except InputError:
            raise InputError.expected("epsilon", "a positive number, ln(3) or 2*ln(3)", epsilon) from None
        return cls(number)

    def ball(self) -> arb:
        """Return ε as a ball of the working precision."""
        return ball(self.multiple) if self.base is None else ball(self.multiple) * ball(self.base).log()

    @cached_property
    def epsilon(self) -> float:
        """ε in nats, rounded to the nearest double."""
        return nearest_float(self.ball)

    @cached_property
    def exp_epsilon(self) -> Fraction | None:
        """e^ε if it is rational, else None."""
        return None if self.base is None else rational_power(self.base, self.multiple)

    def __str__(self) -> str:
        if self.base is None:
            return show_rational(self.multiple)
        factor = "" if self.multiple == 1 else f"{self.multiple}*"
        return f"{factor}ln({show_rational(self.base)})"
