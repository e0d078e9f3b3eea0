"""Which protocol to take, with which ε: the recommendation behind ``qifldp recommend``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from qifldp.channels.profile import check_domain_size
from qifldp.comparison.candidates import (
    ALIKE,
    Candidate,
    Goal,
    Kind,
    amount,
    candidate_for,
    enough,
    percent,
)
from qifldp.comparison.frontier import frontier
from qifldp.comparison.offers import offers_of_the_frontier
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.specs import SEVEN, ProtocolSpec, parse_spec
from qifldp.protocols.wording import counted, described
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Refines

SCHEMA_VERSION = 1

MATERIAL = 0.005
"""A mixture is offered from this gain on: half a per cent is not worth a second parameter."""

ROUNDED = 1e-5
"""Relative difference from the frontier within which a protocol is on it: its mixtures have weights of six digits."""

Standing = Literal["best", "nearly", "compared"]
"""How a recommendation stands among all protocols within the limits: none does better, none by half a per cent, or
nothing is known beyond those that were compared."""

FEW, LONG, LONGEST = 1.1, 1e3, 1e9
"""Ratios below the first are told in per cent, those between the others as whole numbers."""

WARY = 1.1
"""A recommended tight ε that is so many times that of another protocol within the limit is pointed out."""

LARGEST_ORDER = 1_000
"""Domain size up to which refinement to the recommended protocol is decided (some seconds)."""

SECONDS_A_PAIR = 5.0

HOPELESS, USEFUL = 0.5, 0.1
"""A standard error with which estimates tell next to nothing, as frequencies are from 0 to 1; and one to aim at."""


@dataclass(frozen=True)
class Recommendation:
    """The protocol to take, and what became of the others.

    Attributes:
        domain_size: Number of values k.
        n: Number of reports.
        goal: The limit.
        chosen: The recommended protocol; None if none keeps the limit.
        others: All others, the most accurate (or, for a limit on the error, the least leaky) first.
        standing: How it stands among all protocols within the limits. Where there is none, ``best`` says that no
            protocol whatever keeps them.
        named: Plain names of the protocols to choose from.
    """

    domain_size: int
    n: int
    goal: Goal
    chosen: Candidate | None
    others: tuple[Candidate, ...]
    standing: Standing
    named: tuple[str, ...]

    @property
    def sentences(self) -> tuple[str, ...]:
        """The recommendation in sentences: what to take, how it stands, its figures, and what else to know."""
        chosen = self.chosen
        if chosen is None:
            return (self._nothing(),)
        assert chosen.asr is not None
        assert chosen.standard_error is not None
        assert chosen.report_bytes is not None
        first = f"Take {described(parse_spec(chosen.spec).build(self.domain_size))} ({chosen.spec})."
        reports = f"from {counted(self.n, 'report')}, {counted(chosen.report_bytes, 'byte')} each"
        error = f"a standard error of {percent(chosen.standard_error)} for each frequency, {reports}"
        unaided = f"(without a report: {percent(1 / self.domain_size)})"
        figures = (
            f"A guess at one person's value is right with {percent(chosen.asr)} {unaided}; the collector has {error}."
        )
        safer = [*dict.fromkeys(self.called(one) for one in self.others if one.safer and one.spec != chosen.spec)]
        proved = [f"It is at least as safe for everybody as {_listed(safer)}, proved."] if safer else []
        unnamed = [] if chosen.protocol in self.named else [self._unnamed(chosen.protocol)]
        return (
            first,
            self._stands(),
            figures,
            *_few_reports(chosen.standard_error, self.n),
            *proved,
            *unnamed,
            *self._wary(),
        )

    def called(self, candidate: Candidate) -> str:
        """Return what one of the candidates is called: its protocol's name where that is enough, else its spec."""
        return _called(candidate, self.others if self.chosen is None else (self.chosen, *self.others))

    def _unnamed(self, protocol: str) -> str:
        origin = "is a public mixture of subset selections" if protocol == "MIX" else "is a subset selection"
        if self.standing != "compared":
            origin = "comes from the frontier of all"
        return f"{protocol} is none of the protocols asked about: it {origin}."

    def _stands(self) -> str:
        best = "leaks least to one guess" if self.goal.kind == "error" else "estimates best"
        if self.standing == "best":
            return f"Of all protocols that keep {self._kept()}, it {best}."
        if self.standing == "nearly":
            if self.goal.kind == "error":
                return f"No protocol that keeps {self._kept()} leaks half a per cent less to one guess."
            return f"No protocol that keeps {self._kept()} estimates half a per cent better."
        if self.goal.kind == "error":
            free = "" if self.goal.largest is not None else "; a larger ε may allow less (qifldp recommend --epsilon)"
            every = (self.chosen, *self.others) if "MIX" not in self.named else ()
            mixtures = [one.tight_epsilon for one in every if one is not None and one.protocol == "MIX"]
            mixture = "".join(f" (the mixture at {amount('epsilon', at)})" for at in mixtures if at is not None)
            return f"Of those compared here, each at the least ε that keeps {self._kept()}{mixture}, it {best}{free}."
        return f"Of those compared here that keep {self._kept()}, it {best}."

    def _nothing(self) -> str:
        k = self.domain_size
        where = f"over {k:,} values and {counted(self.n, 'report')}"
        if self.standing != "best":
            return f"None of the protocols named keeps {self._kept()} {where}."
        if self.goal.kind == "asr":
            limit = f"{_LIMITS['asr']} {percent(self.goal.number)}"
            unaided = f"without a report, too, a guess is right with {percent(1 / k)}"
            return f"No protocol keeps {limit} over {k:,} values: {unaided}."
        return f"No protocol keeps {self._kept()} {where}."

    def _kept(self) -> str:
        goal = self.goal
        kept = f"{_LIMITS[goal.kind]} {amount(goal.kind, goal.number)}"
        if goal.kind != "epsilon" and goal.largest is not None:
            kept += f" and {_LIMITS['epsilon']} {amount('epsilon', goal.largest.epsilon)}"
            whence = goal.cap_is if goal.cap is not None else "the default of qifldp recommend --epsilon"
            kept += f" ({whence})" if whence else ""
        if goal.most_bytes is not None:
            kept += f", in reports of at most {counted(goal.most_bytes, 'byte')}"
        return kept

    def _wary(self) -> list[str]:
        """Return a sentence on ε, where nothing limits it and another protocol keeps the limit at a smaller one."""
        if self.goal.largest is not None or self.chosen is None:
            return []
        tight = [(c.tight_epsilon, c.protocol) for c in self.others if c.outcome != "infeasible" and c.tight_epsilon]
        mine = self.chosen.tight_epsilon
        if not tight or mine is None or mine <= WARY * min(tight)[0]:
            return []
        least, name = min(tight)
        first = "But its most telling report says more than that of others: its tight ε is"
        second = f"{amount('epsilon', mine)}, and {name} keeps the limit with {enough(least)}"
        return [f"{first} {second}. Limit it with qifldp recommend --epsilon."]

    def to_json(self) -> dict[str, object]:
        """Return the recommendation as JSON."""
        largest = self.goal.largest
        return {
            "schema_version": SCHEMA_VERSION,
            "domain_size": self.domain_size,
            "n": self.n,
            "goal": {self.goal.kind: str(self.goal.value) if isinstance(self.goal.value, Budget) else self.goal.value},
            "max_epsilon": None if self.goal.kind == "epsilon" or largest is None else str(largest),
            "max_report_bytes": self.goal.most_bytes,
            "recommended": None if self.chosen is None else self.chosen.to_json(),
            "others": [other.to_json() for other in self.others],
            "sentences": list(self.sentences),
        }


_LIMITS: dict[Kind, str] = {
    "epsilon": "the tight ε (what is really spent) to at most",
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
    Every protocol is measured at the largest ε that keeps a limit on leakage and the largest tight ε (DEFAULT_CAP
    beside a limit on one guess or on bits, if none is given), or at the least ε that keeps a limit on the error. Where
    a public mixture of subset selections gains half a per cent or more, it is taken: the one of the frontier at the
    largest tight ε or, for a limit on the error without one, at that of the best protocol; for a limit on bits the best
    at any ε. The recommended one is never dominated: none that keeps the limits has less leakage and less error.

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
    offered = _first(offers_of_the_frontier(chosen, k, n, goal), goal)
    standing = _standing(chosen, offered, k, n, goal)
    if offered is not None and _gains(offered, chosen, goal):
        ranked.append(offered)
        chosen = offered
    tell("refinement", len(subjects) + 1, steps)
    others = [_judged(other, chosen, ranked, goal, k) for other in ranked if other is not chosen]
    others.sort(key=lambda c: _rank(c, goal))
    rejected = [other for other in found if other.outcome == "infeasible"]
    if chosen is not None:
        chosen = replace(chosen, outcome="recommended", reason=_why(chosen, goal))
    named = tuple(dict.fromkeys(subject.name.upper() for subject in subjects))
    return Recommendation(k, n, goal, chosen, (*others, *rejected), standing, named)


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


def _gains(offered: Candidate, chosen: Candidate | None, goal: Goal) -> bool:
    """Return whether what the frontier offers is better, by enough to be worth it, than the best protocol named."""
    return chosen is None or _rank(offered, goal)[0] <= _rank(chosen, goal)[0] * (1 - MATERIAL)


def _standing(chosen: Candidate | None, offered: Candidate | None, k: int, n: int, goal: Goal) -> Standing:
    """Return how the better of two stands: the best protocol named, and what the frontier offers.

    Against one guess the frontier at the largest tight ε is that of all protocols. A limit on the size of reports
    leaves some out; about bits less is known; and without a largest ε there is no frontier.
    """
    if goal.kind == "asr" and goal.number < 1 / k:
        return "best"
    if goal.largest is None or goal.kind == "bits" or goal.most_bytes is not None:
        return "compared"
    if offered is None:
        beyond = goal.kind == "error" and frontier(k, goal.largest).mixture_of_error(goal.number, n) is None
        return "best" if beyond and chosen is None else "compared"
    if chosen is None or _gains(offered, chosen, goal):
        return "best"
    return "best" if _rank(chosen, goal)[0] <= _rank(offered, goal)[0] * (1 + ROUNDED) else "nearly"


def _judged(other: Candidate, chosen: Candidate | None, ranked: Sequence[Candidate], goal: Goal, k: int) -> Candidate:
    """Return a candidate that was not chosen, with the reason."""
    assert chosen is not None
    safer = k <= LARGEST_ORDER and _is_safer(other, chosen, k)
    better = next(_dominating(other, (chosen, *ranked), goal), None)
    if better is not None:
        words = f"dominated by {_called(better, (chosen, *ranked))}: {_against(other, better, goal)}"
        return replace(other, outcome="dominated", safer=safer, reason=words)
    more = _rank(other, goal)[0] / _rank(chosen, goal)[0]
    if goal.kind == "error":
        words = f"leaks {_more(more)} to one guess, for an error of {percent(_error(other))}"
    else:
        mine, theirs = _leak_words(other, goal), _leak_words(chosen, goal)
        less = f"less leakage ({mine})" if mine != theirs else "leakage that is less by less than four digits show"
        words = f"errs {_more(more)}, for {less}"
    if more <= 1 + ALIKE:
        words = "as good in both figures" + (": the reports are one protocol's" if safer else "")
    return replace(other, safer=safer, reason=words)


def _called(candidate: Candidate, among: Sequence[Candidate]) -> str:
    alike = {one.spec for one in among if one.protocol == candidate.protocol}
    return candidate.protocol if len(alike) < 2 else candidate.spec


def _more(ratio: float) -> str:
    """Return in words how much more a figure is; a few per cent are no multiple."""
    if ratio < FEW:
        return f"{100 * (ratio - 1):.2g} % more"
    times = f"{ratio:.3g}" if not LONG <= ratio < LONGEST else f"{float(f'{ratio:.3g}'):,.0f}"
    return f"{times} times as much"


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
    mixed = ", by a public mixture at one ε" if chosen.protocol == "MIX" else ""
    return f"the least {figure} under the limit{mixed}"


def _leak_words(candidate: Candidate, goal: Goal, *, short: bool = False) -> str:
    leak = _leak(candidate, goal)
    figure = amount("bits", leak) if goal.kind == "bits" else percent(leak)
    return figure if short or goal.kind == "bits" else f"a right guess with {figure}"


def _few_reports(error: float, n: int) -> list[str]:
    """Return a sentence where the error says that there are too few reports; it falls with the root of their number."""
    if error < HOPELESS:
        return []
    needed = float(f"{n * (error / USEFUL) ** 2:.1g}")
    too_few = "So few reports tell next to nothing, as frequencies are between 0 % and 100 %"
    return [f"{too_few}: a standard error of {percent(USEFUL)} takes some {needed:,.0f}."]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
