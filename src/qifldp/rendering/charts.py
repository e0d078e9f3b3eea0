"""How charts look: one palette, one set of fonts and sizes, for print, screens and the colour-blind.

Nothing here needs the extra that draws, ``pip install 'qifldp[figures]'``; :func:`check_altair` asks for it.
"""

from __future__ import annotations

import importlib.util
import textwrap
from dataclasses import dataclass
from typing import Any

from qifldp.errors import InputError

NO_ALTAIR = "Drawing needs Altair and vl-convert: pip install 'qifldp[figures]'."

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
"""The first comes with vl-convert, and is as wide as Arial."""

INK, FAINT = "#1a1a1a", "#d9d9d9"

LETTER_WIDTH = 4.8
"""Pixels of a letter of a note, on average."""

PIXELS_PER_INCH = 220
"""Of a PNG, in print at the size in which text is as large as in the SVG."""

STROKE_SIZE = 900
"""Of a line in a legend, long enough for two of the longest dashes."""


@dataclass(frozen=True)
class Look:
    """How a curve is drawn: three ways to tell it from others, only one of which is colour.

    Attributes:
        color: Of Okabe and Ito's palette (2008), which the colour-blind can tell apart; its yellow is too pale.
        dash: Lengths of strokes and gaps.
        shape: Of points.
    """

    color: str
    dash: tuple[int, ...]
    shape: str


SOLID = (1, 0)

LOOKS = {
    "GRR": Look("#000000", SOLID, "circle"),
    "SS": Look("#e69f00", (3, 4), "diamond"),
    "BLH": Look("#56b4e9", (4, 2), "cross"),
    "OLH": Look("#009e73", (2, 4), "triangle-up"),
    "SUE": Look("#0072b2", SOLID, "square"),
    "OUE": Look("#d55e00", (9, 3), "circle"),
    "THE": Look("#cc79a7", (8, 2, 2, 2), "triangle-up"),
    "first": Look("#0072b2", SOLID, "circle"),
    "second": Look("#d55e00", (5, 2), "square"),
    "third": Look("#000000", (2, 2), "diamond"),
    "wrong": Look("#d55e00", (5, 2), "square"),
    "light": Look("#56b4e9", SOLID, "circle"),
    "threshold": Look("#555555", (2, 3), "stroke"),
}
"""Every protocol has its own look on every page; ``first`` and so on are for curves of one protocol."""

THEME: dict[str, Any] = {
    "font": FONT,
    "background": "white",
    "padding": 10,
    "title": {
        "anchor": "start", "frame": "bounds", "color": INK, "subtitleColor": INK, "fontSize": 14, "fontWeight": "bold",
        "subtitleFontSize": 10.5, "subtitlePadding": 5, "subtitleLineHeight": 13.5, "offset": 12,
    },
    "axis": {
        "labelFontSize": 10.5, "titleFontSize": 11, "titleFontWeight": "normal", "labelColor": INK, "titleColor": INK,
        "gridColor": FAINT, "gridOpacity": 0.7, "labelFlush": False,
        "labelOverlap": "greedy", "labelSeparation": 4, "domainColor": INK, "tickColor": INK, "titleLineHeight": 14,
    },
    "header": {"labelFontSize": 11, "labelFontWeight": "bold", "labelColor": INK, "title": None, "labelPadding": 4},
    "legend": {
        "labelFontSize": 11, "labelColor": INK, "labelLimit": 400, "orient": "bottom", "direction": "horizontal",
        "titleFontSize": 11, "titleFontWeight": "normal", "titleColor": INK, "titleOrient": "left", "titleLimit": 300,
        "titleAnchor": "middle", "columnPadding": 16, "offset": 8, "symbolSize": 60,
    },
    "view": {"stroke": FAINT},
    "line": {"strokeWidth": 1.8},
    "point": {"filled": True, "size": 22, "opacity": 1},
}  # fmt: skip
"""The configuration of every chart."""


def check_altair() -> None:
    """Raise InputError if the extra that draws is missing, saying how to get it."""
    if any(importlib.util.find_spec(name) is None for name in ("altair", "vl_convert")):
        raise InputError(NO_ALTAIR)


STACKED = {"bottom": {"direction": "vertical", "anchor": "start", "margin": 2}}
"""Vega's layout of several legends: one below the other. (Altair's schema lacks it: see :func:`specification`.)"""


def specification(chart: Any) -> dict[str, Any]:
    """Return a chart as Vega-Lite, with its legends one below the other."""
    spec: dict[str, Any] = chart.to_dict()
    spec["config"]["legend"]["layout"] = STACKED
    return spec


def paragraphs(notes: tuple[str, ...], width: int) -> list[str]:
    """Return notes as lines of at most so many pixels, each note beginning on a new one, its lines even."""
    letters = int(width / LETTER_WIDTH)
    return [line for note in notes for line in _even(note, letters)]


def _even(note: str, letters: int) -> list[str]:
    """Return a note in as few lines as can be, and these as short as can be: no last line of a word or two."""
    least = len(_wrapped(note, letters))
    shortest = min(n for n in range(len(note) // least, letters + 1) if n and len(_wrapped(note, n)) == least)
    return _wrapped(note, shortest)


def _wrapped(note: str, letters: int) -> list[str]:
    return textwrap.wrap(note, letters, break_on_hyphens=False, break_long_words=False)


def axis_title(title: str, better: str, end: str, *, upright: bool) -> list[str]:
    """Return the lines of an axis title, with an arrow to its better end.

    An upright axis has its title turned left, so that arrows to the left point down.
    """
    if not better:
        return [title]
    mark = f"← {better}" if end == "low" else f"{better} →"
    return [title, mark] if upright else [f"{title} ({mark})"]
