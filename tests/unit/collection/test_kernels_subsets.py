"""Drawing sets of a fixed size: the exact law of whole sets in both layouts, simulated and from entropy."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import comb

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import chi2, norm

from qifldp.collection import subsets
from qifldp.collection.entropy import WORD, Entropy
from qifldp.collection.kernels.subsets import count_listed, draw_bits, draw_listed
from qifldp.collection.mechanism import Rows
from qifldp.collection.subsets import SubsetMechanism, index_bytes

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""

Draw = Callable[[NDArray[np.int64], int, int, int], NDArray[np.bool_]]


def listed_rows(values: NDArray[np.int64], p: int, k: int, size: int) -> Rows:
    rows = np.full((len(values), size * index_bytes(k)), 0xAA, np.uint8)
    draw_listed(values, np.uint64(p), k, size, np.array([1, 2, 3, 4], np.uint64), rows)
    return rows


def listed(values: NDArray[np.int64], p: int, k: int, size: int) -> NDArray[np.bool_]:
    """Draw listed members, and return them as booleans."""
    mechanism = SubsetMechanism(k, p, size)
    members = mechanism.members(listed_rows(values, p, k, size))
    assert (np.diff(members, axis=1) > 0).all()
    found = np.zeros((len(values), k), bool)
    np.put_along_axis(found, members, True, axis=1)
    return found


def as_bits(values: NDArray[np.int64], p: int, k: int, size: int) -> NDArray[np.bool_]:
    """Draw packed bits, and return them as booleans."""
    rows = np.full((len(values), (k + 7) // 8), 0xAA, np.uint8)
    draw_bits(values, np.uint64(p), k, size, np.array([1, 2, 3, 4], np.uint64), rows)
    found = np.unpackbits(rows, axis=1, bitorder="little").astype(bool)
    assert not found[:, k:].any()
    return found[:, :k]


def securely(values: NDArray[np.int64], p: int, k: int, size: int) -> NDArray[np.bool_]:
    """Draw from entropy, in the layout that the mechanism has, and return booleans."""
    mechanism = SubsetMechanism(k, p, size)
    rows = mechanism.draw_securely(values, Entropy(np.random.default_rng(1).bytes))
    assert not mechanism.faults(rows).any()
    return mechanism.supports(rows)


LAYOUTS = pytest.mark.parametrize("draw", [listed, as_bits, securely])


@LAYOUTS
@pytest.mark.parametrize(("k", "size"), [(5, 1), (5, 2), (5, 3), (5, 4), (2, 1), (9, 2)])
@pytest.mark.parametrize("p", [0.3, 0.7])
def test_whole_sets_have_their_law(draw: Draw, k: int, size: int, p: float) -> None:
    n, value = 100_000, k // 2
    found = draw(np.full(n, value), int(p * WORD), k, size) @ (1 << np.arange(k))
    sets = [(sum(1 << at for at in members), value in members) for members in combinations(range(k), size)]
    observed = np.array([(found == code).sum() for code, _ in sets])
    assert observed.sum() == n  # each is a set of the right size

    def fit(p: float) -> float:
        chances = [p / comb(k - 1, size - 1) if own else (1 - p) / comb(k - 1, size) for _, own in sets]
        expected = n * np.array(chances)
        assert expected.min() > 20
        return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), len(sets) - 1))

    assert fit(p) > FALSE_ALARM
    assert fit(p * 1.3) < FALSE_ALARM
    assert fit(p * 0.7) < FALSE_ALARM


@LAYOUTS
@pytest.mark.parametrize(
    ("k", "size"), [(1000, 20), (1024, 275), (1025, 30), (1025, 1000), (1025, 1024), (3000, 2), (2500, 1)]
)
def test_members_of_large_sets_are_uniform(draw: Draw, k: int, size: int) -> None:
    """For uniform w-subsets of m the counts have covariance n · f(1 − f)m / (m − 1) · (I − J / m), f = w / m."""
    n, value, p = 20_000, k - 1, 0.5
    found = draw(np.full(n, value), WORD // 2, k, size)
    assert (found.sum(axis=1) == size).all()
    own = found[:, value]
    bound = norm.isf(FALSE_ALARM / 2) * np.sqrt(n / 4)
    assert abs(own.sum() - n * p) < bound
    assert abs(own.sum() - n * p * 1.3) > bound
    for given in (True, False):
        wanted, m = size - given, k - 1
        if wanted in (0, m):
            continue
        counts, rows = found[own == given].sum(axis=0)[:-1], int((own == given).sum())
        f = wanted / m
        statistic = ((counts - rows * f) ** 2).sum() / (rows * f * (1 - f) * m / (m - 1))
        assert FALSE_ALARM / 2 < chi2.sf(statistic, m - 1) < 1 - FALSE_ALARM / 2
        tilted = rows * f * np.where(np.arange(m) < m // 2, 1.3, 0.7)  # a first half that is preferred
        if rows * f > 5:
            assert ((counts - tilted) ** 2).sum() / (rows * f * (1 - f) * m / (m - 1)) > chi2.isf(FALSE_ALARM, m - 1)


@pytest.mark.parametrize(("k", "size"), [(300, 1), (70_000, 1), (70_000, 3), (70_000, 100), (1 << 24 | 1, 2)])
def test_members_of_several_bytes(k: int, size: int) -> None:
    rng = np.random.default_rng(1)
    values = rng.integers(0, k, 500)
    mechanism = SubsetMechanism(k, WORD // 2, size)
    rows = mechanism.draw(values, rng)
    assert not mechanism.faults(rows).any()
    members = mechanism.members(rows)
    kept = int((members == values[:, None]).any(axis=1).sum())
    assert abs(kept - 250) < norm.isf(FALSE_ALARM / 2) * np.sqrt(125)
    assert members.max() > 0.9 * k
    counts = np.zeros(k, np.int64)
    count_listed(rows, mechanism.item_bytes, counts)
    np.testing.assert_array_equal(counts, np.bincount(members.ravel(), minlength=k))


@LAYOUTS
@pytest.mark.parametrize(("k", "size"), [(2, 1), (9, 4), (1025, 1), (1025, 300)])
def test_probabilities_next_to_zero_and_one(draw: Draw, k: int, size: int) -> None:
    """A chance of 2⁻⁶⁴ is not met in 10⁴ draws: the false alarm is below 10⁻¹⁵."""
    values = np.arange(10_000) % k
    for p, own in ((1, False), (WORD - 1, True)):
        found = draw(values, p, k, size)
        assert (found[np.arange(len(values)), values] == own).all()
        assert (found.sum(axis=1) == size).all()


@pytest.mark.parametrize("size", [1, 20, 400, 900])
@pytest.mark.parametrize("at_once", [1, 900, 2500])
def test_reports_that_are_drawn_in_parts_are_on_their_own_values(
    monkeypatch: pytest.MonkeyPatch, size: int, at_once: int
) -> None:
    monkeypatch.setattr(subsets, "AT_ONCE", at_once)
    values = np.arange(100) * 10
    found = securely(values, WORD - 1, 1000, size)
    assert found[np.arange(100), values].all()
    assert (found.sum(axis=1) == size).all()


@pytest.mark.parametrize(("k", "size"), [(100_000, 3_000), (100_000, 27_000), (100_000, 49_000), (100_000, 99_000)])
def test_entropy_is_asked_for_a_few_times_a_report(k: int, size: int) -> None:
    """Once for each round: of what is missing, at most half is met again, so that some twenty rounds are enough."""
    asked: list[int] = []

    def source(count: int) -> bytes:
        asked.append(count)
        return np.random.default_rng(len(asked)).bytes(count)

    SubsetMechanism(k, WORD // 2, size).draw_securely([7], Entropy(source))
    assert len(asked) < 60
    assert sum(asked) < 4 * 2 * k


@pytest.mark.parametrize("k", [200, 70_000])
@pytest.mark.parametrize("size", [1, 3])
def test_members_are_checked_one_by_one(k: int, size: int) -> None:
    """As the members say, read by other means; the largest that bytes can hold among them."""
    mechanism, rng = SubsetMechanism(k, WORD // 2, size), np.random.default_rng(1)
    rows = rng.integers(0, 256, (5000, mechanism.width), np.uint8)
    rows[:1000] = 0xFF
    rows[1000:2000] = 0
    rows[2000:3000] = mechanism.draw(rng.integers(0, k, 1000), rng)
    members = mechanism.members(rows)
    expected = np.where((np.diff(members, axis=1) <= 0).any(axis=1), 4, 0)
    expected[(members >= k).any(axis=1)] = 3
    assert mechanism.faults(rows).tolist() == expected.tolist()
    assert set(expected.tolist()) == ({0, 3} if size == 1 else {0, 3, 4})


@pytest.mark.parametrize("size", [1, 20, 400])
def test_one_seed_gives_one_result(size: int) -> None:
    mechanism = SubsetMechanism(1000, WORD // 2, size)
    values = np.arange(100_000) % 1000
    rows = mechanism.draw(values, np.random.default_rng(1))
    np.testing.assert_array_equal(rows, mechanism.draw(values, np.random.default_rng(1)))
    assert (rows != mechanism.draw(values, np.random.default_rng(2))).any()
    assert (rows[:34_000] != rows[66_000:]).any()  # the blocks' streams differ
