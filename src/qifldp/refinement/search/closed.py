"""Deciders without a linear program: closed rules, the bit channels, and bets on sets of one size."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import ctx
from numpy.typing import NDArray

from qifldp.channels.profile import Profile
from qifldp.exact.balls import ball
from qifldp.exact.fields import BALLS
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import BudgetedProtocol, IndependentProtocol, Protocol
from qifldp.protocols.subset_selection import SS
from qifldp.refinement.masses import aligned_mass as rule_mass
from qifldp.refinement.masses import interior_sizes, only_size, only_telling_size, ratio, share_ratio
from qifldp.refinement.proofs import Bets, Bitwise, Chain, EqualRatio, OneSize, Proof, Reach
from qifldp.refinement.search.transport import aligned_excess, aligned_mass

DIGITS_OF_PRICES = (6, 12, 25, 50, 100, 200, 380)
"""Digits of a price that lies between two levels; e^−700 needs three hundred."""

CLEAR = 1e-10
"""Relative advantage from which a bet is worth a verification: far above rounding, far below what matters."""

MOST_BETS = 4_000
"""Sizes that are tried for a bet, those with the most mass first."""

TELLING = 64
"""Sizes that are tried for the adversary that is told, spread over those that occur."""

LEAST_LOG_MASS = -600.0
"""Sizes less likely than e^−600 have no part in the adversary that is told, unless there is no other."""


def exactly(value: float) -> Fraction:
    """Return a float as an exact decimal of thirteen digits."""
    return Fraction(f"{value:.12e}")


def price_above(fair: Fraction, premium: float) -> Fraction:
    """Return a price as an exact decimal, rounded up: then no report that is worth it pays.

    It has thirteen digits of what it is above the fair one: at a tiny ε these begin far behind the point.
    """
    if not premium > 0:
        return fair
    unit = Fraction(10) ** (math.floor(math.log10(premium)) - 12)
    return math.ceil((fair + Fraction(premium)) / unit) * unit


def equal_ratio(original: Protocol, refined: Protocol) -> Proof | None:
    """Decide two protocols of exactly one ρ: A ⊑ B if and only if μ_A[w] ≥ μ_B[w] for all 1 ≤ w ≤ k − 1."""
    if not share_ratio(original, refined):
        return None
    a, b = original.profile, refined.profile
    missing = _log_masses(b) - _log_masses(a)
    missing[0] = -np.inf
    worst = int(np.argmax(missing))
    return single_bet(original, refined, worst) if missing[worst] > CLEAR else EqualRatio()


def smaller_ratio(original: Protocol, refined: Protocol) -> Proof | None:
    """Refute a pair in which B's tight ε is larger: bet on B's commonest size at a price that A never pays back."""
    a, b = original.profile, refined.profile
    if a.log_ratio >= b.log_ratio * (1 - CLEAR):
        return None
    interior = b.sizes > 0
    return single_bet(original, refined, int(b.sizes[interior][np.argmax(b.log_mass[interior])]))


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
    """Decide a pair in which either side's reports have one size (see the rule that checks it).

    A's reports have one size: B's posterior of each size w' must put no more than M(ω, w') on its set.
    B's reports have one size, perhaps with some that say nothing: the bet on that size decides (:func:`best_bet`).
    """
    a, b = original.profile, refined.profile
    sizes = b.sizes[b.sizes > 0]
    if len(a.sizes) == 1:
        reach = aligned_mass(a, sizes)[0] / np.exp(b.log_density[b.sizes > 0, 0] + np.log(sizes / b.domain_size))
        lacking = int(np.argmin(reach))
        return single_bet(original, refined, int(sizes[lacking])) if reach[lacking] < 1 - CLEAR else OneSize()
    return (best_bet(a, b) or OneSize()) if len(sizes) == 1 else None


def max_case(original: Protocol, refined: Protocol) -> Iterator[Proof]:
    """Propose proofs for the max-case order: each posterior of B must lie in the hull of A's.

    So some size of A must reach it. M(w, w') peaks at w = w' and falls to both sides: A's nearest sizes are the only
    candidates. Which of them reaches farther, and whether as far as B, is seen in :func:`_log_reach`, at any ε.
    """
    a, b = original.profile, refined.profile
    occurring, sizes = a.sizes[a.sizes > 0], b.sizes[b.sizes > 0]
    place = np.searchsorted(occurring, sizes)
    near = occurring[np.stack((np.maximum(place - 1, 0), np.minimum(place, len(occurring) - 1)))]
    reach, aim = _log_reach(a, near, sizes), _log_reach(b, sizes, sizes)
    room = reach.max(axis=0) - aim
    least = int(sizes[np.argmin(room)])
    if room.min() < -CLEAR:
        lacks = [np.exp(-np.logaddexp(0.0, far - math.log(a.domain_size))) for far in (reach.max(axis=0), aim)]
        advantage = np.where(room < -CLEAR, (lacks[0] - lacks[1]) * (1 - sizes / a.domain_size), 0.0)
        for size in dict.fromkeys((int(sizes[np.argmax(advantage)]), least)):  # the first is worth telling
            yield single_bet(original, refined, size)
        return
    by = np.take_along_axis(near, np.argmax(reach, axis=0)[None, :], axis=0)[0]
    yield Reach(tuple(zip(sizes.tolist(), by.tolist(), strict=True)))
    ends = {1, a.domain_size - 1}.intersection(sizes.tolist()) or sizes.tolist()
    for size in dict.fromkeys((least, *ends)):
        yield single_bet(original, refined, size)  # if the levels are too near for floats


def _log_reach(profile: Profile, size: NDArray[np.int64], target: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return ln of how far a posterior of size w reaches towards sets of w' values, times k.

        k (M(w, w') − w'/k)/(1 − M(w, w')) = w(ρ − 1) if w ≤ w', else w'(ρ − 1)(k − w)/((w − w')ρ + k − w)

    It grows with M(w, w'), and has all its digits both where M is next to w'/k (a small ε) and next to 1 (a large one).
    """
    grown = profile.log_ratio + math.log(-math.expm1(-profile.log_ratio))  # ln(ρ − 1)
    left = np.log(profile.domain_size - size)
    with np.errstate(divide="ignore"):
        over = np.log(np.maximum(size - target, 0))
    return grown + np.log(np.minimum(size, target)) + left - np.logaddexp(over + profile.log_ratio, left)


def chain(original: Protocol, refined: Protocol) -> Proof | None:
    """Prove a pair by way of A's family at B's tight ε, or of B's family at A's.

    Within a family, fixed parameters but for ε, more budget is refined to less (one size, or bit by bit); at one
    tight ε masses decide. Unlike a flow, the parts may hold with next to no room.
    """
    for side, other in ((original, refined), (refined, original)):
        if not isinstance(side, BudgetedProtocol) or isinstance(side, Mix) or other.tight_budget is None:
            continue  # no closed rule is about a family of mixtures
        via = side.at(other.tight_budget)
        if not share_ratio(via, other):
            continue
        steps = ((original, via), (via, refined))
        proofs = [
            EqualRatio() if share_ratio(first, second) else OneSize() if isinstance(first, SS) else Bitwise()
            for first, second in steps
        ]
        if via not in (original, refined) and all(_promising(*step) for step in steps):
            return Chain(via, proofs[0], proofs[1])
    return None


def _promising(original: Protocol, refined: Protocol) -> bool:
    """Whether no closed rule refutes a pair that is of one tight ε or one family."""
    if share_ratio(original, refined):
        return isinstance(equal_ratio(original, refined), EqualRatio)
    return original.epsilon >= refined.epsilon


def closest_bets(original: Protocol, refined: Protocol) -> Iterator[Bets]:
    """Yield bets against a pair that a closed rule should decide, but floats cannot."""
    k, sizes = original.domain_size, interior_sizes(refined)
    if share_ratio(original, refined):
        for size in {1, k - 1} if isinstance(sizes, range) else sizes:
            yield single_bet(original, refined, size)
        return
    if only_size(original) is not None or k == 2:
        for size in {1, k - 1}.intersection(sizes) or sizes:
            yield single_bet(original, refined, size)
    target = only_telling_size(refined)
    if target is not None:  # every level is at least this price, so the gains are means
        yield Bets(((target, Fraction(1), Fraction(target, k)),))


def single_bet(original: Protocol, refined: Protocol, size: int) -> Bets:
    """Return the bet on one size at a price between what B's sets of that size put on it, and A's next best.

    The best-aligned mass M(w, w') falls from w = w' to both sides, so A's nearest sizes have the next best. The two may
    agree in hundreds of digits; the price has as many digits as it takes.
    """
    k, occurring = original.domain_size, interior_sizes(original)
    one_ratio = share_ratio(original, refined)
    place = bisect_left(occurring, size)
    near = [w for w in occurring[max(place - 1, 0) : place + 2] if not (one_ratio and w == size)] or [size]
    for digits in DIGITS_OF_PRICES:
        with ctx.workdps(digits + 20):
            top = rule_mass(k, ratio(refined, BALLS), size, size)
            rho = ratio(original, BALLS)
            levels = [rule_mass(k, rho, w, size) for w in near]
            low = max((level for level in levels if not level > top), default=ball(Fraction(size, k)))
            middle = ((low + top) / 2).mid()
            if low < middle < top:
                price = Fraction(middle.str(digits, radius=False))
                if low < ball(price) < top:
                    return Bets(((size, Fraction(1), price),))
    return Bets(((size, Fraction(1), Fraction(size, k)),))  # the levels agree too far for a price between them


def telling_bet(original: Profile, refined: Profile) -> Bets | None:
    """Return an adversary worth telling against a pair that a rule refutes: a bet with a large advantage, or None.

    A rule needs one size at which B says too much, and the size that shows it best may be one that hardly ever
    occurs. This is the best bet of some sizes, spread over those that do.
    """
    a, b = _likely(original), _likely(refined)
    return best_bet(a, b, _spread(b))


def spread_bets(original: Protocol, refined: Protocol) -> Iterator[Bets]:
    """Yield bets on some sizes, spread over those that occur, against a pair next to its boundary as floats see it."""
    for size in _spread(refined.profile).tolist():
        yield single_bet(original, refined, size)


def _spread(profile: Profile) -> NDArray[np.int64]:
    interior = profile.sizes[profile.sizes > 0]
    return interior[np.linspace(0, len(interior) - 1, min(TELLING, len(interior))).round().astype(np.int64)]


def _likely(profile: Profile) -> Profile:
    kept = profile.log_mass > LEAST_LOG_MASS
    return Profile(profile.domain_size, profile.log_ratio, profile.sizes[kept], profile.log_mass[kept])


def best_bet(original: Profile, refined: Profile, tried: NDArray[np.int64] | None = None) -> Bets | None:
    """Return the bet on sets of one size that B rewards most above A, of those that it clearly does; None if none.

    For each size the advantage E(Y − c)⁺ − E(X − c)⁺ is piecewise linear in the price c, with its peaks among the
    values that X and Y (the posterior mass of the best set) can take. All three are told from w'/k on.

    Args:
        original: A.
        refined: B.
        tried: The sizes that are tried; without them those of B, the commonest first.
    """
    if tried is None:
        interior = np.flatnonzero(refined.sizes > 0)
        tried = refined.sizes[interior[np.argsort(-refined.log_mass[interior])][:MOST_BETS]]
    best, found = 0.0, None
    for size in tried.tolist():
        sizes = np.array([size])
        x, y = aligned_excess(original, sizes)[:, 0], aligned_excess(refined, sizes)[:, 0]
        prices = np.unique(np.concatenate((x, y)))
        gain_a, gain_b = _excess(x, original.log_mass, prices), _excess(y, refined.log_mass, prices)
        clear = (gain_b - gain_a > CLEAR * gain_b) & (gain_b > 1e-300)  # below, products lose their digits
        advantage = np.where(clear, gain_b - gain_a, 0.0)
        place = int(np.argmax(advantage))
        if advantage[place] > best:
            price = price_above(Fraction(size, original.domain_size), float(prices[place]))
            best, found = float(advantage[place]), Bets(((size, Fraction(1), price),))
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
