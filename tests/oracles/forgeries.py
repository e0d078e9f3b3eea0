"""Every small change to a certificate's document that a forger could try, for tests only."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

Document = dict[str, Any]
Step = str | int

WRONG: tuple[object, ...] = (
    None,
    True,
    1.5,
    -1,
    10**12,
    [],
    {},
    "",
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "1/0",
    "é" * 500,
)
"""Values of a wrong type or size, tried in every place."""

SIMPLE = ("identical", "equal_ratio", "bitwise", "one_size")
"""Kinds of proof without numbers."""


def forgeries(document: Document) -> Iterator[tuple[str, Document]]:
    """Yield changed copies of a certificate, each with a name."""
    yield from _whole(document)
    yield from changed_places(document)


def changed_places(document: Document) -> Iterator[tuple[str, Document]]:
    """Yield copies of any document with one place changed, removed, renamed or doubled, each with a name."""
    for path, value in _places(document, ()):
        where = "/".join(map(str, path))
        for index, other in enumerate(_replacements(value)):
            yield f"{where}: replacement {index}", _with(document, path, other)
        parent = _at(document, path[:-1])
        last = path[-1]
        removed = copy.deepcopy(document)
        del _at(removed, path[:-1])[last]
        yield f"{where}: removed", removed
        if isinstance(parent, dict):
            renamed = copy.deepcopy(removed)
            _at(renamed, path[:-1])[f"{last}_"] = value
            yield f"{where}: renamed", renamed
        else:
            doubled = copy.deepcopy(document)
            _at(doubled, path[:-1]).insert(last, copy.deepcopy(value))
            yield f"{where}: twice", doubled


def _whole(document: Document) -> Iterator[tuple[str, Document]]:
    flipped = {"refines": "does_not_refine", "does_not_refine": "refines"}[document["verdict"]]
    yield "verdict flipped", document | {"verdict": flipped}
    swapped = document | {"original": document["refined"], "refined": document["original"]}
    yield "sides swapped", swapped
    yield "sides swapped, verdict flipped", swapped | {"verdict": flipped}
    yield "original twice", document | {"refined": document["original"]}
    yield "refined twice", document | {"original": document["refined"]}
    other_order = {"average": "max", "max": "average"}[document["order"]]
    reordered: tuple[Document, ...] = (document, swapped, document | {"verdict": flipped})
    for index, base in enumerate(reordered):
        yield f"order changed {index}", base | {"order": other_order}
    for kind in SIMPLE:
        simple: Document = {"proof": {"kind": kind}}
        yield f"{kind} instead", document | simple
        yield f"{kind} instead, sides swapped", swapped | simple
        yield f"{kind} instead, verdict flipped", document | simple | {"verdict": flipped}
    yield "one more field", document | {"comment": "believe me"}
    for key, rows in document["proof"].items():
        if isinstance(rows, list):
            for name, changed in (("none", []), ("half", rows[: len(rows) // 2]), ("reversed", rows[::-1])):
                yield f"proof: {name}", document | {"proof": document["proof"] | {key: changed}}
            nothing = {"proof": document["proof"] | {key: _zeroed(rows)}}
            yield f"proof: {key} all zero", document | nothing
            yield f"proof: {key} all zero, sides swapped", swapped | nothing


def _zeroed(value: object) -> object:
    return [_zeroed(entry) for entry in value] if isinstance(value, list) else "0" if isinstance(value, str) else value


def _places(value: object, path: tuple[Step, ...]) -> Iterator[tuple[tuple[Step, ...], object]]:
    if path:
        yield path, value
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from _places(child, (*path, key))


def _replacements(value: object) -> Iterator[object]:
    yield from WRONG
    if isinstance(value, int):
        yield from (value + 1, value + 2, max(value - 1, 0), -value, 0, float(value), str(value))
    if isinstance(value, str):
        try:
            number = Fraction(value)
        except (ValueError, ZeroDivisionError):
            yield from (value.upper(), value + "0", f"{value},omega=1", value[::-1])
            return
        yield float(number)
        for factor in ("99/100", "101/100", "1/2", "2", "10", "1/1000", "-1"):
            yield str(number * Fraction(factor))
        yield str(number + 1)


def _at(document: Any, path: tuple[Step, ...]) -> Any:
    for step in path:
        document = document[step]
    return document


def _with(document: Document, path: tuple[Step, ...], value: object) -> Document:
    changed = copy.deepcopy(document)
    _at(changed, path[:-1])[path[-1]] = value
    return changed
