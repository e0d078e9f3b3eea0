"""The random stream of simulations: xoshiro256++, one stream from a state of four words, or sixteen abreast.

Source: D. Blackman and S. Vigna, Scrambled Linear Pseudorandom Number Generators, ACM TOMS 47 (2021).
It is fast and not secret: what protects people is drawn by :mod:`qifldp.collection.entropy`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from numba import njit
from numpy import uint64
from numpy.typing import NDArray

Words = NDArray[np.uint64]
Kernel = TypeVar("Kernel", bound=Callable[..., Any])

LANES = 16
"""Streams that advance together: two vector registers of 512 bits, or four of 256."""

STATE = 4 * LANES
"""Words that the sixteen states take, the first words of all of them first."""

LOW_HALF = uint64(0xFFFFFFFF)
HALF_BITS = uint64(32)


def compiled(function: Kernel) -> Kernel:
    """Compile a function of arrays and numbers when it is first called, and keep the machine code on disk."""
    kernel: Any = njit(cache=True, nogil=True)(function)
    return kernel


def inlined(function: Kernel) -> Kernel:
    """Compile a small function into each that calls it, so that its arguments stay in registers."""
    kernel: Any = njit(cache=True, nogil=True, forceinline=True)(function)
    return kernel


@inlined
def advance(
    s0: np.uint64, s1: np.uint64, s2: np.uint64, s3: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the word of a state, and the next state."""
    total = s0 + s3
    word = ((total << uint64(23)) | (total >> uint64(41))) + s0
    shifted = s1 << uint64(17)
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    return word, s0, s1, s2, (s3 << uint64(45)) | (s3 >> uint64(19))


@inlined
def next_word(state: Words) -> np.uint64:
    """Return the next 64 bits of a stream, and move its state on."""
    word, state[0], state[1], state[2], state[3] = advance(state[0], state[1], state[2], state[3])
    return word


@inlined
def below(state: Words, limit: np.uint64) -> np.uint64:
    """Return a uniform number from 0 to limit − 1, exactly; the limit is from 1 to 2³².

    The high half of (32 random bits) · limit, redrawn if the low half is below 2³² mod limit: each number is then
    the high half of exactly ⌊2³² / limit⌋ accepted products (Lemire 2019).
    """
    while True:
        product = (next_word(state) >> HALF_BITS) * limit
        if (product & LOW_HALF) >= limit or (product & LOW_HALF) >= (LOW_HALF + uint64(1)) % limit:
            return product >> HALF_BITS


@compiled
def abreast(state: Words) -> Words:
    """Return the states of sixteen streams, each of four words drawn from one stream."""
    lanes = np.empty(STATE, np.uint64)
    for place in range(STATE):
        lanes[place] = next_word(state)
    return lanes


@compiled
def fill(lanes: Words, words: Words) -> None:
    """Fill an array of a multiple of sixteen words, one of each stream in turn."""
    for start in range(0, len(words), LANES):
        for lane in range(LANES):
            word, s0, s1, s2, s3 = advance(
                lanes[lane], lanes[LANES + lane], lanes[2 * LANES + lane], lanes[3 * LANES + lane]
            )
            lanes[lane] = s0
            lanes[LANES + lane] = s1
            lanes[2 * LANES + lane] = s2
            lanes[3 * LANES + lane] = s3
            words[start + lane] = word


@compiled
def respond(words: Words, own: Words, keep: np.uint64, others: np.uint64, state: Words, answers: Words) -> None:
    """Draw randomised response from one word each: own with probability keep / 2⁶⁴ exactly, else another uniformly.

    A word's high half is compared with that of keep, and its low half picks another answer. More is drawn from the
    stream of ``state`` only when the high halves are equal, to compare the low ones, or when the pick has to be
    redrawn (see :func:`below`): so seldom that a second pass looks for these words.

    Args:
        words: 64 random bits each, at least as many as answers.
        own: The true answers, 0..others.
        keep: 2⁶⁴ · Pr[own].
        others: Number of other answers, from 1 to 2³¹.
        state: Four words.
        answers: Filled.
    """
    top = keep >> HALF_BITS
    seldom = uint64(0)
    for i in range(len(answers)):
        high, product = words[i] >> HALF_BITS, (words[i] & LOW_HALF) * others
        other = product >> HALF_BITS
        other += uint64(other >= own[i])
        answers[i] = own[i] if high < top else other
        seldom |= uint64(high == top) | uint64((product & LOW_HALF) < others)
    if seldom == uint64(0):
        return
    for i in range(len(answers)):
        high, product = words[i] >> HALF_BITS, (words[i] & LOW_HALF) * others
        if high == top and next_word(state) >> HALF_BITS < keep & LOW_HALF:
            answers[i] = own[i]
        elif high >= top and (product & LOW_HALF) < (LOW_HALF + uint64(1)) % others:
            other = below(state, others)
            answers[i] = other + uint64(other >= own[i])
