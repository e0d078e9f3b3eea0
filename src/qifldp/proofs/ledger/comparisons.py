"""VI-B on bits: SUE, OUE and THE against one another (Lemmas 9 and 11)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Literal

from flint import fmpq, fmpq_mat

from qifldp.channels.channel import Channel
from qifldp.proofs.checks import Decided, Later, Question, Together
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import All, Formula, Not, above, at_least, bit_refines, let, same
from qifldp.proofs.lemmas import BUDGETS, MEANING, bits, budget, domain, named, the_spends_less, theorem
from qifldp.proofs.provers import Proved
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Bit, Term, bit_of, variables
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE


def _private_bit(bit: Bit, most: Term) -> Formula:
    """All likelihood ratios of the bit are at most ``most``."""
    a, b = bit.alpha, bit.beta
    return All(
        [at_least(most * b, 1 - a), at_least(most * a, 1 - b), at_least(most * (1 - a), b), at_least(most * (1 - b), a)]
    )


def _half_private(name: Literal["SUE", "OUE"]) -> Proved:
    s, a, b = variables("s", "a", "b")
    bit = bit_of(SUE, s) if name == "SUE" else bit_of(OUE, s)
    words = (
        f"{'Altered: ' * (name == 'OUE')}{name} on bits, of errors a and b: all likelihood ratios are at most\n"
        "e^(epsilon/2), for every epsilon > 0."
    )
    goal = named(bit, a, b, partial(_private_bit, most=s))
    return Proved((theorem(f"half-dp-{name.lower()}", words, ("s", "a", "b"), [above(s, 1)], goal),))


def _half_private_the() -> Proved:
    """THE is ε/2-DP on bits, and OUE is not, for any ε > 0."""
    s, u = budget()
    _, oue, the = bits(s, u)
    goal = All([_private_bit(the, s), Not(_private_bit(oue, s))])
    words = f"On bits, THE is (epsilon/2)-DP and OUE is not, {BUDGETS}."
    return Proved((theorem("half-dp", words, ("s", "u"), domain(s, u, positive=True), goal),))


def _the_is_not() -> Proved:
    s, u = budget()
    goal = Not(_private_bit(bits(s, u)[2], s))
    words = f"Altered, as printed: THE is not (epsilon/2)-DP on bits, {BUDGETS}."
    return Proved((theorem("half-dp-the", words, ("s", "u"), domain(s, u, positive=True), goal),))


def _universal(allowed: int) -> Proved:
    """S_ε ⊑ D for every D on two secrets with likelihood ratios at most s^allowed, of any number of outputs.

    A column (a, b) of D is the bit of S_ε times one column (w, v) of W. Rows of D and of S_ε sum to one, and S_ε has an
    inverse, so rows of W sum to one too: W is a channel if no w or v is negative.
    """
    s, a, b, w, v = variables("s", "a", "b", "w", "v")
    (keeps_0, errs_0), (errs_1, keeps_1) = bit_of(SUE, s).rows
    room = keeps_0 * keeps_1 - errs_0 * errs_1
    values = (keeps_1 * a - errs_0 * b) / room, (keeps_0 * b - errs_1 * a) / room
    column = All([same(keeps_0 * w + errs_0 * v, a), same(errs_1 * w + keeps_1 * v, b)])
    goal = All([*(at_least(value, 0) for value in values), let(w, values[0], let(v, values[1], column))])
    assumed = [above(s, 1), at_least(s**allowed * b, a), at_least(s**allowed * a, b)]
    words = (
        f"{'Altered: ' * (allowed != 1)}SUE is refined to every channel on two secrets whose likelihood ratios are\n"
        f"at most s^{allowed}, for every epsilon > 0: a column (a, b) of it is the bit of SUE times a column (w, v)\n"
        "that is not negative. Rows of SUE and of the channel sum to one, so those of all w and v do."
    )
    return Proved((theorem(f"universal-{allowed}", words, ("s", "a", "b", "w", "v"), assumed, goal),))


def extreme_pairs() -> Iterator[tuple[Fraction, BudgetedProtocol, BudgetedProtocol]]:
    """Yield e^ε and two ε-DP protocols on three secrets."""
    for x in (Fraction(3, 2), Fraction(4), Fraction(20)):
        yield x, GRR(3, exp_epsilon=x), SS(3, exp_epsilon=x, omega=2)


def _three_secrets(expected: bool) -> Iterator[Question]:
    for _, first, second in extreme_pairs():
        yield Question(first, second, holds=expected)
        yield Question(second, first, holds=expected)


def is_extreme(channel: Channel, ratio: Fraction) -> bool:
    """Whether no other channel of likelihood ratios at most ``ratio`` is refined to this one.

    Columns of such channels make a cone, c_x ≤ ratio·c_x′ for all x and x′. If E·W = C, columns of C are sums of
    multiples of those of E; a column on an extreme ray (k − 1 independent inequalities are equations there) is a sum of
    its own multiples only. So W sends a column of E to columns of C on its own ray only, and all of it, as rows of W
    sum to one: with the columns of each ray merged, E is C.
    """
    k, columns = channel.domain_size, channel.matrix.T.tolist()
    if any(c[x] > ratio * c[y] for c in columns for x, y in permutations(range(k), 2)):
        return False
    return all(_rank([row for row in _bounds(k, ratio) if _dot(row, c) == 0]) == k - 1 for c in columns)


def _bounds(k: int, ratio: Fraction) -> list[list[Fraction]]:
    """Return the rows of the inequalities ratio·c_y − c_x ≥ 0."""
    return [[ratio * (z == y) - (z == x) for z in range(k)] for x, y in permutations(range(k), 2)]


def _dot(row: list[Fraction], column: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(row, column, strict=True)), Fraction(0))


def _rank(rows: list[list[Fraction]]) -> int:
    return int(fmpq_mat([[fmpq(x.numerator, x.denominator) for x in row] for row in rows]).rank()) if rows else 0


def _both_extreme() -> Finding:
    made = [(x, protocol) for x, *pair in extreme_pairs() for protocol in pair]
    return every(((f"{p.spec}, e^ε = {x}", is_extreme(p.channel(), x)) for x, p in made), "extreme channels")


def _lemma_9(*, positive: bool) -> Proved:
    (s,) = variables("s")
    sue, oue = bit_of(SUE, s), bit_of(OUE, s)
    goal = All([Not(bit_refines(original=sue, refined=oue)), Not(bit_refines(original=oue, refined=sue))])
    start = above(s, 1) if positive else at_least(s, 1)
    words = "Lemma 9: bits of SUE and OUE are incomparable, for every epsilon > 0."
    if not positive:
        words = "Altered Lemma 9: bits of SUE and OUE are incomparable, for every epsilon >= 0."
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
    first, second = ("THE", "SUE") if swapped else ("SUE", "THE")
    words = (
        f"{'Altered ' * swapped}Lemma 11: bits of {first} are refined to those of {second},\n"
        f"for every epsilon {'>' if strictly else '>='} 0 and theta in [0, 1]."
    )
    assumed = domain(s, u, positive=strictly)
    return Proved((theorem("lemma-11" + "-printed" * strictly, words, ("s", "u"), assumed, goal),))


def _lemma_11_small_theta() -> Proved:
    """Below θ = 1/2 too, which the printed form does not cover."""
    s, u = budget()
    sue, _, the = bits(s, u)
    words = "Lemma 11 below theta = 1/2: bits of SUE are refined to those of THE, for epsilon > 0 and 0 <= theta < 1/2."
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
        "On bits SUE is ε/2-DP, for every ε > 0.",
        "SMT",
        Later(lambda: _half_private("SUE")),
        Later(lambda: _half_private("OUE")),
        "OUE is",
    ),
    Claim(
        "universal-optimality",
        "universal optimality, VI-B",
        "On bits S_ε is refined to every ε/2-DP channel on two secrets, of any number of outputs, for every ε > 0.",
        "SMT",
        Later(lambda: _universal(1)),
        Later(lambda: _universal(2)),
        "to every ε-DP channel on two secrets",
    ),
    Claim(
        "no-optimum-above-two",
        "no unique optimum on > 2 secrets, VI-B",
        "On three secrets, at e^ε = 3/2, 4 and 20, no ε-DP channel is refined to every other: GRR and SS with ω = 2 "
        "are both ε-DP, and both extreme (their columns lie on extreme rays of the cone of ε-DP columns, so no other "
        "ε-DP channel is refined to one of them), and incomparable.",
        "certified refinement",
        Together(_both_extreme, Decided(partial(_three_secrets, expected=False))),
        Decided(partial(_three_secrets, expected=True)),
        "each is refined from the other",
    ),
    Claim(
        "the-half-epsilon",
        "“OUE, THE are not ε/2-DP on bits”, VI-B",
        "On bits THE is ε/2-DP (Laplace noise of scale 2/ε, sensitivity 1) and OUE is not, for every ε > 0 and θ in "
        "[0, 1].",
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
