"""The page: the question in the sidebar, its answers beside it."""

from __future__ import annotations

import streamlit as st

from qifldp.app import controls
from qifldp.app.adversaries import fitted
from qifldp.app.answers import Asked, Files, asked, prior_in
from qifldp.app.screen import put, say, style
from qifldp.app.views import curves, data, order, overview, pair, plane
from qifldp.errors import QifldpError
from qifldp.protocols.wording import counted
from qifldp.rendering.page.markup import tag

SHOW = {
    "overview": overview.show,
    "plane": plane.show,
    "curves": curves.show,
    "order": order.show,
    "pair": pair.show,
    "data": data.show,
}
"""What shows each view."""


def main() -> None:
    """Show the page."""
    st.set_page_config("qifldp explore", layout="wide", initial_sidebar_state="auto")
    style()
    controls.listen()
    files = controls.files()
    controls.sidebar()
    state = controls.current()
    question = asked(state, files)
    state = fitted(state, question.k)
    _header(question, files)
    if st.session_state.notes:
        say(" ".join(st.session_state.notes), "warning")
    view = controls.views()
    try:
        SHOW[view](state, question, files)
    except QifldpError as error:
        say(str(error), "error")
    except MemoryError:
        say("There is not enough memory for this; a smaller domain would fit.", "error")
    controls.share()


def _header(question: Asked, files: Files) -> None:
    _, described, _ = prior_in(question, files)
    title = f"{described['title']}; " if "title" in described else ""
    facts = f"{title}{question.k:,} values, {counted(question.n, 'report')}, ε = {question.epsilon}"
    put(tag("h1", f"Which protocol to collect one of {question.k:,} values?"), tag("p", facts, class_="facts"))
    put(tag("p", "To change the question, open the sidebar: » at the top left.", class_="note narrow"))
