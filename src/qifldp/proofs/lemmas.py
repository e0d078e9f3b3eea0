"""The paper's lemmas on channels of one bit, as theorems for all ε and θ, from the product's own p and q.

Variables: s = e^{ε/2} ≥ 1; u = e^{εθ/2} with 1 ≤ u ≤ s, that is 0 ≤ θ ≤ 1. Bits are refined by Lemma 1 (3), which is
itself a theorem here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any, Literal, TypeAlias

from flint import arb

from qifldp.exact.fields import BALLS
from qifldp.proofs.formulas import (
    All,
    Formula,
    above,
    at_least,
    bit_refines,
    equivalent,
    implies,
    let,
    same,
)
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Bit, BitField, Term, bit_of, variables
from qifldp.protocols.local_hashing import LH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE

MEANING = "s = e^(epsilon/2), u = e^(epsilon theta/2). Refinement of bits is Lemma 1 (3), multiplied out."

BUDGETS = "for every epsilon > 0 and theta in [0, 1]"
"""The range of a theorem whose domain is that of positive budgets, in the words of its file."""

Bits: TypeAlias = tuple[Bit, Bit, Bit]


def budget() -> tuple[Term, Term]:
    """Return s and u."""
    s, u = variables("s", "u")
    return s, u


def bits(s: Term, u: Term) -> Bits:
    """Return the bits of SUE, OUE and THE."""
    return bit_of(SUE, s), bit_of(OUE, s), bit_of(THE, s, u)


def domain(s: Term, u: Term, *, positive: bool = False) -> list[Formula]:
    """Return ε ≥ 0 (or > 0) and 0 ≤ θ ≤ 1 as polynomials."""
    return [above(s, 1) if positive else at_least(s, 1), at_least(u, 1), at_least(s, u)]


def theorem(
    name: str,
    words: str,
    names: Sequence[str],
    assumptions: Sequence[Formula],
    goal: Formula,
    *,
    immediate: bool = False,
) -> Theorem:
    """Return a theorem whose words explain the variables."""
    return Theorem(name, f"{words}\n{MEANING}", names, assumptions, goal, immediate)


def error_bits() -> tuple[list[Formula], Bit, Bit]:
    """Return two bits of any errors α, β ≥ 0 with α_C + β_C < 1 and α_D + β_D ≤ 1, and these conditions."""
    a, b, c, d = variables("a", "b", "c", "d")
    inside = [part for x in (a, b, c, d) for part in (at_least(x, 0), at_least(1 - x, 0))]
    return [*inside, above(1 - a - b, 0), at_least(1 - c - d, 0)], Bit(a, b), Bit(c, d)


def witness(original: Bit, refined: Bit) -> tuple[Term, Term]:
    """Return w and w′ of the only W with original·W = refined: rows (w, 1 − w), (w′, 1 − w′); α + β < 1."""
    a, b, c, d = original.alpha, original.beta, refined.alpha, refined.beta
    room = 1 - a - b
    return ((1 - b) * (1 - c) - a * d) / room, ((1 - a) * d - b * (1 - c)) / room


def is_witness(original: Bit, refined: Bit) -> list[Term]:
    """Return the differences (original·W − refined) in the first column, zero functions for the witness."""
    w, v = witness(original, refined)
    a, b = original.alpha, original.beta
    return [(1 - a) * w + a * v - (1 - refined.alpha), b * w + (1 - b) * v - refined.beta]


def is_channel(original: Bit, refined: Bit) -> Formula:
    """Return: the only W is a channel, that is, original ⊑ refined."""
    return All([part for w in witness(original, refined) for part in (at_least(w, 0), at_least(1 - w, 0))])


def within_hull(original: Bit, refined: Bit) -> Formula:
    """Return: both posteriors of the refined bit (uniform prior) lie between those of the original (Lemma 1 (2))."""
    a, b, c, d = original.alpha, original.beta, refined.alpha, refined.beta
    # Column 1 has posterior (1 − α)/(1 − α + β), column 2 has α/(1 + α − β); multiplied out, empty columns included.
    first = at_least((1 - a) * (1 - c + d), (1 - c) * (1 - a + b))
    second = at_least(c * (1 + a - b), a * (1 + c - d))
    return All([first, second])


def corner_gap(original: Protocol, refined: Protocol, side: Literal["first", "second"]) -> arb:
    """Return by how much an inequality of Lemma 1 (3) holds, in balls, for the bits of two protocols.

    The first is β_C/(1 − α_C) ≤ β_D/(1 − α_D), the second, turned over, α_C/(1 − β_C) ≤ α_D/(1 − β_D).
    """
    (p, q), (other_p, other_q) = (made.support_probabilities(BALLS) for made in (original, refined))
    if side == "first":
        return (1 - other_p) / (1 - other_q) - (1 - p) / (1 - q)
    return other_q / other_p - q / p


def between(original: Bit, refined: Bit, *, columns: Sequence[int] = (0, 1)) -> Formula:
    """Return: posteriors of the refined bit (uniform prior) lie between the two of the original: max-case refinement.

    Any errors are allowed, so either posterior of the original may be the larger one: (x − y)(x − y′) ≤ 0, multiplied
    by the outputs' chances; an output of the refined bit that never occurs satisfies it.
    """
    parts = []
    for column in columns:
        zero, one = (row[column] for row in refined.rows)
        first, second = (one * a - zero * b for a, b in zip(*original.rows, strict=True))
        parts.append(at_least(0 * zero, first * second))
    return All(parts)


def corollary_2(*, columns: Sequence[int] = (0, 1)) -> Theorem:
    """Return Cor. 2 for all errors with α_C + β_C ≠ 1; altered if not both of D's posteriors are looked at."""
    a, b, c, d = variables("a", "b", "c", "d")
    inside = [part for x in (a, b, c, d) for part in (at_least(x, 0), at_least(1 - x, 0))]
    original, refined = Bit(a, b), Bit(c, d)
    goal = equivalent(between(original, refined, columns=columns), is_channel(original, refined))
    words = (
        "Corollary 2: for channels of one bit with any errors a, b and c, d, a + b not 1, max-case refinement\n"
        "(every posterior of D lies between the two of C) is average-case refinement (the only W with C W = D is\n"
        "a channel)."
    )
    if len(columns) < 2:
        words = (
            "Altered Corollary 2, for errors a, b and c, d, a + b not 1: average-case refinement is equivalent to the\n"
            "first posterior of D lying between the two of C; nothing is asked of the second."
        )
    name = "corollary-2" + "-altered" * (len(columns) < 2)
    return Theorem(name, words, "abcd", [*inside, above((1 - a - b) ** 2, 0)], goal)


def corollary_2_trivial() -> Theorem:
    """Return Cor. 2 where α_C + β_C = 1: C tells nothing, so D has to tell nothing in either order."""
    c, d = variables("c", "d")
    inside = [part for x in (c, d) for part in (at_least(x, 0), at_least(1 - x, 0))]
    halves = All([same(2 * (1 - c), 1 - c + d), same(2 * c, 1 + c - d)])
    words = (
        "Corollary 2 where a + b = 1: both rows of C are equal, and so are those of C W for every W.\n"
        "Max-case: both posteriors of D are 1/2; average-case: both rows of D are equal."
    )
    return Theorem("corollary-2-trivial", words, "cd", inside, equivalent(halves, same(c + d, 1)), immediate=True)


def lemma_1(part: str) -> Theorem:
    """Return Lemma 1 between conditions (1) and (3), or (2) and (3)."""
    assumed, c, d = error_bits()
    condition = is_channel(c, d) if part == "1" else within_hull(c, d)
    words = (
        f"Lemma 1: ({part}) is equivalent to (3), for two channels of one bit with errors a, b and c, d,\n"
        "a + b < 1 and c + d <= 1.\n"
        "(1): the only W with C W = D is a channel. (2): posteriors lie in the hull.\n"
        "(3): b/(1-a) <= d/(1-c) and (1-b)/a >= (1-d)/c, multiplied out."
    )
    goal = equivalent(condition, bit_refines(original=c, refined=d))
    return Theorem(f"lemma-1-{part}-3", words, "abcd", assumed, goal, immediate=part == "2")


def lemma_1_any_errors() -> Theorem:
    """Return Lemma 1 without α_D + β_D ≤ 1: false."""
    assumed, c, d = error_bits()
    goal = equivalent(is_channel(c, d), bit_refines(original=c, refined=d))
    words = (
        "Altered Lemma 1: (1) the only W with C W = D is a channel, is equivalent to (3) for errors a + b < 1 and\n"
        "any c and d in [0, 1], though c + d may be above 1."
    )
    return Theorem("lemma-1-altered", words, "abcd", assumed[:-1], goal)


def lemma_2(*, both: bool = True) -> Theorem:
    """Return Lemma 2; or the altered one in which only β_C ≤ β_D."""
    assumed, c, d = error_bits()
    smaller = [at_least(d.beta, c.beta), *([at_least(d.alpha, c.alpha)] if both else [])]
    span = "\nfor errors a, b of C and c, d of D, a + b < 1 and c + d <= 1."
    words = f"Lemma 2: a <= c and b <= d imply that C is refined to D,{span}"
    if not both:
        words = f"Altered Lemma 2: b <= d alone implies that C is refined to D,{span}"
    goal = implies(All(smaller), bit_refines(original=c, refined=d))
    return Theorem("lemma-2" if both else "lemma-2-altered", words, "abcd", assumed, goal)


def family(name: str, protocol: Any, *, backwards: bool = False) -> Theorem:
    """Return: a larger budget is refined to a smaller one, for the bits of SUE, OUE, THE or LH (g real, ≥ 2)."""
    subject, span = f"Bits of {protocol.__name__} ", "s >= t >= 1"
    if protocol is THE:
        span = "u >= z >= 1 and s/u >= t/z >= 1, theta and theta' in [0, 1]"
        s, u, t, z = variables("s", "u", "t", "z")
        # θ and θ′ may differ: all that is needed is ε′θ′ ≥ εθ and ε′(1 − θ′) ≥ ε(1 − θ), that is u ≥ z and s/u ≥ t/z.
        large, small = bit_of(THE, s, u), bit_of(THE, t, z)
        assumed = [at_least(z, 1), at_least(t, z), at_least(u, z), at_least(s * z, t * u)]
        names = ["s", "u", "t", "z"]
    elif protocol is LH:
        subject = "Bits of LH, which say whether a report supports a value,\n"
        span += " and all real g >= 2 buckets"
        s, t, g = variables("s", "t", "g")
        large, small = lh_bit(s, g), lh_bit(t, g)
        assumed, names = [at_least(t, 1), at_least(s, t), at_least(g, 2)], ["s", "t", "g"]
    else:
        s, t = variables("s", "t")
        large, small = bit_of(protocol, s), bit_of(protocol, t)
        assumed, names = [at_least(t, 1), at_least(s, t)], ["s", "t"]
    pair = (small, large) if backwards else (large, small)
    way = "at the larger budget, s, are refined to those at the smaller, t,"
    if backwards:
        way = "at the smaller budget, t, are refined to those at the larger, s,"
    names_of_smaller = "t = e^(epsilon'/2)" + ", z = e^(epsilon' theta'/2)" * (protocol is THE)
    words = f"{'Altered: ' * backwards}{subject}{way}\nfor all {span}; {names_of_smaller}."
    goal = bit_refines(original=pair[0], refined=pair[1])
    return theorem(name, words, names, assumed, goal, immediate=protocol is SUE)


def the_family_at(top: int, bottom: int) -> Theorem:
    """Return Lemma 5 as printed, at one θ = top/bottom: powers of x and y are s, u of the larger and smaller ε."""
    x, y = variables("x", "y")
    large, small = (bit_of(THE, root**bottom, root**top) for root in (x, y))
    words = (
        f"Lemma 5 at theta = {top}/{bottom}: bits of THE at the larger budget are refined to those at the smaller,\n"
        f"for all x >= y >= 1, x = e^(epsilon/{2 * bottom}) of the larger budget, y of the smaller."
    )
    goal = bit_refines(original=large, refined=small)
    return Theorem(f"lemma-5-theta-{top}-{bottom}", words, ("x", "y"), [at_least(y, 1), at_least(x, y)], goal)


def lh_bit(s: Term, g: Term) -> Bit:
    """Return whether a report of LH supports a value, as a bit, for all g at once."""
    return Bit(1 / g, (g - 1) / (s**2 + g - 1))


def lh_bit_is_the_products(buckets: int) -> bool:
    """Whether the bit of the theorem about LH is, at one g, the one that the product's formulas give."""
    (s,) = variables("s")
    ours, theirs = lh_bit(s, s / s * buckets), bit_of(LH, s, g=buckets)
    return (ours.alpha - theirs.alpha).is_zero and (ours.beta - theirs.beta).is_zero


def channel_with(w: Term, weight: Term, *entries: Formula) -> Formula:
    """Return: noise of this weight is a channel, and under the weight's name w it gives the entries that it should."""
    return All([at_least(weight, 0), at_least(1 - weight, 0), let(w, weight, All(entries))])


def grr_family(*, backwards: bool = False) -> Theorem:
    """Return Lemma 3 for all k: GRR at ρ = e^ε turns into GRR at ρ′ by GRR-like noise.

    The noise keeps a value with probability w and sends it to each other with (1 − w)/(k − 1);
    then p′ = p w + q (1 − w) and q′ = q w + (p + (k − 2) q)(1 − w)/(k − 1).
    """
    r, t, k, w = variables("r", "t", "k", "w")
    p, q, kept, other = r / (r + k - 1), 1 / (r + k - 1), t / (t + k - 1), 1 / (t + k - 1)
    # At r = 1 the channel that noise is put on tells nothing, and w is not defined.
    budgets = [at_least(t, r)] if backwards else [at_least(t, 1), at_least(r, t)]
    assumed = [above(r, 1), *budgets, at_least(k, 2)]
    words = (
        f"{'Altered ' * backwards}Lemma 3, for all {'t >= r > 1' if backwards else 'r >= t >= 1, r > 1,'} and k >= 2:\n"
        "GRR over k values at e^epsilon = r is refined to GRR at t: the noise that keeps a value with\n"
        "probability w, and else sends it to any other, is a channel, and gives both entries of GRR at t."
    )
    off = (1 - w) / (k - 1)
    row = [same(p * w + q * (1 - w), kept), same(q * w + (p + (k - 2) * q) * off, other)]
    goal = channel_with(w, (kept - q) / (p - q), *row)
    return Theorem("lemma-3" + "-altered" * backwards, words, ("r", "t", "k", "w"), assumed, goal)


def subset_chance(r: Term, k: Term, o: Term) -> Term:
    """Return Pr[x ∈ S | x] of SS at e^ε = r for all k and ω = o at once, by the product's own formula."""
    unknown: Any = SimpleNamespace(domain_size=k, omega=o, exp_epsilon=lambda _: r)
    p, _ = SS.support_probabilities(unknown, BitField(r))
    return p


def subset_weight(r: Term, t: Term, k: Term, o: Term) -> Term:
    """Return the w of the noise that turns SS at e^ε = r into SS at t: it keeps the set with w, else draws any set.

    Any set holds x with ω/k, so w p + (1 − w) ω/k = p′.
    """
    fresh = o / k
    return (subset_chance(t, k, o) - fresh) / (subset_chance(r, k, o) - fresh)


def subset_family(*, backwards: bool = False) -> Theorem:
    """Return: SS of one ω at ρ is refined to SS at ρ′ ≤ ρ, for all k and ω: the noise that does it is a channel."""
    r, t, k, o, w = variables("r", "t", "k", "o", "w")
    larger, smaller = (t, r) if backwards else (r, t)
    assumed = [above(t, 1), at_least(r, t), at_least(o, 1), at_least(k - o, 1)]
    kept = same(w * subset_chance(larger, k, o) + (1 - w) * o / k, subset_chance(smaller, k, o))
    start, end = ("t", "r") if backwards else ("r", "t")
    words = (
        f"{'Altered: ' * backwards}SS of one size o over k values at e^epsilon = {start} is refined to SS of\n"
        f"that size at {end}, for all r >= t > 1 and 1 <= o <= k - 1:\n"
        "the noise that keeps the reported set with probability w, and else draws any set of that size, is a channel,\n"
        "and gives the right chance that the set holds the true value."
    )
    goal = channel_with(w, subset_weight(larger, smaller, k, o), kept)
    return Theorem("ss-family" + "-altered" * backwards, words, ("r", "t", "k", "o", "w"), assumed, goal)


def named(bit: Bit, alpha: Term, beta: Term, then: Callable[[Bit], Formula]) -> Formula:
    """Return what is true of a bit, its errors under names: then no identity is gone before a prover sees it."""
    return let(alpha, bit.alpha, let(beta, bit.beta, then(Bit(alpha, beta))))


def whole_odds(bit: Bit) -> tuple[Term, Term]:
    """Return p(1 − q) and (1 − p)q, whose quotient is the largest likelihood ratio of whole one-hot reports, k ≥ 2."""
    return (1 - bit.beta) * (1 - bit.alpha), bit.beta * bit.alpha


def whole_private(bit: Bit, most: Term) -> Formula:
    """Return: the largest likelihood ratio of whole reports is at most so much, ρ ≤ most, multiplied out."""
    top, bottom = whole_odds(bit)
    return at_least(most * bottom, top)


def whole_ratio(bit: Bit) -> Term:
    """Return ρ = p(1 − q)/((1 − p)q), the largest likelihood ratio of whole reports."""
    top, bottom = whole_odds(bit)
    return top / bottom


def the_spends_less(*, strictly: bool = True) -> Theorem:
    """Return: ρ < e^ε for THE; altered, ρ ≥ e^ε."""
    s, u = budget()
    ratio = whole_ratio(bits(s, u)[2])
    goal = above(s**2, ratio) if strictly else at_least(ratio, s**2)
    words = f"The likelihood ratio of whole reports of THE is below e^epsilon, {BUDGETS}."
    if not strictly:
        words = f"Altered: the likelihood ratio of whole reports of THE is at least e^epsilon,\n{BUDGETS}."
    return theorem("the-tight", words, ("s", "u"), domain(s, u, positive=True), goal)
