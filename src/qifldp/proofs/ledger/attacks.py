"""IV: data reconstruction, and min-entropy leakage (Def. 2 and 3, (15) to (20))."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import permutations

from flint import arb

from qifldp.adversaries.gain import bayes
from qifldp.adversaries.prior import Prior
from qifldp.channels.channel import Channel
from qifldp.exact.balls import ball
from qifldp.leakage.capacity import bayes_capacity, max_case_capacity
from qifldp.leakage.vulnerability import asr, multiplicative_leakage, posterior_vulnerability
from qifldp.proofs.checks import enclosed
from qifldp.proofs.claim import ENUMERATION, Claim, Finding, every
from qifldp.proofs.samples import exact_channels, priors
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import SUE


def _with_priors(truth: Callable[[Channel, Prior], bool]) -> Finding:
    return every(
        (
            (f"{label}, prior {i + 1}", truth(c, prior))
            for label, c in exact_channels()
            for i, prior in enumerate(priors(c.domain_size))
        ),
        "channels and priors",
    )


def _uniform(truth: Callable[[Channel], bool]) -> Finding:
    return every(((label, truth(c)) for label, c in exact_channels()), "channels")


def _is_proportional(channel: Channel, prior: Prior) -> bool:
    """Posteriors are the columns, divided by their sums."""
    return all(
        channel.posterior(y, prior).probabilities.tolist() == (column / column.sum()).tolist()
        for y, column in enumerate(channel.matrix.T)
        if column.sum()
    )


def _success(channel: Channel, prior: Prior) -> Fraction:
    """Σ_y Pr[y] max_x Pr[x | y], from the posteriors."""
    outer = channel.joint(prior).sum(axis=0)
    posteriors = [channel.posterior(y, prior).probabilities for y in range(len(outer)) if outer[y]]
    return sum((p * q.max() for p, q in zip(outer[outer > 0], posteriors, strict=True)), Fraction(0))


def _min_entropies(sign: int) -> Finding:
    """H_∞(X) − H_∞(X | Y) = log2 ML with H_∞ = −log2 max, or with both minus signs missing."""

    def truth(channel: Channel) -> bool:
        def difference() -> arb:
            before, after = Fraction(1, channel.domain_size), Fraction(asr(channel))
            return sign * (-_log2(before) + _log2(after)) / _log2(Fraction(bayes_capacity(channel)))

        return enclosed(difference, "0.999999999999", "1.000000000001")[1]

    return _uniform(truth)


def _leaks(channel: Channel, capacity: Callable[[Channel], object]) -> bool:
    """H_∞(X) − H_∞(X | Y), from the uniform prior and the joint matrix, against the logarithm of a capacity."""
    prior = Prior.uniform(channel.domain_size, exact=True)
    most = Fraction(prior.probabilities.max())
    columns = sum((Fraction(column.max()) for column in channel.joint(prior).T), Fraction(0))

    def difference() -> arb:
        return -_log2(most) + _log2(columns) - _log2(Fraction(str(capacity(channel))))

    return enclosed(difference, "-1e-30", "1e-30")[1]


def _log2(value: Fraction) -> arb:
    return ball(value).log() / ball(2).log()


def _opposite_orders(implied: bool) -> Finding:
    """Some pair has its two capacities the other way round; or: none has."""
    made = [make(10, exp_epsilon=level) for make in (GRR, SUE) for level in (9, 16)]
    crossed = [
        f"{a.spec} against {b.spec} over 10 values"
        for a, b in permutations(made, 2)
        if max_case_capacity(a.exact_profile()) > max_case_capacity(b.exact_profile())
        and bayes_capacity(a.exact_profile()) < bayes_capacity(b.exact_profile())
    ]
    return Finding(bool(crossed) != implied, crossed[0] if crossed else "no pair")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "definition-2",
        "Def. 2, (16), IV-A",
        "ASR(C) = Σ_y Pr[y] max_x Pr[x | y].",
        ENUMERATION,
        lambda: _with_priors(lambda c, prior: asr(c, prior) == _success(c, prior)),
        lambda: _with_priors(lambda c, prior: asr(c) == _success(c, prior)),
        "the uniform prior in place of π",
    ),
    Claim(
        "equation-15",
        "(15), IV-A",
        "Under the uniform prior Pr[x | y] is proportional to C[x, y].",
        ENUMERATION,
        lambda: _uniform(lambda c: _is_proportional(c, Prior.uniform(c.domain_size, exact=True))),
        lambda: _with_priors(_is_proportional),
        "under every prior",
    ),
    Claim(
        "equation-17",
        "(17), IV-A",
        "ASR is the posterior vulnerability of one guess, V_1(π, C) = Σ_y max_x π_x C[x, y].",
        ENUMERATION,
        lambda: _with_priors(
            lambda c, p: posterior_vulnerability(c, p, bayes()) == c.joint(p).max(axis=0).sum() == _success(c, p)
        ),
        lambda: _with_priors(lambda c, p: c.matrix.max(axis=0).sum() == _success(c, p)),
        "likelihoods C[x, y] in place of π_x C[x, y]",
    ),
    Claim(
        "equation-18",
        "(18), IV-A",
        "Under the uniform prior ASR(C) = ML(C)/k.",
        ENUMERATION,
        lambda: _uniform(lambda c: asr(c) == Fraction(bayes_capacity(c)) / c.domain_size),
        lambda: _with_priors(lambda c, prior: asr(c, prior) == Fraction(bayes_capacity(c)) / c.domain_size),
        "under every prior",
    ),
    Claim(
        "definition-3",
        "Def. 3, IV-B",
        "H_∞(X) = −log max_x π_x and H_∞(X | Y) = −log Σ_y max_x π_x C[x, y], both with a minus sign.",
        "ball arithmetic",
        lambda: _min_entropies(1),
        lambda: _min_entropies(-1),
        "both minus signs missing: (20) would have the wrong sign",
        "corrects",
    ),
    Claim(
        "equation-19",
        "(19), IV-B",
        "L_∞(X | Y) = H_∞(X) − H_∞(X | Y) is the logarithm of V_1(π, C)/V_1(π), for every prior.",
        ENUMERATION,
        lambda: _with_priors(lambda c, p: multiplicative_leakage(c, p) == _success(c, p) / p.probabilities.max() >= 1),
        lambda: _with_priors(lambda c, p: asr(c, p) / p.probabilities.max() == bayes_capacity(c)),
        "log ML for every prior",
    ),
    Claim(
        "equation-20",
        "(20), IV-B",
        "Under the uniform prior L_∞(X | Y) = log ML(C).",
        "ball arithmetic",
        lambda: _uniform(lambda c: _leaks(c, bayes_capacity)),
        lambda: _uniform(lambda c: _leaks(c, max_case_capacity)),
        "log of the max-case capacity",
    ),
    Claim(
        "capacities-ordered",
        "ML^MAX ≥ ML, IV-B",
        "The max-case capacity is at least the Bayes capacity.",
        ENUMERATION,
        lambda: _uniform(lambda c: max_case_capacity(c) >= bayes_capacity(c)),
        lambda: _uniform(lambda c: max_case_capacity(c) <= bayes_capacity(c)),
        "at most",
    ),
    Claim(
        "capacities-cross",
        "ML^MAX(A) > ML^MAX(B) with ML(A) < ML(B), IV-B",
        "Two channels may have their max-case and Bayes capacities in opposite orders.",
        ENUMERATION,
        lambda: _opposite_orders(implied=False),
        lambda: _opposite_orders(implied=True),
        "one order implies the other",
    ),
)
