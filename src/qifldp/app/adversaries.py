"""The adversaries that the explorer can be asked about: what they want, and how much of it a report gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from qifldp.adversaries.gain import guesses, membership
from qifldp.app.state import State
from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.capacity import tight_epsilon
from qifldp.leakage.information import shannon_capacity
from qifldp.leakage.measures import finite
from qifldp.leakage.tradeoff import pairwise_advantage
from qifldp.leakage.vulnerability import asr, posterior_vulnerability
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import ProtocolSpec

POINTS, FEWER = 33, 17
"""ε at which a curve is computed; fewer for membership, each of whose figures takes milliseconds."""

LEAST_TOP, WIDER = 4.0, 1.5
"""Curves end at this ε, or at so many times the budget."""

Figure = Callable[[Protocol | Channel], float | None]


@dataclass(frozen=True)
class Adversary:
    """One adversary.

    Attributes:
        title: What they do, as a choice in a list.
        key: The quantity on an axis (see :mod:`qifldp.rendering.page.axes`).
        words: What their figure says, in a sentence.
    """

    title: str
    key: str
    words: str


KNOWN: dict[str, Adversary] = {
    "guess": Adversary("One guess", "asr_uniform", "How often one guess at the value is right."),
    "tries": Adversary("Several guesses", "tries_asr", "How often the value is among {tries}."),
    "membership": Adversary(
        "Membership in a set",
        "membership_asr",
        "How often they rightly tell whether the value is {members} that they care about.",
    ),
    "shannon": Adversary("Bits (Shannon)", "shannon_capacity_bits", "The most bits that a report carries on average."),
    "pair": Adversary(
        "Tell two values apart",
        "pairwise_advantage",
        "How far someone who knows that it is one of two values gets from a coin (0 %) to certainty (100 %).",
    ),
    "tight": Adversary("Worst report (tight ε)", "tight_epsilon", "How much the luckiest single report can tell."),
}
"""By the keys that stand in an address."""


def fitted(state: State, domain_size: int) -> State:
    """Return a state whose numbers of guesses and of members go with a domain."""
    most = max(1, domain_size - 1)
    if state.tries <= most and state.members <= most:
        return state
    return State(**vars(state) | {"tries": min(state.tries, most), "members": min(state.members, most)})


def words_of(state: State) -> str:
    """Return what the adversary's figure says."""
    tries = "1 guess" if state.tries == 1 else f"{state.tries} guesses"
    members = "the one" if state.members == 1 else f"one of {state.members}"
    return KNOWN[state.adversary].words.format(tries=tries, members=members)


def figure_of(state: State) -> Figure:
    """Return the function that measures what the adversary of a state gets from one report."""
    measures: dict[str, Callable[[Protocol | Channel], object]] = {
        "guess": asr,
        "tries": lambda source: posterior_vulnerability(source, None, guesses(state.tries)),
        "membership": lambda source: posterior_vulnerability(source, None, membership(range(state.members))),
        "shannon": shannon_capacity,
        "pair": pairwise_advantage,
        "tight": tight_epsilon,
    }
    measure = measures[state.adversary]
    return lambda source: finite(measure(source))  # type: ignore[arg-type]  # real numbers, all of them


def without_report(state: State, domain_size: int) -> float:
    """Return what the adversary of a state has without any report."""
    if state.adversary == "guess":
        return 1 / domain_size
    if state.adversary == "tries":
        return min(state.tries, domain_size) / domain_size
    if state.adversary == "membership":
        share = state.members / domain_size
        return max(share, 1 - share)
    return 0.0


def budgets(budget: Budget, adversary: str = "guess") -> list[float]:
    """Return the ε of a curve; the same ones for all small budgets, so that a slider finds them computed."""
    top, count = max(LEAST_TOP, np.ceil(WIDER * budget.epsilon)), FEWER if adversary == "membership" else POINTS
    return [float(f"{epsilon:.3g}") for epsilon in np.linspace(top / count, top, count)]


def follow(
    subjects: Sequence[tuple[str, ProtocolSpec]],
    domain_size: int,
    epsilons: Sequence[float],
    figure: Figure,
    key: str,
    progress: Callable[[int, int], None] | None = None,
) -> list[dict[str, object]]:
    """Return a figure of several protocols over ε, as the records of a chart.

    Args:
        subjects: Names and specs; specs with a budget of their own have no curve.
        domain_size: Number of values.
        epsilons: Where.
        figure: Measures a protocol.
        key: What the figure is called in a record.
        progress: Called with (figures done, figures in all).
    """
    free = [(name, spec) for name, spec in subjects if spec.has_budget and spec.budget is None]
    found: list[dict[str, object]] = []
    for index, (name, spec, epsilon) in enumerate((*one, epsilon) for one in free for epsilon in epsilons):
        if progress is not None:
            progress(index, len(free) * len(epsilons))
        try:
            protocol = spec.build(domain_size, Budget.read(epsilon))
        except InputError:
            continue  # a parameter of its spec does not go with this ε
        found.append({"series": name, "protocol": protocol.name, "epsilon": epsilon, key: figure(protocol)})
    return found
