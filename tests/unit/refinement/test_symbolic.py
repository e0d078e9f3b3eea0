"""Exact equality of real numbers written in one power of e^ε."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import ctx

from qifldp.errors import InexactError
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS
from qifldp.exact.symbolic import SymbolicField
from qifldp.protocols.local_hashing import BLH, LH
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

BUDGETS = ("1", "0.7", "ln(3)", "ln(9)", "1/2*ln(3)", "3/2*ln(2)", "ln(9/4)", "2/3*ln(12)", "ln(8)")


@pytest.mark.parametrize("text", BUDGETS)
@pytest.mark.parametrize("degree", [1, 2, 6])
def test_laws_of_exponents(text: str, degree: int) -> None:
    budget = Budget.read(text)
    field = SymbolicField(budget, degree)
    step = field.exponential(budget, Fraction(1, degree))
    whole = field.exponential(budget)
    assert field.equal(step**degree, whole)
    assert field.equal(step ** (2 * degree) / whole, whole)
    assert field.equal(field.exponential(budget, -1) * whole, field.number(1))
    assert field.equal((whole - 1) * (whole + 1), whole**2 - 1)
    assert field.equal(1 / (1 + whole), 1 - whole / (whole + 1))
    assert field.equal(2 - whole, -(whole - 2))
    assert not field.equal(step, step + field.number(Fraction(1, 10**80)))
    assert not field.equal(whole, field.number(1))


@pytest.mark.parametrize(
    ("text", "multiple", "value"),
    [("ln(3)", 1, 3), ("ln(9)", Fraction(1, 2), 3), ("3/2*ln(4)", 1, 8), ("ln(9/4)", Fraction(1, 2), Fraction(3, 2))],
)
def test_rational_powers_are_rational(text: str, multiple: Fraction, value: Fraction) -> None:
    budget = Budget.read(text)
    field = SymbolicField(budget, 2)
    assert field.equal(field.exponential(budget, multiple), field.number(value))
    assert not field.equal(field.exponential(budget, multiple), field.number(value + Fraction(1, 10**100)))


def test_roots_that_are_not_rational_are_roots() -> None:
    budget = Budget.read("ln(12)")
    field = SymbolicField(budget, 2)
    root = field.exponential(budget, Fraction(1, 2))
    assert field.equal(root * root, field.number(12))
    assert not field.equal(root, field.number(Fraction(34641016151377545870548926830, 10**28)))
    assert field.equal(6 / root * 2, root)  # √12 = 12/√12


def test_convergents_of_e_are_not_e() -> None:
    budget = Budget.read(1)
    field = SymbolicField(budget, 1)
    assert not field.equal(field.exponential(budget), field.number(Fraction(2721, 1001)))
    assert not field.equal(field.exponential(budget), -field.exponential(budget))


@pytest.mark.parametrize("text", BUDGETS)
def test_other_budgets_and_other_roots_are_refused(text: str) -> None:
    budget = Budget.read(text)
    field = SymbolicField(budget, 2)
    with pytest.raises(InexactError, match=r"is no power of e\^\(ε/2\)"):
        field.exponential(Budget.read("0.123"))
    with pytest.raises(InexactError, match=r"is no power of e\^\(ε/2\)"):
        field.exponential(budget, Fraction(1, 3))


@pytest.mark.parametrize("text", BUDGETS)
def test_equal_exactly_when_balls_of_many_bits_overlap(text: str) -> None:
    """p and q of all protocols at one budget: equal numbers have equal symbols, others are apart."""
    budget = Budget.read(text)
    sides = (
        SUE(2, budget),
        OUE(2, budget),
        BLH(2, budget),
        LH(2, budget, g=4),
        THE(2, budget, theta="1"),
        THE(2, budget, theta="1/2"),
        UE(2, p="3/4", q="1/4"),
    )
    field = SymbolicField(budget, 4)
    symbols = [chance for side in sides for chance in side.support_probabilities(field)]
    with ctx.workprec(1000):
        balls = [chance for side in sides for chance in side.support_probabilities(BALLS)]
        for x, first in zip(symbols, balls, strict=True):
            for y, second in zip(symbols, balls, strict=True):
                assert field.equal(x, y) == first.overlaps(second)
