"""Would a client at one and a half times the claimed ε have been found?"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.bounds import cell_power, power
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.leakage.tradeoff import split_probability
from qifldp.protocols.protocol import BudgetedProtocol, Protocol
from qifldp.protocols.unary_encoding import UE

FACTOR = 1.5
"""How much more than the claimed ε has to be found, for a client to be called consistent."""

WANTED = 0.95
"""The chance with which."""

RARE = 0.05
"""Share of reports, the rarest, on which a leak may go unseen."""

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


def report_power(shares: NDArray[np.float64], trials: int, *, epsilon: float, error: float) -> float:
    """Return the chance that 1.5 ε is found on one report between two values, where nothing is known but reports.

    Any report may be the one on which a client leaks most, so the rarest of the frequent ones is taken: those that make
    up all but a twentieth of what is sent. Under two values it has the chances p₁ = e^(1.5 ε) p₀, whose mean is the
    observed frequency. If the reports that are looked at do not make up so much, it may be one that is not.

    Args:
        shares: Frequencies of the reports that are looked at one by one, falling.
        trials: Reports on each of the two values that the event is tested on.
        epsilon: The claimed ε.
        error: Of the bound.
    """
    together = np.cumsum(shares)
    if not len(shares) or together[-1] < 1 - RARE:
        return 0.0
    rarest = shares[np.searchsorted(together, 1 - RARE)]
    ratio = math.exp(-FACTOR * epsilon)
    total = min(2 * float(rarest), 1.0)
    return power(total / (1 + ratio), total * ratio / (1 + ratio), trials, trials, epsilon=epsilon, error=error)


def enough_samples(found: Callable[[float], float]) -> float | None:
    """Return about how many times the samples have to be multiplied for the wanted power; None if no number does."""
    if found(MOST_TIMES) < WANTED:
        return None
    low, high = 0.0, math.log(MOST_TIMES)
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(math.exp(middle)) >= WANTED else (middle, high)
    return math.exp(high)
