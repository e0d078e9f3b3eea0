"""The charts and the markup of the comparison page, without a browser."""

from __future__ import annotations

import json
import re
from typing import Any

import altair as alt
import pytest

from qifldp.comparison.compare import compare
from qifldp.comparison.findings import Findings, find
from qifldp.comparison.ordering import order_comparison
from qifldp.comparison.question import Question
from qifldp.comparison.subjects import read_subject
from qifldp.exact.budget import Budget
from qifldp.rendering.charts import LOOKS
from qifldp.rendering.page.assemble import charts_of, page_of
from qifldp.rendering.page.hasse import hasse_svg
from qifldp.rendering.page.labels import bounds, frontier_labels, joint_labels, ladder, log_ticks, without_outliers
from qifldp.rendering.page.looks import looks_of
from qifldp.rendering.page.markup import script_json, tag

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


POINTS = [{"series": name, "x": x, "y": y} for name, x, y in (("A", 1.0, 1.0), ("B", 1.01, 1.01), ("C", 3.0, 1.3))]


def test_points_at_one_place_share_a_label() -> None:
    labels = joint_labels(POINTS, "x", "y", (0, 4), (0.5, 2), width=760)
    assert [(one["label"], one["side"]) for one in labels] == [("A, B", "above"), ("C", "above")]
    assert labels[0]["x"] == 1.01  # beside the outermost


def test_labels_without_room_beside_their_points_stand_on_the_edge_above_them() -> None:
    far = [point | {"x": float(str(point["x"])) + 2.9} for point in POINTS[:2]]
    (label,) = joint_labels(far, "x", "y", (0, 4), (0.5, 2), width=250)
    assert (label["label"], label["side"], label["y"]) == ("A, B", "edge", 1.01)


def test_points_share_a_label_if_theirs_would_meet_at_that_width() -> None:
    for apart, width, together in ((0.1, 250, True), (0.1, 420, True), (0.1, 760, False), (0.2, 420, False)):
        points = [{"series": name, "x": 1 + 4 * apart * place, "y": 1.0} for place, name in enumerate("AB")]
        assert (len(joint_labels(points, "x", "y", (0, 4), (0.5, 2), width=width)) == 1) == together


def test_a_label_stands_where_no_line_and_no_other_point_is() -> None:
    a, b = ({"series": name, "x": x, "y": 1.0} for name, x in (("A", 1.0), ("B", 2.0)))
    above = [(0.0, 1.06), (1.0, 1.05), (4.0, 0.9)]
    assert [one["side"] for one in joint_labels([a, b], "x", "y", (0, 4), (0.5, 2), width=760)] == ["above", "above"]
    sides = [one["side"] for one in joint_labels([a, b], "x", "y", (0, 4), (0.5, 2), width=760, lines=[above])]
    assert sides == ["below", "above"]
    below = [
        (0.0, 1.06),
        (0.96, 1.0),
        (1.0, 0.985),
        (1.06, 0.96),
        (4.0, 0.9),
    ]  # the label is left of a falling line, not on it
    sides = [one["side"] for one in joint_labels([a], "x", "y", (0, 4), (0.5, 2), width=760, lines=[above, below])]
    assert sides == ["before"]
    long, beside = a | {"series": "a name"}, {"series": "C", "x": 1.25, "y": 1.03}
    assert joint_labels([long, beside], "x", "y", (0, 4), (0.5, 2), width=760)[0]["side"] == "below"


def test_a_point_far_above_the_others_is_left_out() -> None:
    near, far = without_outliers([*POINTS, {"series": "D", "x": 1.0, "y": 9.0}], "y")
    assert [one["series"] for one in far] == ["D"]
    assert len(near) == 3


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
    points = [
        {"epsilon": e, "asr_uniform": x, "standard_error_weighted": y}
        for e, y in ((1, 0.101), (2, 0.2))
        for x in (0, 1)
    ]
    labels = frontier_labels(points, [], (0.0, 1.0), (0.1, 0.4))
    assert [(one["label"], one["above"]) for one in labels] == [("tight ε 1", True), ("tight ε 2", False)]
    for x, above in ((0.9, True), (0.5, False)):  # a point under the line's end is in the way
        protocols = [{"asr_uniform": x, "standard_error_weighted": 0.19}]
        assert frontier_labels(points, protocols, (0.0, 1.0), (0.1, 0.4))[1]["above"] == above
