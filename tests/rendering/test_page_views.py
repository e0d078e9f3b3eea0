"""The charts and the markup of the comparison page, without a browser."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import numpy as np
import pytest
import vl_convert

from qifldp.comparison.compare import compare
from qifldp.comparison.findings import Findings, find
from qifldp.comparison.ordering import order_comparison
from qifldp.comparison.plane import Plane, plane
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import build, read_subject
from qifldp.comparison.sweep import MOST_VALUES
from qifldp.comparison.sweep import POINTS as BUDGETS
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN
from qifldp.rendering.charts import LOOKS
from qifldp.rendering.page.assemble import charts_of, page_of
from qifldp.rendering.page.hasse import hasse_svg
from qifldp.rendering.page.labels import (
    EDGE_ABOVE,
    LONGEST,
    bounds,
    frontier_labels,
    joint_labels,
    ladder,
    log_ticks,
    without_outliers,
)
from qifldp.rendering.page.looks import looks_of
from qifldp.rendering.page.markup import script_json, tag
from qifldp.rendering.page.places import HEIGHT, LETTER, LINE, MARK, SMALL_LETTER, Axes, Word, is_clear
from qifldp.rendering.page.views import leakage_chart, plane_chart

LARGEST_PAGE = 3_000_000
"""Bytes."""


def found(size: int, *specs: str, budgets: tuple[str, ...] = ("1",), ordered: bool = False) -> Findings:
    subjects = [read_subject(spec) for spec in specs]
    question = Question(tuple(Budget.read(one) for one in budgets))
    comparison = compare(subjects, domain_size=size, question=question)
    orders = order_comparison(comparison, figures=False) if ordered else ()
    return find(subjects, comparison, orders=orders)


@pytest.fixture(scope="module")
def findings() -> Findings:
    return found(20, "grr", "ss", "oue", "sue", "the", budgets=("1", "2"), ordered=True)


def test_a_channel_of_two_names_is_called_by_both() -> None:
    page = page_of(found(100, "ss", "ss:omega=27", "oue", ordered=True))
    labels = re.findall(r'class="node".*?aria-label="(.*?): choose it', page)
    assert sorted(labels) == ["OUE", "SS = SS:omega=27"]
    assert "Incomparable with all others: SS = SS:omega=27, OUE." in page
    assert 'aria-label="SS = SS:omega=27 not refined to OUE: show the proof"' in page


def test_every_chart_is_valid_vega_lite(findings: Findings) -> None:
    charts = charts_of(findings)
    assert {name.rpartition("-")[0] for name in charts} >= {"sweep", "plane-0", "plane-1", "trade-off", "delta"}
    for spec in charts.values():
        alt.Chart.from_dict(spec, validate=True)


def test_every_chart_takes_its_data_from_the_document(findings: Findings) -> None:
    document = json.loads(json.dumps(findings.to_json()))
    for spec in charts_of(findings).values():
        paths = [name for name in spec["datasets"] if name.startswith("/")]
        assert paths
        for path in paths:
            place: Any = document
            for key in path[1:].split("/"):
                place = place[int(key)] if isinstance(place, list) else place[key]
            assert place == json.loads(json.dumps(spec["datasets"][path]))


def test_every_axis_of_leakage_says_which_end_is_private(findings: Findings) -> None:
    for name, spec in charts_of(findings).items():
        titles = json.dumps([layer["encoding"] for layer in spec["layer"]], ensure_ascii=False)
        assert "more private" in titles, name


def test_the_frontier_is_drawn_against_the_chance_of_a_right_guess_only(findings: Findings) -> None:
    for name, spec in charts_of(findings).items():
        drawn = any(path.endswith("/frontier") for path in spec["datasets"])
        assert drawn == (name.startswith("plane") and name.endswith("asr_uniform")), name


def test_page_is_small_and_loads_nothing(findings: Findings) -> None:
    page = page_of(findings)
    assert len(page.encode()) < LARGEST_PAGE
    assert re.findall(r"<(?:link|img|iframe|script src)[^>]*>", page.split("<script>")[0]) == []
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert "default-src 'none'" in policy[1]
    assert "unsafe" not in policy[1]


def test_page_of_one_run_is_the_same_twice(findings: Findings) -> None:
    assert page_of(findings) == page_of(findings)


def test_large_domains_have_marks_and_no_curves() -> None:
    charts = charts_of(found(200_000, "grr", "ss"))
    assert charts["sweep-asr_uniform"]["datasets"]["/sweep/curves"] == []
    assert len(charts["sweep-asr_uniform"]["datasets"]["/sweep/marks"]) == 2


def test_curves_say_how_finely_they_are_computed() -> None:
    curves = found(MOST_VALUES, "grr", budgets=("60",)).sweep
    assert [one["epsilon"] for one in curves.curves] == pytest.approx(np.linspace(90 / BUDGETS, 90, BUDGETS), rel=1e-2)
    assert curves.notes == ("Lines are computed at 41 budgets, 2.2 apart, and straight between them.",)
    assert curves.notes[0] in page_of(found(10, "grr", budgets=("60",)))


def test_series_have_looks_of_their_own() -> None:
    looks = looks_of({"THE": "THE", "THE:theta=0.9": "THE", "a.csv": "FILE", "b.csv": "FILE", "GRR": "GRR"})
    assert looks["THE"] == LOOKS["THE"]
    assert looks["GRR"] == LOOKS["GRR"]
    assert len(set(looks.values())) == 5


def test_elements_escape_text_and_attributes() -> None:
    made = tag("p", "<b>&\u202e", tag("i", "x"), title='"<', data_x=None, hidden=True)
    assert made == '<p title="&quot;&lt;" hidden>&lt;b&gt;&amp;\N{REPLACEMENT CHARACTER}<i>x</i></p>'


def test_nothing_ends_a_block_of_json() -> None:
    document: dict[str, object] = {"</script><!--": "<script>\u2028\u202e&"}
    block = script_json(document, "x")
    inside = block.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert not set("<>&\u2028\u202e") & set(inside)
    assert json.loads(inside) == document


def test_hasse_puts_the_safer_to_the_right() -> None:
    svg = hasse_svg([["a"], ["b"], ["c"], ["d"]], [[0, 1], [1, 2]], {"a": "A", "b": "B", "c": "C", "d": "D"})
    places = {name: float(x) for x, name in re.findall(r'<text x="([\d.]+)"[^>]*>([A-D])<', svg)}
    assert places["A"] < places["B"] < places["C"]
    assert places["D"] == pytest.approx(places["A"])
    assert svg.count('class="edge"') == 2


AXES = Axes((0, 4), (0.5, 2))

POINTS = [{"series": name, "x": x, "y": y} for name, x, y in (("A", 1.0, 1.0), ("B", 1.01, 1.01), ("C", 3.0, 1.3))]


def test_points_at_one_place_share_a_label() -> None:
    labels = joint_labels(POINTS, "x", "y", AXES, width=760)
    assert [(one.word.text, one.side) for one in labels] == [("A, B", "above"), ("C", "above")]
    assert labels[0].word.at == AXES.place(1.01, 1.01)  # beside the outermost


def test_labels_without_room_beside_their_points_stand_on_the_edge_above_them() -> None:
    far = [point | {"x": float(str(point["x"])) + 2.9} for point in POINTS[:2]]
    (label,) = joint_labels(far, "x", "y", AXES, width=250)
    assert (label.word.text, label.side, label.word.at) == ("A, B", "edge", (1.0, AXES.place(0, 1.01)[1]))


def test_points_share_a_label_if_theirs_would_meet_at_that_width() -> None:
    for apart, width, together in ((0.1, 250, True), (0.1, 420, True), (0.1, 760, False), (0.2, 420, False)):
        points = [{"series": name, "x": 1 + 4 * apart * place, "y": 1.0} for place, name in enumerate("AB")]
        assert (len(joint_labels(points, "x", "y", AXES, width=width)) == 1) == together


def test_a_label_stands_where_no_line_and_no_other_point_is() -> None:
    def sides(*points: dict[str, Any], lines: tuple[list[tuple[float, float]], ...] = ()) -> list[object]:
        drawn = [AXES.line(line) for line in lines]
        return [one.side for one in joint_labels(points, "x", "y", AXES, width=760, lines=drawn)]

    a, b = ({"series": name, "x": x, "y": 1.0} for name, x in (("A", 1.0), ("B", 2.0)))
    above = [(0.0, 1.06), (1.0, 1.05), (4.0, 0.9)]
    assert sides(a, b) == ["above", "above"]
    assert sides(a, b, lines=(above,)) == ["below", "above"]
    below = [
        (0.0, 1.06),
        (0.96, 1.0),
        (1.0, 0.985),
        (1.06, 0.96),
        (4.0, 0.9),
    ]  # the label is left of a falling line, not on it
    assert sides(a, lines=(above, below)) == ["before"]
    long, beside = a | {"series": "a name"}, {"series": "C", "x": 1.25, "y": 1.03}
    assert sides(long, beside)[0] == "below"


def test_a_label_stands_where_no_other_word_is() -> None:
    a = {"series": "A", "x": 1.0, "y": 1.0}
    place = AXES.place(1, 1)
    words: list[Word] = []
    for side, right, above in (("above", 12, 9), ("below", 12, -9), ("before", -12, -9), ("behind", -12, 9)):
        (label,) = joint_labels([a], "x", "y", AXES, width=760, words=words)
        assert label.side == side
        words.append(Word("word", place, right, above))


def test_labels_of_points_do_not_meet_one_another() -> None:
    long, lower = {"series": "a long name", "x": 1.0, "y": 1.0}, {"series": "B", "x": 1.5, "y": 0.978}
    for points, sides in (([long, lower], ["above", "below"]), ([lower], ["above"])):
        assert [one.side for one in joint_labels(points, "x", "y", AXES, width=420)] == sides


def test_a_label_in_the_way_of_a_line_takes_the_place_of_a_word_that_can_yield() -> None:
    a, below = {"series": "A", "x": 1.0, "y": 1.0}, Word("word", AXES.place(1, 1), 12, -9)
    over = AXES.line([(1.0, 1.05), (4.0, 1.05)])
    beside = [Word("word", AXES.place(1, 1), -12, above) for above in (9, -9)]
    for words, side in (([below], "before"), ([below, *beside], "below")):
        (label,) = joint_labels([a], "x", "y", AXES, width=760, lines=[over], words=words)
        assert label.side == side


def test_a_label_that_meets_something_everywhere_is_on_the_chart() -> None:
    at = {"series": "A", "x": 1.0, "y": 1.99}
    around = [at | {"series": "B" * 60, "x": 1.0 + x, "y": 1.9} for x in (-0.2, 0.3)]
    for label in joint_labels([at, *around], "x", "y", AXES, width=760):
        assert is_clear(label.word, 760)


def test_nothing_of_a_long_label_is_lost() -> None:
    names = [f"SS:omega={place}" for place in range(1, 12)] + ["a name that alone is longer than a line can be"]
    points = [{"series": name, "x": 2.0, "y": 1.0} for name in names]
    (label,) = joint_labels(points, "x", "y", AXES, width=250)
    lines = [line for line, _ in label.word.rows]
    assert " ".join(lines) == ", ".join(names).replace("can be", "can\nbe").replace("\n", " ")
    left, right, bottom, top = label.word.box(250)
    assert right - left == LETTER * max(map(len, lines)) <= LONGEST
    middles = [HEIGHT * label.word.at[1] + above for _, above in label.word.rows]
    assert middles == sorted(middles, reverse=True)
    assert (middles[0] + LINE, middles[-1] - LINE) == pytest.approx((top, bottom))
    assert set(np.diff(middles)) == {-2 * LINE}
    lowest = bottom - HEIGHT * label.word.at[1]
    assert lowest == EDGE_ABOVE - LINE  # as far from its point as a label of one line


def test_a_word_meets_a_line_that_falls_between_its_letters() -> None:
    """A step of a frontier may be narrower than a letter, and pass through a word from top to bottom."""
    word = Word("word", (0.5, 0.5), 9, 0)
    inside = 0.5 + (9 + 1.5 * LETTER) / 760
    steep = np.array([(0.0, 0.9), (inside, 0.9), (inside + 1e-9, 0.1), (1.0, 0.1)])
    assert not is_clear(word, 760, lines=[steep])
    assert is_clear(word, 760, lines=[steep[:2], steep[2:]])
    over, ends = np.array([(0.0, 0.6), (1.0, 0.6)]), np.array([(0.0, 0.5), (0.5, 0.5)])
    assert is_clear(word, 760, lines=[over, ends])
    notch = np.array([(0.0, 0.6), (inside - 1e-3, 0.6), (inside, 0.5), (inside + 1e-3, 0.6), (1.0, 0.6)])
    assert not is_clear(word, 760, lines=[notch])
    upright = np.array([(inside, 0.0), (inside, 1.0)])
    assert not is_clear(word, 760, lines=[upright])
    assert is_clear(word, 760, lines=[upright - (0.05, 0), upright - (-0.05, 0)])


def test_a_word_is_half_a_mark_away_from_points() -> None:
    word = Word("word", (0.5, 0.5), 9, 0)
    left, right, bottom, top = word.box(760)
    across, up = (left + right) / 2, (bottom + top) / 2
    for away, clear in ((MARK - 1, False), (MARK + 1, True)):
        for x, y in ((left - away, up), (right + away, up), (across, bottom - away), (across, top + away)):
            assert is_clear(word, 760, points=[(x / 760, y / HEIGHT)]) == clear


@pytest.mark.parametrize(("at", "clear"), [((0.5, 0.5), True), ((0.99, 0.5), False), ((0.5, 0.99), False)])
def test_a_word_is_on_the_chart(at: tuple[float, float], clear: bool) -> None:
    assert is_clear(Word("word", at, 9, 0), 400) == clear
    assert is_clear(Word("word", (1 - at[0], 1 - at[1]), -9, 0), 400) == clear


def test_a_point_far_above_the_others_is_left_out() -> None:
    near, far = without_outliers([*POINTS, {"series": "D", "x": 1.0, "y": 9.0}], "y")
    assert [one["series"] for one in far] == ["D"]
    assert len(near) == 3


def test_points_that_rise_step_by_step_are_all_near() -> None:
    points = [{"series": str(y), "x": 1.0, "y": y} for y in (1.0, 1.4, 1.9, 2.6, 3.7, 6.0)]
    near, far = without_outliers(points, "y")
    assert [one["y"] for one in near] == [1.0, 1.4, 1.9, 2.6, 3.7]
    assert [one["y"] for one in far] == [6.0]


def test_presets_near_one_another_share_a_mark() -> None:
    marks = ladder([{"epsilon": 2.0}, {"epsilon": 2.04}, {"epsilon": 4.0}], 4.0)
    assert [(one["epsilon"], one["label"]) for one in marks] == [(2.0, "AB"), (4.0, "C")]


@pytest.mark.parametrize(("low", "high"), [(0.001, 2.0), (0.011, 0.014), (0.0061, 0.0069), (0.5, 60.0)])
def test_logarithmic_axes_have_ticks_inside(low: float, high: float) -> None:
    ticks = log_ticks(low, high)
    assert len(ticks) >= 2
    assert all(low <= tick <= high for tick in ticks)


def test_bounds_leave_room() -> None:
    assert bounds([1.0, 1.0], logarithmic=True)[0] < 1 < bounds([1.0, 1.0], logarithmic=True)[1]
    low, high = bounds([2.0, 4.0], logarithmic=False)
    assert 0 <= low < 2 < 4 < high


def test_the_axis_of_a_chance_ends_next_to_one() -> None:
    low, high = bounds([0.9, 0.99], logarithmic=False, most=1)
    assert 0 <= low < 0.9
    assert 1 < high < 1 + 0.02 * (1 - low)
    assert bounds([0.1, 0.2], logarithmic=False, most=1) == bounds([0.1, 0.2], logarithmic=False)


def test_a_frontier_is_named_above_its_line_at_the_foot_of_the_chart() -> None:
    lines = {1.0: np.array([(0, 0.01), (1, 0.01)]), 2.0: np.array([(0, 0.5), (1, 0.5)])}
    words = frontier_labels(lines, [], width=420)
    assert [(one.text, one.at, one.above > 0) for one in words] == [
        ("tight ε 1", (1.0, 0.01), True),
        ("tight ε 2", (1.0, 0.5), False),
    ]
    for x, above in ((0.95, True), (0.5, False)):  # a point under the line's end is in the way
        point = (x, 0.5 - 12 / HEIGHT)
        assert (frontier_labels(lines, [point], width=420)[1].above > 0) == above


def test_a_frontier_is_named_beyond_a_point_and_beside_other_words() -> None:
    lines = {1.0: np.array([(0, 0.5), (1, 0.5)])}
    at_the_end = (1 - 10 / 420, 0.5)  # too near for a word right above or below the line
    (word,) = frontier_labels(lines, [at_the_end], width=420)
    assert word.above == -21
    (other,) = frontier_labels(lines, [at_the_end], width=420, words=[word])
    assert other.above == 21
    lower, under_it = lines | {0.9: lines[1.0] - (0, 25 / HEIGHT)}, (1 - 30 / 420, 0.5 - 31 / HEIGHT)
    assert [one.above for one in frontier_labels(lower, [under_it], width=420)] == [-9, -21]  # not on the other word


def test_a_frontier_is_named_where_it_leaves_the_chart() -> None:
    falling = [np.array([(0.0, 0.9 + up), (0.9, 0.5 + up), (2.0, -0.6 + up)]) for up in (0.0, -1.0, 1.0)]
    (word,) = frontier_labels(dict(enumerate(falling)), [], width=420)
    assert word.at == pytest.approx((1.0, 0.4))


def plane_of(size: int, epsilon: str, n: int) -> Plane:
    subjects, budget = [read_subject(spec) for spec in SEVEN], Budget.read(epsilon)
    comparison = compare(subjects, domain_size=size, question=Question((budget,)), n=n)
    ((asked, rows),) = comparison.groups()
    sources = {row.spec: build(one, size, budget) for row, one in zip(rows, subjects, strict=True)}
    return plane(asked, rows, SEVEN, sources, n)


def drawn(found: Plane, key: str, size: int = 10, caps: tuple[float, ...] = ()) -> dict[str, Any]:
    presets = [{"name": str(cap), "most_bits": cap} for cap in caps]
    return plane_chart(found, key, looks_of(dict.fromkeys(SEVEN, "FILE")), presets, domain_size=size)


def words_of(spec: dict[str, Any], width: float) -> list[Word]:
    """Return the words that a chart of one plane shows at a width, beside the places where they stand."""
    (points,) = (layer["encoding"] for layer in spec["layer"] if layer["mark"]["type"] == "point")
    across, up = (points[axis]["scale"]["domain"] for axis in "xy")
    axes, data, key = Axes(tuple(across), tuple(up)), spec["datasets"], points["x"]["field"]
    shown = {name: [one for one in data[name] if one["least"] <= width < one["below"]] for name in ("edges", "labels")}
    return [
        Word(
            one["label"], axes.place(one[key], one["standard_error_weighted"]), one["right"], one["above"],
            SMALL_LETTER if name == "edges" else LETTER,
        )
        for name, records in shown.items()
        for one in records
    ]  # fmt: skip


@pytest.mark.parametrize("width", [590, 760, 1040])
@pytest.mark.parametrize(
    ("size", "epsilon", "n"),
    [(2, "1", 100), (10, "8", 1000), (50, "2", 10_000), (300, "10", 1000), (1000, "20", 1000), (1000, "60", 10)],
)
def test_no_two_words_of_a_plane_meet(size: int, epsilon: str, n: int, width: int) -> None:
    """At widths of paper and of screens; a telephone may have no room."""
    found = plane_of(size, epsilon, n)
    words = words_of(drawn(found, "asr_uniform"), width)
    assert {word.text for word in words if word.text.startswith("tight")}
    for place, word in enumerate(words):
        assert is_clear(word, width, words=words[:place]), word.text


@pytest.mark.parametrize("width", [760, 1040])
def test_the_word_on_a_frontier_yields_to_a_name_that_has_one_place(width: int) -> None:
    found = plane_of(300, "10", 1000)
    spec = drawn(found, "asr_uniform", 300)
    (points,) = (layer["encoding"] for layer in spec["layer"] if layer["mark"]["type"] == "point")
    axes = Axes(*(tuple(points[axis]["scale"]["domain"]) for axis in "xy"))
    corners = [
        [(one["asr_uniform"], one["standard_error_weighted"]) for one in found.frontier if one["epsilon"] == epsilon]
        for epsilon in {one["epsilon"] for one in found.frontier}
    ]
    words = words_of(spec, width)
    assert "grr, ss" in {word.text for word in words}
    assert all(is_clear(word, width, lines=[axes.line(line) for line in corners]) for word in words)


def test_what_is_out_of_reach_is_that_of_the_largest_budget() -> None:
    found = plane_of(10, "4", 1000)
    budgets = sorted({one["epsilon"] for one in found.frontier})
    assert budgets[0] < 3.9 < budgets[-1]  # of THE, and of the others
    spec = drawn(found, "asr_uniform")
    assert spec["title"]["text"] == ["shaded: out of reach at tight ε ≤ 4"]
    (area,) = (layer for layer in spec["layer"] if layer["mark"]["type"] == "area")
    assert area["transform"] == [{"filter": f"(datum.epsilon === {budgets[-1]})"}]


def _heights(element: ET.Element, above: float) -> Iterator[tuple[str, float]]:
    """Yield every text of a picture, and how far down it is."""
    moved = re.match(r"translate\([^,]*,([^)]*)\)", element.get("transform", ""))
    down = above + (float(moved[1]) if moved else 0.0)
    if element.text:
        yield element.text, down
    for child in element:
        yield from _heights(child, down)


def test_notes_stand_over_the_chart() -> None:
    """Inside, a level frontier would strike through them."""
    spec = drawn(plane_of(50, "10", 1000), "asr_uniform")
    assert spec["title"]["text"] == ["shaded: out of reach at tight ε ≤ 10"]
    assert spec["title"]["subtitle"] == ["off the chart, above: the, olh, oue, blh"]
    svg = ET.fromstring(vl_convert.vegalite_to_svg(spec | {"width": 300}))
    down = dict(_heights(svg, 0.0))
    notes = [down.pop(spec["title"][part][0]) for part in ("text", "subtitle")]
    assert "tight ε 5.975" in down
    assert notes[0] < notes[1] < min(down.values()) - LINE
    assert "title" not in drawn(plane_of(10, "1", 1000), "shannon_capacity_bits")


def test_long_notes_have_lines_that_fit_the_narrowest_chart() -> None:
    found = plane_of(50, "10", 1000)
    names = {name: f"{name}:some=parameters" for name in SEVEN}
    points = tuple(one | {"series": names[str(one["series"])]} for one in found.points)
    lines = plane_chart(
        Plane(10.0, points, found.frontier), "asr_uniform", looks_of(dict.fromkeys(names.values(), "FILE")),
        domain_size=50,
    )["title"]["subtitle"]  # fmt: skip
    assert len(lines) > 1
    assert all(SMALL_LETTER * len(line) <= 250 for line in lines)
    assert " ".join(lines) == "off the chart, above: " + ", ".join(names[one] for one in ("the", "olh", "oue", "blh"))


@pytest.mark.parametrize(("size", "epsilon"), [(100_000, "20"), (10, "8"), (2, "60")])
def test_no_axis_of_leakage_goes_beyond_what_can_be(size: int, epsilon: str) -> None:
    found = plane_of(size, epsilon, 1000)
    for key, most in (("asr_uniform", 1), ("pairwise_advantage", 1), ("shannon_capacity_bits", math.log2(size))):
        left, right = drawn(found, key, size)["layer"][0]["encoding"]["x"]["scale"]["domain"]
        assert left < max(float(str(one[key])) for one in found.points) < right <= most + 0.02 * (most - left)


@pytest.mark.parametrize("width", [270, 340, 590, 760, 1040])
@pytest.mark.parametrize("epsilon", ["4", "8"])
def test_words_keep_clear_of_the_caps_of_deployed_systems(epsilon: str, width: int) -> None:
    caps = (1.95, 6.5, 11.5)
    found = plane_of(1000, epsilon, 1000)
    spec = drawn(found, "shannon_capacity_bits", 1000, caps)
    left, right = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    uprights = [np.array([(x, 0.0), (x, 1.0)]) for cap in caps if 0 < (x := (cap - left) / (right - left)) < 1]
    assert uprights
    assert all(is_clear(word, width, lines=uprights) for word in words_of(spec, width))


def test_the_caps_of_deployed_systems_leave_the_axis_as_it_is() -> None:
    spec = drawn(plane_of(1000, "8", 1000), "shannon_capacity_bits", 1000, (6.5, 11.5))
    domains = [layer["encoding"]["x"]["scale"] for layer in spec["layer"] if layer["mark"]["type"] in ("rule", "point")]
    assert domains[0] == domains[1]
    texts = re.findall(r">([^<>]+)</text>", vl_convert.vegalite_to_svg(spec | {"width": 400}))
    assert "0" not in texts


def test_a_cap_beyond_the_curves_leaves_their_axis_as_it_is() -> None:
    sweep, looks = found(1000, "grr", budgets=("8",)).sweep, looks_of({"GRR": "GRR"})
    presets = [{"name": str(cap), "epsilon": 1.0, "most_bits": cap} for cap in (None, 6.5, 11.5)]
    spec = leakage_chart(sweep, "shannon_capacity_bits", looks, presets)
    texts = re.findall(r">([^<>]+)</text>", vl_convert.vegalite_to_svg(spec | {"width": 400, "height": 400}))
    ticks = [text for text in texts if text.isdigit()]
    assert max(map(int, ticks[ticks.index("0", 1) :])) == 10  # log2 1000 is 9.97


def test_curves_are_shown_to_their_end(findings: Findings) -> None:
    curves, marks = (
        {float(str(one["epsilon"])) for one in which} for which in (findings.sweep.curves, findings.sweep.marks)
    )
    assert max(curves) > max(marks)
    spec = charts_of(findings)["sweep-asr_uniform"]
    left, right = spec["layer"][0]["encoding"]["x"]["scale"]["domain"]
    assert left == 0
    assert max(curves) < right < 1.05 * max(curves)


def test_ticks_are_legible_at_any_size() -> None:
    sweep = found(10, "grr", "oue", budgets=("60",)).sweep
    looks = looks_of({"GRR": "GRR", "OUE": "OUE"})
    for key, wanted in (("asr_uniform", "20%"), ("tight_epsilon", "40"), ("standard_error_weighted", "1e-7%")):
        svg = vl_convert.vegalite_to_svg(leakage_chart(sweep, key, looks) | {"width": 400})
        texts = re.findall(r">([^<>]+)</text>", svg)
        assert {"20", wanted} <= set(texts), texts
        assert not [text for text in texts if "e+" in text or "0.0000000" in text or "…" in text]


def test_long_logarithmic_axes_have_powers_of_ten_in_equal_steps() -> None:
    assert log_ticks(1e-25, 1e-3) == [float(f"1e-{power}") for power in (24, 21, 18, 15, 12, 9, 6, 3)]
    assert 1 < len(log_ticks(1e-300, 1e2)) < 10
