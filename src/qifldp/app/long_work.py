"""Long work on the screen: a button that starts it, its progress, and a button that cancels it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from qifldp.app.controls import problem, problem_of
from qifldp.app.jobs import Job, Request
from qifldp.app.screen import say
from qifldp.errors import InputError

MOST = 6
"""Answers that are kept."""

EVERY = 0.5
"""Seconds between two looks at the progress."""

DOING = {
    "starting": "Starting",
    "curves": "Drawing curves",
    "curves over ε": "Drawing curves",
    "refinement": "Deciding pairs",
    "deficiency": "Measuring how far apart they are",
    "pair": "Deciding both ways",
    "page": "Writing the page",
}
"""What workers say that they do; anything else is not repeated."""


def offer(kind: str, question: object, label: str, request: Callable[[], Request], *, about: str = "") -> Any:
    """Return the answer to a question if it is known; else show how to get it, and return None.

    Args:
        kind: What is asked; one piece of work of a kind goes on at a time.
        question: What the answer depends on.
        label: The button that starts it.
        request: Makes the worker's request.
        about: What it is and how long it takes, beside the button.
    """
    known: dict[object, Any] = st.session_state.setdefault("long_answers", {})
    running: dict[str, tuple[object, Job]] = st.session_state.setdefault("jobs", {})
    if kind in running and running[kind][0] != question:
        running.pop(kind)[1].cancel()
        say("Cancelled, as the question is another one now.")
    if kind in running and running[kind][1].outcome == "running":
        _watch(kind)
        return None
    if kind in running:
        _put_away(running.pop(kind)[1], known, (kind, question))
    if (kind, question) in known:
        return known[kind, question]
    if about:
        say(about)
    st.button(label, key=f"start_{kind}", on_click=_start, args=(kind, question, request))
    problem_of(kind)
    return None


def forget() -> None:
    """End all work of this session, and forget its answers."""
    for _, job in st.session_state.pop("jobs", {}).values():
        job.cancel()
    st.session_state.pop("long_answers", None)


def _start(kind: str, question: object, request: Callable[[], Request]) -> None:
    """Start a piece of work; done before the page is made anew, so that no next action of the user can come first."""
    running: dict[str, tuple[object, Job]] = st.session_state.setdefault("jobs", {})
    if kind in running:
        return  # the button was pressed twice
    try:
        running[kind] = question, Job(request())
    except InputError as error:
        problem(kind, str(error))


def _put_away(job: Job, known: dict[object, Any], key: object) -> None:
    """Keep the answer of a job that has ended, or say why there is none."""
    if job.outcome == "done":
        while len(known) >= MOST:
            del known[next(iter(known))]
        known[key] = job.result
    else:
        say(job.error or "Cancelled.", "error" if job.error else "note")


@st.fragment(run_every=EVERY)
def _watch(kind: str) -> None:
    """Show how far a piece of work is."""
    found = st.session_state.get("jobs", {}).get(kind)
    if found is None or found[1].outcome != "running":
        st.rerun()
        return
    job: Job = found[1]
    doing, done, total = job.progress
    steps = f": {done:,} of {total:,}" if total else " …"
    st.progress(min(done / total, 1.0) if total else 0.0, text=DOING.get(doing, "Working") + steps)
    st.button("Cancel", key=f"cancel_{kind}", on_click=job.cancel)
