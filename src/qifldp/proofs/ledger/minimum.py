"""VI-B on bits: the lattice of two secrets, and the minimum of SUE and OUE (Lemma 12, Cor. 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise, product
from typing import TypeAlias

from flint import arb

from qifldp.channels.channel import Channel
from qifldp.exact.fields import BALLS
from qifldp.leakage.tradeoff import trade_off
from qifldp.proofs.checks import Decided, Later, Question, Together, Within
from qifldp.proofs.claim import Claim, Finding, UncheckedError, every
from qifldp.proofs.formulas import All, above, at_least, let, same
from qifldp.proofs.lemmas import MEANING, corollary_2, corollary_2_trivial
from qifldp.proofs.provers import Proved
from qifldp.proofs.smt import Theorem
from qifldp.proofs.terms import Term, bit_of, variables
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.lattice import join, meet

Bounding: TypeAlias = Callable[[Channel, Channel], Channel]
"""Gives a bound of two channels."""


def eighths(alpha: int, beta: int) -> Channel:
    """Return the channel of one bit with errors α and β in eighths."""
    a, b = Fraction(alpha, 8), Fraction(beta, 8)
    return Channel([[1 - a, a], [b, 1 - b]])


ERRORS = ((1, 3), (2, 2), (3, 1), (1, 1), (3, 3))
"""In eighths; some of these channels are refined to others, some are incomparable."""


def _lattice(lowest: Bounding, highest: Bounding) -> Finding:
    """The bounds are bounds, by certificates, and extreme among all: by (13) a bound's curve is on one side of both.

    No convex curve below both is above the lower one where all its corners are points of the two curves; none above
    both is below the larger of the two.
    """
    questions, extreme = [], []
    for errors in product(ERRORS, repeat=2):
        first, second = (eighths(*one) for one in errors)
        low, high = lowest(first, second), highest(first, second)
        questions += [Question(low, first), Question(low, second), Question(first, high), Question(second, high)]
        curves = [_curve(channel) for channel in (first, second)]
        touches = all(b == min(_at(curve, a) for curve in curves) for a, b in _curve(low))
        label = f"errors (α, β) of {errors[0]}/8 and {errors[1]}/8"
        extreme += [(f"the lower bound of {label}", touches)]
        extreme += [(f"the upper bound of {label}", _is_larger(_curve(high), *curves))]
    bounds, ends = Decided(lambda: questions)(), every(extreme, "bounds with the extreme trade-off curve")
    return Finding(bounds.holds and ends.holds, f"{bounds.detail}; {ends.detail}")


def _curve(channel: Channel) -> list[tuple[Fraction, Fraction]]:
    """Return the points (α, β) of the trade-off curve, the least β of each α, α increasing."""
    found = trade_off(channel)
    return sorted(dict(zip(found.alpha.tolist(), found.beta.tolist(), strict=True)).items())


def _at(curve: list[tuple[Fraction, Fraction]], alpha: Fraction) -> Fraction:
    """Return the β of an α, on the straight line between two points."""
    for (a, b), (c, d) in pairwise(curve):
        if a <= alpha <= c:
            return b + (d - b) * (alpha - a) / (c - a)
    raise UncheckedError(f"the trade-off curve does not go to α = {alpha}")


def _is_larger(high: list[tuple[Fraction, Fraction]], *curves: list[tuple[Fraction, Fraction]]) -> bool:
    """Whether a curve is everywhere the larger of two.

    Between neighbouring corners of the three it is straight and the larger one convex: they are one there if they are
    at both ends and in the middle.
    """
    places = sorted({a for curve in (high, *curves) for a, _ in curve})
    places += [(a + b) / 2 for a, b in pairwise(places)]
    return all(_at(high, a) == max(_at(curve, a) for curve in curves) for a in places)


def _meet(first: Channel, second: Channel) -> Channel:
    return meet(first, second).channel


def _join(first: Channel, second: Channel) -> Channel:
    return join(first, second).channel


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
        "Lemma 12, for every epsilon > 0: the matrix is a channel, and its columns come in the order of their\n"
        "likelihood ratios. The corners of its curve are those of SUE and OUE, so it is the greatest lower bound of\n"
        "both."
    )
    if order == "reversed":
        words = (
            "Altered Lemma 12, for every epsilon > 0: the matrix is a channel, and its columns come in the reverse\n"
            "order of their likelihood ratios."
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
    s, x, y = variables("s", "x", "y")
    zero, one = _minimum_rows(s)
    # Own bit 1 against 0, another bit the other way round.
    largest, least = one[2] * zero[0], one[0] * zero[2]
    exact = same(2 * x, s * (s**2 + 1) * y)
    ratio = All([exact, above(x, s**2 * y)]) if power == "more" else at_least(s**2 * y, x)
    others = [at_least(x * zero[i] * one[j], y * one[i] * zero[j]) for i, j in product(range(3), repeat=2)]
    goal = All([above(least, 0), let(x, largest, let(y, least, All([ratio, *others])))])
    way = "more than" if power == "more" else "at most"
    words = (
        f"{'Altered, for' if power != 'more' else 'For'} every epsilon > 0:\n"
        f"one-hot reports of the minimum have a largest likelihood ratio x/y that is {way} e^epsilon"
        f"{', s (s^2 + 1)/2' * (power == 'more')};\n"
        "x is the product of the last column's entry for 1 and the first's for 0, y of the other two.\n"
        "No other columns of the two bits have a larger one."
    )
    name = f"lemma-12-one-hot-{power}"
    return Proved((Theorem(name, f"{words}\n{MEANING}", ("s", "x", "y"), [above(s, 1)], goal),))


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
        "Two channels on two secrets have a greatest lower and a least upper bound. For 25 pairs, those that `meet` "
        "and `join` give are bounds by certificates, and extreme among all bounds by (13): the corners of the lower "
        "one's trade-off curve are points of the two curves, and the upper one's curve is the larger of the two.",
        "certified refinement",
        lambda: _lattice(_meet, _join),
        lambda: _lattice(lambda *_: eighths(1, 1), _join),
        "any lower bound is a greatest one, such as that with both errors 1/8",
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
        "Lemma 12 is about bits: one-hot, M_ε is ln(e^{ε/2}(e^ε + 1)/2)-LDP, which is more than ε, for every ε > 0.",
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
