"""The question, in the sidebar: every control writes into one state, and the state is written into the address.

A browser sends the values of all its controls with each event, those too that it has not drawn anew yet. So a control
to which the program gave a value would send its old one back with the next quick action, as if the user had chosen it.
Therefore no list and no switch is ever given a value after it is made (see :func:`_made`); numbers have dials
(:mod:`qifldp.app.dials`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from operator import eq
from typing import TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from qifldp.app import dials
from qifldp.app import state as states
from qifldp.app.adversaries import KNOWN, fitted, words_of
from qifldp.app.answers import Files, addressed, asked, population_in
from qifldp.app.screen import put, say
from qifldp.app.state import (
    COUNTED,
    NO_DATA,
    READERS,
    UPLOADED,
    VIEWS,
    State,
    read_state,
    read_whole,
    steps,
    write_state,
)
from qifldp.data.datasets import datasets
from qifldp.errors import InputError
from qifldp.exact.budget import Budget, parse_rational
from qifldp.protocols.specs import SEVEN
from qifldp.rendering.page.markup import tag

K_STOPS = [int(stop) for stop in steps(2, states.LARGEST_DOMAIN, (1, 2, 3, 5, 7))]
N_STOPS = [int(stop) for stop in steps(100, 10**9, (1, 2, 5))]
EPSILON_STOPS = steps(0.01, 10, (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9))
THETA_STOPS = [hundredth / 100 for hundredth in range(50, 101)]
"""Stops of the sliders; the box beside each takes any value between its bounds, and shows the one that is in use."""

DIALS = {
    "k": "Values, k",
    "epsilon": "Budget, ε",
    "tries": "Guesses that they may make",
    "members": "Values in the set that they care about",
    "n": "Reports, n",
    "theta": "Threshold of THE, θ",
}
"""The fields of the state that have a dial, and what it is called."""

SOURCES = {NO_DATA: "None: choose k and n"}

Value = TypeVar("Value")


def listen() -> None:
    """Take what has happened: the browser went to another address, or numbers were chosen."""
    context = get_script_run_ctx()
    if "state" not in st.session_state or (context is not None and context.is_history_navigation):
        _open()
    for field in DIALS:
        text = dials.heard(field)
        if field in {"theta", *COUNTED.values()} - _shown(current()):
            st.session_state.refused.pop(field, None)
        if text is None and field in st.session_state.refused:
            text = dials.written(field)  # it may be among what can be chosen now
        if text is not None:
            _take_text(field, text)


def _shown(state: State) -> set[str | None]:
    """Return the fields with a dial that is not always there, and is now."""
    return {COUNTED.get(state.adversary), "theta" if state.theta else None}


def _open() -> None:
    """Take the state from the address; all controls are to show it, whatever they showed."""
    own = files()
    known = [source for source, found in (("data", own.population), ("channel", own.matrix)) if found is not None]
    st.session_state.state, st.session_state.notes = read_state(_query(), known)
    st.session_state.refused, st.session_state.theta_before = {}, "0.75"
    keys: dict[str, str] = st.session_state.setdefault("controls", {})
    if not st.session_state.get(keys.get("protocols", "no control")):
        keys.pop("protocols", None)  # none were chosen: that shows no state (see :func:`sidebar`)
    dials.forget()


def current() -> State:
    """Return what the controls say."""
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
    wanted = write_state(addressed(current(), files()))
    if _query() != {name: [text] for name, text in wanted.items()}:
        st.query_params.from_dict(wanted)


def _query() -> dict[str, list[str]]:
    """Return what the address says, all values of each name."""
    return {name: st.query_params.get_all(name) for name in st.query_params}


def sidebar() -> None:
    """Show the controls."""
    state, own = current(), files()
    with st.sidebar:
        put(tag("h1", "The question"))
        _data(own)
        known = population_in(state, own)
        fixed = known is not None or own.matrix is not None
        _number("k", K_STOPS, fixed=asked(state, own).k if fixed else None)
        _number("epsilon", EPSILON_STOPS)
        _adversary(state, own)
        _number("n", N_STOPS, fixed=known.n if known is not None else None)
        key, chosen = _made("protocols", list(state.protocols), lambda own, value: not own or set(own) == set(value))
        st.pills(
            "Protocols",
            SEVEN,
            selection_mode="multi",
            default=chosen,
            format_func=str.upper,
            key=key,
            on_change=_changed,
            args=(key, _take_protocols),
        )
        if not st.session_state[key]:
            say("Choose at least one protocol. Until then the answers are about the last choice.", "error")
        _threshold(state)
        say("The address of this page holds the question, but no file: share it to share the view.")


def views() -> str:
    """Show the choice of a view, and return the one that is chosen."""
    key, view = _made("view", current().view)
    st.segmented_control(
        "View",
        list(VIEWS),
        default=view,
        format_func=lambda view: VIEWS[view],
        key=key,
        on_change=_changed,
        args=(key, _take, "view"),
        label_visibility="collapsed",
        required=True,
    )
    return current().view


def pick(field: str, label: str, options: dict[str, str]) -> None:
    """Show a list of choices that writes into a field of the state."""
    key, chosen = _made(field, getattr(current(), field))
    st.selectbox(
        label,
        list(options),
        index=list(options).index(chosen),
        format_func=lambda one: options[one],
        key=key,
        on_change=_changed,
        args=(key, _take, field),
    )


def _made(name: str, value: Value, same: Callable[[Value, Value], bool] = eq) -> tuple[str, Value]:
    """Return the key of the control that shows a value, and what it shows.

    A control that shows the value already stays as it is. If another value is to be shown, another control takes its
    place, with a key of its own: what a browser still says about the one before concerns nobody (:func:`_changed`).

    Args:
        name: The control.
        value: What it is to show.
        same: Whether what the user made of it (first) means the value (second).
    """
    keys: dict[str, str] = st.session_state.setdefault("controls", {})
    key = keys.get(name)
    if key is not None and key in st.session_state and same(st.session_state[key], value):
        return key, st.session_state[key]
    st.session_state.made = st.session_state.get("made", 0) + 1
    keys[name] = f"control_{name}_{st.session_state.made}_{dials.session()}"
    return keys[name], value


def _changed(key: str, take: Callable[..., None], *arguments: object) -> None:
    """Take what the user made of a control, if the control still stands."""
    if key in st.session_state.controls.values():
        take(*arguments, st.session_state[key])


def _take(field: str, value: object) -> None:
    change(**{field: value})


def _take_protocols(chosen: list[str]) -> None:
    if chosen:
        change(protocols=tuple(name for name in SEVEN if name in chosen))


def _take_text(field: str, text: str) -> None:
    """Read a number; one that is refused is said beside its dial until there is another, and the last value kept."""
    st.session_state.refused.pop(field, None)
    try:
        change(**{field: _read(field, text)})
    except InputError as error:
        st.session_state.refused[field] = str(error)


def _read(field: str, text: str) -> object:
    """Read what was chosen with a dial."""
    if field in COUNTED.values():
        return read_whole(DIALS[field], 1, asked(current(), files()).k - 1)(text)
    if field == "theta" and not text.strip():
        raise InputError("θ is missing; for the most accurate one, do not choose it yourself.")
    return READERS[field](text)


def problem(place: str, sentence: str) -> None:
    """Keep a sentence on what was wrong with what the user did, to be said where it was done."""
    st.session_state.setdefault("problems", {})[place] = sentence


def problem_of(place: str) -> None:
    """Say once what was wrong there."""
    sentence = st.session_state.get("problems", {}).pop(place, None)
    if sentence:
        say(sentence, "error")


def _number(field: str, stops: list[int] | list[float], *, fixed: int | None = None) -> None:
    """Show the dial of a number.

    Args:
        field: The field of the state.
        stops: The slider's stops.
        fixed: The value, if the data say it: then it cannot be changed.
    """
    value = getattr(fitted(current(), asked(current(), files()).k), field) if fixed is None else fixed
    refused = st.session_state.refused.get(field) if fixed is None else None
    text = dials.written(field)
    if refused is None and not _means(field, text, value):
        text = f"{value:,}" if isinstance(value, int) else value
    dials.dial(
        field, DIALS[field], stops, _amount(field, value), text, fixed=fixed is not None, refused=refused is not None
    )
    if refused is not None:
        say(refused, "error")


def _amount(field: str, value: int | str) -> float:
    """Return a value of the state as a number."""
    if isinstance(value, int):
        return value
    return Budget.read(value).epsilon if field == "epsilon" else float(parse_rational(value, field))


def _means(field: str, text: str, value: int | str) -> bool:
    """Return whether a text is a way to write a value: a dial keeps what the user wrote."""
    try:
        return bool(READERS[field](text) == value)
    except InputError:
        return False


def _adversary(state: State, own: Files) -> None:
    pick("adversary", "Adversary", {key: one.title for key, one in KNOWN.items()})
    most = asked(state, own).k - 1
    field = COUNTED.get(state.adversary)
    if field is not None:
        _number(field, sorted({int(stop) for stop in steps(1, most, (1, 2, 3, 5, 7))}))
    say(words_of(fitted(current(), most + 1)))


def _threshold(state: State) -> None:
    key, own = _made("own_theta", bool(state.theta))
    st.toggle("Choose THE's θ myself", own, key=key, on_change=_changed, args=(key, _take_own_theta))
    if own:
        _number("theta", THETA_STOPS)


def _take_own_theta(own: bool) -> None:
    if not own:
        st.session_state.theta_before = current().theta
    change(theta=st.session_state.theta_before if own else "")


def _data(own: Files) -> None:
    options = SOURCES | {name: name for name in datasets()}
    if own.population is not None:
        options |= {UPLOADED: "Your column"}
    pick("data", "Data", options)
    if current().data != NO_DATA:
        say("How many values and reports there are comes from the data.")
    elif own.matrix is not None:
        say("How many values there are comes from your channel.")
