"""One formula in two fields: exact rationals where they exist, enclosing balls everywhere."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from qifldp.errors import InexactError
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS, RATIONALS


def test_rational_powers_of_a_rational_budget() -> None:
    budget = Budget.read(exp_epsilon="9/4")
    assert RATIONALS.exponential(budget) == Fraction(9, 4)
    assert RATIONALS.exponential(budget, Fraction(1, 2)) == Fraction(3, 2)
    assert RATIONALS.exponential(budget, -1) == Fraction(4, 9)
    assert RATIONALS.exponential(budget, 0) == 1
    assert RATIONALS.number(Fraction(2, 3)) == Fraction(2, 3)


def test_an_irrational_exponential_is_refused_with_advice() -> None:
    with pytest.raises(InexactError) as caught:
        RATIONALS.exponential(Budget.read(1))
    assert str(caught.value) == (
        "e^ε is not rational at epsilon = 1: give exp_epsilon, a rational e^ε, to compute exactly."
    )
    with pytest.raises(InexactError) as caught:
        RATIONALS.exponential(Budget.read("ln(3)"), Fraction(1, 2))
    assert str(caught.value) == (
        "e^(1/2·ε) is not rational at epsilon = ln(3): give exp_epsilon, a rational e^ε with that root, "
        "to compute exactly."
    )


@pytest.mark.parametrize("bits", [64, 300, 2000])
def test_balls_enclose_the_number_at_any_precision(bits: int) -> None:
    budget = Budget.read("2*ln(3)")
    with ctx.workprec(bits):
        found = BALLS.exponential(budget, Fraction(1, 2))
        assert found.contains(3)
        assert found.rel_accuracy_bits() >= bits - 16
        assert BALLS.exponential(Budget.read("0.1")).contains(arb(fmpq(1, 10)).exp())
        assert BALLS.number(Fraction(1, 3)).contains(fmpq(1, 3))
