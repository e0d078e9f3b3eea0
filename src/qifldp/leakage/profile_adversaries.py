"""Adversaries with a closed form on profiles of any size: guesses under any prior, membership, worst case.

Under a prior sorted by decreasing π, the posterior of a report S is proportional to ρπ_x inside S and to
π_x outside. All sums below are over the secrets in that order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr, bdtrc

from qifldp.adversaries.prior import Prior
from qifldp.channels.counting import hypergeometric_masses
from qifldp.channels.profile import Profile
from qifldp.errors import TooLargeError

LARGEST_SUM = 10**9
"""Terms of a double sum over sizes and secrets that are added up at most (some ten seconds)."""

SHARE_OF_TABLE = 20
"""A table of 1/20 of so many cells is kept in memory at most (400 MB)."""

NEGLIGIBLE = 1e-30
"""Sizes of less mass than this are left out of double sums: k of them cannot move the sixteenth digit of
a vulnerability, which is at least 1/k ≥ 1e-7."""


def guesses_leakage(profile: Profile, prior: Prior, tries: int) -> float:
    """Return V_t(π, C) − V_t(π) for t guesses under any prior.

    One guess (i* secrets have ρπ_i ≥ π_1; A_i = Pr[i is the first member | x = i]):

        V − π_1 = Σ_{1 < i ≤ i*} A_i (π_i − π_1/ρ)

    a sum of non-negative terms. More guesses: secret x is guessed if fewer than t others rank before it; given x,
    those are a fixed number plus a binomial (hypergeometric) count of members. As many secrets enter the t
    likeliest as leave them, so that the common level c = π_t can be taken from each:

        V − V(π) = Σ_{x > t} Pr[x enters | x] (π_x − c/ρ) + Σ_{x ≤ t} Pr[x leaves | x] (c − π_x)

    where each term is of the order of ρ − 1, as the result is. (A secret that enters is in the report, one that
    leaves is not: their joint probabilities differ by ρ.)
    """
    weights = np.sort(prior.for_domain(profile.domain_size).astype(np.float64))[::-1]
    if tries >= profile.domain_size or profile.log_ratio == 0:
        return 0.0
    if tries > 1:
        return max(0.0, _swaps(profile, weights, tries))
    top = weights[0]
    rivals = int(np.count_nonzero(_log(weights) + profile.log_ratio >= np.log(top)))
    rise = (weights[:rivals] - top) + top * -np.expm1(-profile.log_ratio)
    return float(np.sum(_first_member(profile, rivals)[1:] * np.maximum(rise[1:], 0.0)))


def membership_leakage(profile: Profile, set_size: int) -> float:
    """Return V(C) − max(z/k, 1 − z/k) for telling, under the uniform prior, whether x is in a set of z values.

        Σ_w μ[w] Σ_j Hyp(j; k, z, w) · max(0, ±(2m − 1)),   m = jα_w + (z − j)β_w

    summed over the reports that change the adversary's mind.
    """
    k, z = profile.domain_size, min(set_size, profile.domain_size - set_size)  # a set or its complement: the same
    if z == 0:
        return 0.0
    keep = np.exp(profile.log_mass) > NEGLIGIBLE
    total = 0.0
    excess = np.expm1(profile.log_density[keep])
    sizes, masses = profile.sizes[keep], np.exp(profile.log_mass[keep])
    for w, mass, (member, other) in zip(sizes.tolist(), masses, excess, strict=True):
        first, chances = hypergeometric_masses(k, z, w)
        inside = np.arange(first, first + chances.size)
        lean = ((2 * z - k) + 2 * (inside * member + (z - inside) * other)) / k  # 2m − 1; z ≤ k/2: the prior says no
        total += mass * float(np.sum(chances * np.maximum(lean, 0.0)))
    return total


def peak_posteriors(profile: Profile, prior: Prior | None) -> NDArray[np.float64]:
    """Return, for every secret, the largest posterior probability that any report gives it, shape (k,).

    The report is the smallest set that occurs, with the secret and the least likely others in it.
    """
    k = profile.domain_size
    weights = np.full(k, 1 / k) if prior is None else prior.for_domain(k).astype(np.float64)
    sizes = profile.sizes[profile.sizes > 0]
    if profile.log_ratio == 0 or not sizes.size:
        return weights.copy()
    others = int(sizes.min()) - 1
    order = np.argsort(weights, kind="stable")
    lightest = np.cumsum(np.concatenate(([0.0], weights[order])))
    company = np.full(k, lightest[others])
    # A secret that is itself among the lightest is replaced there by the next one.
    company[order[:others]] = lightest[min(others + 1, k)] - weights[order[:others]]
    inside = weights + company
    outside = np.maximum(1 - inside, 0.0)
    return weights / (inside + outside * np.exp(-profile.log_ratio))


def _log(values: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore"):
        return np.log(values)


def _first_member(profile: Profile, count: int) -> NDArray[np.float64]:
    """Return A_i = Pr[i ∈ S, 1..i−1 ∉ S | x = i] for i = 1..count, shape (count,)."""
    if profile.members is not None:
        before = np.arange(count)
        return np.exp(profile.members.log_p + before * profile.members.log_not_q)
    k, result = profile.domain_size, np.zeros(count)
    present = np.exp(profile.log_mass) > NEGLIGIBLE
    _check_terms(int(present.sum()), count)
    i = np.arange(1, count, dtype=np.float64)
    for w, mass, log_member in zip(
        profile.sizes[present].tolist(), profile.log_mass[present], profile.log_density[present, 0], strict=True
    ):
        if w:
            miss = np.maximum(k - i - (w - 1), 0.0) / (k - i)  # i-th is no member, given that the ones before are not
            avoid = np.exp(np.concatenate(([0.0], np.cumsum(_log(miss)))))
            result += np.exp(mass + log_member) * (w / k) * avoid
    return result


def _swaps(profile: Profile, weights: NDArray[np.float64], tries: int) -> float:
    """Return what t guesses gain from the secrets that enter and leave the t likeliest; weights decrease."""
    k = profile.domain_size
    logs = _log(weights)
    level = weights[tries - 1]
    # An entering x outranks a favourite that is not in the report; favourites that outrank it anyway come first.
    entering = np.arange(tries, k)
    ahead = np.minimum(np.searchsorted(-logs, -(logs[entering] + profile.log_ratio), side="left"), entering)
    rise = (weights[entering] - level) + level * -np.expm1(-profile.log_ratio)
    # A leaving x is outranked by members among the secrets up to the last that ρ lifts above it.
    leaving = np.arange(tries)
    last = np.searchsorted(-(logs + profile.log_ratio), -logs[leaving], side="right")
    fall = level - weights[leaving]
    room_in, between = tries - 1 - ahead, entering - ahead
    room_out, later = tries - 1 - leaving, np.maximum(last - leaving - 1, 0)
    if profile.members is not None:
        law = profile.members
        q = np.exp(law.log_q)
        enters = np.exp(law.log_p) * _binomial_at_most(room_in, between, q)
        leaves = np.exp(law.log_not_p) * _binomial_above(room_out, later, q)
        return float(np.sum(enters * rise) + np.sum(leaves * fall))
    present = np.exp(profile.log_mass) > NEGLIGIBLE
    _check_terms(int(present.sum()), k * tries)
    _check_terms(SHARE_OF_TABLE, k * tries)
    value = 0.0
    for w, mass, (log_member, log_other) in zip(
        profile.sizes[present].tolist(), profile.log_mass[present], profile.log_density[present], strict=True
    ):
        if w == 0:
            continue
        at_most, _ = _hypergeometric(room_in, k - 1, w - 1, between)
        _, above = _hypergeometric(room_out, k - 1, w, later)
        chance_in, chance_out = w / k * np.exp(log_member), (k - w) / k * np.exp(log_other)
        value += np.exp(mass) * float(np.sum(chance_in * at_most * rise) + np.sum(chance_out * above * fall))
    return value


def _binomial_at_most(most: NDArray[np.int64], trials: NDArray[np.int64], q: float) -> NDArray[np.float64]:
    """Return Pr[Bin(trials, q) ≤ most], elementwise; zero for a negative bound."""
    certain = np.where(most >= trials, 1.0, 0.0)
    open_case = (most >= 0) & (most < trials)
    return np.where(open_case, bdtr(np.where(open_case, most, 0), np.where(open_case, trials, 1), q), certain)


def _binomial_above(most: NDArray[np.int64], trials: NDArray[np.int64], q: float) -> NDArray[np.float64]:
    """Return Pr[Bin(trials, q) > most], elementwise, for bounds of at least zero."""
    open_case = most < trials
    return np.where(open_case, bdtrc(np.where(open_case, most, 0), np.where(open_case, trials, 1), q), 0.0)


def _hypergeometric(
    most: NDArray[np.int64], population: int, marked: int, drawn: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return Pr[at most ``most`` of the marked are among the drawn] and Pr[more], elementwise.

    Draws one secret after the other, keeping the chances of 0, 1, … marked so far, and of too many: sums of
    products of probabilities, so nothing cancels. A negative bound gives zero and one.
    """
    width = int(most.max(initial=0)) + 1
    at_most = np.ones((int(drawn.max(initial=0)) + 1, width))
    above = np.zeros(at_most.shape)
    chances = np.eye(1, width)[0]
    left, too_many = marked - np.arange(width), 0.0
    for done in range(at_most.shape[0] - 1):
        hit = np.clip(left / (population - done), 0.0, 1.0) * chances
        chances = chances - hit
        chances[1:] += hit[:-1]
        too_many += hit[-1]
        at_most[done + 1] = np.cumsum(chances)
        above[done + 1] = too_many
        above[done + 1, :-1] += np.cumsum(chances[:0:-1])[::-1]
        if at_most[done + 1, -1] < NEGLIGIBLE:
            at_most[done + 2 :], above[done + 2 :] = 0.0, 1.0
            break
    place = drawn, np.maximum(most, 0)
    return np.where(most >= 0, at_most[place], 0.0), np.where(most >= 0, above[place], 1.0)


def _check_terms(sizes: int, secrets: int) -> None:
    if sizes * secrets > LARGEST_SUM:
        raise TooLargeError(
            f"A sum over {sizes:,} sizes and {secrets:,} values is too long: use estimate_posterior_vulnerability."
        )
