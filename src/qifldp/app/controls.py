"""The question, in the sidebar: every control writes into one state, and the state is written into the address."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from qifldp.app import state as states
from qifldp.app.adversaries import KNOWN, fitted, words_of
from qifldp.app.answers import Files, asked, population_in
from qifldp.app.screen import put, say
from qifldp.app.state import NO_DATA, READERS, UPLOADED, VIEWS, State, nearest, read_state, steps, write_state
from qifldp.data.datasets import datasets
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN
from qifldp.rendering.page.markup import tag

K_STOPS = [int(stop) for stop in steps(2, states.LARGEST_DOMAIN, (1, 2, 3, 5, 7))]
N_STOPS = [int(stop) for stop in steps(100, 10**9, (1, 2, 5))]
EPSILON_STOPS = steps(0.01, 10, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9))
"""Stops of the logarithmic sliders; the box beside each takes any value between its bounds."""

SOURCES = {NO_DATA: "None: choose k and n"}


def current() -> State:
    """Return what the controls say; at first, what the address says."""
    if "state" not in st.session_state:
        st.session_state.state, st.session_state.notes = read_state(st.query_params.to_dict())
    state: State = st.session_state.state
    return state


def files() -> Files:
    """Return what was uploaded in this session."""
    if "files" not in st.session_state:
        st.session_state.files = Files()
    found: Files = st.session_state.files
    return found


def change(**fields: object) -> None:
    """Change fields of the state."""
    st.session_state.state = replace(current(), **fields)  # type: ignore[arg-type]  # fields of a state
    st.session_state.notes = []


def share() -> None:
    """Write the state into the address."""
    wanted = write_state(current())
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)


def sidebar() -> None:
    """Show the controls."""
    state, own = current(), files()
    with st.sidebar:
        put(tag("h1", "The question"))
        _data(own)
        known = population_in(state, own)
        fixed = known is not None or own.matrix is not None
        _scale("k", "Values, k", K_STOPS, fixed=asked(state, own).k if fixed else None)
        _scale("epsilon", "Budget, ε", EPSILON_STOPS)
        _adversary(state, own)
        _scale("n", "Reports, n", N_STOPS, fixed=known.n if known is not None else None)
        st.pills(
            "Protocols",
            SEVEN,
            selection_mode="multi",
            format_func=str.upper,
            key=_set("protocols", list(state.protocols)),
            on_change=_take_protocols,
        )
        _threshold(state)
        say("The address of this page holds the whole question: share it to share the view. Files are never in it.")


def views() -> str:
    """Show the choice of a view, and return the one that is chosen."""
    st.segmented_control(
        "View",
        list(VIEWS),
        format_func=lambda view: VIEWS[view],
        key=_set("view", current().view),
        on_change=_take_view,
        label_visibility="collapsed",
        required=True,
    )
    return current().view


def pick(field: str, label: str, options: dict[str, str]) -> None:
    """Show a list of choices that writes into a field of the state."""
    chosen = getattr(current(), field)
    if chosen not in options:
        chosen = next(iter(options))
        st.session_state.state = replace(current(), **{field: chosen})  # type: ignore[arg-type]  # a field of text
    st.selectbox(
        label,
        list(options),
        format_func=lambda one: options[one],
        key=_set(field, chosen),
        on_change=_take,
        args=(field,),
    )


def _set(field: str, value: object) -> str:
    """Give a control the value of the state, and return its key."""
    key = f"control_{field}"
    st.session_state[key] = value
    return key


def _take(field: str) -> None:
    change(**{field: st.session_state[f"control_{field}"]})


def _take_view() -> None:
    change(view=st.session_state.control_view or current().view)


def _take_protocols() -> None:
    chosen = st.session_state.control_protocols
    if not chosen:
        _problem("protocols", "Keep at least one protocol.")
        return
    change(protocols=tuple(name for name in SEVEN if name in chosen))


def _take_text(field: str) -> None:
    """Read what was typed; what is no value of the field is said, and the last value kept."""
    try:
        change(**{field: READERS[field](st.session_state[f"control_{field}_text"])})
    except InputError as error:
        _problem(field, str(error))


def _take_stop(field: str) -> None:
    stop = st.session_state[f"control_{field}"]
    change(**{field: READERS[field](f"{stop:g}" if isinstance(stop, float) else str(stop))})


def _problem(field: str, sentence: str) -> None:
    st.session_state.setdefault("problems", {})[field] = sentence


def _problem_of(field: str) -> None:
    """Say once what was wrong with what was typed."""
    sentence = st.session_state.get("problems", {}).pop(field, None)
    if sentence:
        say(sentence, "error")


def _scale(field: str, label: str, stops: list[int] | list[float], *, fixed: int | None = None) -> None:
    """Show a logarithmic slider, and beside it a box for the exact value.

    Args:
        field: The field of the state.
        label: What it is.
        stops: The slider's stops.
        fixed: The value, if the data say it.
    """
    value = getattr(current(), field) if fixed is None else fixed
    number = Budget.read(value).epsilon if field == "epsilon" else float(value)
    wide, narrow = st.columns([3, 2], vertical_alignment="bottom", gap="small")
    wide.select_slider(
        label,
        stops,
        format_func=_shown,
        key=_set(field, nearest(list(map(float, stops)), number) if field == "epsilon" else _stop(stops, number)),
        on_change=_take_stop,
        args=(field,),
        disabled=fixed is not None,
    )
    narrow.text_input(
        f"{label}, exactly",
        key=_set(f"{field}_text", value if field == "epsilon" else f"{value:,}"),
        on_change=_take_text,
        args=(field,),
        max_chars=states.LONGEST,
        label_visibility="collapsed",
        disabled=fixed is not None,
    )
    _problem_of(field)


def _stop(stops: list[int] | list[float], number: float) -> int:
    return int(nearest(list(map(float, stops)), number))


def _shown(stop: float) -> str:
    return f"{stop:,}" if isinstance(stop, int) else f"{stop:g}"


def _adversary(state: State, own: Files) -> None:
    pick("adversary", "Adversary", {key: one.title for key, one in KNOWN.items()})
    most = asked(state, own).k - 1
    shown = fitted(current(), most + 1)
    for adversary, field, label in (
        ("tries", "tries", "Guesses that they may make"),
        ("membership", "members", "Values in the set that they care about"),
    ):
        if state.adversary == adversary:
            st.number_input(
                label,
                min_value=1,
                max_value=most,
                key=_set(field, getattr(shown, field)),
                on_change=_take,
                args=(field,),
            )
    say(words_of(shown))


def _threshold(state: State) -> None:
    own = bool(state.theta)
    st.toggle("Choose THE's θ myself", key=_set("own_theta", own), on_change=_take_own_theta)
    if own:
        st.slider(
            "Threshold of THE, θ",
            0.5,
            1.0,
            step=0.01,
            key=_set("theta", float(state.theta) if "/" not in state.theta else 0.75),
            on_change=_take_stop,
            args=("theta",),
        )


def _take_own_theta() -> None:
    change(theta="0.75" if st.session_state.control_own_theta else "")


def _data(own: Files) -> None:
    options = SOURCES | {name: name for name in datasets()}
    if own.population is not None:
        options |= {UPLOADED: "Your column"}
    pick("data", "Data", options)
    if current().data != NO_DATA:
        say("How many values and reports there are comes from the data.")
    elif own.matrix is not None:
        say("How many values there are comes from your channel.")
