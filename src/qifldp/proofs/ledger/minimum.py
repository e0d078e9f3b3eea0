"""VI-B on bits: the lattice of two secrets, and the minimum of SUE and OUE (Lemma 12, Cor. 2)."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product

from flint import arb

from qifldp.channels.channel import Channel
from qifldp.exact.fields import BALLS
from qifldp.proofs.checks import Decided, Later, Question, Together, Within
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.formulas import All, above, at_least
from qifldp.proofs.lemmas import MEANING, corollary_2, corollary_2_trivial
from qifldp.proofs.provers import Proved
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Term, bit_of, variables
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.lattice import join, meet


def _lattice(collapsed: bool) -> Finding:
    """Meet and join are bounds, and extreme among all bounds that are tried; or, altered, join ⊑ meet."""
    errors = ((1, 3), (2, 2), (3, 1), (1, 1), (3, 3))
    made = [Channel([[1 - Fraction(a, 8), Fraction(a, 8)], [Fraction(b, 8), 1 - Fraction(b, 8)]]) for a, b in errors]
    questions = []
    for first, second in product(made, repeat=2):
        low, high = meet(first, second).channel, join(first, second).channel
        questions += [Question(low, first), Question(low, second), Question(first, high), Question(second, high)]
        questions += [Question(c, low) for c in made if _all_hold(Question(c, first), Question(c, second))]
        questions += [Question(high, c) for c in made if _all_hold(Question(first, c), Question(second, c))]
        questions += [Question(high, low)] * collapsed
    return Decided(lambda: questions)()


def _all_hold(*questions: Question) -> bool:
    return Decided(lambda: questions)().holds


def _minimum_rows(s: Term) -> list[list[Term]]:
    """The 2 × 3 matrix of Lemma 12."""
    sue, oue = bit_of(SUE, s), bit_of(OUE, s)
    return [
        [1 - sue.alpha, sue.alpha - oue.alpha, oue.alpha],
        [sue.beta, 1 - sue.beta - (1 - oue.beta), 1 - oue.beta],
    ]


def _lemma_12(order: str) -> Proved:
    """The matrix is a channel whose columns come in the order of their ratios, so its curve is a concave hull."""
    (s,) = variables("s")
    zero, one = _minimum_rows(s)
    if order == "reversed":
        zero, one = zero[::-1], one[::-1]
    rising = [at_least(one[i + 1] * zero[i], one[i] * zero[i + 1]) for i in range(2)]
    goal = All([*(at_least(entry, 0) for entry in (*zero, *one)), *rising])
    words = (
        "Lemma 12: the matrix is a channel, and its columns come in the order of their likelihood ratios.\n"
        "The corners of its curve are those of SUE and OUE, so it is the greatest lower bound of both."
    )
    name = "lemma-12" + "-altered" * (order == "reversed")
    return Proved((Theorem(name, f"{words}\n{MEANING}", ("s",), [above(s, 1)], goal),))


def _minimum_merges() -> Finding:
    """Merging the last two columns gives SUE, the first two OUE; and the product's meet has the same matrix."""
    (s,) = variables("s")
    rows, sue, oue = _minimum_rows(s), bit_of(SUE, s).rows, bit_of(OUE, s).rows
    merged = [(row[0] - a[0], row[2] - b[1]) for row, a, b in zip(rows, sue, oue, strict=True)]
    sums = [row[0] + row[1] + row[2] - 1 for row in rows]
    zero = [*(entry for pair in merged for entry in pair), *sums]
    same = []
    for root in (Fraction(3, 2), Fraction(2), Fraction(5)):
        channels = [
            Channel([[x.at([root]) for x in row] for row in bit.rows]) for bit in (bit_of(SUE, s), bit_of(OUE, s))
        ]
        found = meet(*channels).channel.reduced().matrix.tolist()
        same.append(found == Channel([[x.at([root]) for x in row] for row in rows]).reduced().matrix.tolist())
    return every(
        [("merged columns", all(x.is_zero for x in zero)), ("meet at e^{ε/2} = 3/2, 2, 5", all(same))], "identities"
    )


def _minimum_one_hot(power: str) -> Proved:
    """The largest ratio of whole one-hot reports of the minimum: s(s² + 1)/2 > e^ε; or at most e^ε."""
    (s,) = variables("s")
    zero, one = _minimum_rows(s)
    largest = (one[2] / zero[2]) * (zero[0] / one[0])  # own bit 1 against 0, another bit the other way round
    exact = All([at_least(largest, s * (s**2 + 1) / 2), at_least(s * (s**2 + 1) / 2, largest)])
    goal = All([exact, above(largest, s**2)]) if power == "more" else at_least(s**2, largest)
    words = "One-hot reports of the minimum have a likelihood ratio of s (s^2 + 1)/2, more than e^epsilon."
    return Proved((Theorem(f"lemma-12-one-hot-{power}", f"{words}\n{MEANING}", ("s",), [above(s, 1)], goal),))


def _figure_3(sign: int) -> Within:
    """At ε = 2 the minimum has a column beyond the posteriors of SUE's bits, and one beyond those of OUE's.

    Its last column is that of OUE, its first that of SUE: their likelihood ratios are compared, in balls.
    """

    def ratio(kind: type[SUE | OUE], column: int) -> arb:
        p, q = kind(2, 2).support_probabilities(BALLS)
        return p / q if column else (1 - q) / (1 - p)

    def gap(column: int) -> arb:
        inner, outer = (SUE, OUE) if column else (OUE, SUE)
        return (sign if column else 1) * (ratio(outer, column) - ratio(inner, column))

    return Within(
        [
            ("last column, ratio of the minimum less that of SUE", partial(gap, 1), 0, None),
            ("first column, ratio of the minimum less that of OUE", partial(gap, 0), 0, None),
        ]
    )


def _three_outputs() -> Iterator[Question]:
    """From three outputs to two: max-case refinement holds, average-case does not."""
    original = Channel([["1/4", "11/16", "1/16"], ["1/16", "11/16", "1/4"]])
    refined = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    yield Question(original, refined, order="max")
    yield Question(original, refined, holds=False)


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "lattice",
        "“on 2 secrets refinement is a lattice”, VI-B",
        "Two channels on two secrets have a greatest lower and a least upper bound: proved for 25 pairs.",
        "certified refinement",
        partial(_lattice, collapsed=False),
        partial(_lattice, collapsed=True),
        "the least upper bound is refined to the greatest lower one",
    ),
    Claim(
        "lemma-12",
        "Lemma 12, VI-B",
        "The 2 × 3 matrix M_ε is the greatest lower bound of the bits of SUE and OUE, for every ε > 0.",
        "SMT",
        Together(Later(lambda: _lemma_12("rising")), _minimum_merges),
        Later(lambda: _lemma_12("reversed")),
        "columns in the reverse order of their ratios",
    ),
    Claim(
        "lemma-12-one-hot",
        "Lemma 12, one-hot, VI-B",
        "Lemma 12 is about bits: one-hot, M_ε is ln(e^{ε/2}(e^ε + 1)/2)-LDP, which is more than ε.",
        "SMT",
        Later(lambda: _minimum_one_hot("more")),
        Later(lambda: _minimum_one_hot("at-most")),
        "one-hot it is ε-LDP",
    ),
    Claim(
        "figure-3",
        "Fig. 3, VI-B",
        "At ε = 2 the minimum is refined to the bits of SUE and OUE (its columns merge into theirs, for every ε), and "
        "neither of these to it: it has a posterior beyond each one's.",
        "ball arithmetic",
        Together(_minimum_merges, Later(lambda: _figure_3(1))),
        Later(lambda: _figure_3(-1)),
        "SUE is the minimum",
    ),
    Claim(
        "corollary-2",
        "Cor. 2, VI-B",
        "Between 2 × 2 channels of any errors in [0, 1] average-case refinement (a witness exists) and max-case "
        "refinement (D's posteriors lie between C's) coincide; not so from a channel of three outputs.",
        "SMT",
        Together(Later(lambda: Proved((corollary_2(), corollary_2_trivial()))), Decided(_three_outputs)),
        Later(lambda: Proved((corollary_2(columns=(0,)),))),
        "one posterior of D between C's is enough",
    ),
)
