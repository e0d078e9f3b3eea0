"""Mixtures on either side: decisions against the plain linear program, ties of masses, and rules that reach them."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from oracles.pairs import max_case_truth, random_budget, random_family, truth
from qifldp.exact.budget import Budget
from qifldp.exact.fields import BALLS
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.proofs import EqualRatio, OneSize
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate
from qifldp.refinement.verify_closed import EqualRatioRule, OneSizeRule

HAIR = Fraction(1, 10**40)

LEAST_YES = 0.1
"""Share of the random pairs that must be refined, for the test to have something to find."""


def decided(original: Protocol, refined: Protocol) -> tuple[bool, str]:
    """Return the verdict and the method, after the certificate has gone through JSON and the verifier once more."""
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines | DoesNotRefine), (original, refined, found)
    again = Certificate.from_json(found.certificate.to_json())
    assert (again.original, again.refined) == (original, refined) or found.certificate.proof.kind in ("witness", "gain")
    verify_certificate(again)
    return isinstance(found, Refines), found.method


def random_mix(source: random.Random, k: int, epsilon: Fraction) -> Mix:
    """Return a mixture of two or three parts, in half of the cases with some silence."""
    names = ["grr", "blh", "lh@3", "sue", "oue", *(f"ss@{size}" for size in range(1, k))]
    chosen = source.sample(names, source.randint(2, min(3, len(names))))
    weights = [source.randint(1, 9) for _ in chosen]
    total = sum(weights) + source.choice((0, 0, 1, 5))
    return Mix(k, epsilon, parts="+".join(f"{w}/{total}*{name}" for w, name in zip(weights, chosen, strict=True)))


@pytest.mark.parametrize(
    ("original", "refined"), [("0.3*oue", "0.6*lh@4"), ("0.3*oue", "0.31*oue"), ("0.5*sue", "0.6*ss@1")]
)
def test_less_mass_of_one_law_proves_nothing(original: str, refined: str) -> None:
    """OUE and LH with four buckets are one law at ε = ln 3; then the masses decide."""
    sides = Mix(5, "ln(3)", parts=original), Mix(5, "ln(3)", parts=refined)
    with pytest.raises(CertificateError, match="A has less mass than B"):
        verify_certificate(Certificate(*sides, "refines", EqualRatio()))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_one_size_beside_silence_agrees_with_the_linear_program(k: int) -> None:
    """B says something in sets of one size, or nothing: A's best aligned mass decides, as much as B has."""
    source = random.Random(k)
    methods, yes = set(), 0
    for _ in range(40):
        size, share = source.randint(1, k - 1), Fraction(source.randint(1, 9), 10)
        refined = Mix(k, random_budget(source), parts=f"{share}*ss@{size}")
        original = random_side(source, k, random_budget(source) * source.choice((1, 2)))
        expected = truth(original, refined)
        verdict, method = decided(original, refined)
        assert expected is None or verdict == expected, (original, refined)
        methods.add(method)
        yes += verdict
    assert "one size" in methods
    assert 4 <= yes <= 36


@pytest.mark.parametrize("parts", ["0.5*ss@2000", "0.001*ss@3000", "0.999*ss@1500"])
def test_one_size_beside_silence_over_a_large_domain(parts: str) -> None:
    assert decided(OUE(10_000, 3), Mix(10_000, 1, parts=parts)) == (True, "one size")


def test_ties_of_one_size_beside_silence() -> None:
    """At one ε the masses are one another's; a hair more is no refinement, a hair less is."""
    whole = Mix(6, exp_epsilon=3, parts="1/2*ss@2+1/4*ss@3")
    for weight, expected in (("1/2", True), (str(Fraction(1, 2) - HAIR), True), (str(Fraction(1, 2) + HAIR), False)):
        assert decided(whole, Mix(6, exp_epsilon=3, parts=f"{weight}*ss@2"))[0] == expected
    for change, expected in ((0, True), (HAIR, False)):  # T(1) of e^ε = 2 over three values is what pairs of 3 reach
        ratio = 2 + change
        sides = Mix(5, exp_epsilon=3, parts="1/2*ss@2"), Mix(5, exp_epsilon=ratio, parts="1/2*ss@1")
        assert decided(*sides)[0] == expected


@pytest.mark.parametrize(
    ("taken", "last", "why"), [({1, 2}, 0, "B has less mass than A"), (set(), 1, "A has less mass than B")]
)
def test_a_wrong_choice_of_sizes_is_seen(taken: set[int], last: int, why: str) -> None:
    """Which of A's sizes are used is a guess of the rule's own; more mass than B has, or than A has, proves nothing."""
    rule = OneSizeRule(Mix(6, 2, parts="1/4*ss@1+1/2*ss@2"), Mix(6, 1, parts="1/2*ss@1"))
    vars(rule)["_taken"] = frozenset(taken), last
    with pytest.raises(CertificateError, match=why):
        rule.check()


def test_equal_ratios_of_mixtures_over_many_values_are_bounded() -> None:
    def sides(k: int) -> tuple[Mix, Mix]:
        return Mix(k, "ln(3)", parts="0.5*oue+0.3*sue"), Mix(k, "ln(3)", parts="0.4*lh@4+0.2*sue")

    original, refined = sides(10**6)
    with pytest.raises(CertificateError, match="compares at most 1,000,000 masses"):
        verify_certificate(Certificate(original, refined, "refines", EqualRatio()))
    assert decided(*sides(20_000)) == (True, "equal ρ")


def random_side(source: random.Random, k: int, epsilon: Fraction) -> Protocol:
    return random_mix(source, k, epsilon) if source.random() < 2 / 3 else random_family(source, k)(epsilon)


@pytest.mark.parametrize(("k", "pairs"), [(2, 60), (3, 60), (4, 12)])
def test_random_pairs_agree_with_the_linear_program(k: int, pairs: int) -> None:
    """Mixtures against mixtures and others, at one budget and at two."""
    source = random.Random(k)
    yes = counted = 0
    for _ in range(pairs):
        budget = random_budget(source)
        more = budget * source.choice((1, 1, Fraction(6, 5), 2))
        original, refined = random_mix(source, k, more), random_side(source, k, budget)
        for a, b in ((original, refined), (refined, original)):
            expected = truth(a, b)
            verdict, _ = decided(a, b)
            assert expected is None or verdict == expected, (a, b)
            counted += expected is not None
            yes += verdict
    assert counted >= 0.9 * 2 * pairs
    assert yes >= LEAST_YES * 2 * pairs


@pytest.mark.parametrize("k", [2, 3])
def test_random_pairs_agree_with_the_hull_of_posteriors_at_worst(k: int) -> None:
    source = random.Random(10 + k)
    verdicts = set()
    for _ in range(30):
        budget = random_budget(source)
        sides = random_mix(source, k, budget * source.choice((1, 2))), random_side(source, k, budget)
        for a, b in (sides, sides[::-1]):
            found = decide_refinement(original=a, refined=b, order="max")
            assert isinstance(found, Refines | DoesNotRefine), (a, b, found)
            verify_certificate(Certificate.from_json(found.certificate.to_json()))
            expected = max_case_truth(a, b)
            assert expected is None or isinstance(found, Refines) == expected, (a, b)
            verdicts.add(isinstance(found, Refines))
    assert verdicts == {True, False}


BLURRED = [
    ("0.5*ss@2+0.5*ss@1", "0.5*ss@2+0.3*ss@1"),
    ("0.5*ss@2+0.5*grr", "0.3*ss@1+1/2*ss@2"),
    ("0.5*oue+0.5*grr", "0.5*oue+0.4*grr"),
    ("1/3*sue+1/3*blh+1/3*ss@2", "1/3*ss@2+0.3*sue+0.3*blh"),
    ("0.5*oue+0.5*sue", "0.5*sue+0.5*oue"),
]
"""The right side is the left one with some reports kept back, or in another order."""


@pytest.mark.parametrize("k", [3, 5, 50, 300, 2000])
@pytest.mark.parametrize("epsilon", ["0.5", "3", "ln(3)"])
@pytest.mark.parametrize(("more", "less"), BLURRED)
def test_reports_kept_back_are_refined_at_any_size(k: int, epsilon: str, more: str, less: str) -> None:
    """Masses tie at every other size: what both are mixed from is taken away before masses are compared."""
    a, b = Mix(k, epsilon, parts=more), Mix(k, epsilon, parts=less)
    assert decided(a, b) == (True, "equal ρ")
    assert decided(b, a)[0] == (b.silence == 0)


@pytest.mark.parametrize("k", [3, 50, 1000])
def test_a_hair_more_of_one_size_is_not_refined(k: int) -> None:
    half = Fraction(1, 2)
    a = Mix(k, 1, parts="0.5*ss@2+0.5*grr")
    more = Mix(k, 1, parts=f"{half + HAIR}*ss@2+0.2*grr")
    assert decided(a, more) == (False, "one bet")
    assert decided(a, Mix(k, 1, parts=f"{half - HAIR}*ss@2+0.2*grr"))[0]


@pytest.mark.parametrize(("k", "epsilon"), [(2, "1.1"), (3, "2"), (20, "9"), (3, "ln(9)")])
def test_a_mixture_of_bits_against_its_parts(k: int, epsilon: str) -> None:
    """Where SUE is refined to OUE, so is a mixture of the two; and to a mixture with what is in both."""
    sue, oue, both = SUE(k, epsilon), OUE(k, epsilon), Mix(k, epsilon, parts="0.5*sue+0.5*oue")
    expected = decided(sue, oue)[0]
    assert expected
    assert decided(sue, both)[0]
    assert decided(both, oue)[0]
    assert not decided(oue, both)[0]


@pytest.mark.parametrize("parts", ["1*grr", "0.5*grr+0.5*ss@1"])
@pytest.mark.parametrize("k", [3, 40])
def test_mixtures_of_one_size_are_of_one_size(k: int, parts: str) -> None:
    assert decided(Mix(k, 1, parts=parts), GRR(k, 1)) == (True, "equal ρ")
    assert decided(GRR(k, 1), Mix(k, 1, parts=parts)) == (True, "equal ρ")
    assert decided(Mix(k, 2, parts=parts), OUE(k, "0.5"))[1] in ("one size", "tight ε")
    assert decided(Mix(k, 2, parts=parts), Mix(k, 1, parts=parts)) == (True, "one size")
    assert decided(Mix(k, "1.5", parts=parts), Mix(k, 1, parts="0.2*grr+0.7*ss@2"))[1] == "one size"


@pytest.mark.parametrize("k", [4, 30])
def test_one_size_on_the_boundary_from_a_mixture(k: int) -> None:
    """The best guess after a mixture is right as often as after GRR at a rational e^ε: a tie, proved, and a hair."""
    mix = Mix(k, exp_epsilon=6, parts="1/2*ss@2+1/3*grr")
    profile = mix.exact_profile()
    asr = sum((mass * profile.densities(size)[0] / k for size, mass in profile.mass), Fraction(0))
    at = asr * (k - 1) / (1 - asr)
    assert decided(mix, GRR(k, exp_epsilon=at))[0]
    assert not decided(mix, GRR(k, exp_epsilon=at + HAIR))[0]


def test_sizes_that_both_have_are_compared_where_families_differ() -> None:
    """LH of two buckets is BLH: one law under two names; and a half of each is the whole of one."""
    for k in (3, 10, 300):
        assert decided(Mix(k, 1, parts="1*blh"), Mix(k, 1, parts="0.9*lh@2"))[0]
        assert not decided(Mix(k, 1, parts="0.9*blh"), Mix(k, 1, parts="1*lh@2"))[0]
    for k in (3, 10):
        assert decided(Mix(k, 1, parts="0.5*blh+0.5*lh@2"), Mix(k, 1, parts="1*blh"))[0]


def test_all_sizes_are_compared_where_a_mixture_has_all() -> None:
    """SUE has more of the outer sizes than the mixture, and less in the middle: no two ends decide."""
    k = 30
    a, b = SUE(k, 2), Mix(k, 2, parts="0.6*oue+0.4*blh")
    assert len(list(EqualRatioRule(a, b).claims(BALLS))) == k - 1
    assert not decided(a, b)[0]
    assert not decided(b, a)[0]


def test_a_family_at_two_budgets() -> None:
    for k, parts in ((3, "0.5*oue+0.5*ss@2"), (20, "0.3*ss@4+0.6*ss@5"), (20, "0.5*grr+0.5*olh")):
        mix = Mix(k, 1, parts=parts)
        assert decided(mix.at(Budget.read("1.2")), mix)[0]
        assert not decided(mix, mix.at(Budget.read("1.2")))[0]


SIDES: tuple[Protocol, ...] = (
    *(Mix(k, "0.8", parts=parts) for k in (2, 3) for parts in ("0.5*grr+0.5*oue", "0.3*grr+0.5*oue", "0.9*grr")),
    Mix(3, "0.8", parts="0.5*ss@2+0.5*grr"),
    Mix(3, "0.8", parts="0.6*ss@2+0.2*grr"),
    Mix(3, "0.3", parts="0.6*ss@2+0.2*grr"),
    *(kind(k, epsilon) for kind in (GRR, SUE, OUE) for k in (2, 3) for epsilon in ("0.8", "0.3")),
    *(SS(3, epsilon, omega=2) for epsilon in ("0.8", "0.4")),
    UE(3, p="0.6", q="0.4"),
)


@pytest.mark.parametrize("proof", [OneSize(), EqualRatio()])
def test_a_closed_rule_is_accepted_only_where_it_is_true(proof: OneSize | EqualRatio) -> None:
    accepted = refused = 0
    for original in SIDES:
        for refined in SIDES:
            if original.domain_size != refined.domain_size or original == refined:
                continue
            try:
                verify_certificate(Certificate(original, refined, "refines", proof))
            except CertificateError:
                refused += truth(original, refined) is False
            else:
                assert truth(original, refined) is not False
                accepted += truth(original, refined) is True
    assert accepted > 10
    assert refused > 20
