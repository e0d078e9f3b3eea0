"""Doubles that are rounded balls, whatever the expression cancels."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from flint import arb

from qifldp.exact.balls import ball, certain_floor, nearest_float


def test_cancellation_costs_nothing() -> None:
    tiny = Fraction(1, 10**150)

    def expression() -> arb:
        return (ball(tiny).exp() - 1 - ball(tiny)) * ball(10**150)

    assert nearest_float(expression) == 5e-151


@pytest.mark.parametrize("value", [Fraction(1, 3), Fraction(10**30 + 1, 7), Fraction(0), Fraction(-5, 2)])
def test_rationals_are_rounded_to_the_nearest_double(value: Fraction) -> None:
    assert nearest_float(lambda: ball(value)) == float(value)


def test_transcendental_numbers_are_rounded_to_the_nearest_double() -> None:
    with localcontext() as context:
        context.prec = 60
        for number in range(2, 200):
            assert nearest_float(lambda number=number: ball(number).log()) == float(Decimal(number).ln())  # type: ignore[misc]


def test_numbers_beyond_the_doubles() -> None:
    assert nearest_float(lambda: ball(-1000).exp()) == 0.0
    assert nearest_float(lambda: ball(700).exp()) == pytest.approx(math.exp(700), rel=1e-13)  # exp of libm is that good


def test_a_zero_that_cannot_be_recognised_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match=r"^a value could not be told from zero with 262144 bits$"):
        nearest_float(lambda: ball(2).sqrt() * ball(3).sqrt() - ball(6).sqrt())


@pytest.mark.parametrize(
    ("expression", "floor"),
    [
        (lambda: ball(1).exp(), 2),
        (lambda: ball(100).exp() + ball(Fraction(3, 2)), 26881171418161354484126255515800135873611120),
        (lambda: ball(Fraction(7, 2)), 3),
        (lambda: ball(-1).exp() - 1, -1),
        (lambda: ball(5), 5),
    ],
)
def test_floor_is_certain(expression: object, floor: int) -> None:
    assert certain_floor(expression) == floor  # type: ignore[arg-type]


def test_an_integer_that_cannot_be_recognised_is_an_error() -> None:
    with pytest.raises(ArithmeticError, match=r"^a value could not be told from an integer with 262144 bits$"):
        certain_floor(lambda: ball(2).sqrt() * ball(2).sqrt())
