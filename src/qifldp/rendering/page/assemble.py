"""Putting the page together: one HTML file with its data, its charts and what draws them, and nothing else to load."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from string import Template
from typing import Any

import vl_convert

from qifldp._version import __version__
from qifldp.comparison.candidates import percent
from qifldp.comparison.findings import Findings
from qifldp.comparison.naming import names_by_spec
from qifldp.protocols.wording import counted
from qifldp.rendering.charts import Look
from qifldp.rendering.page import overview, pairs, pictures, words
from qifldp.rendering.page.axes import QUANTITIES
from qifldp.rendering.page.figures import figure, legend, over
from qifldp.rendering.page.looks import looks_of, series_of
from qifldp.rendering.page.markup import Markup, escape, join, script_json, tag
from qifldp.rendering.page.resources import resource
from qifldp.rendering.page.views import delta_chart, leakage_chart, plane_chart, trade_off_chart
from qifldp.rendering.tables import number

LEAKAGES = (
    "asr_uniform",
    "asr_prior",
    "shannon_capacity_bits",
    "pairwise_advantage",
    "tight_epsilon",
    "guessing_entropy",
    "standard_error_weighted",
)
"""Figures that are drawn over ε, in this order."""

LIMITS = {
    "asr": "a blind guess is right at most",
    "bits": "bits in a report at most",
    "error": "standard error at most",
}


def page_of(findings: Findings) -> str:
    """Return a comparison as one HTML page."""
    document = findings.to_json()
    charts = charts_of(findings)
    style, script, library = resource("page.css"), resource("page.js"), _library()
    return Template(resource("page.html")).substitute(
        policy=f"default-src 'none'; script-src {_hash(library)} {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'",
        title=escape(_title(document)),
        style=style,
        body=_body(findings, document),
        data=join(
            script_json(document, "result"),
            script_json({"theme": _theme(charts), "charts": _bare(charts)}, "charts"),
        ),
        library=library,
        script=script,
    )


def charts_of(findings: Findings) -> dict[str, dict[str, Any]]:
    """Return every chart of the page by its name."""
    looks, plane_looks = _looks(findings)
    presets = findings.presets
    charts = {f"sweep-{key}": leakage_chart(findings.sweep, key, looks, presets) for key in _drawn(findings)}
    k = findings.comparison.domain_size
    for at, plane in enumerate(findings.planes):
        charts |= {
            f"plane-{at}-{key}": plane_chart(plane, key, plane_looks, presets, domain_size=k, at=at)
            for key, _ in pictures.PLANES
        }
    for at, curves in enumerate(findings.curves):
        charts[f"trade-off-{at}"] = trade_off_chart(curves, looks, at=at)
        charts[f"delta-{at}"] = delta_chart(curves, looks, at=at)
    return {name: spec for name, spec in charts.items() if spec}


def _looks(findings: Findings) -> tuple[dict[str, Look], dict[str, Look]]:
    """Return the looks of what is compared, and those in the planes, where a recommended mixture may stand beside."""
    compared = dict(zip(findings.names, (row.protocol for row in findings.comparison.rows), strict=True))
    beside = series_of(point for plane in findings.planes for point in plane.points)
    return looks_of(compared), looks_of(compared | beside)


def _drawn(findings: Findings) -> list[str]:
    informed = findings.comparison.prior["kind"] != "uniform"
    marks = findings.sweep.marks
    return [
        key for key in LEAKAGES if (informed or key != "asr_prior") and any(mark[key] is not None for mark in marks)
    ]


def _body(findings: Findings, document: dict[str, Any]) -> Markup:
    looks, plane_looks = _looks(findings)
    names = names_by_spec([row.spec for row in findings.comparison.rows], findings.names)
    budgets = document["question"]["epsilon"]  # as they were written; none, if a limit was asked for

    def each(make: Any) -> Markup:
        if len(budgets) < 2:
            return tag("div", make(0), class_="panel")
        return join(*(_panel(place, epsilon, make(place)) for place, epsilon in enumerate(budgets)))

    parts = [
        _header(document),
        _section("recommendation", "Recommendation", each(lambda at: overview.recommendation(document, at))),
        _section("figures", "The figures", each(lambda at: overview.figures(document, at))),
    ]
    if document["diagrams"]:
        intro = tag(
            "p",
            "A protocol is safer for everybody if nobody, whatever they know or want, learns more from it. Where "
            "two are not ordered, which of them leaks less depends on the adversary. Arrows lead to the safer one.",
        )
        skipped = any(row["protocol"] == "FILE" for row in document["rows"])
        matrices = "Channel files are not part of the order: qifldp refine compares them." if skipped else ""
        made = each(lambda at: pairs.order(document, at, names))
        parts.append(
            _section("order", "Who is safer for everybody", intro, made, tag("p", matrices) if matrices else "")
        )
    drawn = series_of(point for plane in findings.planes for point in plane.points)
    parts += [
        _section("leakage", "What each adversary learns, as ε grows", legend(looks), _sweep(findings, document)),
        _section(
            "plane",
            "Privacy against accuracy",
            _choices(),
            legend({name: look for name, look in plane_looks.items() if name in drawn}),
            each(lambda at: pictures.planes(document, at)),
        ),
        _section(
            "trade-off", "Telling two values apart", legend(looks), each(lambda at: pictures.trade_offs(document, at))
        ),
        _section("presets", "Deployed systems, for scale", _preset_words(document), words.presets(document)),
        _section("meaning", "What the numbers mean", words.meanings()),
        _section("colophon", "About this page", words.colophon(__version__, _libraries())),
    ]
    return join(*parts)


def _header(document: dict[str, Any]) -> Markup:
    prior, question = document["prior"], document["question"]
    n, budgets = document["n"], question["epsilon"]
    facts = [f"{document['domain_size']:,} values", counted(n, "report")]
    if "title" in prior:
        facts.insert(0, str(prior["title"]))
    if "limit" in question:
        ((kind, value),) = question["limit"].items()
        asked = f"{LIMITS[kind]} {number(value) + ' bits' if kind == 'bits' else percent(value)}"
    else:
        asked = f"ε = {', '.join(budgets)}"
        if question["match"] != "epsilon":
            asked += f" for the first protocol, the others at equal {question['match']}"
    lines = [tag("p", f"{'; '.join(facts)}. The question: {asked}.", class_="facts")]
    if "source" in prior:
        lines.append(tag("p", f"Data: {prior['source']}", class_="note"))
    if len(budgets) > 1:
        buttons = (
            tag("button", f"ε = {epsilon}", type="button", data_budget=place, aria_pressed="false")
            for place, epsilon in enumerate(budgets)
        )
        lines.append(
            tag("div", tag("span", "Budget"), *buttons, class_="switch screen", role="group", aria_label="Budget shown")
        )
    return tag("header", tag("h1", _title(document)), *lines)


def _title(document: dict[str, Any]) -> str:
    return f"Which protocol to collect one of {document['domain_size']:,} values?"


def _section(id_: str, heading: str, *content: str) -> Markup:
    return tag("section", tag("h2", heading, id=f"{id_}-heading"), *content, id=id_, aria_labelledby=f"{id_}-heading")


def _panel(place: int, epsilon: str, content: Markup) -> Markup:
    return tag("div", tag("h3", f"At ε = {epsilon}", class_="at"), content, class_="panel", data_budget=place)


def _sweep(findings: Findings, document: dict[str, Any]) -> Markup:
    curves = document["sweep"]["curves"]
    marks = document["sweep"]["marks"]
    found = []
    for key in _drawn(findings):
        quantity = QUANTITIES[key]
        end = {"low": "Lower", "high": "Higher"}[quantity.end]
        caption = f"{quantity.words} {end} is {quantity.better}."
        inside = over(curves or marks, "epsilon", key, f"{quantity.heading}, over ε")
        found.append(figure(f"sweep-{key}", quantity.heading, caption, inside, small=True))
    notes = " ".join(document["sweep"]["notes"])
    intro = (
        "Each line is a protocol, each mark a budget of the comparison. Where lines lie apart at one ε, or cross, "
        "ε alone does not say what an adversary learns. Letters on the upper edge are deployed systems (below)."
    )
    if any(row["protocol"] == "FILE" for row in document["rows"]):
        notes += (
            " A channel from a file claims no ε: it has no line, and its mark stands at its tight ε, if it has one."
        )
    return join(tag("p", f"{intro} {notes}"), tag("div", *found, class_="grid"))


def _choices() -> Markup:
    buttons = (
        tag("button", words_, type="button", data_choice=key, aria_pressed="false") for key, words_ in pictures.PLANES
    )
    return tag(
        "div", tag("span", "Leakage to"), *buttons, class_="switch screen", role="group", aria_label="Leakage shown"
    )


def _preset_words(document: dict[str, Any]) -> Markup:
    k = document["domain_size"]
    return tag(
        "p",
        "What others promised for one report, as their own documents state it. Letters mark them on the charts over ε, "
        f"dotted lines their caps on bits. Guesses and bits are those of the same mechanism over {k:,} values, where "
        "it is a protocol that is known here.",
    )


def _theme(charts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """Return how all charts of the page look."""
    return next((spec["config"] for spec in charts.values()), {})


def _bare(charts: Mapping[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the charts without the data that the page's document holds, and without the look that all share."""
    found = {}
    for chart, spec in charts.items():
        kept = {name: data for name, data in spec["datasets"].items() if not name.startswith("/")}
        names = {"data": [name for name in spec["datasets"] if name.startswith("/")]}
        found[chart] = {key: value for key, value in spec.items() if key != "config"} | {
            "datasets": kept,
            "usermeta": names,
        }
    return found


@cache
def _library() -> str:
    """Return Vega, Vega-Lite and Vega-Embed as one script, in which nothing ends the script's element."""
    return re.sub(
        r"<(?=/script|!--)",
        r"\\x3c",
        vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;"),
        flags=re.IGNORECASE,
    )


def _libraries() -> str:
    """Return which releases of the drawing libraries are in the page, by the release of what bundles them."""
    return f"Vega, Vega-Lite and Vega-Embed, as bundled by vl-convert {version('vl-convert-python')}"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
