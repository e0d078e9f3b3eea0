"""SUE against OUE on whole protocols (Lemma 9): the ε_k from which SUE ⊑ OUE, beyond the paper."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache, partial
from itertools import product

from flint import fmpz_poly

from qifldp.exact.symbolic import Symbolic
from qifldp.proofs.checks import Decided, Later, Question, Together, enclosed, rounds_to
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import All, above, at_least, implies
from qifldp.proofs.provers import Proved
from qifldp.proofs.roots import (
    ANY_BUDGET,
    HALF_BUDGET,
    Threshold,
    mass,
    numerator,
    roots_above_one,
    sign_changes,
    text,
    threshold,
)
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Term, variables
from qifldp.protocols.unary_encoding import OUE, SUE

LARGEST = 20
"""Domain size up to which ε_k is isolated, with the conditions of all sizes."""

LARGEST_CONDITION, LARGEST_END = 12, 40
"""Domain sizes up to which the conditions of all sizes are one, and the ends of its quotient are as they are said."""


DIGITS = 60
"""Decimals of ε_k that its ball has to give."""


@cache
def thresholds() -> tuple[Threshold, ...]:
    """Return ε_k for k = 3, 4, … up to the largest."""
    return tuple(threshold(k) for k in range(3, LARGEST + 1))


def _two_values(swapped: bool) -> Finding:
    """μ_SUE[1] ≥ μ_OUE[1] at k = 2 for every s > 1: the numerator of the difference has no root above 1."""
    difference = mass(SUE, 2, 1) - mass(OUE, 2, 1)
    polynomial = numerator(-difference if swapped else difference)
    found, signs = sign_changes(polynomial)
    return Finding(not found and signs == [1], f"k = 2: {text(polynomial)} has the signs {signs} for s = e^(ε/2) > 1")


def _three_values() -> Finding:
    """At k = 3: ε_3, from which on SUE ⊑ OUE and below which not; and μ_OUE[2] < μ_SUE[2] for every s > 1."""
    epsilon = thresholds()[0]
    changes, signs = sign_changes(numerator(mass(SUE, 3, 2) - mass(OUE, 3, 2)))
    rounded = enclosed(lambda: epsilon.epsilon, *rounds_to("1.956"))[1]
    cases = [("ε_3 = 1.956, rounded", rounded), ("OUE ⋢ SUE for every ε > 0", not changes and signs == [1])]
    return every(cases, f"facts at k = 3: SUE ⊑ OUE exactly from ε_3 = {epsilon.decimals(10)} on, and OUE ⋢ SUE")


def _incomparable() -> Iterator[Question]:
    """As printed: neither protocol is refined from the other."""
    for k, epsilon in product((2, 3), (1, 2, 4)):
        yield Question(SUE(k, epsilon), OUE(k, epsilon), holds=False)
        yield Question(OUE(k, epsilon), SUE(k, epsilon), holds=False)


def _whole_protocols() -> Iterator[Question]:
    for epsilon in ("0.01", 1, 2, 30):
        yield Question(SUE(2, epsilon), OUE(2, epsilon))
        yield Question(SUE(3, epsilon), OUE(3, epsilon), holds=epsilon in (2, 30))
        yield Question(OUE(3, epsilon), SUE(3, epsilon), holds=False)


def _sides(shift: Fraction) -> Iterator[Question]:
    """A millionth above ε_k SUE is refined to OUE, below it is not (or both shifted, altered)."""
    for one in thresholds():
        for epsilon, holds in zip(one.sides(6), (False, True), strict=True):
            k, budget = one.domain_size, epsilon + shift
            yield Question(SUE(k, budget), OUE(k, budget), holds=holds)


def quotient(k: int) -> tuple[fmpz_poly, fmpz_poly]:
    """Return 2(s² + 1)^{k−1} and s^{k−2}(s + 1)^k, the quotient of which decides."""
    s = fmpz_poly([0, 1])
    return 2 * (s**2 + 1) ** (k - 1), s ** (k - 2) * (s + 1) ** k


def closed_polynomial(k: int) -> fmpz_poly:
    """Return 2(s² + 1)^{k−1} − s^{k−2}(s + 1)^k, of which s_k is the only root above 1."""
    top, bottom = quotient(k)
    return top - bottom


def _is_the_only_root(one: Threshold) -> bool:
    """Whether the closed polynomial has one root above 1, counted by isolating all its roots, and it is s_k.

    Two roots of one irreducible polynomial that are both its only one above 1 are one root.
    """
    found = roots_above_one(closed_polynomial(one.domain_size))
    own = roots_above_one(one.polynomial)
    return [factor for _, factor in found] == [factor for _, factor in own] == [one.polynomial]


def _isolated(shift: Fraction) -> Finding:
    decided = Decided(partial(_sides, shift))()
    if not decided.holds:
        return decided
    sharp = every(
        ((f"k = {t.domain_size}", t.sides(DIGITS) and _is_the_only_root(t)) for t in thresholds()),
        f"roots to {DIGITS} decimals, each the only one above 1 of 2(s² + 1)^(k−1) − s^(k−2) (s + 1)^k",
    )
    balls = ", ".join(f"ε_{t.domain_size} = {t.decimals(30, radius=True)}" for t in thresholds())
    return Finding(sharp.holds, f"{sharp.detail}; {decided.detail}; {balls}")


def _one_condition(shift: int) -> Finding:
    """μ_SUE[w]/μ_OUE[w] = 2(s² + 1)^{k−1}/(s^{k−1−w}(s + 1)^k): the same for all w but for a power of s > 1."""
    s: Symbolic = HALF_BUDGET.exponential(ANY_BUDGET, Fraction(1, 2))
    cases = []
    for k in range(2, LARGEST_CONDITION + 1):
        for w in range(1, k):
            wanted = 2 * (s**2 + 1) ** (k - 1) / (s ** (k - 1 - w + shift) * (s + 1) ** k)
            cases.append((f"k = {k}, w = {w}", HALF_BUDGET.equal(mass(SUE, k, w) / mass(OUE, k, w), wanted)))
    return every(cases, f"identities in e^(ε/2), k = 2..{LARGEST_CONDITION}")


def _slope(k: Term, s: Term) -> Term:
    """The numerator of d/ds ln[2(s² + 1)^{k−1}/(s^{k−2}(s + 1)^k)] over s(s + 1)(s² + 1)."""
    return k * s**2 - 2 * (k - 1) * s - (k - 2)


def _derivative() -> Finding:
    """The logarithmic derivative is the quadratic over a positive denominator."""
    k, s = variables("k", "s")
    whole = 2 * (k - 1) * s / (s**2 + 1) - (k - 2) / s - k / (s + 1)
    rest = whole - _slope(k, s) / (s * (s + 1) * (s**2 + 1))
    return every([("the derivative", rest.is_zero)], "logarithmic derivative, for all k")


def _ends(limit: int) -> Finding:
    """The quotient 2(s² + 1)^{k−1}/(s^{k−2}(s + 1)^k) is 1 at s = 1, and 2 (``limit``) at infinity."""
    cases = []
    for k in range(2, LARGEST_END + 1):
        top, bottom = quotient(k)
        tends = top.degree() == bottom.degree() and top.coeffs()[-1] == limit * bottom.coeffs()[-1]
        cases.append((f"k = {k}", top(1) == bottom(1) and tends))
    return every(cases, f"quotients, 1 at s = 1 and 2 at infinity, k = 2..{LARGEST_END}")


def _one_crossing(smallest: int) -> Proved:
    """The quotient is 1 at s = 1, falls, then rises to 2: so it is 1 once more, for every k ≥ 3."""
    k, s, t = variables("k", "s", "t")
    assumed = [at_least(k, smallest), at_least(s, 1), above(t, s)]
    goal = All([above(0 * k, _slope(k, k / k)), implies(at_least(_slope(k, s), 0), above(_slope(k, t), 0))])
    words = (
        f"{'Altered, for' if smallest < 3 else 'For'} all k >= {smallest} and t > s >= 1:\n"
        "k s^2 - 2 (k - 1) s - (k - 2), the sign of the slope of r(s) = 2 (s^2 + 1)^(k-1)/(s^(k-2) (s + 1)^k), is\n"
        "negative at s = 1; where it is not negative at s, it is positive at t.\n"
        "SUE against OUE over k values at one epsilon: r >= 1 decides; r(1) = 1, and r tends to 2. So r would cross 1\n"
        "exactly once: at s = e^(epsilon_k/2)."
    )
    name = "epsilon-k-once" + "-altered" * (smallest < 3)
    return Proved((Theorem(name, words, ("k", "s", "t"), assumed, goal),))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "lemma-9-protocols",
        "“neither protocol refines the other”, Lemma 9 and VII-B",
        "Of whole protocols this is false: SUE ⊑ OUE for every ε at k = 2, and exactly from ε_3 = 1.956, rounded, on "
        "at k = 3; OUE ⋢ SUE at k = 3 for every ε > 0.",
        "symbolic",
        Together(partial(_two_values, swapped=False), _three_values, Decided(_whole_protocols)),
        Decided(_incomparable),
        "neither is refined from the other",
        "corrects",
    ),
    Claim(
        "two-values",
        "k = 2, VI-B",
        "Over two values SUE ⊑ OUE for every ε > 0.",
        "symbolic",
        partial(_two_values, swapped=False),
        partial(_two_values, swapped=True),
        "OUE ⊑ SUE",
    ),
    Claim(
        "epsilon-k",
        "ε_k, beyond VI-B",
        f"For k = 3..{LARGEST}, SUE ⊑ OUE exactly for ε ≥ ε_k = 2 ln s_k, s_k the only root above 1 of "
        "2(s² + 1)^{k−1} − s^{k−2}(s + 1)^k.",
        "symbolic",
        partial(_isolated, Fraction(0)),
        partial(_isolated, Fraction(-2, 10**6)),
        "ε_k smaller by two millionths",
    ),
    Claim(
        "one-condition",
        "ε_k, all sizes, beyond VI-B",
        "μ_SUE[w]/μ_OUE[w] = 2(s² + 1)^{k−1}/(s^{k−1−w}(s + 1)^k), s = e^{ε/2}: "
        f"so the condition of w = 1 implies all others (k = 2..{LARGEST_CONDITION}).",
        "symbolic",
        partial(_one_condition, 0),
        partial(_one_condition, 1),
        "one more power of s",
    ),
    Claim(
        "epsilon-k-once",
        "ε_k for every k, beyond VI-B",
        "For every k ≥ 3 there is one ε_k > 0 such that SUE ⊑ OUE exactly for ε ≥ ε_k. Proved for every k: that the "
        "quotient of `one-condition` at w = 1 falls, then rises. Checked at instances only: that it decides "
        f"(k = 2..{LARGEST_CONDITION}), and its ends, 1 and 2 (k = 2..{LARGEST_END}).",
        "SMT",
        Together(partial(_ends, 2), _derivative, Later(lambda: _one_crossing(3))),
        Later(lambda: _one_crossing(2)),
        "for k = 2 too",
    ),
)
