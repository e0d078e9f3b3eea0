"""Exchange rates: intervals of budgets, with a proved no and a proved yes at each end."""

from __future__ import annotations

import math

import pytest

from oracles.garbling import is_garbling
from qifldp import BLH, GRR, OUE, SS, SUE, THE, Budget, InputError, parse_spec
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision, DoesNotRefine, Refines, Undecided
from qifldp.refinement.exchange import NARROW, NUDGE, RESOLUTION, ExchangeRate, exchange_rate
from qifldp.refinement.verify import verify_certificate

APART = 1e-3
"""Relative distance from an end at which the plain linear program still tells yes from no (it is exact to 1e-9)."""


def rate(original: str, refined: Protocol, low: float, high: float, time_limit: float | None = None) -> ExchangeRate:
    spec, k = parse_spec(original), refined.domain_size
    return exchange_rate(
        original=lambda budget: spec.build(k, budget),
        refined=refined,
        low=low,
        high=high,
        jumps=lambda epsilon: spec.default_range(k, epsilon),
        time_limit=time_limit,
    )


def check_brackets(found: ExchangeRate) -> None:
    """Assert that every end is proved: yes at it, no within the resolution beyond it, or the range ends."""
    assert found.undecided == ()
    for interval, brackets in zip(found.intervals, found.brackets, strict=True):
        for place, limit, (no, yes) in zip(interval, (found.low, found.high), brackets, strict=True):
            assert yes == place
            proved = found.decisions[place]
            assert isinstance(proved, Refines)
            assert verify_certificate(proved.certificate)
            if place == limit:
                assert no is None
                continue
            assert no is not None
            assert 0 < abs(no - place) <= RESOLUTION * max(no, place)
            refuted = found.decisions[no]
            assert isinstance(refuted, DoesNotRefine)
            assert verify_certificate(refuted.certificate)


def test_subset_selection_with_a_rounded_size_is_no_refinement_family() -> None:
    found = rate("ss", SS(10, 1), 0.25, 4)
    check_brackets(found)
    assert found.scanned == ()
    (a, b), (c, d), (e, f) = found.intervals
    assert a == 1  # the protocol itself
    assert b == pytest.approx(math.log(10 / 2.5 - 1), rel=2 * NUDGE)  # ω falls from 3 to 2
    assert d == pytest.approx(math.log(10 / 1.5 - 1), rel=2 * NUDGE)  # … to 1
    assert f == 4
    # One size to one size, both smaller than B's ω = 3: A's best set of three must hold as much as B's does.
    share = 3 * math.e / (3 * math.e + 7)
    for epsilon, omega in ((c, 2), (e, 1)):
        weight = math.exp(epsilon)
        reached = (omega * weight + 3 - omega) / (omega * weight + 10 - omega)
        assert reached == pytest.approx(share, rel=RESOLUTION)
    assert (found.refined_from, found.bracket[1]) == (e, e)


@pytest.mark.parametrize(
    ("original", "refined"),
    [
        ("sue", OUE(3, 1)),
        ("oue", SUE(3, 1)),
        ("oue", THE(3, "0.8", theta="0.6")),
        ("grr", BLH(4, 1)),
        ("ss:omega=2", GRR(4, 1)),
        ("olh", OUE(3, 1)),
        ("the", OUE(3, 1)),
    ],
)
def test_ends_agree_with_the_linear_program(original: str, refined: Protocol) -> None:
    found = rate(original, refined, 0.3, 6)
    check_brackets(found)
    assert found.refined_from is not None
    spec, k = parse_spec(original), refined.domain_size

    def holds(epsilon: float) -> bool:
        protocol = spec.build(k, Budget.read(epsilon))
        return is_garbling(original=protocol.channel(), refined=refined.channel())

    assert holds(found.refined_from * (1 + APART))
    assert not holds(found.refined_from * (1 - APART))


def test_sue_is_oue_or_safer_from_the_known_threshold_on() -> None:
    # At equal ε SUE ⊑ OUE over three values from ε = 1.956 on: so above it the exchange rate is one to one.
    above, below = rate("sue", OUE(3, 2), 0.5, 8), rate("sue", OUE(3, 1.9), 0.5, 8)
    check_brackets(above)
    check_brackets(below)
    assert above.refined_from == 2
    assert below.refined_from is not None
    assert below.refined_from > 1.9 * (1 + RESOLUTION)


def test_a_logarithm_as_the_budget() -> None:
    found = rate("grr", GRR(5, "ln(3)"), 0.5, 2)
    check_brackets(found)
    assert found.refined_from == pytest.approx(math.log(3), rel=RESOLUTION)


def test_never_and_always() -> None:
    never = rate("grr", GRR(5, 3), 0.5, 2)
    assert (never.intervals, never.refined_from, never.bracket) == ((), None, (2, None))
    always = rate("grr", GRR(5, 1), 1.5, 2)
    assert (always.intervals, always.refined_from, always.bracket) == (((1.5, 2),), 1.5, (None, 1.5))
    assert always.brackets == (((None, 1.5), (None, 2)),)


def test_an_interval_that_ends_before_the_range_does() -> None:
    found = rate("ss", SS(10, 1), 0.5, 1.2)
    check_brackets(found)
    assert len(found.intervals) == 1
    assert found.refined_from is None
    assert found.bracket == (1.2, None)


def test_a_budget_that_no_float_is_has_no_mark_of_its_own() -> None:
    """The float next to ln(3) is too near a tie to be asked; the end is found as any other."""
    found = rate("oue", OUE(5, "ln(3)"), 0.5, 4)
    assert math.log(3) not in found.decisions
    check_brackets(found)
    ((start, end),) = found.intervals
    assert start == pytest.approx(math.log(3), rel=RESOLUTION)
    assert end == 4


def test_scanned_ranges_are_named() -> None:
    assert rate("the", OUE(3, 1), 0.5, 4).scanned == ((0.5, 4),)
    assert rate("the:theta=0.7", OUE(3, 1), 0.5, 4).scanned == ()
    # OLH: the piece of g buckets is about 1/g wide, so below NARROW·ε from some g on.
    ((start, end),) = rate("olh", OUE(3, 1), 0.5, 6).scanned
    assert end == 6
    assert 1 / (math.exp(start) + 2) < NARROW * start
    assert 1 / (math.exp(start * (1 - NARROW)) - 2) > NARROW * start * (1 - NARROW)


def test_what_is_undecided_is_bracketed(monkeypatch: pytest.MonkeyPatch) -> None:
    wide, narrow = (1.5, 1.7), (1.5, 1.5 * (1 + RESOLUTION / 10))
    for unknown in (wide, narrow):

        def decide(
            *, original: Protocol, refined: Protocol, time_limit: float | None, band: tuple[float, float] = unknown
        ) -> Decision:
            if band[0] < original.epsilon < band[1]:
                return Undecided(
                    original=original,
                    refined=refined,
                    order="average",
                    method="none",
                    solved=None,
                    figure_seconds=1.0,
                    rounded=False,
                    reason="It is the band.",
                )
            other = GRR(5, 1.5) if original.epsilon <= band[0] else GRR(5, 1)
            return decide_refinement(original=GRR(5, 1.2), refined=other)

        monkeypatch.setattr("qifldp.refinement.exchange.decide_refinement", decide)
        found = rate("grr", GRR(5, 1), 1.1, 3)
        no, yes = found.bracket
        assert no is not None
        assert yes == found.refined_from == found.intervals[0][0]
        assert no == pytest.approx(unknown[0], rel=RESOLUTION)
        assert yes == pytest.approx(unknown[1], rel=RESOLUTION)
        assert no <= unknown[0] < unknown[1] <= yes
        assert found.undecided == (((no, yes),) if unknown == wide else ())


def test_between_two_intervals_nothing_is_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A yes on the other side of what is undecided is no proved no."""

    def decide(*, original: Protocol, refined: Protocol, time_limit: float | None) -> Decision:
        if 1.5 < original.epsilon < 1.7:
            return Undecided(original, refined, "average", "none", None, 1.0, False, "It is the band.")
        other = GRR(5, 2) if original.epsilon < 1.2 else GRR(5, 1)
        return decide_refinement(original=GRR(5, 1.2), refined=other)

    monkeypatch.setattr("qifldp.refinement.exchange.decide_refinement", decide)
    pieces = ((1.1, 1.3), (1.3, 1.6), (1.6, 3.0))
    found = exchange_rate(
        original=lambda budget: GRR(5, budget),
        refined=GRR(5, 1),
        low=1.1,
        high=3,
        jumps=lambda at: next((start, end) for start, end in pieces if start <= at < end),
    )
    (first, second), ((start, end), (again, last)) = found.intervals, found.brackets
    assert start[0] == pytest.approx(1.2, rel=RESOLUTION)
    assert end == (None, first[1])
    assert again == (None, second[0])
    assert last == (None, 3)


def test_progress_and_time_limit() -> None:
    steps: list[tuple[int, int]] = []
    exchange_rate(
        original=lambda budget: SUE(3, budget),
        refined=OUE(3, 1),
        low=0.5,
        high=2,
        progress=lambda done, total: steps.append((done, total)),
    )
    total = steps[-1][1]
    assert steps == [(done, total) for done in range(total + 1)]
    late = rate("sue", OUE(3, 1), 0.5, 2, time_limit=1e-9)
    assert (late.intervals, late.undecided, late.decisions) == ((), ((0.5, 2),), {})
    assert (late.refined_from, late.bracket) == (None, (None, None))


@pytest.mark.parametrize(("low", "high"), [(0, 1), (2, 1), (1, 1), (1, 701), (math.nan, 1), (1, math.inf)])
def test_ranges_that_are_none(low: float, high: float) -> None:
    with pytest.raises(InputError) as caught:
        rate("grr", GRR(3, 1), low, high)
    assert str(caught.value) == (
        f"The range of budgets must be from a smaller to a larger ε, at most 700, got {low:g} to {high:g}."
    )


def test_too_many_pieces() -> None:
    with pytest.raises(InputError, match="more than 10,000 pieces: choose a shorter one"):
        exchange_rate(
            original=lambda budget: GRR(3, budget),
            refined=GRR(3, 1),
            low=1e-90,
            high=1,
            jumps=lambda epsilon: (epsilon * (1 - NARROW / 4), epsilon * (1 + NARROW / 4)),
        )
