"""Priors: exact or float, checked, and refused in one sentence."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from qifldp.adversaries.prior import Prior
from qifldp.errors import InputError


@pytest.mark.parametrize(
    ("probabilities", "sentence"),
    [
        ([0.5, 0.6], "The probabilities of a prior must sum to one, but they sum to 1.1."),
        ([Fraction(1, 2), "1/3"], "The probabilities of a prior must sum to one, but they sum to 5/6."),
        ([-0.5, 1.5], "A prior must have probabilities only, but entry 0 is -0.5."),
        ([2, -1], "A prior must have probabilities only, but entry 1 is -1."),
        ([math.nan, 1.0], "A prior must have probabilities only, but entry 0 is nan."),
        ([math.inf, 1.0], "The probabilities of a prior must sum to one, but they sum to inf."),
        ([], "A prior must be a list of probabilities, one for each secret."),
        ([[1]], "A prior must be a list of probabilities, one for each secret."),
        (np.eye(2), "A prior must be a list of probabilities, one for each secret."),
        (["a", 0.5], "A prior must hold numbers, or exact text such as '1/3' throughout, got 'a'."),
        (["a"], "a probability must be a finite number such as 0.75 or 3/4, got 'a'."),
    ],
)
def test_what_is_no_distribution(probabilities: list[object], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        Prior(probabilities)
    assert str(caught.value) == sentence


def test_printed_probabilities_are_rescaled_and_forgotten_ones_refused() -> None:
    printed = Prior([0.3333333333, 0.3333333333, 0.3333333333])
    assert math.fsum(printed.probabilities) == 1
    with pytest.raises(InputError):
        Prior([0.5, 0.5 + 2e-9])


def test_exact_and_float_priors() -> None:
    assert Prior(["1/3", "2/3"]).is_exact
    assert Prior([1, 0]).is_exact
    assert not Prior([0.5, 0.5]).is_exact
    assert not Prior([Fraction(1, 2), 0.5]).is_exact
    assert Prior(["1/3", "2/3"]).probabilities.tolist() == [Fraction(1, 3), Fraction(2, 3)]
    with pytest.raises(ValueError, match="read-only"):
        Prior([1, 0]).probabilities[0] = 0


def test_uniform() -> None:
    assert Prior.uniform(3, exact=True).probabilities.tolist() == [Fraction(1, 3)] * 3
    assert Prior.uniform(3).is_uniform
    assert Prior.uniform(7).probabilities == pytest.approx([1 / 7] * 7, rel=1e-15)
    assert not Prior([0.4, 0.6]).is_uniform
    with pytest.raises(InputError) as caught:
        Prior.uniform(0)
    assert str(caught.value) == "domain size must be positive, got 0."


def test_zipf() -> None:
    assert Prior.zipf(3).probabilities == pytest.approx([6 / 11, 3 / 11, 2 / 11], rel=1e-15)
    assert Prior.zipf(3, 2).probabilities == pytest.approx([36 / 49, 9 / 49, 4 / 49], rel=1e-15)
    assert Prior.zipf(4, 0).is_uniform
    for exponent in (-1, math.nan, math.inf):
        with pytest.raises(InputError) as caught:
            Prior.zipf(3, exponent)
        assert str(caught.value) == f"Zipf exponent must be finite and not negative, got {exponent}."


def test_counts() -> None:
    exact = Prior.from_counts([1, 0, 3], labels=["a", "b", "c"], exact=True)
    assert exact.probabilities.tolist() == [Fraction(1, 4), 0, Fraction(3, 4)]
    assert exact.labels == ("a", "b", "c")
    assert Prior.from_counts(np.array([1, 3])).probabilities.tolist() == [0.25, 0.75]
    for counts in ([0, 0], [-1, 2], []):
        with pytest.raises(InputError) as caught:
            Prior.from_counts(counts)
        assert str(caught.value) == "Counts must be non-negative numbers that are not all zero."
    with pytest.raises(InputError) as caught:
        Prior.from_counts(["many"])
    assert str(caught.value) == "a count must be a finite number such as 0.75 or 3/4, got 'many'."


def test_length_and_labels() -> None:
    with pytest.raises(InputError) as caught:
        Prior([1, 0]).for_domain(3)
    assert str(caught.value) == "The prior must have one probability for each of the 3 secrets, got 2."
    with pytest.raises(InputError) as caught:
        Prior([1, 0], labels=["x"])
    assert str(caught.value) == "A prior over 2 secrets needs as many labels, got 1."
    assert Prior([1, 0], labels=["x", "y"]) != Prior([1, 0])
    assert Prior([1, 0]) == Prior([1, 0])
    assert Prior([1, 0]) != Prior([0, 1])
