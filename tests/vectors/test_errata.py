"""Where the paper is wrong, loose, or can be sharpened: one check for each row of docs/reference/errata.md."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import qifldp as ql
from oracles.garbling import deficiency, is_garbling
from qifldp import BLH, GRR, LH, OLH, OUE, SS, SUE, THE, UE, Channel, InputError, Prior
from qifldp.data.datasets import load_dataset
from qifldp.exact.fields import RATIONALS

RELATIVE = 1e-12
"""Two ways to compute one figure differ by some tens of roundings of 1e-16."""

APART = 1e-6
"""A linear program's residual that is not rounding: its accuracy is 1e-9."""


def bit(protocol: ql.Protocol) -> Channel:
    """The channel of one bit of a unary encoding: rows are the bit's values 0 and 1."""
    p, not_p, q, not_q = (float(chance) for chance in protocol.chances)
    return Channel([[not_q, q], [not_p, p]])


def close(value: float, expected: float, relative: float = RELATIVE) -> bool:
    return abs(value - expected) <= relative * abs(expected)


def test_8_max_case_needs_the_posterior() -> None:
    grr = GRR(3, exp_epsilon=100).channel()
    prior = Prior(["1/50", "1/50", "48/50"])
    joint = grr.joint(prior)
    as_printed = joint.max() / prior.probabilities.max()
    assert as_printed <= 1
    assert ql.max_case_leakage(grr, prior) > 1
    rare = Prior(["1/100000", "49999/100000", "50000/100000"])
    wants_the_rare = ql.gains.from_matrix([[1, 0, 0]])
    assert ql.max_case_leakage(grr, rare, wants_the_rare) > Fraction(99)  # the supremum is e^ε = 100
    assert ql.max_case_leakage(grr, rare, wants_the_rare) < 100


def test_negative_gains_are_refused() -> None:
    with pytest.raises(InputError, match="A gain must not be negative"):
        ql.gains.from_matrix([[1.0, -0.5]])
    # With gains shifted so that the prior vulnerability nears zero the ratio has no bound:
    channel = GRR(2, exp_epsilon=3).channel()
    for tiny in (Fraction(1, 10), Fraction(1, 10**6)):
        before = Fraction(1, 2) - (Fraction(1, 2) - tiny)
        after = Fraction(3, 4) - (Fraction(1, 2) - tiny)
        assert ql.asr(channel) == Fraction(3, 4)
        assert after / before > Fraction(1, 4) / tiny


def test_11_is_tight_for_max_case_only() -> None:
    for protocol in (GRR(3, 1), SUE(3, 1), OUE(3, 1), BLH(3, 1), SS(3, 1), OLH(3, 1)):
        assert close(float(ql.max_case_capacity(protocol)), math.e)
        assert ql.bayes_capacity(protocol) < math.e * (1 - APART)


def test_refinement_is_a_preorder_on_matrices() -> None:
    one = Channel([["1/2", "1/2"], ["1/4", "3/4"]])
    split = Channel([["1/4", "1/4", "1/2"], ["1/8", "1/8", "3/4"]])
    assert is_garbling(original=one, refined=split)
    assert is_garbling(original=split, refined=one)
    assert one != split
    assert np.array_equal(one.reduced().matrix, split.reduced().matrix)


def test_footnote_5_fails_without_symmetry() -> None:
    channel = Channel([[1, 0], [1, 0], [0, 1]])
    assert ql.asr(channel) == Fraction(2, 3)
    assert ql.asr(channel, Prior(["1/2", "1/2", 0])) == Fraction(1, 2)
    skewed = Prior(["1/2", "1/4", "1/4"])
    symmetric = GRR(3, exp_epsilon=2).channel()
    assert ql.asr(symmetric, skewed) >= ql.asr(symmetric)


def test_definition_3_signs() -> None:
    channel = GRR(4, exp_epsilon=5).channel()
    before, after = -math.log2(1 / 4), -math.log2(ql.asr(channel))
    assert before > 0
    assert close(before - after, ql.min_entropy_capacity(channel))


@pytest.mark.parametrize("k", [3, 4, 5, 6])
def test_subset_selection_capacity(k: int) -> None:
    for omega in range(1, k):
        protocol = SS(k, exp_epsilon=3, omega=omega)
        exact = ql.bayes_capacity(protocol.channel())
        assert exact == Fraction(3 * k, omega * 3 + k - omega)
        p, _ = protocol.support_probabilities(RATIONALS)
        printed = k * p / math.comb(k - 1, omega - 1)
        assert (printed == exact) == (omega in (1, k - 1))


@pytest.mark.parametrize(
    ("rare", "most_off", "worst_at_least", "worst"), [(False, 0.03, 1.02, 1.026), (True, 0.3, 1.1, 1.17)]
)
def test_rounded_omega_is_not_always_the_least_variance(
    rare: bool, most_off: float, worst_at_least: float, worst: float
) -> None:
    ratios = []
    for k in range(2, 121):
        frequency = 0 if rare else 1 / k
        for epsilon in np.linspace(0.2, 5, 25):
            omega = np.arange(1, k)
            p = omega * math.exp(epsilon) / (omega * math.exp(epsilon) + k - omega)
            q = (omega - p) / (k - 1)
            variance = (frequency * p * (1 - p) + (1 - frequency) * q * (1 - q)) / (p - q) ** 2
            chosen = max(1, math.floor(k / (math.exp(epsilon) + 1) + 0.5))
            assert SS(k, float(epsilon)).omega == chosen
            ratios.append(variance[chosen - 1] / variance.min())
    assert 0 < np.mean(np.array(ratios) > 1 + RELATIVE) < most_off
    assert worst_at_least < max(ratios) < worst


def test_local_hashing_needs_all_functions() -> None:
    # Three functions of four values to two buckets in which every two values collide with one in three.
    family = [(0, 0, 1, 1), (0, 1, 0, 1), (0, 1, 1, 0)]
    weight = math.exp(2)
    p, q = weight / (weight + 1), 1 / (weight + 1)
    columns = [[(p if h[x] == y else q) / 3 for x in range(4)] for h in family for y in (0, 1)]
    assert close(float(ql.bayes_capacity(Channel(np.array(columns).T))), 1.762, 1e-3)
    assert close(float(ql.bayes_capacity(LH(4, 2, g=2))), 1.666, 1e-3)


def test_appendix_a_needs_the_guess_on_empty_support() -> None:
    for k, epsilon, g in ((2, 3.0, 21), (5, 1.0, 4), (10, 3.0, 21)):
        p = math.exp(epsilon) / (math.exp(epsilon) + g - 1)
        sizes = [math.comb(k - 1, j) * g**-j * (1 - 1 / g) ** (k - 1 - j) for j in range(k)]
        kept = p * sum(chance / (j + 1) for j, chance in enumerate(sizes))  # E[1/|U|], not 1/E[|U|]
        empty = (1 - p) * (1 - 1 / g) ** (k - 1) / k
        asr = float(ql.asr(LH(k, epsilon, g=g)))
        assert close(kept + empty, asr)
        assert not close(kept, asr, APART)
        printed = math.exp(epsilon) / ((math.exp(epsilon) + g - 1) * max(k / g, 1))
        assert abs(printed - asr) > 0.01


def test_column_maximum_is_not_a_posterior() -> None:
    channel = SUE(3, exp_epsilon=4).channel()  # p = 2/3
    silent = channel.matrix[:, channel.outputs.index("000")]
    assert silent.max() == Fraction(2, 3) ** 2 * Fraction(1, 3)
    assert channel.posterior("000").probabilities.max() == Fraction(1, 3)


def test_theorem_1_expected_loss_falls_with_epsilon() -> None:
    losses = [1 - ql.asr(GRR(5, exp_epsilon=level).channel()) for level in (2, 3, 5, 9)]
    assert losses == sorted(losses, reverse=True)
    assert is_garbling(original=GRR(5, exp_epsilon=3).channel(), refined=GRR(5, exp_epsilon=2).channel())


def test_fixed_parameters_are_refinement_families_and_rounded_ones_are_not() -> None:
    for omega in (1, 2, 3):
        assert is_garbling(
            original=SS(4, exp_epsilon=3, omega=omega).channel(), refined=SS(4, exp_epsilon=2, omega=omega).channel()
        )
    for g in (2, 3):
        assert is_garbling(original=LH(3, exp_epsilon=3, g=g).channel(), refined=LH(3, exp_epsilon=2, g=g).channel())
    assert [SS(k, exp_epsilon="1.000001").omega for k in (2, 3, 4)] == [1, 1, 2]  # it only falls as ε grows
    # At k = 5, ω jumps from 2 to 1 where e^ε + 1 = 10/3; at e^ε = 5/2, g jumps from 3 to 4.
    more, less = SS(5, exp_epsilon="24/10"), SS(5, exp_epsilon="23/10")
    assert (more.omega, less.omega) == (1, 2)
    assert deficiency(more.channel(), less.channel()) > APART
    finer, coarser = OLH(3, exp_epsilon="251/100"), OLH(3, exp_epsilon="249/100")
    assert (finer.buckets, coarser.buckets) == (4, 3)
    assert deficiency(finer.channel(), coarser.channel()) > APART


def test_the_is_half_epsilon_dp_on_bits_and_oue_is_not() -> None:
    for epsilon in (0.3, 1, 4, 16):
        for theta in (0.5, 0.75, 0.9, 1):
            assert ql.tight_epsilon(bit(THE(2, epsilon, theta=theta))) <= epsilon / 2 * (1 + RELATIVE)
        assert ql.tight_epsilon(bit(OUE(2, epsilon))) > epsilon / 2


def test_lemma_9_is_true_of_bits_not_of_protocols() -> None:
    for epsilon in (0.5, 1.9, 4):
        sue, oue = bit(SUE(2, epsilon)), bit(OUE(2, epsilon))
        assert not is_garbling(original=sue, refined=oue)
        assert not is_garbling(original=oue, refined=sue)
        assert is_garbling(original=SUE(2, epsilon).channel(), refined=OUE(2, epsilon).channel())
    assert is_garbling(original=SUE(3, 1.957).channel(), refined=OUE(3, 1.957).channel())
    assert not is_garbling(original=SUE(3, 1.955).channel(), refined=OUE(3, 1.955).channel())


def lemma_10(epsilon: float) -> float:
    """The least θ for which the bits of OUE are refined to those of THE."""
    grown = math.exp(epsilon)
    inner = grown + 1 + (math.exp(epsilon / 2) - 1) * math.sqrt(grown + 1)
    return (2 * math.log(inner) - epsilon - 2 * math.log(2)) / epsilon


def test_lemma_10_threshold_and_its_limit() -> None:
    assert close(lemma_10(1e-4), 1 / math.sqrt(2), 1e-4)
    assert close(lemma_10(0.8), 0.79999, 1e-5)
    for epsilon in (0.4, 0.8, 2.0):
        edge = lemma_10(epsilon)
        assert is_garbling(original=bit(OUE(2, epsilon)), refined=bit(THE(2, epsilon, theta=edge + 1e-4)))
        assert not is_garbling(original=bit(OUE(2, epsilon)), refined=bit(THE(2, epsilon, theta=edge - 1e-4)))
    # At ε = 0 both channels say nothing, whatever θ is: near zero both leak next to nothing.
    assert ql.shannon_capacity(THE(2, 1e-9, theta=0.5)) < 1e-18


def test_lemma_10_at_the_remark() -> None:
    assert f"{lemma_10(0.8):.7f}" == "0.7999887"
    assert lemma_10(0.800107) < 0.8 < lemma_10(0.800109)


@pytest.mark.parametrize(("k", "threshold"), [(3, 0.664), (4, 0.750)])
def test_corollary_1_is_not_tight(k: int, threshold: float) -> None:
    oue = OUE(k, 0.8).channel()
    assert threshold < lemma_10(0.8)
    assert is_garbling(original=oue, refined=THE(k, 0.8, theta=threshold + 0.001).channel())
    assert not is_garbling(original=oue, refined=THE(k, 0.8, theta=threshold - 0.001).channel())


def test_lemma_11_denominator() -> None:
    for epsilon, theta in ((0.5, 0.6), (2.0, 0.75), (6.0, 0.9)):
        q = math.exp(-epsilon * theta / 2) / 2
        beta = math.exp(epsilon * (theta - 1) / 2) / 2
        difference = beta / (1 - q) - math.exp(-epsilon / 2)
        numerator = (math.exp(epsilon * theta / 2) - 1) ** 2
        tail = 2 - math.exp(-epsilon * theta / 2)
        assert close(difference, numerator / (math.exp(epsilon * (1 + theta) / 2) * tail))
        assert not close(difference, numerator / (math.exp(epsilon * (1 - theta) / 2) * tail), APART)
        assert difference > 0


def test_lemma_12_minimum_is_for_bits() -> None:
    epsilon = 1.3
    root, whole = math.exp(epsilon / 2), math.exp(epsilon)
    zero = [root / (root + 1), 1 / (root + 1) - 1 / (whole + 1), 1 / (whole + 1)]
    one = [1 / (root + 1), root / (root + 1) - 0.5, 0.5]
    minimum = Channel([zero, one])
    for above in (SUE(2, epsilon), OUE(2, epsilon)):
        assert is_garbling(original=minimum, refined=bit(above))
    one_hot = ql.kronecker(minimum, minimum)
    hot = Channel(one_hot.matrix[[1, 2]])  # inputs 01 and 10
    assert close(ql.tight_epsilon(hot), math.log(root * (whole + 1) / 2))
    assert ql.tight_epsilon(hot) > epsilon


@pytest.mark.parametrize("k", [2, 3, 4])
def test_corollary_3_has_no_converse(k: int) -> None:
    channels = [SUE(k, exp_epsilon=4).channel(), OUE(k, exp_epsilon=4).channel(), BLH(k, exp_epsilon=4).channel()]

    def extreme(channel: Channel) -> set[tuple[Fraction, ...]]:
        posteriors = [tuple(column / column.sum()) for column in channel.reduced().matrix.T]
        return {posterior for posterior in posteriors if len(set(posterior)) > 1}

    assert extreme(channels[0]) == extreme(channels[1]) == extreme(channels[2])  # one convex hull: max-case equivalent
    if k > 2:
        assert not is_garbling(original=channels[1], refined=channels[0])


def test_the_refines_sue_not_the_other_way() -> None:
    for k in (2, 3):
        sue, the = SUE(k, 1).channel(), THE(k, 1, theta=0.75).channel()
        assert is_garbling(original=sue, refined=the)
        assert not is_garbling(original=the, refined=sue)


@pytest.mark.parametrize("k", [2, 5, 50])
def test_limits_of_the_capacities(k: int) -> None:
    assert close(float(ql.bayes_capacity(OUE(k, 700))), (k + 1) / 2)
    assert close(float(ql.bayes_capacity(OLH(k, 700))), (k + 1) / 2)
    assert close(float(ql.bayes_capacity(BLH(k, 700))), 2 - 2.0 ** (1 - k))


def test_figure_4_levels_follow_from_symmetry() -> None:
    oue = OUE(10, 16)
    assert close(float(ql.asr(oue)), 0.55, 1e-5)
    assert close(float(ql.asr(oue)), float(ql.bayes_capacity(oue)) / 10)
    top_ten = load_dataset("kosarak").counts[:10]
    assert ql.asr(oue, Prior.from_counts(top_ten)) > ql.asr(oue)


@pytest.mark.parametrize(("epsilon", "first"), [(2, 6), (4, 10), (8, 57), (16, 2983)])
def test_figure_5_oue_wins_from_a_certain_domain_size(epsilon: int, first: int) -> None:
    def error(protocol: ql.Protocol) -> float:
        return protocol.variance(1 / protocol.domain_size, 1)

    assert error(OUE(first, epsilon)) < error(SUE(first, epsilon))
    assert error(OUE(first - 1, epsilon)) > error(SUE(first - 1, epsilon))


@pytest.mark.parametrize("epsilon", [26, 27, 28, 29, 30])
def test_figure_6_olh_does_not_wiggle(epsilon: int) -> None:
    assert f"{ql.bayes_capacity(OLH(50, epsilon)):.10g}" == "25.5"


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: GRR(50, 5), 37.59),
        (lambda: SS(50, 5), 37.59),
        (lambda: OUE(50, 5), 21.67),
        (lambda: OLH(50, 5), 21.69),
        (lambda: SUE(50, 5), 11.95),
        (lambda: THE(50, 5, theta=0.75), 9.38),
        (lambda: BLH(50, 5), 1.987),
    ],
)
def test_figure_6_values(make: Callable[[], ql.Protocol], expected: float) -> None:
    assert f"{ql.bayes_capacity(make()):.4g}" == f"{expected:.4g}"


@pytest.mark.parametrize(("k", "expected"), [(2, "0.7267"), (10, "0.4384"), (40, "0.2276")])
def test_figure_7_values(k: int, expected: str) -> None:
    g = round(math.exp(3)) + 1
    assert f"{ql.asr(LH(k, 3, g=g)):.4f}" == expected


def test_bits_of_any_unary_encoding_lift_to_one_hot() -> None:
    strong, weak = UE(2, p="0.8", q="0.1"), UE(2, p="0.7", q="0.2")
    assert is_garbling(original=bit(strong), refined=bit(weak))
    for k in (2, 3, 4):
        assert is_garbling(original=UE(k, p="0.8", q="0.1").channel(), refined=UE(k, p="0.7", q="0.2").channel())
