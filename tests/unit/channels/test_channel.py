"""Explicit channels: what is refused, what is exact, and what cascades and parallel runs are."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel, set_label
from qifldp.errors import InputError

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
FIRST = Channel([["1/2", "1/2", 0], [0, "1/3", "2/3"]], outputs=["a", "b", "c"])
SECOND = Channel([[1, 0], ["1/4", "3/4"], [0, 1]])

NOT_ONE = (
    "Each row of a channel matrix must sum to one, but row {} sums to {} "
    "(if that is rounding, write fractions, or more digits)."
)
NOT_A_PROBABILITY = "Each entry of a channel matrix must be a probability, but row {}, column {} is {}."


def assert_refused(sentence: str, matrix: object, **keywords: object) -> None:
    with pytest.raises(InputError) as caught:
        Channel(matrix, **keywords)  # type: ignore[arg-type]
    assert str(caught.value) == sentence


def test_rows_that_do_not_sum_to_one() -> None:
    assert_refused(NOT_ONE.format(1, 0.9), [[0.5, 0.5], [0.25, 0.65]])
    assert_refused(NOT_ONE.format(0, "5/6"), [[HALF, THIRD], [0, 1]])
    assert_refused(NOT_ONE.format(0, f"{1 + Fraction(1, 10**30)}"), [[1, Fraction(1, 10**30)]])
    assert_refused(NOT_ONE.format(0, 1 + 2e-12), [[1 + 2e-12]])
    assert Channel([[1 + 5e-13]]).matrix[0, 0] == 1 + 5e-13


@pytest.mark.parametrize("entry", [-0.1, math.nan, math.inf, -math.inf])
def test_entries_that_are_no_probabilities(entry: float) -> None:
    assert_refused(NOT_A_PROBABILITY.format(1, 0, entry), [[0.5, 0.5], [entry, 1.1]])


def test_tables_that_are_no_matrices() -> None:
    assert_refused(NOT_A_PROBABILITY.format(0, 1, -1), [[2, -1]])
    assert_refused("Each row of a channel matrix must have the same number of entries.", [[1, 0], [1]])
    assert_refused("A channel matrix must have rows and columns, got the shape (0, 0).", [])
    assert_refused("A channel matrix must have rows and columns, got the shape (1, 0).", [[]])
    assert_refused("A channel matrix must be a table of numbers, got 5.", 5)
    assert_refused("A channel matrix must be a table of numbers, got 'ab'.", "ab")
    assert_refused("A channel matrix must hold numbers, or exact text such as '1/3' throughout, got 'a'.", [["a", 0.5]])
    assert_refused("an entry of a channel matrix must be a finite number such as 0.75 or 3/4, got 'a'.", [["a", 1]])
    assert_refused("Row 1 of the channel matrix sums to zero.", [[0.5, 1.0], [0.0, 0.0]], normalize=True)


def test_labels() -> None:
    assert_refused("There must be one label for each row (2), got 1.", [[1, 0], [0, 1]], inputs=["a"])
    assert_refused("There must be one label for each column (2), got 3.", [[1, 0], [0, 1]], outputs="abc")
    assert_refused("The labels of the columns must differ from one another.", [[1, 0], [0, 1]], outputs=["a", "a"])
    assert Channel([[1, 0]]).outputs == ("0", "1")
    assert set_label((0, 2)) == "{0,2}"


def test_kind_of_entries() -> None:
    assert FIRST.is_exact
    assert not Channel([[0.5, 0.5]]).is_exact
    assert not Channel(np.array([[0.5, 0.5]])).is_exact
    assert Channel(np.array([[1, 0]])).is_exact
    assert Channel([[3, 1]], normalize=True).matrix[0].tolist() == [Fraction(3, 4), Fraction(1, 4)]
    assert FIRST.to_float().matrix.dtype == np.float64
    assert Channel([[0.5, 0.25, 0.25]]).to_exact().matrix[0].tolist() == [HALF, Fraction(1, 4), Fraction(1, 4)]
    with pytest.raises(InputError, match=r"^Each row of a channel matrix must sum to one, but row 0 sums to 36028797"):
        Channel([[0.1, 0.9]]).to_exact()


def test_a_channel_is_a_read_only_value() -> None:
    with pytest.raises(ValueError, match=r"read-only"):
        FIRST.matrix[0, 0] = 0
    assert Channel([[1, 0]]) == Channel([[1, 0]])
    assert Channel([[1, 0]]) != Channel([[1, 0]], outputs=["x", "y"])
    assert Channel([[1, 0]]) != Channel([[0, 1]])
    with pytest.raises(TypeError, match=r"unhashable"):
        hash(FIRST)


def test_joint_and_posterior() -> None:
    prior = Prior(["1/4", "3/4"])
    assert FIRST.joint(prior).tolist() == [[Fraction(1, 8), Fraction(1, 8), 0], [0, Fraction(1, 4), HALF]]
    assert FIRST.joint().tolist() == [[Fraction(1, 4), Fraction(1, 4), 0], [0, Fraction(1, 6), THIRD]]
    assert FIRST.posterior("b", prior).probabilities.tolist() == [THIRD, Fraction(2, 3)]
    assert FIRST.posterior(1, prior) == FIRST.posterior("b", prior)
    with pytest.raises(InputError) as caught:
        FIRST.posterior("a", Prior([0, 1]))
    assert str(caught.value) == "The output 'a' never occurs under this prior."
    with pytest.raises(InputError) as caught:
        FIRST.posterior("z")
    assert str(caught.value) == "output must be one of the 3 columns, got 'z'."
    with pytest.raises(InputError) as caught:
        FIRST.joint(Prior([1]))
    assert str(caught.value) == "The prior must have one probability for each of the 2 secrets, got 1."


def test_cascade() -> None:
    cascade = FIRST @ SECOND
    assert cascade.is_exact
    assert cascade.matrix.tolist() == [[Fraction(5, 8), Fraction(3, 8)], [Fraction(1, 12), Fraction(11, 12)]]
    assert (cascade.inputs, cascade.outputs) == (FIRST.inputs, SECOND.outputs)
    assert not (FIRST @ SECOND.to_float()).is_exact
    with pytest.raises(InputError) as caught:
        SECOND @ FIRST @ FIRST
    assert str(caught.value) == "A cascade needs as many outputs (3) as the next channel has rows (2)."


def test_parallel() -> None:
    both = FIRST.parallel(Channel([[1, 0], ["1/4", "3/4"]], outputs=["u", "v"]))
    assert both.outputs == ("(a,u)", "(a,v)", "(b,u)", "(b,v)", "(c,u)", "(c,v)")
    assert both.matrix.tolist() == [
        [HALF, 0, HALF, 0, 0, 0],
        [0, 0, Fraction(1, 12), Fraction(1, 4), Fraction(1, 6), HALF],
    ]
    with pytest.raises(InputError) as caught:
        FIRST.parallel(SECOND)
    assert str(caught.value) == "Channels in parallel need one domain, got 2 and 3 secrets."
