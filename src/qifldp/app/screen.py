"""How things are put on the screen: markup whose text is escaped, charts with their data and an alternative in words.

Streamlit reads much of what it is given as Markdown. What may come from a stranger (names of files, columns, values,
protocols, errors about them) goes through :func:`put` or :func:`say` only, which escape it.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import streamlit as st

from qifldp.rendering.page.figures import swatch
from qifldp.rendering.page.looks import looks_of
from qifldp.rendering.page.markup import Markup, join, tag
from qifldp.rendering.text import plain


def put(*pieces: str) -> None:
    """Show markup, and text escaped."""
    st.html(join(*pieces))


def say(text: str, kind: str = "note") -> None:
    """Show one paragraph of text, escaped: ``body``, ``note``, ``warning``, ``error`` or ``good``."""
    role = {"warning": "status", "error": "alert", "good": "status"}.get(kind)
    put(tag("p", text, class_=kind, role=role))


def style() -> None:
    """Give the page its looks."""
    st.html(f"<style>{files('qifldp.app').joinpath('explorer.css').read_text(encoding='utf-8')}</style>")


def legend(series: Mapping[str, str]) -> None:
    """Show which line and mark is which protocol; the lines are pictures, as drawings are not let through."""
    items = (
        tag("li", tag("img", src=_picture(swatch(look)), alt="", width=48, height=14), tag("span", name))
        for name, look in looks_of(series).items()
    )
    put(tag("ul", *items, class_="legend", aria_label="Which line and mark is which protocol"))


def _picture(svg: str) -> str:
    text = svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    return f"data:image/svg+xml;base64,{base64.b64encode(text.encode()).decode()}"


def chart(spec: dict[str, Any], *, alternative: str) -> None:
    """Draw a chart.

    Args:
        spec: Vega-Lite, with its data under names.
        alternative: What it shows, for those who do not see it; the table behind it has the numbers.
    """
    if not spec:
        say("There is nothing to draw.")
        return
    filled = _filled(spec, spec["datasets"])
    filled.pop("datasets")
    filled["width"], filled["description"] = "container", alternative
    st.vega_lite_chart(filled, width="stretch", theme=None)


def _filled(part: Any, data: Mapping[str, Sequence[Mapping[str, object]]]) -> Any:
    """Return a chart in which the names of data are replaced by the data."""
    if isinstance(part, list):
        return [_filled(one, data) for one in part]
    if not isinstance(part, dict):
        return part
    if set(part) == {"name"} and part["name"] in data:
        return {"values": [_printable(record) for record in data[part["name"]]]}
    return {key: one if key == "datasets" else _filled(one, data) for key, one in part.items()}


def _printable(record: Mapping[str, object]) -> dict[str, object]:
    return {key: plain(one) if isinstance(one, str) else one for key, one in record.items()}


def heading(text: str) -> Markup:
    """Return the heading of a section."""
    return tag("h2", text)
