"""Bounds of channels on two secrets: exact, proved, and the best of their kind."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from qifldp import OUE, SUE, Channel, InputError, trade_off
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Refines
from qifldp.refinement.lattice import Bound, join, meet
from qifldp.refinement.verify import verify_certificate

HALF = Fraction(1, 2)


def bit(protocol: Protocol) -> Channel:
    """The channel of one bit of a unary encoding: rows are the bit's values 0 and 1."""
    p, not_p, q, not_q = protocol.chances
    return Channel([[not_q, q], [not_p, p]])


@st.composite
def channels(draw: st.DrawFn, most: int = 5) -> Channel:
    """Channels on two secrets, with impossible, repeated and revealing outputs."""
    outputs = draw(st.integers(1, most))
    rows = []
    for _ in range(2):
        weights = draw(st.lists(st.integers(0, 5), min_size=outputs, max_size=outputs).filter(any))
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return Channel(rows)


@st.composite
def garblings(draw: st.DrawFn, outputs: int, most: int = 3) -> Channel:
    targets = draw(st.integers(1, most))
    rows = st.lists(st.integers(0, 4), min_size=targets, max_size=targets).filter(any)
    weights = draw(st.lists(rows, min_size=outputs, max_size=outputs))
    return Channel([[Fraction(weight, sum(row)) for weight in row] for row in weights])


def reduced(channel: Channel) -> list[list[Fraction]]:
    found: list[list[Fraction]] = channel.reduced().matrix.tolist()
    return found


def decided(*, original: Channel, refined: Channel) -> bool:
    return isinstance(decide_refinement(original=original, refined=refined), Refines)


def refines(*, original: Channel, refined: Channel) -> bool:
    """Whether original ⊑ refined, by trade-off curves: type II errors of A's best tests are nowhere larger."""
    a, b = trade_off(original), trade_off(refined)
    levels = sorted({*a.alpha.tolist(), *b.alpha.tolist()})
    return all(least_error(a.alpha, a.beta, at) <= least_error(b.alpha, b.beta, at) for at in levels)


def least_error(alpha: np.ndarray, beta: np.ndarray, level: Fraction) -> Fraction:
    """Return the curve at a level, exactly, by trying all segments."""
    best = Fraction(1)
    points = list(zip(alpha.tolist(), beta.tolist(), strict=True))
    for (x, u), (z, v) in pairwise(points):
        if x == z == level:
            best = min(best, u, v)
        elif x <= level <= z and x < z:
            best = min(best, u + (v - u) * (level - x) / (z - x))
    return best


def check(bound: Bound, first: Channel, second: Channel, *, below: bool) -> None:
    """Assert that the certificates are about these channels, say the right thing, and hold."""
    for certificate, channel in zip(bound.certificates, (first, second), strict=True):
        assert certificate.verdict == "refines"
        assert (certificate.original, certificate.refined) == (
            (bound.channel, channel) if below else (channel, bound.channel)
        )
        assert verify_certificate(certificate).precision == 0
        assert verify_certificate(Certificate.from_json(certificate.to_json()))


@pytest.mark.parametrize("root", [Fraction(2), Fraction(3, 2), Fraction(101, 100), Fraction(40)])
def test_the_meet_of_the_bits_of_sue_and_oue_is_lemma_12(root: Fraction) -> None:
    sue, oue = (bit(protocol(2, exp_epsilon=root**2)) for protocol in (SUE, OUE))
    s, e = 1 / (root + 1), 1 / (root**2 + 1)
    printed = Channel([[root * s, s - e, e], [s, root * s - HALF, HALF]])
    bound = meet(sue, oue)
    assert reduced(bound.channel) == reduced(printed)
    check(bound, sue, oue, below=True)
    assert reduced(bound.channel) not in (reduced(sue), reduced(oue))  # the two are incomparable


def test_the_join_of_the_bits_of_sue_and_oue() -> None:
    # e^ε = 4: the curves cross where 2a = 1/2 + (a − 1/5)·5/8, at a = 3/11.
    sue, oue = (bit(protocol(2, exp_epsilon=4)) for protocol in (SUE, OUE))
    bound = join(sue, oue)
    assert bound.channel.matrix.tolist() == [
        [Fraction(3, 11), Fraction(8, 11)],
        [Fraction(6, 11), Fraction(5, 11)],
    ]
    check(bound, sue, oue, below=False)


@given(channels(), channels())
def test_bounds_are_bounds(first: Channel, second: Channel) -> None:
    lower, upper = meet(first, second), join(first, second)
    check(lower, first, second, below=True)
    check(upper, first, second, below=False)
    assert refines(original=lower.channel, refined=upper.channel)


@given(st.data())
def test_every_channel_that_both_come_from_is_below_the_meet(data: st.DataObject) -> None:
    source = data.draw(channels())
    outputs = len(source.outputs)
    first, second = (source @ data.draw(garblings(outputs)) for _ in range(2))
    assert decided(original=source, refined=meet(first, second).channel)


@given(channels(), channels(), channels())
def test_every_channel_that_comes_from_both_is_above_the_join(target: Channel, one: Channel, other: Channel) -> None:
    first, second = meet(target, one).channel, meet(target, other).channel  # the target comes from each
    assert decided(original=join(first, second).channel, refined=target)


@given(channels(), channels(), channels(3))
def test_the_laws_of_a_lattice(first: Channel, second: Channel, third: Channel) -> None:
    for bound, other in ((meet, join), (join, meet)):
        assert reduced(bound(first, first).channel) == reduced(first)
        assert reduced(bound(first, second).channel) == reduced(bound(second, first).channel)
        left, right = (
            bound(bound(first, second).channel, third).channel,
            bound(first, bound(second, third).channel).channel,
        )
        assert reduced(left) == reduced(right)
        assert reduced(bound(first, other(first, second).channel).channel) == reduced(first)


@given(channels(), channels())
def test_decisions_are_blackwells(original: Channel, refined: Channel) -> None:
    assert decided(original=original, refined=refined) == refines(original=original, refined=refined)


def test_extremes() -> None:
    reveals, silent = Channel([[1, 0], [0, 1]]), Channel([[1], [1]])
    assert reduced(meet(reveals, silent).channel) == reduced(reveals)
    assert reduced(join(reveals, silent).channel) == reduced(silent)
    with_impossible = Channel([["1/2", 0, "1/2"], ["1/4", 0, "3/4"]])
    check(join(with_impossible, silent), with_impossible, silent, below=False)


def test_floats_are_the_rationals_that_they_are() -> None:
    first, second = Channel([[0.5, 0.5], [0.25, 0.75]]), Channel([[0.75, 0.25], [0.5, 0.5]])
    bound = meet(first, second)
    assert bound.channel.is_exact
    check(bound, first.to_exact(), second.to_exact(), below=True)
    with pytest.raises(InputError, match="Each row of a channel matrix must sum to one"):
        meet(first, Channel([[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]]))


@pytest.mark.parametrize("bound", [meet, join])
def test_more_secrets(bound: object) -> None:
    two, three = Channel([[1], [1]]), Channel([[1], [1], [1]])
    for pair in ((two, three), (three, two)):
        with pytest.raises(InputError) as caught:
            (meet if bound is meet else join)(*pair)
        assert str(caught.value) == "The number of secrets of a channel in the lattice must be 2, got 3."
