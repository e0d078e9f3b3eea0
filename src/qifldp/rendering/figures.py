"""Figures drawn: a chart of panels, and the same points as a table.

Needs Altair and vl-convert (``pip install 'qifldp[figures]'``).
"""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import altair as alt
import vl_convert

from qifldp.errors import InputError, shown
from qifldp.experiments.figure import Figure, Panel, Point, Settings
from qifldp.rendering.axes import log_ticks
from qifldp.rendering.charts import (
    INK,
    LOOKS,
    PIXELS_PER_INCH,
    STROKE_SIZE,
    THEME,
    Look,
    axis_title,
    paragraphs,
    specification,
)
from qifldp.rendering.documents import to_text
from qifldp.rendering.reproduced import manifest
from qifldp.storage import reason

PANEL = {1: (560, 330), 2: (280, 230), 4: (280, 180)}
"""Width and height of a panel in pixels, by how many there are."""

SQUARE = {1: (330, 330), 2: (280, 280)}
"""The same where both axes are chances."""

STRIP = 74
"""Height of the strip below a panel."""

COLUMNS = 2
MARGINS = 75
"""Width of the axis beside a panel."""

OPEN, DOT, SMALL, TINY = 150, 22, 12, 4
"""Sizes of marks: open ones around crosses, those on a curve, and those that stand close together in a strip."""

APART = 2.2
"""Pixels between bars of a strip that would hide each other."""

REACH = 1.15
"""How far a strip goes, in lengths of its longest bar."""


def files_of(figure: Figure) -> dict[str, bytes]:
    """Return the files of a figure by name: SVG, PNG and the points as CSV."""
    svg = vl_convert.vegalite_to_svg(specification(chart_of(figure)))
    return {
        f"{figure.name}.csv": table(figure).encode(),
        f"{figure.name}.svg": svg.encode(),
        f"{figure.name}.png": vl_convert.svg_to_png(svg, ppi=PIXELS_PER_INCH),  # of one layout, which takes long
    }


def save(figure: Figure, settings: Settings, folder: Path) -> dict[str, object]:
    """Write the files of a figure, all or none, and last their manifest, which is returned.

    All are written beside the folder's files first, and take their places when all are there. While they do there is no
    manifest, so one that is there is about the files beside it.

    Raises:
        InputError: If a file cannot be written; then the files that were there are left as they were.
    """
    files = files_of(figure)
    listed, about = manifest(figure, settings, files), f"{figure.name}.json"
    check_targets(folder, (*files, about))
    try:
        with tempfile.TemporaryDirectory(prefix=f".{figure.name}.", dir=folder) as beside:
            for name, content in (files | {about: f"{to_text(listed)}\n".encode()}).items():
                (Path(beside) / name).write_bytes(content)
            (folder / about).unlink(missing_ok=True)
            for name in (*files, about):
                (Path(beside) / name).replace(folder / name)
    except OSError as error:
        raise InputError(
            f"The files of {figure.name} cannot be written to {shown(str(folder))}: {reason(error)}."
        ) from None
    return listed


def check_targets(folder: Path, names: tuple[str, ...]) -> None:
    """Raise InputError if files cannot be written: the folder takes none, or what has such a name is no file."""
    for name in names:
        if (folder / name).exists() and not (folder / name).is_file():
            raise InputError(f"The file {shown(str(folder / name))} cannot be written: it is not a regular file.")
    try:
        with tempfile.TemporaryFile(prefix=".probe.", dir=folder):
            pass
    except OSError as error:
        raise InputError(f"Nothing can be written to the folder {shown(str(folder))}: {reason(error)}.") from None


def table(figure: Figure) -> str:
    """Return the points as CSV: numbers that all of a curve or a panel has, what it is, and its places with their bars.

    A column that has nothing in it is left out.
    """
    about = {panel.name: panel.values for panel in figure.panels}
    of = {series.name: series for series in figure.series}
    rows = [
        dict(about[p.panel]) | dict(of[p.series].values) | {"series": of[p.series].key or p.series} | _places(figure, p)
        for p in figure.points
    ]
    wanted = [*(name for values in (*about.values(), *(one.values for one in figure.series)) for name in values)]
    columns = [name for name in dict.fromkeys([*wanted, *rows[0]]) if any(row.get(name) is not None for row in rows)]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _places(figure: Figure, p: Point) -> dict[str, object]:
    x, y = figure.x.key, figure.y.key
    heights = {y: p.y, f"{y}_low": p.low, f"{y}_high": p.high}
    return {"kind": p.kind, x: p.x, **heights, f"{x}_low": p.x_low, f"{x}_high": p.x_high}


def chart_of(figure: Figure) -> alt.ConcatChart:
    """Return a figure as a chart of panels, two beside each other, each with its strip below."""
    width, height = (SQUARE if figure.square else PANEL)[len(figure.panels)]
    charts: list[Any] = []
    for start in range(0, len(figure.panels), COLUMNS):
        row = figure.panels[start : start + COLUMNS]
        charts += [_panel(figure, panel).properties(width=width, height=height) for panel in row]
        if figure.strip is not None:
            charts += [_strip(figure, panel).properties(width=width, height=STRIP) for panel in row]
    whole = (MARGINS + width) * min(COLUMNS, len(figure.panels))
    title = alt.TitleParams(figure.title, subtitle=paragraphs(figure.notes, whole))
    return alt.concat(*charts, columns=COLUMNS, spacing={"row": 14, "column": 24}).properties(
        title=title, description=figure.title, config=THEME
    )


@dataclass(frozen=True)
class _Frame:
    """What the marks of a panel or strip are drawn in: the axes, and the looks of the series."""

    figure: Figure
    x: Any
    title: list[str]
    scale: Any
    axis: Any

    def height(self, column: str = "y") -> Any:
        return alt.Y(f"{column}:Q", title=self.title, scale=self.scale, axis=self.axis)


def _panel(figure: Figure, panel: Panel) -> Any:
    """Return a panel: a vertical line where one is wanted, lines, bars, and marks in front of them."""
    points = [point for point in figure.points if point.panel == panel.name]
    x = _across(figure, labelled=figure.strip is None)
    name, *arrow = axis_title(figure.y.title, figure.y.better, figure.y.end, upright=True)
    remark = [f"({figure.y.remark})"] if figure.y.remark else []
    frame = _Frame(figure, x, [name, *remark, *arrow], *_upright(figure, points))
    looks = _looks(figure)
    layers = [_mark(figure, panel, looks)] if panel.mark else []
    layers.append(
        alt.Chart(_data(points, "theory"))
        .mark_line()
        .encode(x=x, y=frame.height(), **_of(looks, "stroke", "strokeDash"))
    )
    marked = [p for p in points if figure.shown is None or p.x in figure.shown]
    if figure.of("simulation", panel=panel.name):
        layers += [*_bars(frame, marked, looks), _marks(frame, marked, looks, OPEN if figure.square else DOT)]
    heading = alt.TitleParams(panel.name, anchor="middle", frame="group", fontSize=11, offset=5)
    return alt.layer(*layers).properties(title=heading)


def _strip(figure: Figure, panel: Panel) -> Any:
    """Return a strip: a line in the middle, and what is simulated against it."""
    strip = figure.strip
    assert strip is not None
    moved = [figure.compared(point) for point in figure.points if point.panel == panel.name]
    points = [point for point in moved if point is not None]
    reach = reach_of(figure, panel)
    x = _across(figure, labelled=True)
    scale = alt.Scale(domain=[strip.middle - reach, strip.middle + reach], nice=False, zero=False)
    frame = _Frame(figure, x, list(strip.title), scale, alt.Axis(tickCount=4))
    looks = _looks(figure)
    zero = alt.Chart(alt.InlineData(values=[{"y": strip.middle}])).mark_rule(stroke=INK, strokeDash=[2, 2])
    layers: list[Any] = []
    if strip.band:
        band = alt.Chart(_data(points, "simulation")).mark_area(opacity=0.45)
        layers.append(band.encode(x=x, y=frame.height("low"), y2="high", fill=looks["fill"]))
    layers.append(zero.encode(y=frame.height()))
    if strip.reference:
        lines = alt.Chart(_data(points, "theory")).mark_line(clip=True)
        layers.append(lines.encode(x=x, y=frame.height(), **_of(looks, "stroke", "strokeDash")))
    names = [series.name for series in figure.series if figure.of("simulation", series.name)]
    for place, name in enumerate(names):
        own = [point for point in points if point.series == name]
        shift = APART * (place - (len(names) - 1) / 2)
        if not strip.band:
            layers += _bars(frame, own, looks, shift)
        layers.append(_marks(frame, own, looks, TINY if strip.band else SMALL, shift))
    return alt.layer(*layers)


def reach_of(figure: Figure, panel: Panel) -> float:
    """Return how far a strip goes to both sides: it shows its longest bar whole."""
    assert figure.strip is not None
    moved = (figure.compared(point) for point in figure.of("simulation", panel=panel.name))
    ends = [end for point in moved if point is not None for end in (point.low, point.high) if end is not None]
    return REACH * max(abs(end - figure.strip.middle) for end in ends)


def _data(points: list[Point], kind: str) -> alt.InlineData:
    return alt.InlineData(
        values=[vars(point) | {"points": _dotted(point.series)} for point in points if point.kind == kind]
    )


def _bars(frame: _Frame, points: list[Point], looks: dict[str, Any], shift: float = 0.0) -> Iterator[alt.Chart]:
    """Yield the intervals of heights, and of places where there are any."""
    data, color = _data(points, "simulation"), _of(looks, "stroke")
    yield alt.Chart(data).mark_rule(xOffset=shift).encode(x=frame.x, y=frame.height("low"), y2="high", **color)
    if any(point.x_low is not None for point in points):
        sides = frame.x.copy()
        sides.shorthand = "x_low:Q"
        yield alt.Chart(data).mark_rule().encode(x=sides, x2="x_high", y=frame.height(), **color)


def _marks(frame: _Frame, points: list[Point], looks: dict[str, Any], size: int, shift: float = 0.0) -> alt.Chart:
    """Return marks, which are open if they are as large as that."""
    data = _data(points, "simulation")
    drawn = alt.Chart(data).mark_point(filled=size < OPEN, size=size, xOffset=shift, strokeWidth=1.2)
    return drawn.encode(x=frame.x, y=frame.height(), **_of(looks, "color", "shape"))


def _mark(figure: Figure, panel: Panel, looks: dict[str, Any]) -> alt.Chart:
    """Return the vertical line of a panel."""
    data = alt.InlineData(values=[{"x": panel.values[panel.mark], "series": figure.mark}])
    rule = alt.Chart(data).mark_rule(strokeWidth=1.5)
    return rule.encode(x=_across(figure, labelled=figure.strip is None), **_of(looks, "stroke", "strokeDash"))


def _across(figure: Figure, *, labelled: bool) -> Any:
    axis = figure.x
    if axis.room is not None:
        scale = alt.Scale(type=axis.scale, domain=list(axis.room), nice=False, zero=False)
    else:
        scale = alt.Scale(type=axis.scale, zero=axis.zero)
    title = axis_title(axis.title, axis.better, axis.end, upright=False) if labelled else None
    return alt.X("x:Q", title=title, scale=scale, axis=alt.Axis(labels=labelled, ticks=labelled))


def _upright(figure: Figure, points: list[Point]) -> tuple[Any, Any]:
    """Return the vertical scale of a panel, and its axis."""
    axis = figure.y
    if axis.scale == "linear":
        return alt.Scale(zero=axis.zero), alt.Axis()
    heights = [height for p in points for height in (p.y, p.low, p.high) if height is not None]
    ticks = log_ticks(min(heights), max(heights))
    words = f"format(datum.value / {axis.unit[0]:g}, '.3~r')"
    scale = alt.Scale(type="log", domain=[ticks[0], ticks[-1]], nice=False)
    return scale, alt.Axis(values=ticks, labelExpr=words, labelOverlap=False)


def _looks(figure: Figure) -> dict[str, Any]:
    """Return channels of the series: stroke and dash have one legend, of lines; colour and shape another, of marks."""
    looks = {one.name: LOOKS[one.look] for one in figure.series} | (
        {figure.mark: LOOKS["threshold"]} if figure.mark else {}
    )
    lined = [name for name in looks if name == figure.mark or figure.of("theory", name)]
    dotted = {_dotted(name): look for name, look in looks.items() if figure.of("simulation", name)}
    stroke = alt.Legend(symbolType="stroke", symbolSize=STROKE_SIZE, symbolStrokeWidth=2, values=lined)
    colors = _scale(looks, lambda look: look.color)
    return {
        "stroke": alt.Stroke("series:N", scale=colors, legend=stroke, title=None),
        "fill": alt.Fill("series:N", scale=colors, legend=None),
        "strokeDash": alt.StrokeDash(
            "series:N", scale=_scale(looks, lambda look: look.dash), legend=stroke, title=None
        ),
        "color": alt.Color("points:N", scale=_scale(dotted, lambda look: look.color), title=None),
        "shape": alt.Shape("points:N", scale=_scale(dotted, lambda look: look.shape), title=None),
    }


def _scale(looks: dict[str, Look], part: Callable[[Look], Any]) -> alt.Scale:
    return alt.Scale(domain=list(looks), range=[part(look) for look in looks.values()])


def _of(looks: dict[str, Any], *parts: str) -> dict[str, Any]:
    return {part: looks[part] for part in parts}


def _dotted(name: str) -> str:
    """Return what the legend of marks calls a series: not its name, or the legends would be merged."""
    return f"{name}, simulated"
