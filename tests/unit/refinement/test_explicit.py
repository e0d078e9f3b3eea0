"""Explicit channels: every verdict of the search has an exact proof that the verifier accepts."""

from __future__ import annotations

import random
import time
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq_mat
from numpy.typing import NDArray

from oracles.garbling import deficiency, is_garbling
from qifldp import GRR, Channel, InputError
from qifldp.refinement.certificate import Certificate, Verdict
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Undecided
from qifldp.refinement.proofs import GainMatrix, Identical, NearWitness, Witness
from qifldp.refinement.search.explicit import ROUNDING, ExplicitAnswer, decide_explicit
from qifldp.refinement.search.explicit_boundary import boundary_witness, is_witness, polished, supported_witness
from qifldp.refinement.search.explicit_exact import (
    dependencies,
    flint_matrix,
    floats,
    separating_gain,
    stochastic,
)
from qifldp.refinement.search.explicit_interior import find_margin
from qifldp.refinement.search.explicit_reading import exact_channel
from qifldp.refinement.search.explicit_two import decide_two_secrets
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify_explicit import verify_explicit
from unit.refinement.tables import random_table, times

ORACLE_CLEAR = 1e-7
"""Deficiencies above this are seen by the oracle's solver, which meets equalities within 1e-9."""


def verdict_of(original: Channel, refined: Channel, answer: ExplicitAnswer) -> Verdict | None:
    """Return the verdict that the answer proves, after the verifier has accepted it."""
    if answer.proof is None:
        return None
    left, right = exact_channel(original), exact_channel(refined)
    if isinstance(answer.proof, Identical):
        assert left == right
        return "refines"
    verdict: Verdict = "refines" if isinstance(answer.proof, Witness | NearWitness) else "does_not_refine"
    verify_explicit(Certificate(left, right, verdict, answer.proof))
    return verdict


def decided(original: Channel, refined: Channel) -> Verdict | None:
    return verdict_of(original, refined, decide_explicit(original, refined))


def float_channel(matrix: NDArray[np.float64]) -> Channel:
    return Channel(matrix, normalize=True)


def random_floats(seed: int, secrets: int, outputs: int, targets: int) -> tuple[NDArray[np.float64], ...]:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(outputs), size=secrets), rng.dirichlet(np.ones(targets), size=outputs)


def merging(outputs: int, targets: int) -> NDArray[np.float64]:
    table = np.zeros((outputs, targets))
    table[np.arange(outputs), np.arange(outputs) % targets] = 1
    return table


def pushed_out(matrix: NDArray[np.float64], amount: float) -> NDArray[np.float64]:
    """Return the matrix with the first posterior, an extreme one, made more extreme."""
    moved = matrix.copy()
    secret = int(np.argmax(moved[:, 0]))
    moved[secret, 0] += amount
    moved[secret, 1] -= amount
    return moved


class TestSmallExactChannelsAgainstTheOracle:
    @pytest.mark.parametrize("seed", range(6))
    def test_every_verdict_agrees_and_every_garbling_is_found(self, seed: int) -> None:
        source = random.Random(seed)
        seen = {"refines": 0, "does_not_refine": 0}
        for _ in range(60):
            secrets, outputs, targets = source.randint(2, 4), source.randint(2, 7), source.randint(2, 7)
            zeros = source.choice([0, 1, 4])
            original = random_table(source, secrets, outputs, zeros)
            is_product = source.random() < 0.5
            if is_product:
                refined = times(original, random_table(source, outputs, targets, source.choice([0, 2, 10])))
            else:
                refined = random_table(source, secrets, targets, zeros)
            a, b = Channel(original), Channel(refined)
            verdict = decided(a, b)
            if is_product:
                assert verdict == "refines", (original, refined)
            else:
                distance = deficiency(a, b)
                assert verdict == ("refines" if is_garbling(original=a, refined=b) else "does_not_refine")
                assert verdict == "refines" or distance > ORACLE_CLEAR
            assert verdict is not None
            seen[verdict] += 1
        assert min(seen.values()) >= 10

    @pytest.mark.parametrize("tiny", ["1e-6", "1e-12", "1e-60"])
    def test_two_secrets_are_decided_however_near_the_boundary(self, tiny: str) -> None:
        source = random.Random(7)
        for _ in range(20):
            original = random_table(source, 2, 5)
            merged = [[row[0] + row[1], row[2], row[3] + row[4]] for row in original]
            step = Fraction(tiny)
            best = min(
                range(3), key=lambda z: merged[0][z] / merged[1][z]
            )  # extreme posteriors of one column, or a mix
            worst = max(range(3), key=lambda z: merged[0][z] / merged[1][z])
            assert decided(Channel(original), Channel(merged)) == "refines"
            blurred = [row.copy() for row in merged]
            blurred[0][best] += step
            blurred[0][worst] -= step
            assert decided(Channel(merged), Channel(blurred)) == "refines"
            assert decided(Channel(blurred), Channel(merged)) == "does_not_refine"

    @pytest.mark.parametrize("exponent", [6, 12, 60])
    def test_an_invertible_original_is_decided_however_near_the_boundary(self, exponent: int) -> None:
        step = Fraction(1, 10**exponent)
        half = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]
        more = [[Fraction(v) for v in row] for row in half]
        more[0][0] += step
        more[0][1] -= step
        assert decided(Channel(half), Channel(more)) == "does_not_refine"
        assert decided(Channel(half), Channel(half)) == "refines"


class TestShapes:
    A = (("1/2", "1/4", "1/4"), ("1/4", "1/2", "1/4"), ("1/8", "1/8", "3/4"))

    def test_identical_and_permuted_channels(self) -> None:
        original = Channel(self.A)
        assert decide_explicit(original, Channel(self.A)).proof == Identical()
        permuted = Channel([row[::-1] for row in self.A])
        assert decided(original, permuted) == decided(permuted, original) == "refines"

    def test_other_labels_are_no_difference(self) -> None:
        answer = decide_explicit(Channel(self.A), Channel(self.A, outputs="xyz"))
        assert isinstance(answer.proof, Witness | NearWitness)
        assert verdict_of(Channel(self.A), Channel(self.A, outputs="xyz"), answer) == "refines"

    def test_duplicate_and_zero_columns_on_both_sides(self) -> None:
        rows = [[Fraction(v) for v in row] for row in self.A]
        wide = Channel([[row[0] / 3, 0, row[1], row[0] * 2 / 3, row[2]] for row in rows])
        other = Channel([[row[1] / 2, row[0] + row[2], 0, row[1] / 2] for row in rows])
        assert decided(wide, other) == "refines"
        assert decided(other, wide) == "does_not_refine"
        assert decided(wide, Channel(self.A)) == decided(Channel(self.A), wide) == "refines"

    def test_a_tall_original_of_full_column_rank(self) -> None:
        source = random.Random(3)
        original = random_table(source, 6, 3)
        assert decided(Channel(original), Channel(times(original, random_table(source, 3, 4)))) == "refines"
        answer = decide_explicit(Channel(original), Channel(random_table(source, 6, 4)))
        assert answer.method == "linear relation"
        assert isinstance(answer.proof, GainMatrix)

    def test_a_rank_deficient_original(self) -> None:
        source = random.Random(4)
        original = times(random_table(source, 5, 3), random_table(source, 3, 6))
        assert decided(Channel(original), Channel(times(original, random_table(source, 6, 5)))) == "refines"
        assert decided(Channel(original), Channel(random_table(source, 5, 5))) == "does_not_refine"

    def test_a_constant_channel_is_below_every_other_and_above_none(self) -> None:
        constant, leaking = Channel([["1/3", "2/3"]] * 3), Channel(self.A)
        assert decided(leaking, constant) == "refines"
        assert decided(constant, leaking) == "does_not_refine"
        assert decided(constant, Channel([["1/4", "3/4"]] * 3)) == "refines"
        assert decided(float_channel(np.full((4, 2), 0.5)), float_channel(np.full((4, 3), 1.0))) == "refines"

    def test_one_secret_leaks_nothing(self) -> None:
        assert decided(Channel([["1/3", "2/3"]]), Channel([["1/2", "1/4", "1/4"]])) == "refines"

    def test_other_domains_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"^Refinement compares channels of one domain, got 3 and 2 secrets\.$"):
            decide_explicit(Channel(self.A), Channel([["1/2", "1/2"]] * 2))


class TestFloats:
    @pytest.mark.parametrize(("secrets", "outputs"), [(3, 3), (3, 6), (10, 10), (10, 20), (30, 30), (30, 60)])
    def test_a_positive_garbling_is_proved(self, secrets: int, outputs: int) -> None:
        a, w = random_floats(1, secrets, outputs, secrets)
        assert decided(float_channel(a), float_channel(a @ w)) == "refines"

    @pytest.mark.parametrize(("secrets", "outputs"), [(3, 6), (10, 10), (10, 20), (30, 60)])
    def test_a_garbling_pushed_out_of_the_cone_is_refuted(self, secrets: int, outputs: int) -> None:
        a, _ = random_floats(2, secrets, outputs, secrets)
        a[0] = 0.5 * a[0] + 0.5 * np.eye(outputs)[0]  # so that the first output's posterior is extreme
        copied = a @ merging(outputs, outputs)
        assert decided(float_channel(a), float_channel(pushed_out(copied, 1e-6))) == "does_not_refine"

    @pytest.mark.parametrize(("secrets", "outputs", "targets"), [(4, 8, 3), (10, 20, 10), (30, 60, 30)])
    def test_merged_in_floats_is_undecided_with_a_proved_bound(self, secrets: int, outputs: int, targets: int) -> None:
        a, _ = random_floats(3, secrets, outputs, targets)
        answer = decide_explicit(float_channel(a), float_channel(a @ merging(outputs, targets)))
        assert answer.proof is None
        assert answer.reason == "Whether it is refined depends on the rounding of the entries."
        assert answer.deficiency_bound is not None
        assert 0 < answer.deficiency_bound <= ROUNDING
        decision = decide_refinement(original=float_channel(a), refined=float_channel(a @ merging(outputs, targets)))
        assert isinstance(decision, Undecided)
        assert decision.deficiency_bound == answer.deficiency_bound
        assert decision.reason.startswith(answer.reason)

    @pytest.mark.parametrize("tiny", [1e-4, 1e-8, 1e-12])
    def test_a_small_column_in_floats_is_undecided_too(self, tiny: float) -> None:
        """Rounding is in proportion to an entry, so the garbling must be found in proportion as well."""
        rng = np.random.default_rng(0)
        for _ in range(5):
            a, w = rng.dirichlet(np.ones(3), size=5), rng.dirichlet(np.ones(3), size=3)
            w[:, 2] *= tiny
            b = a @ (w / w.sum(axis=1, keepdims=True))
            answer = decide_explicit(Channel(a, normalize=True), Channel(b / b.sum(axis=1, keepdims=True)))
            assert answer.proof is None
            assert answer.deficiency_bound is not None
            assert answer.deficiency_bound < 1e-12

    def test_a_low_rank_channel_in_floats_is_undecided_with_a_proved_bound(self) -> None:
        left, right = random_floats(4, 12, 5, 9)
        a = left @ right
        _, w = random_floats(5, 12, 9, 6)
        answer = decide_explicit(float_channel(a), float_channel(a @ w))
        assert answer.proof is None
        assert answer.deficiency_bound is not None
        assert answer.deficiency_bound <= ROUNDING

    def test_merging_that_is_exact_in_floats_is_proved(self) -> None:
        source = np.random.default_rng(6)
        counts = source.integers(1, 64, size=(6, 12)).astype(float)
        counts[:, -1] += 1024 - counts.sum(axis=1)  # multiples of 2^-10: sums are exact
        answer = decide_explicit(Channel(counts / 1024), Channel(counts @ merging(12, 6) / 1024))
        assert answer.method == "boundary"
        assert verdict_of(Channel(counts / 1024), Channel(counts @ merging(12, 6) / 1024), answer) == "refines"

    def test_a_tail_of_tiny_mass_is_not_taken_for_rounding(self) -> None:
        tail = 1e-15
        a = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.2, 0.6]])
        b = np.column_stack((a * (1 - tail), [0, 0, 0]))
        b[:, 3] = tail
        sharp = b.copy()
        sharp[:, 3] = [tail, tail * 1e-3, tail * 1e-3]
        assert decided(float_channel(a), float_channel(sharp)) == "does_not_refine"

    @pytest.mark.parametrize("size", [2, 3, 10, 50])
    @pytest.mark.parametrize("step", [1e-4, 1e-6, 1e-9])
    def test_randomised_response_at_nearly_one_budget(self, size: int, step: float) -> None:
        weaker, stronger = GRR(size, 1 + step).channel(), GRR(size, 1).channel()
        assert decided(weaker, stronger) == "refines"
        assert decided(stronger, weaker) == "does_not_refine"

    def test_the_deadline_ends_the_search(self) -> None:
        a, w = random_floats(1, 20, 40, 20)
        answer = decide_explicit(float_channel(a), float_channel(a @ w), deadline=time.monotonic() - 1)
        assert answer == ExplicitAnswer(None, "explicit", "The time limit was reached.")


class TestExactChannel:
    def test_floats_are_read_as_what_they_are_and_rows_divided_by_their_sums(self) -> None:
        row = [0.1, 0.2, 0.7]
        exact = [Fraction(entry) for entry in row]
        assert sum(exact) != 1
        found = exact_channel(Channel([row], inputs=["x"], outputs="abc"))
        assert found == Channel([[entry / sum(exact) for entry in exact]], inputs=["x"], outputs="abc")

    def test_exact_channels_stay(self) -> None:
        channel = Channel([["1/3", "2/3"]])
        assert exact_channel(channel) is channel


class TestBoundary:
    """A garbling with zeros, whose other entries have a denominator too large to guess."""

    W = tuple(
        tuple(Fraction(v, 2003) for v in row) for row in ((2003, 0, 0), (0, 2003, 0), (700, 0, 1303), (0, 900, 1103))
    )

    def pair(self) -> tuple[fmpq_mat, fmpq_mat, fmpq_mat]:
        original, witness = flint_matrix(random_table(random.Random(8), 3, 4)), flint_matrix(self.W)
        return original, original * witness, witness

    def test_a_vertex_is_solved_exactly(self) -> None:
        original, refined, witness = self.pair()
        found = boundary_witness(original, refined, np.zeros((4, 3)))  # nothing near: only the vertex can find it
        assert found is not None
        assert is_witness(original, refined, found)
        assert is_witness(original, refined, witness)

    def test_a_support_is_corrected_exactly(self) -> None:
        original, refined, witness = self.pair()
        near = floats(witness) * (1 + 1e-13)  # as far off as a polished garbling
        found = supported_witness(original, refined, near)
        assert found is not None
        assert is_witness(original, refined, found)
        assert supported_witness(original, refined, np.roll(near, 1, axis=1)) is None

    def test_polishing_meets_the_equations_to_the_last_digits(self) -> None:
        original, refined, witness = self.pair()
        rough = floats(witness) + 1e-7
        found = polished(floats(original), floats(refined), rough)
        last_digits = 1e-14  # a few roundings of numbers below one
        assert np.abs(floats(original) @ found - floats(refined)).max() < last_digits
        assert np.abs(found.sum(axis=1) - 1).max() < last_digits

    def test_simple_fractions_are_read_off(self) -> None:
        original = flint_matrix(random_table(random.Random(9), 3, 4))
        witness = flint_matrix(
            [[Fraction(v, 12) for v in row] for row in ((12, 0, 0), (0, 12, 0), (5, 0, 7), (0, 4, 8))]
        )
        assert boundary_witness(original, original * witness, floats(witness)) == witness


class TestParts:
    def test_margin_of_a_blurred_channel_is_known(self) -> None:
        # A is k-ary response that tells the truth with excess 1/2, B with 1/4: it could tell twice as much.
        size = 5
        channels = [share * np.eye(size) + (1 - share) / size for share in (0.5, 0.25)]
        margin = find_margin(channels[0], channels[1])
        assert margin.lower <= 2 <= margin.upper + 1e-12  # rounding of the bound itself
        reverse = find_margin(channels[1], channels[0])
        assert reverse.lower <= 0.5 <= reverse.upper + 1e-12
        assert reverse.upper < 1 < margin.lower

    def test_relations_between_rows_are_found_exactly(self) -> None:
        table = flint_matrix([[Fraction(1, 3), Fraction(2, 3)], [Fraction(2, 3), Fraction(1, 3)], [Fraction(1, 2)] * 2])
        rows, others, factor = dependencies(table)
        assert (rows, others) == ([0, 1], [2])
        assert factor is not None
        assert factor == flint_matrix([[Fraction(1, 2), Fraction(1, 2)]])

    def test_two_secrets_give_a_witness_or_two_actions(self) -> None:
        strong = [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
        weak = [[Fraction(5, 8), Fraction(3, 8)], [Fraction(3, 8), Fraction(5, 8)]]
        witness = decide_two_secrets(strong, weak)
        assert witness == [[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]]
        gain = decide_two_secrets(weak, strong)
        assert isinstance(gain, GainMatrix)
        assert len(gain.rows) == 2

    def test_a_gain_that_does_not_separate_is_not_returned(self) -> None:
        matrix = flint_matrix([[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 4), Fraction(3, 4)]])
        bet = [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
        assert separating_gain(bet, matrix, matrix) is None
        assert separating_gain([[Fraction(0)] * 2], matrix, matrix) is None

    def test_stochastic_mends_whatever_floats_hold(self) -> None:
        table = stochastic(
            np.array([[0.1, 0.2, 0.7], [-1e-9, 1.0, 1e-9], [0.0, 0.0, 0.0], [np.nan, 1.0, 1.0]])
        ).tolist()
        assert all(sum(row) == 1 and min(row) >= 0 for row in table)

    def test_the_verifier_refuses_a_proof_for_the_other_direction(self) -> None:
        stronger, weaker = exact_channel(GRR(4, 1).channel()), exact_channel(GRR(4, 2).channel())
        answer = decide_explicit(weaker, stronger)
        assert isinstance(answer.proof, Witness | NearWitness)
        with pytest.raises(CertificateError, match="does not turn A into B"):
            verify_explicit(Certificate(stronger, weaker, "refines", answer.proof))


@pytest.mark.slow
class TestRealSizes:
    """Sizes and times promised: each well under a minute on one core, the verification included."""

    SECONDS = 60

    @pytest.mark.parametrize(("secrets", "outputs"), [(60, 120), (100, 100), (100, 200)])
    def test_random_garblings_and_ones_pushed_out(self, secrets: int, outputs: int) -> None:
        a, w = random_floats(1, secrets, outputs, secrets)
        start = time.monotonic()
        assert decided(float_channel(a), float_channel(a @ w)) == "refines"
        assert time.monotonic() - start < self.SECONDS
        start = time.monotonic()
        merged = pushed_out(a @ merging(outputs, secrets), 1e-6)
        assert decided(float_channel(a), float_channel(merged)) == "does_not_refine"
        assert time.monotonic() - start < self.SECONDS

    def test_a_garbling_of_two_hundred_values(self) -> None:
        a, w = random_floats(1, 200, 200, 200)
        start = time.monotonic()
        assert decided(float_channel(a), float_channel(a @ w)) == "refines"
        assert time.monotonic() - start < self.SECONDS

    @pytest.mark.parametrize("size", [50, 75])
    def test_exact_rationals(self, size: int) -> None:
        source = random.Random(size)
        original = random_table(source, size, size)
        start = time.monotonic()
        assert decided(Channel(original), Channel(times(original, random_table(source, size, size)))) == "refines"
        assert decided(Channel(original), Channel(random_table(source, size, size))) == "does_not_refine"
        assert time.monotonic() - start < self.SECONDS
