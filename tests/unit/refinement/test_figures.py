"""The figures beside a verdict agree with one another, with the proof, and with what is said in words."""

from __future__ import annotations

import dataclasses
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from qifldp import BLH, GRR, OUE, SS, SUE, Channel, DoesNotRefine, InputError, Protocol, Refines, decide_refinement
from qifldp.exact.budget import Budget
from qifldp.protocols.mixture import Mix
from qifldp.protocols.specs import parse_spec
from qifldp.refinement.bracket import bracket_deficiency
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.proofs import Bets
from qifldp.refinement.search.closed import best_bet
from qifldp.refinement.search.explicit_strength import explicit_margin
from qifldp.refinement.search.strength import deficiency, vulnerability_ratio
from qifldp.refinement.search.transport import solve_transport
from qifldp.refinement.verify import verify_certificate
from qifldp.rendering.decision import decision_json, outward

SOLVED = 1e-6
"""The linear programs' tolerance of 1e-7, some of it for each size."""

ROUNDED = 1e-12
"""Doubles that are summed and rounded."""


SEVERAL_BETS = [
    (20, "2.5", "8/28*ss@3+8/28*ss@2+6/28*ss@5+6/28*ss@6", "2", "2/9*ss@1+7/9*ss@3"),
    (12, "5", "3/21*ss@1+9/21*ss@2+9/21*ss@6", "4", "8/21*ss@2+1/21*ss@1+5/21*ss@5"),
    (12, "3", "5/20*ss@6+7/20*ss@3+5/20*ss@1", "2", "1/11*ss@4+2/11*ss@2+6/11*ss@1"),
    (20, "3", "7/19*ss@5+8/19*ss@1+1/19*ss@4", "2", "2/18*ss@2+9/18*ss@3"),
    (20, "5", "8/17*ss@3+5/17*ss@1+4/17*ss@6", "4", "9/18*ss@4+5/18*ss@1+4/18*ss@5"),
    (20, "2.5", "4/19*ss@1+7/19*ss@4+1/19*ss@2+7/19*ss@6", "2", "1/22*ss@5+8/22*ss@3+5/22*ss@2"),
    (8, "3", "2/12*ss@1+1/12*ss@4+4/12*ss@3", "2", "3/24*ss@4+2/24*ss@2+3/24*ss@5+7/24*ss@1"),
]  # fmt: skip
"""Pairs that no single bet refutes: k, and ε and parts of both."""


@pytest.fixture(scope="module", params=SEVERAL_BETS, ids=lambda case: case[4])
def case(request: pytest.FixtureRequest) -> tuple[Protocol, Protocol, DoesNotRefine]:
    k, *sides = request.param
    original, refined = Mix(k, sides[0], parts=sides[1]), Mix(k, sides[2], parts=sides[3])
    decision = decide_refinement(original=original, refined=refined)
    assert isinstance(decision, DoesNotRefine)
    assert isinstance(decision.certificate.proof, Bets)
    assert len({stake for _, stake, _ in decision.certificate.proof.offers}) > 1
    return original, refined, decision


def gained(protocol: Protocol, offers: list[tuple[int, float, float]]) -> float:
    """Return what somebody who takes the best of some bets, or none, gains, from the definition over sizes."""
    profile, k = protocol.profile, protocol.domain_size
    total = 0.0
    for size, log_mass, (member, other) in zip(
        profile.sizes.tolist(), profile.log_mass.tolist(), np.exp(profile.log_density).tolist(), strict=True
    ):
        best = 0.0
        for bet, prize, price in offers:
            inside = min(size, bet)
            best = max(best, prize * (member * inside + other * (bet - inside)) / k - price)
        total += math.exp(log_mass) * best
    return total


def test_bets_of_the_document_gain_what_it_says(case: tuple[Protocol, Protocol, DoesNotRefine]) -> None:
    original, refined, decision = case
    document = decision_json(decision, (original.spec, refined.spec), None)
    told = document["counterexample"]
    assert isinstance(told, dict)
    offers = [(bet["size"], float(Fraction(bet["stake"])), float(Fraction(bet["price"]))) for bet in told["bets"]]
    assert max(prize for _, prize, _ in offers) == 1
    assert gained(original, offers) == pytest.approx(told["vulnerability_original"], rel=ROUNDED)
    assert gained(refined, offers) == pytest.approx(told["vulnerability_refined"], rel=ROUNDED)
    in_words = re.findall(r"on (\d+) values? a prize of (\S+) for ([^\s;)]+)", told["words"])
    for words, offer in zip(in_words, offers[:3], strict=True):
        assert tuple(map(float, words)) == pytest.approx(offer, rel=1e-5)  # six digits


def test_figures_of_several_bets_are_those_of_the_programs(case: tuple[Protocol, Protocol, DoesNotRefine]) -> None:
    original, refined, decision = case
    bracket = bracket_deficiency(original=original, refined=refined)
    assert decision.deficiency is not None
    assert decision.vulnerability_ratio is not None
    assert bracket.ends[0] <= decision.deficiency <= bracket.ends[1]
    assert decision.deficiency == pytest.approx(deficiency(original.profile, refined.profile), abs=SOLVED)
    expected = vulnerability_ratio(original.profile, refined.profile)
    assert decision.vulnerability_ratio == pytest.approx(expected, abs=SOLVED)


EXTREMES = [
    ("blh", "sue", 2, "1e-9"),
    ("sue", "grr", 3, "150"),
    ("olh", "oue", 3, "150"),
    ("grr", "oue", 3, "700"),
    ("grr", "blh", 3, "500"),
    ("grr", "blh", 3, "700"),
    ("grr", "sue", 20, "700"),
    ("sue", "blh", 20, "700"),
    ("the", "blh", 2, "700"),
    ("the:theta=0.5", "lh:g=1000000", 2, "700"),
]


@pytest.mark.parametrize(("original", "refined", "k", "epsilon"), EXTREMES)
def test_what_is_refuted_by_a_hair_is_not_shown_as_nothing(original: str, refined: str, k: int, epsilon: str) -> None:
    """At every ε somebody gains more, by more than nothing, though by less than digits next to one can show."""
    a, b = (parse_spec(spec).build(k, Budget.read(epsilon)) for spec in (original, refined))
    decision = decide_refinement(original=a, refined=b)
    assert isinstance(decision, DoesNotRefine), decision
    assert decision.deficiency is not None
    assert decision.deficiency > 0
    assert decision.margin is not None
    assert decision.margin < 1
    assert decision.vulnerability_ratio is not None
    assert decision.vulnerability_ratio < 1


def test_a_hair_between_matrices_is_a_deficiency() -> None:
    table = [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]]
    hair = Fraction(1, 10**40)
    more = [[table[0][0] + hair, table[0][1] - hair], table[1]]
    decision = decide_refinement(original=Channel(table), refined=Channel(more))
    assert isinstance(decision, DoesNotRefine)
    assert decision.deficiency == pytest.approx(1e-40, rel=1)  # of the order of the change
    assert decision.vulnerability_original == decision.vulnerability_refined
    assert 0 < decision.advantage < 1e-39


def shrunk(channel: Channel, share: float) -> Channel:
    """Return the channel whose posteriors are shrunk towards uniform by a share."""
    matrix = channel.to_float().matrix
    return Channel(share * matrix + (1 - share) * matrix.mean(axis=0), normalize=True)


@pytest.mark.parametrize("seed", range(6))
def test_margins_of_matrices_are_where_refinement_ends(seed: int) -> None:
    rng = np.random.default_rng(seed)
    original = Channel(rng.dirichlet(np.ones(5), size=3), normalize=True)
    refined = Channel(rng.dirichlet(np.ones(4) / 2, size=3), normalize=True)
    margin = explicit_margin(original, refined)
    assert margin is not None
    for factor, expected in ((1 - 1e-3, Refines), (1 + 1e-3, DoesNotRefine)):
        if margin * factor < 1:  # beyond, shrinking would make entries negative
            target = shrunk(refined, margin * factor)
            assert isinstance(decide_refinement(original=original, refined=target), expected)
    decision = decide_refinement(original=original, refined=refined)
    assert decision.margin is not None
    assert (decision.margin >= 1) == isinstance(decision, Refines)


@pytest.mark.parametrize(
    ("original", "refined"), [(SUE(4, 1), OUE(4, 1)), (OUE(4, 2), GRR(4, 1)), (GRR(4, 1), BLH(4, 1))]
)
def test_margins_of_matrices_are_those_of_profiles(original: Protocol, refined: Protocol) -> None:
    expected = solve_transport(original.profile, refined.profile).margin
    assert explicit_margin(original.channel(), refined.channel()) == pytest.approx(expected, abs=SOLVED)


def test_margins_where_there_is_nothing_to_shrink_or_to_reach() -> None:
    constant, coin = Channel([[1], [1], [1]]), Channel([[1, 0], [0, 1], [Fraction(1, 2), Fraction(1, 2)]])
    assert explicit_margin(coin, constant) is None
    assert explicit_margin(constant, coin) == 0
    assert explicit_margin(coin, Channel([[0, 1], [0, 1], [1, 0]])) == 0  # off the space of the coin's columns


@pytest.mark.parametrize(("ends", "shown"), [
    (("945543711/1000000000000", "945543714/1000000000000"), ("0.000945543711", "0.000945543714")),
    (("12345678901239/100000000000000", "12345678901231/50000000000000"), ("0.123456789012", "0.246913578025")),
    (("-1/1000", "1/3"), ("0.000000000000", "0.333333333334")),
])  # fmt: skip
def test_brackets_are_rounded_outwards(ends: tuple[str, str], shown: tuple[str, str]) -> None:
    bracket = bracket_deficiency(original=GRR(4, 1), refined=OUE(4, 1))
    changed = dataclasses.replace(bracket, least=Fraction(ends[0]), most=Fraction(ends[1]))
    assert outward(changed) == shown
    low, high = changed.ends
    assert Fraction(low) <= max(changed.least, Fraction(0))
    assert Fraction(high) >= changed.most


def test_a_figure_is_shown_within_what_is_proved_of_it() -> None:
    pair = SUE(4, 1), GRR(4, 1)
    decision = decide_refinement(original=pair[0], refined=pair[1])
    bracket = bracket_deficiency(original=pair[0], refined=pair[1])
    names = pair[0].spec, pair[1].spec
    assert decision.deficiency is not None
    for shift in (-Fraction(1, 100), Fraction(0), Fraction(1, 100)):
        other = dataclasses.replace(bracket, least=bracket.least + shift, most=bracket.most + shift)
        told = decision_json(decision, names, None, other)["deficiency"]
        assert isinstance(told, float)
        assert other.ends[0] <= told <= other.ends[1]
        if not shift:
            assert told == decision.deficiency


def test_nothing_is_lacking_in_either_direction_between_a_protocol_and_itself() -> None:
    decision = decide_refinement(original=SUE(60, 1), refined=SUE(60, 1))
    assert (decision.deficiency, decision.deficiency_reverse) == (0, 0)


@pytest.mark.parametrize("number", ["١/٢", " 1/2", "1/2\n", "½", "1_0/20"])
def test_numbers_of_a_proof_are_digits(number: str) -> None:
    certificate = decide_refinement(original=GRR(4, 1), refined=SUE(4, 1))
    assert isinstance(certificate, DoesNotRefine)
    document = certificate.certificate.to_json()
    document["proof"]["offers"][0][2] = number  # type: ignore[index]
    with pytest.raises(InputError):
        Certificate.from_json(document)


@pytest.mark.parametrize(
    ("original", "refined"),
    [
        (OUE(1000, 1), SUE(1000, 1)),
        (SUE(1000, 1), OUE(1000, 1)),
        (OUE(100, 30), SUE(100, 30)),
        (OUE(4, 700), SUE(4, 700)),
        (SS(200, 1), SUE(200, 1)),
        (GRR(100, 4), OUE(100, 4)),
        (OUE(50, 1), OUE(50, "1.1")),
    ],
    ids=str,
)
def test_the_adversary_that_is_told_gains_by_what_happens(original: Protocol, refined: Protocol) -> None:
    """Not by a size of set that hardly ever occurs: a fair part of the deficiency, or of the best bet there is."""
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, DoesNotRefine)
    assert found.vulnerability_original < found.vulnerability_refined
    best = best_bet(original.profile, refined.profile)
    assert best is not None
    proof = Certificate(original, refined, "does_not_refine", best)
    gains = verify_certificate(proof).gains
    assert gains is not None
    assert found.advantage > 0.9 * gains.advantage > 0.001
