"""Numbers, tables, legends and figures of the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from qifldp.comparison.candidates import percent
from qifldp.rendering.charts import Look
from qifldp.rendering.page.axes import QUANTITIES
from qifldp.rendering.page.markup import Markup, data, join, tag
from qifldp.rendering.tables import number, strength

Record = Mapping[str, object]

SHAPES = {
    "circle": '<circle cx="24" cy="7" r="4.2"/>',
    "square": '<path d="M20 3h8v8h-8z"/>',
    "diamond": '<path d="M24 1.8l5 5.2-5 5.2-5-5.2z"/>',
    "triangle-up": '<path d="M24 2l5 9.4H19z"/>',
    "triangle-down": '<path d="M24 12l5-9.4H19z"/>',
    "triangle-right": '<path d="M29 7l-9 5V2z"/>',
    "triangle-left": '<path d="M19 7l9 5V2z"/>',
    "cross": '<path d="M22.4 2.4h3.2v3h3v3.2h-3v3h-3.2v-3h-3V5.4h3z"/>',
}
"""Vega's symbols, as drawn in a legend of 48 × 14 pixels."""


def shown(value: object, kind: str) -> Markup:
    """Return a number of the document as people read it; a dash where there is none.

    Args:
        value: The number, or None.
        kind: ``percent``, ``factor``, ``count``, ``strength`` (a margin) or ``number``.
    """
    if value is None:
        return tag("span", "–", aria_label="none")
    assert isinstance(value, int | float)
    if kind == "percent":
        words = percent(value)
    elif kind == "factor":
        words = f"× {number(value)}"
    elif kind == "strength":
        words = strength(value)
    else:
        words = f"{value:,}" if kind == "count" else number(value)
    return data(value, words)


def kind_of(key: str) -> str:
    """Return how a quantity is written."""
    if key in ("frontier_share", "least_error"):
        return "percent"
    return "percent" if QUANTITIES[key].number[-1] in "p%" else "number"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str, text_columns: int = 1) -> Markup:
    """Return a table in a box of its own that scrolls when it is too wide.

    Args:
        heads: The headings.
        rows: The cells of each row; the first is its heading.
        caption: What it is, for those who cannot see it.
        text_columns: How many columns at the left hold text.
    """
    aligned = ["left" if place < text_columns else "right" for place in range(len(heads))]
    if text_columns > 1:
        aligned[text_columns - 1] = "left long"
    top = tag("tr", *(tag("th", head, scope="col", class_=side) for head, side in zip(heads, aligned, strict=True)))
    body = [
        tag(
            "tr",
            *(
                tag("th", cell, scope="row", class_="left") if place == 0 else tag("td", cell, class_=side)
                for place, (cell, side) in enumerate(zip(row, aligned, strict=True))
            ),
        )
        for row in rows
    ]
    inside = tag("table", tag("caption", caption), tag("thead", top), tag("tbody", *body))
    return tag("div", inside, class_="scroll", tabindex=0, role="region", aria_label=caption)


def behind(summary: str, *content: str, printed: bool = False) -> Markup:
    """Return something that is shown when it is asked for, and on paper if it is to be printed."""
    return tag("details", tag("summary", summary), *content, data_printed="" if printed else None)


def swatch(look: Look) -> Markup:
    """Return the line and the point of a series as they are in the charts."""
    dash = None if look.dash == (1, 0) else " ".join(map(str, look.dash))
    line = tag("path", d="M2 7H46", stroke=look.color, stroke_width=2, stroke_dasharray=dash, fill="none")
    point = tag("g", Markup(SHAPES[look.shape]), fill=look.color)
    return tag("svg", line, point, viewBox="0 0 48 14", width=48, height=14, aria_hidden="true")


def legend(looks: Mapping[str, Look]) -> Markup:
    """Return which line and point is which protocol."""
    items = (tag("li", join(swatch(look), tag("span", name))) for name, look in looks.items())
    return tag("ul", *items, class_="legend", aria_label="Which line and mark is which protocol")


def figure(id_: str, title: str, caption: str, behind_it: Markup | None, *, small: bool = False) -> Markup:
    """Return the place of a chart, which the page's script draws, its caption, and the table behind it.

    Args:
        id_: The chart's name.
        title: What it shows.
        caption: What to look for.
        behind_it: The table, if it is not beside the chart anyway.
        small: Whether it stands beside others.
    """
    return tag(
        "figure",
        tag("h3", title),
        tag("div", tag("p", "The chart is drawn by the page's script.", class_="no-script"), class_="chart", id=id_),
        tag("figcaption", caption),
        "" if behind_it is None else behind("The table behind it", behind_it),
        class_="small" if small else None,
    )


def over(records: Sequence[Record], x: str, y: str, caption: str) -> Markup:
    """Return curves as a table: a row for each place, a column for each series."""
    series = list(dict.fromkeys(str(record["series"]) for record in records))
    places = sorted({float(str(record[x])) for record in records})
    found = {(record["series"], record[x]): record[y] for record in records}
    rows = (
        [shown(place, kind_of(x)), *(shown(found.get((name, place)), kind_of(y)) for name in series)]
        for place in places
    )
    return table([QUANTITIES[x].title, *series], rows, caption=caption)
