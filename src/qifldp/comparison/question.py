"""What a comparison asks, and the budget that answers it for each protocol."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from qifldp.channels.channel import Channel
from qifldp.comparison.accuracy import weighted_standard_error
from qifldp.comparison.solve import MATCHED, Piece, Solution, solve
from qifldp.comparison.subjects import Subject, build
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.capacity import tight_epsilon
from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.vulnerability import asr
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec

Match = Literal["epsilon", "tight-epsilon", "asr", "shannon"]
Limit = Literal["asr", "bits", "error"]

_LIMITS: dict[Limit, str] = {
    "asr": "the chance of a right guess",
    "bits": "the Shannon capacity",
    "error": "the standard error",
}


@dataclass(frozen=True)
class Question:
    """What is asked of every protocol.

    Exactly one of three: compare at given budgets; ``match`` a figure of the first protocol at those
    budgets; or find the budget that a ``limit`` on a figure allows.
    """

    budgets: tuple[Budget, ...] = ()
    match: Match = "epsilon"
    limit: Limit | None = None
    limit_value: float | None = None

    def __post_init__(self) -> None:
        if self.limit is None:
            if not self.budgets:
                raise InputError("A comparison needs a budget (epsilon) or a limit (max-asr, max-bits or max-error).")
            return
        if self.budgets or self.match != "epsilon":
            raise InputError("A limit solves for epsilon: give either a limit or epsilon (and match), not both.")
        value = self.limit_value
        if value is None or not 0 < value < math.inf or (self.limit == "asr" and value > 1):
            wanted = "above 0 and at most 1" if self.limit == "asr" else "positive and finite"
            raise InputError.expected(f"--max-{self.limit}", wanted, value)


def answer(
    question: Question, subject: ProtocolSpec, first: Subject, budget: Budget | None, *, domain_size: int, n: int
) -> Solution:
    """Return the budget of one protocol that answers a question that must be solved.

    Args:
        question: A limit, or something to match.
        subject: The protocol.
        first: The protocol (or channel) whose figure at ``budget`` is matched.
        budget: The budget asked; None for a limit.
        domain_size: Number of values k.
        n: Number of reports, for a limit on the error.

    Raises:
        InputError: If a protocol cannot be built.
    """

    def figure_at(name: str) -> Callable[[float], float]:
        return lambda epsilon: _figure(name, subject.build(domain_size, Budget.read(epsilon)), n)

    def piece(epsilon: float) -> Piece:
        return Piece(*subject.default_range(domain_size, epsilon))

    if question.limit is not None:
        assert question.limit_value is not None
        falls = question.limit == "error"
        found = solve(
            figure_at(question.limit),
            question.limit_value,
            rising=not falls,
            take="first" if falls else "last",
            piece=piece,
        )
        if found.epsilon is not None:
            return found
        share = "every" if found.reason.startswith("every") else "no"
        return Solution(None, f"{_LIMITS[question.limit]} is at most {question.limit_value:g} at {share} ε")
    target = _figure(question.match, build(first, domain_size, budget), n)
    found = solve(figure_at(question.match), target, take="first", piece=piece) if target > 0 else Solution(None)
    if found.epsilon is None:
        return Solution(None, f"no ε gives it the {question.match} of the first protocol, {target:.6g}")
    reached = figure_at(question.match)(found.epsilon)
    if abs(reached / target - 1) > MATCHED:
        return Solution(
            found.epsilon,
            f"its {question.match} jumps over {target:.6g} here, from {reached:.6g}: this is the last ε below",
        )
    return found


def _figure(name: str, source: Protocol | Channel, n: int) -> float:
    """Return the figure that a question is about."""
    if name == "error":
        assert isinstance(source, Protocol)
        return weighted_standard_error(source.profile, n)  # that of the default estimator
    if name == "asr":
        return float(asr(source))
    return tight_epsilon(source) if name == "tight-epsilon" else shannon_capacity(source)
