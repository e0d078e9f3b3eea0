"""Which protocol to take, with which ε: the recommendation behind ``qifldp recommend``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from qifldp.channels.profile import check_domain_size
from qifldp.comparison.candidates import (
    ALIKE,
    Candidate,
    Goal,
    Kind,
    amount,
    candidate_for,
    measured_at,
    not_deployable,
    percent,
)
from qifldp.comparison.frontier import Mixture, frontier, mixture_of_bits
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN, ProtocolSpec, parse_spec
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Refines

SCHEMA_VERSION = 1

MATERIAL = 0.005
"""A mixture is offered from this gain on: half a per cent is not worth a second parameter."""

WEIGHT_DIGITS = 6
"""Decimals of the weights of a mixture, rounded to the side that keeps the limit."""

FEW = 1.1
"""Ratios below this are told in per cent."""

WARY = 1.1
"""A recommended tight ε that is so many times that of another protocol within the limit is pointed out."""

LARGEST_ORDER = 1_000
"""Domain size up to which refinement to the recommended protocol is decided (some seconds)."""

SECONDS_A_PAIR = 5.0


@dataclass(frozen=True)
class Recommendation:
    """The protocol to take, and what became of the others.

    Attributes:
        domain_size: Number of values k.
        n: Number of reports.
        goal: The limit.
        chosen: The recommended protocol; None if no protocol keeps the limit.
        others: All others, the most accurate (or, for a limit on the error, the least leaky) first.
    """

    domain_size: int
    n: int
    goal: Goal
    chosen: Candidate | None
    others: tuple[Candidate, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The recommendation in sentences."""
        kept = f"{_LIMITS[self.goal.kind]} {amount(self.goal.kind, self.goal.number)}"
        if self.goal.cap is not None:
            kept += f", and the tight ε to at most {amount('epsilon', self.goal.cap.epsilon)}"
        if self.chosen is None:
            return (f"No protocol keeps {kept} over {self.domain_size:,} values and {self.n:,} reports.",)
        chosen = self.chosen
        assert chosen.asr is not None
        assert chosen.standard_error is not None
        best = "leaks least to one guess" if self.goal.kind == "error" else "estimates best"
        first = f"Take {chosen.spec}: of all that keep {kept}, it {best}."
        error = f"a standard error of {percent(chosen.standard_error)} for each frequency, from {self.n:,} reports"
        blind = f"(blind: {percent(1 / self.domain_size)})"
        guess = f"A guess at one person's value is right with {percent(chosen.asr)} {blind}"
        second = f"{guess}; the collector has {error}, {chosen.report_bytes:,} byte{_s(chosen.report_bytes)} each."
        safer = [other.protocol for other in self.others if other.safer]
        third = [f"It is at least as safe for everybody as {_listed(safer)}, proved."] if safer else []
        return (first, second, *third, *self._wary())

    def _wary(self) -> list[str]:
        """Return a sentence on ε, where nothing limits it and another protocol keeps the limit at a smaller one."""
        if self.goal.kind == "epsilon" or self.goal.cap is not None or self.chosen is None:
            return []
        tight = [(c.tight_epsilon, c.protocol) for c in self.others if c.outcome != "infeasible" and c.tight_epsilon]
        mine = self.chosen.tight_epsilon
        if not tight or mine is None or mine <= WARY * min(tight)[0]:
            return []
        least, name = min(tight)
        mine_words, least_words = amount("epsilon", mine), amount("epsilon", least)
        first = f"But its most telling report says more than that of others: its tight ε is {mine_words}, and {name}"
        return [f"{first} keeps the limit with {least_words}. Limit it with qifldp recommend --epsilon."]

    def to_json(self) -> dict[str, object]:
        """Return the recommendation as JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "domain_size": self.domain_size,
            "n": self.n,
            "goal": {self.goal.kind: str(self.goal.value) if isinstance(self.goal.value, Budget) else self.goal.value},
            "max_epsilon": None if self.goal.cap is None else str(self.goal.cap),
            "max_report_bytes": self.goal.most_bytes,
            "recommended": None if self.chosen is None else self.chosen.to_json(),
            "others": [other.to_json() for other in self.others],
            "sentences": list(self.sentences),
        }


_LIMITS: dict[Kind, str] = {
    "epsilon": "the tight ε to at most",
    "asr": "the chance of a right guess to at most",
    "bits": "a report to at most",
    "error": "the standard error to at most",
}


def recommend(
    *,
    domain_size: int,
    n: int,
    goal: Goal,
    specs: Sequence[str] = SEVEN,
    progress: Callable[[str, int, int], None] | None = None,
) -> Recommendation:
    """Return the protocol to take under a limit, why, and why not the others.

    A limit on leakage asks for the least standard error, a limit on the error for the least chance of a right guess.
    Where a public mixture of subset selections at the same ε gains half a per cent or more, it is a candidate too.
    The recommended one is never dominated: no other has both less leakage and less error.

    Args:
        domain_size: Number of values k.
        n: Number of reports.
        goal: The limit.
        specs: The protocols that may be taken, without a budget.
        progress: Called with (what is being done, steps done, steps in all).

    Raises:
        InputError: If an argument is out of range, or a spec has its own budget.
    """
    k = check_domain_size(domain_size)
    if isinstance(n, bool) or not isinstance(n, int) or not 1 <= n <= 10**15:
        raise InputError.expected("n", "a whole number from 1 to 10^15", n)
    subjects = _subjects(specs)
    tell = progress or (lambda _name, _done, _total: None)
    steps = len(subjects) + 2
    found = []
    for step, subject in enumerate(subjects):
        tell(subject.name, step, steps)
        found.append(candidate_for(subject, k, n, goal))
    tell("mixture", len(subjects), steps)
    ranked = sorted((other for other in found if other.outcome != "infeasible"), key=lambda c: _rank(c, goal))
    chosen = _first(ranked, goal)
    if chosen is not None and (mixed := _mixture(chosen, k, n, goal)) is not None:
        ranked.append(mixed)
        chosen = mixed
    tell("refinement", len(subjects) + 1, steps)
    others = [_judged(other, chosen, ranked, goal, k) for other in ranked if other is not chosen]
    others.sort(key=lambda c: _rank(c, goal))
    rejected = [other for other in found if other.outcome == "infeasible"]
    if chosen is not None:
        chosen = replace(chosen, outcome="recommended", reason=_why(chosen, goal))
    return Recommendation(k, n, goal, chosen, (*others, *rejected))


def _subjects(specs: Sequence[str]) -> list[ProtocolSpec]:
    subjects = [parse_spec(spec) for spec in specs]
    if not subjects:
        raise InputError("A recommendation needs at least one protocol to choose from.")
    for subject in subjects:
        if not subject.has_budget or subject.budget is not None:
            raise InputError(f"The budget of {subject.text} is what is looked for: leave it out of the spec.")
    return subjects


def _leak(candidate: Candidate, goal: Goal) -> float:
    """The leakage that dominance is about: bits where they are limited, else the chance of a right guess."""
    value = candidate.bits if goal.kind == "bits" else candidate.asr
    assert value is not None
    return value


def _error(candidate: Candidate) -> float:
    assert candidate.standard_error is not None
    return candidate.standard_error


def _rank(candidate: Candidate, goal: Goal) -> tuple[float, float]:
    leak, error = _leak(candidate, goal), _error(candidate)
    return (leak, error) if goal.kind == "error" else (error, leak)


def _first(ranked: Sequence[Candidate], goal: Goal) -> Candidate | None:
    """Return the best; among those alike in its first figure the best in the second, then the smallest report."""
    if not ranked:
        return None
    for figure in (0, 1):
        least = min(_rank(other, goal)[figure] for other in ranked)
        ranked = [other for other in ranked if _rank(other, goal)[figure] <= least * (1 + ALIKE)]
    return min(ranked, key=lambda other: (other.report_bytes or 0, len(other.spec)))


def _mixture(chosen: Candidate, k: int, n: int, goal: Goal) -> Candidate | None:
    """Return a mixture of subset selections, at the cap or the tight ε of the best protocol, if it is better."""
    assert chosen.tight_epsilon is not None
    budget = goal.value if isinstance(goal.value, Budget) else goal.cap
    if budget is None:
        budget = Budget.read(float(f"{chosen.tight_epsilon:.12g}"))
    if goal.kind == "bits":
        found: Mixture | None = mixture_of_bits(k, budget, goal.number)
    elif goal.kind == "error":
        found = frontier(k, budget).mixture_of_error(goal.number, n)
    elif goal.kind == "asr":
        found = frontier(k, budget).mixture(max(goal.number, 1 / k))
    else:
        found = frontier(k, budget).mixture(1.0)
    if found is None:
        return None
    spec = _mixture_spec(found, budget, upward=goal.kind == "error")
    if spec is None:
        return None
    mixed = measured_at(parse_spec(spec).build(k), n)
    if not_deployable(mixed, goal) or _rank(mixed, goal)[0] > _rank(chosen, goal)[0] * (1 - MATERIAL):
        return None
    limited = {"asr": mixed.asr, "bits": mixed.bits, "error": mixed.standard_error, "epsilon": None}[goal.kind]
    return mixed if limited is None or limited <= goal.number else None


def _mixture_spec(mixture: Mixture, budget: Budget, *, upward: bool) -> str | None:
    """Return a mixture as a spec, its weights to six decimals; None if only silence is left.

    The part of the smallest set tells most: its weight is rounded down, or up where the error is limited.
    """
    unit = Fraction(1, 10**WEIGHT_DIGITS)
    (first, weight), *rest = [part for part in mixture.parts if part[0]] or [(0, 0.0)]
    steps = (math.ceil if upward else math.floor)(Fraction(weight) / unit)
    if not first or steps <= 0:
        return None
    if steps * unit >= 1:
        return f"ss:epsilon={budget},omega={first}"
    parts = [(first, steps * unit)]
    if rest:
        parts.append((rest[0][0], 1 - steps * unit))
    text = "+".join(f"{float(share):.{WEIGHT_DIGITS}g}*ss@{size}" for size, share in parts)
    return f"mix:epsilon={budget},parts={text}"


def _judged(other: Candidate, chosen: Candidate | None, ranked: Sequence[Candidate], goal: Goal, k: int) -> Candidate:
    """Return a candidate that was not chosen, with the reason."""
    assert chosen is not None
    safer = k <= LARGEST_ORDER and _is_safer(other, chosen, k)
    better = next(_dominating(other, (chosen, *ranked), goal), None)
    if better is not None:
        words = f"dominated by {better.protocol}: {_against(other, better, goal)}"
        return replace(other, outcome="dominated", safer=safer, reason=words)
    more = _rank(other, goal)[0] / _rank(chosen, goal)[0]
    if goal.kind == "error":
        words = f"leaks {_more(more)} to one guess, for an error of {percent(_error(other))}"
    else:
        words = f"errs {_more(more)}, for less leakage ({_leak_words(other, goal)})"
    if more <= 1 + ALIKE:
        words = "as good in both figures" + (": the reports are one protocol's" if safer else "")
    return replace(other, safer=safer, reason=words)


def _more(ratio: float) -> str:
    """Return in words how much more a figure is; a few per cent are no multiple."""
    return f"{ratio:.3g} times as much" if ratio >= FEW else f"{100 * (ratio - 1):.2g} % more"


def _dominating(other: Candidate, ranked: Sequence[Candidate], goal: Goal) -> Iterator[Candidate]:
    mine = _leak(other, goal), _error(other)
    for candidate in ranked:
        theirs = _leak(candidate, goal), _error(candidate)
        pairs = list(zip(theirs, mine, strict=True))
        if all(a <= b * (1 + ALIKE) for a, b in pairs) and any(a < b * (1 - ALIKE) for a, b in pairs):
            yield candidate


def _against(other: Candidate, better: Candidate, goal: Goal) -> str:
    leaks, errors = (_leak_words(other, goal), _leak_words(better, goal, short=True)), (_error(other), _error(better))
    mine, theirs = map(percent, errors)
    parts = [] if leaks[0].endswith(leaks[1]) else [f"{leaks[0]} against {leaks[1]}"]
    parts += [] if mine == theirs else [f"an error of {mine} against {theirs}"]
    return ", ".join(parts) or "by less than four digits show"


def _is_safer(other: Candidate, chosen: Candidate, k: int) -> bool:
    original, refined = parse_spec(other.spec).build(k), parse_spec(chosen.spec).build(k)
    return isinstance(decide_refinement(original=original, refined=refined, time_limit=SECONDS_A_PAIR), Refines)


def _why(chosen: Candidate, goal: Goal) -> str:
    figure = f"leakage ({_leak_words(chosen, goal)})" if goal.kind == "error" else f"error ({percent(_error(chosen))})"
    mixed = ", by mixing set sizes at one ε" if chosen.protocol == "MIX" else ""
    return f"the least {figure} under the limit{mixed}"


def _leak_words(candidate: Candidate, goal: Goal, *, short: bool = False) -> str:
    leak = _leak(candidate, goal)
    figure = f"{leak:.4g} bits" if goal.kind == "bits" else percent(leak)
    return figure if short or goal.kind == "bits" else f"a right guess with {figure}"


def _s(count: int | None) -> str:
    return "" if count == 1 else "s"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
