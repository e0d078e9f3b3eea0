"""Reports that are sets of a fixed size: listed in increasing order, or packed bits."""

from __future__ import annotations

import numpy as np
from numpy import uint64

from qifldp.collection.kernels.bits import (
    Bytes,
    Counts,
    bits_set,
    copy_bytes,
    draw_words,
    drawing_block,
    whole_words,
)
from qifldp.collection.kernels.random_stream import (
    HALF_BITS,
    LOW_HALF,
    Words,
    abreast,
    below,
    compiled,
    fill,
    inlined,
    next_word,
    respond,
)

POOL = 1 << 10
"""Words that are drawn ahead."""

OUTSIDE, UNORDERED = 3, 4
"""Places in ``FAULTS``."""

SORTED_ITEMS = 16
"""A walk through a row's words costs less than sorting if there are fewer words than this many times the members."""


@inlined
def write_item(rows: Bytes, row: int, item: int, item_bytes: int, number: np.uint64) -> None:
    """Write the little-endian number of one item of a row."""
    for place in range(item_bytes):
        rows[row, item * item_bytes + place] = np.uint8(number >> uint64(8 * place))


@inlined
def read_item(rows: Bytes, row: int, item: int, item_bytes: int) -> np.uint64:
    """Return the little-endian number of one item of a row."""
    number = uint64(0)
    for place in range(item_bytes):
        number |= uint64(rows[row, item * item_bytes + place]) << uint64(8 * place)
    return number


@compiled
def draw_singles(values: Counts, p: np.uint64, domain_size: int, state: Words, rows: Bytes) -> None:
    """Fill rows of one listed member: randomised response, one word a report."""
    lanes = abreast(state)
    pool, own, answers = np.empty(POOL, np.uint64), np.empty(POOL, np.uint64), np.empty(POOL, np.uint64)
    short, shorter = np.empty(POOL, np.uint16), np.empty(POOL, np.uint8)
    others = uint64(domain_size - 1)
    item_bytes = rows.shape[1]
    for start in range(0, len(values), POOL):
        there = min(POOL, len(values) - start)
        fill(lanes, pool)
        for i in range(there):
            own[i] = uint64(values[start + i])
        respond(pool, own[:there], p, others, state, answers[:there])
        if item_bytes == 1:
            for i in range(there):
                shorter[i] = np.uint8(answers[i])
            copy_bytes(rows, start, shorter, 0, there)
        elif item_bytes == 2:  # these lengths are written at once
            for i in range(there):
                short[i] = np.uint16(answers[i])
            copy_bytes(rows, 2 * start, short, 0, 2 * there)
        else:
            for i in range(there):
                write_item(rows, start + i, 0, item_bytes, answers[i])


@compiled
def draw_listed(values: Counts, p: np.uint64, domain_size: int, size: int, state: Words, rows: Bytes) -> None:
    """Fill rows with sets of ``size`` values that contain the true one with probability p / 2⁶⁴, uniform otherwise.

    Others are drawn one after the other, and again if they are in already: every order of every set is as likely
    as any. Members are then written in increasing order, so that their order says nothing.

    Args:
        values: The true values, shape (n,).
        p: 2⁶⁴ · Pr[the true value is in].
        domain_size: Number of values k.
        size: Number of members, from 1 to k − 1.
        state: The random stream, four words.
        rows: Filled, shape (n, size · bytes of a value).
    """
    if size == 1:
        draw_singles(values, p, domain_size, state, rows)
        return
    item_bytes = rows.shape[1] // size
    words = np.zeros((domain_size + 63) >> 6, np.uint64)
    members = np.empty(size, np.int64)
    others = uint64(domain_size - 1)
    for i in range(len(values)):
        value = values[i]
        found = 0
        if next_word(state) < p:
            members[0] = value
            words[value >> 6] |= uint64(1) << uint64(value & 63)
            found = 1
        while found < size:
            member = np.int64(below(state, others))
            member += np.int64(member >= value)
            bit = uint64(1) << uint64(member & 63)
            if words[member >> 6] & bit == uint64(0):
                words[member >> 6] |= bit
                members[found] = member
                found += 1
        if len(words) < SORTED_ITEMS * size:
            found = 0
            for place in range(len(words)):
                word = words[place]
                words[place] = uint64(0)
                while word != uint64(0):
                    lowest = word & (uint64(0) - word)
                    write_item(rows, i, found, item_bytes, uint64(64 * place) + bits_set(lowest - uint64(1)))
                    found += 1
                    word ^= lowest
        else:
            members.sort()
            for item in range(size):
                words[members[item] >> 6] = uint64(0)
                write_item(rows, i, item, item_bytes, uint64(members[item]))


@compiled
def coarse_chance(domain_size: int, size: int) -> np.uint64:
    """Return about 2⁶⁴ · size / k, of so few binary digits that the error is a small part of a deviation of the sum."""
    digits = 4
    while 1 << (2 * digits - 6) < domain_size:
        digits += 1
    scaled = ((size << digits) + domain_size // 2) // domain_size
    return uint64(min(max(scaled, 1), (1 << digits) - 1)) << uint64(64 - digits)


@compiled
def draw_bits(values: Counts, p: np.uint64, domain_size: int, size: int, state: Words, rows: Bytes) -> None:
    """Fill rows with sets as :func:`draw_listed` does, as packed bits.

    The bits of the others are first drawn independently with one coarse probability; then uniform ones of the
    others are added, or uniform members removed (never the true value), until the size is right.

    *Exact*: let σ be a permutation of the others. Independent bits of one probability have a law that σ leaves as
    it is. So does a step: it takes a set S to S ∪ {y}, y uniform outside S, or to S ∖ {y}, y uniform in S, as the
    size of S alone decides, and the step from σS has the law of σ applied to the step from S. Hence the law of the
    final set is unchanged by every σ; all sets of one size are images of one another, so it is uniform. Whether
    the true value is in is drawn before and independently, and decides only that size.

    Args:
        values: The true values, shape (n,).
        p: 2⁶⁴ · Pr[the true value is in].
        domain_size: Number of values k.
        size: Number of members, from 1 to k − 1.
        state: The random stream, four words.
        rows: Filled, shape (n, ⌈k / 8⌉).
    """
    drawing = drawing_block(state)
    pool = np.empty(POOL, np.uint64)
    used = POOL
    mask = whole_words(domain_size)
    words = np.empty_like(mask)
    chance = coarse_chance(domain_size, size)
    k = uint64(domain_size)
    redrawn = (LOW_HALF + uint64(1)) % k
    width = rows.shape[1]
    for i in range(len(values)):
        draw_words(drawing, chance, mask, words)
        own = uint64(values[i])
        bit = own & uint64(63)
        place = values[i] >> 6
        words[place] &= ~(uint64(1) << bit)
        words[place] |= uint64(next_word(state) < p) << bit
        members = uint64(0)
        for place in range(len(words)):
            members += bits_set(words[place])
        missing = size - np.int64(members)
        flip = uint64(0) - uint64(missing > 0)  # all ones if members are to be added
        missing = abs(missing)
        while missing > 0:
            if used == POOL:
                fill(drawing, pool)
                used = 0
            product = (pool[used] & LOW_HALF) * k
            used += 1
            at = product >> HALF_BITS
            place = np.int64(at >> uint64(6))
            fit = ((words[place] ^ flip) >> (at & uint64(63))) & uint64(1)
            fit &= uint64((product & LOW_HALF) >= redrawn) & uint64(at != own)
            words[place] ^= fit << (at & uint64(63))  # without a branch, which would often be mispredicted
            missing -= np.int64(fit)
        copy_bytes(rows, i * width, words, 0, width)


@compiled
def check_listed(rows: Bytes, item_bytes: int, domain_size: int, faults: Bytes) -> None:
    """Set the fault of each row that lists a value outside the domain, or else values not in increasing order.

    Args:
        rows: Listed members, shape (n, size · item_bytes).
        item_bytes: Bytes of a member.
        domain_size: Number of values k.
        faults: Places in ``FAULTS``, set where there is one, shape (n,).
    """
    size = rows.shape[1] // item_bytes
    for i in range(len(rows)):
        least = uint64(0)
        for item in range(size):
            member = read_item(rows, i, item, item_bytes)
            if member >= uint64(domain_size):
                faults[i] = OUTSIDE
                break
            if member < least:
                faults[i] = UNORDERED
            least = member + uint64(1)


@compiled
def count_listed(rows: Bytes, item_bytes: int, counts: Counts) -> None:
    """Add the number of rows that list each value to counts.

    Args:
        rows: Listed members, shape (n, size · item_bytes).
        item_bytes: Bytes of a member.
        counts: Added to, shape (k,).
    """
    size = rows.shape[1] // item_bytes
    for i in range(len(rows)):
        for item in range(size):
            member = read_item(rows, i, item, item_bytes)
            if member >= uint64(len(counts)):
                raise ValueError("a value outside the domain")  # before memory beyond the counts is written to
            counts[np.int64(member)] += 1
