"""Where charts begin and end, and which labels share a place."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np

from qifldp.rendering.page.places import LETTER, LINE, SMALL_LETTER, Axes, Line, Place, Word, is_clear

MARGIN = 0.14
"""Of the range of the values, left free on both sides."""

NEAR_Y = 0.06
"""Share of the chart's height within which two points share one label, if they are near across too."""

EDGE = 0.015
"""Of the range, left free beyond the largest value that a quantity can have, or a least one above 0: half a point."""

WIDTHS = (250, 420, 560, 760, 1000)
"""Pixels across a chart from which labels are placed anew, from telephones over paper to wide screens."""

BETWEEN = 1.4
"""A width within each of these classes, in its least one: labels that are clear at both are clear."""

LONGEST = 220
"""Pixels of a line of a label at most, which the narrowest chart has; a longer label has several lines."""

OFFSET = 9
"""Pixels between a point, or the end of a line, and its label."""

SIDES = (("above", 1, 1), ("below", 1, -1), ("edge", -1, 1), ("before", -1, -1), ("behind", -1, 1))
"""Where a label may stand: whether ahead of its point or before it, above or below; the first that is clear.

On the edge are those only that have no room ahead of their points.
"""

EDGE_RIGHT, EDGE_ABOVE = -6, 17
"""Pixels from the right edge, and above the highest of its points, of a label on the edge."""

ENDS = (-OFFSET, OFFSET, -21, 21, -33, 33)
"""Pixels from the end of a line up to the word on it: the first that is clear; points or words may be between."""

BESIDE = ((20, True), (28, True), (36, True), (45, True), (45, False))
"""Pixels across within which points share one label, all of them or each with a next one: the first of these with which
labels meet the least. With the most pixels, a name has room beside its point before the next one."""

NOTHING, LINES, POINTS = range(3)
"""What a label meets."""

FAR = 1.5
"""A point whose error is that many times the next one's is left off the chart, and named on its edge."""

FEWEST = 3
"""Points that must be left."""

NEAR_RULES = 0.05
"""Share of the width within which two marks on an edge share one label."""


def bounds(
    values: Sequence[float], *, logarithmic: bool, least: float = 0.0, most: float = math.inf
) -> tuple[float, float]:
    """Return the ends of an axis around values: more room at the upper end, for labels, but little past the limits.

    Args:
        values: The values.
        logarithmic: Whether the axis is; then it has no limits.
        least: The least value that there can be; the axis may begin there.
        most: The largest.
    """
    lows, highs = min(values), max(values)
    if logarithmic:
        low, high = math.log(lows), math.log(highs)
        room = max((high - low) * MARGIN, 0.08)
        return math.exp(low - room), math.exp(high + room)
    room = max((highs - lows) * MARGIN, abs(highs) * 0.03, 1e-12)
    left, right = max(lows - room, least), highs + 1.6 * room
    if left == least > 0:
        left -= EDGE * (right - least)
    return left, min(right, most + EDGE * (most - left) if math.isfinite(most) else math.inf)


@dataclass(frozen=True)
class Label:
    """The names of points.

    Attributes:
        word: The names, and where they stand.
        side: On which of ``SIDES``.
    """

    word: Word
    side: str


def joint_labels(
    points: Sequence[Mapping[str, object]],
    x: str,
    y: str,
    axes: Axes,
    *,
    width: int,
    lines: Sequence[Line] = (),
    words: Sequence[Word] = (),
) -> list[Label]:
    """Return labels for points; those at nearly one place may have one label, beside the outermost of them.

    It stands on the right, above or below the point, or on the left, where it meets no other point, no other label
    and, if there is such a place, no line and, of such places, no other word. A label that has no room on the right may
    stand on the chart's edge, above the highest of its points. One that meets something everywhere is on the chart at
    least.

    Args:
        points: Records with ``series`` and both keys.
        x: The key on the horizontal axis.
        y: The key on the vertical axis.
        axes: The axes.
        width: The least width of the chart, of ``WIDTHS``.
        lines: Lines of the chart.
        words: Other words on the chart, which can yield.
    """
    names = [str(point["series"]) for point in points]
    places = [axes.place(point[x], point[y]) for point in points]
    ways = [_groups(places, apart / width, every) for apart, every in BESIDE]
    tried = [_labelled(names, places, groups, width, lines, words) for groups in ways]
    return min(tried, key=lambda one: one[1])[0]


def _groups(places: Sequence[Place], apart: float, every: bool) -> list[list[int]]:
    """Return points in groups: each so near to every other of its group, or to one of it."""
    near = all if every else any
    groups: list[list[int]] = []
    for own, here in enumerate(places):
        for group in groups:
            if near(abs(here[0] - places[i][0]) < apart and abs(here[1] - places[i][1]) < NEAR_Y for i in group):
                group.append(own)
                break
        else:
            groups.append([own])
    return groups


def _labelled(
    series: Sequence[str],
    places: Sequence[Place],
    groups: Sequence[Sequence[int]],
    width: int,
    lines: Sequence[Line],
    words: Sequence[Word],
) -> tuple[list[Label], tuple[int, int]]:
    """Return a label for each group, how many of them meet points or one another, and how many of them lines only."""
    found: list[Label] = []
    met = [0, 0, 0]
    for group in groups:
        text = _broken(", ".join(series[i] for i in group))
        more = LINE * text.count("\n")  # half of what its other lines take
        outermost = max(group, key=lambda i: places[i][0])
        highest = max(group, key=lambda i: places[i][1])
        sides = [
            Label(Word(text, places[outermost], ahead * OFFSET, up * (OFFSET + more)), side)
            for side, ahead, up in SIDES
        ]
        edge = Label(Word(text, (1.0, places[highest][1]), EDGE_RIGHT, EDGE_ABOVE + more), "edge")
        has_room = sides[0].word.box(width)[1] <= width
        sides = [edge if one.side == "edge" else one for one in sides if not (one.side == "edge" and has_room)]
        names = [one.word for one in found]
        clear = (
            (one, what)
            for what, all_lines, all_places, standing in (
                (NOTHING, lines, places, [*names, *words]),
                (NOTHING, lines, places, names),
                (LINES, (), places, names),
                (POINTS, (), (), ()),
            )
            for one in sides
            if _is_clear(
                one.word,
                width,
                lines=all_lines,
                points=[
                    place for i, place in enumerate(all_places) if i != (highest if one.side == "edge" else outermost)
                ],
                words=standing,
            )
        )
        label, what = next(clear, (sides[0] if has_room else edge, POINTS))
        found.append(label)
        met[what] += 1
    return found, (met[POINTS], met[LINES])


def _broken(text: str) -> str:
    """Return names in lines that are short enough, broken within a name only if it alone is longer."""
    return "\n".join(textwrap.wrap(text, int(LONGEST / LETTER), break_on_hyphens=False))


def _is_clear(
    word: Word, width: float, *, lines: Sequence[Line], points: Sequence[Place], words: Sequence[Word]
) -> bool:
    """Return whether a word meets nothing at the widths of a class."""
    return all(is_clear(word, pixels, lines=lines, points=points, words=words) for pixels in (width, BETWEEN * width))


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

ENOUGH, MOST_TICKS = 4, 16
"""Ticks of a logarithmic axis; beyond the most, which is five powers of ten, it has powers of ten only."""

POWERS = 8
"""Powers of ten on an axis, at most, in equal steps."""


def log_ticks(low: float, high: float) -> list[float]:
    """Return round numbers along a logarithmic axis."""
    exponents = range(math.floor(math.log10(low)), math.floor(math.log10(high)) + 1)
    found: list[float] = []
    for mantissas in MANTISSAS:
        found = [tick for e in exponents for m in mantissas if low <= (tick := float(f"{m}e{e}")) <= high]
        if len(found) > MOST_TICKS:
            step = math.ceil(len(exponents) / POWERS)
            return [tick for e in exponents if e % step == 0 and low <= (tick := float(f"1e{e}")) <= high]
        if len(found) >= ENOUGH:
            return found
    size = 10.0 ** math.floor(math.log10((high - low) / 2))
    round_step = max((one for one in (size, 2 * size, 5 * size) if (high - low) / one >= 2), default=size)
    places = range(math.ceil(low / round_step), math.floor(high / round_step) + 1)
    return [float(f"{place * round_step:.12g}") for place in places]


def frontier_labels(
    lines: Mapping[float, Line], points: Sequence[Place], *, width: int, words: Sequence[Word] = ()
) -> list[Word]:
    """Return the budget of each frontier, to be written where it leaves the chart on the right.

    It stands next to the line, where it meets no point, no other word and, if there is such a place, no line.

    Args:
        lines: The frontier of each budget.
        points: The protocols.
        width: The least width of the chart, of ``WIDTHS``.
        words: Other words on the chart.
    """
    found: list[Word] = []
    for epsilon, line in lines.items():
        height = float(np.interp(1.0, *line.T))
        if not 0 <= height <= 1:
            continue
        text = f"tight ε {epsilon:.4g}"
        places = [Word(text, (1.0, height), EDGE_RIGHT, above, SMALL_LETTER) for above in ENDS]
        clear = [
            word
            for met in (tuple(lines.values()), ())
            for word in places
            if _is_clear(word, width, lines=met, points=points, words=[*words, *found])
        ]
        found.append((*clear, *places)[0])
    return found
