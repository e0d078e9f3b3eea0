"""Gain functions: the short form of each agrees with its table, and bad tables are refused."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles import brute_force as oracle
from qifldp.adversaries import gain as gains
from qifldp.adversaries.gain import Gain
from qifldp.errors import InputError, TooLargeError
from qifldp.leakage.vulnerability import posterior_vulnerability
from qifldp.protocols.subset_selection import GRR

ADVERSARIES = [
    (lambda _: gains.guesses(1), lambda k: oracle.guess_gain(k, 1)),
    (lambda _: gains.guesses(2), lambda k: oracle.guess_gain(k, 2)),
    (lambda _: gains.guesses(9), lambda k: oracle.guess_gain(k, 9)),
    (lambda k: gains.membership([0, k - 1]), lambda k: oracle.membership_gain(k, [0, k - 1])),
    (lambda _: gains.distance(), oracle.distance_gain),
]

weights = st.lists(st.fractions(min_value=0, max_value=5, max_denominator=7), min_size=2, max_size=6)

ROUNDED = 1e-14
"""Sums of six products in doubles, relative."""


@pytest.mark.parametrize(("make", "table"), ADVERSARIES, ids=["bayes", "two", "nine", "membership", "distance"])
@given(beliefs=weights)
@settings(max_examples=60)
def test_best_action_of_each_adversary(make: object, table: object, beliefs: list[Fraction]) -> None:
    k = len(beliefs)
    gain, expected = make(k), oracle.prior_vulnerability(beliefs, table(k))  # type: ignore[operator]
    assert gain.best(np.array([beliefs, beliefs[::-1]], dtype=object))[0] == expected
    assert gain.best(np.array([beliefs], dtype=np.float64))[0] == pytest.approx(float(expected), rel=ROUNDED)
    written = gains.from_matrix([[Fraction(entry) for entry in row] for row in table(k)])  # type: ignore[operator]
    assert written.best(np.array([beliefs], dtype=object))[0] == expected


@pytest.mark.parametrize(("make", "table"), ADVERSARIES, ids=["bayes", "two", "nine", "membership", "distance"])
@pytest.mark.parametrize("k", [2, 3, 5])
def test_table_and_peak_of_each_adversary(make: object, table: object, k: int) -> None:
    gain: Gain = make(k)  # type: ignore[operator]
    expected = [[float(entry) for entry in row] for row in table(k)]  # type: ignore[operator]
    assert np.array(sorted(gain.matrix(k).tolist())) == pytest.approx(np.array(sorted(expected)))
    assert gain.peak(k).tolist() == [max(column) for column in zip(*expected, strict=True)]


def test_words() -> None:
    assert gains.bayes().describe() == "guesses the value in one try"
    assert gains.guesses(3).describe() == "guesses the value in 3 tries"
    assert gains.membership([4, 4, 1]).describe() == "tells whether the value is in a sensitive set of 2"
    assert gains.distance().describe() == "comes near the value on its scale"
    assert gains.from_matrix([[1, 2]]).describe() == "plays a gain function of 1 action"
    assert gains.from_matrix([[1, 2], [2, 1]]).describe() == "plays a gain function of 2 actions"


@pytest.mark.parametrize("tries", [0, -1, 1.5, True, None])
def test_numbers_of_guesses(tries: int) -> None:
    with pytest.raises(InputError) as caught:
        gains.guesses(tries)
    assert str(caught.value) == f"number of guesses must be a positive whole number, got {tries}."


@pytest.mark.parametrize("member", [-1, 1.5, True])
def test_members_are_indices(member: int) -> None:
    with pytest.raises(InputError) as caught:
        gains.membership([0, member])
    assert str(caught.value) == f"a member of the sensitive set must be the index of a value, got {member}."


def test_sensitive_sets_fit_the_domain() -> None:
    with pytest.raises(InputError) as caught:
        gains.membership([])
    assert str(caught.value) == "The sensitive set must have at least one value."
    with pytest.raises(InputError) as caught:
        posterior_vulnerability(GRR(3, 1), None, gains.membership([0, 3]))
    assert str(caught.value) == "sensitive set must be of values 0 to 2, got 3."


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ([[1, 2], [3, -1]], "A gain must not be negative, got -1 in row 1: add a constant to all."),
        ([[1.0, -0.5]], "A gain must not be negative, got -0.5 in row 0: add a constant to all."),
        ([[1.0, math.nan]], "a gain must be a finite number such as 0.75 or 3/4, got nan."),
        ([[1.0, math.inf]], "a gain must be a finite number such as 0.75 or 3/4, got inf."),
        ([[1], [1, 2]], "Each row of a gain function must have the same number of entries."),
        ([], "A gain function must be a table: a row an action, a column a secret."),
        ([[]], "A gain function must be a table: a row an action, a column a secret."),
        (3, "A gain function must be a table: a row an action, a column a secret."),
        ([["x"]], "a gain must be a finite number such as 0.75 or 3/4, got 'x'."),
    ],
)
def test_tables_that_are_no_gain_functions(table: object, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        gains.from_matrix(table)
    assert str(caught.value) == sentence


def test_tables_of_another_domain() -> None:
    with pytest.raises(InputError) as caught:
        posterior_vulnerability(GRR(3, 1), None, gains.from_matrix([[1, 2]]))
    assert str(caught.value) == "The gain matrix must have one column for each of the 3 secrets, got 2."


def test_tables_too_large_to_write_out() -> None:
    with pytest.raises(TooLargeError) as caught:
        gains.guesses(10).matrix(40)
    assert str(caught.value) == ("A gain function of 847,660,528 actions on 40 secrets is too large to write out.")
