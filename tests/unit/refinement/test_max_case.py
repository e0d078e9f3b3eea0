"""The max-case order between protocols: at every ε, against its definition, with a proof of each verdict."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest

from qifldp import BLH, GRR, OLH, OUE, SS, SUE, THE, UE, DoesNotRefine, Protocol, Refines, decide_refinement
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import BudgetedProtocol
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decision import Undecided
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
