"""V-C: local hashing (Def. 6, (23) to (27), Proposition 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from qifldp.channels.channel import Channel
from qifldp.exact.balls import ball, certain_floor
from qifldp.leakage.capacity import bayes_capacity
from qifldp.leakage.vulnerability import asr
from qifldp.proofs.checks import enclosed, excess, within_slack
from qifldp.proofs.claim import ENUMERATION, Claim, Finding, every
from qifldp.proofs.samples import LEVELS
from qifldp.protocols.local_hashing import LH, OLH
from qifldp.protocols.subset_selection import GRR

Formula = Callable[[Fraction, int, int], Fraction]


def hashes() -> Iterator[tuple[LH, Fraction]]:
    """Yield small local hashing protocols, each with its e^ε."""
    for k, g in ((2, 2), (2, 3), (2, 5), (3, 2), (3, 3), (4, 2), (4, 3), (5, 2)):
        for x in LEVELS:
            yield LH(k, exp_epsilon=x, g=g), x


def _label(p: LH) -> str:
    return f"k = {p.domain_size}, {p.spec}"


def _two_steps(buckets: int) -> Finding:
    """The channel is: a hash drawn among all g^k functions, then GRR over g (+ buckets) values on h(x)."""
    cases = []
    for p, x in hashes():
        k, g = p.domain_size, p.buckets
        noise = GRR(g + buckets, exp_epsilon=x).channel().matrix
        functions = list(product(range(g), repeat=k))
        rows = [[noise[h[v], y] / len(functions) for h in functions for y in range(g)] for v in range(k)]
        cases.append((_label(p), p.channel().matrix.tolist() == rows))
    return every(cases, "channels, all hash functions")


def _entries(other: Formula) -> Finding:
    """Entries (1/g^k) e^ε/(e^ε + g − 1) where h(x) = y, else ``other``."""
    cases = []
    for p, x in hashes():
        k, g = p.domain_size, p.buckets
        hit, matrix = x / (x + g - 1) / g**k, p.channel().matrix
        for index, h in enumerate(product(range(g), repeat=k)):
            for y, v in product(range(g), range(k)):
                wanted = hit if h[v] == y else other(x, k, g)
                cases.append((_label(p), matrix[v, index * g + y] == wanted))
    return every(cases, "entries")


def success_rate(formula: Formula) -> Finding:
    """ASR of the explicit channel against a formula in e^ε, k and g."""
    return every(
        ((_label(p), asr(p.channel()) == formula(x, p.domain_size, p.buckets)) for p, x in hashes()), "channels"
    )


def gursoy(x: Fraction, k: int, g: int) -> Fraction:
    """The published rate (25): e^ε / ((e^ε + g − 1) max(k/g, 1))."""
    return x / ((x + g - 1) * max(Fraction(k, g), Fraction(1)))


def proposition(x: Fraction, k: int, g: int) -> Fraction:
    """The paper's rate (26)."""
    return (x * g**k + (g - 1) ** k * (1 - x)) / ((x + g - 1) * (k * g ** (k - 1)))


def _differs(formula: Formula) -> Finding:
    """The formula is another number than the exact rate on some channel of the list."""
    off = [(_label(p), formula(x, p.domain_size, p.buckets), asr(p.channel())) for p, x in hashes()]
    other = [f"{label}: {wrong}, not {right}" for label, wrong, right in off if wrong != right]
    return Finding(
        bool(other), f"{len(other)} of {len(off)} channels have another rate{': ' if other else ''}{''.join(other[:1])}"
    )


def _capacity(formula: Formula) -> Finding:
    cases = [(_label(p), bayes_capacity(p.channel()) == formula(x, p.domain_size, p.buckets)) for p, x in hashes()]
    return every(cases, "channels, column maxima summed")


def _family(ideal: bool) -> Finding:
    """The formula (27) for all g^k functions, or for a universal family of three."""
    cases = []
    for x in LEVELS:
        p, q = x / (x + 1), 1 / (x + 1)
        family = list(product((0, 1), repeat=4)) if ideal else [(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)]
        rows = [[(p if h[v] == y else q) / len(family) for h in family for y in (0, 1)] for v in range(4)]
        collisions = max(Fraction(sum(h[a] == h[b] for h in family), len(family)) for a in range(4) for b in range(a))
        capacity = bayes_capacity(Channel(rows))
        label = f"e^ε = {x}, two values collide with probability {collisions}: ML = {capacity}"
        cases.append((label, collisions <= Fraction(1, 2) and capacity == 4 * proposition(x, 4, 2)))
    return every(cases, "families with collision probability at most 1/g")


def _best_buckets(slack: Fraction) -> Finding:
    """How far g = ⌊e^ε + 3/2⌋ is off the least variance of rare values among g = 2, 3, …; at most by ``slack``.

    q(1 − q)/(p − q)² is (g − 1 + e^ε)²/((g − 1)(e^ε − 1)²), convex in g, least at g = e^ε + 1: its neighbours tell.
    """
    found, misplaced = [], []
    for epsilon in (Fraction(step, 200) for step in range(1, 801)):
        chosen = OLH(2, epsilon).buckets
        near = sorted({max(2, chosen + shift) for shift in (-2, -1, 1, 2)} - {chosen})
        more = excess(LH(2, epsilon, g=chosen), [LH(2, epsilon, g=g) for g in near], Fraction(0))
        found.append((more, f"ε = {float(epsilon)}, g = {chosen}"))
        if _in_a_gap(epsilon) != (more is not None):
            misplaced.append(f"ε = {float(epsilon)}")
    result = within_slack("g", found, slack)
    return Finding(False, f"not where it is said, at {misplaced[0]}") if misplaced else result


def _in_a_gap(epsilon: Fraction) -> bool:
    """Whether √(m(m + 1)) < e^ε < m + 1/2 for the whole part m of e^ε."""
    m = certain_floor(lambda: ball(epsilon).exp())
    return enclosed(lambda: ball(2 * epsilon).exp(), m * (m + 1), Fraction(2 * m + 1, 2) ** 2)[1]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "definition-6",
        "Def. 6, (23), V-C",
        "LH draws a hash function h of the values to g buckets and reports h with GRR over g values on h(x).",
        ENUMERATION,
        partial(_two_steps, 0),
        partial(_two_steps, 1),
        "GRR over g + 1 values",
    ),
    Claim(
        "equation-24",
        "(24), V-C",
        "LH[x, (h, y)] is e^ε/(e^ε + g − 1)/g^k where h(x) = y, else 1/(e^ε + g − 1)/g^k.",
        ENUMERATION,
        partial(_entries, lambda x, k, g: 1 / (x + g - 1) / g**k),
        partial(_entries, lambda x, k, g: 1 / (x + g) / g**k),
        "1/(e^ε + g)/g^k elsewhere",
    ),
    Claim(
        "equation-25",
        "(25), V-C",
        "The published success rate e^ε/((e^ε + g − 1) max(k/g, 1)) is not the success rate of LH in general.",
        ENUMERATION,
        partial(_differs, gursoy),
        partial(_differs, proposition),
        "(26) is not either",
    ),
    Claim(
        "proposition-1",
        "Prop. 1, (26), V-C",
        "ASR(LH) = (e^ε g^k + (g − 1)^k (1 − e^ε))/((e^ε + g − 1) k g^{k−1}), for ideal hashing.",
        ENUMERATION,
        partial(success_rate, proposition),
        partial(success_rate, gursoy),
        "(25)",
    ),
    Claim(
        "equation-27",
        "(27), V-C",
        "ML(LH) = k ASR(LH).",
        ENUMERATION,
        partial(_capacity, lambda x, k, g: k * proposition(x, k, g)),
        partial(_capacity, lambda x, k, g: g * proposition(x, k, g)),
        "g ASR(LH)",
    ),
    Claim(
        "hash-family",
        "“a universal hash family”, V-C",
        "(24) to (27) are about all g^k functions; a universal family of three functions has another capacity.",
        ENUMERATION,
        partial(_family, ideal=True),
        partial(_family, ideal=False),
        "for any universal family",
        "corrects",
    ),
    Claim(
        "olh-buckets",
        "“g minimises the variance”, V-C",
        "g = ⌊e^ε + 3/2⌋ is off the least variance of rare values by at most 2.1 %, and off at all where "
        "√(m(m + 1)) < e^ε < m + 1/2 for a whole m; checked for ε = 0.005(0.005)4.",
        "ball arithmetic",
        partial(_best_buckets, Fraction(21, 1000)),
        partial(_best_buckets, Fraction(0)),
        "it is the minimum",
        "corrects",
    ),
)
