"""Deciders without a linear program: closed rules, the bit channels, and bets on sets of one size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.channels.profile import Profile
from qifldp.protocols.protocol import IndependentProtocol, Protocol
from qifldp.refinement.certificate import Bets, Bitwise, EqualRatio, Proof, Reach
from qifldp.refinement.search.transport import aligned_mass

CLEAR = 1e-10
"""Relative advantage from which a bet is worth a verification: far above rounding, far below what matters."""

MOST_BETS = 4_000
"""Sizes that are tried for a bet, those with the most mass first."""


def exactly(value: float) -> Fraction:
    """Return a float as an exact decimal of thirteen digits."""
    return Fraction(f"{value:.12e}")


def equal_ratio(original: Protocol, refined: Protocol) -> Proof | None:
    """Decide two protocols of exactly one ρ: A ⊑ B if and only if μ_A[w] ≥ μ_B[w] for all 1 ≤ w ≤ k − 1."""
    if original.tight_budget is None or original.tight_budget != refined.tight_budget:
        return None
    a, b = original.profile, refined.profile
    missing = _log_masses(b) - _log_masses(a)
    missing[0] = -np.inf
    worst = int(np.argmax(missing))
    return single_bet(a, b, worst) if missing[worst] > CLEAR else EqualRatio()


def smaller_ratio(original: Protocol, refined: Protocol) -> Proof | None:
    """Refute a pair in which B's tight ε is larger: bet on B's commonest size at a price that A never pays back."""
    a, b = original.profile, refined.profile
    if a.log_ratio >= b.log_ratio * (1 - CLEAR):
        return None
    interior = b.sizes > 0
    return single_bet(a, b, int(b.sizes[interior][np.argmax(b.log_mass[interior])]))


def bitwise(original: Protocol, refined: Protocol) -> Proof | None:
    """Prove a pair of reports with independent members by their channels of one bit."""
    if not (isinstance(original, IndependentProtocol) and isinstance(refined, IndependentProtocol)):
        return None
    a, b = original.profile.members, refined.profile.members
    assert a is not None
    assert b is not None
    ones = (a.log_p - a.log_q) - (b.log_p - b.log_q)
    zeros = (b.log_not_p - b.log_not_q) - (a.log_not_p - a.log_not_q)
    return Bitwise() if min(ones, zeros) > -CLEAR else None  # what is equal is for the verifier to see


def one_size(original: Protocol, refined: Protocol) -> Proof | None:
    """Refute a pair in which A's reports have one size: some posterior of B puts more on its set than A ever does."""
    a, b = original.profile, refined.profile
    if len(a.sizes) != 1:
        return None
    sizes = b.sizes[b.sizes > 0]
    reach = aligned_mass(a, sizes)[0] / np.exp(b.log_density[b.sizes > 0, 0] + np.log(sizes / b.domain_size))
    lacking = int(np.argmin(reach))
    return single_bet(a, b, int(sizes[lacking])) if reach[lacking] < 1 - CLEAR else None


def max_case(original: Protocol, refined: Protocol) -> Proof:
    """Decide the max-case order: each posterior of B must lie in the hull of A's, so some size of A must reach it.

    M(w, w') peaks at w = w' and falls to both sides, so the nearest sizes of A are the only candidates.
    """
    a, b = original.profile, refined.profile
    occurring = a.sizes[a.sizes > 0]
    pairs, worst, lacking = [], 1 - CLEAR, 0
    for size, log_density in zip(b.sizes.tolist(), b.log_density[:, 0].tolist(), strict=True):
        if not size:
            continue
        place = int(np.searchsorted(occurring, size))
        near = occurring[max(place - 1, 0) : place + 1]
        narrow = Profile(a.domain_size, a.log_ratio, near, np.zeros(len(near)))
        reach = aligned_mass(narrow, np.array([size]))[:, 0]
        pairs.append((size, int(near[np.argmax(reach)])))
        share = float(reach.max()) / (size / b.domain_size * math.exp(log_density))
        if share < worst:
            worst, lacking = share, size
    return single_bet(a, b, lacking) if lacking else Reach(tuple(pairs))


def single_bet(original: Profile, refined: Profile, size: int) -> Bets:
    """Return the bet on one size at a price between B's best posterior and the second-best that A offers."""
    sizes = np.array([size])
    mine = aligned_mass(original, sizes)[:, 0]
    top = float(aligned_mass(refined, sizes).max())
    below = mine[mine < top * (1 - CLEAR)]
    price = (top + float(below.max(initial=0.0))) / 2
    return Bets(((size, Fraction(1), exactly(price)),))


def best_bet(original: Profile, refined: Profile) -> Bets | None:
    """Return the bet on sets of one size that B rewards most above A, in proportion; None if none is clear.

    For each size the advantage E(Y − c)⁺ − E(X − c)⁺ is piecewise linear in the price c, with its peaks among the
    values that X and Y (the posterior mass of the best set) can take.
    """
    interior = np.flatnonzero(refined.sizes > 0)
    tried = interior[np.argsort(-refined.log_mass[interior])][:MOST_BETS]
    best, found = CLEAR, None
    for size in refined.sizes[tried].tolist():
        sizes = np.array([size])
        x, y = aligned_mass(original, sizes)[:, 0], aligned_mass(refined, sizes)[:, 0]
        prices = np.unique(np.concatenate((x, y)))
        gain_a, gain_b = _excess(x, original.log_mass, prices), _excess(y, refined.log_mass, prices)
        advantage = np.zeros(len(prices))
        np.divide(gain_b - gain_a, gain_b, out=advantage, where=gain_b > 1e-300)  # below, quotients lose their digits
        place = int(np.argmax(advantage))
        if advantage[place] > best:
            best, found = float(advantage[place]), Bets(((size, Fraction(1), exactly(float(prices[place]))),))
    return found


def _excess(
    values: NDArray[np.float64], log_mass: NDArray[np.float64], prices: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return E(V − c)⁺ for each price c (increasing)."""
    order = np.argsort(-values)
    mass = np.exp(log_mass[order])
    total, weighted = np.cumsum(mass), np.cumsum(mass * values[order])
    count = np.searchsorted(-values[order], -prices, side="left")
    inside = np.maximum(count - 1, 0)
    return np.where(count > 0, np.maximum(weighted[inside] - prices * total[inside], 0.0), 0.0)


def _log_masses(profile: Profile) -> NDArray[np.float64]:
    full = np.full(profile.domain_size, -np.inf)
    full[profile.sizes] = profile.log_mass
    return np.where(np.isneginf(full), -1e300, full)
