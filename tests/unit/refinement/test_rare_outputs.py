"""Matrices with outputs that hardly ever occur: figures are those of profiles, or worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from qifldp import (
    GRR,
    OUE,
    SS,
    SUE,
    Channel,
    DoesNotRefine,
    Protocol,
    Refines,
    Undecided,
    decide_refinement,
    verify_certificate,
)
from qifldp.refinement import decision as decisions
from qifldp.refinement.decision import Compared, written_out
from qifldp.refinement.search.explicit_strength import explicit_deficiency, explicit_margin, explicit_ratio
from qifldp.refinement.search.linear import UnsolvedError
from qifldp.refinement.search.transport import solve_transport

ACCURACY = 1e-9
"""Of a deficiency, as the documentation says."""

MARGIN_ACCURACY = 1e-6
"""Of the margin of matrices."""

TINY = [Fraction(1, 10**digits) for digits in (1, 7, 8, 9, 12, 15, 30, 300)]


@pytest.mark.parametrize(("k", "ratio"), [(5, 100), (7, 100), (8, 35), (9, 20)])
def test_nothing_is_lacking_however_small_the_entries(k: int, ratio: int) -> None:
    """SUE at e^ε = (2r)² is refined to GRR at e^ε = r. Without coefficients below 1e-9, 3e-8 is lacking."""
    original, refined = SUE(k, exp_epsilon=4 * ratio**2), GRR(k, exp_epsilon=ratio)
    lacking = explicit_deficiency(written_out(original), written_out(refined))
    assert lacking is not None
    assert 0 <= lacking <= ACCURACY


@pytest.mark.parametrize(
    ("original", "refined"),
    [
        (SUE(6, exp_epsilon=4 * 10**6), SUE(6, exp_epsilon=4 * 10**6)),
        (SUE(5, exp_epsilon=4 * 10**8), SUE(5, exp_epsilon=10**8)),
        pytest.param(SUE(7, exp_epsilon=4 * 10**6), SUE(7, exp_epsilon=4 * 10**6), marks=pytest.mark.slow),
    ],
    ids=str,
)
def test_coefficients_of_many_magnitudes_are_solved(original: Protocol, refined: Protocol) -> None:
    lacking = explicit_deficiency(written_out(original), written_out(refined))
    assert lacking is not None
    assert 0 <= lacking <= ACCURACY


def hint(size: int, t: Fraction) -> list[list[Fraction]]:
    """Return the channel that tells the secret with probability t, and else nothing."""
    return [[t if x == y else Fraction(0) for y in range(size)] + [1 - t] for x in range(size)]


@pytest.mark.parametrize("t", TINY, ids=lambda t: f"{float(t):.0e}")
@pytest.mark.parametrize("exact", [True, False])
def test_margins_do_not_depend_on_how_often_the_secret_is_told(t: Fraction, exact: bool) -> None:
    """A's posteriors are ((1 + (k − 1)s)/k, (1 − s)/k, …), certainty shrunk by s: that is the margin, whatever t is."""
    two = [[Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 3), Fraction(2, 3)]]
    half, quarter = Fraction(1, 2), Fraction(1, 4)
    three = [[half if x == y else quarter for y in range(3)] for x in range(3)]
    blurred = [*two, [half, half]]
    told = [*hint(2, t), [t / 2, t / 2, 1 - t]]
    for original, refined, expected in (
        (two, hint(2, t), 1 / 3),
        (three, hint(3, t), 1 / 4),
        (blurred, told, 1 / 3),  # what rounds to a deviation is not off the space of A's columns
    ):
        channels = [Channel(table) for table in (original, refined)]
        if not exact:
            channels = [Channel(channel.to_float().matrix, normalize=True) for channel in channels]
        assert explicit_margin(*channels) == pytest.approx(expected, abs=MARGIN_ACCURACY)


@pytest.mark.parametrize(
    ("original", "refined"),
    [
        (OUE(4, exp_epsilon=10**32), SUE(4, exp_epsilon=10**32)),
        (OUE(4, exp_epsilon=10**32), SUE(4, exp_epsilon=4 * 10**32)),
        (SS(3, exp_epsilon=10**16, omega=2), OUE(3, exp_epsilon=10**32)),
        (SS(6, exp_epsilon=10**4, omega=2), OUE(6, exp_epsilon=10**8)),
        (OUE(6, exp_epsilon=10**4), SUE(6, exp_epsilon=4 * 10**4)),
        (SUE(5, exp_epsilon=4 * 10**8), OUE(5, exp_epsilon=10**8)),
    ],
    ids=str,
)
def test_margins_of_rare_outputs_are_those_of_profiles(original: Protocol, refined: Protocol) -> None:
    expected = solve_transport(original.profile, refined.profile).margin
    found = explicit_margin(written_out(original), written_out(refined))
    assert found == pytest.approx(expected, abs=MARGIN_ACCURACY)


def test_what_copies_rare_outputs_is_proved() -> None:
    """SUE and OUE of one ρ: outputs of probability 1e-16 have their place in the vertex that the proof starts from."""
    original, refined = (written_out(family(5, exp_epsilon=10**4)) for family in (SUE, OUE))
    decision = decide_refinement(original=original, refined=refined)
    assert isinstance(decision, Refines), decision
    verify_certificate(decision.certificate)


def test_a_space_that_only_rare_outputs_span_is_one_all_the_same() -> None:
    original, refined = (Channel(hint(3, Fraction(1, 10**digits))) for digits in (14, 15))
    assert explicit_margin(original, refined) == pytest.approx(1, abs=MARGIN_ACCURACY)


def test_outputs_that_no_double_knows_are_left_out() -> None:
    original, refined = Channel(hint(3, Fraction(1, 2))), Channel(hint(3, Fraction(1, 10**400)))
    assert explicit_deficiency(original, refined) == 0
    assert explicit_ratio(original, refined) == 1
    assert explicit_margin(original, refined) is None  # what is left says nothing


def randomised(size: int) -> list[list[Fraction]]:
    """Return the channel that tells the secret twice as often as any other value."""
    return [[Fraction(1 + (x == y), size + 1) for y in range(size)] for x in range(size)]


def halves(t: Fraction) -> list[list[Fraction]]:
    """Return the channel that tells with probability t which of four values it is, and else, mostly, in which half."""
    told = [[t if x == y else Fraction(0) for y in range(4)] for x in range(4)]
    sides = [[(1 - t) * Fraction(3 if x // 2 == half else 1, 4) for half in range(2)] for x in range(4)]
    return [side + row for side, row in zip(sides, told, strict=True)]


def channels_of(exact: bool, *tables: list[list[Fraction]]) -> list[Channel]:
    channels = [Channel(table) for table in tables]
    return channels if exact else [Channel(channel.to_float().matrix, normalize=True) for channel in channels]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("t", TINY[1:], ids=lambda t: f"{float(t):.0e}")
def test_what_only_rare_outputs_tell_is_hardly_anything(t: Fraction, exact: bool) -> None:
    """Certainty with probability t is the deviation of randomised response, 1/(k + 1) at the secret, t·(k + 1) times.

    Of two values of one half, t tells all: that is 1/5, five times.
    """
    for original, refined, expected in (
        (hint(3, t), randomised(3), 4 * t),
        (hint(10, t), randomised(10), 11 * t),
        (halves(t), randomised(4), 5 * t),
    ):
        a, b = channels_of(exact, original, refined)
        decision = decide_refinement(original=a, refined=b)
        assert isinstance(decision, DoesNotRefine), decision
        assert decision.margin is not None
        assert 0 <= decision.margin == pytest.approx(float(expected), abs=1e-3 * MARGIN_ACCURACY)


@pytest.mark.parametrize("digits", [9, 10, 11])
def test_what_rare_outputs_tell_is_right_in_proportion_too(digits: int) -> None:
    """Where HiGHS keeps what they add: the interior point keeps but four digits at a probability of 3e-10."""
    t = Fraction(1, 10**digits)
    assert explicit_margin(Channel(hint(3, t)), Channel(randomised(3))) == pytest.approx(float(4 * t), rel=1e-6, abs=0)


def test_two_secrets_that_rare_outputs_tell_apart() -> None:
    t = Fraction(1, 10**12)
    refined = Channel([[Fraction(1, 6), 0, Fraction(5, 6)], [0, Fraction(7, 15), Fraction(8, 15)]])
    decision = decide_refinement(original=Channel([[t, 1 - t], [0, 1]]), refined=refined)
    assert decision.margin == pytest.approx(0, abs=MARGIN_ACCURACY)


@pytest.mark.parametrize("t", TINY[1:-1], ids=lambda t: f"{float(t):.0e}")
def test_margins_do_not_depend_on_how_often_there_is_a_report_at_all(t: Fraction) -> None:
    """A is silent but for t, and B too, or else reports anything: what both deviate by goes down alike, to t = 1/3."""
    leaky, safe = ([[4, 1, 1], [1, 3, 2], [0, 1, 5]], [[3, 2, 1], [2, 2, 2], [1, 2, 3]])

    def at(t: Fraction) -> list[Channel]:
        a, b = ([[t * Fraction(v, 6) for v in row] for row in table] for table in (leaky, safe))
        silent = [[[*row, 1 - t] for row in table] for table in (a, b)]
        return [Channel(table) for table in (*silent, [[v + (1 - t) / 3 for v in row] for row in b])]

    common, rare = at(Fraction(1, 4)), at(t)
    for place in (1, 2):
        expected = explicit_margin(common[0], common[place])
        assert explicit_margin(rare[0], rare[place]) == pytest.approx(expected, abs=MARGIN_ACCURACY)


def test_a_margin_that_the_interior_point_lost_is_not_told() -> None:
    """W has 4,970 entries, too many to be solved in proportion."""
    original, refined = channels_of(False, hint(70, Fraction(1, 10**12)), randomised(70))
    with pytest.raises(UnsolvedError, match="lost to rounding"):
        explicit_margin(original, refined)


@pytest.mark.parametrize(
    ("verdict", "found", "told"),
    [(Refines, 0.5, None), (Refines, 1 - 1e-9, 1.0), (DoesNotRefine, 2.5, None), (DoesNotRefine, 1 + 1e-9, 1 - 2**-53)],
)
def test_a_margin_that_contradicts_what_is_proved_is_not_told(
    verdict: type[Compared], found: float, told: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decisions, "explicit_margin", lambda *_, **__: found)
    blurred, clear = Channel(randomised(3)), Channel(hint(3, Fraction(1)))
    sides = (clear, blurred) if verdict is Refines else (blurred, clear)
    decision = decide_refinement(original=sides[0], refined=sides[1])
    assert isinstance(decision, verdict)
    assert decision.margin == told
    assert ("margin" in decision.unsolved) == (told is None)


def test_a_margin_that_contradicts_the_deficiency_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decisions, "explicit_margin", lambda *_, **__: 2.5)
    blurred, clear = Channel(randomised(3)), Channel(hint(3, Fraction(1)))
    for sides, told in (((blurred, clear), None), ((clear, blurred), 2.5)):
        decision = Undecided(*sides, "average", "none", None, 20.0, False, "No proof.")
        assert decision.margin == told
        assert ("margin" in decision.unsolved) == (told is None)
