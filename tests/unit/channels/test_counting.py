"""Binomial and hypergeometric masses against exact counts."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from flint import arb, fmpq

from oracles.balls import real
from qifldp.channels.counting import hypergeometric_masses, log_binomial_masses

ACCURATE = 2e-14
"""Absolute, of a logarithm that adds up a few hundred others, and relative of a mass in the bulk."""


def log_of(value: Fraction) -> float:
    return float(arb(fmpq(value.numerator, value.denominator)).log().mid())


@pytest.mark.parametrize("chance", [Fraction(1, 2), Fraction(1, 3), Fraction(1, 1000), Fraction(999, 1000)])
@pytest.mark.parametrize("trials", [1, 2, 7, 300])
def test_binomial_masses(trials: int, chance: Fraction) -> None:
    found = log_binomial_masses(trials, log_of(chance), log_of(1 - chance))
    expected = [comb(trials, w) * chance**w * (1 - chance) ** (trials - w) for w in range(trials + 1)]
    assert found.shape == (trials + 1,)
    for log_mass, mass in zip(found, expected, strict=True):
        assert log_mass == pytest.approx(log_of(mass), rel=ACCURATE, abs=ACCURATE)


def test_binomial_tails_that_leave_the_doubles_keep_their_logarithm() -> None:
    found = log_binomial_masses(1000, -700.0, float(-(1 - (-real(700)).exp()).log().mid()))
    assert found[1000] == pytest.approx(-700_000, rel=1e-14)  # q^1000, the only term
    assert found[0] == pytest.approx(0, abs=1e-300)


@pytest.mark.parametrize(
    ("population", "marked", "drawn"), [(10, 3, 4), (10, 10, 4), (10, 3, 0), (10, 9, 9), (60, 30, 30), (500, 3, 250)]
)
def test_hypergeometric_masses(population: int, marked: int, drawn: int) -> None:
    first, found = hypergeometric_masses(population, marked, drawn)
    low, high = max(0, drawn + marked - population), min(drawn, marked)
    assert (first, first + found.size - 1) == (low, high)
    for j, mass in enumerate(found, start=first):
        exact = Fraction(comb(marked, j) * comb(population - marked, drawn - j), comb(population, drawn))
        assert mass == pytest.approx(float(exact), rel=ACCURATE)


def test_hypergeometric_bulk_of_a_large_population() -> None:
    population, marked, drawn = 40_000, 20_000, 20_000
    first, found = hypergeometric_masses(population, marked, drawn)
    mode = 10_000
    exact = Fraction(comb(marked, mode) ** 2, 1) / comb(population, drawn)
    assert found[mode - first] == pytest.approx(float(exact), rel=1e-12)
    assert found.size < 2_000
    assert float(np.sum(found)) == pytest.approx(1, abs=1e-13)
    assert found[0] < 1e-30
    assert math.fsum(found * (np.arange(first, first + found.size) - mode)) == pytest.approx(0, abs=1e-8)
