"""Who is safer: the refinement order of everything that is compared, proved pair by pair."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from qifldp.app import cached
from qifldp.app.answers import Asked, Files
from qifldp.app.exports import name_of, to_csv
from qifldp.app.long_work import offer
from qifldp.app.screen import heading, put, say
from qifldp.app.state import State
from qifldp.app.worker import request_of
from qifldp.comparison.naming import names_by_spec
from qifldp.rendering.page.figures import shown, table
from qifldp.rendering.page.hasse import hasse_svg
from qifldp.rendering.page.markup import tag

LARGEST_AT_ONCE, SECONDS_AT_ONCE = 100, 3.0
"""Domain size up to which the verdicts are found without being asked for, and how long that may take."""

SIGNS = {"refines": "⊑", "does_not_refine": "⋢", "undecided": "?"}

SVG_STYLE = (
    "<style>svg{background:#fff;font:15px 'Liberation Sans',Arial,sans-serif}rect{fill:#fff;stroke:#1a1a1a;"
    "stroke-width:1.2}text{fill:#1a1a1a}.arrow{fill:none;stroke:#1a1a1a;stroke-width:1.6}.touch{fill:none}"
    ".head{fill:#1a1a1a}</style>"
)
"""The diagram is a picture here, so it brings its own looks."""

Document = Mapping[str, Any]


def show(state: State, question: Asked, files: Files) -> None:
    """Show the view."""
    put(
        heading("Who is safer for everybody"),
        tag(
            "p",
            "A protocol is safer for everybody if nobody, whatever they know or want, learns more from it. Where two "
            "are not ordered, which of them leaks less depends on the adversary.",
        ),
    )
    place = st.container()
    document: Document | None = None
    if question.k <= LARGEST_AT_ONCE:
        document = cached.order(question, SECONDS_AT_ONCE, files)
    measured: Document | None = offer(
        "order",
        question,
        "Measure how far apart all pairs are" if document else "Decide the order",
        lambda: request_of("order", state, question, files, figures=question.k <= LARGEST_AT_ONCE),
        about="Margins and deficiencies of all pairs take up to two minutes."
        if document
        else "Over so many values the order takes from seconds to two minutes; Head to head decides one pair.",
    )
    document = measured or document
    if document is not None:
        with place:
            _order(document, files)


def _order(document: Document, files: Files) -> None:
    (diagram,) = document["diagrams"]
    if not diagram["classes"]:
        say("There is no protocol to order.")
        return
    names = names_by_spec([row["spec"] for row in document["rows"]], document["series"])
    labels = [" = ".join(names[spec] for spec in members) for members in diagram["classes"]]
    arrows = "; ".join(f"{labels[c]} is refined to the safer {labels[d]}" for c, d in diagram["hasse"])
    words = f"{arrows}." if arrows else "No protocol here is safer for everybody than another."
    svg = str(hasse_svg(diagram["classes"], diagram["hasse"], names))
    put(tag("p", "safer for everybody →", class_="note"))
    st.image(
        svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1).replace(">", f">{SVG_STYLE}", 1), alt=words
    )
    say(f"In words: {words}", "body")
    if files.matrix is not None:
        say("The uploaded channel is not part of the order: see Head to head.")
    specs = [spec for members in diagram["classes"] for spec in members]
    by_pair = {(entry["original"], entry["refined"]): entry for entry in document["order"]}
    grid = [
        [names[first], *(SIGNS[by_pair[first, second]["verdict"]] if first != second else "·" for second in specs)]
        for first in specs
    ]
    caption = "Is the row's protocol refined to the column's?"
    put(tag("h3", caption), table(["", *(names[spec] for spec in specs)], grid, caption=caption))
    say(
        "⊑ the column's is at least as safe for everybody, proved; ⋢ somebody learns more from it, proved; "
        "? not decided."
    )
    _pairs(document, names)


def _pairs(document: Document, names: Mapping[str, str]) -> None:
    kinds = {"margin": "strength", "deficiency": "number", "deficiency_reverse": "number"}
    words = {(one["original"], one["refined"]): one["words"] or "" for one in document["proofs"]}
    heads = ["original → refined", "verdict", "the adversary", "margin", "deficiency", "… reverse"]
    found: list[Sequence[str]] = []
    plain_rows: list[list[object]] = []
    for entry in document["order"]:
        pair = f"{names[entry['original']]} → {names[entry['refined']]}"
        verdict, adversary = entry["verdict"].replace("_", " "), words.get((entry["original"], entry["refined"]), "")
        found.append([pair, verdict, adversary, *(shown(entry[key], kinds[key]) for key in kinds)])
        plain_rows.append([pair, verdict, adversary, *(entry[key] for key in kinds)])
    with st.expander("All pairs as a table"):
        put(table(heads, found, caption="What is proved about every pair", text_columns=3))
        name = name_of(f"order-k{document['domain_size']}", ending="csv")
        st.download_button("All pairs (CSV)", to_csv(heads, plain_rows), name, "text/csv", on_click="ignore")
