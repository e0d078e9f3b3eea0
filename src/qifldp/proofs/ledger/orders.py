"""III-B: the refinement orders, and f-differential privacy ((12) to (14))."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import pairwise, permutations, product

import numpy as np

from qifldp.channels.channel import Channel
from qifldp.leakage.tradeoff import trade_off
from qifldp.proofs.checks import Decided, Question, Together, is_refined
from qifldp.proofs.claim import Claim, Finding, every
from qifldp.proofs.samples import exact_channels
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE, SUE
from qifldp.refinement.certificate import Order

ORDERS: tuple[Order, ...] = ("average", "max")

ONE = Channel([["1/2", "1/2"], ["1/4", "3/4"]])
SPLIT = Channel([["1/4", "1/4", "1/2"], ["1/8", "1/8", "3/4"]])


def _garblings(order: Order) -> Iterator[Question]:
    """Channels and garblings of them, which are refined by construction."""
    for _, channel in exact_channels():
        outputs = len(channel.outputs)
        if outputs > 12:
            continue
        noise = [[Fraction(2 + (y == z), 2 * outputs + 1) for z in range(outputs)] for y in range(outputs)]
        yield Question(channel, channel @ Channel(noise, inputs=channel.outputs), order=order)


def _max_without_average(*, average: bool) -> Iterator[Question]:
    """OUE and SUE over three values at one small ε: refined in the max-case order, and not in the average-case one.

    Altered: in that one too (``average``).
    """
    sue, oue = SUE(3, exp_epsilon=4), OUE(3, exp_epsilon=4)
    yield Question(oue, sue, order="max")
    yield Question(oue, sue, holds=average)


def _twelve() -> Iterator[Question]:
    """Garblings are refined in both orders; and the converse fails."""
    for order in ORDERS:
        yield from _garblings(order)
    yield from _max_without_average(average=False)


def _antisymmetric(reduced: bool) -> Finding:
    """Equal matrices whenever each is refined from the other."""
    pairs = [(ONE, SPLIT), (GRR(2, exp_epsilon=4).channel(), Channel([["1/5", "4/5"], ["4/5", "1/5"]]))]
    pairs += [(channel, _shuffled(channel)) for _, channel in exact_channels() if len(channel.outputs) <= 12]

    def equal(a: Channel, b: Channel) -> bool:
        if reduced:
            a, b = a.reduced(), b.reduced()
        return np.array_equal(a.matrix, b.matrix)

    both = [
        (f"{_rows(a)} and {_rows(b)}", equal(a, b))
        for a, b in pairs
        if all(is_refined(c, d) for c, d in permutations((a, b)))
    ]
    return every(both, "pairs, each refined from the other by a verified witness")


def _shuffled(channel: Channel) -> Channel:
    """Return the channel with its first output split in two, and all outputs in the reverse order."""
    rows = [[first / 3, *rest[::-1], 2 * first / 3] for first, *rest in channel.matrix.tolist()]
    return Channel(rows, inputs=channel.inputs)


def _preorder() -> Iterator[Question]:
    """A ⊑ A, and A ⊑ C where A ⊑ B and B ⊑ C."""
    for question in _garblings("average"):
        first, second = question.original, question.refined
        if isinstance(first, Channel) and isinstance(second, Channel):
            outputs = len(second.outputs)
            noise = [[Fraction(1 + 2 * (y == z), outputs + 2) for z in range(outputs)] for y in range(outputs)]
            third = second @ Channel(noise, inputs=second.outputs)
            yield from (Question(first, first), Question(first, second), Question(second, third))
            yield Question(first, third)


def _rows(channel: Channel) -> str:
    """Return a matrix in a few words: its rows."""
    return " / ".join(" ".join(map(str, row)) for row in channel.matrix)


def _two_secrets() -> list[Channel]:
    made = [
        Channel([[1 - a, a], [b, 1 - b]])
        for a, b in product((Fraction(1, 8), Fraction(1, 4), Fraction(2, 5)), repeat=2)
    ]
    return [*made, Channel([["1/2", "1/3", "1/6"], ["1/8", "1/4", "5/8"]]), SPLIT]


def _curves(sign: int) -> Finding:
    """T_M ≤ T_N everywhere exactly where M ⊑ N: curves compared at all corners of both."""
    cases = []
    for m, n in product(_two_secrets(), repeat=2):
        first, second = trade_off(m), trade_off(n)
        places = [*first.alpha, *second.alpha]
        gaps = [sign * (_at(n, place) - _at(m, place)) for place in places]
        cases.append((f"{_rows(m)} and {_rows(n)}", (min(gaps) >= 0) == is_refined(m, n)))
    return every(cases, "pairs of channels, exact curves against verified certificates")


def _at(channel: Channel, place: Fraction) -> Fraction:
    """Return T(α), exactly."""
    curve = trade_off(channel)
    corners = list(zip(curve.alpha, curve.beta, strict=True))
    for (a, b), (c, d) in pairwise(corners):
        if a <= place <= c and a < c:
            return Fraction(b + (d - b) * (place - a) / (c - a))
    raise ArithmeticError("a place beyond the curve")


def _corner(swapped: bool) -> Finding:
    """The 2 × 2 channel with errors α, β has the corner (α, β) on its curve."""
    errors = [(Fraction(1, 8), Fraction(1, 3)), (Fraction(1, 5), Fraction(1, 2)), (Fraction(2, 5), Fraction(1, 10))]
    cases = []
    for a, b in errors:
        curve = trade_off(Channel([[1 - a, a], [b, 1 - b]]))
        wanted = (b, a) if swapped else (a, b)
        cases.append((f"α = {a}, β = {b}", (curve.alpha[1], curve.beta[1]) == wanted))
    return every(cases, "channels")


CLAIMS: tuple[Claim, ...] = (
    Claim(
        "refinement",
        "refinement ⊑, III-B",
        "A ⊑ B if A·W = B for a channel W: a preorder on matrices, a partial order once proportional columns "
        "are merged.",
        "certified refinement",
        Together(Decided(_preorder), partial(_antisymmetric, reduced=True)),
        partial(_antisymmetric, reduced=False),
        "a partial order on matrices",
        "corrects",
    ),
    Claim(
        "equation-12",
        "(12), III-B",
        "A ⊑ B implies A ⊑MAX B; the converse fails.",
        "certified refinement",
        Decided(_twelve),
        Decided(partial(_max_without_average, average=True)),
        "A ⊑MAX B implies A ⊑ B",
    ),
    Claim(
        "equation-13",
        "(13), III-B",
        "On two secrets M ⊑ N exactly where the trade-off curve T_M lies nowhere above T_N.",
        "certified refinement",
        partial(_curves, 1),
        partial(_curves, -1),
        "T_N nowhere above T_M",
    ),
    Claim(
        "equation-14",
        "(14), III-B",
        "The channel of rows (1 − α, α), (β, 1 − β) has (α, β) as the corner of its trade-off curve.",
        "exact enumeration",
        partial(_corner, swapped=False),
        partial(_corner, swapped=True),
        "the corner (β, α)",
    ),
)
