"""From reports of any kind to columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.blame import failure
from qifldp.audit.columns import BITS, HOLDS, POSITIONS, SUPPORTS, Codes, Columns, Field, Statistic, Told
from qifldp.audit.parts import PLACES, categories, ranks, shortened, text_fields, told_apart, with_form
from qifldp.audit.structure import BARE, Structure, key, take_apart, text, words
from qifldp.collection.bits import UnaryMechanism
from qifldp.collection.mechanism import Mechanism
from qifldp.collection.subsets import SubsetMechanism
from qifldp.errors import InputError
from qifldp.protocols.protocol import Protocol

Supports = Callable[[object, object], object]
"""Says whether a report supports a value."""

MOSTLY = 0.9
"""Share of reports that have to be bits, for the others to be taken for bits that have gone wrong."""

FOREIGN = 256
"""Elements that are no values of the domain, and looked at one by one."""

MOST_SPELLINGS = 30
"""Ways to write an element that are told apart; the rarer ones are one more."""

ZEROS, ONES = (0, "0"), (1, "1")
"""Bits, as numbers of any type (True is 1, and 0.0 is 0) or as text."""

BYTES = ("bytes", "bytearray", "memoryview")
"""Beginnings of the shapes of reports of bytes, whose elements are no values."""

BINS = 8
"""Levels of a number that stands at a value's place."""


def encode(
    reports: Sequence[object],
    labels: tuple[str, ...],
    watched: NDArray[np.int64],
    *,
    values: Sequence[object],
    learn: NDArray[np.int64],
    declared: Protocol | None = None,
    supports: Supports | None = None,
) -> Columns:
    """Return reports as columns.

    Args:
        reports: The reports.
        labels: The domain, as text.
        watched: Places of the values that are looked at.
        values: The same as the client takes them, for ``supports``.
        learn: Places of the reports that thresholds, and ways to write an element, may be taken from.
        declared: The protocol that they are said to be of.
        supports: Says which values a report supports, where its form does not.

    Raises:
        InputError: If a report cannot be compared, or its form does not say what a declared protocol needs.
    """
    codes, distinct, originals = find_distinct(reports)
    k, column_of = len(labels), {labels[place]: column for column, place in enumerate(watched.tolist())}
    known = set(labels)
    distinct = [_read_text(each, original, k, known) for each, original in zip(distinct, originals, strict=True)]
    is_bits = np.array([_is_bits(each, k) for each in distinct])
    bits = bool(is_bits[codes].mean() >= MOSTLY)
    by_place = bits or all(_is_numbers(each, k) for each in distinct)
    statistics: list[Statistic] = []
    if supports is not None:
        table = np.array([[_told(supports, report, value) for value in values] for report in originals], np.uint8)
        statistics.append(Statistic(SUPPORTS, table.reshape(len(originals), len(watched))[codes]))
    if bits:
        rows = [
            [part in ONES for part in each.elements] if fits else [False] * k
            for each, fits in zip(distinct, is_bits.tolist(), strict=True)
        ]
        table = np.array(rows, np.uint8)[:, watched]
        statistics.append(Statistic(BITS, table[codes]))
    elif by_place:
        numbers = np.array([each.elements for each in distinct], float)
        table = _levels(numbers[:, watched], numbers[codes[learn]][:, watched])
        steps = (
            *(f"has a number of level {level} at the place of {{}}" for level in range(BINS)),
            "has what is not a number at the place of {}",
        )
        upper = f"has a number of level {BINS // 2} or more at the place of {{}}"
        statistics.append(Statistic(steps, table[codes], (BINS // 2, upper)))
    held, ordered = _held(distinct, column_of, len(watched))
    if not bits and held.any():
        statistics.append(Statistic(POSITIONS if ordered else HOLDS, held[codes], (1, HOLDS[1])))
    spelled, layouts = _spellings(distinct, codes, column_of, watched if by_place else None, np.unique(codes[learn]))
    times = np.bincount(codes[learn], minlength=len(distinct))
    statistics, fields = statistics + spelled, _fields(distinct, codes, times, known, bits=bits) + layouts
    if not bits:
        fields += text_fields(originals, codes, times)
    told = cache(lambda: told_apart(distinct, originals))  # once, and only if it is asked for
    whole = Field("the whole report", codes, Told(len(distinct), lambda place: told()[place]))
    if declared is None:
        return Columns(statistics, fields, whole)
    judged, sizes, impossible = _judge(declared.mechanism, distinct, codes, labels, statistics, supports is not None)
    if impossible:
        fields.append(Field("whether it can be of the declared protocol", _bad(judged)[codes], ("yes", "no")))
    support = statistics[0].levels > 0 if supports is not None else (held > 0)[codes] if not bits else None
    if support is None:
        support = statistics[0].levels > 0
    complete = supports is None or len(watched) == k
    return Columns(statistics, fields, whole, support, sizes[codes] if complete else None, impossible)


def find_distinct(reports: Sequence[object]) -> tuple[Codes, list[Structure], list[object]]:
    """Return a code for each report, and the structures and first examples of the codes.

    Raises:
        InputError: If a report cannot be compared.
    """
    code_of: dict[object, int] = {}
    originals: list[object] = []
    codes = np.empty(len(reports), np.int64)
    try:
        for place, report in enumerate(reports):
            codes[place] = code = code_of.setdefault(key(report), len(originals))
            if code == len(originals):
                originals.append(report)
        return codes, [take_apart(report) for report in originals], originals
    except InputError:
        raise
    except BaseException as error:  # whatever a client's own type does where it is compared or written
        raise failure("The reports cannot be compared", error) from error


def _levels(numbers: NDArray[np.float64], learned: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the level of each number among those that are learned from, from 0 to BINS − 1; BINS if it is none."""
    learned = learned[~np.isnan(learned)]
    edges = np.quantile(learned, np.arange(1, BINS) / BINS, method="nearest") if learned.size else np.zeros(0)
    levels = np.searchsorted(np.unique(edges), numbers, side="right")
    return np.where(np.isnan(numbers), BINS, levels).astype(np.uint8)


def _told(supports: Supports, report: object, value: object) -> bool:
    try:
        return bool(supports(report, value))
    except BaseException as error:
        raise failure("The function that says which values a report supports failed", error) from error


def _read_text(each: Structure, report: object, domain_size: int, known: set[str]) -> Structure:
    """Return a text that is a value of the domain as that, and one of k zeros and ones as bits."""
    if isinstance(report, str) and report in known:  # which may have spaces in it
        return replace(each, elements=(report,), spellings=(BARE,))
    found = each.elements[0] if len(each.elements) == 1 else None
    if not isinstance(found, str) or len(found) != domain_size or set(found) - {"0", "1"} or found in known:
        return each
    return replace(each, elements=tuple(map(int, found)), ordered=True, spellings=each.spellings * domain_size)


def _is_bits(each: Structure, domain_size: int) -> bool:
    if len(each.elements) != domain_size or not each.ordered:
        return False
    return all(part in ZEROS or part in ONES for part in each.elements)


def _is_numbers(each: Structure, domain_size: int) -> bool:
    if not each.ordered or len(each.elements) != domain_size:
        return False
    return all(isinstance(part, int | float) for part in each.elements)


def _held(distinct: list[Structure], column_of: dict[str, int], width: int) -> tuple[NDArray[np.uint8], bool]:
    """Return where each report has each watched value: levels of POSITIONS, or of HOLDS if nothing is ordered."""
    levels = np.zeros((len(distinct), width), np.uint8)
    ordered = any(each.ordered and len(each.elements) > 1 for each in distinct)
    for row, each in zip(levels, distinct, strict=True):
        last = len(each.elements) - 1
        for place, part in enumerate(each.elements):
            column = column_of.get(text(part))
            if column is not None and not row[column]:
                row[column] = 1 if not ordered or place == 0 else 3 if place == last else 2
    return levels, ordered


def _fields(distinct: list[Structure], codes: Codes, times: Codes, known: set[str], *, bits: bool) -> list[Field]:
    shapes = [each.shape for each in distinct]
    fields = [categories("its type and length", shapes, codes)]
    counts = [sum(part in ONES for part in each.elements) if bits else len(each.elements) for each in distinct]
    fields.append(ranks("the number of ones" if bits else "the number of elements", counts, codes))
    if bits:
        return fields
    longest = max(len(each.elements) for each in distinct)
    if any(each.ordered for each in distinct) or longest == 1:
        for place in range(min(longest, PLACES)):
            parts = [each.elements[place] if place < len(each.elements) else None for each in distinct]
            name = f"element {place + 1}" if longest > 1 else "the report"
            if all(isinstance(part, int | float) for part in parts):
                fields.append(ranks(name, parts, codes))
            if longest > 1:
                fields += with_form(name, [text(part) for part in parts], shapes, codes, times)
    if longest > 1 and not distinct[0].shape.startswith(BYTES):
        fields += _foreign(distinct, codes, known)
    return fields


def _spellings(
    distinct: list[Structure],
    codes: Codes,
    column_of: dict[str, int],
    places: NDArray[np.int64] | None,
    learned: Codes,
) -> tuple[list[Statistic], list[Field]]:
    """Return how elements are written, beside their values, if not all in one way: those of each value, and all.

    Args:
        distinct: The reports.
        codes: Which of them each is.
        column_of: The column of each watched value.
        places: Where the elements of watched values are in reports that have one for each value of the domain; None if
            they hold the values themselves.
        learned: The codes from which is learned which ways to write there are; any other is one of the rarer ones.
    """
    times: Counter[str] = Counter()
    for code in learned.tolist():
        times.update(set(distinct[code].spellings))
    if len(times) < 2:  # one way, or none
        return [], []
    level_of = {spelling: level for level, (spelling, _) in enumerate(times.most_common(MOST_SPELLINGS), 1)}
    other = len(level_of) + 1
    levels = np.zeros((len(distinct), len(column_of)), np.uint8)
    for row, each in zip(levels, distinct, strict=True):
        ways = [level_of.get(spelling, other) for spelling in each.spellings]
        if places is not None:
            if len(ways) > int(places[-1]):
                row[:] = [ways[place] for place in places.tolist()]
            continue
        for part, way in zip(each.elements, ways, strict=True):
            column = column_of.get(text(part))
            if column is not None and not row[column]:
                row[column] = way
    found = categories("how its elements are written", [_runs(each.spellings) for each in distinct], codes)
    layouts = Field(found.name, found.codes, [shortened(layout) for layout in found.words])
    if len(np.unique(levels[learned][levels[learned] > 0])) < 2:  # then how a value is written says nothing more
        return [], [layouts]
    named = [spelling.replace("{", "{{").replace("}", "}}") for spelling in level_of] + ["something rarer"]
    if places is None:
        told = (HOLDS[0], *(f"holds {{}} as {spelling}" for spelling in named))
        unusual = f"holds {{}}, and not as {named[0]}"
    else:
        told = ("has no place for {}", *(f"has {spelling} at the place of {{}}" for spelling in named))
        unusual = f"has something else than {named[0]} at the place of {{}}"
    return [Statistic(told, levels[codes], (2, unusual))], [layouts]


def _runs(spellings: tuple[str, ...]) -> str:
    """Return how the elements of a report are written, those that follow each other in one way together."""
    runs = [(spelling, sum(1 for _ in some)) for spelling, some in groupby(spellings)]
    return ", ".join(spelling if times == 1 else f"{times} times {spelling}" for spelling, times in runs)


def _foreign(distinct: list[Structure], codes: Codes, known: set[str]) -> list[Field]:
    """Return for elements that are no values, if there are few, which reports hold them."""
    holders: dict[str, set[int]] = {}
    for place, each in enumerate(distinct):
        for part in each.elements:
            if (found := text(part)) not in known:
                holders.setdefault(found, set()).add(place)
        if len(holders) > FOREIGN:
            return []
    fields = []
    for found, places in holders.items():
        has = np.zeros(len(distinct), np.int64)
        has[list(places)] = 1
        fields.append(Field(f"whether it holds {words(found)}", has[codes], ("no", "yes")))
    return fields


def _bad(judged: list[str]) -> Codes:
    return np.array([bool(reason) for reason in judged], np.int64)


def _judge(
    mechanism: Mechanism,
    distinct: list[Structure],
    codes: Codes,
    labels: tuple[str, ...],
    statistics: list[Statistic],
    told: bool,
) -> tuple[list[str], Codes, Counter[str]]:
    """Return why each distinct report cannot be of a protocol, how many values it supports, and counts of reasons."""
    k, known = len(labels), set(labels)
    if told:
        reasons = [""] * len(distinct)
        sizes = np.zeros(len(distinct), np.int64)
        sizes[codes] = statistics[0].levels.sum(axis=1)
    elif isinstance(mechanism, UnaryMechanism):
        reasons = ["" if _holds(each, k, known) >= 0 else f"not {k} bits" for each in distinct]
        sizes = np.array([_holds(each, k, known) for each in distinct], np.int64)
    elif isinstance(mechanism, SubsetMechanism):
        size = mechanism.size
        what = "not a value of the domain" if size == 1 else f"not {size} different values of the domain"
        reasons = ["" if _holds(each, k, known) == size else what for each in distinct]
        sizes = np.array([_holds(each, k, known) for each in distinct], np.int64)
    else:
        raise InputError(
            "Which values a report of the declared protocol supports is not seen from its form: "
            "say it with --supports module:function, or send its packed bytes."
        )
    times = np.bincount(codes, minlength=len(distinct))
    counts: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for each, reason, count in zip(distinct, reasons, times.tolist(), strict=True):
        if reason:
            counts[reason] += count
            examples.setdefault(reason, words(each.elements))
    return reasons, sizes, Counter({f"{what}, such as {examples[what]}": count for what, count in counts.items()})


def _holds(each: Structure, domain_size: int, known: set[str]) -> int:
    """Return how many values a report holds, as bits or as different values of the domain; -1 if it is neither."""
    if _is_bits(each, domain_size):
        return sum(part in ONES for part in each.elements)
    found = [text(part) for part in each.elements]
    return len(found) if len(set(found)) == len(found) and known.issuperset(found) else -1
