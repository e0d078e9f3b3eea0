"""Order, length and type are part of a report."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from dataclasses import dataclass
from decimal import Decimal
from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from qifldp.audit.structure import key, take_apart, words
from qifldp.errors import InputError


@dataclass(frozen=True)
class Answer:
    value: object


class Numbers(list[int]):
    """A list of another type."""


class Number(float):
    """A number of another type."""


class Whole(int):
    """The same."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


class Word(str):
    """A text that says that it is like every other."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


class Slotted(list[int]):
    """A list with one attribute."""

    __slots__ = ("secret",)


class Small(IntEnum):
    ONE = 1
    TWO = 2


def told(report: Any, secret: object) -> object:
    report.secret = secret
    return report


def masked(values: list[int], mask: Any, fill: int | None = None) -> object:
    return np.ma.MaskedArray(values, mask=mask, fill_value=fill)


def record(kind: object) -> NDArray[np.void]:
    return np.array([(1, 2)], dtype=kind)  # type: ignore[call-overload]


class Unequal:
    def __hash__(self) -> int:
        return 1

    def __eq__(self, other: object) -> bool:
        raise ValueError("never")


DIFFERENT: list[object] = [
    Decimal("1.0"), Decimal("1.00"), Answer(1), Answer(True), Answer([1]), Answer((1,)), complex(0.0, 0.0),
    complex(-0.0, 0.0), -float("nan"), OrderedDict(a=1), {"a": 1}, Numbers([1]), memoryview(b"1"),
    memoryview(b"1").cast("b"), [True], [np.int64(1)],
    1, 1.0, "1", True, b"1", None, np.int64(1), np.int32(1), np.float64(1), np.bool_(True), bytearray(b"1"),
    [1], (1,), {1}, frozenset({1}), {"1": 1}, np.array([1]), np.array([1], np.int8), np.array([[1]]), np.array(1),
    [1, 2], [2, 1], [1, 2, 2], (1, 2), {1, 2}, [[1], 2], [1, [2]], ["1", 2], np.array([1, 2]), np.array([2, 1]),
    "01", "10", "010", [0, 1], [False, True], {"a": 1, "b": 2}, {"b": 2, "a": 1}, float("nan"), float("inf"), 0.0, -0.0,
    record([("a", int), ("b", int)]), record([("a", int), ("c", int)]), record([("a", int), ("b", float)]),
    record([("a", int), ("b", int)])[0], record([("a", int), ("c", int)])[0],
    masked([1, 9], [False, True]), masked([1, 9], [False, False]), masked([1, 9], np.ma.nomask),
    masked([1, 8], [False, True]), masked([1, 9], [False, True], fill=7), np.ma.masked,
    np.asfortranarray([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]),
    Number(1), Number(2), told(Number(1), 1), told(Number(1), 2), told(Numbers([1]), 1), told(Slotted([1]), 1),
    Slotted([1]), Whole(1), Whole(2), Word("1"), Word("2"), Small.ONE, Small.TWO,
    np.array([1, "1"], object), np.array(["1", 1], object), "", [], (), set(), {}, b"",
]  # fmt: skip


def test_reports_that_differ_in_value_type_order_or_length_have_different_keys() -> None:
    for first, second in itertools.combinations(DIFFERENT, 2):
        assert key(first) != key(second), (first, second)


ALIKE: list[tuple[object, object]] = [
    ({1, 2}, {2, 1}), (np.array([1, 2]), np.array([1, 2])), (float("nan"), float("nan")), ([1, {3, 2}], [1, {2, 3}]),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), ALIKE, ids=str)
def test_reports_that_are_the_same_have_one_key(first: object, second: object) -> None:
    assert key(first) == key(second)
    assert hash(key(first)) == hash(key(second))


STRUCTURES: list[tuple[object, str, tuple[object, ...], bool]] = [
    (7, "int", (7,), False),
    (np.int8(7), "numpy.int8", (7,), False),
    (10**400, "int", (hex(10**400),), False),
    (Answer(3), f"{__name__}.Answer", ("Answer(value=3)",), False),
    ("7", "text of 1", ("7",), True),
    ("7 3, 9", "text of 6", ("7", "3", "9"), True),
    ([7, 3], "list of 2", (7, 3), True),
    ((7, [3, 4], "a"), "tuple of 3, of 2 in them", (7, 3, 4, "a"), True),
    ({3, 7}, "set of 2", (3, 7), False),
    (b"\x01\xff", "bytes of 2", (1, 255), True),
    (np.array([[1, 0], [0, 1]], np.uint8), "uint8 array of 2×2", (1, 0, 0, 1), True),
    ({"y": 3, "z": [1]}, "dict of 2", ("y=3", "z=[1]"), True),
    (record([("a", int), ("b", int)]), "[('a', '<i8'), ('b', '<i8')] array of 1", ("(1, 2)",), True),
    (record([("a", int), ("b", int)])[0], "numpy [('a', '<i8'), ('b', '<i8')]", ("(1, 2)",), False),
    (masked([1, 9], [False, True]), "numpy.ma.MaskedArray, int64 array of 2", (1, 9), True),
    (np.asfortranarray([[1, 2], [3, 4]]), "int64 array of 2×2, by columns", (1, 2, 3, 4), True),
]


@pytest.mark.parametrize(("report", "shape", "elements", "ordered"), STRUCTURES, ids=str)
def test_a_report_is_taken_apart(report: object, shape: str, elements: tuple[object, ...], ordered: bool) -> None:
    found = take_apart(report)
    assert (found.shape, found.elements, found.ordered) == (shape, elements, ordered)


SPELLINGS: list[tuple[object, tuple[str, ...]]] = [
    ([1, True, np.int64(1), "1"], ("int", "bool", "numpy.int64", "str")),
    ([0.0, -0.0, 1.0], ("float", "float with a minus", "float")),
    (np.array([0.0, -0.0]), ("float", "float with a minus")),
    (np.array([0.0, 1.0]), ("float64", "float64")),
    ([(1,), [1]], ("int in a tuple", "int in a list")),
    (masked([1, 9], [False, True]), ("int64", "masked int64")),
    ([record([("a", int), ("b", int)])[0]], ("numpy.void [('a', '<i8'), ('b', '<i8')]",)),
    ([masked([1, 9], [False, True])], ("int64 in an array", "masked int64 in an array")),
    ({2, 1}, ("int", "int")),
    ({"a": 1}, ("str=int",)),
    ("1,2;3", ("between ',' and ','", "between ',' and ';'", "between ';' and ';'")),
    ("1,2,3", ("between ',' and ','",) * 3),
    ("1\r", ("between '\\r' and '\\r'",)),
    ("1", ("without separators",)),
    (" ", ("without separators",)),
]


@pytest.mark.parametrize(("report", "spellings"), SPELLINGS, ids=str)
def test_how_elements_are_written_is_part_of_a_report(report: object, spellings: tuple[str, ...]) -> None:
    assert take_apart(report).spellings == spellings


def test_what_cannot_be_compared_is_refused() -> None:
    deep: list[object] = []
    for _ in range(10):
        deep = [deep]
    with pytest.raises(InputError) as refused:
        key(deep)
    assert str(refused.value) == "A report is nested more than 8 levels deep."
    with pytest.raises(InputError) as refused:
        key(object)
    with pytest.raises(
        InputError, match=r"^A report must be a number, a text, bytes, an array, or a list, tuple, set or "
    ):
        key(iter([]))


def test_lists_that_are_held_many_times_count_each_time() -> None:
    shared: list[object] = [0] * 30
    for _ in range(4):
        shared = [shared] * 30
    for report in (shared, [bytearray(1 << 16)] * 17, {"a": [np.zeros(1 << 19), np.zeros(1 << 19)]}):
        with pytest.raises(InputError, match=r"^A report must be of at most 1,048,576 elements, got 1\d{6}\.$"):
            key(report)
    with pytest.raises(InputError, match=r"^A report must be of at most 1,048,576 elements, got 10000000001\.$"):
        key(np.broadcast_to(np.int8(1), (10**5, 10**5)))
    assert key([0] * 1000) == key([0] * 1000)


def test_reports_are_shown_without_control_characters_and_not_at_length() -> None:
    assert words("\x1b[2J") == "'\\x1b[2J'"
    assert len(words(list(range(1000)))) == 60
