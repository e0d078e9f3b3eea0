"""VI-B: remarks on the threshold of Lemma 10: its limit, its growth, and the place of ε = 0.8."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

from flint import arb, arb_series, ctx, fmpq, fmpq_mpoly, fmpq_poly, fmpz_poly

from qifldp.exact.balls import ball
from qifldp.proofs.checks import Later, Together, Within, shown_as
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import bit_refines
from qifldp.proofs.ledger.thresholds import at, threshold
from qifldp.proofs.lemmas import bits, budget, corner_gap
from qifldp.proofs.roots import PRECISION, roots_above_one, sign_changes
from qifldp.proofs.terms import Term, bit_of, variables
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE


def _limit(least: str, most: str) -> Finding:
    """θ(ε) → the ratio of the slopes of ln u₊ and ln s at s = 1, which is 1/√2; as a power series in h, s = 1 + h."""
    with ctx.workprec(PRECISION):
        s = arb_series([1, 1], 3)
        edge = (s * s + 1 + (s - 1) * (s * s + 1).sqrt()) / (2 * s)
        slope = edge.log().coeffs()[1] / s.log().coeffs()[1]
        near = [threshold(arb(10) ** -power) for power in (3, 6, 9)]
        inside = bool(
            slope > ball(Fraction(least)) and slope < ball(Fraction(most)) and slope.overlaps(1 / arb(2).sqrt())
        )
        falls = bool(near[0] > near[1] > near[2] > 1 / arb(2).sqrt())
    words = f"limit {slope.str(20, radius=False)}; θ(0.001) = {near[0].str(12, radius=False)}"
    return Finding(inside and falls, words)


def _at_zero(needs_threshold: bool) -> Finding:
    """At ε = 0, where s = 1 and u = 1 whatever θ is, bits of OUE are refined to those of THE (or not, as printed)."""
    s, u = budget()
    _, oue, the = bits(s, u)
    refined = bit_refines(original=oue, refined=the).holds_at({"s": Fraction(1), "u": Fraction(1)})
    trivial = all((bit.alpha + bit.beta).at([Fraction(1), Fraction(1)]) == 1 for bit in (oue, the))
    words = (
        "at ε = 0 both have α + β = 1, and OUE is refined to THE at every θ" if trivial and refined else "not trivial"
    )
    return Finding(trivial and refined != needs_threshold, words)


def _increasing(sign: int) -> Finding:
    """θ(ε) = f(t)/t with t = ln s, f = ln u₊, f(0) = 0: it grows (or, altered, falls), as g = t f′ − f is positive.

    With m = s + √(s² + 1) > 1 + √2: s = (m² − 1)/(2m), u₊ = (m² + 1)/(2(m + 1)), and d/dt = m(m² − 1)/(m² + 1) d/dm.
    g(0) = 0, and g′ = t f″ is first positive, then negative; g tends to 0, since f − t and t(f′ − 1) do.
    """
    (m,) = variables("m")
    s, edge = (m**2 - 1) / (2 * m), (m**2 + 1) / (2 * (m + 1))
    speed = m * (m**2 - 1) / (m**2 + 1)
    first = speed * edge.derivative("m") / edge
    second = speed * first.derivative("m")
    changes, signs = sign_changes(_whole(second.top))
    denominator, positive = sign_changes(_whole(second.bottom))
    beyond = [bool(root**2 - 2 * root - 1 > 0) for root, _ in changes]
    steps = [
        ("u₊ of Lemma 10", ((2 * s * edge - s**2 - 1) ** 2 - (s - 1) ** 2 * (s**2 + 1)).is_zero),
        ("d/dt ln s = 1", (speed * s.derivative("m") / s - 1).is_zero),
        ("f(0) = 0, where m² = 2m + 1", (_reduced(edge.top) - _reduced(edge.bottom)).is_zero()),
        ("denominator of f″", not denominator and positive == [1]),
        ("f″ changes its sign once, beyond ε = 0", beyond[-1:] == [True] and not any(beyond[:-1])),
        ("f″ is positive, then negative", signs[-2:] == [sign, -sign]),
        ("f − t → 0", _degree(edge / s - 1) < 0),
        ("t(f′ − 1) → 0", _degree(first - 1) < 0),
    ]
    return every(steps, "steps: f″ changes its sign once, g rises from 0 and falls to 0")


def _whole(polynomial: fmpq_mpoly) -> fmpz_poly:
    """Return a multiple of a polynomial of one variable by a positive number, with whole coefficients."""
    scale = math.lcm(*(int(coefficient.q) for coefficient in polynomial.coeffs()))
    whole = [0] * (polynomial.degrees()[0] + 1)
    for (power,), coefficient in polynomial.terms():
        whole[power] = int((coefficient * scale).p)
    return fmpz_poly(whole)


def _reduced(polynomial: fmpq_mpoly) -> fmpq_poly:
    """Return a polynomial of m modulo m² − 2m − 1, that is, at s = 1."""
    whole = [fmpq(0)] * (polynomial.degrees()[0] + 1)
    for (power,), coefficient in polynomial.terms():
        whole[power] = coefficient
    return fmpq_poly(whole) % fmpq_poly([-1, -2, 1])


def _degree(term: Term) -> int:
    """Return the degree of a rational function of one variable: negative if it vanishes at infinity."""
    return int(term.top.degrees()[0] - term.bottom.degrees()[0])


def _switch() -> tuple[arb, fmpz_poly]:
    """At θ = 4/5, with x = e^{ε/10}: the root of the quadratic of (37) in x above 1, where refinement ends."""
    (x,) = variables("x")
    s, u = x**5, x**4
    ((root, factor),) = roots_above_one(_whole((2 * s * u**2 - 2 * (s**2 + 1) * u + s**2 + 1).top))
    return root, factor


def _breaks(least: str, most: str) -> Finding:
    """The ε at which refinement at θ = 0.8 ends, enclosed, and certified on both sides over two values' bits."""
    root, factor = _switch()
    number = Within([("ε", lambda: 10 * root.log(), Fraction(least), Fraction(most))])()
    end = f"; ε = 10 ln x, x a root of an irreducible polynomial of degree {factor.degree()}"
    sides = [_bit_question("4/5", x) for x in ("1.0832", "1.0833")]
    return Finding(number.holds and sides == [True, False], number.detail + end)


def _bit_question(theta: str, x: str) -> bool:
    """Whether O ⊑ T at e^{ε/10} = x and θ = 4/5, exactly."""
    (term,) = variables("x")
    s, u = term**5, term**4
    assert theta == "4/5"
    return bit_refines(original=bit_of(OUE, s), refined=bit_of(THE, s, u)).holds_at({"x": Fraction(x)})


def _figure_2(refined: int, not_refined: int) -> Within:
    """At θ = 0.95: Lemma 1 (3) between the bits at one ε, its first inequality broken at another."""
    pair, other = ((OUE(2, e), THE(2, e, theta="0.95")) for e in (refined, not_refined))
    return Within(
        [
            (f"difference of β/(1 − α) at ε = {refined}", lambda: corner_gap(*pair, "first"), 0, None),
            (f"difference of α/(1 − β) at ε = {refined}", lambda: corner_gap(*pair, "second"), 0, None),
            (f"difference of β/(1 − α) at ε = {not_refined}", lambda: corner_gap(*other, "first"), None, 0),
            shown_as("θ(3)", at("3"), "0.9465"),
            shown_as("θ(5)", at("5"), "0.9853"),
        ]
    )


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "lemma-10-limit",
        "Lemma 10 at ε = 0, VI-B",
        "At ε = 0 both channels are trivial and any θ will do; 1/√2 is the limit of the threshold for ε → 0.",
        "ball arithmetic",
        Together(partial(_limit, "0.70710678118654", "0.70710678118655"), partial(_at_zero, needs_threshold=False)),
        partial(_at_zero, needs_threshold=True),
        "θ ≥ 1/√2 at ε = 0",
        "corrects",
    ),
    Claim(
        "threshold-increasing",
        "“θ is an increasing function of ε”, VI-B",
        "The threshold of Lemma 10 grows with ε.",
        "symbolic",
        partial(_increasing, 1),
        partial(_increasing, -1),
        "it falls",
    ),
    Claim(
        "threshold-at-0.8",
        "“ε = 0.8 produces θ ≥ 0.8”, VI-B",
        "At ε = 0.8 the threshold is 0.79999, rounded, a little below 0.8: as printed to two digits.",
        "ball arithmetic",
        Later(lambda: Within([shown_as("θ(0.8)", at("0.8"), "0.79999")])),
        Later(lambda: Within([shown_as("θ(0.8)", at("0.8"), "0.80000")])),
        "0.80000",
        "sharpens",
        printed=Later(lambda: Within([shown_as("θ(0.8)", at("0.8"), "0.80")])),
        stronger=Later(lambda: Within([("0.8 − θ(0.8)", lambda: ball(Fraction(4, 5)) - at("0.8")(), 0, None)])),
    ),
    Claim(
        "breaks-at-0.8",
        "“breaks for ε > 0.8”, VI-B",
        "At θ = 0.8 refinement of bits ends at ε = 0.80011, rounded: as printed to two digits.",
        "ball arithmetic",
        partial(_breaks, "0.800105", "0.800115"),
        partial(_breaks, "0.799995", "0.800005"),
        "at ε = 0.80000",
        "sharpens",
        printed=partial(_breaks, "0.795", "0.805"),
        stronger=Later(lambda: Within([("ε − 0.8", lambda: 10 * _switch()[0].log() - ball(Fraction(4, 5)), 0, None)])),
    ),
    Claim(
        "figure-2",
        "Fig. 2, VI-B",
        "At θ = 0.95 bits of OUE are refined to those of THE at ε = 3 (threshold 0.9465), and not at ε = 5 (0.9853).",
        "ball arithmetic",
        Later(lambda: _figure_2(3, 5)),
        Later(lambda: _figure_2(5, 3)),
        "the other way round",
    ),
)
