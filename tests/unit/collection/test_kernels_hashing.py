"""Local hashing: the frozen family, the law of buckets, and how near to ideal the sizes of supports are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, chi2, norm

from qifldp.collection.entropy import WORD
from qifldp.collection.hashing import HashMechanism, scatter
from qifldp.collection.kernels.hashing import count_by_size, draw
from qifldp.collection.mechanism import Rows

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""

FROZEN = [
    (0x1, 0x0, 2, 0, 0),
    (0x1, 0x0, 2, 1, 0),
    (0x100000000, 0x0, 256, 1, 159),
    (0x0, 0xFFFFFFFFFFFFFFFF, 5, 9, 4),
    (0xFFFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF, 3, 1000, 2),
    (0x91B7584A2265B1F5, 0xCD613E30D8F16ADF, 2, 0, 1),
    (0x1027C4D1C386BBC4, 0x1E2FEB89414C343C, 2, 5, 0),
    (0xC2CE6F447ED4D57B, 0x78E510617311D8A3, 3, 1, 2),
    (0x612E7696A6CECC1B, 0x35BF992DC9E9C616, 4, 1023, 0),
    (0x7CE42C8218072E8C, 0xE4B06CE60741C7A8, 4, 7, 3),
    (0x63CA828DD5F4B3B2, 0x9B810E766EC9D286, 7, 100, 4),
    (0xC4647159C324C985, 0xB2221A58008A05A6, 16, 255, 4),
    (0x442E3D437204E52D, 0xCD447E35B8B6D8FE, 256, 256, 88),
    (0x9755D4C13A902931, 0x1A2B8F1FF1FD42A2, 257, 4095, 218),
    (0x51431193E6C3F339, 0x5B6E6E307D4BEDC, 1000, 65535, 578),
    (0xA648A7DD06839EB9, 0x25B413F8A9A021E, 65537, 3, 41272),
    (0xE1988AD9F06C144A, 0xAFBD67F9619699CF, 2147483648, 999, 1939018314),
]
"""a, b, g, x and h(x). Reports that are stored depend on these: they never change."""


def plain_hash(a: int, b: int, g: int, x: int) -> int:
    """Return h(x) by plain integers, as the docstring of :mod:`qifldp.collection.hashing` says."""
    z = (x + 0x9E3779B9) % (1 << 32)
    z ^= z >> 16
    z = z * 0x7FEB352D % (1 << 32)
    z ^= z >> 15
    z = z * 0x846CA68B % (1 << 32)
    z ^= z >> 16
    return g * ((a * z + b) % WORD >> 32) >> 32


def packed(a: int, b: int, bucket: int, width: int) -> Rows:
    """Return one report."""
    data = a.to_bytes(8, "little") + b.to_bytes(8, "little") + bucket.to_bytes(width - 16, "little")
    return np.frombuffer(data, np.uint8).reshape(1, width)


@pytest.mark.parametrize(("a", "b", "g", "x", "bucket"), FROZEN)
def test_the_family_is_frozen(a: int, b: int, g: int, x: int, bucket: int) -> None:
    assert plain_hash(a, b, g, x) == bucket
    mechanism = HashMechanism(x + 1, WORD // 2 + 1, g)
    found = mechanism.hashes(np.array([a], np.uint64), np.array([b], np.uint64), np.array([x]))
    assert found.tolist() == [bucket]
    for other in {bucket, (bucket + 1) % g, 0, g - 1}:
        table = np.zeros((1, x + 1), np.int64)
        mechanism.count(packed(a, b, other, mechanism.width), np.zeros(x + 2, np.uint16), table)
        assert table[0, x] == (other == bucket)


@pytest.mark.parametrize("g", [2, 3, 4, 7, 256, 257, (1 << 16) + 1, 1 << 31])
def test_counts_are_those_of_plain_integers(g: int) -> None:
    """Words at both ends of a bucket too: with a = 0 the word is b."""
    k = 70
    mechanism = HashMechanism(k, WORD // 2 + 1, g)
    rng = np.random.default_rng(g)
    reports = [(int(rng.integers(WORD, dtype=np.uint64)), int(rng.integers(WORD, dtype=np.uint64))) for _ in range(20)]
    for bucket in {0, 1, g // 2, g - 1}:
        low, high = -(-(bucket << 32) // g) << 32, -(-(bucket + 1 << 32) // g) << 32
        ends = [(0, low), (0, (low - 1) % WORD), (0, high - 1), (0, high % WORD)]
        for a, b in reports + ends:
            table = np.zeros((1, k), np.int64)
            mechanism.count(packed(a, b, bucket, mechanism.width), np.zeros(k + 1, np.uint16), table)
            assert table[0].tolist() == [int(plain_hash(a, b, g, x) == bucket) for x in range(k)]
        for end, inside in zip(ends, (True, False, True, False), strict=True):
            assert (plain_hash(*end, g, 0) == bucket) == inside


def drawn(p: int, g: int, n: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Rows]:
    """Return the true buckets and those reported, of reports of all values of a domain of 100."""
    mechanism = HashMechanism(100, p, g)
    values = np.arange(n) % 100
    rows = np.full((n, mechanism.width), 0xAA, np.uint8)
    draw(values, scatter(100), g, np.uint64(p), np.array([1, 2, 3, 4], np.uint64), rows)
    assert not mechanism.faults(rows).any()
    a, b, bucket = mechanism.unpack(rows)
    return mechanism.hashes(a, b, values).astype(np.int64), bucket.astype(np.int64), rows


@pytest.mark.parametrize("g", [2, 3, 4, 7])
@pytest.mark.parametrize("p", [0.4, 0.7])
def test_true_and_reported_buckets_have_their_law(p: float, g: int) -> None:
    n = 200_000
    own, bucket, _ = drawn(int(p * WORD), g, n)
    observed = np.bincount(own * g + bucket, minlength=g * g).reshape(g, g)

    def fit(p: float) -> float:
        expected = n / g * np.where(np.eye(g, dtype=bool), p, (1 - p) / (g - 1))
        return float(chi2.sf(((observed - expected) ** 2 / expected).sum(), g * g - 1))

    assert fit(p) > FALSE_ALARM
    assert fit(p * 1.3) < FALSE_ALARM
    assert fit(p * 0.7) < FALSE_ALARM


@pytest.mark.parametrize("g", [300, 70_000, 1 << 31])
def test_buckets_of_several_bytes(g: int) -> None:
    n = 50_000
    own, bucket, _ = drawn(WORD // 2, g, n)
    bound = norm.isf(FALSE_ALARM / 2) * np.sqrt(n / 4)
    assert abs((own == bucket).sum() - n / 2) < bound
    assert abs((own == bucket).sum() - n / 2 * 1.3) > bound
    tenths = np.bincount(bucket[own != bucket] * 10 // g, minlength=10)
    expected = tenths.sum() / 10  # near enough to uniform over tenths: g is far above 10
    assert chi2.sf(((tenths - expected) ** 2 / expected).sum(), 9) > FALSE_ALARM


def test_probabilities_next_to_zero_and_one() -> None:
    """A chance of 2⁻⁶⁴ is not met in 10⁴ draws: the false alarm is below 10⁻¹⁵."""
    for g in (2, 5, 300):
        own, bucket, _ = drawn(1, g, 10_000)
        assert (own != bucket).all()
        own, bucket, _ = drawn(WORD - 1, g, 10_000)
        assert (own == bucket).all()


def test_seeds_are_random_bits_and_their_own() -> None:
    n = 50_000
    _, _, rows = drawn(WORD // 2, 4, n)
    assert len(np.unique(rows[:, :16], axis=0)) == n
    ones = np.unpackbits(rows[:, :16], axis=1).sum(axis=0, dtype=np.int64)
    statistic = ((ones - n / 2) ** 2 / (n / 4)).sum()
    assert FALSE_ALARM / 2 < chi2.sf(statistic, 128) < 1 - FALSE_ALARM / 2


def test_one_seed_gives_one_result_and_blocks_have_their_own_seeds() -> None:
    mechanism = HashMechanism(100, WORD // 2, 4)
    values = np.arange(200_000) % 100
    rows = mechanism.draw(values, np.random.default_rng(1))
    np.testing.assert_array_equal(rows, mechanism.draw(values, np.random.default_rng(1)))
    assert (rows != mechanism.draw(values, np.random.default_rng(2))).any()
    assert len(np.unique(rows[:, :16], axis=0)) == len(rows)


@pytest.mark.parametrize(("k", "g"), [(1024, 4), (64, 3), (8, 2)])
def test_sizes_of_supports_are_nearly_ideal(k: int, g: int) -> None:
    """Total variation from Binomial(k, 1 / g), of seeds and buckets drawn uniformly, is within its noise.

    Under ideal hashing the mean of the variation is at most ½ Σ √(f(1 − f) / n), and one report moves it by at
    most 1 / n, so it exceeds that by √(ln(1 / α) / 2n) with chance α at most (McDiarmid). The hashes of
    consecutive values, not scattered, are an arithmetic progression: far off, and seen to be.
    """
    n = 200_000
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 256, (n, 17), np.uint8)
    rows[:, 16] = rng.integers(0, g, n)
    ideal = binom.pmf(np.arange(k + 1), k, 1 / g)
    noise = np.sqrt(ideal * (1 - ideal) / n).sum() / 2 + np.sqrt(np.log(1 / FALSE_ALARM) / (2 * n))

    def variation(scattered: NDArray[np.uint64]) -> float:
        table, totals = np.zeros((k + 1, k), np.int64), np.zeros(k + 1, np.int64)
        count_by_size(rows, scattered, g, np.arange(k + 1, dtype=np.uint16), table, totals)
        return float(np.abs(totals / n - ideal).sum() / 2)

    assert variation(scatter(k)) < noise
    assert variation(np.arange(k, dtype=np.uint64)) > 2 * noise
