"""What a report is made of: a key that keeps its type, order and length, and its elements.

A report is whatever the server receives, so 1, 1.0, "1" and True are four reports, [1, 2] and [2, 1] are two, and
{1, 2} and {2, 1} are one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from qifldp.errors import InputError, shown

DEEPEST = 8
"""Levels of nesting of a report at most."""

LONGEST = 1 << 20
"""Elements of one report at most."""

SEPARATORS = re.compile(r"[\s,;]+")


@dataclass(frozen=True, slots=True)
class Structure:
    """A report taken apart.

    Attributes:
        key: What two reports share only if they are the same report.
        shape: Its type and length, in words.
        elements: What it holds: numbers, or texts; of a set in the order of their texts.
        ordered: Whether the order of the elements is part of the report.
    """

    key: Hashable
    shape: str
    elements: tuple[object, ...]
    ordered: bool


def take_apart(report: object) -> Structure:
    """Return the structure of a report.

    Raises:
        InputError: If it is too deep, too long, or something that cannot be compared.
    """
    if isinstance(report, np.ndarray):
        return _array(report)
    if isinstance(report, str):
        return Structure(("str", report), f"text of {len(report)}", _tokens(report), ordered=True)
    if isinstance(report, bytes | bytearray | memoryview):
        content = bytes(report)
        _check_length(len(content))
        name = type(report).__name__
        return Structure((name, content), f"{name} of {len(content)}", tuple(content), ordered=True)
    if isinstance(report, list | tuple):
        _check_length(len(report))
        name = type(report).__name__
        return Structure(key(report), f"{name} of {len(report)}{_within(report)}", tuple(_flat(report)), ordered=True)
    if isinstance(report, set | frozenset):
        _check_length(len(report))
        name = type(report).__name__
        members = tuple(sorted(map(_plain, report), key=str))
        return Structure(key(report), f"{name} of {len(report)}", members, ordered=False)
    if isinstance(report, dict):
        _check_length(len(report))
        pairs = tuple(f"{_plain(name)}={_plain(value)}" for name, value in report.items())
        return Structure(key(report), f"dict of {len(report)}", pairs, ordered=True)
    return Structure(key(report), type(report).__name__, (_plain(report),), ordered=False)


def key(report: object, depth: int = 0) -> Hashable:  # noqa: C901  # one case for each kind of report
    """Return a hashable stand-in for a report, equal for two only if their type, order and length are.

    Raises:
        InputError: If the report is too deep, or something that cannot be compared.
    """
    if depth > DEEPEST:
        raise InputError(f"A report is nested more than {DEEPEST} levels deep.")
    if isinstance(report, np.ndarray):
        if report.dtype.hasobject:
            return ("array", "object", report.shape, tuple(key(part, depth + 1) for part in report.ravel().tolist()))
        return ("array", report.dtype.str, report.shape, report.tobytes())
    if isinstance(report, np.generic):
        return (f"numpy.{report.dtype.name}", report.tobytes())
    if isinstance(report, float):
        return ("float", report.hex() if math.isfinite(report) else repr(report))
    if isinstance(report, list | tuple):
        return (type(report).__name__, tuple(key(part, depth + 1) for part in report))
    if isinstance(report, set | frozenset):
        return (type(report).__name__, frozenset(key(part, depth + 1) for part in report))
    if isinstance(report, dict):
        return ("dict", tuple((key(name, depth + 1), key(value, depth + 1)) for name, value in report.items()))
    if isinstance(report, bytearray | memoryview):
        return (type(report).__name__, bytes(report))
    if report is None:
        return ("none",)
    if not isinstance(report, Hashable) or type(report).__hash__ is object.__hash__:
        raise InputError.expected(
            "A report", "a number, a text, bytes, an array, or a list, tuple, set or dict of these", report
        )
    return (type(report).__name__, report)


def text(element: object) -> str:
    """Return an element as the text that a label of the domain is compared with."""
    return element if isinstance(element, str) else repr(element)


def words(report: object) -> str:
    """Return a report in short words, for people."""
    if isinstance(report, np.ndarray):
        return shown(report.ravel().tolist())
    return shown(report)


def _array(report: np.ndarray[Any, Any]) -> Structure:
    _check_length(report.size)
    flat = report.ravel().tolist()
    shape = "×".join(map(str, report.shape)) if report.ndim != 1 else str(report.size)
    name = f"{report.dtype} array of {shape}" if report.ndim else f"numpy {report.dtype}"
    return Structure(key(report), name, tuple(map(_plain, flat)), ordered=report.ndim > 0)


def _flat(report: list[Any] | tuple[Any, ...]) -> Iterator[object]:
    """Yield the parts of a list, with those of the lists in it in their place."""
    for part in report:
        if isinstance(part, list | tuple):
            yield from _flat(part)
        elif isinstance(part, np.ndarray):
            yield from map(_plain, part.ravel().tolist())
        else:
            yield _plain(part)


def _within(report: list[Any] | tuple[Any, ...]) -> str:
    """Return the lengths of the lists in a list, in words."""
    inner = [len(part) for part in report if isinstance(part, list | tuple | set | frozenset | np.ndarray)]
    return f", of {', '.join(map(str, inner[:DEEPEST]))} in them" if inner else ""


def _plain(part: object) -> object:
    """Return a part as a number or a text."""
    if isinstance(part, np.generic):
        part = part.item()
    if isinstance(part, bool | int | float | str):
        return part
    if isinstance(part, np.ndarray):
        return str(part.tolist())
    return str(sorted(part, key=str)) if isinstance(part, set | frozenset) else str(part)


def _tokens(report: str) -> tuple[object, ...]:
    """Return what a text holds: its words, if it has several, else itself."""
    _check_length(len(report))
    found = tuple(part for part in SEPARATORS.split(report) if part)
    return found if len(found) > 1 else (report,)


def _check_length(length: int) -> None:
    if length > LONGEST:
        raise InputError.expected("A report", f"of at most {LONGEST:,} elements", length)
