"""The process that does long work for the explorer: one request on standard input, progress and answer on output.

A request is one line of JSON: ``task``, the question, and the uploaded files as far as they have a part in it. Every
line of the output is ``{"progress": [doing, done, total]}`` or, at last, ``{"result": …}`` or ``{"error": sentence}``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from qifldp.app.adversaries import budgets, figure_of, follow
from qifldp.app.answers import (
    Asked,
    Files,
    certificate_text,
    comparison_of,
    document_of,
    names_of,
    prior_in,
    side_of,
    subjects_of,
)
from qifldp.app.state import State
from qifldp.comparison.findings import find
from qifldp.comparison.ordering import LARGEST_BY_DEFAULT, LARGEST_WITH_FIGURES, ComparedOrder, order_comparison
from qifldp.errors import QifldpError
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Undecided
from qifldp.rendering.decision import decision_json
from qifldp.rendering.documents import to_text

ORDER_SECONDS, PAIR_SECONDS = 120.0, 60.0
"""For all pairs with their figures; for each figure of one pair."""

EVERY = 0.1
"""Seconds between two lines of progress."""

Progress = Callable[[str, int, int], None]


def request_of(task: str, state: State, question: Asked, files: Files, **more: object) -> dict[str, Any]:
    """Return a request as JSON.

    Args:
        task: A key of TASKS.
        state: What the explorer shows.
        question: What it asks.
        files: The uploaded files.
        more: What else the task needs.
    """
    return {
        "task": task,
        "state": vars(state) | {"protocols": list(state.protocols)},
        "question": vars(question) | {"specs": list(question.specs)},
        "files": files.to_json(),
        **more,
    }


def perform(request: dict[str, Any], progress: Progress) -> object:
    """Return the answer to a request.

    Raises:
        QifldpError: If there is none.
    """
    state = State(**request["state"] | {"protocols": tuple(request["state"]["protocols"])})
    question = Asked(**request["question"] | {"specs": tuple(request["question"]["specs"])})
    return TASKS[request["task"]](request, state, question, Files.from_json(request["files"]), progress)


def _curves(request: dict[str, Any], state: State, question: Asked, files: Files, progress: Progress) -> object:
    """Follow the adversary's figure over ε."""
    named = zip(names_of(question, files), subjects_of(question, files), strict=True)
    specs = [(name, one) for name, one in named if isinstance(one, ProtocolSpec)]

    def advance(done: int, total: int) -> None:
        progress("curves", done, total)

    return follow(
        specs,
        question.k,
        budgets(question.budget, state.adversary),
        figure_of(state),
        request["key_of_figure"],
        advance,
    )


def _order(request: dict[str, Any], state: State, question: Asked, files: Files, progress: Progress) -> object:
    """Decide all pairs, with margins and deficiencies if they are asked for."""
    del state
    comparison = comparison_of(question, files)
    orders = order_comparison(
        comparison, figures=request["figures"], time_limit=request.get("seconds", ORDER_SECONDS), progress=progress
    )
    return document_of(comparison, names_of(question, files), orders)


def _pair(request: dict[str, Any], state: State, question: Asked, files: Files, progress: Progress) -> object:
    """Decide one pair both ways, with all figures."""
    del question
    found = []
    sides = request["original"], request["refined"]
    for place, (first, second) in enumerate((sides, sides[::-1])):
        progress("pair", place, 2)
        a, b = side_of(first, state, files), side_of(second, state, files)
        names = tuple(side.spec if isinstance(side, Protocol) else "the uploaded channel" for side in (a, b))
        decision = decide_refinement(original=a, refined=b, time_limit=PAIR_SECONDS)
        document = decision_json(decision, (names[0], names[1]), None)
        proof = None if isinstance(decision, Undecided) else certificate_text(decision.certificate)
        found.append(document | {"certificate": proof})
    return found


def _page(request: dict[str, Any], state: State, question: Asked, files: Files, progress: Progress) -> object:
    """Make the comparison page and its document, as ``qifldp compare --html`` does."""
    del state, request
    from qifldp.rendering.page.assemble import page_of  # noqa: PLC0415  # loads a second's worth of libraries

    comparison = comparison_of(question, files)
    orders: tuple[ComparedOrder, ...] = ()
    if question.k <= LARGEST_BY_DEFAULT:
        orders = order_comparison(comparison, figures=question.k <= LARGEST_WITH_FIGURES, progress=progress)
    prior, _, _ = prior_in(question, files)
    findings = find(subjects_of(question, files), comparison, orders=orders, prior=prior, progress=progress)
    progress("page", 0, 0)
    return {"html": page_of(findings), "json": to_text(findings.to_json()) + "\n"}


TASKS = {"curves": _curves, "order": _order, "pair": _pair, "page": _page}
"""What can be asked."""


def main() -> None:
    """Read a request, do it, and say how far it is."""
    request = json.loads(sys.stdin.readline())
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    last = 0.0

    def say(**message: object) -> None:
        sys.stdout.write(json.dumps(message, allow_nan=False) + "\n")
        sys.stdout.flush()

    def progress(doing: str, done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            last = time.monotonic()
            say(progress=[doing, done, total])

    try:
        answer = perform(request, progress)
    except QifldpError as error:
        say(error=str(error))
    except MemoryError:
        say(error="There is not enough memory for this; a smaller domain would fit.")
    else:
        say(result=answer)


def _end_with_the_parent() -> None:
    sys.stdin.read()  # ends when the other end is closed
    os._exit(1)


if __name__ == "__main__":
    main()
