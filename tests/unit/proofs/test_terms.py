"""Terms in s and u are the product's own p and q, for every ε and θ."""

from __future__ import annotations

from fractions import Fraction

import pytest

from qifldp import LH, OUE, SUE, THE
from qifldp.errors import InexactError
from qifldp.exact.budget import Budget
from qifldp.proofs.terms import Bit, BitField, bit_of, variables


def numbers(bit: Bit, *point: Fraction | int) -> tuple[Fraction, Fraction]:
    """q and p at a point."""
    place = [Fraction(x) for x in point]
    return bit.alpha.at(place), 1 - bit.beta.at(place)


def test_bits_are_those_of_the_protocols() -> None:
    s, u = variables("s", "u")
    for root in (2, Fraction(7, 3)):
        for kind in (SUE, OUE):
            p, _, q, _ = kind(2, exp_epsilon=Fraction(root) ** 2).chances
            assert numbers(bit_of(kind, s), root, 1) == (q, p)
        p, _, q, _ = LH(2, exp_epsilon=Fraction(root) ** 2, g=5).chances
        assert numbers(bit_of(LH, s, g=5), root, 1) == (q, p)
    # Other θ than the one that marks the exponents: at e^ε = 256 they are whole powers of 2.
    for theta, power in (("1/2", 4), ("3/4", 8), ("1", 16)):
        p, _, q, _ = THE(2, exp_epsilon=256, theta=theta).chances
        assert numbers(bit_of(THE, s, u), 16, power) == (q, p)


def test_other_exponents_are_refused() -> None:
    s, u = variables("s", "u")
    for field, budget, multiple in (
        (BitField(s), Budget(Fraction(1)), Fraction(1, 4)),
        (BitField(s), Budget(Fraction(2)), Fraction(1)),
        (BitField(s, u), Budget(Fraction(1)), Fraction(3, 8)),
    ):
        with pytest.raises(InexactError, match="is no power of s and u"):
            field.exponential(budget, multiple)


def test_arithmetic_is_that_of_rationals() -> None:
    x, y = variables("x", "y")
    built = ((x + 2) * (y - x) / (1 - x * y) - Fraction(1, 3)) ** 2 / y
    for a, b in ((Fraction(2), Fraction(3)), (Fraction(-1, 2), Fraction(5, 7))):
        assert built.at([a, b]) == ((a + 2) * (b - a) / (1 - a * b) - Fraction(1, 3)) ** 2 / b
    assert ((x**2 - y**2) / (x - y) - x - y).is_zero
    assert not (x - y).is_zero
    assert (x / y + 1).derivative("y").at([Fraction(6), Fraction(3)]) == Fraction(-6, 9)
    assert [str(x / (2 * y)), str(x + 1)] == ["(1/2*x)/(y)", "x + 1"]
    with pytest.raises(ZeroDivisionError):
        (1 / x).at([Fraction(0), Fraction(1)])
