"""Where charts begin and end, and which labels share a place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import numpy as np

MARGIN = 0.14
"""Of the range of the values, left free on both sides."""

NEAR_Y = 0.06
"""Share of the chart's height within which two points share one label, if they are near across too."""

EDGE = 0.015
"""Of the range, left free above the largest value that a quantity can have: half a point, and no tick."""

HEIGHT = 380
"""Pixels up a chart."""

WIDTHS = (250, 420, 760)
"""Pixels across a chart from which labels are placed anew: on telephones, on paper, on screens."""

BETWEEN = 1.4
"""A width within each of these classes, in its least one: labels that are clear at both are clear."""

LETTER, OFFSET, LINE, MARK = 6.5, 9, 7, 6
"""Pixels of a letter at most, between a point and its label, of half a line of text, of half a point."""

SIDES = (("above", 1, 1), ("below", 1, -1), ("before", -1, -1))
"""Where a label may stand: whether ahead of its point or before it, above or below; the first that is clear."""

BESIDE = 45
"""Pixels across within which two points share one label: as many as a name takes with its point."""

EDGE_WORDS = 0.27
"""Share of the width at its right end where the word on a frontier may meet the labels of points, on paper."""

FAR = 1.5
"""A point whose error is that many times the next one's is left off the chart, and named on its edge."""

FEWEST = 3
"""Points that must be left."""

AT_THE_FOOT = 0.06
"""Share of the height below which there is no room for a line of text."""

NEAR_RULES = 0.05
"""Share of the width within which two marks on an edge share one label."""


def bounds(values: Sequence[float], *, logarithmic: bool, most: float = math.inf) -> tuple[float, float]:
    """Return the ends of an axis around values: more room at the upper end, for labels, but little past ``most``."""
    lows, highs = min(values), max(values)
    if logarithmic:
        low, high = math.log(lows), math.log(highs)
        room = max((high - low) * MARGIN, 0.08)
        return math.exp(low - room), math.exp(high + room)
    room = max((highs - lows) * MARGIN, abs(highs) * 0.03, 1e-12)
    left = max(0.0, lows - room)
    return left, min(highs + 1.6 * room, most + EDGE * (most - left) if math.isfinite(most) else math.inf)


Place = tuple[float, float]
"""Across and up a chart, as shares of its width and height."""


def joint_labels(
    points: Sequence[Mapping[str, object]],
    x: str,
    y: str,
    across: tuple[float, float],
    up: tuple[float, float],
    *,
    width: int,
    lines: Sequence[Sequence[Place]] = (),
) -> list[dict[str, object]]:
    """Return labels for points; those at nearly one place have one label, beside the outermost of them.

    It stands on the right, above or below the point, or on the left, where it meets no line and no other point.
    Where there is no room, it stands on the chart's edge, above the highest of them.

    Args:
        points: Records with ``series`` and both keys.
        x: The key on the (linear) horizontal axis.
        y: The key on the (logarithmic) vertical axis.
        across: The ends of the horizontal axis.
        up: The ends of the vertical axis.
        width: The least width of the chart, of ``WIDTHS``.
        lines: Corners of lines, from left to right, in the units of the axes.
    """

    def place(at_x: object, at_y: object) -> Place:
        return (
            (float(str(at_x)) - across[0]) / (across[1] - across[0]),
            math.log(float(str(at_y)) / up[0]) / math.log(up[1] / up[0]),
        )

    places = [place(point[x], point[y]) for point in points]
    groups: list[list[int]] = []
    for own, here in enumerate(places):
        for group in groups:
            if any(
                abs(here[0] - a) < BESIDE / width and abs(here[1] - b) < NEAR_Y for a, b in (places[i] for i in group)
            ):
                group.append(own)
                break
        else:
            groups.append([own])
    corners = [[place(*corner) for corner in line] for line in lines]
    found = []
    for group in groups:
        label = ", ".join(str(points[i]["series"]) for i in group)
        outermost = max(group, key=lambda i: places[i][0])
        highest = max(group, key=lambda i: places[i][1])
        others = [one for i, one in enumerate(places) if i != outermost]
        here, long = places[outermost], OFFSET + LETTER * len(label)
        clear = [
            side
            for side, ahead, above in SIDES
            if all(
                _is_clear(here, len(label), ahead, above, pixels, corners, others)
                for pixels in (width, BETWEEN * width)
            )
        ]
        side, anchor = (*clear, "above")[0], outermost
        if side != "before" and long >= (1 - here[0]) * width:
            side, anchor = "edge", highest
        found.append({"label": label, "side": side, x: points[anchor][x], y: points[anchor][y]})
    return found


def _is_clear(
    point: Place,
    letters: int,
    ahead: int,
    above: int,
    width: float,
    lines: Sequence[Sequence[Place]],
    others: Sequence[Place],
) -> bool:
    """Return whether a label beside a point meets no line and no other point, and is on the chart.

    Args:
        point: The point.
        letters: Of the label.
        ahead: 1 if it is on the right, -1 on the left.
        above: 1 if it is above, -1 below.
        width: Of the chart in pixels.
        lines: The lines.
        others: The other points.
    """
    ends = point[0] + ahead * OFFSET / width, point[0] + ahead * (OFFSET + LETTER * letters) / width
    left, right, middle = min(ends), max(ends), point[1] + above * OFFSET / HEIGHT
    if left < 0:
        return False
    for line in lines:
        across, up = (np.array(part) for part in zip(*line, strict=True))
        heights = np.interp(np.linspace(left, right, letters + 1), across, up, left=np.inf, right=np.inf)
        if (np.abs(heights - middle) < LINE / HEIGHT).any():
            return False
    aside, around = MARK / width, (LINE + MARK) / HEIGHT
    return not any(left - aside < a < right + aside and abs(b - middle) < around for a, b in others)


def without_outliers(
    points: Sequence[Mapping[str, object]], key: str
) -> tuple[list[Mapping[str, object]], list[Mapping[str, object]]]:
    """Return the points near one another in a quantity, and those far above them, which would hide the rest."""
    ordered = sorted(points, key=lambda point: float(str(point[key])))
    for place in range(FEWEST, len(ordered)):
        if float(str(ordered[place][key])) > FAR * float(str(ordered[place - 1][key])):
            return ordered[:place], ordered[place:]
    return ordered, []


def letters(presets: Sequence[Mapping[str, object]]) -> list[str]:
    """Return the letter of each preset."""
    return list(ascii_uppercase[: len(presets)])


def ladder(presets: Sequence[Mapping[str, object]], right: float) -> list[dict[str, object]]:
    """Return the marks of presets along ε; those close to one another share one label, at the first of them."""
    marks: list[dict[str, object]] = []
    for letter, preset in zip(letters(presets), presets, strict=True):
        epsilon = float(str(preset["epsilon"]))
        last = marks[-1] if marks else None
        if last is not None and epsilon - float(str(last["end"])) < NEAR_RULES * right:
            last["label"], last["end"] = f"{last['label']}{letter}", epsilon
        else:
            marks.append({"epsilon": epsilon, "end": epsilon, "label": letter})
    return marks


MANTISSAS = ((1, 2, 5), (1, 1.5, 2, 3, 5, 7), (1, 1.2, 1.4, 1.6, 1.8, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9))
"""Of the ticks of a logarithmic axis, the first of these that give enough of them."""

ENOUGH = 4


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers along a logarithmic axis."""
    exponents = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    found: list[float] = []
    for mantissas in MANTISSAS:
        found = [tick for e in exponents for m in mantissas if low <= (tick := float(f"{m}e{e}")) <= high]
        if len(found) >= ENOUGH:
            return found
    size = 10.0 ** math.floor(math.log10((high - low) / 2))
    step = max((one for one in (size, 2 * size, 5 * size) if (high - low) / one >= 2), default=size)
    return [float(f"{place * step:.12g}") for place in range(math.ceil(low / step), math.floor(high / step) + 1)]


def frontier_labels(
    frontiers: Sequence[Mapping[str, float]],
    points: Sequence[Mapping[str, object]],
    across: tuple[float, float],
    up: tuple[float, float],
) -> list[dict[str, object]]:
    """Return the budget of each frontier, to be written where it leaves the chart on the right.

    It stands below the line; above it where a point, another line or the foot of the chart is in the way.

    Args:
        frontiers: The points of the frontiers, each from left to right.
        points: The protocols.
        across: The ends of the horizontal axis.
        up: The ends of the vertical axis.
    """
    x, y, height = "asr_uniform", "standard_error_weighted", math.log(up[1] / up[0])
    from_here = across[1] - EDGE_WORDS * (across[1] - across[0])
    busy = [math.log(float(str(one[y])) / up[0]) / height for one in points if float(str(one[x])) > from_here]
    ends = {}
    for epsilon in dict.fromkeys(point["epsilon"] for point in frontiers):
        own = [point for point in frontiers if point["epsilon"] == epsilon]
        error = float(np.interp(across[1], [one[x] for one in own], [one[y] for one in own]))
        if up[0] <= error <= up[1]:
            ends[epsilon] = error
    found: list[dict[str, object]] = []
    lines = {epsilon: math.log(error / up[0]) / height for epsilon, error in ends.items()}
    for epsilon, at in lines.items():
        near = [*busy, *(other for name, other in lines.items() if name != epsilon)]
        below = at < AT_THE_FOOT or any(-2 * AT_THE_FOOT < other - at < 0 for other in near)
        label = f"tight ε {epsilon:.4g}"
        found.append({"label": label, "standard_error_weighted": ends[epsilon], "above": below})
    return found
