"""Counting kernels: equal to plain NumPy on `supports`, at every width, number of rows and classes of size."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.entropy import WORD
from qifldp.collection.hashing import HashMechanism
from qifldp.collection.kernels import bits as bit_kernels
from qifldp.collection.kernels import subsets as subset_kernels
from qifldp.collection.mechanism import Mechanism, Rows
from qifldp.collection.subsets import SubsetMechanism

DOMAIN_SIZES = [2, 3, 7, 8, 9, 63, 64, 65, 100, 1000, 1024, 1025]
NUMBERS = [0, 1, 2, 15, 16, 17, 1000]
HALF = WORD // 2


def frozen(rows: Rows) -> Rows:
    """Return rows that cannot be written to, as Arrow's are."""
    rows.setflags(write=False)
    return rows


def mechanisms(k: int) -> list[Mechanism]:
    """Return one of each layout: bits, sets as bits and listed, hashes of few and of many buckets."""
    found: list[Mechanism] = [UnaryMechanism(k, HALF, WORD // 3), SubsetMechanism(k, WORD // 5 * 4, 1)]
    found.append(SubsetMechanism(k, WORD // 7 * 6, (k + 1) // 2))
    found.append(SubsetMechanism(k, WORD // 7 * 6, max(1, k // 40)))
    found.extend(HashMechanism(k, WORD // 7 * 6, g) for g in (2, 3, 5, 256, 257, 70_000))
    return found


def expected(
    mechanism: Mechanism, rows: Rows, class_of: NDArray[np.uint16], classes: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the table of counts and the totals, by plain NumPy."""
    supports = mechanism.supports(rows)
    found = class_of[supports.sum(axis=1)]
    table = np.zeros((classes, mechanism.domain_size), np.int64)
    np.add.at(table, found, supports)
    return table, np.bincount(found, minlength=classes)


@pytest.mark.parametrize("k", DOMAIN_SIZES)
@pytest.mark.parametrize("n", NUMBERS)
def test_counts_are_those_of_the_supports(k: int, n: int) -> None:
    rng = np.random.default_rng(k)
    for mechanism in mechanisms(k):
        rows = frozen(mechanism.draw(rng.integers(0, k, n), rng))
        table = np.full((1, k), 5, np.int64)
        totals = mechanism.count(rows, np.zeros(k + 1, np.uint16), table)
        np.testing.assert_array_equal(table[0], 5 + mechanism.supports(rows).sum(axis=0))
        np.testing.assert_array_equal(totals, [n])


@pytest.mark.parametrize("k", DOMAIN_SIZES)
@pytest.mark.parametrize("n", NUMBERS)
def test_counts_by_size_are_those_of_the_supports(k: int, n: int) -> None:
    rng = np.random.default_rng(k)
    classings = [(2, (np.arange(k + 1) * 2 > k).astype(np.uint16)), (k + 1, np.arange(k, -1, -1, dtype=np.uint16))]
    for mechanism in mechanisms(k):
        if mechanism.fixed_size is not None:
            continue  # there is one class
        rows = frozen(mechanism.draw(rng.integers(0, k, n), rng))
        for classes, class_of in classings:
            table = np.full((classes, k), 5, np.int64)
            totals = mechanism.count(rows, class_of, table)
            right, right_totals = expected(mechanism, rows, class_of, classes)
            np.testing.assert_array_equal(table, 5 + right)
            np.testing.assert_array_equal(totals, right_totals)


@pytest.mark.parametrize("k", [9, 1025])
def test_one_class_among_several_takes_all_rows(k: int) -> None:
    rng = np.random.default_rng(k)
    mechanism = UnaryMechanism(k, HALF, WORD // 3)
    rows = mechanism.draw(rng.integers(0, k, 100), rng)
    table, totals = np.zeros((3, k), np.int64), np.zeros(3, np.int64)
    bit_kernels.count_by_size(rows, np.ones(k + 1, np.uint16), table, totals)
    np.testing.assert_array_equal(table, [np.zeros(k), mechanism.supports(rows).sum(axis=0), np.zeros(k)])
    np.testing.assert_array_equal(totals, [0, 100, 0])


@pytest.mark.parametrize(("k", "n"), [(9, 5000), (129, 40_000)])
def test_sums_of_bytes_are_emptied_in_time(k: int, n: int) -> None:
    """All bits set: every sum of bytes reaches its largest, and more than one block is counted."""
    rows = np.full((n, (k + 7) // 8), 0xFF, np.uint8)
    rows[:, -1] = 0xFF >> (-k % 8)
    counts = np.zeros(k, np.int64)
    bit_kernels.count(rows, counts)
    np.testing.assert_array_equal(counts, n)
    table, totals = np.zeros((2, k), np.int64), np.zeros(2, np.int64)
    bit_kernels.count_by_size(rows, (np.arange(k + 1) == k).astype(np.uint16), table, totals)
    np.testing.assert_array_equal(table, [np.zeros(k), np.full(k, n)])
    np.testing.assert_array_equal(totals, [0, n])


@pytest.mark.parametrize("g", [2, 3, 1000])
def test_blocks_of_hashed_reports_are_joined(g: int) -> None:
    """More reports than a block holds, plain and sorted."""
    rng = np.random.default_rng(g)
    k, n = 1000, 40_000
    mechanism = HashMechanism(k, WORD // 7 * 6, g)
    rows = frozen(mechanism.draw(rng.integers(0, k, n), rng))
    plain = np.zeros((1, k), np.int64)
    mechanism.count(rows, np.zeros(k + 1, np.uint16), plain)
    class_of = np.arange(k + 1, dtype=np.uint16)
    table = np.zeros((k + 1, k), np.int64)
    totals = mechanism.count(rows, class_of, table)
    right, right_totals = expected(mechanism, rows, class_of, k + 1)
    np.testing.assert_array_equal(table, right)
    np.testing.assert_array_equal(totals, right_totals)
    np.testing.assert_array_equal(plain[0], right.sum(axis=0))


def test_a_slice_of_rows_of_odd_width_is_counted() -> None:
    """Rows of 17 bytes that start anywhere in memory."""
    rng = np.random.default_rng(1)
    mechanism = HashMechanism(100, WORD // 7 * 6, 4)
    rows = mechanism.draw(rng.integers(0, 100, 50), rng)[3:]
    table = np.zeros((1, 100), np.int64)
    mechanism.count(rows, np.zeros(101, np.uint16), table)
    np.testing.assert_array_equal(table[0], mechanism.supports(rows).sum(axis=0))


def test_reports_that_no_client_sends_write_nothing_beyond_the_tables() -> None:
    table, totals = np.zeros((2, 4), np.int64), np.zeros(2, np.int64)
    with pytest.raises(ValueError, match=r"^bits beyond the domain are set$"):
        bit_kernels.count_by_size(np.full((1, 1), 0xFF, np.uint8), np.zeros(5, np.uint16), table, totals)
    with pytest.raises(ValueError, match=r"^a value outside the domain$"):
        subset_kernels.count_listed(np.full((1, 1), 4, np.uint8), 1, table[0])
    assert not table.any()
    assert not totals.any()
