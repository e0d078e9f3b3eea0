"""VI-A: families, trade-off points, Lemmas 1 and 2 (Def. 9 to 11, Theorem 1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise, product

from qifldp.channels.channel import Channel
from qifldp.leakage.capacity import max_case_capacity
from qifldp.leakage.tradeoff import trade_off
from qifldp.leakage.vulnerability import asr, posterior_vulnerability
from qifldp.proofs.checks import Decided, Later, Question, Together
from qifldp.proofs.claim import Claim, Finding, every, listed
from qifldp.proofs.formulas import All
from qifldp.proofs.lemmas import (
    BUDGETS,
    bits,
    budget,
    domain,
    error_bits,
    is_witness,
    lemma_1,
    lemma_1_any_errors,
    lemma_2,
    named,
    the_spends_less,
    theorem,
    whole_private,
    whole_ratio,
    witness,
)
from qifldp.proofs.provers import Proved
from qifldp.proofs.samples import gains, priors
from qifldp.proofs.terms import Bit, Term, variables
from qifldp.protocols.local_hashing import BLH, LH
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UnaryEncoding

THE_POINTS = ((Fraction(1, 2), 4), (Fraction(3, 4), 8), (Fraction(1), 16))
"""θ with u = e^{εθ/2} at e^ε = 256, s = 16, where the channel of THE is rational."""


def _largest_ratio() -> Finding:
    """The ρ of the theorems is the largest likelihood ratio in a column of the explicit channel, at k = 2 and 3."""
    sue, oue, the = bits(*budget())
    made: list[tuple[UnaryEncoding, Bit, int, int]] = []
    for k in (2, 3):
        made += [(THE(k, exp_epsilon=256, theta=theta), the, 16, power) for theta, power in THE_POINTS]
        for root in (2, 3, 16):
            made += [(SUE(k, exp_epsilon=root**2), sue, root, 1), (OUE(k, exp_epsilon=root**2), oue, root, 1)]
    cases = []
    for protocol, bit, root, power in made:
        found = whole_ratio(bit).at([Fraction(root), Fraction(power)])
        label = f"{protocol.spec}, k = {protocol.domain_size}: {found}"
        cases.append((label, found == max_case_capacity(protocol.channel())))
    return every(cases, "explicit channels, all columns and pairs of inputs")


def _whole_report(root: bool) -> Proved:
    """ρ ≤ e^ε for SUE, OUE and THE; or the altered ρ ≤ e^{ε/2}."""
    s, u, a, b = variables("s", "u", "a", "b")
    most = s if root else s**2
    goal = All([named(bit, a, b, partial(whole_private, most=most)) for bit in bits(s, u)])
    bound = "e^(epsilon/2)" if root else "e^epsilon"
    words = (
        f"{'Altered ' * root}Definition 9, {BUDGETS}:\n"
        f"whole reports of SUE, OUE and THE have likelihood ratios of at most {bound}, that is\n"
        f"(1 - b)(1 - a) <= {bound} b a for the errors a = q and b = 1 - p of each."
    )
    return Proved((theorem("definition-9", words, ("s", "u", "a", "b"), domain(s, u, positive=True), goal),))


Kind = tuple[str, Callable[[int, Fraction], BudgetedProtocol]]

FAMILIES: tuple[Kind, ...] = (
    ("GRR", GRR),
    ("SUE", SUE),
    ("OUE", OUE),
    ("BLH", BLH),
    ("THE with θ = 0.75", lambda k, epsilon: THE(k, epsilon, theta="0.75")),
)


def _families(forward: bool) -> Iterator[Question]:
    """Budgets 1 and 2 of every family: the larger is refined to the smaller, and not the other way."""
    made = [[make(k, Fraction(epsilon)) for epsilon in (2, 1)] for k, (_, make) in product((2, 5), FAMILIES)]
    made.append([SS(5, epsilon, omega=2) for epsilon in (2, 1)])
    for larger, smaller in made:
        yield Question(larger, smaller)
        yield Question(smaller, larger, holds=not forward)


KINDS: tuple[Kind, ...] = (
    ("GRR", lambda k, x: GRR(k, exp_epsilon=x)),
    ("SS with ω = k − 1", lambda k, x: SS(k, exp_epsilon=x, omega=k - 1)),
    ("SUE", lambda k, x: SUE(k, exp_epsilon=x)),
    ("OUE", lambda k, x: OUE(k, exp_epsilon=x)),
    ("BLH", lambda k, x: BLH(k, exp_epsilon=x)),
    ("LH with g = 3", lambda k, x: LH(k, exp_epsilon=x, g=3)),
    ("THE with θ = 1/2", lambda k, x: THE(k, exp_epsilon=x, theta="1/2")),
)

STEP_ENDS = tuple(Fraction(root) ** 4 for root in ("4/3", "3/2", "2", "4"))
"""Some e^ε of which e^{ε/2} and e^{ε/4} are rational, so that THE at θ = 1/2 is exact as well."""


def _loss_falls(sign: int) -> Finding:
    """Expected loss of best play, the largest gain minus the gain, falls with ε (or, as printed, grows)."""
    cases = []
    for (name, make), k, step in product(KINDS, (2, 3), pairwise(STEP_ENDS)):
        before, after = (make(k, x).channel() for x in step)
        for (i, prior), (j, wanted) in product(enumerate(priors(k)), enumerate(gains(k))):
            most = Fraction(max(wanted.peak(k)))
            losses = [most - posterior_vulnerability(channel, prior, wanted) for channel in (before, after)]
            label = f"{name}, k = {k}, prior {i + 1}, gain {j + 1}: expected losses {losses[0]}, then {losses[1]}"
            cases.append((label, sign * (losses[0] - losses[1]) >= 0))
    return every(cases, "cases of family, step of e^ε, prior and loss function")


def _one_loss() -> Finding:
    """OUE and GRR at k = 3, e^ε = 4: the loss of one guess is ordered, though neither is refined to the other."""
    first, second = OUE(3, exp_epsilon=4), GRR(3, exp_epsilon=4)
    losses = [1 - Fraction(asr(one.channel())) for one in (first, second)]
    questions = [Question(first, second, holds=False), Question(second, first, holds=False)]
    found = Decided(lambda: questions)()
    words = f"expected losses {losses[0]} and {losses[1]}; {found.detail}"
    return Finding(found.holds and losses[0] > losses[1], words)


def _trade_off_points(beyond: bool) -> Finding:
    """A channel's trade-off point (α, β) is where its curve bends, with α + β < 1 (or, altered, above 1)."""
    cases = []
    for a in range(1, 8):
        for b in range(1, 8):
            alpha, beta = Fraction(a, 8), Fraction(b, 8)
            if (alpha + beta > 1) if beyond else (alpha + beta < 1):
                curve = trade_off(Channel([[1 - alpha, alpha], [beta, 1 - beta]]))
                cases.append((f"α = {alpha}, β = {beta}", (curve.alpha[1], curve.beta[1]) == (alpha, beta)))
    return every(cases, "channels")


def _witness_formula(swapped: bool) -> Finding:
    """The closed form of W solves C·W = D, as identities in all four errors; C has an inverse, so nothing else does.

    The averaging gives the same W: entries are D's outer chances times λ and γ, over C's outer chances.
    """
    _, c, d = error_bits()
    target = Bit(d.beta, d.alpha) if swapped else d
    rows = [x - y for x, y in zip(is_witness(c, d), _constants(d, target), strict=True)]
    (keeps_0, errs_0), (errs_1, keeps_1) = c.rows
    inverse = keeps_0 * keeps_1 - errs_0 * errs_1 - (1 - c.alpha - c.beta)
    identities = [(f"row {i + 1}", x) for i, x in enumerate(rows)]
    identities += [("the determinant of C is 1 − α_C − β_C, above 0", inverse)]
    (_, first), (_, second) = _posteriors(c)
    (_, outer), _ = _posteriors(d)
    (share, _) = _averages(c, d)
    averaged = outer * share / first, outer * (1 - share) / second
    identities += [("the averaging gives W", w - v) for w, v in zip(witness(c, d), averaged, strict=True)]
    return every([(label, rest.is_zero) for label, rest in identities], "identities in α_C, β_C, α_D, β_D")


def _averages(c: Bit, d: Bit) -> list[Term]:
    """Return λ₁ and γ₁: the shares of C's first posterior in D's two."""
    (first, _), (second, _) = _posteriors(c)
    return [(x - second) / (first - second) for x, _ in _posteriors(d)]


def _averaging(*, misprint: bool) -> Finding:
    """λ and γ average C's posteriors to D's; times D's outer chances they are a channel's columns, the rows of W."""
    _, c, d = error_bits()
    (first, second), (third, fourth) = _posteriors(c), _posteriors(d)
    weights = _averages(c, d)
    outer = third[1], fourth[1]
    rows = [
        ("p_D λ₁ + q_D γ₁ = p_C", outer[0] * weights[0] + outer[1] * weights[1] - first[1]),
        ("p_D λ₂ + q_D γ₂ = q_C", outer[0] * (1 - weights[0]) + outer[1] * (1 - weights[1]) - second[1]),
        ("q_D γ₁ + q_D γ₂ = q_D", outer[1] * weights[1] + outer[1] * (1 - weights[1]) - outer[1]),
    ]
    other = outer[1] if misprint else outer[0]
    rows.append(
        (
            f"p_D λ₁ + {'q' if misprint else 'p'}_D λ₂ = p_D",
            outer[0] * weights[0] + other * (1 - weights[0]) - outer[0],
        )
    )
    return every([(label, rest.is_zero) for label, rest in rows], "identities in α_C, β_C, α_D, β_D")


def _posteriors(bit: Bit) -> list[tuple[Term, Term]]:
    """Return for both outputs the posterior of 0 under the uniform prior, and the output's chance."""
    zero, one = bit.rows
    return [(x / (x + y), (x + y) / 2) for x, y in zip(zero, one, strict=True)]


def _constants(d: Bit, target: Bit) -> list[Term]:
    return [d.alpha - target.alpha, target.beta - d.beta]


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "definition-9",
        "Def. 9, VI-A",
        "SUE, OUE and THE are ε-families: M_ε is ε-LDP for every ε > 0 and θ in [0, 1] "
        "(GRR, SS and LH have e^ε as a ratio outright).",
        "SMT",
        Together(_largest_ratio, Later(lambda: _whole_report(root=False))),
        Later(lambda: _whole_report(root=True)),
        "ε/2-LDP",
    ),
    Claim(
        "the-spends-less",
        "tight ε of THE, VI-A",
        "THE is ε′-LDP for some ε′ < ε: p(1 − q)/((1 − p)q) < e^ε for every ε > 0 and θ in [0, 1].",
        "SMT",
        Together(_largest_ratio, Later(lambda: Proved((the_spends_less(),)))),
        Later(lambda: Proved((the_spends_less(strictly=False),))),
        "it spends all of ε",
    ),
    Claim(
        "definition-10",
        "Def. 10, VI-A",
        "In a refinement family ε ≥ ε′ exactly when M_ε ⊑ M_ε′; the converse comes for free, since the tight ε grows "
        f"(checked at ε = 1 and 2: {listed(name for name, _ in FAMILIES)} at k = 2 and 5, SS with ω = 2 at k = 5).",
        "certified refinement",
        Decided(partial(_families, forward=True)),
        Decided(partial(_families, forward=False)),
        "M_ε′ ⊑ M_ε as well",
    ),
    Claim(
        "theorem-1",
        "Theorem 1, VI-A",
        "Along a refinement family every expected loss falls with ε (all gains rise): checked for "
        f"{listed(name for name, _ in KINDS)} over two and three values, in the steps from e^ε = "
        f"{' to '.join(map(str, STEP_ENDS))}, with three priors and six loss functions. One loss function alone does "
        "not tell: that of one guess is larger for OUE than for GRR over three values at e^ε = 4, and GRR ⋢ OUE ⋢ GRR.",
        "exact enumeration",
        Together(partial(_loss_falls, 1), _one_loss),
        partial(_loss_falls, -1),
        "expected loss grows with ε",
        "corrects",
    ),
    Claim(
        "definition-11",
        "Def. 11, VI-A",
        "(α, β) with α + β < 1 is the point where the trade-off curve of a channel on one bit bends.",
        "exact enumeration",
        partial(_trade_off_points, beyond=False),
        partial(_trade_off_points, beyond=True),
        "for α + β > 1",
    ),
    Claim(
        "lemma-1",
        "Lemma 1, VI-A",
        "On one bit (1) C ⊑ D, (2) D's posteriors lie in the hull of C's, (3) β_C/(1−α_C) ≤ β_D/(1−α_D) and "
        "(1−β_C)/α_C ≥ (1−β_D)/α_D are equivalent, for α_C + β_C < 1 and α_D + β_D ≤ 1.",
        "SMT",
        Later(lambda: Proved((lemma_1("1"), lemma_1("2")))),
        Later(lambda: Proved((lemma_1_any_errors(),))),
        "without α_D + β_D ≤ 1",
    ),
    Claim(
        "lemma-1-proof",
        "proof of Lemma 1, -C",
        "The averaging of posteriors is the only W with C·W = D, in closed form, as C has an inverse (α_C + β_C < 1).",
        "symbolic",
        partial(_witness_formula, swapped=False),
        partial(_witness_formula, swapped=True),
        "D with its errors exchanged",
    ),
    Claim(
        "lemma-1-averaging",
        "sums in the proof of Lemma 1, -C",
        "The weights λ, γ that average C's posteriors to D's satisfy p_D λ₁ + p_D λ₂ = p_D and q_D γ₁ + q_D γ₂ = q_D.",
        "symbolic",
        partial(_averaging, misprint=False),
        partial(_averaging, misprint=True),
        "p_D λ₁ + q_D λ₂ = p_D",
        "corrects",
    ),
    Claim(
        "lemma-2",
        "Lemma 2, VI-A",
        "α_C ≤ α_D and β_C ≤ β_D imply C ⊑ D, for α_C + β_C < 1 and α_D + β_D ≤ 1.",
        "SMT",
        Later(lambda: Proved((lemma_2(),))),
        Later(lambda: Proved((lemma_2(both=False),))),
        "without α_C ≤ α_D",
    ),
)
