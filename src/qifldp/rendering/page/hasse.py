"""The refinement order as a diagram: classes of protocols, an arrow from each to the safer ones that it covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from qifldp.rendering.page.markup import Markup, join, tag

ROW, GAP, LETTER, PADDING, LEAST_WIDTH, BOX = 46, 72, 8.4, 26, 76, 32
"""Pixels: between rows, between columns, of a letter, around a name, of a box at least, its height."""

BEND = 30
"""Pixels across, at both ends of a curve, that give it its bend."""

HEAD, HALF_HEAD = 14, 7
"""Pixels along the head of an arrow, and half of those across it."""


@dataclass(frozen=True)
class Stop:
    """A place in a column through which arrows lead: a box, or a gap between boxes.

    Attributes:
        left: The left end of the column.
        right: Its right end.
        y: The middle of the row.
    """

    left: float
    right: float
    y: float


@dataclass(frozen=True)
class Box:
    """A class of protocols in the diagram, at the left end of its column."""

    label: str
    spec: str
    width: float
    at: Stop


def hasse_svg(classes: Sequence[Sequence[str]], hasse: Sequence[Sequence[int]], names: Mapping[str, str]) -> Markup:
    """Return the diagram as SVG; boxes and arrows are buttons that name their protocols.

    Arrows bend between the columns only, and cross a column where no box is.

    Args:
        classes: The specs of each class.
        hasse: Pairs of classes (c, d): d is safer, and nothing is between.
        names: What each spec is called.
    """
    labels = [" = ".join(names[spec] for spec in specs) for specs in classes]
    widths = [max(LEAST_WIDTH, LETTER * len(label) + PADDING) for label in labels]
    stops, ways = _laid_out(widths, hasse)
    boxes = [Box(*one) for one in zip(labels, (specs[0] for specs in classes), widths, stops, strict=False)]
    width = max(stop.right for stop in stops) + 8
    height = max(stop.y for stop in stops) + BOX / 2 + 8
    return tag(
        "svg",
        join(*(_arrow(boxes[way[0]], [stops[i] for i in way[1:-1]], boxes[way[-1]]) for way in ways)),
        join(*(_node(box) for box in boxes)),
        class_="hasse",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="group",
        aria_label="Diagram of the refinement order: arrows lead to the safer protocol",
    )


def _laid_out(widths: Sequence[float], hasse: Sequence[Sequence[int]]) -> tuple[list[Stop], list[list[int]]]:
    """Return the stops, those of the classes first, and the way of each arrow through them.

    A class is in the column behind all that it is safer than; an arrow over several columns has a row in each.
    """
    level = [0] * len(widths)
    for _ in widths:
        for c, d in hasse:
            level[d] = max(level[d], level[c] + 1)
    ways: list[list[int]] = []
    before: dict[int, list[int]] = {}
    for c, d in hasse:
        between = range(level[c] + 1, level[d])
        way = [c, *range(len(level), len(level) + len(between)), d]
        level += between
        ways.append(way)
        for start, end in pairwise(way):
            before.setdefault(end, []).append(start)
    met = {c for edge in hasse for c in edge}
    rows: dict[int, int] = {}
    stops: dict[int, Stop] = {}
    left = 8.0
    for at in range(max(level) + 1):
        column = [i for i, own in enumerate(level) if own == at]
        wanted = {i: min((rows[start] for start in before.get(i, ())), default=0) for i in column}
        right = left + max((widths[i] for i in column if i < len(widths)), default=0.0)
        row = -1
        for i in sorted(column, key=lambda i: (i < len(widths) and i not in met, wanted[i], i)):
            row = rows[i] = max(row + 1, wanted[i])
            stops[i] = Stop(left, right, row * ROW + BOX / 2 + 8)
        left = right + GAP
    return [stops[i] for i in range(len(level))], ways


def _node(box: Box) -> Markup:
    shape = tag("rect", x=box.at.left, y=box.at.y - BOX / 2, width=box.width, height=BOX, rx=4)
    middle = box.at.left + box.width / 2
    word = tag("text", box.label, x=middle, y=box.at.y, text_anchor="middle", dominant_baseline="central")
    return tag(
        "g",
        shape,
        word,
        class_="node",
        role="button",
        tabindex=0,
        aria_pressed="false",
        data_spec=box.spec,
        aria_label=f"{box.label}: choose it, then a second one, to compare the two",
    )


def _arrow(start: Box, between: Sequence[Stop], end: Box) -> Markup:
    path = f"M{start.at.left + start.width} {start.at.y}"
    for here, there in pairwise((start.at, *between, end.at)):
        path += f"H{here.right}C{here.right + BEND} {here.y} {there.left - BEND} {there.y} {there.left} {there.y}"
    head = f"M{end.at.left} {end.at.y}l{-HEAD} {-HALF_HEAD}v{2 * HALF_HEAD}z"
    return tag(
        "g",
        tag("path", d=path, class_="touch"),
        tag("path", d=path, class_="arrow"),
        tag("path", d=head, class_="head"),
        class_="edge",
        role="button",
        tabindex=0,
        data_original=start.spec,
        data_refined=end.spec,
        aria_label=f"{start.label} is refined to the safer {end.label}: show the proof",
    )
