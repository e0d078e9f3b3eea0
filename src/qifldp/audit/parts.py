"""Fields of what reports are made of, and words that tell reports apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from qifldp.audit.columns import FEWEST_SEEN, Codes, Field
from qifldp.audit.structure import Structure, words
from qifldp.errors import shown

PLACES = 32
"""Elements of ordered reports that are looked at one by one."""

CHARACTERS = 8
"""Characters at the beginning of texts that are looked at one by one, beside the last."""

PIECE = re.compile(r"[^\W_]+")
"""Letters and digits that follow each other in a text."""

LONGEST_WORDS = 200
"""Characters of how the elements of a report are written that are shown."""


def categories(name: str, parts: Sequence[str], codes: Codes) -> Field:
    """Return a field of texts: one for each code."""
    found = {part: code for code, part in enumerate(dict.fromkeys(parts))}
    return Field(name, np.array([found[part] for part in parts], np.int64)[codes], tuple(found))


def ranks(name: str, parts: Sequence[object], codes: Codes) -> Field:
    """Return an ordered field of numbers, one for each code: their ranks; what is no number comes last."""
    found = np.array([float(part) if isinstance(part, int | float) else np.nan for part in parts])
    steps, order = np.unique(found, return_inverse=True)
    told = tuple(_longer([f"{step:.10g}" for step in steps], lambda place: f"{steps[place]:.17g}"))  # which tell all
    return Field(name, order.astype(np.int64)[codes], told, ordered=True)


def with_form(name: str, parts: Sequence[str], forms: Sequence[str], codes: Codes, times: Codes) -> list[Field]:
    """Return a part of reports as a field, alone and with the form of the report, if there are several forms.

    What a part says in reports of a rare form may drown in what it does in the others.
    """
    fields = _kinds(name, parts, codes, times)
    if len(set(forms)) > 1:
        both = [f"{part}, in a {form}" for part, form in zip(parts, forms, strict=True)]
        fields += _kinds(name, both, codes, times)
    return fields


def _kinds(name: str, parts: Sequence[str], codes: Codes, times: Codes) -> list[Field]:
    """Return a field of texts, those that are too rare to be looked at as one; none if all are.

    Args:
        name: Of the field.
        parts: One for each code.
        codes: Of the reports.
        times: How often each code is seen where it may be learned from.
    """
    seen: Counter[str] = Counter()
    for part, count in zip(parts, times.tolist(), strict=True):
        seen[part] += count
    often = {part: code for code, part in enumerate(part for part, count in seen.items() if count >= FEWEST_SEEN)}
    if not often:
        return []
    found = np.array([often.get(part, len(often)) for part in parts], np.int64)[codes]
    told = [*map(shortened, often), "something rarer"]
    return [Field(name, found, told[: int(found.max()) + 1])]


def text_fields(originals: list[object], codes: Codes, times: Codes) -> list[Field]:
    """Return what texts are made of, whatever separates it: what is between words, the words, characters.

    A word here is letters and digits that follow each other. Of reports that are no texts all of it is missing.
    """
    texts = [report if isinstance(report, str) else "" for report in originals]
    if not any(texts):
        return []
    pieces, forms = [PIECE.findall(report) for report in texts], [PIECE.sub("…", report) for report in texts]
    fields = []
    if set(forms) - {"", "…"}:  # else every text is one word
        forms = [f"text like {form!r}" for form in forms]
        fields += _kinds("its form", forms, codes, times)
        for place in range(min(max(map(len, pieces)), PLACES)):
            parts = [repr(found[place]) if place < len(found) else "missing" for found in pieces]
            fields += with_form(f"word {place + 1}", parts, forms, codes, times)
    lengths = [f"text of {len(report)}" for report in texts]
    for place in range(min(max(map(len, texts)), CHARACTERS)):
        parts = [repr(report[place : place + 1]) for report in texts]
        fields += with_form(f"character {place + 1}", parts, lengths, codes, times)
    return [*fields, *with_form("the last character", [repr(report[-1:]) for report in texts], lengths, codes, times)]


def told_apart(distinct: list[Structure], originals: list[object]) -> list[str]:
    """Return each report in words that no other has: short ones, else its type and how Python writes it."""
    short = [words(each.elements if len(each.elements) != 1 else each.elements[0]) for each in distinct]
    full = _longer(short, lambda place: f"{distinct[place].shape}, {_in_full(distinct[place], originals[place])}")
    return _longer(full, lambda place: f"{full[place]}, number {place + 1} of the different reports")


def _in_full(each: Structure, report: object) -> str:
    try:
        return shown(report, LONGEST_WORDS)
    except ValueError:  # Python does not write whole numbers of thousands of digits
        return shown(each.elements, LONGEST_WORDS)


def _longer(found: list[str], told: Callable[[int], str]) -> list[str]:
    """Return words, those that several have replaced."""
    times = Counter(found)
    return [one if times[one] == 1 else told(place) for place, one in enumerate(found)]


def shortened(text: str) -> str:
    """Return a text, its end left out if it is long."""
    return text if len(text) <= LONGEST_WORDS else f"{text[: LONGEST_WORDS - 1]}…"
