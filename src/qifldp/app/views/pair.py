"""Head to head: is one of two safer for everybody? The verdict both ways, with its proof."""

from __future__ import annotations

from typing import Any

import streamlit as st

from qifldp.app import cached
from qifldp.app.answers import Asked, Files, certificate_text, side_of, verify_text
from qifldp.app.controls import change, current, pick
from qifldp.app.exports import name_of
from qifldp.app.long_work import offer
from qifldp.app.screen import heading, put, say
from qifldp.app.state import MATRIX, State
from qifldp.app.worker import request_of
from qifldp.errors import QifldpError
from qifldp.protocols.specs import SEVEN
from qifldp.refinement.decision import Decision, DoesNotRefine, Undecided
from qifldp.rendering.page.figures import shown, table
from qifldp.rendering.page.markup import tag

LARGEST_AT_ONCE, SECONDS_AT_ONCE = 100, 2.0
"""Domain size up to which margin and deficiencies are measured at once, and how long a verdict may take at once."""

SIGNS = {"refines": "⊑", "does_not_refine": "⋢", "undecided": "?"}

FIGURES = (
    ("margin", "margin", "at least 1 if the second is safer for everybody, below 1 if not"),
    ("deficiency", "deficiency", "the most that anybody gains more from the second, gains between 0 and 1"),
    ("deficiency_reverse", "deficiency, in reverse", "the most that anybody gains more from the first"),
)


def show(state: State, question: Asked, files: Files) -> None:
    """Show the view."""
    put(heading("Is one of them safer for everybody?"))
    options = {name: name.upper() for name in SEVEN}
    if files.matrix is not None and files.matrix.channel.domain_size == question.k:
        options |= {MATRIX: "Your channel"}
    elif MATRIX in (state.original, state.refined):
        change(original=State.original, refined=State.refined)
        say("Your channel is not among them now: it is over other values than the data.", "warning")
    left, right = st.columns(2, gap="medium")
    with left:
        pick("original", "First", options)
    with right:
        pick("refined", "Second", options)
    state = current()
    first, second = state.original, state.refined
    if first == second:
        say("Choose two different ones.")
        return
    names = options[first], options[second]
    try:
        forth, back = (_decided(question, pair, state, files) for pair in ((first, second), (second, first)))
    except QifldpError as error:
        say(str(error), "error")
        if MATRIX in (first, second):
            say(
                "Here that is a budget whose e^ε is rational, such as 2*ln(3): type it into the box beside ε. "
                "SUE needs a rational e^(ε/2), as it is there, and THE a rational e^(εθ/2) too: choose θ = 1."
            )
        return
    _summary(names, _verdict(forth), _verdict(back))
    left, right = st.columns(2, gap="medium")
    with left:
        _side("forth", names, forth)
    with right:
        _side("back", names[::-1], back)
    _figures(state, question, files, (forth, back), names)


def _decided(question: Asked, pair: tuple[str, str], state: State, files: Files) -> Decision:
    sides = side_of(pair[0], state, files), side_of(pair[1], state, files)
    return cached.decision(question, *_told_apart(pair, state), SECONDS_AT_ONCE, sides)


def _told_apart(pair: tuple[str, str], state: State) -> tuple[str, str]:
    """Return what tells two sides from others, beside the question, which names no protocol that is not compared."""
    first, second = (state.spec(name) if name != MATRIX else MATRIX for name in pair)
    return first, second


def _verdict(decision: Decision) -> str:
    return "undecided" if isinstance(decision, Undecided) else decision.certificate.verdict


def _summary(names: tuple[str, str], forth: str, back: str) -> None:
    first, second = names
    if "refines" in (forth, back):
        safer, other = (second, first) if forth == "refines" else (first, second)
        words = f"{safer} is safer for everybody than {other}."
        if forth == back:
            words = f"Nobody can tell the leakage of {first} and {second} apart."
    elif "undecided" in (forth, back):
        words = "Not everything about this pair is decided."
    else:
        words = "Neither is safer for everybody: who leaks less depends on the adversary."
    put(tag("p", words, class_="lead"))


def _side(way: str, names: tuple[str, str], decision: Decision) -> None:
    """Show one direction: verdict, adversary, certificate and its check."""
    verdict = _verdict(decision)
    put(tag("p", f"{names[0]} {SIGNS[verdict]} {names[1]}", class_=f"verdict {verdict}"))
    if isinstance(decision, Undecided):
        say(f"Not decided. {decision.reason}", "body")
        return
    if isinstance(decision, DoesNotRefine):
        say(
            f"Proved: somebody learns more from {names[1]} (the refined one) than from {names[0]} (the original).",
            "body",
        )
        say(decision.words)
    else:
        say(f"Proved: nobody, whatever they know or want, learns more from {names[1]}.", "body")
    text = certificate_text(decision.certificate)
    save, check = st.columns(2, gap="small")
    save.download_button(
        "Download the proof",
        text,
        name_of(names[0], names[1], "certificate", ending="json"),
        "application/json",
        key=f"proof_{way}",
        on_click="ignore",
        width="stretch",
    )
    if check.button(
        "Verify", key=f"verify_{way}", width="stretch", help="Read the proof again, and check every number."
    ):
        try:
            say(verify_text(text), "good")
        except QifldpError as error:
            say(f"Not proved: {error}", "error")


def _figures(
    state: State, question: Asked, files: Files, decisions: tuple[Decision, Decision], names: tuple[str, str]
) -> None:
    put(tag("h3", f"How far apart: {names[0]} first, {names[1]} second"))
    found: dict[str, Any] = {}
    if question.k <= LARGEST_AT_ONCE and MATRIX not in (state.original, state.refined):
        forth, back = decisions
        found = {"margin": forth.margin, "deficiency": forth.deficiency, "deficiency_reverse": back.deficiency}
    if not found or None in found.values():
        made = offer(
            "pair",
            (question, *_told_apart((state.original, state.refined), state)),
            "Measure how far apart they are",
            lambda: request_of("pair", state, question, files, original=state.original, refined=state.refined),
            about="Margin and deficiencies are linear programs, which can take from seconds to minutes.",
        )
        found = made[0] | {"deficiency_reverse": made[1]["deficiency"]} if made else found
    if not found:
        return
    rows = [
        [title, shown(found[key], "strength" if key == "margin" else "number"), words] for key, title, words in FIGURES
    ]
    put(table(["figure", "value", "what it says"], rows, caption="How far apart they are", text_columns=3))
