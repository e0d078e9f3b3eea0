"""The random stream: its published vector, sixteen streams abreast, and exact choices from words."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from qifldp.collection.entropy import WORD
from qifldp.collection.kernels.random_stream import abreast, below, fill, next_word, respond

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""

PUBLISHED = [
    41943041,
    58720359,
    3588806011781223,
    3591011842654386,
    9228616714210784205,
    9973669472204895162,
    14011001112246962877,
    12406186145184390807,
    15849039046786891736,
    10450023813501588000,
]
"""Outputs of the authors' C code (prng.di.unimi.it/xoshiro256plusplus.c) from the state 1, 2, 3, 4."""


def plain_words(state: list[int], count: int) -> list[int]:
    """Return words by plain integers, as the authors' code says; the state is moved on."""

    def rotated(x: int, by: int) -> int:
        return (x << by | x >> (64 - by)) % WORD

    found = []
    for _ in range(count):
        found.append((rotated((state[0] + state[3]) % WORD, 23) + state[0]) % WORD)
        shifted = state[1] << 17 & (WORD - 1)
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= shifted
        state[3] = rotated(state[3], 45)
    return found


def chi_square(observed: list[int], chances: list[float]) -> float:
    """Return the probability of a worse fit of counts to chances."""
    n = sum(observed)
    assert min(chances) * n > 20  # so that the statistic has its law
    statistic = sum((seen - n * chance) ** 2 / (n * chance) for seen, chance in zip(observed, chances, strict=True))
    return float(chi2.sf(statistic, len(chances) - 1))


def test_the_published_vector() -> None:
    state = np.array([1, 2, 3, 4], np.uint64)
    assert [int(next_word(state)) for _ in PUBLISHED] == PUBLISHED
    assert plain_words([1, 2, 3, 4], len(PUBLISHED)) == PUBLISHED


def test_streams_abreast_are_seeded_and_advance_as_single_ones() -> None:
    seeded = plain_words([5, 6, 7, 8], 64)
    streams = [plain_words([seeded[16 * word + lane] for word in range(4)], 3) for lane in range(16)]
    words = np.zeros(48, np.uint64)
    fill(abreast(np.array([5, 6, 7, 8], np.uint64)), words)
    assert words.reshape(3, 16).T.tolist() == streams


@pytest.mark.parametrize("limit", [1, 2, 3, 1000, 3 << 30, 1 << 32])
def test_bounded_numbers_are_uniform(limit: int) -> None:
    """In residues, where a product without rejection is far off: at 3 · 2³⁰ it gives 0 half of the time."""
    state = np.array([1, 2, 3, 4], np.uint64)
    found = np.array([below(state, np.uint64(limit)) for _ in range(50_000)], np.int64)
    assert found.min() >= 0
    assert found.max() < limit
    if limit == 1:
        return
    parts = min(limit, 4 if limit == 1 << 32 else 3 if limit == 3 << 30 else 1000)
    counts = np.bincount(found % parts, minlength=parts)
    chances = np.full(parts, 1 / parts)
    assert chi_square(counts.tolist(), chances.tolist()) > FALSE_ALARM
    chances[0] *= 1.3
    if limit != 1000:  # a thousandth cannot be told from its 1.3-fold so soon
        assert chi_square(counts.tolist(), (chances / chances.sum()).tolist()) < FALSE_ALARM


@pytest.mark.parametrize("others", [1, 2, 4])
@pytest.mark.parametrize("keep", [WORD // 5, WORD // 2, WORD // 10 * 7])
def test_responses_have_their_law(others: int, keep: int) -> None:
    n, own = 100_000, others // 2
    state = np.array([1, 2, 3, others], np.uint64)
    words, answers = np.zeros(n // 16 * 16, np.uint64), np.zeros(n, np.uint64)
    fill(abreast(state), words)
    respond(words, np.full(n, own, np.uint64), np.uint64(keep), np.uint64(others), state, answers)
    counts = np.bincount(answers.astype(np.int64), minlength=others + 1).tolist()

    def law(kept: float) -> list[float]:
        return [kept if answer == own else (1 - kept) / others for answer in range(others + 1)]

    assert chi_square(counts, law(keep / WORD)) > FALSE_ALARM
    assert chi_square(counts, law(keep / WORD * 1.3)) < FALSE_ALARM
    assert chi_square(counts, law(keep / WORD * 0.7)) < FALSE_ALARM


def state_before(word: int) -> list[int]:
    """Return a state whose next word is this: (0, any, any, s) gives s rotated by 23 places."""
    return [0, 0x9E3779B97F4A7C15, 0xD1B54A32D192ED03, (word >> 23 | word << 41) % WORD]


@pytest.mark.parametrize(
    ("word", "keep", "drawn", "answer"),
    [
        (0, 1, 0, 7),  # the halves are equal, and the low one drawn is below
        (0, 1, 1, None),  # it is not, and the low half of 0 has to be redrawn: 2³² mod 10 is 6
        (5 << 32, (5 << 32) + 9, 8, 7),
        (5 << 32 | 0xFFFFFFFF, (5 << 32) + 9, 9, 10),
        (4 << 32, 5 << 32, 0, 7),
        (6 << 32, 5 << 32, 0xFFFFFFFF, None),
        (5 << 32 | 0xFFFFFFFF, 5 << 32, 0, 10),
        (WORD - 1, WORD - 1, 0xFFFFFFFE, 7),
        (WORD - 1, WORD - 1, 0xFFFFFFFF, 10),
    ],
)
def test_the_last_binary_digit_of_keep_counts(word: int, keep: int, drawn: int, answer: int | None) -> None:
    plain = state_before(drawn << 32)
    state = np.array(plain, np.uint64)
    answers = np.zeros(1, np.uint64)
    respond(np.array([word], np.uint64), np.array([7], np.uint64), np.uint64(keep), np.uint64(10), state, answers)
    if answer is None:  # redrawn from the stream, after the low half if that was drawn
        plain_words(plain, 1 if word >> 32 == keep >> 32 else 0)
        product = (plain_words(plain, 1)[0] >> 32) * 10
        assert product % (1 << 32) >= 6
        answer = (product >> 32) + ((product >> 32) >= 7)
        assert answer > 0  # what the word itself would give
    assert answers[0] == answer


def test_a_pick_in_the_remainder_is_drawn_again() -> None:
    """Of 3 · 2³⁰ others, products whose low half is 0 are left out: without, multiples of 3 come twice as often."""
    n, others = 30_000, 3 << 29
    state = np.array([1, 2, 3, 4], np.uint64)
    words, answers = np.zeros(n // 16 * 16, np.uint64), np.zeros(n, np.uint64)
    fill(abreast(state), words)
    respond(words, np.full(n, others, np.uint64), np.uint64(1), np.uint64(others), state, answers)
    counts = np.bincount((answers % np.uint64(3)).astype(np.int64), minlength=3).tolist()
    assert chi_square(counts, [1 / 3] * 3) > FALSE_ALARM
    assert chi_square(counts, [1 / 2, 1 / 4, 1 / 4]) < FALSE_ALARM
