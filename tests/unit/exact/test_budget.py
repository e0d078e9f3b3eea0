"""Budgets and parameters are kept exactly as they were given, and bad ones are refused in one sentence."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qifldp.errors import InputError
from qifldp.exact.budget import Budget, parse_rational, show_rational
from qifldp.protocols.specs import parse_spec
from qifldp.protocols.subset_selection import GRR

POSITIVE = "epsilon must be positive (1e-100 at least), got '{}'."
A_NUMBER = "epsilon must be a positive number, ln(3) or 2*ln(3), got {}."
NOT_BOTH = "Give a budget: either epsilon or exp_epsilon (that is e^epsilon), not both."


def assert_refused(sentence: str, epsilon: object = None, exp_epsilon: object = None) -> None:
    with pytest.raises(InputError) as caught:
        Budget.read(epsilon, exp_epsilon)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("given_as", "expected"),
    [
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (2, Fraction(2)),
        (np.int64(2), Fraction(2)),
        ("0.75", Fraction(3, 4)),
        (" 3/4 ", Fraction(3, 4)),
        ("1.5/2.5", Fraction(3, 5)),
        ("1e-9", Fraction(1, 10**9)),
        ("-.5E1", Fraction(-5)),
        ("+7.", Fraction(7)),
        (Fraction(22, 7), Fraction(22, 7)),
        (1e-300, Fraction(1, 10**300)),
    ],
)
def test_numbers_are_read_exactly(given_as: object, expected: Fraction) -> None:
    assert parse_rational(given_as, "x") == expected


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (math.nan, "nan"),
        (-math.inf, "-inf"),
        ("", "''"),
        ("1/0", "'1/0'"),
        ("1e9999", "'1e9999'"),
        ("one", "'one'"),
        ("1,5", "'1,5'"),
        ("0x10", "'0x10'"),
        (True, "True"),
        (None, "None"),
        (1 + 2j, "(1+2j)"),
        ("2\n\x07", "'2\\n\\x07'"),
    ],
)
def test_other_things_are_no_numbers(value: object, shown: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_rational(value, "theta")
    assert str(caught.value) == f"theta must be a finite number such as 0.75 or 3/4, got {shown}."


def test_long_input_is_refused_and_shown_shortened() -> None:
    with pytest.raises(InputError) as caught:
        parse_rational("1" * 401, "p")
    assert str(caught.value) == f"p must be a finite number such as 0.75 or 3/4, got '{'1' * 58}…."


@given(st.fractions())
def test_shown_numbers_are_read_back(value: Fraction) -> None:
    assert parse_rational(show_rational(value), "x") == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3, 4), "0.75"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(5), "5"),
        (Fraction(1, 10**9), "1e-9"),
        (Fraction(1, 10**30), f"1/{10**30}"),
    ],
)
def test_numbers_are_shown_as_decimals_where_they_end(value: Fraction, text: str) -> None:
    assert show_rational(value) == text


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2*ln(3)", "ln(9)"),
        ("ln(9)", "2*ln(3)"),
        ("1/2*ln(9)", "ln(3)"),
        ("0.5 * ln( 9/4 )", "ln(3/2)"),
        ("-1*ln(1/2)", "ln(2)"),
        ("3/2*ln(4)", "ln(8)"),
        ("1/2*ln(27)", "3/2*ln(3)"),
    ],
)
def test_equal_budgets_are_equal_objects(text: str, same: str) -> None:
    assert Budget.read(text) == Budget.read(same)
    assert hash(Budget.read(text)) == hash(Budget.read(same))
    assert Budget.read(text) != Budget.read("ln(5)")
    assert Budget.read(str(Budget.read(text))) == Budget.read(text)


def test_exp_epsilon_is_the_number_under_the_logarithm() -> None:
    assert Budget.read(exp_epsilon="9/4") == Budget.read("ln(9/4)") == Budget.read("2*ln(1.5)")
    assert Budget.read(Budget.read(1)) == Budget.read(1)


@pytest.mark.parametrize("text", ["0.1", "ln(3)", "2*ln(3)", "3.7", "1e-9", "700", "1/3*ln(2)", "100*ln(3/2)"])
def test_epsilon_is_the_nearest_double(text: str) -> None:
    multiple, _, rest = text.rpartition("*") if "ln" in text else (text, "", "")
    factor = Fraction(multiple or 1)
    with localcontext() as context:
        context.prec = 60
        value = Decimal(factor.numerator) / Decimal(factor.denominator)
        if rest:
            base = Fraction(rest.removeprefix("ln(").removesuffix(")"))
            value *= (Decimal(base.numerator) / Decimal(base.denominator)).ln()
        assert Budget.read(text).epsilon == float(value)


@pytest.mark.parametrize("epsilon", [0, "0", -1, "-0.5"])
def test_budgets_are_positive(epsilon: object) -> None:
    assert_refused(POSITIVE.format(epsilon), epsilon)


@pytest.mark.parametrize("epsilon", ["1e-101", "0*ln(2)", "1e-200*ln(2)", "ln(1/2)"])
def test_budgets_are_positive_however_they_are_written(epsilon: str) -> None:
    with pytest.raises(InputError, match=r"^epsilon must be positive \(1e-100 at least\), got '.*\.$"):
        Budget.read(epsilon)


@pytest.mark.parametrize("epsilon", [math.nan, math.inf, True, "abc", "ln(3", "e", ""])
def test_budgets_are_numbers(epsilon: object) -> None:
    assert_refused(A_NUMBER.format(repr(epsilon)), epsilon)


@pytest.mark.parametrize("epsilon", ["700.0001", 701, 1e6])
def test_budgets_are_at_most_700(epsilon: object) -> None:
    assert_refused(f"epsilon must be at most 700, got '{show_rational(parse_rational(epsilon, 'x'))}'.", epsilon)
    assert Budget.read(700).epsilon == 700


def test_large_logarithms_are_refused() -> None:
    assert_refused("epsilon must be at most 700, got '1000*ln(3)'.", "1000*ln(3)")


@pytest.mark.parametrize("number", ["1", "0", "-2"])
def test_logarithms_are_of_positive_numbers(number: str) -> None:
    assert_refused(f"the number under ln must be positive and not 1, got '{number}'.", f"ln({number})")


@pytest.mark.parametrize(("value", "shown"), [(1, "1"), ("1/2", "'1/2'"), (0, "0"), (-3, "-3")])
def test_exp_epsilon_is_above_one(value: object, shown: str) -> None:
    assert_refused(f"exp_epsilon must be above 1, got {shown}.", None, value)


def test_exactly_one_way_to_give_a_budget() -> None:
    assert_refused(NOT_BOTH)
    assert_refused(NOT_BOTH, 1, 3)


@pytest.mark.parametrize("text", ["600*ln(3)", "1700*ln(3/2)", "1e-99", "123456789/1000003*ln(1.001)"])
def test_every_accepted_budget_survives_being_written_as_text(text: str) -> None:
    protocol = GRR(3, text)
    assert parse_spec(protocol.spec).build(3) == protocol
