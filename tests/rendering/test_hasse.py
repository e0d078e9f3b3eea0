"""The diagram of the refinement order: arrows lead to the safer, and meet no box on their way."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from qifldp.rendering.page.hasse import hasse_svg

Edges = list[list[int]]
Points = NDArray[np.float64]


def diagram(labels: list[str], edges: Edges) -> ET.Element:
    specs = [[str(place)] for place in range(len(labels))]
    return ET.fromstring(str(hasse_svg(specs, edges, {str(place): label for place, label in enumerate(labels)})))


def boxes_of(svg: ET.Element) -> dict[str, tuple[float, float, float, float]]:
    """Return left, right, top and bottom of each box."""
    found = {}
    for node in svg.findall("g[@class='node']"):
        x, y, width, height = (float(node[0].attrib[name]) for name in ("x", "y", "width", "height"))
        found[node.attrib["data-spec"]] = (x, x + width, y, y + height)
    return found


def points_on(path: str) -> Points:
    """Return points along a path of moves, levels and curves."""
    steps = [(kind, np.array(numbers.split(), float)) for kind, numbers in re.findall(r"([MHC])([-\d. ]+)", path)]
    found = [steps[0][1]]
    for kind, numbers in steps[1:]:
        at = np.linspace(0, 1, 41)[:, None]
        start = found[-1]
        if kind == "H":
            found += [*(start + at * (np.array([numbers[0], start[1]]) - start))]
        else:
            a, b, end = numbers.reshape(3, 2)
            found += [*((1 - at) ** 3 * start + 3 * at * (1 - at) ** 2 * a + 3 * at**2 * (1 - at) * b + at**3 * end)]
    return np.array(found)


def covers(seed: int, count: int) -> Edges:
    """Return the pairs of a random order with nothing between."""
    rng = np.random.default_rng(seed)
    less = np.triu(rng.random((count, count)) < 0.4, 1)
    for between in range(count):
        less |= np.outer(less[:, between], less[between])
    return [[int(c), int(d)] for c, d in np.argwhere(less & ~(less.astype(int) @ less.astype(int) > 0))]


def test_the_safer_is_on_the_right() -> None:
    boxes = boxes_of(diagram(["A", "B", "C", "D"], [[0, 1], [1, 2]]))
    left, _, top, _ = boxes["0"]
    assert left < boxes["1"][0] < boxes["2"][0]
    assert boxes["3"][0] == left
    assert boxes["3"][2] > top


@pytest.mark.parametrize("edges", [[[0, 1], [1, 2], [0, 3]], [[2, 0]]])
def test_arrows_lead_from_the_original_to_the_refined_and_end_in_heads(edges: Edges) -> None:
    svg = diagram(["A", "B", "C", "D"], edges)
    boxes = boxes_of(svg)
    drawn = svg.findall("g[@class='edge']")
    assert [[int(one.attrib["data-original"]), int(one.attrib["data-refined"])] for one in drawn] == edges
    for one in drawn:
        touch, arrow, head = (path.attrib["d"] for path in one)
        assert touch == arrow
        along = points_on(arrow)
        start, end = boxes[one.attrib["data-original"]], boxes[one.attrib["data-refined"]]
        assert tuple(along[0]) == (start[1], (start[2] + start[3]) / 2)
        assert tuple(along[-1]) == (end[0], (end[2] + end[3]) / 2)
        tip = f"M{end[0]} {(end[2] + end[3]) / 2}l-"
        assert head.startswith(tip)
    assert "url(" not in ET.tostring(svg, "unicode")  # what has an id is found in the first diagram of a page only


@given(st.integers(0, 10_000), st.lists(st.integers(1, 40), min_size=2, max_size=9))
@example(0, [25, 3, 10, 3, 14, 3, 13])
def test_an_arrow_meets_no_box_but_its_own(seed: int, lengths: list[int]) -> None:
    svg = diagram(["x" * length for length in lengths], covers(seed, len(lengths)))
    boxes = boxes_of(svg)
    for one in svg.findall("g[@class='edge']"):
        x, y = points_on(one[1].attrib["d"]).T
        for spec, (left, right, top, bottom) in boxes.items():
            if spec not in (one.attrib["data-original"], one.attrib["data-refined"]):
                assert not ((left < x) & (x < right) & (top < y) & (y < bottom)).any()


@given(st.integers(0, 10_000), st.integers(2, 9))
def test_boxes_are_apart_and_on_the_picture(seed: int, count: int) -> None:
    svg = diagram(["x" * (3 + 5 * (place % 3)) for place in range(count)], covers(seed, count))
    boxes = [*boxes_of(svg).values()]
    for place, (left, right, top, bottom) in enumerate(boxes):
        assert left >= 0
        assert top >= 0
        assert right <= float(svg.attrib["width"])
        assert bottom <= float(svg.attrib["height"])
        for a, b, c, d in boxes[:place]:
            assert right < a or b < left or bottom < c or d < top
