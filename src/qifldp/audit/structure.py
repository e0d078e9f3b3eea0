"""What a report is made of: a key that keeps its type, order and length, and its elements.

A report is whatever the server receives, so 1, 1.0, "1" and True are four reports, [1, 2] and [2, 1] are two, and
{1, 2} and {2, 1} are one.
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from typing import Any

import numpy as np

from qifldp.errors import InputError, shown

DEEPEST = 8
"""Levels of nesting of a report at most."""

LONGEST = 1 << 20
"""Elements of one report at most, those of all that is in it together, and each as often as it is in it."""

SEPARATORS = re.compile(r"([\s,;]+)")

BARE = "without separators"
"""How a text of one word, or of bits, is written."""

PLAIN = (int, str, bytes, bool, type(None))
"""Types whose values are equal only if they are the same."""

DERIVED = (int, float, complex, str, bytes, bytearray, list, tuple, set, frozenset, dict)
"""Types from which others are derived, whose reports may have attributes as well."""

FLOAT_BITS = 1024
"""Whole numbers of so many bits and more are beyond every float."""


@dataclass(frozen=True, slots=True)
class Structure:
    """A report taken apart.

    Attributes:
        shape: Its type and length, in words.
        elements: What it holds: numbers, or texts; of a set in the order of their texts.
        ordered: Whether the order of the elements is part of the report.
        spellings: How each element is written, beside its value: its type, or in a text the separators around it.
    """

    shape: str
    elements: tuple[object, ...]
    ordered: bool
    spellings: tuple[str, ...] = ()


def take_apart(report: object) -> Structure:
    """Return the structure of a report that has a :func:`key`.

    Raises:
        InputError: If it is too long.
    """
    name = _type(report)
    if isinstance(report, np.void) and report.dtype.names is not None:
        report = np.asarray(report)
    if isinstance(report, np.ndarray):
        elements, spellings = _array_parts(report)
        return Structure(_array_shape(report), elements, report.ndim > 0, spellings)
    if isinstance(report, str):
        _check_length(len(report))
        elements, spellings = _tokens(report)
        what = "text" if type(report) is str else name
        return Structure(f"{what} of {len(report)}", elements, ordered=True, spellings=spellings)
    if isinstance(report, bytes | bytearray | memoryview):
        content = bytes(report)
        _check_length(len(content))
        return Structure(f"{name} of {len(content)}", tuple(content), True, ("byte",) * len(content))
    if isinstance(report, list | tuple):
        _check_length(len(report))
        parts = list(_flat(report))
        elements, spellings = tuple(part for part, _ in parts), tuple(spelling for _, spelling in parts)
        return Structure(f"{name} of {len(report)}{_within(report)}", elements, True, spellings)
    if isinstance(report, set | frozenset):
        _check_length(len(report))
        parts = sorted(((_plain(part), _spelling(part)) for part in report), key=lambda pair: (str(pair[0]), pair[1]))
        elements, spellings = tuple(part for part, _ in parts), tuple(spelling for _, spelling in parts)
        return Structure(f"{name} of {len(report)}", elements, False, spellings)
    if isinstance(report, dict):
        _check_length(len(report))
        pairs = tuple(f"{_plain(field)}={_plain(value)}" for field, value in report.items())
        types = tuple(f"{_spelling(field)}={_spelling(value)}" for field, value in report.items())
        return Structure(f"{name} of {len(report)}", pairs, True, types)
    return Structure(name, (_plain(report),), False, (_spelling(report),))


def key(report: object) -> Hashable:
    """Return a hashable stand-in for a report, equal for two only if their type, order and length are.

    What is derived from a type of Python's has its attributes in it, a masked array what is under its mask, and a
    structured one the names of its fields. Of other objects that can be hashed, two are the same if they are equal and
    written alike (``repr``): Decimal("1.0") and Decimal("1.00") are two.

    Raises:
        InputError: If the report is too deep or too long, or something that cannot be compared.
    """
    return (type(report).__name__, report) if type(report) in PLAIN else _Key().of(report)


class _Key:
    """The stand-in of one report, and how many elements it has so far."""

    def __init__(self) -> None:
        self._elements = 0

    def of(self, report: object, depth: int = 0) -> Hashable:
        """Return the stand-in of a report, or of a part of one."""
        self._count(1)
        if type(report) in PLAIN:
            return (type(report).__name__, report)
        if depth > DEEPEST:
            raise InputError(f"A report is nested more than {DEEPEST} levels deep.")
        found = (_type(report), *self._content(report, depth + 1))
        if type(report) in DERIVED or not isinstance(report, DERIVED) or isinstance(report, Enum):
            return found  # the attributes of an Enum's member are those of its type
        attributes = object.__getstate__(report)
        return found if attributes is None else (*found, self.of(attributes, depth + 1))

    def _content(self, report: object, depth: int) -> tuple[Hashable, ...]:  # noqa: C901  # a case for each kind
        if isinstance(report, np.ndarray):
            return self._array(report, depth)
        if isinstance(report, np.void) and report.dtype.names is not None:
            return self._array(np.asarray(report), depth)
        if isinstance(report, np.generic):
            return (report.dtype.str, report.tobytes())
        if isinstance(report, float):
            return (struct.pack("d", report),)
        if isinstance(report, complex):
            return (struct.pack("dd", report.real, report.imag),)
        if isinstance(report, int):
            return (int.__index__(report),)
        if isinstance(report, str):
            return (str.__str__(report),)
        if isinstance(report, bytes | bytearray):
            self._count(len(report))
            return (bytes(report),)
        if isinstance(report, memoryview):
            self._count(report.nbytes)
            return (report.format, report.shape, bytes(report))
        if isinstance(report, list | tuple):
            return (tuple(self.of(part, depth) for part in report),)
        if isinstance(report, set | frozenset):
            return (frozenset(self.of(part, depth) for part in report),)
        if isinstance(report, dict):
            return (tuple((self.of(field, depth), self.of(value, depth)) for field, value in report.items()),)
        if is_dataclass(report) and not isinstance(report, type):
            return (tuple(self.of(getattr(report, field.name), depth) for field in fields(report)),)
        if not isinstance(report, Hashable) or type(report).__hash__ is object.__hash__:
            raise InputError.expected(
                "A report", "a number, a text, bytes, an array, or a list, tuple, set or dict of these", report
            )
        written = None if type(report).__repr__ is object.__repr__ else repr(report)  # that one tells where it is kept
        return (report, written)

    def _array(self, report: np.ndarray[Any, Any], depth: int) -> tuple[Hashable, ...]:
        if isinstance(report, np.ma.MaskedArray):
            filling = None if report is np.ma.masked else report.fill_value  # that constant has none to be had
            return tuple(self.of(np.asarray(part), depth) for part in (report.data, report.mask, filling))
        array, names = np.asarray(report), report.dtype.names
        if names is not None:  # field by field, without what lies between them
            return (repr(report.dtype), report.shape, tuple(self.of(array[name], depth) for name in names))
        self._count(array.size)
        about = (array.dtype.str, array.shape, array.flags.fnc)  # in what order the server is sent it, too
        if array.dtype.hasobject:
            return (*about, tuple(self.of(part, depth) for part in array.ravel().tolist()))
        return (*about, array.tobytes())

    def _count(self, elements: int) -> None:
        self._elements += elements
        _check_length(self._elements)


def text(element: object) -> str:
    """Return an element as the text that a label of the domain is compared with."""
    return element if isinstance(element, str) else repr(element)


def words(report: object) -> str:
    """Return a report in short words, for people."""
    if isinstance(report, np.ndarray):
        return shown(report.ravel().tolist())
    return shown(report)


def _type(report: object) -> str:
    return _called(type(report))  # type: ignore[arg-type]  # types can be hashed


@lru_cache(maxsize=1024)
def _called(kind: type) -> str:
    """Return what a type is called: with its module, if it is not built in."""
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _spelling(part: object) -> str:
    """Return how a part is written, beside its value: its type, and the sign that a zero or no number has."""
    name = _type(part)
    if isinstance(part, float | np.floating) and (part == 0 or math.isnan(part)) and math.copysign(1, part) < 0:
        return f"{name} with a minus"
    return f"{name} {part.dtype}" if isinstance(part, np.void) else name  # its fields


def _array_shape(report: np.ndarray[Any, Any]) -> str:
    """Return the type and the lengths of an array, in words."""
    shape = "×".join(map(str, report.shape)) if report.ndim != 1 else str(report.size)
    name = f"{report.dtype} array of {shape}" if report.ndim else f"numpy {report.dtype}"
    if report.flags.fnc:
        name += ", by columns"
    return name if type(report) is np.ndarray else f"{_type(report)}, {name}"


def _array_parts(report: np.ndarray[Any, Any]) -> tuple[tuple[object, ...], tuple[str, ...]]:
    """Return the elements of an array, and how they are written; those under a mask are said to be masked."""
    _check_length(report.size)
    array = np.asarray(report.data if isinstance(report, np.ma.MaskedArray) else report)
    flat = array.ravel().tolist()
    signed = array.dtype.kind == "f" and bool((np.signbit(array) & ((array == 0) | np.isnan(array))).any())
    each = signed or array.dtype.hasobject
    spellings = tuple(map(_spelling, flat)) if each else (str(array.dtype),) * len(flat)
    if isinstance(report, np.ma.MaskedArray):
        masked = [np.any(mask.tolist()) for mask in np.ma.getmaskarray(report).ravel()]
        spellings = tuple(f"masked {way}" if hidden else way for way, hidden in zip(spellings, masked, strict=True))
    return tuple(map(_plain, flat)), spellings


def _flat(report: list[Any] | tuple[Any, ...], within: str = "") -> Iterator[tuple[object, str]]:
    """Yield the parts of a list with their spellings, those of the lists in it in their place."""
    for part in report:
        if isinstance(part, list | tuple):
            yield from _flat(part, f"{within} in a {_type(part)}")
        elif isinstance(part, np.ndarray):
            for element, spelling in zip(*_array_parts(part), strict=True):
                yield element, f"{spelling} in an array{within}"
        else:
            yield _plain(part), f"{_spelling(part)}{within}"


def _within(report: list[Any] | tuple[Any, ...]) -> str:
    """Return the lengths of the lists in a list, in words."""
    inner = [
        np.size(part) if isinstance(part, np.ndarray) else len(part)
        for part in report
        if isinstance(part, list | tuple | set | frozenset | np.ndarray)
    ]
    return f", of {', '.join(map(str, inner[:DEEPEST]))} in them" if inner else ""


def _plain(part: object) -> object:
    """Return a part as a number or a text; whole numbers that are beyond all floats as a text."""
    if isinstance(part, np.generic):
        part = part.item()
    if isinstance(part, int) and part.bit_length() >= FLOAT_BITS:
        return hex(part)
    if isinstance(part, bool | int | float | str):
        return part
    if isinstance(part, np.ndarray):
        return str(part.tolist())
    return str(sorted(part, key=str)) if isinstance(part, set | frozenset) else str(part)


def _tokens(report: str) -> tuple[tuple[object, ...], tuple[str, ...]]:
    """Return what a text holds, its words, or itself if it has none; and the separators around each.

    Of several words the first and the last have the one that they have twice, unless the text begins or ends with one.
    """
    found = SEPARATORS.split(report)  # words and separators in turn
    between, parts = found[1::2], found[::2]
    before, after = ["", *between], [*between, ""]
    told = [place for place, part in enumerate(parts) if part]
    if not told or len(parts) == 1:
        return (report,), (BARE,)
    spellings = tuple(
        f"between {before[place] or after[place]!r} and {after[place] or before[place]!r}" for place in told
    )
    return tuple(parts[place] for place in told), spellings


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise InputError.expected("A report", f"of at most {LONGEST:,} elements", length)
