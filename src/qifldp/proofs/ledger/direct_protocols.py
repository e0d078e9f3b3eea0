"""V-A and V-B: generalised randomised response and subset selection (Def. 4 and 5, (21), (22))."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import combinations, product

from qifldp.leakage.capacity import bayes_capacity
from qifldp.proofs.checks import excess, within_slack
from qifldp.proofs.claim import ENUMERATION, Claim, Finding, every
from qifldp.proofs.samples import LEVELS
from qifldp.protocols.subset_selection import GRR, SS

Entry = Callable[[Fraction, int], Fraction]


def _grr_entries(other: Entry) -> Finding:
    """Entries e^ε/(e^ε + k − 1) on the diagonal, ``other`` off it."""
    return every(
        (
            (
                f"k = {k}, e^ε = {x}",
                GRR(k, exp_epsilon=x).channel().matrix[i, j] == (x / (x + k - 1) if i == j else other(x, k)),
            )
            for k in range(2, 7)
            for x in LEVELS
            for i in range(k)
            for j in range(k)
        ),
        "entries",
    )


def _grr_capacity(formula: Entry) -> Finding:
    return every(
        (
            (f"k = {k}, e^ε = {x}", bayes_capacity(GRR(k, exp_epsilon=x).channel()) == formula(x, k))
            for k in range(2, 13)
            for x in LEVELS
        ),
        "channels, column maxima summed",
    )


def _example(exp_epsilon: int) -> Finding:
    wanted = [[Fraction(1, 2) if i == j else Fraction(1, 4) for j in range(3)] for i in range(3)]
    return every(
        [(f"e^ε = {exp_epsilon}", GRR(3, exp_epsilon=exp_epsilon).channel().matrix.tolist() == wanted)], "matrix"
    )


def _subset_protocols() -> Iterator[SS]:
    for k in range(2, 7):
        for x in LEVELS:
            yield from (SS(k, exp_epsilon=x, omega=omega) for omega in range(1, k))


def _procedure(p: SS, weight: Fraction) -> list[list[Fraction]]:
    """The three steps of Definition 5, all random choices gone through; ``weight`` is Pr[x is added]."""
    sets = list(combinations(range(p.domain_size), p.omega))
    rows = []
    for x in range(p.domain_size):
        others = [y for y in range(p.domain_size) if y != x]
        chance = dict.fromkeys(sets, Fraction(0))
        for added, size, part in ((True, p.omega - 1, weight), (False, p.omega, 1 - weight)):
            drawn = list(combinations(others, size))
            for members in drawn:
                chance[tuple(sorted((*members, x)) if added else members)] += part / len(drawn)
        rows.append(list(chance.values()))
    return rows


def _steps(weight: Callable[[Fraction, int, int], Fraction]) -> Finding:
    return every(
        (
            (
                f"k = {p.domain_size}, {p.spec}",
                p.channel().matrix.tolist() == _procedure(p, weight(x, p.omega, p.domain_size)),
            )
            for p in _subset_protocols()
            for x in [p.budget.exp_epsilon or Fraction(0)]
        ),
        "channels, the steps enumerated",
    )


def _weight(x: Fraction, omega: int, k: int) -> Fraction:
    return omega * x / (omega * x + k - omega)


def _ss_matrix(member: int, other: int) -> Finding:
    """Entries p/C(k−1, ω−member) and (1−p)/C(k−1, ω−other)."""
    cases = []
    for p in _subset_protocols():
        k, omega = p.domain_size, p.omega
        chance, matrix = _weight(p.budget.exp_epsilon or Fraction(0), omega, k), p.channel().matrix
        for j, chosen in enumerate(combinations(range(k), omega)):
            for i in range(k):
                inside, outside = math.comb(k - 1, omega - member), math.comb(k - 1, omega - other)
                wanted = chance / inside if i in chosen else (1 - chance) / outside if outside else None
                cases.append((f"k = {k}, {p.spec}", matrix[i, j] == wanted))
    return every(cases, "entries")


def _ss_example(omega: int) -> Finding:
    cases = []
    for x in LEVELS:
        p = 2 * x / (2 * x + 1)
        a, b = p / 2, 1 - p
        wanted = [[a, a, b], [a, b, a], [b, a, a]]
        cases.append((f"e^ε = {x}", SS(3, exp_epsilon=x, omega=omega).channel().matrix.tolist() == wanted))
    return every(cases, "matrices")


def _ss_capacity(formula: Callable[[Fraction, int, int], Fraction]) -> Finding:
    """ML, and that the second branch, a larger entry outside the set, never occurs."""
    cases = []
    for p in _subset_protocols():
        k, omega, x = p.domain_size, p.omega, p.budget.exp_epsilon or Fraction(0)
        chance = _weight(x, omega, k)
        first = chance / math.comb(k - 1, omega - 1) > (1 - chance) / math.comb(k - 1, omega)
        same = bayes_capacity(p.channel()) == formula(x, omega, k)
        cases.append((f"k = {k}, {p.spec}: ML = {bayes_capacity(p.channel())}", same and first))
    return every(cases, "channels, column maxima summed")


def _rounded_omega(slack: Fraction) -> Finding:
    """The variance at the rounded ω over the least, for k ≤ 120 and 25 budgets; the largest must be within slack."""
    found = []
    for k, step in product(range(2, 121), range(1, 26)):
        epsilon = Fraction(step, 5)
        chosen = SS(k, epsilon).omega
        near = sorted({max(1, min(k - 1, omega)) for omega in range(chosen - 2, chosen + 3)} - {chosen})
        others = [SS(k, epsilon, omega=omega) for omega in near]
        found.append((excess(SS(k, epsilon, omega=chosen), others, Fraction(1, k)), f"k = {k}, ε = {float(epsilon)}"))
    return within_slack("ω", found, slack)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "definition-4",
        "Def. 4, (21), V-A",
        "GRR reports the value with p = e^ε/(e^ε + k − 1), any other with q = 1/(e^ε + k − 1).",
        ENUMERATION,
        partial(_grr_entries, lambda x, k: 1 / (x + k - 1)),
        partial(_grr_entries, lambda x, k: 1 / (x + k)),
        "q = 1/(e^ε + k)",
    ),
    Claim(
        "grr-example",
        "R^{ln 2}, V-A",
        "At k = 3 and ε = ln 2 the channel of GRR has 1/2 on its diagonal and 1/4 elsewhere.",
        ENUMERATION,
        partial(_example, 2),
        partial(_example, 3),
        "at ε = ln 3",
    ),
    Claim(
        "equation-22",
        "(22), V-A",
        "ML(GRR) = k e^ε/(e^ε + k − 1).",
        ENUMERATION,
        partial(_grr_capacity, lambda x, k: k * x / (x + k - 1)),
        partial(_grr_capacity, lambda x, k: k * x / (x + k)),
        "k e^ε/(e^ε + k)",
    ),
    Claim(
        "definition-5",
        "Def. 5, V-B",
        "The steps of SS, with Pr[x is added] = ω e^ε/(ω e^ε + k − ω), give its channel.",
        ENUMERATION,
        partial(_steps, _weight),
        partial(_steps, lambda x, omega, k: x / (x + k - omega)),
        "Pr[x is added] = e^ε/(e^ε + k − ω)",
    ),
    Claim(
        "ss-channel",
        "SS channel matrix, V-B",
        "The entries of SS are p/C(k−1, ω−1) for members and (1 − p)/C(k−1, ω) for others.",
        ENUMERATION,
        partial(_ss_matrix, 1, 0),
        partial(_ss_matrix, 0, 1),
        "the binomials exchanged",
    ),
    Claim(
        "ss-example",
        "SS example, V-B",
        "At k = 3, ω = 2 the channel has p/2 for members and 1 − p for the other value, p = 2e^ε/(2e^ε + 1).",
        ENUMERATION,
        partial(_ss_example, 2),
        partial(_ss_example, 1),
        "ω = 1",
    ),
    Claim(
        "ss-capacity",
        "SS Bayes capacity, V-B",
        "ML(SS) = k p/ω = k e^ε/(ω e^ε + k − ω); members are always likelier than others, so there is one case only.",
        ENUMERATION,
        partial(_ss_capacity, lambda x, omega, k: k * x / (omega * x + k - omega)),
        partial(_ss_capacity, lambda x, omega, k: k * _weight(x, omega, k) / math.comb(k - 1, omega - 1)),
        "k p/C(k−1, ω−1)",
        "corrects",
    ),
    Claim(
        "ss-omega",
        "“ω minimises the variance”, V-B",
        "ω = max(1, ⌊k/(e^ε + 1) + 1/2⌋) is off the least variance of an average value (f = 1/k) by at most 2.6 %; "
        "checked for k ≤ 120, ε = 0.2(0.2)5, against two ω on either side.",
        "ball arithmetic",
        partial(_rounded_omega, Fraction(26, 1000)),
        partial(_rounded_omega, Fraction(0)),
        "it is the minimum",
        "corrects",
    ),
)
