"""The exact law of packed reports under each value, from the whole numbers of 2⁻⁶⁴ that a mechanism draws with.

Packing and hashing are written out again here, from the description of the format; nothing is drawn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, product
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2

from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.hashing import HashMechanism
from qifldp.collection.mechanism import DirectMechanism, Mechanism, Rows
from qifldp.collection.mixture import MixMechanism
from qifldp.collection.subsets import SubsetMechanism

WORD = 1 << 64
SEED_BYTES = 16

Law = dict[bytes, Fraction]

FEWEST = 5
"""Reports expected in a cell of a chi-square test; cells that expect fewer are added up."""


def packed_set(members: Iterable[int], k: int) -> bytes:
    """Return a set as bits, the first value in the lowest bit of the first byte."""
    return sum(1 << x for x in members).to_bytes((k + 7) // 8, "little")


def report_law(mechanism: Mechanism, value: int, seed: bytes = b"") -> Law:
    """Return the probability of each report under a value; given the seed, of one that has a seed."""
    if isinstance(mechanism, MixMechanism):
        return mixture_law(mechanism, value, seed)
    assert isinstance(mechanism, DirectMechanism)
    k, p = mechanism.domain_size, Fraction(mechanism.keep, WORD)
    if isinstance(mechanism, UnaryMechanism):
        chances = [p if x == value else Fraction(mechanism.other, WORD) for x in range(k)]
        return {
            packed_set((x for x in range(k) if bits[x]), k): math.prod(
                (chance if bit else 1 - chance for chance, bit in zip(chances, bits, strict=True)), start=Fraction(1)
            )
            for bits in product((0, 1), repeat=k)
        }
    if isinstance(mechanism, SubsetMechanism):
        size = mechanism.size
        chance = {True: p / comb(k - 1, size - 1), False: (1 - p) / comb(k - 1, size)}
        listed = size * number_bytes(k) <= (k + 7) // 8
        return {
            b"".join(x.to_bytes(number_bytes(k), "little") for x in members)
            if listed
            else packed_set(members, k): chance[value in members]
            for members in combinations(range(k), size)
        }
    assert isinstance(mechanism, HashMechanism), "a new kind of mechanism states its law here"
    g, own = mechanism.buckets, plain_hash(seed, mechanism.buckets, value)
    return {seed + y.to_bytes(number_bytes(g), "little"): p if y == own else (1 - p) / (g - 1) for y in range(g)}


def mixture_law(mechanism: MixMechanism, value: int, seed: bytes) -> Law:
    """Return the probability of each report of a mixture: the place of a part, its report, zeros up to the width."""
    law: Law = {}
    for place, (words, part) in enumerate(zip(mechanism.chances, mechanism.parts, strict=True)):
        for report, chance in report_law(part, value, seed).items():
            law[(bytes([place]) + report).ljust(mechanism.width, b"\0")] = Fraction(words, WORD) * chance
    if mechanism.silence:
        law[bytes([len(mechanism.parts)]).ljust(mechanism.width, b"\0")] = Fraction(mechanism.silence, WORD)
    return law


def number_bytes(values: int) -> int:
    """Return the bytes of a number that is one of this many."""
    return next(size for size in range(1, 9) if values <= 1 << (8 * size))


def plain_hash(seed: bytes, g: int, x: int) -> int:
    """Return h(x) by plain integers."""
    a, b = (int.from_bytes(seed[at : at + 8], "little") for at in (0, 8))
    x = (x + 0x9E3779B9) % (1 << 32)
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B), (16, 1)):
        x = (x ^ x >> shift) * factor % (1 << 32)
    return g * ((a * x + b) % WORD >> 32) >> 32


def largest_law_ratio(laws: list[Law]) -> Fraction:
    """Return the largest ratio of the probabilities of one report under two values."""
    assert all(law.keys() == laws[0].keys() for law in laws)
    return max(max(law[report] for law in laws) / min(law[report] for law in laws) for report in laws[0])


def misfit(mechanism: Mechanism, values: NDArray[np.int64], rows: Rows) -> float:
    """Return a p-value of reports under a mechanism's law, all of a report taken together; 0 if one is impossible.

    Cells are (value, report); for hashing, given the seeds, (hash of the value, bucket) beside the hashes of all other
    values, and seeds must be different and of uniform bits. The smallest of the p-values, times their number.
    Of a mixture: which part reports, given the value, and the reports of each part.
    """
    if isinstance(mechanism, MixMechanism):
        return each_part_misfit(mechanism, values, rows, misfit)
    reports = [row.tobytes() for row in rows]
    if isinstance(mechanism, HashMechanism):
        seeds = [report[:SEED_BYTES] for report in reports]
        if len(set(seeds)) < len(seeds):
            return 0.0
        bits = np.unpackbits(rows[:, :SEED_BYTES], axis=1).sum(axis=0, dtype=np.int64)
        uniform = float(chi2.sf(((bits - len(rows) / 2) ** 2).sum() / (len(rows) / 4), bits.size))
        return min(1.0, 2 * min(uniform, _bucket_misfit(mechanism, values, reports)))
    found: Found = Counter(zip(values.tolist(), reports, strict=True))
    expected = {
        (value, report): float(chance) * times
        for value, times in Counter(values.tolist()).items()
        for report, chance in report_law(mechanism, value).items()
    }
    return chi_square(found, expected)


def each_part_misfit(
    mechanism: MixMechanism, values: NDArray[np.int64], rows: Rows, part_misfit: Callable[..., float]
) -> float:
    """Return a p-value of a mixture's reports, given how those of one part are tested; 0 if one is impossible."""
    chances = [chance / WORD for chance in (*mechanism.chances, mechanism.silence) if chance]
    expected = {
        (value, place): chance * times
        for value, times in Counter(values.tolist()).items()
        for place, chance in enumerate(chances)
    }
    found = [chi_square(Counter(zip(values.tolist(), rows[:, 0].tolist(), strict=True)), expected)]
    for place, part in enumerate(mechanism.parts):
        own = rows[:, 0] == place
        if rows[own, 1 + part.width :].any():
            return 0.0
        if own.any():
            found.append(part_misfit(part, values[own], np.ascontiguousarray(rows[own, 1 : 1 + part.width])))
    if rows[rows[:, 0] == len(mechanism.parts), 1:].any():
        return 0.0
    return min(1.0, len(found) * min(found))


def _bucket_misfit(mechanism: HashMechanism, values: NDArray[np.int64], reports: list[bytes]) -> float:
    """Return the p-value of buckets given seeds; a cell is the value, the hashes of all values, and the bucket."""
    found: Found = Counter()
    groups: Counter[tuple[int, tuple[int, ...]]] = Counter()
    g, k, hit = mechanism.buckets, mechanism.domain_size, mechanism.keep / WORD
    for value, report in zip(values.tolist(), reports, strict=True):
        hashes = tuple(plain_hash(report[:SEED_BYTES], g, x) for x in range(k))
        groups[value, hashes] += 1
        found[value, hashes, int.from_bytes(report[SEED_BYTES:], "little")] += 1
    expected = {
        (value, hashes, y): times * (hit if y == hashes[value] else (1 - hit) / (g - 1))
        for (value, hashes), times in groups.items()
        for y in range(g)
    }
    return chi_square(found, expected)


Found = Counter[tuple[object, ...]]


def chi_square(found: Found, expected: Mapping[tuple[Any, ...], float]) -> float:
    """Return the p-value of Pearson's statistic, given the totals of groups: cells alike but for the last entry.

    Cells of small expectation are one cell. A group that has given some to it counts as free: more degrees of freedom
    than there are make a false alarm rarer.
    """
    if set(found) - set(expected):
        return 0.0
    few = {cell for cell, mean in expected.items() if mean < FEWEST}
    pairs = [(found[cell], mean) for cell, mean in expected.items() if cell not in few]
    if few:
        pairs.append((sum(found[cell] for cell in few), sum(expected[cell] for cell in few)))
    fixed = {cell[:-1] for cell in expected} - {cell[:-1] for cell in few}
    statistic = sum((seen - mean) ** 2 / mean for seen, mean in pairs)
    return float(chi2.sf(statistic, max(1, len(pairs) - len(fixed))))


def seeds_of(k: int, g: int) -> Iterator[bytes]:
    """Return a few seeds under which values of a small domain share buckets, and under which they do not."""
    rng = np.random.default_rng(k * 1000 + g)
    yield bytes(SEED_BYTES)  # everything in bucket 0
    for _ in range(12):
        yield rng.bytes(SEED_BYTES)
