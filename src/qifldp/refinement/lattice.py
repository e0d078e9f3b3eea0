"""The lattice of channels on two secrets: greatest lower and least upper bound, exact, with certificates.

Two secrets are told apart by a trade-off curve alone. Here it is drawn as a concave one: U(a) is the largest
probability under the second secret of an event (a test, perhaps random) that has probability a under the first.
A ⊑ B, that is A·W = B for some W, holds exactly when U_A ≥ U_B everywhere (Blackwell). So the bounds of two channels
are the concave hull of the larger curve, and the smaller curve.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import TypeAlias

from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.refinement.certificate import Certificate, in_order_of
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Refines

Point: TypeAlias = tuple[Fraction, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True, eq=False)
class Bound:
    """A bound of two channels in the refinement order.

    Attributes:
        channel: The bound: exact, its outputs in the order of their likelihood ratio, the most telling for the
            second secret first.
        certificates: Two verified proofs, one for each of the two channels, that it is a bound.
    """

    channel: Channel
    certificates: tuple[Certificate, Certificate]


def meet(first: Channel, second: Channel) -> Bound:
    """Return the greatest lower bound M: M ⊑ first and M ⊑ second, and every other such channel L has L ⊑ M.

    Both channels can be made from M by garbling, M·W = first and M·V = second. So M leaks at least as much as each
    of them to every adversary, and of all channels of this kind it is the safest. Its curve is the concave hull of
    max(U_first, U_second).

    Args:
        first: A channel with two secrets; floats are read as the rationals that they are.
        second: Another.

    Raises:
        InputError: If a channel has not two secrets, if they name different ones, or a row of floats does not sum to
            exactly one.

    Source: paper, Lemma 12 (of the bit channels of SUE and OUE).
    """
    a, b, names = _read(first, second)
    channel = _channel(_hull([*_curve(a), *_curve(b)]), names)
    return Bound(channel, (_prove(original=channel, refined=a), _prove(original=channel, refined=b)))


def join(first: Channel, second: Channel) -> Bound:
    """Return the least upper bound J: first ⊑ J and second ⊑ J, and every other such channel U has J ⊑ U.

    J can be made by garbling either channel, first·W = J and second·V = J. So J leaks at most as much as each of
    them to every adversary, and of all channels of this kind it is the leakiest. Its curve is min(U_first, U_second),
    which is concave.

    Args:
        first: A channel with two secrets; floats are read as the rationals that they are.
        second: Another.

    Raises:
        InputError: If a channel has not two secrets, if they name different ones, or a row of floats does not sum to
            exactly one.
    """
    a, b, names = _read(first, second)
    channel = _channel(_hull(_smaller(_curve(a), _curve(b))), names)
    return Bound(channel, (_prove(original=a, refined=channel), _prove(original=b, refined=channel)))


def _prove(*, original: Channel, refined: Channel) -> Certificate:
    decision = decide_refinement(original=original, refined=refined)
    assert isinstance(decision, Refines), "a bound is refined by construction"
    return decision.certificate


def _read(first: Channel, second: Channel) -> tuple[Channel, Channel, tuple[str, ...]]:
    """Return both as exact channels with their rows in one order, and the names of the rows."""
    a, b = _exact(first), _exact(second)
    b = in_order_of(a, b)
    return a, b, b.inputs if a.inputs == ("0", "1") else a.inputs


def _exact(channel: Channel) -> Channel:
    if channel.domain_size != 2:
        raise InputError.expected("The number of secrets of a channel in the lattice", "2", channel.domain_size)
    return channel if channel.is_exact else channel.to_exact()


def _columns(channel: Channel) -> list[Point]:
    first, second = channel.matrix.tolist()
    return list(zip(first, second, strict=True))


def _posterior(column: Point) -> Fraction:
    return column[1] / (column[0] + column[1])


def _curve(channel: Channel) -> list[Point]:
    """Return the corners of U from (0, 0) to (1, 1): outputs are added up, the most telling for the second first."""
    seen = sorted((column for column in _columns(channel) if sum(column) > 0), key=_posterior, reverse=True)
    firsts = accumulate((column[0] for column in seen), initial=ZERO)
    seconds = accumulate((column[1] for column in seen), initial=ZERO)
    return list(zip(firsts, seconds, strict=True))


def _hull(points: Sequence[Point]) -> list[Point]:
    """Return the corners of the concave hull of points between (0, 0) and (1, 1), which are among them."""
    corners: list[Point] = []
    # From (0, 0) straight up, so points of one abscissa come in the order of the curve.
    for point in sorted(set(points)):
        while len(corners) > 1 and _turn(corners[-2], corners[-1], point) >= 0:
            corners.pop()
        corners.append(point)
    return corners


def _turn(a: Point, b: Point, c: Point) -> Fraction:
    """Return a positive number if the way a, b, c turns left, negative if it turns right, 0 if it is straight."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _smaller(first: list[Point], second: list[Point]) -> list[Point]:
    """Return points of min(U_first, U_second), all corners among them."""
    places = sorted({x for x, _ in (*first, *second)})
    points = [(ZERO, ZERO), *((x, min(_at(first, x), _at(second, x))) for x in places)]
    for x, z in pairwise(places):
        # Between two places both curves are straight, so they cross at most once.
        gap_x, gap_z = _at(first, x) - _at(second, x), _at(first, z) - _at(second, z)
        if gap_x * gap_z < 0:
            cross = x + (z - x) * gap_x / (gap_x - gap_z)
            points.append((cross, _at(first, cross)))
    return points


def _at(curve: list[Point], x: Fraction) -> Fraction:
    """Return U(x), the upper end where the curve goes straight up."""
    after = bisect_right(curve, x, key=lambda point: point[0])
    left = curve[after - 1]
    if after == len(curve):
        return left[1]
    right = curve[after]
    return left[1] + (right[1] - left[1]) * (x - left[0]) / (right[0] - left[0])


def _channel(curve: list[Point], names: tuple[str, ...]) -> Channel:
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(curve)]
    return Channel([[step[0] for step in steps], [step[1] for step in steps]], inputs=names)
