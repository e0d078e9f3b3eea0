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


def field_of(budget: Budget, degree: int) -> SymbolicField:
    """Return the field of s = e^(ε/degree)."""
    return SymbolicField(budget.multiple / degree, budget.base)


BUDGETS = ("1", "0.7", "ln(3)", "ln(9)", "1/2*ln(3)", "3/2*ln(2)", "ln(9/4)", "2/3*ln(12)", "ln(8)")


@pytest.mark.parametrize("text", BUDGETS)
@pytest.mark.parametrize("degree", [1, 2, 6])
def test_laws_of_exponents(text: str, degree: int) -> None:
    budget = Budget.read(text)
    field = field_of(budget, degree)
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
    field = field_of(budget, 2)
    assert field.equal(field.exponential(budget, multiple), field.number(value))
    assert not field.equal(field.exponential(budget, multiple), field.number(value + Fraction(1, 10**100)))


def test_roots_that_are_not_rational_are_roots() -> None:
    budget = Budget.read("ln(12)")
    field = field_of(budget, 2)
    root = field.exponential(budget, Fraction(1, 2))
    assert field.equal(root * root, field.number(12))
    assert not field.equal(root, field.number(Fraction(34641016151377545870548926830, 10**28)))
    assert field.equal(6 / root * 2, root)  # √12 = 12/√12


def test_convergents_of_e_are_not_e() -> None:
    budget = Budget.read(1)
    field = field_of(budget, 1)
    assert not field.equal(field.exponential(budget), field.number(Fraction(2721, 1001)))
    assert not field.equal(field.exponential(budget), -field.exponential(budget))


@pytest.mark.parametrize("text", BUDGETS)
def test_other_budgets_and_other_roots_are_refused(text: str) -> None:
    budget = Budget.read(text)
    field = field_of(budget, 2)
    with pytest.raises(InexactError, match=r"^e\^\(1·ε\) at epsilon = 0.123 is no small power of"):
        field.exponential(Budget.read("0.123"))
    with pytest.raises(InexactError, match=r"^e\^\(1/7·ε\) at epsilon = .* is no small power of"):
        field.exponential(budget, Fraction(1, 7))
    with pytest.raises(InexactError, match="is no small power of"):
        field.exponential(budget, Fraction(10**7 + 1, 2))


@pytest.mark.parametrize(
    ("first", "second", "power"),
    [("1", "1.5", Fraction(3, 2)), ("ln(3)", "3/4*ln(9)", Fraction(3, 2)), ("ln(8)", "ln(4)", Fraction(2, 3))],
)
def test_budgets_of_rational_ratio_share_a_field(first: str, second: str, power: Fraction) -> None:
    one, other = Budget.read(first), Budget.read(second)
    field = SymbolicField.joining([(budget.multiple, budget.base) for budget in (one, other)])
    top, bottom = power.numerator, power.denominator
    assert field.equal(field.exponential(one) ** top, field.exponential(other) ** bottom)
    assert not field.equal(field.exponential(one), field.exponential(other))
    assert field.equal(field.exponential(Budget.read("ln(5)")), field.number(5))


@pytest.mark.parametrize(("first", "second"), [("1", "1/2*ln(3)"), ("1/2*ln(2)", "1/2*ln(3)")])
def test_unrelated_budgets_share_no_field(first: str, second: str) -> None:
    with pytest.raises(InexactError, match="No power joins"):
        SymbolicField.joining([(budget.multiple, budget.base) for budget in map(Budget.read, (first, second))])


def test_budgets_with_a_common_power_too_small_are_refused() -> None:
    one, other = Budget.read("1"), Budget.read("1.000001")
    field = SymbolicField.joining([(budget.multiple, budget.base) for budget in (one, other)])
    with pytest.raises(InexactError, match="is no small power of"):
        field.exponential(one)


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
    field = field_of(budget, 4)
    symbols = [chance for side in sides for chance in side.support_probabilities(field)]
    with ctx.workprec(1000):
        balls = [chance for side in sides for chance in side.support_probabilities(BALLS)]
        for x, first in zip(symbols, balls, strict=True):
            for y, second in zip(symbols, balls, strict=True):
                assert field.equal(x, y) == first.overlaps(second)
