"""Exact choices from bytes: every bit and every number is decided as the whole numbers say."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pytest

from qifldp.collection.entropy import BLOCK, WORD, Entropy


def played(numbers: Iterable[int], size: int) -> tuple[Callable[[int], bytes], list[int]]:
    """Return a source that plays whole numbers, most significant byte first, and what it was asked for."""
    tape = b"".join(number.to_bytes(size, "big") for number in numbers)
    asked: list[int] = []

    def source(count: int) -> bytes:
        start = sum(asked)
        asked.append(count)
        assert start + count <= len(tape), "more bytes than one choice may take"
        return tape[start : start + count]

    return source, asked


@pytest.mark.parametrize("chance", [0, 1, 255, 256, 1 << 32, (1 << 63) - 1, 1 << 63, 0x0123456789ABCDEF, WORD - 1])
def test_a_bit_is_whether_a_uniform_number_is_below_the_chance(chance: int) -> None:
    near = {chance + step for step in (-257, -256, -255, -1, 0, 1, 255, 256, 257)}
    for number in sorted(near | {0, 1 << 63, WORD - 1}):
        if 0 <= number < WORD:
            source, _ = played([number], 8)
            assert Entropy(source).bernoulli(chance, 1).tolist() == [number < chance]


def test_most_bits_take_one_byte_and_each_has_its_own_chance() -> None:
    source, asked = played([0x7F, 0x80, 0x81, 0x00], 1)
    assert Entropy(source).bernoulli(0x8080808080808080, 3).tolist() == [True, True, False]
    assert asked == [3, 1]  # the second was equal in its first byte
    chances = np.array([0, WORD - 1, 1 << 63], np.uint64)
    drawn = Entropy(np.random.default_rng(1).bytes).bernoulli_each(chances, 30_000).reshape(-1, 3)
    assert not drawn[:, 0].any()
    assert drawn[:, 1].all()
    assert abs(drawn[:, 2].mean() - 0.5) < 4.9 * 0.5 / 100  # of 10,000 coins: false alarm 1e-6


@pytest.mark.parametrize(
    ("limit", "size"), [(1, 2), (2, 2), (255, 2), (256, 2), (257, 4), (1 << 24, 4), ((1 << 24) + 1, 8), (1 << 32, 8)]
)
def test_a_number_below_a_limit_is_a_remainder_of_the_whole_multiples_only(limit: int, size: int) -> None:
    most = (1 << (8 * size)) // limit * limit
    for number in (0, limit - 1, limit, most - 1):
        tape = number.to_bytes(size, "little")
        assert Entropy(lambda count, tape=tape: tape[:count]).below(limit, 1).tolist() == [number % limit]  # type: ignore[misc]
    if most < 1 << (8 * size):  # the first is refused, the second taken
        tapes = iter([most.to_bytes(size, "little"), bytes(size)])
        assert Entropy(lambda count: next(tapes)).below(limit, 1).tolist() == [0]
        assert next(tapes, None) is None


def test_integers_are_the_bytes_of_the_source_in_blocks() -> None:
    source = np.random.default_rng(1)
    count = BLOCK // 8 + 5
    found = Entropy(source.bytes).integers(count, np.uint64)
    again = np.random.default_rng(1)
    tape = again.bytes(BLOCK) + again.bytes(40)
    assert found.tobytes() == tape
    assert Entropy().integers(2, np.uint64)[0] != Entropy().integers(2, np.uint64)[0]  # equal with chance 2⁻⁶⁴
