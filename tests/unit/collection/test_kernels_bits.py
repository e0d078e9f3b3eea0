"""Drawing unary reports: the exact law of whole reports, to the last binary digit of the probabilities."""

from __future__ import annotations

from itertools import product
from math import prod

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.entropy import WORD
from qifldp.collection.kernels.bits import draw
from qifldp.collection.mechanism import ROWS_A_STREAM, Rows

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""


def drawn(values: NDArray[np.int64], p: int, q: int, k: int, seed: int = 1) -> Rows:
    rows = np.full((len(values), (k + 7) // 8), 0xAA, np.uint8)
    state = np.array([seed, 2, 3, 4], np.uint64)
    draw(values, np.uint64(p), np.uint64(q), k, state, rows)
    return rows


def fit(rows: Rows, value: int, p: float, q: float, k: int) -> float:
    """Return the probability of a worse chi-square fit of whole reports of one byte to p and q."""
    observed = np.bincount(rows[:, 0], minlength=1 << k)
    assert len(observed) == 1 << k  # padding is zero
    chances = []
    for bits in product((0, 1), repeat=k):
        given = [(p if at == value else q) for at in range(k)]
        chances.append(prod(c if bit else 1 - c for c, bit in zip(given, reversed(bits), strict=True)))
    law = np.array([chances[report] for report in range(1 << k)])
    # bits are read from the highest, so the report is the number that they spell
    expected = len(rows) * law
    assert expected.min() > 20
    return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(law) - 1))


@pytest.mark.parametrize(("p", "q"), [(0.5, 0.25), (0.7, 0.3), (0.2, 0.6), (0.55, 1 / 16 + 2.0**-30)])
@pytest.mark.parametrize("value", [0, 1, 2])
def test_whole_reports_have_their_law(p: float, q: float, value: int) -> None:
    rows = drawn(np.full(200_000, value), int(p * WORD), int(q * WORD), 3)
    assert fit(rows, value, p, q, 3) > FALSE_ALARM
    for wrong in (0.7, 1.3):
        assert fit(rows, value, p * wrong, q, 3) < FALSE_ALARM
        assert fit(rows, value, p, q * wrong, 3) < FALSE_ALARM


@pytest.mark.parametrize("k", [64, 100, 1024, 1025])
@pytest.mark.parametrize("q", [2.0**-10 + 2.0**-64, 0.3, 1 - 2.0**-10])
def test_every_bit_has_its_probability(k: int, q: float) -> None:
    """The sum of squared standard scores of independent bits is chi-square."""
    n = 60_000
    values = np.arange(n) % k
    rows = drawn(values, WORD // 3, int(q * WORD), k)
    set_bits = np.unpackbits(rows, axis=1, bitorder="little").astype(bool)
    assert not set_bits[:, k:].any()
    own = set_bits[np.arange(n), values]
    set_bits[np.arange(n), values] = False
    trials = n - np.bincount(values, minlength=k)

    def scores(chance: float) -> float:
        return float(((set_bits.sum(axis=0)[:k] - trials * chance) ** 2 / (trials * chance * (1 - chance))).sum())

    assert FALSE_ALARM / 2 < chi2.sf(scores(q), k) < 1 - FALSE_ALARM / 2
    assert chi2.sf(scores(q * 1.3 if q < 0.7 else q * 0.7), k) < FALSE_ALARM
    bound = norm.isf(FALSE_ALARM / 2) * np.sqrt(n * 2 / 9)
    assert abs(own.sum() - n / 3) < bound
    assert abs(own.sum() - n / 3 * 1.3) > bound


@pytest.mark.parametrize("k", [2, 9, 1024, 1025])
def test_probabilities_next_to_zero_and_one(k: int) -> None:
    """A bit of chance 2⁻⁶⁴ is not seen in 10⁷ draws, nor its complement: the false alarm is below 10⁻¹²."""
    n = 10_000
    values = np.arange(n) % k
    own = np.zeros((n, k), bool)
    own[np.arange(n), values] = True
    for p, q, right in ((WORD - 1, 1, own), (1, WORD - 1, ~own), (1, 1, own & False), (WORD - 1, WORD - 1, own | True)):
        found = np.unpackbits(drawn(values, p, q, k), axis=1, bitorder="little").astype(bool)
        np.testing.assert_array_equal(found[:, :k], right)
        assert not found[:, k:].any()


@pytest.mark.parametrize("place", [0, 1, 13, 62, 63])
def test_the_last_binary_digit_counts(place: int) -> None:
    """A state of zeros gives words of zeros, so that U = 0: below any chance but 0."""
    values = np.array([0, 5, 99])
    rows = np.zeros((3, 13), np.uint8)
    draw(values, np.uint64(1 << place), np.uint64(1 << place), 100, np.zeros(4, np.uint64), rows)
    assert np.unpackbits(rows, axis=1, count=100, bitorder="little").all()
    assert not (rows[:, -1] & 0xF0).any()
    draw(values, np.uint64(0), np.uint64(0), 100, np.zeros(4, np.uint64), rows)
    assert not rows.any()


def test_one_seed_gives_one_result_and_blocks_are_independent() -> None:
    """Bits of two blocks, and of two words of a report, agree as often as independent ones do."""
    k, q = 128, 0.3
    mechanism = UnaryMechanism(k, WORD // 2, int(q * WORD))
    values = np.zeros(2 * ROWS_A_STREAM, np.int64)
    rows = mechanism.draw(values, np.random.default_rng(1))
    np.testing.assert_array_equal(rows, mechanism.draw(values, np.random.default_rng(1)))
    assert (rows != mechanism.draw(values, np.random.default_rng(2))).any()
    bits = np.unpackbits(rows, axis=1, bitorder="little")[:, 1:]
    first, second = bits[:ROWS_A_STREAM], bits[ROWS_A_STREAM:]
    for left, right in ((first, second), (bits[:-1], bits[1:]), (bits[:, :63], bits[:, 63:126])):
        agreed, n, alike = int((left == right).sum()), left.size, q**2 + (1 - q) ** 2
        # agreements are pairwise nearly independent: neighbours share bits, which at most triples the variance
        assert abs(agreed - n * alike) < norm.isf(FALSE_ALARM / 2) * np.sqrt(3 * n * alike * (1 - alike))
        assert agreed < n * 0.9  # what a repeated stream would pass
