"""Reports that come as text, one a line or one a cell, and how they are read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Literal

from qifldp.errors import InputError, shown
from qifldp.storage import no_key_twice

Form = Literal["text", "json", "hex"]

LONGEST = 1 << 16
"""Characters of a report that is text."""


def read_report(text: str, form: Form, where: str) -> object:
    """Return the report that a text stands for.

    Args:
        text: The text.
        form: ``text`` takes it as it is, ``json`` reads strict JSON, ``hex`` reads bytes from pairs of digits. What is
            read is the report, not how it was written: 1.0 and 1.00 are one in JSON, and a0 and A0 in hex.
        where: Where it stands, for the error: ``Row 3``.

    Raises:
        InputError: If the text is too long or not of that form.
    """
    if len(text) > LONGEST:
        raise InputError(f"{where} has a report of more than {LONGEST:,} characters.")
    return _READERS[form](text, where)


def _json(text: str, where: str) -> object:
    try:
        return json.loads(text, parse_constant=_refused, parse_int=_whole, object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError):
        raise InputError(f"{where} has a report that is not strict JSON: {shown(text)}.") from None


def _hex(text: str, where: str) -> object:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise InputError(f"{where} has a report that is not pairs of hexadecimal digits: {shown(text)}.") from None


def _whole(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)


def _refused(name: str) -> object:
    raise ValueError(name)


_READERS: dict[Form, Callable[[str, str], object]] = {"text": lambda text, _: text, "json": _json, "hex": _hex}
