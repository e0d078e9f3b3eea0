"""The kinds of checks that the ledger is made of, beside theorems (``smt.py``) and roots (``roots.py``)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, ctx

from qifldp.exact.balls import FIRST_PRECISION, LAST_PRECISION, ball
from qifldp.exact.fields import BALLS
from qifldp.proofs.claim import Check, Finding, UncheckedError
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Order, Side
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines, Undecided


@dataclass(frozen=True)
class Question:
    """original ⊑ refined, and whether the claim is that it holds."""

    original: Side
    refined: Side
    holds: bool = True
    order: Order = "average"


def decided(original: Side, refined: Side, order: Order = "average") -> Refines | DoesNotRefine:
    """Return the decision of original ⊑ refined: a yes or a no, by a verified certificate.

    Raises:
        UncheckedError: If it is undecided, which is neither.
    """
    decision = decide_refinement(original=original, refined=refined, order=order)
    if isinstance(decision, Undecided):
        raise UncheckedError(f"undecided: {decision.reason}")
    return decision


def is_refined(original: Side, refined: Side) -> bool:
    """Whether original ⊑ refined, by a verified certificate of it or of its contrary."""
    return decided(original, refined).certificate.verdict == "refines"


@dataclass(frozen=True)
class Decided:
    """The check that questions of refinement have the claimed answers, each by a verified certificate.

    Attributes:
        questions: Makes the questions, when the check runs.
    """

    questions: Callable[[], Iterable[Question]]

    def __call__(self) -> Finding:
        methods: Counter[str] = Counter()
        for question in self.questions():
            decision = decided(question.original, question.refined, question.order)
            found = decision.certificate.verdict == "refines"
            if found != question.holds:
                sign = ("⊑" if found else "⋢") + "MAX" * (question.order == "max")
                names = f"{_name(question.original)} {sign} {_name(question.refined)}"
                return Finding(False, f"proved otherwise: {names}, over {question.original.domain_size} values")
            methods[decision.method] += 1
        if not methods:
            raise UncheckedError("there is no case to check")
        used = ", ".join(f"{count} by {method}" for method, count in sorted(methods.items()))
        return Finding(True, f"{methods.total()} certificates verified ({used})")


def _name(side: Side) -> str:
    return side.spec if not hasattr(side, "matrix") else repr(side)


@dataclass(frozen=True)
class Later:
    """A check that is built when it is run (or exported): what fails while it is built concerns no other check.

    Attributes:
        build: Builds the check.
    """

    build: Callable[[], Check]

    def __call__(self) -> Finding:
        return self.build()()


class Together:
    """The check that several checks find what they look for."""

    def __init__(self, *checks: Check) -> None:
        """Keep the checks, which are run in this order up to the first that fails."""
        self.checks = checks

    def __call__(self) -> Finding:
        details = []
        for check in self.checks:
            found = check()
            if not found.holds:
                return found
            details.append(found.detail)
        return Finding(True, "; ".join(details))


@dataclass(frozen=True)
class Within:
    """The check that real numbers lie strictly within bounds, in balls.

    Attributes:
        cases: Rows (label, number, least, most); a bound that is None is no bound. A number is an expression
            that is evaluated at growing precision.
    """

    cases: Sequence[tuple[str, Callable[[], arb], object, object]]

    def __call__(self) -> Finding:
        shown = []
        for label, number, least, most in self.cases:
            value, inside = enclosed(number, least, most)
            words = f"{label} = {value.str(8, radius=False)}"
            if not inside:
                return Finding(False, words)
            shown.append(words)
        if not shown:
            raise UncheckedError("there is no case to check")
        rest = f", … ({len(shown)} values)" if len(shown) > 4 else ""
        return Finding(True, ", ".join(shown[:4]) + rest)


def enclosed(number: Callable[[], arb], least: object, most: object) -> tuple[arb, bool]:
    """Return a ball around a number, and whether the number lies strictly between two rational bounds.

    Raises:
        UncheckedError: If no precision tells the number from a bound.
    """
    precision = FIRST_PRECISION
    while precision <= LAST_PRECISION:
        with ctx.workprec(precision):
            value = number()
            low = None if least is None else ball(Fraction(str(least)))
            high = None if most is None else ball(Fraction(str(most)))
            if (low is not None and value < low) or (high is not None and value > high):
                return value, False
            if (low is None or value > low) and (high is None or value < high):
                return value, True
        precision *= 2
    raise UncheckedError(f"a number is not told from its bounds with {LAST_PRECISION} bits")


def excess(chosen: Protocol, others: Iterable[Protocol], frequency: Fraction) -> arb | None:
    """Return by which share a protocol's variance is above the least of the others'; None if it is below all of them.

    The variance of the estimate of one frequency f is [f p(1 − p) + (1 − f) q(1 − q)]/(p − q)², over n.

    Raises:
        UncheckedError: If the working precision does not tell two variances apart.
    """
    with ctx.workprec(FIRST_PRECISION):
        own, least = _variance(chosen, frequency), None
        for other in others:
            rival = _variance(other, frequency)
            if rival < own:
                least = rival if least is None else least.min(rival)
            elif not rival > own:
                raise UncheckedError(f"variances at {chosen.spec} and {other.spec} are not told apart")
        return None if least is None else own / least - 1


def _variance(protocol: Protocol, frequency: Fraction) -> arb:
    p, q = protocol.support_probabilities(BALLS)
    return (ball(frequency) * p * (1 - p) + ball(1 - frequency) * q * (1 - q)) / (p - q) ** 2


def within_slack(what: str, found: Sequence[tuple[arb | None, str]], slack: Fraction) -> Finding:
    """Return whether all that are off the least variance are by less than a share (``slack``; 0: none may be)."""
    off = [(more, label) for more, label in found if more is not None]
    if not off:
        return Finding(True, f"{what} the best in all of {len(found)} cases")
    with ctx.workprec(FIRST_PRECISION):
        holds = all(bool(more < ball(slack)) for more, _ in off)
    worst, label = max(off, key=lambda pair: float(pair[0].mid()))
    words = f"{what} not the best in {len(off)} of {len(found)} cases; at most {float(worst.mid()):.2%} off, at {label}"
    return Finding(holds, words)


STANDARD_ERRORS = 6
"""How far a simulated frequency may be off: a right one is farther off once in 5e8 checks."""


def agrees(frequency: float, chance: float, draws: int) -> bool:
    """Whether a frequency in independent draws is as near its chance as all but a few are."""
    return abs(frequency - chance) <= STANDARD_ERRORS * math.sqrt(chance * (1 - chance) / draws)


def rounds_to(text: str) -> tuple[Fraction, Fraction]:
    """Return the bounds of the numbers that are rounded to a decimal such as ``37.59``."""
    value, digits = Fraction(text), len(text.partition(".")[2])
    half = Fraction(1, 2 * 10**digits)
    return value - half, value + half


def shown_as(label: str, number: Callable[[], arb], text: str) -> tuple[str, Callable[[], arb], object, object]:
    """Return the row of :class:`Within` that says: rounded, the number is printed as this decimal."""
    return label, number, *rounds_to(text)
