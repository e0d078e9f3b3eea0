"""Figures drawn: a chart of points, and the same points as a table.

Needs Altair and vl-convert (``pip install 'qifldp[figures]'``).
"""

from __future__ import annotations

import csv
import io
from functools import partial
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from qifldp.experiments.figure import Axis, Figure, Kind, Settings
from qifldp.rendering.charts import (
    INK,
    LOOKS,
    PIXELS_PER_INCH,
    STROKE_SIZE,
    THEME,
    axis_title,
    paragraphs,
    specification,
)
from qifldp.rendering.documents import save as save_document
from qifldp.rendering.reproduced import manifest
from qifldp.storage import write_atomically

PANEL = {1: (560, 330), 2: (270, 230), 4: (270, 190)}
"""Width and height of a panel in pixels, by how many there are."""

SQUARE = {1: (330, 330), 2: (280, 280)}
"""The same where both axes are chances."""

COLUMNS = 2
MARGINS = 70
"""Width of the axes beside the panels."""


def files_of(figure: Figure) -> dict[str, bytes]:
    """Return the files of a figure by name: SVG, PNG and the points as CSV."""
    spec = specification(chart_of(figure))
    return {
        f"{figure.name}.csv": table(figure).encode(),
        f"{figure.name}.svg": vl_convert.vegalite_to_svg(spec).encode(),
        f"{figure.name}.png": vl_convert.vegalite_to_png(spec, ppi=PIXELS_PER_INCH),
    }


def save(figure: Figure, settings: Settings, folder: Path) -> dict[str, object]:
    """Write the files of a figure, each whole or not at all, and last their manifest, which is returned.

    While the files are written there is no manifest, so one that is there is about the files beside it.

    Raises:
        InputError: If a file cannot be written.
    """
    files = files_of(figure)
    about, listed = folder / f"{figure.name}.json", manifest(figure, settings, files)
    about.unlink(missing_ok=True)
    for name, content in files.items():
        write_atomically(folder / name, partial(_write, content))
    save_document(listed, about)
    return listed


def _write(content: bytes, path: Path) -> None:
    path.write_bytes(content)


def table(figure: Figure) -> str:
    """Return the points as CSV: panel, series and kind, then x, y and the ends of their intervals."""
    x, y = figure.x.key, figure.y.key
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([figure.panel, "series", "kind", x, y, f"{y}_low", f"{y}_high", f"{x}_low", f"{x}_high"])
    writer.writerows([p.panel, p.series, p.kind, p.x, p.y, p.low, p.high, p.x_low, p.x_high] for p in figure.points)
    return text.getvalue()


def chart_of(figure: Figure) -> alt.FacetChart:
    """Return a figure as a chart of panels: lines, points with bars, and thresholds."""
    width, height = (SQUARE if figure.square else PANEL)[len(figure.panels)]
    drawn = [*_bars(figure), _points(figure)] if figure.of("simulation") else []
    drawn.append(_lines(figure))
    if figure.of("threshold"):
        drawn.append(_thresholds(figure))
    panels = (
        alt.layer(*drawn)
        .properties(width=width, height=height)
        .facet(
            facet=alt.Facet("panel:N", title=None, sort=list(figure.panels)),
            columns=COLUMNS,
            data=alt.InlineData(values=[vars(point) | {"points": _dotted(point.series)} for point in figure.points]),
        )
        .resolve_scale(y="shared" if figure.square else "independent")
    )
    whole = MARGINS + width * min(COLUMNS, len(figure.panels))
    title = alt.TitleParams(figure.title, subtitle=paragraphs(figure.notes, whole))
    return panels.properties(title=title, description=figure.title, config=THEME)


def _kind(kind: Kind) -> alt.Chart:
    return alt.Chart().transform_filter(alt.datum.kind == kind)


def _lines(figure: Figure) -> alt.Chart:
    return _kind("theory").mark_line().encode(**_places(figure), **_looks(figure, "color", "strokeDash"))


def _points(figure: Figure) -> alt.Chart:
    return _kind("simulation").mark_point().encode(**_places(figure), **_looks(figure, "color", "shape"))


def _bars(figure: Figure) -> list[alt.Chart]:
    """Return the intervals of heights, and of places where there are any."""
    places, color = _places(figure), _looks(figure, "color")
    ends = {"y": _axis(alt.Y, "low", figure.y, upright=True), "y2": alt.Y2("high")}
    bars = [_kind("simulation").mark_rule().encode(x=places["x"], **ends, **color)]
    if any(point.x_low is not None for point in figure.points):
        ends = {"x": _axis(alt.X, "x_low", figure.x, upright=False), "x2": alt.X2("x_high")}
        bars.append(_kind("simulation").mark_rule().encode(y=places["y"], **ends, **color))
    return bars


def _thresholds(figure: Figure) -> alt.Chart:
    looks = _looks(figure, "color", "strokeDash")
    return _kind("threshold").mark_rule(strokeWidth=1.5).encode(x=_places(figure)["x"], **looks)


def _places(figure: Figure) -> dict[str, Any]:
    return {"x": _axis(alt.X, "x", figure.x, upright=False), "y": _axis(alt.Y, "y", figure.y, upright=True)}


def _axis(channel: Any, column: str, axis: Axis, *, upright: bool) -> Any:
    title = axis_title(axis.title, axis.better, axis.end, upright=upright)
    scale = alt.Scale(type=axis.scale, zero=axis.zero, nice=axis.scale == "linear")
    return channel(f"{column}:Q", title=title, scale=scale, axis=alt.Axis(format=axis.number))


def _looks(figure: Figure, *parts: str) -> dict[str, Any]:
    """Return channels of the series: colour and dash have one legend, of lines; shapes have another.

    Shapes are shown in ink there, if there are several: their colours are the lines'.
    """
    names, looks = [one.name for one in figure.series], [LOOKS[one.look] for one in figure.series]
    lined = [name for name in names if figure.of("theory", name) or figure.of("threshold", name)]
    dotted = {_dotted(name): look for name, look in zip(names, looks, strict=True) if figure.of("simulation", name)}
    fill = INK if len(dotted) > 1 else next((look.color for look in dotted.values()), INK)
    stroke = alt.Legend(symbolType="stroke", symbolSize=STROKE_SIZE, symbolStrokeWidth=2, values=lined)
    dot = alt.Legend(symbolFillColor=fill, symbolStrokeColor=fill)
    colors = alt.Scale(domain=names, range=[look.color for look in looks])
    dashes = alt.Scale(domain=names, range=[look.dash for look in looks])
    shapes = alt.Scale(domain=list(dotted), range=[look.shape for look in dotted.values()])
    channels: dict[str, Any] = {
        "color": alt.Color("series:N", scale=colors, legend=stroke, title=None),
        "strokeDash": alt.StrokeDash("series:N", scale=dashes, legend=stroke, title=None),
        "shape": alt.Shape("points:N", scale=shapes, legend=dot, title=None),
    }
    return {part: channels[part] for part in parts}


def _dotted(name: str) -> str:
    """Return what the legend of points calls a series: not its name, or the legends would be merged."""
    return f"{name}, simulated"
