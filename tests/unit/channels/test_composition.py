"""Channels made of channels, entry by entry."""

from __future__ import annotations

from fractions import Fraction

import pytest

from qifldp.channels.channel import Channel
from qifldp.channels.composition import hidden_choice, kronecker, visible_choice
from qifldp.errors import InputError

LEFT = Channel([["1/2", "1/2"], ["1/3", "2/3"]], outputs=["a", "b"])
RIGHT = Channel([[1, 0], ["1/5", "4/5"]], outputs=["b", "c"])
QUARTER = Fraction(1, 4)


def test_kronecker_is_two_runs_on_two_secrets() -> None:
    product = kronecker(LEFT, RIGHT)
    assert product.inputs == ("(0,0)", "(0,1)", "(1,0)", "(1,1)")
    assert product.outputs == ("(a,b)", "(a,c)", "(b,b)", "(b,c)")
    for x, first in enumerate(LEFT.matrix):
        for z, second in enumerate(RIGHT.matrix):
            assert product.matrix[2 * x + z].tolist() == [a * b for a in first for b in second]


def test_visible_choice_shows_the_coin() -> None:
    choice = visible_choice("1/4", LEFT, RIGHT)
    assert choice.outputs == ("first:a", "first:b", "second:b", "second:c")
    for x in range(2):
        expected = [QUARTER * entry for entry in LEFT.matrix[x]] + [(1 - QUARTER) * entry for entry in RIGHT.matrix[x]]
        assert choice.matrix[x].tolist() == expected


def test_hidden_choice_joins_outputs_of_one_label() -> None:
    choice = hidden_choice(QUARTER, LEFT, RIGHT)
    assert choice.outputs == ("a", "b", "c")
    for x in range(2):
        (a, b), (b_too, c) = LEFT.matrix[x], RIGHT.matrix[x]
        assert choice.matrix[x].tolist() == [QUARTER * a, QUARTER * b + (1 - QUARTER) * b_too, (1 - QUARTER) * c]


def test_a_choice_of_floats_is_one_of_floats() -> None:
    for choose in (visible_choice, hidden_choice):
        mixed = choose(0.25, LEFT.to_float(), RIGHT)
        assert not mixed.is_exact
        assert choose("1/4", LEFT, RIGHT).is_exact
        assert mixed.matrix.tolist() == pytest.approx(choose("1/4", LEFT, RIGHT).matrix.astype(float), rel=1e-15)


@pytest.mark.parametrize(("probability", "shown"), [(2, "2"), (-0.5, "-0.5"), ("3/2", "'3/2'")])
def test_a_probability_is_from_zero_to_one(probability: object, shown: str) -> None:
    for choose in (visible_choice, hidden_choice):
        with pytest.raises(InputError) as caught:
            choose(probability, LEFT, RIGHT)
        assert str(caught.value) == f"probability must be from 0 to 1, got {shown}."


def test_a_choice_needs_one_domain() -> None:
    other = Channel([[1], [1]], inputs=["yes", "no"])
    for choose in (visible_choice, hidden_choice):
        with pytest.raises(InputError) as caught:
            choose("1/2", LEFT, other)
        assert str(caught.value) == "A choice between channels needs one domain: their row labels differ."
