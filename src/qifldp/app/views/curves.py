"""Telling two values apart: trade-off curves (f-DP), and their (ε, δ) readings."""

from __future__ import annotations

import streamlit as st

from qifldp.app import cached
from qifldp.app.answers import Asked, Files
from qifldp.app.screen import chart, heading, legend, put, say
from qifldp.app.state import State
from qifldp.rendering.page.figures import over, shown, table
from qifldp.rendering.page.looks import looks_of, series_of
from qifldp.rendering.page.markup import tag
from qifldp.rendering.page.views import delta_chart, trade_off_chart


def show(state: State, question: Asked, files: Files) -> None:
    """Show the view."""
    del state
    found = cached.trade_offs(question, files)
    put(heading("Someone tests which of two values a person has"))
    if not found.corners:
        say("There is no pair of values to tell apart.")
        return
    series = series_of(found.corners)
    looks = looks_of(series)
    legend(series)
    left, right = st.columns(2, gap="medium")
    with left:
        put(tag("h3", "Misses against false alarms of the best test"))
        chart(trade_off_chart(found, looks), alternative="Trade-off curves, one for each protocol.")
        say(
            "Up and to the right is more private. Where curves cross, neither protocol is the safer one for every test."
        )
        with st.expander("The table behind it"):
            rows = [
                [str(one["series"]), shown(one["alpha"], "percent"), shown(one["beta"], "percent")]
                for one in found.corners
            ]
            put(table(["protocol", "false alarms", "misses"], rows, caption="Corners of the trade-off curves"))
    with right:
        put(tag("h3", "The same as (ε, δ)"))
        chart(delta_chart(found, looks), alternative="The least δ over ε, a line for each protocol.")
        say("Lower is more private; at ε = 0 it is the advantage over a coin, and it reaches 0 at the tight ε.")
        with st.expander("The table behind it"):
            put(over(found.readings, "epsilon", "delta", "The least δ at each ε"))
    for name, (first, second) in found.pairs.items():
        say(f"{name}: the two rows that are told apart best, {first} and {second}.")
