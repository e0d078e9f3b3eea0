"""The abstract form: zero columns dropped, proportional columns merged, nothing else."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.brute_force import abstract_channel
from qifldp.channels.channel import Channel
from qifldp.channels.reduction import merge_proportional


def test_zero_columns_go_and_proportional_ones_are_one() -> None:
    channel = Channel(
        [["1/2", 0, "1/4", "1/4"], ["1/4", 0, "1/8", "5/8"]], outputs=["left", "never", "left too", "right"]
    )
    reduced = channel.reduced()
    assert sorted(reduced.outputs) == ["left|left too", "right"]
    assert reduced.matrix[:, reduced.outputs.index("left|left too")].tolist() == [Fraction(3, 4), Fraction(3, 8)]
    assert reduced.inputs == channel.inputs
    assert reduced.reduced().matrix.tolist() == reduced.matrix.tolist()


small_rows = st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any)


@given(st.lists(small_rows, min_size=2, max_size=3), st.permutations(range(4)))
@settings(max_examples=100)
def test_reduced_matrix_is_the_abstract_channel(rows: list[list[int]], order: list[int]) -> None:
    exact = [[Fraction(entry, sum(row)) for entry in row] for row in rows]
    channel, shuffled = Channel(exact), Channel([[row[index] for index in order] for row in exact])
    expected = abstract_channel(exact)
    matrix = channel.reduced().matrix
    masses = matrix.sum(axis=0) / len(exact)
    assert {tuple(column / column.sum()): mass for column, mass in zip(matrix.T, masses, strict=True)} == expected
    assert matrix.shape[1] == len(expected)
    assert shuffled.reduced().matrix.tolist() == matrix.tolist()


def test_rational_columns_merge_only_if_exactly_proportional() -> None:
    tiny = Fraction(1, 10**40)
    exact = Channel([["1/2", "1/2"], [Fraction(1, 2) + tiny, Fraction(1, 2) - tiny]])
    assert len(exact.reduced().outputs) == 2
    assert len(Channel([["1/2", "1/2"], ["1/2", "1/2"]]).reduced().outputs) == 1


def test_float_columns_merge_within_rounding_only() -> None:
    apart = 2.0**-46  # a relative 2^-45 between posteriors: sixteen times what roundings can do
    near, far = np.array([[0.5, 0.5], [0.5 + 2**-53, 0.5 - 2**-53]]), np.array([[0.5, 0.5], [0.5 + apart, 0.5 - apart]])
    assert merge_proportional(near) == [[0, 1]]
    assert sorted(merge_proportional(far)) == [[0], [1]]


@pytest.mark.parametrize("scale", [1e-300, 1e-16, 1.0])
def test_rounded_multiples_of_a_column_are_merged(scale: float) -> None:
    column = np.array([0.1, 0.7, 0.3])
    columns = [column * share * scale for share in (0.3, 1 / 7, 0.011, 0.9)]
    other = np.array([0.2, 0.2, 0.6]) * scale
    assert sorted(map(sorted, merge_proportional(np.stack([*columns, other], axis=1)))) == [[0, 1, 2, 3], [4]]


def test_a_zero_is_not_a_small_number() -> None:
    matrix = np.array([[0.5, 0.5], [0.0, 1e-300], [0.5, 0.5]])
    assert sorted(merge_proportional(matrix)) == [[0], [1]]
