"""How ε_k grows, beyond the paper: k/ln 2 − 2 < e^{ε_k/2} < k/ln 2 for every k ≥ 3."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from flint import arb

from qifldp.exact.balls import ball
from qifldp.exact.symbolic import Symbolic
from qifldp.proofs.checks import Later, Together, Within, enclosed
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import All, above, at_least, same
from qifldp.proofs.ledger.epsilon_k import LARGEST_CONDITION, thresholds
from qifldp.proofs.provers import Proved
from qifldp.proofs.roots import ANY_BUDGET, HALF_BUDGET, Threshold, mass
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Term, variables
from qifldp.protocols.unary_encoding import OUE, SUE

LARGEST_QUOTIENT = 20
"""Domain size up to which the logarithm in the theorems is held against the quotient, whose powers are linear in k."""

LEAST_LN_2, MOST_LN_2 = Fraction(693, 1000), Fraction(694, 1000)


def log_quotient(k: Term, v: Term, a: Term, b: Term) -> Term:
    """Return ln r for the quotient r of `one-condition` at w = 1: v = ln 2, a = ln(1 + 1/s²), b = ln(1 + 1/s)."""
    return v + (k - 1) * a - k * b


def _is_the_quotient() -> Finding:
    """Powers of 2, 1 + 1/s² and 1 + 1/s, with the coefficients of v, a and b, give μ_SUE[1]/μ_OUE[1]."""
    s: Symbolic = HALF_BUDGET.exponential(ANY_BUDGET, Fraction(1, 2))
    whole, cases = log_quotient(*variables("k", "v", "a", "b")), []
    for k in range(2, LARGEST_QUOTIENT + 1):
        twos, squares, ones = (whole.at([Fraction(k), *(Fraction(x == place) for x in range(3))]) for place in range(3))
        parts = ((s / s * 2, twos), ((s**2 + 1) / s**2, squares), ((s + 1) / s, ones))
        found = s / s
        for base, power in parts:
            found = found * base ** int(power) if power >= 0 else found / base ** int(-power)
        cases.append((f"k = {k}", HALF_BUDGET.equal(mass(SUE, k, 1) / mass(OUE, k, 1), found)))
    return every(cases, f"identities in e^(ε/2), k = 2..{LARGEST_QUOTIENT}")


def _logarithms() -> Finding:
    """0.693 < ln 2 < 0.694; and x − x²/2 ≤ ln(1 + x) ≤ x: both gaps are 0 at 0, their slopes x²/(1 + x), x/(1 + x)."""
    (x,) = variables("x")
    slopes = [1 / (1 + x) - (1 - x) - x**2 / (1 + x), 1 - 1 / (1 + x) - x / (1 + x)]
    inside = enclosed(lambda: ball(2).log(), LEAST_LN_2, MOST_LN_2)[1]
    return every([("slopes", all(rest.is_zero for rest in slopes)), ("ln 2", inside)], "facts about logarithms")


def _in_balls(low: Fraction, high: Fraction) -> Finding:
    """k/ln 2 − low < e^{ε_k/2} < k/ln 2 − high, in balls, for k = 3..20."""

    def distance(one: Threshold) -> arb:
        return one.domain_size / ball(2).log() - one.root

    return Within([(f"k/ln 2 − e^(ε_{t.domain_size}/2)", partial(distance, t), high, low) for t in thresholds()])()


MEANING = (
    "v = ln 2, a = ln(1 + 1/s^2), b = ln(1 + 1/s); by x - x^2/2 <= ln(1 + x) <= x, with < for x > 0.\n"
    "SUE is refined to OUE over k values at e^(epsilon/2) = s exactly if v + (k - 1) a - k b >= 0."
)


def below(slack: int = 0) -> Theorem:
    """Return e^{ε_k/2} < k/ln 2 − slack: ln r is positive there, for every k ≥ 3 (with slack: false)."""
    k, v, s, a, b = variables("k", "v", "s", "a", "b")
    assumed = [
        at_least(k, 3),
        above(v, 0),
        above(s, 0),
        at_least(a, 0),
        above(1 - s * b, 0),
        same(s * v, k - slack * v),
    ]
    place = f"Altered: At s = k/v - {slack}" if slack else "At s = k/v"
    words = f"{place} SUE is refined to OUE, for every k >= 3.\n{MEANING}"
    name = "epsilon-k-below" + "-altered" * bool(slack)
    return Theorem(name, words, ("k", "v", "s", "a", "b"), assumed, above(log_quotient(k, v, a, b), 0))


def beyond(distance: int = 2) -> Theorem:
    """Return e^{ε_k/2} > k/ln 2 − distance: ln r is negative there, for every k ≥ 4 (with distance 1: false)."""
    k, v, s, a, b = variables("k", "v", "s", "a", "b")
    assumed = [
        at_least(k, 4),
        at_least(v, LEAST_LN_2 * (v / v)),
        at_least(MOST_LN_2 * (v / v), v),
        same((s + distance) * v, k),
        at_least(1 - s**2 * a, 0),
        at_least(2 * s**2 * b, 2 * s - 1),
    ]
    place = f"{'Altered: ' * (distance != 2)}At s = k/v - {distance}, which is above 1,"
    words = f"{place} SUE is not refined to OUE, for every k >= 4.\n{MEANING}"
    goal = All([above(s, 1), above(-log_quotient(k, v, a, b), 0)])
    return Theorem("epsilon-k-beyond" + "-altered" * (distance != 2), words, ("k", "v", "s", "a", "b"), assumed, goal)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "epsilon-k-growth",
        "ε_k grows like 2 ln(k/ln 2), beyond VI-B",
        "k/ln 2 − 2 < e^{ε_k/2} < k/ln 2 for every k ≥ 3 (the lower bound at k = 3 in balls), if the condition of "
        f"w = 1 decides: that is checked at k = 2..{LARGEST_CONDITION} (`one-condition`), and its logarithm at "
        f"k = 2..{LARGEST_QUOTIENT}.",
        "SMT",
        Together(
            _is_the_quotient,
            _logarithms,
            partial(_in_balls, Fraction(2), Fraction(0)),
            Later(lambda: Proved((below(), beyond()))),
        ),
        Together(partial(_in_balls, Fraction(1), Fraction(0)), Later(lambda: Proved((beyond(1),)))),
        "k/ln 2 − 1 below",
    ),
)
