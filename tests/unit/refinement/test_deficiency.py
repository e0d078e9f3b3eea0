"""Brackets of a deficiency: they hold what the plain linear program finds, and no wrong one is believed."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from oracles.forgeries import changed_places
from qifldp import BLH, GRR, LH, OLH, OUE, SS, SUE, THE, UE, ConvergenceError, InputError, Protocol
from qifldp.channels.profile import Profile
from qifldp.refinement.bracket import bracket_deficiency
from qifldp.refinement.deficiency_certificate import DeficiencyCertificate
from qifldp.refinement.proofs import Bets, SubFlow
from qifldp.refinement.search import strength
from qifldp.refinement.search.explicit_strength import explicit_deficiency
from qifldp.refinement.search.linear import Floats, maximise
from qifldp.refinement.search.strength import deficiency
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify_deficiency import verify_deficiency

SOLVED = 1e-8
"""The linear programs' tolerance of 1e-10, some of it for each size."""

PROTOCOLS: list[Protocol] = [
    GRR(4, 1),
    SS(4, 1, omega=2),
    SUE(4, 2),
    OUE(4, "1.2"),
    OLH(4, 1),
    THE(4, 1),
    UE(4, p="0.3", q="0.7"),
]


@pytest.mark.parametrize(("original", "refined"), list(permutations(PROTOCOLS, 2)), ids=lambda side: side.name)
def test_it_holds_the_optimum_over_all_garblings(original: Protocol, refined: Protocol) -> None:
    """Against the linear program over explicit matrices, which knows nothing of sizes or symmetry."""
    certificate = bracket_deficiency(original=original, refined=refined)
    found = explicit_deficiency(original.channel().to_float(), refined.channel().to_float())
    assert found is not None
    assert float(certificate.least) < found < float(certificate.most) + SOLVED
    assert 0 < certificate.most - certificate.least < SOLVED


AT_ORDINARY_BUDGETS: list[tuple[Protocol, Protocol]] = [
    (OUE(50, "0.1"), SUE(50, "0.1")),
    (SUE(60, "0.1"), OUE(60, "0.1")),
    (OUE(150, "0.1"), SUE(150, "0.1")),
    (GRR(60, "0.5"), OUE(60, "0.5")),
    (GRR(60, exp_epsilon=2), THE(60, exp_epsilon=2, theta=1)),
    (OUE(120, "1e-100"), OUE(120, "1.64465")),
    (GRR(120, exp_epsilon=2), LH(120, exp_epsilon=2, g=2)),
    (GRR(300, "0.1"), SUE(300, "0.1")),
    (SUE(300, 1), THE(300, 1)),
]
"""Also sizes of so little mass that the solver's prices of them are anything, bets against a set too."""


@pytest.mark.parametrize(("original", "refined"), AT_ORDINARY_BUDGETS, ids=str)
def test_brackets_are_narrow_and_hold_the_figure(original: Protocol, refined: Protocol) -> None:
    narrow_around_the_figure(original, refined)


def narrow_around_the_figure(original: Protocol, refined: Protocol) -> None:
    certificate = bracket_deficiency(original=original, refined=refined)
    assert 0 < certificate.most - certificate.least < SOLVED
    figure = deficiency(original.profile, refined.profile)
    assert figure is not None
    assert certificate.ends[0] < figure < certificate.ends[1]


@pytest.mark.parametrize(("k", "epsilon"), [(100, "1e-6"), (120, "3e-6"), (120, "1e-5"), (165, "1e-7"), (200, "1e-6")])
def test_what_is_too_little_for_the_program_to_see(k: int, epsilon: str) -> None:
    """It told a thousand times as much, or ended without an answer, where sizes are all that tells two apart."""
    for original, refined in permutations([kind(k, epsilon) for kind in (BLH, OLH, SUE, OUE)], 2):
        figure = deficiency(original.profile, refined.profile)
        certificate = bracket_deficiency(original=original, refined=refined)
        assert figure is not None
        assert figure < SOLVED / 10
        assert certificate.ends[0] <= figure <= certificate.ends[1]
        assert certificate.most - certificate.least < SOLVED / 10


def test_sizes_that_are_left_out_count_as_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    """So the figure is never below the truth, whatever is left out."""
    pairs = list(permutations([kind(30, 2) for kind in (GRR, BLH, SUE, OUE, THE)], 2))
    exact = [deficiency(a.profile, b.profile) for a, b in pairs]
    monkeypatch.setattr(strength, "NEGLIGIBLE", 1e-2)
    more = [deficiency(a.profile, b.profile) for a, b in pairs]
    assert all(x is not None and y is not None and x <= y + 1e-12 for x, y in zip(exact, more, strict=True))
    assert sum(x is not None and y is not None and x + 1e-3 < y for x, y in zip(exact, more, strict=True)) > 5


def test_all_pairs_at_an_ordinary_budget() -> None:
    """At 60 values, where most prices that the solver leaves open are: none of the pairs is an exception."""
    sides = [protocol(60, "0.25") for protocol in (GRR, BLH, SUE, OUE, THE)]
    for original, refined in permutations(sides, 2):
        narrow_around_the_figure(original, refined)


def test_the_figure_is_at_least_what_somebody_gains() -> None:
    """Gains in [0, 1], evaluated in rationals: 0.150778163859 of them more from BLH."""
    figure = deficiency(GRR(120, exp_epsilon=2).profile, BLH(120, exp_epsilon=2).profile)
    assert figure is not None
    assert 0.150778163859 < figure < 0.150778163859 + SOLVED


def test_prices_that_the_solver_leaves_open_spoil_no_bet(monkeypatch: pytest.MonkeyPatch) -> None:
    """A size of no mass may be said to be worth anything that the program allows: a bet against a set too."""
    original, refined = GRR(6, 1), OUE(6, 1)
    expected = bracket_deficiency(original=original, refined=refined)

    def with_a_bet_against(*arguments: Any, **options: Any) -> tuple[Floats, Floats]:
        solution, worth = maximise(*arguments, **options)
        columns = len(refined.profile.sizes)
        row = np.abs(worth[: len(original.profile.sizes)]).min()  # what a unit of A's mass costs
        worth[-2 * columns + 5], worth[-columns + 5] = 0.0, row / (1 - 5 / 6)
        return solution, worth

    monkeypatch.setattr("qifldp.refinement.search.strength.maximise", with_a_bet_against)
    found = bracket_deficiency(original=original, refined=refined)
    lost = dict(zip(*np.array([refined.profile.sizes, np.exp(refined.profile.log_mass)]), strict=True))[5]
    assert expected.least - found.least < lost


@pytest.mark.parametrize("slack", [1e-3, -1e-3])
def test_a_figure_is_the_distance_of_a_garbling(monkeypatch: pytest.MonkeyPatch, slack: float) -> None:
    """However far the solver fills rows over the brim, or leaves them short."""
    original, refined = SUE(5, 1), GRR(5, 1)
    least = bracket_deficiency(original=original, refined=refined).ends[0]

    def slackly(*arguments: Any, **options: Any) -> tuple[Floats, Floats]:
        solution, worth = maximise(*arguments, **options)
        return solution * (1 + slack), worth

    for module in ("strength", "explicit_strength"):
        monkeypatch.setattr(f"qifldp.refinement.search.{module}.maximise", slackly)
    figures = (
        deficiency(original.profile, refined.profile),
        explicit_deficiency(original.channel().to_float(), refined.channel().to_float()),
    )
    for figure in figures:
        assert figure is not None
        assert least < figure < least + 2 * abs(slack)


def test_sizes_of_little_mass_count() -> None:
    """Nothing is lacking between a profile and itself, and sizes of some 1e-10 are no exception."""
    mass = np.full(81, 9e-10)
    mass[[0, 1]] = 0.0, 1 - mass[2:].sum()
    mass[80] = 0.0
    side = Profile.from_masses(80, ratio=2.0, mass=(mass / mass.sum()).tolist())
    assert deficiency(side, side) == pytest.approx(0, abs=SOLVED)


@pytest.mark.parametrize("epsilon", ["1e-6", "0.1", "3", "40"])
@pytest.mark.parametrize("k", [2, 60])
def test_brackets_at_other_budgets(k: int, epsilon: str) -> None:
    certificate = bracket_deficiency(original=OUE(k, epsilon), refined=GRR(k, epsilon))
    assert 0 < certificate.most - certificate.least < SOLVED
    verify_deficiency(certificate)


@pytest.mark.parametrize("epsilon", ["60", "74", "78", "82.75", "250", "690"])
def test_brackets_at_large_budgets_are_as_narrow_as_others(epsilon: str) -> None:
    """Balls of the first precision are wider there than the bracket, or hold nothing at all."""
    pairs: tuple[tuple[Protocol, Protocol], ...] = (
        (OUE(8, Fraction(epsilon) + Fraction("0.15")), LH(8, epsilon, g=5)),
        (LH(8, Fraction(epsilon) + 1, g=5), SUE(8, epsilon)),
        (SS(20, epsilon, omega=5), GRR(20, epsilon)),
    )
    for original, refined in pairs:
        certificate = bracket_deficiency(original=original, refined=refined)
        assert 0 < certificate.most - certificate.least < 1e-10
        assert verify_deficiency(certificate)
    limit = Fraction("0.269996")  # what the first pair tends to: masses at ε → ∞ are rational
    first = bracket_deficiency(original=pairs[0][0], refined=pairs[0][1])
    assert first.least < limit < first.most


def test_nothing_is_lacking_if_refined() -> None:
    certificate = bracket_deficiency(original=SUE(10, 1), refined=THE(10, 1))
    assert certificate.least < 0 < certificate.most < SOLVED


def test_numbers_that_are_too_good() -> None:
    certificate = bracket_deficiency(original=GRR(6, 1), refined=OUE(6, 1))
    width = certificate.most - certificate.least
    for narrower, reason in (
        (dataclasses.replace(certificate, least=certificate.least + width), "gains no more"),
        (dataclasses.replace(certificate, most=certificate.most - width), "not as near"),
    ):
        with pytest.raises(CertificateError, match=reason):
            verify_deficiency(narrower)


def test_every_place_changed() -> None:
    """A forged bracket is refused with a reason, or holds what is true of the sides that it then names."""
    certificate = bracket_deficiency(original=GRR(4, 1), refined=OUE(4, 1))
    accepted, reasons = 0, set()
    for forgery, document in changed_places(json.loads(json.dumps(certificate.to_json()))):
        try:
            forged = DeficiencyCertificate.from_json(document)
            verify_deficiency(forged)
        except (CertificateError, InputError) as error:
            reasons.add(str(error))
            continue
        accepted += 1
        found = explicit_deficiency(forged.original.channel().to_float(), forged.refined.channel().to_float())
        assert found is not None
        assert float(forged.least) < found < float(forged.most) + SOLVED, forgery
    assert accepted > 10  # looser numbers, bets that are not needed
    assert "" not in reasons
    assert len(reasons) > 20


def test_bets_and_flows_that_are_none() -> None:
    certificate = bracket_deficiency(original=GRR(4, 1), refined=OUE(4, 1))
    one = Fraction(1)
    for changes, reason in (
        ({"refined": OUE(5, 1)}, "different sizes"),
        ({"bets": Bets(((0, one, one),))}, "A bet on 0 values"),
        ({"bets": Bets(())}, "gain and cost nothing"),
        ({"bets": Bets(((1, Fraction(0), Fraction(0)),))}, "gain and cost nothing"),
        ({"flow": SubFlow(((1, 1, one * 3),))}, "More than A's mass at size 1"),
        ({"flow": SubFlow(((2, 1, one / 2),))}, "from size 2 to size 1 is not one"),
        ({"flow": SubFlow(((1, 1, -one),))}, "from size 1 to size 1 is not one"),
        ({"flow": SubFlow(())}, "not as near"),
        ({"least": -2 * one}, "between 0 and 1"),
        ({"least": 2 * one, "most": 3 * one}, "between 0 and 1"),
    ):
        with pytest.raises(CertificateError, match=reason):
            verify_deficiency(dataclasses.replace(certificate, **changes))


def test_silent_reports_are_not_used_twice() -> None:
    """A's reports of size 0 are turned into any others, but only as many as there are."""
    original, refined = OUE(5, 1), GRR(5, 1)
    nothing = Bets(((1, Fraction(1), Fraction(1)),))
    flow = SubFlow(((0, 1, Fraction(50)),))
    claim = DeficiencyCertificate(original, refined, Fraction(-1, 10), Fraction(1, 10**6), nothing, flow)
    with pytest.raises(CertificateError, match="More than A's mass at size 0"):
        verify_deficiency(claim)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(InputError, match=r"of one domain, got 4 and 5 values\.$"):
        bracket_deficiency(original=GRR(4, 1), refined=OUE(5, 1))
    with pytest.raises(InputError, match=r"must be a protocol, got 'Channel'\.$"):
        bracket_deficiency(original=GRR(4, 1), refined=GRR(4, 1).channel())  # type: ignore[arg-type]
    with pytest.raises(InputError, match="over 100,000 values is too large"):
        bracket_deficiency(original=SUE(100_000, 1), refined=OUE(100_000, 1))
    with pytest.raises(ConvergenceError):
        bracket_deficiency(original=SUE(450, 2), refined=OUE(450, 2), time_limit=1e-3)
    with pytest.raises(InputError, match="or the path of a file, got 'dict'"):
        verify_deficiency({})  # type: ignore[arg-type]
