"""The charts and the markup of the comparison page, without a browser."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
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
from qifldp.rendering.page.looks import looks_of
from qifldp.rendering.page.markup import script_json, tag
from qifldp.rendering.page.places import LETTER, LINE, SMALL_LETTER, Axes, Word, is_clear
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


def test_no_two_of_many_series_are_drawn_alike() -> None:
    looks = looks_of(dict.fromkeys(SEVEN, "FILE") | {name.upper(): name.upper() for name in SEVEN}).values()
    many = looks_of({str(place): "FILE" for place in range(18)}).values()
    for found, count in ((looks, 14), (many, 18)):
        assert len({(look.color, look.dash) for look in found}) == count
        assert len({(look.color, look.shape) for look in found}) == count


def test_elements_escape_text_and_attributes() -> None:
    made = tag("p", "<b>&\u202e", tag("i", "x"), title='"<', data_x=None, hidden=True)
    assert made == '<p title="&quot;&lt;" hidden>&lt;b&gt;&amp;\N{REPLACEMENT CHARACTER}<i>x</i></p>'


def test_nothing_ends_a_block_of_json() -> None:
    document: dict[str, object] = {"</script><!--": "<script>\u2028\u202e&"}
    block = script_json(document, "x")
    inside = block.removeprefix('<script type="application/json" id="x">').removesuffix("</script>")
    assert not set("<>&\u2028\u202e") & set(inside)
    assert json.loads(inside) == document


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
    words = words_of(drawn(found, "asr_uniform", size), width)
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


@pytest.mark.parametrize(("epsilon", "strip"), [("0.01", True), ("4", False)])
def test_what_no_guess_can_be_is_out_of_reach_too(epsilon: str, strip: bool) -> None:
    spec = drawn(plane_of(50, epsilon, 1000), "asr_uniform", 50)
    left = spec["layer"][0]["encoding"]["x"]["scale"]["domain"][0]
    (shaded,) = [layer for layer in spec["layer"] if layer["mark"]["type"] == "rect"] or [None]
    assert (left < 1 / 50) == (shaded is not None) == strip
    if shaded is not None:
        assert spec["datasets"][shaded["data"]["name"]] == [{"asr_uniform": left, "least": 1 / 50}]
        assert shaded["encoding"]["x2"]["field"] == "least"
        assert (
            shaded["mark"]["color"]
            == next(one for one in spec["layer"] if one["mark"]["type"] == "area")["mark"]["color"]
        )


class Outline(HTMLParser):
    """Collects the ids and the levels of the headings of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.levels: list[int] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.ids += [str(value) for name, value in attrs if name == "id"]
        if re.fullmatch("h[1-6]", tag):
            self.levels.append(int(tag[1]))


@pytest.mark.parametrize("budgets", [("1",), ("1", "2")])
def test_ids_occur_once_and_no_level_of_headings_is_left_out(budgets: tuple[str, ...]) -> None:
    outline = Outline()
    outline.feed(page_of(found(3, "grr", "sue", "the", budgets=budgets, ordered=True)))
    assert len(outline.ids) == len(set(outline.ids))
    assert outline.levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(outline.levels))


def test_budgets_are_called_what_they_were_asked_for() -> None:
    page = page_of(found(3, "grr", budgets=("1", "1.0000001", "2*ln(3)")))
    for words in ('data-budget="1" aria-pressed="false">ε = 1.0000001<', ">At ε = 2*ln(3)<", "figures at ε = 1<"):
        assert words in page


def test_it_is_said_where_channels_from_files_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("0.5,0.5\n0.2,0.8\n")
    page = page_of(found(2, "grr", f"file:{tmp_path / 'c.csv'}"))
    assert (
        "A channel from a file claims no ε: it has no line, and its mark stands at its tight ε, if it has one." in page
    )
    assert "Not here, for want of an error: c.csv." in page
    legends = re.findall(r'<ul class="legend".*?</ul>', page)
    assert ["c.csv" in one for one in legends] == [True, False, True]
    assert "claims no ε" not in page_of(found(2, "grr"))
