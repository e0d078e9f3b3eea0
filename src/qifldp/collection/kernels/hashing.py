"""Local hashing: seeds and buckets drawn, and the values that hash to a bucket counted as packed bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numpy import uint64
from numpy.typing import NDArray

from qifldp.collection.kernels import bits
from qifldp.collection.kernels.bits import Bytes, Counts, emitted
from qifldp.collection.kernels.random_stream import HALF_BITS, Words, abreast, compiled, fill, inlined, respond

POOL = 1 << 10
"""Reports whose random words are drawn ahead."""

SEED_BYTES = 16
BLOCK_BYTES = 1 << 17
"""Bytes of packed support that are counted together: they stay in the second cache."""

SORTED_BLOCK_BYTES = 1 << 21
"""The same when they are sorted by size: many reports of one size are worth the third cache."""


@inlined
def read_number(rows: Bytes, row: int, start: int, size: int) -> np.uint64:
    """Return a little-endian number of some bytes of a row."""
    number = uint64(0)
    for place in range(size):
        number |= uint64(rows[row, start + place]) << uint64(8 * place)
    return number


@inlined
def write_number(rows: Bytes, row: int, start: int, size: int, number: np.uint64) -> None:
    """Write a little-endian number into some bytes of a row."""
    for place in range(size):
        rows[row, start + place] = np.uint8(number >> uint64(8 * place))


@compiled
def draw(values: Counts, scattered: Words, buckets: int, p: np.uint64, state: Words, rows: Bytes) -> None:
    """Fill rows with seeds and buckets: that of the true value with probability p / 2⁶⁴, else a uniform other.

    Args:
        values: The true values, shape (n,).
        scattered: π of every value, shape (k,).
        buckets: Number of buckets g.
        p: 2⁶⁴ · Pr[the true value's bucket].
        state: The random stream, four words.
        rows: Filled, shape (n, 16 + bytes of a bucket): a, b and the bucket, little-endian.
    """
    lanes = abreast(state)
    seeds, shifts, pool = np.empty(POOL, np.uint64), np.empty(POOL, np.uint64), np.empty(POOL, np.uint64)
    own, answers = np.empty(POOL, np.uint64), np.empty(POOL, np.uint64)
    others = uint64(buckets - 1)
    bucket_bytes = rows.shape[1] - SEED_BYTES
    for start in range(0, len(values), POOL):
        there = min(POOL, len(values) - start)
        fill(lanes, seeds)
        fill(lanes, shifts)
        fill(lanes, pool)
        for i in range(there):
            word = seeds[i] * scattered[values[start + i]] + shifts[i]
            own[i] = ((word >> HALF_BITS) * uint64(buckets)) >> HALF_BITS
        respond(pool, own[:there], p, others, state, answers[:there])
        for i in range(there):
            write_number(rows, start + i, 0, 8, seeds[i])
            write_number(rows, start + i, 8, 8, shifts[i])
            write_number(rows, start + i, SEED_BYTES, bucket_bytes, answers[i])


@emitted
def eight_tests(_: Any, words: Any, start: Any, factor: Any, offset: Any, widest: Any) -> Any:  # noqa: ARG001  # names only
    """Return the eight bits of factor · words[start + i] + offset ≤ widest, i = 0..7, modulo 2⁶⁴.

    Vectors in the compiler's own language, for any processor: it does not find them in a loop that packs bits.
    """

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        lanes = ir.VectorType(ir.IntType(64), 8)
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        first = builder.gep(array.data, [arguments[1]])
        found = builder.load(builder.bitcast(first, lanes.as_pointer()))
        found.align = 8
        unset = ir.Constant(lanes, ir.Undefined)
        same = ir.Constant(ir.VectorType(ir.IntType(32), 8), [0] * 8)
        spread = []
        for number in arguments[2:]:
            one = builder.insert_element(unset, number, ir.Constant(ir.IntType(32), 0))
            spread.append(builder.shuffle_vector(one, unset, same))
        hashed = builder.add(builder.mul(found, spread[0]), spread[1])
        return builder.bitcast(builder.icmp_unsigned("<=", hashed, spread[2]), ir.IntType(8))

    return types.uint8(words, types.intp, types.uint64, types.uint64, types.uint64), emit


@compiled
def padded(scattered: Words) -> Words:
    """Return a copy in whole groups of 64, the rest zero."""
    found = np.zeros((len(scattered) + 63) & ~63, np.uint64)
    found[: len(scattered)] = scattered
    return found


@compiled
def find_support(
    rows: Bytes, start: int, stop: int, groups: Words, domain_size: int, buckets: int, support: NDArray[np.uint64]
) -> None:
    """Write the values that some reports support as packed bits, shape (reports, ⌈k / 64⌉).

    A hash ⌊g · ⌊w / 2³²⌋ / 2³²⌋ is y iff w is from ⌈2³² · y / g⌉ · 2³² to ⌈2³² · (y + 1) / g⌉ · 2³² − 1, and
    one comparison modulo 2⁶⁴ tells: w − low ≤ width − 1.
    """
    bucket_bytes = rows.shape[1] - SEED_BYTES
    g = uint64(buckets)
    inside = ~uint64(0) >> uint64(-domain_size & 63)
    for row in range(start, stop):
        bucket = read_number(rows, row, SEED_BYTES, bucket_bytes)
        low = ((bucket << HALF_BITS) + g - uint64(1)) // g
        high = (((bucket + uint64(1)) << HALF_BITS) + g - uint64(1)) // g
        widest = ((high - low) << HALF_BITS) - uint64(1)
        factor = read_number(rows, row, 0, 8)
        offset = read_number(rows, row, 8, 8) - (low << HALF_BITS)
        for place in range(support.shape[1]):
            word = uint64(0)
            for part in range(8):
                tests = eight_tests(groups, 64 * place + 8 * part, factor, offset, widest)
                word |= uint64(tests) << uint64(8 * part)
            support[row - start, place] = word
        support[row - start, support.shape[1] - 1] &= inside


@compiled
def count(rows: Bytes, scattered: Words, buckets: int, counts: Counts) -> None:
    """Add the number of reports that support each value to counts.

    Args:
        rows: Reports, shape (n, 16 + bytes of a bucket).
        scattered: π of every value, shape (k,).
        buckets: Number of buckets g.
        counts: Added to, shape (k,).
    """
    groups = padded(scattered)
    words = len(groups) >> 6
    block = max(1, min(len(rows), BLOCK_BYTES // (8 * words)))
    support = np.empty((block, words), np.uint64)
    packed = support.view(np.uint8)
    for start in range(0, len(rows), block):
        stop = min(start + block, len(rows))
        find_support(rows, start, stop, groups, len(scattered), buckets, support)
        bits.count(packed[: stop - start], counts)


@compiled
def count_by_size(
    rows: Bytes, scattered: Words, buckets: int, class_of: NDArray[np.uint16], table: Counts, totals: Counts
) -> None:
    """Add each report's support to the counts of the class of its size, and one to the class's total.

    Args:
        rows: Reports, shape (n, 16 + bytes of a bucket).
        scattered: π of every value, shape (k,).
        buckets: Number of buckets g.
        class_of: The class of each size, shape (k + 1,).
        table: Added to, shape (classes, k).
        totals: Added to, shape (classes,).
    """
    groups = padded(scattered)
    words = len(groups) >> 6
    block = max(1, min(len(rows), SORTED_BLOCK_BYTES // (8 * words)))
    support = np.empty((block, words), np.uint64)
    packed = support.view(np.uint8)
    for start in range(0, len(rows), block):
        stop = min(start + block, len(rows))
        find_support(rows, start, stop, groups, len(scattered), buckets, support)
        bits.count_by_size(packed[: stop - start], class_of, table, totals)
