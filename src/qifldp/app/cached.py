"""Answers that are kept while a session lasts: a question that was asked before is answered at once.

Nothing is kept on a disk, and nothing of one session is seen by another.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import streamlit as st

from qifldp.app import answers
from qifldp.app.adversaries import KNOWN, budgets, figure_of, follow
from qifldp.app.answers import Asked, Files
from qifldp.app.state import State
from qifldp.comparison.advice import Advice
from qifldp.comparison.compare import Comparison
from qifldp.comparison.curves import Curves
from qifldp.comparison.deployed import deployed
from qifldp.comparison.ordering import order_comparison
from qifldp.comparison.plane import Plane
from qifldp.protocols.specs import ProtocolSpec
from qifldp.refinement.certificate import Side
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision

MOST, SECONDS = 64, 3600
"""Answers of a kind that are kept, and for how long."""

Records = list[dict[str, object]]

Answering = TypeVar("Answering", bound=Callable[..., object])


_keeping: list[Any] = []
"""The functions whose answers are kept."""


def _kept(function: Answering) -> Answering:
    """Keep the answers of a function; arguments whose names begin with an underscore do not tell questions apart."""
    keep = st.cache_data(max_entries=MOST, ttl=SECONDS, scope="session", show_spinner=False)
    found = keep(function)
    _keeping.append(found)
    return cast("Answering", found)


def forget() -> None:
    """Forget all answers of this session."""
    for function in _keeping:
        function.clear()


@_kept
def comparison(question: Asked, _files: Files) -> Comparison:
    """Return the figures."""
    return answers.comparison_of(question, _files)


@_kept
def advice(question: Asked, _files: Files) -> Advice:
    """Return the recommendation."""
    return answers.advice_of(question, _files, comparison(question, _files))


@_kept
def marks(question: Asked, adversary: str, tries: int, members: int, _files: Files) -> Records:
    """Return the adversary's figure of each row."""
    state = State(adversary=adversary, tries=tries, members=members)
    figures = comparison(question, _files)
    return answers.marks_of(question, _files, figures, figure_of(state), KNOWN[adversary].key)


@_kept
def curve(
    k: int,
    named: tuple[tuple[str, ProtocolSpec], ...],
    epsilons: tuple[float, ...],
    adversary: str,
    tries: int,
    members: int,
) -> Records:
    """Return the adversary's figure over ε; it depends on neither n nor the data."""
    state = State(adversary=adversary, tries=tries, members=members)
    return follow(named, k, epsilons, figure_of(state), KNOWN[adversary].key)


@_kept
def plane(question: Asked, adversary: str, tries: int, members: int, _files: Files) -> Plane:
    """Return leakage against error."""
    found = marks(question, adversary, tries, members, _files)
    return answers.plane_of(question, _files, comparison(question, _files), found)


@_kept
def trade_offs(question: Asked, _files: Files) -> Curves:
    """Return the trade-off curves."""
    return answers.curves_of(question, _files, comparison(question, _files))


@_kept
def presets(k: int, n: int) -> tuple[dict[str, object], ...]:
    """Return the deployed systems."""
    return deployed(k, n)


@_kept
def order(question: Asked, seconds: float, _files: Files) -> dict[str, object]:
    """Return the verdicts on all pairs, without margins and deficiencies."""
    found = comparison(question, _files)
    orders = order_comparison(found, figures=False, time_limit=seconds)
    return answers.document_of(found, answers.names_of(question, _files), orders)


@_kept
def decision(question: Asked, first: str, second: str, seconds: float, _sides: tuple[Side, Side]) -> Decision:
    """Return the verdict on one pair; the names stand for the sides."""
    del question, first, second
    return decide_refinement(original=_sides[0], refined=_sides[1], time_limit=seconds)


def curve_of(question: Asked, state: State, files: Files) -> Records:
    """Return the adversary's figure over ε, of everything that has a budget."""
    subjects = zip(answers.names_of(question, files), answers.subjects_of(question, files), strict=True)
    named = tuple((name, one) for name, one in subjects if isinstance(one, ProtocolSpec))
    epsilons = tuple(budgets(question.budget, state.adversary))
    return curve(question.k, named, epsilons, state.adversary, state.tries, state.members)
