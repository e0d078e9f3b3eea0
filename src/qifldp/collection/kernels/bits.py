"""Unary reports: rows of packed bits, drawn a thousand bits at a time, and counted by carry-save adders."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy import uint64
from numpy.typing import NDArray

from qifldp.collection.kernels.random_stream import LANES, STATE, Words, abreast, advance, compiled, inlined, next_word

Bytes = NDArray[np.uint8]
Counts = NDArray[np.int64]

TILE_WORDS = 16
"""Words of a row that are worked on together: sixteen streams draw them, two vector registers hold them."""

TILE_BYTES = 8 * TILE_WORDS
UNDECIDED, DRAWN = STATE, STATE + TILE_WORDS
"""Where a drawing block keeps the bits still undecided and the bits set, after its streams."""

DRAWING = STATE + 2 * TILE_WORDS
"""Words of a drawing block."""

STEP = 16
"""Rows that one step of the carry-save adders takes in."""

ONES, TWOS, FOURS, EIGHTS, CARRY = (TILE_WORDS * (STEP + place) for place in range(5))
"""Where a counting tile keeps the binary digits of its counts, after its rows; then what counts sixteen."""

TILE = TILE_WORDS * (STEP + 5)
"""Words of a counting tile."""

STEPS = 255
"""Steps until the sums of bytes have to be emptied."""

BLOCK_BYTES = 1 << 21
"""Bytes of rows that are sorted by size together: they stay in the second or third cache."""


def emitted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function of types one that kernels call: it returns a signature, and what writes the compiler's code."""
    kernel: Any = intrinsic(function)
    return kernel


@emitted
def copy_bytes(_: Any, target: Any, to: Any, source: Any, start: Any, size: Any) -> Any:  # noqa: ARG001  # names only
    """Copy bytes of a contiguous array into another, from byte ``start`` to byte ``to``, whatever the alignment.

    A loop over bytes takes fifty times as long: the compiler has to fear that the arrays overlap.
    """
    copy: Any = cgutils.raw_memcpy

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        bytes_at = []
        for array, at in ((0, 1), (2, 3)):
            made = context.make_array(signature.args[array])(context, builder, arguments[array])
            first = builder.bitcast(made.data, ir.IntType(8).as_pointer())
            bytes_at.append(builder.gep(first, [arguments[at]]))
        copy(builder, bytes_at[0], bytes_at[1], arguments[4], 1)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp, types.intp), emit


@inlined
def draw_tile(drawing: Words, chance: np.uint64) -> None:
    """Set each of the undecided bits of a block with probability chance / 2⁶⁴ exactly, and leave none undecided.

    A lane's uniform number U is compared with the chance digit by digit from the top, and only as far as some lane
    is undecided. Where the chance has a 1, a lane with a 0 is decided, U < chance; where it has a 0, a lane with
    a 1 is decided, U > chance. After the chance's last 1, what is undecided has U ≥ chance.
    """
    for lane in range(TILE_WORDS):
        drawing[DRAWN + lane] = uint64(0)
    while chance != uint64(0):
        flip = uint64(0) - (chance >> uint64(63))  # all ones where the digit is 1
        chance <<= uint64(1)
        left = uint64(0)
        for lane in range(LANES):
            word, s0, s1, s2, s3 = advance(
                drawing[lane], drawing[LANES + lane], drawing[2 * LANES + lane], drawing[3 * LANES + lane]
            )
            drawing[lane] = s0
            drawing[LANES + lane] = s1
            drawing[2 * LANES + lane] = s2
            drawing[3 * LANES + lane] = s3
            undecided = drawing[UNDECIDED + lane]
            drawing[DRAWN + lane] |= undecided & ~word & flip
            undecided &= ~(word ^ flip)  # equal so far
            drawing[UNDECIDED + lane] = undecided
            left |= undecided
        if left == uint64(0):
            break


@compiled
def whole_words(domain_size: int) -> Words:
    """Return a mask of the bits of a row that belong to the domain, in whole tiles."""
    tiles = (domain_size + 64 * TILE_WORDS - 1) // (64 * TILE_WORDS)
    mask = np.zeros(tiles * TILE_WORDS, np.uint64)
    for place in range(domain_size):
        mask[place >> 6] |= uint64(1) << uint64(place & 63)
    return mask


@inlined
def draw_words(drawing: Words, chance: np.uint64, mask: Words, words: Words) -> None:
    """Set each masked bit of a row of whole tiles with probability chance / 2⁶⁴, and no other."""
    for start in range(0, len(words), TILE_WORDS):
        for lane in range(TILE_WORDS):
            drawing[UNDECIDED + lane] = mask[start + lane]
        draw_tile(drawing, chance)
        for lane in range(TILE_WORDS):
            words[start + lane] = drawing[DRAWN + lane]


@compiled
def drawing_block(state: Words) -> Words:
    """Return a drawing block with sixteen streams from one."""
    drawing = np.zeros(DRAWING, np.uint64)
    drawing[:STATE] = abreast(state)
    return drawing


@compiled
def draw(values: Counts, p: np.uint64, q: np.uint64, domain_size: int, state: Words, rows: Bytes) -> None:
    """Fill rows with unary reports: the bit of the true value is set with p / 2⁶⁴, any other with q / 2⁶⁴, exactly.

    Args:
        values: The true values, shape (n,).
        p: 2⁶⁴ · Pr[the true value's bit].
        q: 2⁶⁴ · Pr[another bit].
        domain_size: Number of values k.
        state: The random stream, four words.
        rows: Filled, shape (n, ⌈k / 8⌉); bits beyond the domain are zero.
    """
    drawing = drawing_block(state)
    mask = whole_words(domain_size)
    words = np.empty_like(mask)
    width = rows.shape[1]
    for i in range(len(values)):
        draw_words(drawing, q, mask, words)
        place, bit = values[i] >> 6, uint64(values[i] & 63)
        words[place] &= ~(uint64(1) << bit)
        words[place] |= uint64(next_word(state) < p) << bit
        copy_bytes(rows, i * width, words, 0, width)  # Numba runs on little-endian machines only


@inlined
def add_three(x: np.uint64, y: np.uint64, z: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Return the sums of three bits in each lane: the digits of one, and of two."""
    odd = x ^ y
    return odd ^ z, (x & y) | (odd & z)


@inlined
def add_step(tile: Words) -> None:
    """Add sixteen rows of a tile to its binary digits; what the eights carry counts sixteen (Harley and Seal)."""
    for at in range(TILE_WORDS):
        ones, a = add_three(tile[ONES + at], tile[at], tile[TILE_WORDS + at])
        ones, b = add_three(ones, tile[2 * TILE_WORDS + at], tile[3 * TILE_WORDS + at])
        twos, c = add_three(tile[TWOS + at], a, b)
        ones, a = add_three(ones, tile[4 * TILE_WORDS + at], tile[5 * TILE_WORDS + at])
        ones, b = add_three(ones, tile[6 * TILE_WORDS + at], tile[7 * TILE_WORDS + at])
        twos, d = add_three(twos, a, b)
        fours, e = add_three(tile[FOURS + at], c, d)
        ones, a = add_three(ones, tile[8 * TILE_WORDS + at], tile[9 * TILE_WORDS + at])
        ones, b = add_three(ones, tile[10 * TILE_WORDS + at], tile[11 * TILE_WORDS + at])
        twos, c = add_three(twos, a, b)
        ones, a = add_three(ones, tile[12 * TILE_WORDS + at], tile[13 * TILE_WORDS + at])
        ones, b = add_three(ones, tile[14 * TILE_WORDS + at], tile[15 * TILE_WORDS + at])
        twos, d = add_three(twos, a, b)
        fours, f = add_three(fours, c, d)
        eights, carry = add_three(tile[EIGHTS + at], e, f)
        tile[ONES + at] = ones
        tile[TWOS + at] = twos
        tile[FOURS + at] = fours
        tile[EIGHTS + at] = eights
        tile[CARRY + at] = carry


@inlined
def eight_bytes(byte: np.uint8) -> np.uint64:
    """Return the eight bits of a byte as eight bytes of 0 or 1."""
    apart = (uint64(byte) * uint64(0x0101010101010101)) & uint64(0x8040201008040201)
    return ((apart + uint64(0x7F7F7F7F7F7F7F7F)) >> uint64(7)) & uint64(0x0101010101010101)


@compiled
def empty_tile(tile: Words, sums: Words, start: int, counts: Counts) -> None:
    """Add what a tile has counted to the counts from ``start`` on, and set it to zero."""
    packed = tile.view(np.uint8)
    added = sums.view(np.uint8)
    size = min(8 * TILE_BYTES, len(counts) - start)
    for x in range(size):
        counts[start + x] += np.int64(added[x]) << 4
    for at in range(TILE_BYTES):
        sums[at] = (
            eight_bytes(packed[8 * ONES + at])
            + (eight_bytes(packed[8 * TWOS + at]) << uint64(1))
            + (eight_bytes(packed[8 * FOURS + at]) << uint64(2))
            + (eight_bytes(packed[8 * EIGHTS + at]) << uint64(3))
        )
    for x in range(size):
        counts[start + x] += np.int64(added[x])
    for at in range(TILE_BYTES):
        sums[at] = uint64(0)
    for at in range(TILE):
        tile[at] = uint64(0)


@compiled
def add_rows(rows: Bytes, base: int, order: NDArray[np.int32], counts: Counts, tile: Words, sums: Words) -> None:
    """Add the bits of the rows base + order[i] to counts; ``tile`` and ``sums`` are zero before and after."""
    carried = tile.view(np.uint8)[8 * CARRY :]
    width = rows.shape[1]
    for left in range(0, width, TILE_BYTES):
        size = min(TILE_BYTES, width - left)
        steps = 0
        for start in range(0, len(order), STEP):
            there = min(STEP, len(order) - start)
            for step in range(there):
                row = base + order[start + step]
                copy_bytes(tile, TILE_BYTES * step, rows, row * width + left, size)
            for at in range(TILE_WORDS * there, TILE_WORDS * STEP):
                tile[at] = uint64(0)
            add_step(tile)
            for at in range(TILE_BYTES):
                sums[at] += eight_bytes(carried[at])
            steps += 1
            if steps == STEPS:
                empty_tile(tile, sums, 8 * left, counts)
                steps = 0
        empty_tile(tile, sums, 8 * left, counts)


@compiled
def count(rows: Bytes, counts: Counts) -> None:
    """Add the number of rows that have each bit to counts.

    Args:
        rows: Packed bits, shape (n, width), without bits beyond the domain.
        counts: Added to, shape (k,).
    """
    tile = np.zeros(TILE, np.uint64)
    sums = np.zeros(TILE_BYTES, np.uint64)
    order = np.arange(STEP * STEPS).astype(np.int32)
    for start in range(0, len(rows), STEP * STEPS):
        add_rows(rows, start, order[: len(rows) - start], counts, tile, sums)


@inlined
def bits_set(word: np.uint64) -> np.uint64:
    """Return the number of bits set in a word (compilers know this form as one instruction)."""
    word -= (word >> uint64(1)) & uint64(0x5555555555555555)
    word = (word & uint64(0x3333333333333333)) + ((word >> uint64(2)) & uint64(0x3333333333333333))
    word = (word + (word >> uint64(4))) & uint64(0x0F0F0F0F0F0F0F0F)
    return (word * uint64(0x0101010101010101)) >> uint64(56)


@inlined
def row_size(rows: Bytes, row: int, words: Words) -> np.int64:
    """Return the number of bits set in a row, through a tile of words."""
    width = rows.shape[1]
    found = uint64(0)
    for left in range(0, width, TILE_BYTES):
        if width - left < TILE_BYTES:
            for at in range(TILE_WORDS):
                words[at] = uint64(0)
        copy_bytes(words, 0, rows, row * width + left, min(TILE_BYTES, width - left))
        for at in range(TILE_WORDS):
            found += bits_set(words[at])
    return np.int64(found)


@compiled
def count_by_size(rows: Bytes, class_of: NDArray[np.uint16], table: Counts, totals: Counts) -> None:
    """Add each row's bits to the counts of the class of its size, and one to the class's total.

    Rows are sorted by class, a block at a time, and each class of a block goes through the carry-save adders.

    Args:
        rows: Packed bits, shape (n, width), without bits beyond the domain.
        class_of: The class of each size, shape (k + 1,).
        table: Added to, shape (classes, k).
        totals: Added to, shape (classes,).
    """
    tile = np.zeros(TILE, np.uint64)
    sums = np.zeros(TILE_BYTES, np.uint64)
    words = np.zeros(TILE_WORDS, np.uint64)
    block = max(STEP, min(len(rows), BLOCK_BYTES // rows.shape[1]))
    classes = np.empty(block, np.uint16)
    order = np.empty(block, np.int32)
    ends = np.empty(len(table) + 1, np.int64)
    for base in range(0, len(rows), block):
        there = min(block, len(rows) - base)
        ends[:] = 0
        for i in range(there):
            size = row_size(rows, base + i, words)
            if size >= len(class_of):
                raise ValueError("bits beyond the domain are set")  # before memory beyond the tables is written to
            found = class_of[size]
            classes[i] = found
            ends[found + 1] += 1
        for found in range(len(table)):
            totals[found] += ends[found + 1]
            ends[found + 1] += ends[found]
        for i in range(there):
            order[ends[classes[i]]] = i
            ends[classes[i]] += 1
        start = 0  # each end has moved from the class's start to its end
        for found in range(len(table)):
            if ends[found] > start:
                add_rows(rows, base, order[start : ends[found]], table[found], tile, sums)
                start = ends[found]
