"""Appendices A and C: why (25) is wrong ((28), (29)), and the proof of Proposition 1 ((40), (41))."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

from qifldp.channels.channel import Channel
from qifldp.leakage.vulnerability import asr
from qifldp.proofs.claim import ENUMERATION, Claim, Finding, every
from qifldp.proofs.ledger.hashing import hashes
from qifldp.proofs.samples import LEVELS
from qifldp.protocols.local_hashing import LH
from qifldp.protocols.subset_selection import GRR


def _sizes(k: int, g: int) -> list[tuple[int, Fraction]]:
    """Sizes of the support that holds the true value, each with its chance over all hash functions."""
    counts = [sum(h[x] == h[0] for x in range(k)) for h in product(range(g), repeat=k)]
    return [(size, Fraction(counts.count(size), len(counts))) for size in range(1, k + 1)]


def _miss(k: int, g: int, *, outside: bool) -> Fraction:
    """(28) = (E|U| − 1)/E|U|, or (29) = E[1 − 1/|U|], over the supports that hold the true value."""
    mean = sum((size * chance for size, chance in _sizes(k, g)), Fraction(0))
    inside = sum((chance * (1 - Fraction(1, size)) for size, chance in _sizes(k, g)), Fraction(0))
    return (mean - 1) / mean if outside else inside


def _wrong_guess(outside: bool) -> Finding:
    """The chance to guess wrongly in a support that holds the value, by enumeration of hashes and guesses."""
    cases = []
    for k, g in ((2, 2), (3, 2), (3, 3), (4, 2), (4, 3)):
        exact = Fraction(0)
        for h in product(range(g), repeat=k):
            support = [x for x in range(k) if h[x] == h[0]]
            exact += Fraction(sum(x != 0 for x in support), len(support)) / g**k
        found = _miss(k, g, outside=outside)
        cases.append((f"k = {k}, g = {g}: {found}, not {exact}", found == exact))
    return every(cases, "chances, all hash functions and guesses")


def _unequal(equal: bool) -> Finding:
    """(28) and (29) differ for every k and g (altered: they are one)."""
    pairs = [(k, g, _miss(k, g, outside=True), _miss(k, g, outside=False)) for k in (2, 3, 4, 5) for g in (2, 3)]
    return every(((f"k = {k}, g = {g}: {a} and {b}", (a == b) == equal) for k, g, a, b in pairs), "pairs k, g")


def _why(empty: bool) -> Finding:
    """The rate with E[1/|U|], and with or without the guess on an empty support, (1 − p)(1 − 1/g)^{k−1}/k."""
    cases = []
    for p, x in hashes():
        k, g = p.domain_size, p.buckets
        kept = x / (x + g - 1)
        rate = kept * (1 - _miss(k, g, outside=False))
        guess = (1 - kept) * (1 - Fraction(1, g)) ** (k - 1) / k if empty else Fraction(0)
        cases.append((f"k = {k}, {p.spec}", rate + guess == asr(p.channel())))
    return every(cases, "channels")


def _encoding(k: int, g: int) -> Channel:
    """E of (40): a pair (hash, hashed value), the hash uniform."""
    functions = list(product(range(g), repeat=k))
    return Channel([[Fraction(int(h[x] == y), len(functions)) for h in functions for y in range(g)] for x in range(k)])


def _noise(k: int, g: int, exp_epsilon: Fraction, *, mixes: bool) -> Channel:
    """G of (41): the hash is kept, GRR acts on the value; altered: the hash is lost and drawn again."""
    functions = g**k
    inner = GRR(g, exp_epsilon=exp_epsilon).channel().matrix
    pairs = list(product(range(functions), range(g)))
    kept = [[Fraction(int(h == other)) for other in range(functions)] for h in range(functions)]
    weight = [[Fraction(1, functions)] * functions] * functions if mixes else kept
    return Channel([[weight[h][other] * inner[y, z] for other, z in pairs] for h, y in pairs])


def _is_encoding(family: Callable[[int, int], int]) -> Finding:
    """Entries of E are 1/g^k at (h, h(x)) for each hash function, else 0; there LH is likelier than elsewhere."""
    cases = []
    for k, g in ((2, 2), (3, 2), (2, 3), (3, 3)):
        matrix, noisy = _encoding(k, g).matrix, LH(k, exp_epsilon=4, g=g).channel().matrix
        likelier = noisy == noisy.max()
        for x in range(k):
            wanted = [Fraction(0)] * (g**k * g)
            for place, h in enumerate(product(range(g), repeat=k)):
                wanted[place * g + h[x]] = Fraction(1, family(g, k))
            same = matrix[x].tolist() == wanted and (likelier[x] == (matrix[x] > 0)).all()
            cases.append((f"k = {k}, g = {g}, x = {x}", same))
    return every(cases, "rows: all hash functions, and the places where LH reports more often")


def _cascade(mixes: bool) -> Finding:
    """E·G is the channel of LH."""
    cases = []
    for (k, g), x in product(((2, 2), (3, 2), (2, 3)), LEVELS):
        cascade = _encoding(k, g) @ _noise(k, g, x, mixes=mixes)
        cases.append(
            (f"k = {k}, g = {g}, e^ε = {x}", (cascade.matrix == LH(k, exp_epsilon=x, g=g).channel().matrix).all())
        )
    return every(cases, "cascades")


def _counts(formula: Callable[[int, int], int]) -> Finding:
    """Functions that never take a given value."""
    cases = []
    for k, g in product((2, 3, 4, 5), (2, 3, 4)):
        missing = sum(0 not in h for h in product(range(g), repeat=k))
        cases.append((f"k = {k}, g = {g}", missing == formula(g, k)))
    return every(cases, "counts, all functions")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "equations-28-29",
        "(28), (29), -A",
        "(E|U| − 1)/E|U| and E[1 − 1/|U|] are not equal.",
        ENUMERATION,
        partial(_unequal, equal=False),
        partial(_unequal, equal=True),
        "they are",
    ),
    Claim(
        "equation-29",
        "(29), -A",
        "The chance to guess wrongly in a support that holds the value is E[1 − 1/|U|].",
        ENUMERATION,
        partial(_wrong_guess, outside=False),
        partial(_wrong_guess, outside=True),
        "(28)",
    ),
    Claim(
        "why-25-is-wrong",
        "why (25) is wrong, -A",
        "Beside the expectation of 1/|U|, the guess on an empty support is missing in (25): (1 − p)(1 − 1/g)^{k−1}/k.",
        ENUMERATION,
        partial(_why, empty=True),
        partial(_why, empty=False),
        "the expectation is all that is wrong",
        "corrects",
    ),
    Claim(
        "equation-40",
        "(40), proof of Prop. 1, -C",
        "E[x, (h, y)] is 1/g^k where h(x) = y, else 0.",
        ENUMERATION,
        partial(_is_encoding, lambda g, k: g**k),
        partial(_is_encoding, lambda g, k: math.comb(g + k, k)),
        "1/C(g + k, k)",
    ),
    Claim(
        "equation-41",
        "(41), proof of Prop. 1, -C",
        "G keeps the hash and applies GRR to the hashed value; E·G is the channel of LH.",
        ENUMERATION,
        partial(_cascade, mixes=False),
        partial(_cascade, mixes=True),
        "G draws the hash again",
    ),
    Claim(
        "proposition-1-counts",
        "counts in the proof of Prop. 1, -C",
        "(g − 1)^k functions never take a given value, g^k − (g − 1)^k do.",
        ENUMERATION,
        partial(_counts, lambda g, k: (g - 1) ** k),
        partial(_counts, lambda g, k: g**k - g),
        "g^k − g never do",
    ),
)
