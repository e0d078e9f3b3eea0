"""Privacy against accuracy: every protocol, and what any ε-LDP protocol could reach."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from qifldp.app import cached
from qifldp.app.adversaries import KNOWN, words_of
from qifldp.app.answers import Asked, Files
from qifldp.app.screen import chart, heading, legend, put, say
from qifldp.app.state import State
from qifldp.rendering.page.axes import QUANTITIES
from qifldp.rendering.page.figures import kind_of, shown, table
from qifldp.rendering.page.looks import looks_of, series_of
from qifldp.rendering.page.markup import tag
from qifldp.rendering.page.pictures import FRONTIER
from qifldp.rendering.page.views import plane_chart

TITLES = {"frontier_share": "share of the frontier's information", "least_error": "least error at this leakage"}


def show(state: State, question: Asked, files: Files) -> None:
    """Show the view."""
    key = KNOWN[state.adversary].key
    found = cached.plane(question, state.adversary, state.tries, state.members, files)
    put(heading(f"{KNOWN[state.adversary].title}: leakage against the error of a frequency"))
    if not found.points:
        say("Bare channels have no estimator, so there is no error to hold their leakage against.")
        return
    known = key == "asr_uniform"
    if known:
        say(FRONTIER)
    else:
        say(
            f"{words_of(state)} Down and to the left is better. The frontier of all ε-LDP protocols is known for one "
            "guess only, so none is drawn here."
        )
    if files.matrix is not None:
        say("The uploaded channel is not here: it has no estimator, so no error.")
    series = series_of(found.points)
    legend(series)
    presets = cached.presets(question.k, question.n)
    spec = plane_chart(found, key, looks_of(series), presets, domain_size=question.k)
    chart(spec, alternative=f"{QUANTITIES[key].heading} against the error of a frequency. The table has the numbers.")
    extra = ("frontier_share", "least_error") if known else ()
    heads = [
        "protocol",
        *(TITLES.get(one) or QUANTITIES[one].title for one in (key, "standard_error_weighted", *extra)),
    ]
    rows = [_row(point, (key, "standard_error_weighted", *extra)) for point in found.points]
    drawn = table(heads, rows, caption=f"{QUANTITIES[key].heading} against error")
    if known:
        put(tag("h3", "How far from the frontier"), drawn)
        return
    with st.expander("The table behind it"):
        put(drawn)


def _row(point: Mapping[str, object], keys: tuple[str, ...]) -> list[str]:
    return [str(point["series"]), *(shown(point[key], kind_of(key)) for key in keys)]
