"""Overview: what to take and why, the figures, and what the chosen adversary learns as ε grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from qifldp.app import cached
from qifldp.app.adversaries import KNOWN, without_report, words_of
from qifldp.app.answers import Asked, Files, document_of, names_of
from qifldp.app.exports import comparison_csv, name_of
from qifldp.app.long_work import offer
from qifldp.app.screen import chart, heading, legend, put, say
from qifldp.app.state import State
from qifldp.app.worker import request_of
from qifldp.comparison.candidates import percent
from qifldp.comparison.sweep import Sweep
from qifldp.rendering.documents import to_text
from qifldp.rendering.page import overview
from qifldp.rendering.page.axes import QUANTITIES
from qifldp.rendering.page.figures import kind_of, over
from qifldp.rendering.page.looks import looks_of
from qifldp.rendering.page.markup import tag
from qifldp.rendering.page.views import PRESET_LETTERS, leakage_chart
from qifldp.rendering.tables import number

LARGEST_AT_ONCE, LARGEST_OF_MEMBERSHIP = 1_000, 300
"""Domain size up to which curves are drawn without being asked for: about a second's work."""


def show(state: State, question: Asked, files: Files) -> None:
    """Show the view."""
    found = cached.comparison(question, files)
    names = names_of(question, files)
    document = document_of(found, names)
    top = st.container()
    put(heading("The figures"), overview.figures(document, 0))
    advice = cached.advice(question, files)  # takes longer than the figures, and stands above them
    sentences = advice.found.sentences if advice.found is not None else (advice.reason,)
    with top:
        put(*(tag("p", line, class_=None if place else "lead") for place, line in enumerate(sentences)))
    _leakage(state, question, files)
    _downloads(state, question, files)


def _leakage(state: State, question: Asked, files: Files) -> None:
    key = KNOWN[state.adversary].key
    quantity = QUANTITIES[key]
    marks = cached.marks(question, state.adversary, state.tries, state.members, files)
    put(
        heading(f"{KNOWN[state.adversary].title}: what they learn, as ε grows"),
        tag("p", f"{words_of(state)} {_extremes(state, question.k, key, marks)}"),
    )
    series = {str(mark["series"]): str(mark["protocol"]) for mark in marks}
    curves = None
    if question.k <= (LARGEST_OF_MEMBERSHIP if state.adversary == "membership" else LARGEST_AT_ONCE):
        curves = cached.curve_of(question, state, files)
    if files.matrix is not None:
        say("The uploaded channel claims no ε: it has no line, and its mark stands at its tight ε, if it has one.")
    legend(series)
    if curves is None:
        asked = question, state.adversary, state.tries, state.members
        curves = offer(
            "curves",
            asked,
            "Draw the curves",
            lambda: request_of("curves", state, question, files, key_of_figure=key),
            about="Over so many values curves take some seconds.",
        )
    drawn = Sweep(tuple(curves or ()), tuple(marks))
    spec = leakage_chart(drawn, key, looks_of(series), cached.presets(question.k, question.n))
    chart(spec, alternative=f"{quantity.heading}, over ε, a line for each protocol. The table below has the numbers.")
    if PRESET_LETTERS in spec["datasets"]:
        say(
            "Letters on the upper edge are deployed systems, at the ε that they state; the page to download names them."
        )
    with st.expander("The table behind it"):
        put(over(curves or marks, "epsilon", key, f"{quantity.heading}, over ε"))


def _extremes(state: State, k: int, key: str, marks: Sequence[Mapping[str, object]]) -> str:
    """Return from whom the adversary learns least and most, and what they have without any report."""
    known = [(float(str(mark[key])), str(mark["series"])) for mark in marks if mark[key] is not None]
    if not known:
        return ""
    share = kind_of(key) == "percent"

    def written(value: float) -> str:
        return percent(value) if share else number(value)

    (low, least), (high, most) = min(known), max(known)
    words = f"Least from {least} ({written(low)}), most from {most} ({written(high)})."
    if len(known) == 1:
        words = f"From {least}: {written(low)}."
    elif written(low) == written(high):
        words = f"About the same from all ({written(low)})."
    blind = without_report(state, k)
    return f"{words} Without any report: {written(blind)}." if blind else words


def _downloads(state: State, question: Asked, files: Files) -> None:
    put(heading("Take it with you"))
    found = cached.comparison(question, files)
    name = f"comparison-k{question.k}-epsilon-{question.epsilon}"
    left, middle, right = st.columns(3)
    left.download_button(
        "JSON",
        to_text(found.to_json()) + "\n",
        name_of(name, ending="json"),
        "application/json",
        on_click="ignore",
        help="The document that qifldp compare prints, without the order.",
        width="stretch",
    )
    table = comparison_csv(found, names_of(question, files))
    middle.download_button(
        "Table (CSV)", table, name_of(name, ending="csv"), "text/csv", on_click="ignore", width="stretch"
    )
    with right:
        made = offer(
            "page",
            question,
            "Make the page (HTML)",
            lambda: request_of("page", state, question, files),
            about="",
        )
        if made is not None:
            st.download_button(
                "Page (HTML)",
                made["html"],
                name_of(name, ending="html"),
                "text/html",
                on_click="ignore",
                width="stretch",
                type="primary",
            )
            st.download_button(
                "Its document (JSON)",
                made["json"],
                name_of(name, "page", ending="json"),
                "application/json",
                on_click="ignore",
                width="stretch",
            )
    say("The page is one file for a meeting: charts, order, certificates. It takes up to half a minute to make.")
