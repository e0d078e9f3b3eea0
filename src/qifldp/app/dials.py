"""A dial: a slider over round stops and a box for any value, as one control.

Streamlit's own slider and box would be two, and a browser sends the values of both with each event: to keep them in
step the program would have to put another slider in the place of the first, also under the hand that is on it. This
one keeps its halves in step in the browser, numbers what its user chooses, and is never replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from secrets import token_hex

import streamlit as st

from qifldp.app.state import LONGEST


@dataclass(frozen=True)
class Given:
    """What the user of a dial chose last.

    Attributes:
        text: A stop, or what was typed.
        count: How many choices there have been.
    """

    text: str = ""
    count: int = 0


def heard(field: str) -> str | None:
    """Return what the user of a dial has chosen since this was last asked, or None."""
    found = _said(field)
    if found == _last(field):
        return None
    st.session_state.setdefault("dials", {})[field] = found
    st.session_state.setdefault("dials_in_use", set()).add(field)
    return found.text


def written(field: str) -> str:
    """Return what the user of a dial wrote last; empty if nothing, or nothing since :func:`forget`."""
    return _last(field).text if field in st.session_state.get("dials_in_use", ()) else ""


def session() -> str:
    """Return what tells this session from others: browsers keep their controls when a server is started again."""
    if "session" not in st.session_state:
        st.session_state.session = token_hex(8)
    found: str = st.session_state.session
    return found


def forget() -> None:
    """Forget what was written, so that the dials show what is in use."""
    st.session_state.dials_in_use = set()


def dial(
    field: str,
    label: str,
    stops: Sequence[float],
    value: float,
    text: str,
    *,
    fixed: bool = False,
    refused: bool = False,
) -> None:
    """Show a dial.

    Args:
        field: What it is for.
        label: What it is called.
        stops: The slider's, from the least to the most.
        value: What is in use: where the slider stands.
        text: What the box says.
        fixed: Whether it cannot be changed.
        refused: Whether the text is no value.
    """
    show = st.components.v2.component("dial", html=_file("html"), js=_file("js"), isolate_styles=False)
    show(
        key=f"dial_{field}",
        data={
            "field": field,
            "label": label,
            "stops": [f"{stop:,}" if isinstance(stop, int) else f"{stop:g}" for stop in stops],
            "value": value,
            "text": text,
            "count": _last(field).count,
            "session": session(),
            "longest": LONGEST,
            "fixed": fixed or len(stops) == 1,
            "refused": refused,
        },
        on_given_change=_noted,
        on_woken_change=_noted,
    )


def _noted() -> None:
    """Do nothing: Streamlit hears of a component's state only if something is to be called; see :func:`heard`."""


def _last(field: str) -> Given:
    """Return what was heard last."""
    found: Given = st.session_state.get("dials", {}).get(field, Given())
    return found


def _said(field: str) -> Given:
    """Return what a browser says about a dial; what no dial can have said is as if it had said nothing new."""
    state = st.session_state.get(f"dial_{field}")
    said = state.get("given") if isinstance(state, dict) else None
    if not isinstance(said, dict) or said.get("session") != session():
        return _last(field)
    text, count = said.get("text"), said.get("count")
    if isinstance(text, str) and isinstance(count, int) and len(text) <= LONGEST:
        return Given(text, count)
    return _last(field)


def _file(ending: str) -> str:
    return files("qifldp.app").joinpath(f"dial.{ending}").read_text(encoding="utf-8")
