"""III-A and III-B: local differential privacy, vulnerabilities, capacities (Def. 1, (1) to (11))."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from qifldp.adversaries import gain
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.leakage.capacity import bayes_capacity, max_case_capacity
from qifldp.leakage.source import Real
from qifldp.leakage.vulnerability import (
    asr,
    max_case_leakage,
    max_case_posterior_vulnerability,
    max_case_prior_vulnerability,
    multiplicative_leakage,
    posterior_vulnerability,
    prior_vulnerability,
)
from qifldp.proofs.claim import ENUMERATION, Claim, Finding, every
from qifldp.proofs.samples import Case, cases, exact_channels, exact_protocols, priors
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE


def _private(least: int) -> Finding:
    """The largest likelihood ratio of every protocol is at most e^ε / least."""
    made = [protocol for k in (2, 3, 4) for protocol in exact_protocols(k)]
    found = [(p.spec, max_case_capacity(p.channel()) * least <= (p.budget.exp_epsilon or 0)) for p in made]
    return every(found, "channels, all pairs of inputs and all outputs")


def _stochastic(axis: int) -> Finding:
    return every(
        (
            (label, (c.matrix >= 0).all() and (c.matrix <= 1).all() and (c.matrix.sum(axis=axis) == 1).all())
            for label, c in exact_channels()
        ),
        "channels",
    )


def _on_cases(truth: Callable[[Channel, Prior, gain.Gain], bool]) -> Finding:
    return every(
        ((label, truth(c, prior, wanted)) for label, c, prior, wanted in cases()), "cases of channel, prior and gain"
    )


def _table(wanted: gain.Gain, size: int) -> list[list[Fraction]]:
    return [list(row) for row in wanted.matrix(size).tolist()]


def _prior_by_hand(prior: Prior, wanted: gain.Gain, pick: Callable[..., Fraction] = max) -> Fraction:
    weights = prior.probabilities.tolist()
    return pick(sum(p * g for p, g in zip(weights, row, strict=True)) for row in _table(wanted, len(weights)))


def _posterior_by_hand(
    channel: Channel, prior: Prior, wanted: gain.Gain, pick: Callable[..., Fraction] = sum
) -> Fraction:
    joint = channel.joint(prior).T.tolist()
    rows = _table(wanted, channel.domain_size)
    return pick(max(sum(j * g for j, g in zip(column, row, strict=True)) for row in rows) for column in joint)


def _max_posterior_by_hand(channel: Channel, prior: Prior, wanted: gain.Gain, *, joint: bool) -> Fraction:
    rows = _table(wanted, channel.domain_size)
    best = Fraction(0)
    for column in channel.joint(prior).T.tolist():
        if total := sum(column):
            weights = column if joint else [entry / total for entry in column]
            best = max(best, *(w * g for row in rows for w, g in zip(weights, row, strict=True)))
    return best


def _max_prior_by_hand(prior: Prior, wanted: gain.Gain) -> Fraction:
    weights = prior.probabilities.tolist()
    return max(p * g for row in _table(wanted, len(weights)) for p, g in zip(weights, row, strict=True))


def _max_ratio_by_hand(channel: Channel, prior: Prior, wanted: gain.Gain) -> Fraction:
    """V_g^MAX(π, C)/V_g^MAX(π)."""
    return _max_posterior_by_hand(channel, prior, wanted, joint=False) / _max_prior_by_hand(prior, wanted)


def _average_bounded(factor: Fraction) -> Finding:
    """V_g(π, C) ≤ factor · ML(C) · V_g(π), with equality for one guess under the uniform prior (at factor 1)."""

    def truth(case: Case) -> bool:
        _, channel, prior, wanted = case
        capacity = factor * Fraction(bayes_capacity(channel))
        reached = multiplicative_leakage(channel) == capacity
        return bool(multiplicative_leakage(channel, prior, wanted) <= capacity) and reached

    return every(((case[0], truth(case)) for case in cases()), "cases of channel, prior and gain; reached by one guess")


def _max_case_supremum(largest: Callable[[Channel], Real]) -> Finding:
    """The leakage of an adversary who wants one secret only grows to ``largest`` as its prior goes to zero."""

    def truth(channel: Channel) -> bool:
        k, top = channel.domain_size, largest(channel)
        best: Real = Fraction(0)
        for x in range(k):
            rare = Prior([Fraction(1, 10**9) if y == x else (1 - Fraction(1, 10**9)) / (k - 1) for y in range(k)])
            one = gain.from_matrix([[int(y == x) for y in range(k)]])
            best = max(best, max_case_leakage(channel, rare, one))
        return bool(best <= top) and bool(best >= top * (1 - Fraction(1, 10**6)))

    pairs = [(protocol.spec, protocol.channel()) for protocol in exact_protocols(2)]
    return every(((label, truth(channel)) for label, channel in pairs), "channels; reached within a millionth")


def _eleven_as_printed() -> Finding:
    """The supremum of average-case leakage, which is ML, would be e^ε."""
    made = (GRR(3, exp_epsilon=4), SUE(3, exp_epsilon=4), OUE(3, exp_epsilon=4), SS(3, exp_epsilon=4, omega=2))
    return every(
        (f"{p.spec}: ML = {bayes_capacity(p.channel())}, e^ε = 4", bayes_capacity(p.channel()) == 4) for p in made
    )


def _eleven() -> Finding:
    bounded = _on_cases(
        lambda c, prior, wanted: (
            multiplicative_leakage(c, prior, wanted) <= max_case_capacity(c)
            and max_case_leakage(c, prior, wanted) <= max_case_capacity(c)
        )
    )
    tight = _max_case_supremum(max_case_capacity)
    return Finding(bounded.holds and tight.holds, f"bound: {bounded.detail}; tight: {tight.detail}")


def _shifted_ratios() -> Iterator[tuple[Fraction, Fraction]]:
    """Yield (V_g(π), V_g(π, C)) of gains shifted below zero: a guess is worth 1 − c right and −c wrong."""
    channel = GRR(2, exp_epsilon=3).channel()
    for tiny in (Fraction(1, 10), Fraction(1, 10**3), Fraction(1, 10**6)):
        shift = Fraction(1, 2) - tiny
        yield Fraction(1, 2) - shift, Fraction(asr(channel)) - shift


def _negative_gains() -> Finding:
    found = [(f"V = {a}", b / a <= 2) for a, b in _shifted_ratios()]
    return every(found, "gain functions")


def _gains_not_negative() -> Finding:
    bounded = _average_bounded(Fraction(1))
    grows = [after / before for before, after in _shifted_ratios()]
    unbounded = grows == sorted(grows) and grows[-1] > 10**5
    return Finding(bounded.holds and unbounded, f"{bounded.detail}; with a negative gain the ratio is {grows[-1]}")


def _uniform_or_not(symmetric: bool) -> Finding:
    """One guess under the uniform prior against others: least vulnerable for symmetric channels."""
    channels = [(p.spec, p.channel()) for k in (2, 3) for p in exact_protocols(k)]
    if not symmetric:
        channels = [("rows (1, 0), (1, 0), (0, 1)", Channel([[1, 0], [1, 0], [0, 1]]))]
    return every(
        (f"{label}: {asr(c, prior)} < {asr(c)}", asr(c, prior) >= asr(c))
        for label, c in channels
        for prior in (*priors(c.domain_size), Prior([Fraction(1, 2), Fraction(1, 2), *[0] * (c.domain_size - 2)]))
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "definition-1",
        "Def. 1, (1), III-A",
        "A protocol is ε-LDP if C[x, y] ≤ e^ε C[x′, y] for all x, x′, y; all seven protocols are at the ε they state.",
        ENUMERATION,
        partial(_private, 1),
        partial(_private, 2),
        "e^ε/2 in place of e^ε",
    ),
    Claim(
        "channel",
        "C[x, y], III-B",
        "C[x, y] = Pr[y | x] is a channel: entries are probabilities, every row sums to one.",
        ENUMERATION,
        partial(_stochastic, 1),
        partial(_stochastic, 0),
        "columns in place of rows",
    ),
    Claim(
        "equation-4",
        "(4), III-B",
        "V_g(π) = max_w Σ_x π_x g(w, x).",
        ENUMERATION,
        lambda: _on_cases(lambda _, p, g: prior_vulnerability(p, g) == _prior_by_hand(p, g)),
        lambda: _on_cases(lambda _, p, g: prior_vulnerability(p, g) == _prior_by_hand(p, g, min)),
        "min over actions",
    ),
    Claim(
        "equation-5",
        "(5), III-B",
        "V_g(π, C) = Σ_y max_w Σ_x π_x C[x, y] g(w, x).",
        ENUMERATION,
        lambda: _on_cases(lambda c, p, g: posterior_vulnerability(c, p, g) == _posterior_by_hand(c, p, g)),
        lambda: _on_cases(lambda c, p, g: posterior_vulnerability(c, p, g) == _posterior_by_hand(c, p, g, max)),
        "max over outputs",
    ),
    Claim(
        "equation-6",
        "(6), III-B",
        "L_g(π, C) = V_g(π, C)/V_g(π), at least 1.",
        ENUMERATION,
        lambda: _on_cases(
            lambda c, p, g: multiplicative_leakage(c, p, g) == _posterior_by_hand(c, p, g) / _prior_by_hand(p, g) >= 1
        ),
        lambda: _on_cases(lambda c, p, g: multiplicative_leakage(c, p, g) > 1),
        "above 1 for every adversary",
    ),
    Claim(
        "equation-7",
        "(7), III-B",
        "V_g^MAX(π) = max_{w,x} π_x g(w, x).",
        ENUMERATION,
        lambda: _on_cases(lambda _, p, g: max_case_prior_vulnerability(p, g) == _max_prior_by_hand(p, g)),
        lambda: _on_cases(lambda _, p, g: max_case_prior_vulnerability(p, g) == prior_vulnerability(p, g)),
        "the average-case V_g(π)",
    ),
    Claim(
        "equation-8",
        "(8), III-B",
        "V_g^MAX(π, C) = max over w, x and y with Pr[y] > 0 of Pr[x | y] g(w, x): the posterior, not the joint "
        "probability; only then leakage is at least 1.",
        ENUMERATION,
        lambda: _on_cases(
            lambda c, p, g: (
                max_case_posterior_vulnerability(c, p, g)
                == _max_posterior_by_hand(c, p, g, joint=False)
                >= max_case_prior_vulnerability(p, g)
            )
        ),
        lambda: _on_cases(
            lambda c, p, g: _max_posterior_by_hand(c, p, g, joint=True) >= max_case_prior_vulnerability(p, g)
        ),
        "π_x C[x, y] in place of Pr[x | y]: leakage below 1",
        "corrects",
    ),
    Claim(
        "equation-9",
        "(9), III-B",
        "L_g^MAX(π, C) = V_g^MAX(π, C)/V_g^MAX(π), between 1 and e^ε.",
        ENUMERATION,
        lambda: _on_cases(
            lambda c, p, g: 1 <= max_case_leakage(c, p, g) == _max_ratio_by_hand(c, p, g) <= max_case_capacity(c)
        ),
        lambda: _on_cases(lambda c, p, g: max_case_leakage(c, p, g) <= bayes_capacity(c)),
        "at most the Bayes capacity",
    ),
    Claim(
        "gains",
        "gain functions, III-B",
        "Gains are not negative: with real-valued gains multiplicative leakage has no bound.",
        ENUMERATION,
        _gains_not_negative,
        _negative_gains,
        "real-valued gains: leakage of a channel of capacity 3/2 would be at most 2",
        "corrects",
    ),
    Claim(
        "equation-10",
        "(10), III-B",
        "ML(C) = Σ_y max_x C[x, y] bounds V_g(π, C)/V_g(π) for all π and g ≥ 0; one guess under the uniform prior "
        "reaches it.",
        ENUMERATION,
        partial(_average_bounded, Fraction(1)),
        partial(_average_bounded, Fraction(99, 100)),
        "one per cent less",
    ),
    Claim(
        "equation-11",
        "(11), III-B",
        "e^ε bounds average-case and max-case leakage of an ε-LDP channel with tight ε; it is a supremum for "
        "max-case, and not tight for average-case.",
        ENUMERATION,
        _eleven,
        _eleven_as_printed,
        "tight for average-case too",
        "corrects",
    ),
    Claim(
        "footnote-5",
        "footnote 5, IV-A",
        "On symmetric channels any prior makes one guess at least as successful as the uniform one; not so on others.",
        ENUMERATION,
        partial(_uniform_or_not, symmetric=True),
        partial(_uniform_or_not, symmetric=False),
        "for all channels",
        "corrects",
    ),
)
