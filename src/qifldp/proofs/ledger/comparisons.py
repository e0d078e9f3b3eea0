"""VI-B on bits: SUE, OUE and THE against one another (Lemmas 9 and 11)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from qifldp.proofs.checks import Decided, Later, Question, Together
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import All, Formula, Not, above, at_least, bit_refines
from qifldp.proofs.lemmas import MEANING, bits, budget, domain, the_spends_less, theorem
from qifldp.proofs.provers import Proved
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Bit, Term, bit_of, variables
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE


def _private_bit(bit: Bit, most: Term) -> Formula:
    """All likelihood ratios of the bit are at most ``most``."""
    a, b = bit.alpha, bit.beta
    return All(
        [at_least(most * b, 1 - a), at_least(most * a, 1 - b), at_least(most * (1 - a), b), at_least(most * (1 - b), a)]
    )


def _half_private(name: str, which: int) -> Proved:
    s, u = budget()
    bit = bits(s, u)[which]
    words = f"{name} on bits: all likelihood ratios are at most e^(epsilon/2)."
    return Proved(
        (theorem(f"half-dp-{name.lower()}", words, ("s", "u"), domain(s, u, positive=True), _private_bit(bit, s)),)
    )


def _half_private_the() -> Proved:
    """THE is ε/2-DP on bits, and OUE is not, for any ε > 0."""
    s, u = budget()
    _, oue, the = bits(s, u)
    goal = All([_private_bit(the, s), Not(_private_bit(oue, s))])
    words = "On bits, THE is (epsilon/2)-DP and OUE is not, for every epsilon > 0 and theta."
    return Proved((theorem("half-dp", words, ("s", "u"), domain(s, u, positive=True), goal),))


def _the_is_not() -> Proved:
    s, u = budget()
    goal = Not(_private_bit(bits(s, u)[2], s))
    words = "As printed: THE is not (epsilon/2)-DP on bits."
    return Proved((theorem("half-dp-the", words, ("s", "u"), domain(s, u, positive=True), goal),))


def _universal(allowed: int) -> Proved:
    """S_ε ⊑ D for every bit D with likelihood ratios at most s^allowed, α + β ≤ 1."""
    s, a, b = variables("s", "a", "b")
    assumed = [above(s, 1), at_least(a, 0), at_least(b, 0), at_least(1 - a - b, 0)]
    assumed += [at_least(s**allowed * b, 1 - a), at_least(s**allowed * a, 1 - b)]
    goal = bit_refines(original=bit_of(SUE, s), refined=Bit(a, b))
    words = f"SUE is refined to every channel of one bit whose likelihood ratios are at most s^{allowed}."
    made = theorem(f"universal-{allowed}", words, ("s", "a", "b"), assumed, goal, immediate=allowed == 1)
    return Proved((made,))


def _three_secrets(expected: bool) -> Iterator[Question]:
    """Two ε-DP channels on three secrets, both extreme: neither is refined from the other."""
    for x in (Fraction(3, 2), Fraction(4), Fraction(20)):
        pair = GRR(3, exp_epsilon=x), SS(3, exp_epsilon=x, omega=2)
        yield Question(*pair, holds=expected)
        yield Question(*pair[::-1], holds=expected)


def _lemma_9(*, positive: bool) -> Proved:
    (s,) = variables("s")
    sue, oue = bit_of(SUE, s), bit_of(OUE, s)
    goal = All([Not(bit_refines(original=sue, refined=oue)), Not(bit_refines(original=oue, refined=sue))])
    start = above(s, 1) if positive else at_least(s, 1)
    words = "Lemma 9: bits of SUE and OUE are incomparable" + ("." if positive else ", at epsilon = 0 too (altered).")
    return Proved((Theorem("lemma-9" + "-altered" * (not positive), f"{words}\n{MEANING}", ("s",), [start], goal),))


def _lemma_9_proof(power: int) -> Finding:
    """β_O/(1 − α_O) − β_S/(1 − α_S) = (s − 1)²/(2s²), s = e^{ε/2}; altered: over another power of s."""
    (s,) = variables("s")
    sue, oue = bit_of(SUE, s), bit_of(OUE, s)
    rest = oue.beta / (1 - oue.alpha) - sue.beta / (1 - sue.alpha) - (s - 1) ** 2 / (2 * s**power)
    return every([(f"it is off by {rest}", rest.is_zero)], "identity in e^{ε/2}")


def _lemma_11(*, swapped: bool = False, strictly: bool = False) -> Proved:
    s, u = budget()
    sue, _, the = bits(s, u)
    pair = (the, sue) if swapped else (sue, the)
    goal = bit_refines(original=pair[0], refined=pair[1])
    words = "Lemma 11: bits of SUE are refined to those of THE, for every epsilon and theta in [0, 1]."
    assumed = domain(s, u, positive=strictly, any_theta=True)
    return Proved((theorem("lemma-11" + "-printed" * strictly, words, ("s", "u"), assumed, goal),))


def _lemma_11_small_theta() -> Proved:
    """Below θ = 1/2 too, which the printed form does not cover."""
    s, u = budget()
    sue, _, the = bits(s, u)
    words = "Lemma 11 for theta below 1/2: bits of SUE are refined to those of THE."
    assumed = [above(s, 1), at_least(u, 1), above(s - u * u, 0)]
    goal = bit_refines(original=sue, refined=the)
    return Proved((theorem("lemma-11-small-theta", words, ("s", "u"), assumed, goal),))


def _lemma_11_proof(corrected: bool) -> Finding:
    """β_T/(1 − α_T) − β_S/(1 − α_S) = (e^{εθ/2} − 1)²/(d (2 − e^{−εθ/2})), d = e^{ε(1±θ)/2}."""
    s, u = budget()
    sue, _, the = bits(s, u)
    difference = the.beta / (1 - the.alpha) - sue.beta / (1 - sue.alpha)
    power = s * u if corrected else s / u
    rest = difference - (u - 1) ** 2 / (power * (2 - 1 / u))
    return every([(f"the difference is {difference}", rest.is_zero)], "identity in e^{ε/2} and e^{εθ/2}")


def _the_first(holds: bool) -> Iterator[Question]:
    for k, epsilon, theta in product((2, 3, 10, 50), ("0.1", 1, 4, 10), ("0.5", "0.75", "1")):
        yield Question(SUE(k, epsilon), THE(k, epsilon, theta=theta), holds=holds)
        yield Question(THE(k, epsilon, theta=theta), SUE(k, epsilon), holds=not holds)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "sue-half-epsilon",
        "“the SUE channel is ε/2-DP”, VI-B",
        "On bits SUE is ε/2-DP.",
        "SMT",
        Later(lambda: _half_private("SUE", 0)),
        Later(lambda: _half_private("OUE", 1)),
        "OUE is",
    ),
    Claim(
        "universal-optimality",
        "universal optimality, VI-B",
        "On bits S_ε is refined to every ε/2-DP channel of one bit.",
        "SMT",
        Later(lambda: _universal(1)),
        Later(lambda: _universal(2)),
        "to every ε-DP channel of one bit",
    ),
    Claim(
        "no-optimum-above-two",
        "no unique optimum on > 2 secrets, VI-B",
        "On three secrets GRR and SS with ω = 2, both ε-DP, are incomparable at e^ε = 3/2, 4 and 20.",
        "certified refinement",
        Decided(partial(_three_secrets, expected=False)),
        Decided(partial(_three_secrets, expected=True)),
        "each is refined from the other",
    ),
    Claim(
        "the-half-epsilon",
        "“OUE, THE are not ε/2-DP on bits”, VI-B",
        "On bits THE is ε/2-DP (Laplace noise of scale 2/ε, sensitivity 1) and OUE is not.",
        "SMT",
        Later(_half_private_the),
        Later(_the_is_not),
        "THE is not",
        "corrects",
    ),
    Claim(
        "lemma-9",
        "Lemma 9, VI-B",
        "On bits S_ε ⋢ O_ε and O_ε ⋢ S_ε for every ε > 0.",
        "SMT",
        Later(lambda: _lemma_9(positive=True)),
        Later(lambda: _lemma_9(positive=False)),
        "for ε = 0 too",
    ),
    Claim(
        "lemma-9-proof",
        "proof of Lemma 9, -C",
        "β_O/(1−α_O) − β_S/(1−α_S) = (e^{ε/2} − 1)²/(2e^ε) ≥ 0.",
        "symbolic",
        partial(_lemma_9_proof, 2),
        partial(_lemma_9_proof, 1),
        "2e^{ε/2} in the denominator",
    ),
    Claim(
        "lemma-11",
        "Lemma 11, VI-B",
        "On bits S_ε ⊑ T_{ε,θ} for every ε ≥ 0 and every θ in [0, 1].",
        "SMT",
        Later(_lemma_11),
        Later(lambda: _lemma_11(swapped=True)),
        "T ⊑ S",
        "sharpens",
        printed=Later(lambda: _lemma_11(strictly=True)),
        stronger=Later(_lemma_11_small_theta),
    ),
    Claim(
        "lemma-11-proof",
        "proof of Lemma 11, -C",
        "β_T/(1−α_T) − β_S/(1−α_S) = (e^{εθ/2} − 1)²/(e^{ε(1+θ)/2}(2 − e^{−εθ/2})) ≥ 0.",
        "symbolic",
        partial(_lemma_11_proof, corrected=True),
        partial(_lemma_11_proof, corrected=False),
        "e^{ε(1−θ)/2} in the denominator",
        "corrects",
    ),
    Claim(
        "sue-refines-the",
        "“SUE refines THE”, VII-B",
        "THE refines SUE, that is SUE ⊑ THE, by Lemma 11 with Lemma 4; and for no ε > 0 the other way round, as THE "
        "spends less than ε (`the-spends-less`) and SUE all of it; whole protocols checked at k = 2, 3, 10, 50, "
        "ε = 0.1, 1, 4, 10, θ = 0.5, 0.75, 1.",
        "SMT",
        Together(
            Later(_lemma_11), Later(lambda: Proved((the_spends_less(),))), Decided(partial(_the_first, holds=True))
        ),
        Decided(partial(_the_first, holds=False)),
        "SUE refines THE",
        "corrects",
    ),
)
