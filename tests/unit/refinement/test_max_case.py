"""The max-case order between protocols: at every ε, against its definition, with a proof of each verdict."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from qifldp import (
    BLH,
    GRR,
    LH,
    OLH,
    OUE,
    SS,
    SUE,
    THE,
    UE,
    Channel,
    DoesNotRefine,
    Protocol,
    Refines,
    bracket_deficiency,
    decide_refinement,
)
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.refinement.certificate import Certificate, Side
from qifldp.refinement.decision import Undecided
from qifldp.refinement.search.explicit_strength import explicit_deficiency
from qifldp.refinement.verify import verify_certificate

FAMILIES: tuple[type[BudgetedProtocol], ...] = (GRR, SS, BLH, OLH, SUE, OUE, THE)

EPSILONS = ["1e-30", "1e-9", "0.5", "1", "20", "24", "36", "40", "90", "650"]


def refined_at_worst(original: Protocol, refined: Protocol) -> bool:
    """Return the verdict, after its certificate has gone through JSON and the verifier once more."""
    found = decide_refinement(original=original, refined=refined, order="max")
    assert not isinstance(found, Undecided), (original, refined, found.reason)
    verify_certificate(Certificate.from_json(found.certificate.to_json()))
    return isinstance(found, Refines)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [2, 5, 8, 200])
def test_nothing_leaks_more_than_itself(k: int, epsilon: str) -> None:
    for family in FAMILIES:
        assert refined_at_worst(family(k, epsilon), family(k, epsilon))


@pytest.mark.parametrize("k", [300, 2000])
def test_what_has_no_known_ratio_is_itself_too(k: int) -> None:
    assert refined_at_worst(THE(k, 2), THE(k, 2))
    assert refined_at_worst(UE(k, p="0.9", q="0.8"), UE(k, p="0.1", q="0.2"))  # the complement says the same


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("k", [3, 8, 100])
def test_more_budget_leaks_at_least_as_much(k: int, epsilon: str) -> None:
    more = Fraction(epsilon) * Fraction("1.001") if Fraction(epsilon) < 1 else Fraction(epsilon) + Fraction("0.05")
    for original in (OUE, SUE, BLH):
        assert refined_at_worst(original(k, more), original(k, epsilon))
        assert not refined_at_worst(original(k, epsilon), original(k, more))
        for refined in (OUE, SUE, BLH):  # every size occurs, so ρ alone decides
            assert refined_at_worst(original(k, more), refined(k, epsilon))
            assert refined_at_worst(original(k, epsilon), refined(k, epsilon))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_all_pairs_of_families_are_decided(epsilon: str) -> None:
    for factor in ("1", "1.1", "4"):
        more = Fraction(epsilon) * Fraction(factor)
        if more <= 700:
            for original in FAMILIES:
                for refined in FAMILIES:
                    refined_at_worst(original(5, more), refined(5, epsilon))


def by_definition(original: Protocol, refined: Protocol) -> bool:
    """Return whether some posterior of A puts as much as B's on its set, for each size of B, in rationals."""
    k, a, b = original.domain_size, original.exact_profile(), refined.exact_profile()
    for target, _ in b.mass:
        if target:
            reached = []
            for size, _ in a.mass:
                (member, other), inside = a.densities(size), min(size, target)
                reached.append((member * inside + other * (target - inside)) / k)
            if max(reached) < b.densities(target)[0] * target / k:
                return False
    return True


def test_random_mixtures_agree_with_the_definition() -> None:
    """Sizes far apart, so that B's sizes lie between those of A: neither end need be the one that is missed."""
    source, verdicts = random.Random(5), []
    for _ in range(150):
        k = source.choice((4, 9, 30))
        ratio = source.choice((Fraction(11, 10), Fraction(3), Fraction(40), Fraction(10**14)))
        sizes = [sorted(source.sample(range(1, k), 2)) for _ in range(2)]
        sides = [
            Mix(k, exp_epsilon=rho, parts=f"0.5*ss@{low}+0.5*ss@{high}")
            for (low, high), rho in zip(sizes, (ratio, 1 + (ratio - 1) / source.choice((1, 2, 3, k))), strict=True)
        ]
        verdicts.append(refined_at_worst(*sides))
        assert verdicts[-1] == by_definition(*sides), sides
    assert 0.2 < sum(verdicts) / len(verdicts) < 0.8


@pytest.mark.parametrize(("k", "epsilon"), [(9, "1"), (100, "0.1"), (100, "3"), (100, "30")])
def test_the_report_that_is_told_says_much_more(k: int, epsilon: str) -> None:
    """A's reports have one value: B's of another size say more, by next to nothing at most sizes."""
    found = decide_refinement(original=GRR(k, epsilon), refined=OUE(k, epsilon), order="max")
    assert isinstance(found, DoesNotRefine)
    ratio = math.exp(float(epsilon))
    apart = [v * ratio / (v * ratio + k - v) - (ratio + v - 1) / (ratio + k - 1) for v in range(1, k)]
    assert found.advantage == pytest.approx(max(apart), rel=1e-6)


def test_a_proof_on_average_is_one_at_worst() -> None:
    found = decide_refinement(original=SUE(5, 40), refined=THE(5, 40), order="max")
    assert isinstance(found, Refines)
    assert (found.method, found.certificate.order) == ("bitwise", "max")
    same = decide_refinement(original=SUE(5, 40), refined=SUE(5, 40), order="max")
    assert isinstance(same, Refines)
    assert same.method == "identical"
    apart = decide_refinement(original=SUE(5, 40), refined=GRR(5, "40.1"), order="max")
    assert isinstance(apart, DoesNotRefine)
    assert apart.method == "tight ε"


def lacking_at_worst(original: Side, refined: Side) -> float:
    """Return the deficiency of a pair that is refuted in the max-case order: all who gain more on average gain less."""
    found = decide_refinement(original=original, refined=refined, order="max")
    assert isinstance(found, DoesNotRefine), (original, refined)
    assert found.deficiency is not None
    return found.deficiency


@pytest.mark.parametrize(("original", "refined", "expected"), [
    (GRR(12, exp_epsilon=29), Mix(12, 7, parts="1e-30*ss@3"), 2.222718e-31),
    (GRR(2, exp_epsilon=4), LH(2, exp_epsilon=17, g=10**20), 2.6e-20),
    (SS(8, 1, omega=2), Mix(8, 1, parts="1e-90*ss@5+0.5*ss@2"), 1e-90),
    (GRR(8, "1e-99"), Mix(8, "2e-99", parts="1e-99*ss@4"), 1e-198),
])  # fmt: skip
def test_what_is_refuted_at_worst_is_lacking_on_average(original: Protocol, refined: Protocol, expected: float) -> None:
    """By however little: B's luckiest reports may hardly ever occur."""
    lacking = lacking_at_worst(original, refined)
    assert lacking > 0
    assert expected / 50 < lacking < expected * 1.001


def test_what_is_lacking_on_average_is_not_overrated() -> None:
    """What the adversary who acts on lucky reports gains more is proved to be no more than the deficiency."""
    source = random.Random(8)
    compared = 0
    for _ in range(60):
        k, ratio = source.choice((4, 9, 20)), source.choice((2, 5, 30))
        sizes = source.sample(range(1, k), 3)
        pair = (
            SS(k, exp_epsilon=ratio, omega=sizes[0]),
            Mix(k, exp_epsilon=ratio, parts=f"0.4*ss@{sizes[1]}+0.1*ss@{sizes[2]}"),
        )
        for original, refined in (pair, pair[::-1]):
            found = decide_refinement(original=original, refined=refined, order="max")
            if isinstance(found, DoesNotRefine):
                low, high = bracket_deficiency(original=original, refined=refined).ends
                assert found.deficiency is not None
                assert low <= found.deficiency <= high
                compared += 1
    assert compared > 30


def test_matrices_that_are_refuted_at_worst_are_lacking_on_average() -> None:
    """By what happens once in 10⁴⁰, which no linear program sees; and by a fair share, which one does."""
    half, third = Fraction(1, 2), Fraction(1, 3)
    original = Channel([[half, half], [third, 2 * third]])
    for rare in (Fraction(1, 10**40), Fraction(1, 10)):
        rest = 1 - rare
        refined = Channel([[rare, 0, rest * half, rest * half], [0, rare, rest * third, rest * 2 * third]])
        # They name the value that such a report shows: right, where A's reports are right in 3/5 and 4/7 at most.
        most = explicit_deficiency(original, refined)
        assert most is not None
        lacking = lacking_at_worst(original, refined)
        assert rare / 10 < lacking <= max(most, float(rare))
