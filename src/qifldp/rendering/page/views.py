"""The charts, as Vega-Lite: functions of result objects, for the page and for any other screen.

Every chart names its data sets by their place in the result's JSON document (``/planes/0/points``), and holds them in
``datasets``; a page that embeds the document leaves those out and looks them up. Legends are the page's affair: every
series has one look everywhere (:func:`~qifldp.rendering.page.looks.looks_of`).
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np

from qifldp.comparison.curves import Curves
from qifldp.comparison.plane import Plane
from qifldp.comparison.sweep import Sweep
from qifldp.rendering.charts import INK, LOOKS, THEME, Look, axis_title
from qifldp.rendering.page.axes import QUANTITIES
from qifldp.rendering.page.labels import (
    WIDTHS,
    bounds,
    frontier_labels,
    joint_labels,
    ladder,
    log_ticks,
    without_outliers,
)
from qifldp.rendering.page.places import HEIGHT, SMALL_LETTER, Axes, Line

Spec = dict[str, Any]
Records = Sequence[Mapping[str, object]]

PRESET_LETTERS = "preset letters"
"""The data of deployed systems that a chart over ε marks; it has them only where its axis reaches one."""

SMALL, SQUARE = 230, 340
"""Heights of smaller charts in pixels; widths are those of the container."""

FOOT = 0.97
"""Of the least error of a frontier on the chart, where the chart begins if that is not lower anyway."""

SHADE: dict[str, Any] = {"color": INK, "opacity": 0.06}
"""Where no protocol can be; axes and grid are seen through it."""

NOTE = "#555555"
"""Ink of what is beside the matter: presets, references."""


def leakage_chart(sweep: Sweep, key: str, looks: Mapping[str, Look], presets: Records = ()) -> Spec:
    """Return one figure over ε: a curve for each protocol, and a mark at each budget asked.

    Args:
        sweep: Figures over ε.
        key: Which figure.
        looks: The look of each series.
        presets: Deployed systems, marked at their ε on the upper edge, and their caps on bits.
    """
    data: dict[str, Records] = {"/sweep/curves": sweep.curves, "/sweep/marks": sweep.marks}
    records = [*sweep.curves, *sweep.marks]
    right = max((_number(record["epsilon"]) for record in records), default=1.0)
    x = _axis(alt.X, "epsilon", alt.Scale(domain=[0, right * 1.02], nice=False))
    spread = key == "standard_error_weighted"  # over several powers of ten
    scale = alt.Scale(type="log") if spread else alt.Scale(zero=key != "guessing_entropy", nice=True)
    values = [_number(one[key]) for one in records if one.get(key) is not None]
    y = _axis(alt.Y, key, scale, values=log_ticks(min(values), max(values)) if spread and values else None)
    tip = _tooltip("series", "epsilon", key)
    line = _data("/sweep/curves").mark_line().encode(x, y, *_looks(looks, "color", "strokeDash"), tip)
    dot = _data("/sweep/marks").mark_point(size=46).encode(x, y, *_looks(looks, "color", "shape"), tip)
    layers = [line, dot] if sweep.curves else [dot]
    marks = [one for one in ladder(presets, right) if _number(one["epsilon"]) <= right]
    if marks:
        data[PRESET_LETTERS] = marks
        place = alt.Chart(alt.NamedData(PRESET_LETTERS)).encode(x="epsilon:Q", y=alt.value(0))
        layers.append(place.mark_tick(orient="vertical", color=NOTE, size=10, thickness=1.5, yOffset=5))
        layers.append(place.mark_text(color=NOTE, dy=-8, fontSize=10).encode(text="label:N"))
    top = max((_number(one[key]) for one in records if one.get(key) is not None), default=0.0)
    caps = [one for one in presets if one.get("most_bits") is not None and _number(one["most_bits"]) <= top]
    if key == "shannon_capacity_bits" and caps:
        data["/presets"] = presets
        rule = _rule("/presets", alt.Y("most_bits:Q", scale=scale))
        layers.append(rule.transform_filter(alt.datum.most_bits <= top))  # others would widen the axis
    return _chart(layers, data, SMALL, QUANTITIES[key].heading)


def plane_chart(
    plane: Plane, key: str, looks: Mapping[str, Look], presets: Records = (), *, domain_size: int, at: int = 0
) -> Spec:
    """Return leakage against error: a point for each protocol, and the frontier where it is known.

    Args:
        plane: The protocols at one budget asked.
        key: What leakage is measured by; the frontier is known for ``asr_uniform``.
        looks: The look of each series.
        presets: Deployed systems, for their caps on bits.
        domain_size: Number of values k: a report carries log2 k bits at most.
        at: The place of the plane in the result.
    """
    points, error = [one for one in plane.points if one[key] is not None], "standard_error_weighted"
    if not points:
        return {}
    own = f"/planes/{at}/points"
    data: dict[str, Records] = {own: plane.points}
    near, far = without_outliers(points, error)
    least, most = _limits(key, domain_size)
    left, right = bounds([_number(one[key]) for one in near], logarithmic=False, least=least, most=most)
    low, high = bounds([_number(one[error]) for one in near], logarithmic=True)
    known = key == "asr_uniform" and bool(plane.frontier)
    lines = _lines(plane.frontier if known else (), key, error)
    for line in lines.values():
        low = min(low, FOOT * math.exp(np.interp(right, *np.array([(a, math.log(b)) for a, b in line]).T)))
    shown = alt.Scale(domain=[left, right], nice=False)
    x = _axis(alt.X, key, shown)
    y = _axis(alt.Y, error, alt.Scale(type="log", domain=[low, high], nice=False), values=log_ticks(low, high))
    layers, notes = [], {}
    if known:
        name, largest = f"/planes/{at}/frontier", max(lines)
        data[name] = plane.frontier
        own_edge = _data(name).transform_filter(alt.datum.epsilon == largest)
        layers.append(own_edge.mark_area(**SHADE, clip=True).encode(x, y, y2=alt.Y2Datum(low)))
        if left < least:
            data["nobody"] = [{key: left, "least": least}]  # to the left of what a guess without a report achieves
            layers.insert(0, _data("nobody").mark_rect(**SHADE).encode(x, x2="least:Q"))
        curve = _data(name).mark_line(color=INK, strokeWidth=1.6, clip=True)
        layers.append(curve.encode(x, y, alt.Detail("epsilon:N"), _tooltip("epsilon", key, error)))
        notes["text"] = f"shaded: out of reach at tight ε ≤ {largest:.4g}"
    if far:
        notes["subtitle"] = f"off the chart, above: {', '.join(str(one['series']) for one in far)}"
    caps = [_number(one["most_bits"]) for one in presets if one.get("most_bits") is not None]
    caps = [cap for cap in caps if key == "shannon_capacity_bits" and left <= cap <= right]
    if caps:
        data["/presets"] = presets
        layers.append(_rule("/presets", alt.X("most_bits:Q", scale=shown)))
    tip = _tooltip("series", key, error, *(("frontier_share", "least_error") if known else ()))
    layers.append(_data(own).mark_point(size=90, clip=True).encode(x, y, *_looks(looks, "color", "shape"), tip))
    axes = Axes((left, right), (low, high))
    uprights = [axes.line([(cap, low), (cap, high)]) for cap in caps]
    data |= _labels(near, key, {epsilon: axes.line(line) for epsilon, line in lines.items()}, axes, uprights)
    layers += [*_words(data["edges"], "edges", x, y), *_words(data["labels"], "labels", x, y)]
    spec = _chart(layers, data, HEIGHT, f"{QUANTITIES[key].heading} against the error of a frequency")
    return spec | ({"title": _notes(notes)} if notes else {})


def _limits(key: str, domain_size: int) -> tuple[float, float]:
    """Return the least and the largest value that a leakage can have."""
    if key == "shannon_capacity_bits":
        return 0.0, math.log2(domain_size)
    least = 1 / domain_size if key == "asr_uniform" else 0.0
    return least, 1.0 if QUANTITIES[key].number == ".3~p" else math.inf


def _lines(frontier: Sequence[Mapping[str, float]], x: str, y: str) -> dict[float, list[tuple[float, float]]]:
    """Return the points of the frontier of each budget."""
    return {
        epsilon: [(one[x], one[y]) for one in frontier if one["epsilon"] == epsilon]
        for epsilon in dict.fromkeys(one["epsilon"] for one in frontier)
    }


def _labels(
    points: Records, key: str, frontiers: Mapping[float, Line], axes: Axes, lines: Sequence[Line]
) -> dict[str, Records]:
    """Return the labels of points and of frontiers, placed for each class of widths of the chart.

    The words on frontiers yield to a name that would be struck through otherwise.

    Args:
        points: The protocols.
        key: The leakage.
        frontiers: The frontier of each budget.
        axes: The axes.
        lines: Other lines of the chart.
    """
    error = "standard_error_weighted"
    places = [axes.place(one[key], one[error]) for one in points]
    found: dict[str, list[dict[str, object]]] = {"edges": [], "labels": []}
    for least, below in zip((0, *WIDTHS[1:]), (*WIDTHS[1:], 1e9), strict=True):
        width = max(least, WIDTHS[0])
        edges, drawn = frontier_labels(frontiers, places, width=width), (*frontiers.values(), *lines)
        labels = joint_labels(points, key, error, axes, width=width, lines=drawn, words=edges)
        names = [one.word for one in labels]
        edges = frontier_labels(frontiers, places, width=width, words=names)
        for name, words in (("edges", edges), ("labels", names)):
            for word in words:
                x, y = axes.figures(word.at)
                place = {key: x, error: y, "right": word.right, "least": least, "below": below}
                found[name] += [{"label": row, "above": above} | place for row, above in word.rows]
    return dict(found)


def _words(records: Records, name: str, x: alt.X, y: alt.Y) -> list[alt.Chart]:
    """Return the words of a set of data that fit the width of the chart, in a layer for each way from their places."""
    fitting = "datum.least <= width && width < datum.below"  # of the chart, in pixels
    ink, size = (NOTE, 11) if name == "edges" else (INK, 11.5)
    layers = []
    for right, above in sorted({(_number(one["right"]), _number(one["above"])) for one in records}):
        own = _data(name).transform_filter(fitting)
        own = own.transform_filter((alt.datum.right == right) & (alt.datum.above == above))
        word = own.mark_text(align="left" if right > 0 else "right", dx=right, dy=-above, color=ink, fontSize=size)
        layers.append(word.encode(x, y, text="label:N"))
    return layers


def _notes(notes: Mapping[str, str]) -> dict[str, object]:
    """Return notes as a title over the chart, where nothing is drawn; what is left out is in ink."""
    small = {"fontSize": 11, "fontWeight": "normal", "color": NOTE, "subtitleFontSize": 11, "offset": 8}
    lines = {part: textwrap.wrap(note, int(WIDTHS[0] / SMALL_LETTER)) for part, note in notes.items()}
    return small | {"text": []} | lines


def trade_off_chart(curves: Curves, looks: Mapping[str, Look], *, at: int = 0) -> Spec:
    """Return the trade-off curves: the misses that the best test with so many false alarms must have.

    Args:
        curves: The curves at one budget asked.
        looks: The look of each series.
        at: Their place in the result.
    """
    name = f"/trade_offs/{at}/corners"
    unit = alt.Scale(domain=[0, 1], nice=False)
    x, y = _axis(alt.X, "alpha", unit), _axis(alt.Y, "beta", unit)
    blind = alt.Chart(alt.NamedData("blind")).mark_line(color=NOTE, strokeDash=[1, 3]).encode(x, y)
    line = (
        _data(name)
        .mark_line()
        .encode(x, y, *_looks(looks, "color", "strokeDash"), alt.Order("alpha:Q"), _tooltip("series", "alpha", "beta"))
    )
    word = (
        alt.Chart(alt.NamedData("blind"))
        .mark_text(align="right", dx=-6, dy=12, color=NOTE)
        .transform_filter(alt.datum.alpha == 1)
    )
    word = word.encode(x=alt.value("width"), y=alt.value(0), text=alt.value("dotted: a report that tells nothing"))
    data: dict[str, Records] = {name: curves.corners, "blind": [{"alpha": 0, "beta": 1}, {"alpha": 1, "beta": 0}]}
    return _chart([blind, word, line], data, SQUARE, "Misses against false alarms of the best test")


def delta_chart(curves: Curves, looks: Mapping[str, Look], *, at: int = 0) -> Spec:
    """Return the least δ for which two values are (ε, δ)-indistinguishable, over ε.

    Args:
        curves: The curves at one budget asked.
        looks: The look of each series.
        at: Their place in the result.
    """
    name = f"/trade_offs/{at}/readings"
    x = _axis(alt.X, "epsilon", alt.Scale(nice=False), title="ε")
    y = _axis(alt.Y, "delta", alt.Scale(zero=True))
    line = (
        _data(name)
        .mark_line()
        .encode(x, y, *_looks(looks, "color", "strokeDash"), _tooltip("series", "epsilon", "delta"))
    )
    return _chart([line], {name: curves.readings}, SQUARE, "The least δ at each ε")


def _data(name: str) -> alt.Chart:
    return alt.Chart(alt.NamedData(name))


def _chart(layers: Sequence[Any], data: Mapping[str, Records], height: int, description: str) -> Spec:
    chart = alt.layer(*layers).properties(width="container", height=height, description=description)
    spec: Spec = chart.configure(**THEME).to_dict(validate=False)
    spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    spec["config"]["axis"] |= {"labelFontSize": 12, "titleFontSize": 12.5, "titlePadding": 8}
    spec["datasets"] = {name: [dict(one) for one in records] for name, records in data.items()}
    return spec


def _axis(
    channel: Any, key: str, scale: alt.Scale, *, title: str | None = None, values: Sequence[float] | None = None
) -> Any:
    quantity, upright = QUANTITIES[key], channel is alt.Y
    words = axis_title(title or quantity.title, quantity.better, quantity.end, upright=upright)
    ticks: dict[str, Any] = {} if values is None else {"values": values}
    few = alt.Axis(**_tick_format(quantity.number), tickCount=5, grid=True, **ticks)
    return channel(f"{key}:Q", title=words, scale=scale, axis=few)


def _tick_format(number: str) -> dict[str, Any]:
    """Return how ticks are written, legible at any size: 1e-20 is a few letters, and 20 is not 2e+1."""
    if number == ".3~p":  # has no exponents
        return {"labelExpr": "format(100 * datum.value, '.3~g') + '%'"}
    # Without a number of digits Vega takes as many as tell the ticks apart, which may be one.
    return {"format": ".6~g" if number == "~g" else number}


def _looks(looks: Mapping[str, Look], *parts: str) -> list[Any]:
    """Return channels of the series; without a legend, and with every name in the scale."""
    names = list(looks)
    channels = {
        "color": alt.Color("series:N", legend=None, scale=_scale(names, [one.color for one in looks.values()])),
        "strokeDash": alt.StrokeDash(
            "series:N", legend=None, scale=_scale(names, [one.dash for one in looks.values()])
        ),
        "shape": alt.Shape("series:N", legend=None, scale=_scale(names, [one.shape for one in looks.values()])),
    }
    return [channels[part] for part in parts]


def _scale(names: Sequence[str], values: Sequence[Any]) -> alt.Scale:
    return alt.Scale(domain=names, range=values)


def _tooltip(*keys: str) -> alt.Tooltip | list[alt.Tooltip]:
    titles = {"series": "protocol", "frontier_share": "share of the frontier", "least_error": "least error possible"}
    tips = []
    for key in keys:
        text = key == "series"
        percent = key in ("frontier_share", "least_error") or (key in QUANTITIES and QUANTITIES[key].number[-1] in "p%")
        title = titles.get(key) or QUANTITIES[key].title
        number: dict[str, Any] = {} if text else {"format": ".4~p" if percent else ".4~g"}
        tips.append(alt.Tooltip(f"{key}:{'N' if text else 'Q'}", title=title, **number))
    return tips


def _rule(name: str, place: alt.X | alt.Y) -> alt.Chart:
    """Return lines across the chart; their place has the scale of its axis, which they would widen otherwise."""
    look, key = LOOKS["threshold"], str(place.shorthand)
    rule = _data(name).mark_rule(color=look.color, strokeDash=look.dash, clip=True)
    return rule.encode(place, tooltip=["name:N", key])


def _number(value: object) -> float:
    assert isinstance(value, int | float)
    return float(value)
