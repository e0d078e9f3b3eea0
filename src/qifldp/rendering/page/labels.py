"""Where charts begin and end, and which labels share a place."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

import numpy as np

MARGIN = 0.14
"""Of the range of the values, left free on both sides."""

NEAR_X, NEAR_X_NARROW, NEAR_Y = 0.06, 0.2, 0.06
"""Shares of the chart's width (on a narrow screen) and height within which two points share one label."""

EDGE = 0.015
"""Of the range, left free above the largest value that a quantity can have: half a point, and no tick."""

WIDE, NARROW = 1000, 250
"""Pixels across a chart on a wide screen, and on a telephone's, at least."""

NARROW_BELOW = 760
"""Pixels across a chart below which it is narrow: on telephones, and on paper."""

LETTER, OFFSET = 6.5, 10
"""Pixels of a letter of a label, and between a point and its label, at most."""

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


def joint_labels(
    points: Sequence[Mapping[str, object]],
    x: str,
    y: str,
    across: tuple[float, float],
    up: tuple[float, float],
    *,
    narrow: bool = False,
) -> list[dict[str, object]]:
    """Return labels for points; those at nearly one place have one label, on the right of the outermost of them.

    There no falling frontier crosses it. Where there is no room, it stands on the chart's edge, above them.

    Args:
        points: Records with ``series`` and both keys.
        x: The key on the (linear) horizontal axis.
        y: The key on the (logarithmic) vertical axis.
        across: The ends of the horizontal axis.
        up: The ends of the vertical axis.
        narrow: Whether the chart is narrow.
    """

    def place(point: Mapping[str, object]) -> tuple[float, float]:
        at_x, at_y = float(str(point[x])), float(str(point[y]))
        height = math.log(up[1] / up[0])
        return (at_x - across[0]) / (across[1] - across[0]), math.log(at_y / up[0]) / height

    near = NEAR_X_NARROW if narrow else NEAR_X
    groups: list[list[Mapping[str, object]]] = []
    for point in points:
        here = place(point)
        for group in groups:
            if any(abs(here[0] - a) < near and abs(here[1] - b) < NEAR_Y for a, b in map(place, group)):
                group.append(point)
                break
        else:
            groups.append([point])
    found = []
    for group in groups:
        label = ", ".join(str(one["series"]) for one in group)
        room = (1 - max(place(one)[0] for one in group)) * (NARROW if narrow else WIDE)
        side = "right" if LETTER * len(label) + OFFSET < room else "edge"
        anchor = max(group, key=lambda point: float(str(point[x if side == "right" else y])))
        found.append({"label": label, "side": side, x: anchor[x], y: anchor[y]})
    return found


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
    points: Sequence[Mapping[str, float]], right: float, up: tuple[float, float]
) -> list[dict[str, object]]:
    """Return a label for each frontier, where it leaves the chart on the right: below the line, if there is room.

    Args:
        points: The points of the frontiers, each from left to right.
        right: The right end of the horizontal axis.
        up: The ends of the vertical axis.
    """
    found: list[dict[str, object]] = []
    for epsilon in dict.fromkeys(point["epsilon"] for point in points):
        own = [point for point in points if point["epsilon"] == epsilon]
        error = float(
            np.interp(right, [one["asr_uniform"] for one in own], [one["standard_error_weighted"] for one in own])
        )
        if up[0] <= error <= up[1]:
            low = math.log(error / up[0]) < AT_THE_FOOT * math.log(up[1] / up[0])
            label = f"least error at tight ε {epsilon:.4g}"
            found.append({"label": label, "standard_error_weighted": error, "above": low})
    return found
