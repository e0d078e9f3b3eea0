"""The refinement order as a diagram: classes of protocols, an arrow from each to the safer ones that it covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from qifldp.rendering.page.markup import Markup, join, tag

ROW, GAP, LETTER, PADDING, LEAST_WIDTH, BOX = 46, 72, 8.4, 26, 76, 32
"""Pixels: between rows, between columns, of a letter, around a name, of a box at least, its height."""


@dataclass(frozen=True)
class Box:
    """A class of protocols in the diagram: the place of its centre, and its width."""

    label: str
    spec: str
    x: float
    y: float
    width: float


def hasse_svg(classes: Sequence[Sequence[str]], hasse: Sequence[Sequence[int]], names: Mapping[str, str]) -> Markup:
    """Return the diagram as SVG; boxes and arrows are buttons that name their protocols.

    Args:
        classes: The specs of each class.
        hasse: Pairs of classes (c, d): d is safer, and nothing is between.
        names: What each spec is called.
    """
    boxes = _boxes(classes, hasse, names)
    width = max(box.x + box.width / 2 for box in boxes) + 8
    height = max(box.y for box in boxes) + BOX / 2 + 8
    arrows = join(*(_arrow(boxes[c], boxes[d]) for c, d in hasse))
    marker = tag(
        "defs",
        tag(
            "marker",
            tag("path", d="M0 0L8 4L0 8z"),
            id="head",
            viewBox="0 0 8 8",
            refX=8,
            refY=4,
            markerWidth=9,
            markerHeight=9,
            orient="auto",
        ),
    )
    return tag(
        "svg",
        marker,
        arrows,
        join(*(_node(box) for box in boxes)),
        class_="hasse",
        viewBox=f"0 0 {width:.0f} {height:.0f}",
        width=f"{width:.0f}",
        height=f"{height:.0f}",
        role="group",
        aria_label="Diagram of the refinement order: arrows lead to the safer protocol",
    )


def _boxes(classes: Sequence[Sequence[str]], hasse: Sequence[Sequence[int]], names: Mapping[str, str]) -> list[Box]:
    level = [0] * len(classes)
    for _ in classes:
        for c, d in hasse:
            level[d] = max(level[d], level[c] + 1)
    labels = [" = ".join(names[spec] for spec in specs) for specs in classes]
    widths = [max(LEAST_WIDTH, LETTER * len(label) + PADDING) for label in labels]
    columns = [[c for c in range(len(classes)) if level[c] == at] for at in range(max(level) + 1)]
    met = {c for edge in hasse for c in edge}
    rows: dict[int, float] = {}
    left, lefts = 8.0, []
    for column in columns:
        placed = -1.0
        for c in sorted(column, key=lambda c: (c not in met, _parents_row(c, hasse, rows), c)):
            wanted = _parents_row(c, hasse, rows)
            placed = max(placed + 1, wanted)
            rows[c] = placed
        lefts.append(left)
        left += max(widths[c] for c in column) + GAP
    return [
        Box(labels[c], classes[c][0], lefts[level[c]] + widths[c] / 2, rows[c] * ROW + BOX / 2 + 8, widths[c])
        for c in range(len(classes))
    ]


def _parents_row(c: int, hasse: Sequence[Sequence[int]], rows: Mapping[int, float]) -> float:
    found = [rows[parent] for parent, child in hasse if child == c and parent in rows]
    return min(found, default=0.0)


def _node(box: Box) -> Markup:
    shape = tag("rect", x=box.x - box.width / 2, y=box.y - BOX / 2, width=box.width, height=BOX, rx=4)
    word = tag("text", box.label, x=box.x, y=box.y, text_anchor="middle", dominant_baseline="central")
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


def _arrow(start: Box, end: Box) -> Markup:
    from_x, to_x = start.x + start.width / 2, end.x - end.width / 2
    path = f"M{from_x} {start.y}C{from_x + 30} {start.y} {to_x - 30} {end.y} {to_x} {end.y}"
    return tag(
        "g",
        tag("path", d=path, class_="touch"),
        tag("path", d=path, class_="arrow", marker_end="url(#head)"),
        class_="edge",
        role="button",
        tabindex=0,
        data_original=start.spec,
        data_refined=end.spec,
        aria_label=f"{start.label} is refined to the safer {end.label}: show the proof",
    )
