"""HTML whose text cannot become markup: every piece of text is escaped where it enters."""

from __future__ import annotations

import html
import json
import re

from qifldp.rendering.documents import to_text
from qifldp.rendering.text import plain


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(text: str) -> Markup:
    """Return text as HTML: what is not printable is replaced, what would be markup is escaped."""
    return Markup(html.escape(plain(text), quote=True))


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """Return an element.

    Args:
        name: Its name.
        children: Markup as it is, and other text escaped.
        attributes: Underscores become hyphens, one at the end is dropped; None and False are left out.
    """
    shown = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    inside = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{shown}>{inside}</{name}>")


def join(*pieces: str) -> Markup:
    """Return markup and text one after the other."""
    return Markup("".join(piece if isinstance(piece, Markup) else escape(piece) for piece in pieces))


def breakable(text: str) -> Markup:
    """Return text that may be broken between the parts of a spec or a path."""
    return Markup(re.sub(r"(,(?=[A-Za-z])|[:/+](?=\S))", r"\1<wbr>", escape(text)))


def data(value: float, shown: str) -> Markup:
    """Return a number as people read it, with the number of the JSON document beside it."""
    return tag("data", shown, value=json.dumps(value))


def script_json(document: dict[str, object], id_: str) -> Markup:
    """Return a JSON document as a block of data in a page, in which nothing can end the block."""
    text = json.dumps(json.loads(to_text(document)), ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{escape(id_)}">{text}</script>')
