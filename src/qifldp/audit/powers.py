"""Would a client at one and a half times the claimed ε have been found?"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import apart_power, cell_power, power
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.tradeoff import split_probability
from qifldp.protocols.protocol import BudgetedProtocol, Protocol
from qifldp.protocols.unary_encoding import UE

FACTOR = 1.5
"""How much more than the claimed ε has to be found, for a client to be called consistent."""

WANTED = 0.95
"""The chance with which."""

MISLED = 0.01
"""Chance with which events that keep the claim may look, by chance, worse than a leak that is to be found."""

RARE = 0.05
"""Share of the reports that can carry a leak, the rarest, on which it may go unseen; what it is of all is said."""

ROUNDING = 1e-9
"""Sums of frequencies that differ by less are the same: one report among all that an audit is given is more."""

MOST_TIMES = 1e6
"""Factor of the samples up to which a sufficient number is looked for."""

STEPS = 10
"""In which it is looked for: to 1.4 %."""


def scaled(protocol: Protocol) -> Protocol | None:
    """Return the same protocol at one and a half times its ε; None if there is none.

    Of unary encoding with its own p and q both log-odds go away from their middle.
    """
    try:
        if isinstance(protocol, BudgetedProtocol):
            return protocol.at(Budget.read(FACTOR * protocol.epsilon))
        assert isinstance(protocol, UE)
        logits = [math.log(float(chance / (1 - chance))) for chance in (protocol.p, protocol.q)]
        middle = sum(logits) / 2
        p, q = (Fraction(1 / (1 + math.exp(-middle - FACTOR * (logit - middle)))) for logit in logits)
        return UE(protocol.domain_size, p=p, q=q)
    except InputError:
        return None


def bound_power(protocol: Protocol, pairs: int, *, epsilon: float, error: float) -> float:
    """Return the chance that the bound of "supports x and not x′" exceeds ε for reports of a protocol."""
    split = float(split_probability(protocol.profile))
    return power(split, split * math.exp(-protocol.tight_epsilon), pairs, pairs, epsilon=epsilon, error=error)


def fit_power(declared: Protocol, actual: Protocol, samples: int, error: float) -> float:
    """Return the chance that the counts of supported true values do not fit the declared law."""
    chance, wrong = (float(protocol.mechanism.support_chances[0]) for protocol in (declared, actual))
    return cell_power(chance, wrong, samples, error)


@dataclass(frozen=True)
class Coverage:
    """Reports of which each is frequent enough, and looked at, so that a leak in it would have been found.

    Attributes:
        least: The least share of all reports that one of them makes up.
        left_out: The share of all reports that the rarer ones make up together: a leak in these may go unseen.
    """

    least: float
    left_out: float


def cover(shares: NDArray[np.float64], of_values: NDArray[np.float64], *, epsilon: float) -> Coverage | None:
    """Return which whole reports have to be covered for a claim that 1.5 times an ε would have been found on one.

    A report on which one value is told from all others at exactly 1.5 ε has the chance p₁ where it is frequent and
    e^(−1.5 ε) p₁ where it is rare. If the values where it is frequent have the share s of all users, its frequency is

        f = p₁ (e^(−1.5 ε) + s (1 − e^(−1.5 ε)))

    and p₁ ≤ 1, so a report more frequent than this factor cannot carry that leak: it is no evidence that others do not.
    For each s, of one value and of all but one, at most a twentieth of what can carry the leak is left out.

    Args:
        shares: Frequencies of the reports that are looked at one by one, falling; what is missing to 1 is of others.
        of_values: Share of each value among the users.
        epsilon: The claimed ε.

    Returns:
        None if what is looked at is too little of what can carry a leak.
    """
    rest, low = max(0.0, 1 - float(shares.sum())), math.exp(-FACTOR * epsilon)
    rarer = rest + np.concatenate([[0.0], np.cumsum(shares[::-1])])  # reports together, with so many of the rarest
    may_be, carriers = math.inf, 0
    for share in np.concatenate([of_values, 1 - of_values]).tolist():
        few = int(np.searchsorted(shares[::-1], low + share * (1 - low), side="right"))
        carriers = max(carriers, few)
        if rarer[few] > ROUNDING:  # else no report is as rare as that
            may_be = min(may_be, RARE * float(rarer[few]))
    omitted = int(np.searchsorted(rarer, may_be + ROUNDING, side="right")) - 1
    if not 0 <= omitted < carriers:
        return None
    return Coverage(float(shares[::-1][omitted]), float(rarer[omitted]))


def report_power(
    least: float,
    of_values: NDArray[np.float64],
    trials: tuple[int, int],
    *,
    compared: int,
    epsilon: float,
    error: float,
) -> float:
    """Return from below the chance that 1.5 ε is found on a report of a frequency, where that is hardest.

    That is where the report is rare under one value alone, the one with the fewest users: p₁ is least then. The leak
    has to be chosen on the first half of the samples, as the event that exceeds ε most clearly of all, between any two
    values, and found on the second:

        Pr[found] ≥ (Pr[first half: its bound at an error of δ/M exceeds ε] − δ) · Pr[second half: its bound exceeds ε]

    for M comparisons and δ = 0.01. For with a chance of 1 − δ no event that keeps the claim exceeds it at an error of
    δ/M; all others are taken to keep it. The halves are independent.

    Args:
        least: The frequency of the report, of all users.
        of_values: Share of each value among the users.
        trials: Reports on each of the two values, in the first half and in the second.
        compared: The comparisons M among which it has to be chosen.
        epsilon: The claimed ε.
        error: Of the bound on the second half.
    """
    low = math.exp(-FACTOR * epsilon)
    chance = min(1.0, least / (low + (1 - float(of_values.min())) * (1 - low)))
    first, second = trials
    chosen = apart_power(chance, chance * low, first, epsilon=epsilon, error=MISLED / compared) - MISLED
    return max(0.0, chosen) * apart_power(chance, chance * low, second, epsilon=epsilon, error=error)


def enough_samples(found: Callable[[float], float]) -> float | None:
    """Return about how many times the samples have to be multiplied for the wanted power; None if no number does."""
    if found(MOST_TIMES) < WANTED:
        return None
    low, high = 0.0, math.log(MOST_TIMES)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(math.exp(middle)) >= WANTED else (middle, high)
    return math.exp(high)
