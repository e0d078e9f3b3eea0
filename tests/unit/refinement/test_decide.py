"""Decisions against the plain linear program, at the boundary, and the known facts."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from oracles.pairs import near_boundary, random_budget, random_family, random_unary, truth
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import DoesNotRefine, Refines
from qifldp.refinement.search.transport import solve_transport
from qifldp.refinement.verify import verify_certificate

LEAST_YES = 0.30
LEAST_NEAR = 0.20
"""Shares of the random pairs that must be refined, and that must have a margin within NEAR of one."""

NEAR = 0.05


def decided(original: Protocol, refined: Protocol) -> bool:
    """Return the verdict, after its certificate has gone through JSON and the verifier once more."""
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines | DoesNotRefine), (original, refined, found)
    verify_certificate(Certificate.from_json(found.certificate.to_json()))
    assert found.certificate.verdict == ("refines" if isinstance(found, Refines) else "does_not_refine")
    if isinstance(found, DoesNotRefine):
        assert 0 <= found.vulnerability_original < found.vulnerability_refined
        assert found.words
    return isinstance(found, Refines)


def test_random_pairs_agree_with_the_linear_program() -> None:
    source = random.Random(3)
    pairs: list[tuple[Protocol, Protocol]] = []
    for k, count in ((2, 50), (3, 80), (4, 10)):
        off = (Fraction(3, 100), Fraction(1, 100))
        pairs += [near_boundary(source, k, source.choice(off)) for _ in range(count)]
    for k, count in ((2, 50), (3, 80), (4, 50), (5, 6)):
        for _ in range(count):
            unary = source.random() < 1 / 4
            original = random_unary(source, k) if unary else random_family(source, k)(random_budget(source) * 2)
            pairs.append((original, random_family(source, k)(random_budget(source))))
    yes = near = counted = 0
    for original, refined in pairs:
        for a, b in ((original, refined), (refined, original)):
            expected = truth(a, b)
            verdict = decided(a, b)
            assert expected is None or verdict == expected, (a, b)
            counted += expected is not None
            yes += verdict
            near += abs(solve_transport(a.profile, b.profile).margin - 1) <= NEAR
    everything = 2 * len(pairs)
    assert counted >= 0.95 * everything  # the linear program itself is unsure of very few
    assert yes >= LEAST_YES * everything
    assert near >= LEAST_NEAR * everything


@pytest.mark.parametrize("epsilon", ["0.01", "0.5", "1", "5", "20", "ln(3)"])
def test_sue_to_oue_on_two_values(epsilon: str) -> None:
    assert decided(SUE(2, epsilon), OUE(2, epsilon))
    assert not decided(OUE(2, epsilon), SUE(2, epsilon))


@pytest.mark.parametrize(("k", "start"), [(3, "1.956"), (4, "2.851")])
def test_sue_to_oue_holds_from_a_threshold(k: int, start: str) -> None:
    step = Fraction(1, 1000)
    for times in (1, 10, 1000):
        assert decided(SUE(k, Fraction(start) + times * step), OUE(k, Fraction(start) + times * step))
        assert not decided(SUE(k, Fraction(start) - times * step), OUE(k, Fraction(start) - times * step))


BITWISE_THRESHOLD = Fraction("0.799988674")
"""By Lemma 10 at ε = 0.8, rounded up to nine digits (0.7999886739…)."""


@pytest.mark.parametrize(("k", "theta"), [(3, "0.664"), (4, "0.750"), (6, "0.792")])
def test_oue_to_the_from_a_threshold(k: int, theta: str) -> None:
    half = Fraction(1, 2000)  # the thresholds are rounded to three decimals
    assert decided(OUE(k, "0.8"), THE(k, "0.8", theta=Fraction(theta) + half))
    assert not decided(OUE(k, "0.8"), THE(k, "0.8", theta=Fraction(theta) - half))


@pytest.mark.parametrize("k", [2, 3, 5, 8, 11, 12, 13, 14, 20, 30])
def test_oue_to_the_starts_just_below_the_threshold_of_bits(k: int) -> None:
    """At the threshold of bits it holds; 1e-5 below up to k = 12, but not at k = 13, where it begins 9.9e-6 below."""
    assert decided(OUE(k, "0.8"), THE(k, "0.8", theta=BITWISE_THRESHOLD))
    assert decided(OUE(k, "0.8"), THE(k, "0.8", theta=BITWISE_THRESHOLD - Fraction(1, 10**5))) == (k < 13)


def test_rounded_parameters_are_no_refinement_families() -> None:
    """A larger ε is no more informative where ω or g jumps: SS at k = 10 and OLH, each with a proof."""
    assert decided(SS(10, "1.05"), SS(10, 1))
    assert not decided(SS(10, "1.15"), SS(10, 1))
    assert decided(SS(10, "1.5"), SS(10, 1))
    assert not decided(OLH(20, "1.3"), OLH(20, "1.2"))
    assert OLH(20, "1.3").buckets > OLH(20, "1.2").buckets


@pytest.mark.parametrize("k", [2, 10, 60])
def test_fixed_parameters_are_refinement_families(k: int) -> None:
    for low, high in (("0.1", "0.1001"), ("1", "1.3"), ("ln(3)", "ln(4)"), ("2", "9")):
        assert decided(SS(k, high, omega=max(1, k // 3)), SS(k, low, omega=max(1, k // 3)))
        assert decided(LH(k, high, g=3), LH(k, low, g=3))
        assert decided(BLH(k, high), BLH(k, low))
        assert not decided(BLH(k, low), BLH(k, high))


@pytest.mark.parametrize("k", [2, 7, 50, 200, 1000])
@pytest.mark.parametrize(("hashing", "unary"), [("ln(3)", "ln(3)"), ("2*ln(2)", "ln(4)"), ("1/2*ln(9)", "ln(3)")])
def test_olh_is_oue_where_its_buckets_are_not_rounded(k: int, hashing: str, unary: str) -> None:
    assert decided(OLH(k, hashing), OUE(k, unary))
    assert decided(OUE(k, unary), OLH(k, hashing))


@pytest.mark.parametrize("epsilon", ["0.01", "1", "2.5", "20", "ln(3)", "1/3*ln(5)"])
def test_oue_is_blh_on_two_values(epsilon: str) -> None:
    assert decided(OUE(2, epsilon), BLH(2, epsilon))
    assert decided(BLH(2, epsilon), OUE(2, epsilon))


@pytest.mark.parametrize("k", [5, 60, 300])
def test_equal_channels_written_differently(k: int) -> None:
    for a, b in (
        (UE(k, p="0.9", q="0.8"), UE(k, p="0.1", q="0.2")),
        (SUE(k, "ln(9)"), UE(k, p="3/4", q="1/4")),
        (THE(k, exp_epsilon=16, theta="1/2"), UE(k, p="3/4", q="1/4")),
        (LH(k, 1, g=2), BLH(k, 1)),
        (SS(k, 1, omega=1), GRR(k, 1)),
    ):
        assert decided(a, b)
        assert decided(b, a)


@pytest.mark.parametrize("k", [100, 400])
def test_a_tail_below_1e_60_decides(k: int) -> None:
    """GRR at ρ reaches B's sets of w' values exactly if ρ − 1 ≥ w'(ρ_B − 1): here all but those of k − 1 values."""
    refined = OUE(k, exp_epsilon=5)
    size, mass = refined.exact_profile().mass[-1]
    assert (size, mass < Fraction(1, 10**60)) == (k - 1, True)
    assert not decided(GRR(k, exp_epsilon=1 + 4 * (k - 1) - 1), refined)
    assert decided(GRR(k, exp_epsilon=1 + 4 * (k - 1) + 1), refined)


def test_a_tail_below_all_doubles_decides() -> None:
    """As above, with a mass of 1e-775: the two gains of the proof cannot be told apart as doubles."""
    k = 1000
    found = decide_refinement(original=GRR(k, exp_epsilon=4 * (k - 1)), refined=OUE(k, exp_epsilon=5))
    assert isinstance(found, DoesNotRefine)
    verify_certificate(found.certificate)


def test_a_tail_at_one_ratio_decides() -> None:
    """At one ρ and k = 3, sizes 1 and 2: B has less at the common size, and more at one of mass below 1e-60."""
    tiny = Fraction(1, 10**70)
    a, b = tilted(3, Fraction(4), tiny), tilted(3, Fraction(4), tiny * (1 + Fraction(1, 10**6)))
    assert b.exact_profile().mass[2][1] < Fraction(1, 10**60)
    assert not decided(a, b)
    assert decided(b, a)


def tilted(k: int, ratio: Fraction, q: Fraction) -> UE:
    """Return UE with a likelihood ratio and a q."""
    odds = ratio * q / (1 - q)
    return UE(k, p=odds / (1 + odds), q=q)


@pytest.mark.parametrize("k", [10, 50, 100])
def test_bits_whose_zeros_say_the_same(k: int) -> None:
    """(1 − p)/(1 − q) = 2/3 on both sides: the bits are refined, on the boundary."""
    assert decided(UE(k, p="1/2", q="1/4"), UE(k, p="0.6", q="0.4"))


def test_one_size_on_the_boundary() -> None:
    """M = T exactly, in rationals: one bit of SUE on two values is randomised response; GRR at 5 reaches SS at 3."""
    assert decided(UE(2, p="3/4", q="1/4"), GRR(2, "ln(3)"))
    assert decided(GRR(3, exp_epsilon=5), SS(3, exp_epsilon=3, omega=2))
    assert not decided(GRR(3, exp_epsilon=Fraction("4.999999")), SS(3, exp_epsilon=3, omega=2))


@pytest.mark.parametrize(
    ("original", "refined"),
    [
        (UE(2, p="0.9", q="0.45"), UE(2, p="0.85", q="0.4")),
        (UE(3, p="0.55", q="0.05"), UE(3, p="0.85", q="0.5")),
    ],
)
def test_rational_pairs_with_a_margin_of_exactly_one(original: Protocol, refined: Protocol) -> None:
    assert truth(original, refined) is True
    assert decided(original, refined)


@pytest.mark.parametrize("epsilon", ["1e-6", "1e-14", "1e-18", "1e-60", "1e-99"])
def test_a_refined_that_says_next_to_nothing(epsilon: str) -> None:
    """Gains of A over B's excess are as large as 1/ε, beyond what a solver takes as a coefficient."""
    for original, refined in ((GRR(10, 1), SUE(10, epsilon)), (OUE(10, 1), GRR(10, epsilon))):
        assert decided(original, refined)
        assert not decided(refined, original)


def test_a_tiny_tight_epsilon_is_decided() -> None:
    nearly_silent = UE(3, p="1/2", q=Fraction(1, 2) - Fraction(1, 10**90))
    assert decided(OUE(3, 1), nearly_silent)
    assert not decided(nearly_silent, OUE(3, 1))


def test_domains_must_agree() -> None:
    with pytest.raises(InputError, match=r"^Refinement compares two sides of one domain, got 3 and 4 values\.$"):
        decide_refinement(original=OUE(3, 1), refined=OUE(4, 1))
