"""Rational powers are found when they exist, and only then."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qifldp.exact.roots import LARGEST_BITS, rational_power

positive = st.fractions(min_value=Fraction(1, 500), max_value=500, max_denominator=500)


@given(positive, st.integers(-6, 6), st.integers(1, 6))
def test_powers_of_a_power_are_found(root: Fraction, top: int, bottom: int) -> None:
    assert rational_power(root**bottom, Fraction(top, bottom)) == root**top


@given(positive, st.fractions(min_value=-4, max_value=4, max_denominator=6))
def test_what_is_found_is_the_power(base: Fraction, exponent: Fraction) -> None:
    found = rational_power(base, exponent)
    if found is None:
        assert exponent.denominator > 1
        assert base != 1
    else:
        assert found > 0
        assert found**exponent.denominator == base**exponent.numerator


@pytest.mark.parametrize(
    ("base", "exponent"),
    [
        (2, Fraction(1, 2)),
        (Fraction(4, 3), Fraction(1, 2)),
        (9, Fraction(1, 4)),
        (10**40 + 1, Fraction(1, 2)),
        (8, Fraction(2, 9)),
    ],
)
def test_irrational_powers_are_not_found(base: Fraction | int, exponent: Fraction) -> None:
    assert rational_power(Fraction(base), exponent) is None


def test_one_has_every_root() -> None:
    assert rational_power(Fraction(1), Fraction(7, 1000)) == 1
    assert rational_power(Fraction(5), Fraction(0)) == 1


def test_large_roots_are_exact() -> None:
    root = 10**60 + 7
    assert rational_power(Fraction(root**3, 2**9), Fraction(2, 3)) == Fraction(root**2, 2**6)


def test_powers_too_large_to_write_out_count_as_irrational() -> None:
    assert rational_power(Fraction(3), Fraction(LARGEST_BITS)) is None
    assert rational_power(Fraction(3), Fraction(1000)) == 3**1000
