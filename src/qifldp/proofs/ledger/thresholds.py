"""VI-B: from which θ on OUE is refined to THE, for all ε (Lemma 10, (36) to (39))."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

from flint import arb

from qifldp.exact.balls import ball, certain_floor
from qifldp.proofs.checks import Later, Together, Within
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import Formula, Not, above, at_least, bit_refines, implies, same
from qifldp.proofs.lemmas import BUDGETS, bits, budget, corner_gap, domain, theorem
from qifldp.proofs.provers import Proved
from qifldp.proofs.terms import Term
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE

FORMULA_AT = ("0.1", "0.5", "0.8", "1", "2", "3", "5", "8", "16")
"""Budgets at which the formula of Lemma 10 is held against the bits."""


def threshold(epsilon: arb) -> arb:
    """Return the θ of Lemma 10: [2 ln(e^ε + 1 + (e^{ε/2} − 1)√(e^ε + 1)) − ε − 2 ln 2]/ε."""
    grown, root = epsilon.exp(), (epsilon / 2).exp()
    inner = grown + 1 + (root - 1) * (grown + 1).sqrt()
    return (2 * inner.log() - epsilon - 2 * ball(2).log()) / epsilon


def at(epsilon: str) -> Callable[[], arb]:
    """Return the threshold at an ε, as an expression for balls."""
    return lambda: threshold(ball(Fraction(epsilon)))


def _beyond(s: Term, u: Term, factor: int) -> list[Formula]:
    """U ≥ (s² + 1 + (s − 1)√(s² + 1))/(2s), without the root: 2su − s² − 1 ≥ 0 and its square ≥ (s − 1)²(s² + 1)."""
    edge = 2 * s * u - s**2 - 1
    return [at_least(edge, 0), at_least(factor * edge**2, (s - 1) ** 2 * (s**2 + 1))]


def _lemma_10(factor: int) -> Proved:
    """O_ε ⊑ T_{ε,θ} exactly from the threshold on; altered if the factor in the radicand is not 1."""
    s, u = budget()
    _, oue, the = bits(s, u)
    refined, (first, second) = bit_refines(original=oue, refined=the), _beyond(s, u, factor)
    title, times = ("Lemma 10", "") if factor == 1 else ("Altered Lemma 10", f"{factor} ")
    edge = "theta >= [2 ln(e^eps + 1 + (e^(eps/2) - 1) sqrt(e^eps + 1)) - eps - 2 ln 2]/eps"
    if factor != 1:
        edge = f"u >= (s^2 + 1 + (s - 1) sqrt((s^2 + 1)/{factor}))/(2 s)"
    where = f"(A) 2 s u - s^2 - 1 >= 0, (B) {times}(2 s u - s^2 - 1)^2 >= (s - 1)^2 (s^2 + 1); together:\n{edge}."
    parts = (
        ("where (A) and (B) hold, bits of OUE are refined to those of THE", implies(first, implies(second, refined))),
        ("where bits of OUE are refined to those of THE, (A) holds", implies(refined, first)),
        ("where bits of OUE are refined to those of THE, (B) holds", implies(refined, second)),
    )
    assumed, made = domain(s, u, positive=True), []
    for i, (says, part) in enumerate(parts[: 3 if factor == 1 else 1], start=1):
        words = f"{title}, part {i} of 3, {BUDGETS}:\n{says}.\n{where}"
        made.append(theorem(f"lemma-10-{i}", words, ("s", "u"), assumed, part))
    return Proved(tuple(made))


def _formula() -> Within:
    """The formula is where refinement begins: a billionth below the first of Lemma 1 (3) fails, a billionth above not.

    The bits are the product's, in balls, at each of these budgets; the formula in the theorem is the same without root.
    """
    rows: list[tuple[str, Callable[[], arb], object, object]] = []
    for epsilon in FORMULA_AT:
        floor = certain_floor(lambda e=epsilon: at(e)() * 10**9)  # type: ignore[misc]
        for step, least, most in ((0, None, 0), (1, 0, None)):
            theta = Fraction(floor + step, 10**9)
            gap = partial(corner_gap, OUE(2, epsilon), THE(2, epsilon, theta=theta), "first")
            rows.append((f"difference of β/(1 − α), ε = {epsilon}, θ = {float(theta)}", gap, least, most))
    return Within(rows)


def _quadratic(cross: int) -> Finding:
    """(e^ε + 1)² − 2e^{ε/2}(e^ε + 1) over 4: the discriminant 4e^{2ε} − 8e^{3ε/2} + c·e^ε − 8e^{ε/2} + 4, c = 8."""
    s, u = budget()
    _, oue, the = bits(s, u)
    # β_T/(1 − α_T) − β_O/(1 − α_O), brought over 2s²(2u − 1), is 2s u² − 2(s² + 1)u + s² + 1.
    form = 2 * s * u**2 - 2 * (s**2 + 1) * u + s**2 + 1
    brought = (the.beta / (1 - the.alpha) - oue.beta / (1 - oue.alpha)) * (2 * s**2 * (2 * u - 1))
    discriminant = (2 * (s**2 + 1)) ** 2 - 4 * (2 * s) * (s**2 + 1)
    written = 4 * s**4 - 8 * s**3 + cross * s**2 - 8 * s + 4
    factored = 4 * (s - 1) ** 2 * (s**2 + 1)
    steps = [
        ("the quadratic", brought - form),
        ("its discriminant", discriminant - written),
        ("factors", written - factored),
    ]
    return every([(label, difference.is_zero) for label, difference in steps], "identities in e^{ε/2} and e^{εθ/2}")


def _any_other_cross_term() -> Finding:
    others = [c for c in range(33) if c != 8]
    right = [c for c in others if _quadratic(c).holds]
    return Finding(bool(right), f"{right or 'none'} of the coefficients 0 to 32 but 8")


def _fixed_theta(half: bool, *, holds: bool) -> Proved:
    """At θ = ½ (u² = s) never, at θ = 1 (u = s) always, for ε > 0."""
    s, u = budget()
    _, oue, the = bits(s, u)
    refined = bit_refines(original=oue, refined=the)
    goal = refined if holds else Not(refined)
    assumed = [above(s, 1), above(u, 1), same(u * u, s) if half else same(u, s)]
    words = (
        f"{'Altered: ' * (half == holds)}At theta = {'1/2' if half else '1'} bits of OUE are refined to those of THE "
        f"for {'every' if holds else 'no'} epsilon > 0."
    )
    name = f"theta-{'half' if half else 'one'}-{'always' if holds else 'never'}"
    return Proved((theorem(name, words, ("s", "u"), assumed, goal),))


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "lemma-10",
        "Lemma 10, VI-B",
        "On bits, for ε > 0 and θ in [0, 1], O_ε ⊑ T_{ε,θ} exactly if "
        "θ ≥ [2 ln(e^ε + 1 + (e^{ε/2} − 1)√(e^ε + 1)) − ε − 2 ln 2]/ε.",
        "SMT",
        Together(Later(lambda: _lemma_10(1)), Later(_formula)),
        Later(lambda: _lemma_10(2)),
        "(s − 1)√((s² + 1)/2) in place of (s − 1)√(s² + 1), s = e^{ε/2}",
    ),
    Claim(
        "equations-36-39",
        "(36) to (39), proof of Lemma 10, -C",
        "The condition is 2s u² − 2(s² + 1)u + s² + 1 ≥ 0, s = e^{ε/2}, u = e^{εθ/2}, of discriminant "
        "4e^{2ε} − 8e^{3ε/2} + 8e^ε − 8e^{ε/2} + 4 = 4(e^{ε/2} − 1)²(e^ε + 1); what is printed in its place is not "
        "judged here.",
        "symbolic",
        partial(_quadratic, 8),
        _any_other_cross_term,
        "a cross term other than 8e^ε",
    ),
    Claim(
        "theta-half",
        "“for θ = 0.5 never”, VI-B",
        "At θ = 1/2 bits of OUE are refined to those of THE for no ε > 0.",
        "SMT",
        Later(lambda: _fixed_theta(half=True, holds=False)),
        Later(lambda: _fixed_theta(half=True, holds=True)),
        "for every ε",
    ),
    Claim(
        "theta-one",
        "“for θ = 1 always”, VI-B",
        "At θ = 1 bits of OUE are refined to those of THE for every ε > 0.",
        "SMT",
        Later(lambda: _fixed_theta(half=False, holds=True)),
        Later(lambda: _fixed_theta(half=False, holds=False)),
        "for none",
    ),
)
