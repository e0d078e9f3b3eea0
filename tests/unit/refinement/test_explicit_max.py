"""The max-case order between explicit channels: every verdict is proved exactly, and agrees with a plain program."""

from __future__ import annotations

import json
import random
import time
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from flint import fmpq
from numpy.typing import NDArray
from scipy.optimize import linprog

from oracles.forgeries import forgeries
from oracles.pairs import max_case_truth
from qifldp import GRR, OUE, SS, SUE, UE, Channel, InputError, verify_certificate
from qifldp.refinement.certificate import Certificate, Side
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Decision, DoesNotRefine, Refines, Undecided
from qifldp.refinement.proofs import GainMatrix, Witness
from qifldp.refinement.search.cone import place_in_cone
from qifldp.refinement.search.explicit_max import _Hint, _Nearest, decide_explicit_max
from qifldp.refinement.verified import CertificateError
from unit.refinement.tables import Table, random_table, times

CLEAR = 1e-7
"""The oracle's solver meets equalities within about 1e-9: what it says is out by more than this is out."""

NEAR = 1e-8
"""… and what it says is out by less may be inside."""

ROUNDING_WORDS = "Whether it is refined depends on the rounding of the entries."

Posteriors = NDArray[np.float64]


def distance_from_hull(original: Channel, refined: Channel) -> float:
    """Return how far the furthest posterior of B is from the hull of A's (largest entry), by the plain program."""
    a, b = (posteriors(channel) for channel in (original, refined))
    (secrets, outputs), furthest = a.shape, 0.0
    cost = np.append(np.zeros(outputs), 1.0)
    slack = -np.ones((secrets, 1))
    upper = np.vstack((np.hstack((a, slack)), np.hstack((-a, slack))))
    total = np.append(np.ones(outputs), 0.0).reshape(1, -1)
    for target in b.T:
        found = linprog(cost, A_ub=upper, b_ub=np.concatenate((target, -target)), A_eq=total, b_eq=[1.0])
        assert found.fun is not None, found.message
        furthest = max(furthest, float(found.fun))
    return furthest


def posteriors(channel: Channel) -> Posteriors:
    columns = channel.to_float().matrix
    columns = columns[:, columns.sum(axis=0) > 0]
    return np.asarray(columns / columns.sum(axis=0))


def erased(table: Table) -> Table:
    """Return the channel that says nothing half the time: as bad at worst, but not on average."""
    half = Fraction(1, 2)
    return [[half, *(entry * half for entry in row)] for row in table]


def decided(original: Side, refined: Side) -> Decision:
    """Return the decision, after the verifier has accepted what is saved of it."""
    decision = decide_refinement(original=original, refined=refined, order="max")
    if not isinstance(decision, Undecided):
        document = json.loads(json.dumps(decision.certificate.to_json()))
        assert verify_certificate(Certificate.from_json(document)).certificate == decision.certificate
        assert decision.certificate.order == "max"
    return decision


def holds(original: Side, refined: Side) -> bool:
    decision = decided(original, refined)
    assert not isinstance(decision, Undecided), decision.reason
    return isinstance(decision, Refines)


class TestSmallExactChannels:
    @pytest.mark.parametrize("seed", range(6))
    def test_every_verdict_agrees_with_the_oracle(self, seed: int) -> None:
        source = random.Random(seed)
        seen = {True: 0, False: 0}
        for _ in range(50):
            secrets, outputs, targets = source.randint(2, 4), source.randint(2, 7), source.randint(2, 5)
            original = random_table(source, secrets, outputs, source.choice([0, 1, 4]))
            if source.random() < 0.7:
                refined = random_table(source, secrets, targets)
            else:
                refined = times(original, random_table(source, outputs, targets, source.choice([0, 2, 10])))
            a, b = Channel(erased(original)), Channel(refined)
            found, distance = holds(a, b), distance_from_hull(a, b)
            assert distance < NEAR or distance > CLEAR
            assert found == (distance < NEAR), (original, refined)
            seen[found] += 1
        assert min(seen.values()) >= 8

    @pytest.mark.parametrize("seed", range(4))
    def test_what_is_refined_on_average_is_refined_at_worst_by_the_same_witness(self, seed: int) -> None:
        source = random.Random(seed)
        for _ in range(20):
            original = random_table(source, 3, 5, 1)
            garbling = random_table(source, 5, 4, 1)
            a, b = Channel(original), Channel(times(original, garbling))
            assert holds(a, b)
            verify_certificate(Certificate(a, b, "refines", Witness(tuple(map(tuple, garbling))), "max"))

    @pytest.mark.parametrize("seed", range(3))
    def test_what_is_erased_is_as_bad_at_worst(self, seed: int) -> None:
        table = random_table(random.Random(seed), 3, 5)
        a, b = Channel(erased(table)), Channel(table)
        assert holds(a, b)
        assert holds(b, a)
        assert isinstance(decide_refinement(original=a, refined=b), DoesNotRefine)

    def test_the_order_is_weaker_than_the_average_one(self) -> None:
        clear_half_the_time = Channel([["1/2", "0", "1/2"], ["0", "1/2", "1/2"]])
        always_clear = Channel([["1", "0"], ["0", "1"]])
        assert holds(clear_half_the_time, always_clear)
        average = decide_refinement(original=clear_half_the_time, refined=always_clear)
        assert isinstance(average, DoesNotRefine)
        with pytest.raises(CertificateError, match=r"^The adversary does not gain more from B than from A\.$"):
            verify_certificate(
                Certificate(
                    clear_half_the_time, always_clear, "does_not_refine", average.certificate.proof, order="max"
                )
            )

    def test_transitivity(self) -> None:
        source = random.Random(11)
        chains = 0
        while chains < 10:
            first, second, third = (Channel(random_table(source, 3, 6, zeros)) for zeros in (5, 1, 0))
            if holds(first, second) and holds(second, third):
                assert holds(first, third)
                chains += 1


class TestShapes:
    A = (("1/2", "1/4", "1/4"), ("1/4", "1/2", "1/4"), ("1/8", "1/8", "3/4"))

    def test_identical_and_permuted_channels(self) -> None:
        assert decided(Channel(self.A), Channel(self.A)).method == "identical"
        permuted = Channel([row[::-1] for row in self.A])
        assert holds(Channel(self.A), permuted)
        assert holds(permuted, Channel(self.A))

    def test_duplicate_and_zero_columns_on_both_sides(self) -> None:
        rows = [[Fraction(v) for v in row] for row in self.A]
        wide = Channel([[row[0] / 3, 0, row[1], row[0] * 2 / 3, row[2]] for row in rows])
        other = Channel([[row[1] / 2, row[0] + row[2], 0, row[1] / 2] for row in rows])
        assert holds(wide, other)
        assert not holds(other, wide)
        assert holds(wide, Channel(self.A))
        assert holds(Channel(self.A), wide)

    def test_a_constant_channel_is_below_every_other_and_above_none(self) -> None:
        constant = Channel([["1/3", "2/3"]] * 3)
        assert holds(Channel(self.A), constant)
        assert not holds(constant, Channel(self.A))
        assert holds(constant, Channel([["1/4", "3/4"]] * 3))

    def test_one_secret_leaks_nothing(self) -> None:
        assert holds(Channel([["1/3", "2/3"]]), Channel([["1/2", "1/4", "1/4"]]))

    def test_a_rank_deficient_original(self) -> None:
        source = random.Random(4)
        original = times(random_table(source, 5, 3), random_table(source, 3, 6))
        assert holds(Channel(erased(original)), Channel(times(original, random_table(source, 6, 4))))
        assert not holds(Channel(original), Channel(random_table(source, 5, 5)))

    @pytest.mark.parametrize("exponent", [6, 12, 60, 300])
    def test_a_posterior_on_the_boundary_is_decided_however_near(self, exponent: int) -> None:
        """The first of B's posteriors lies on an edge of A's triangle, or beside it."""
        corners = [[Fraction(v, 10) for v in row] for row in ((6, 2, 2), (2, 6, 2), (2, 2, 6))]
        step = Fraction(1, 10**exponent)
        for moved, inside in ((step, True), (Fraction(0), True), (-step, False)):
            column = [Fraction(2, 5) - moved / 2, Fraction(2, 5) - moved / 2, Fraction(1, 5) + moved]
            refined = Channel([[entry, 1 - entry] for entry in column])
            middle = [(row[0] + row[1]) / 2 for row in corners]
            assert middle == [Fraction(2, 5), Fraction(2, 5), Fraction(1, 5)]
            assert holds(Channel(corners), refined) is inside

    def test_a_relation_between_rows_that_is_broken_by_next_to_nothing(self) -> None:
        step = Fraction(1, 10**40)
        mean = Channel([["3/4", "1/4"], ["1/4", "3/4"], ["1/2", "1/2"]])
        assert holds(mean, Channel([["5/8", "3/8"], ["3/8", "5/8"], ["1/2", "1/2"]]))
        for sign in (1, -1):
            entry = Fraction(1, 2) + sign * step
            assert not holds(mean, Channel([["5/8", "3/8"], ["3/8", "5/8"], [entry, 1 - entry]]))

    def test_verdicts_do_not_depend_on_the_solver(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def nothing(nearest: _Nearest, _: Posteriors) -> _Hint:
            return _Hint(0.0, np.zeros(nearest.outputs), np.zeros(nearest.size))

        source, seen = random.Random(12), {True: 0, False: 0}
        for _ in range(20):
            table = random_table(source, 3, 6)
            a = Channel(erased(table))
            b = Channel(source.choice([random_table(source, 3, 3), times(table, random_table(source, 6, 4))]))
            known = holds(a, b)
            with monkeypatch.context() as patch:
                patch.setattr(_Nearest, "to", nothing)
                assert holds(a, b) is known
            seen[known] += 1
        assert min(seen.values()) >= 3

    def test_a_witness_that_would_be_too_large_is_not_looked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("qifldp.refinement.search.explicit_max.MOST_UNKNOWNS", 5)
        decision = decided(Channel(self.A), Channel([row[:1] + row[2:] + row[1:2] for row in self.A]))
        assert isinstance(decision, Undecided)
        assert decision.reason == "The witness would have 9 unknowns (at most 5)."

    def test_rows_are_matched_by_their_names(self) -> None:
        first = Channel([["1", "0"], ["1/2", "1/2"]], inputs=["a", "b"])
        second = Channel([["1/2", "1/2"], ["1", "0"]], inputs=["b", "a"])
        assert holds(first, second)
        assert not holds(first, Channel([["1/2", "1/2"], ["1", "0"]]))

    def test_other_domains_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"^Refinement compares channels of one domain, got 3 and 2 secrets\.$"):
            decide_explicit_max(Channel(self.A), Channel([["1/2", "1/2"]] * 2))

    def test_words_speak_of_the_luckiest_report(self) -> None:
        decision = decided(Channel([["3/4", "1/4"], ["1/4", "3/4"]]), Channel([["1", "0"], ["0", "1"]]))
        assert isinstance(decision, DoesNotRefine)
        assert decision.words == (
            "An adversary with a gain function of 1 action gains 1 from the luckiest report of the refined one, "
            "and from no report of the original more than 0.75."
        )
        assert (decision.vulnerability_original, decision.vulnerability_refined) == (0.75, 1)


class TestFloats:
    @staticmethod
    def channels(seed: int, secrets: int, outputs: int, targets: int) -> tuple[Posteriors, Posteriors]:
        source = np.random.default_rng(seed)
        return source.dirichlet(np.ones(outputs), size=secrets), source.dirichlet(np.ones(targets), size=outputs)

    @pytest.mark.parametrize(("secrets", "outputs"), [(3, 3), (3, 6), (10, 10), (10, 20)])
    def test_what_is_well_inside_is_proved(self, secrets: int, outputs: int) -> None:
        a, w = self.channels(1, secrets, outputs, secrets)
        assert holds(Channel(a, normalize=True), Channel(a @ w, normalize=True))

    @pytest.mark.parametrize(("secrets", "outputs"), [(3, 6), (10, 10), (10, 20)])
    @pytest.mark.parametrize("amount", [1e-3, 1e-6, 1e-9])
    def test_what_is_clearly_outside_is_refuted(self, secrets: int, outputs: int, amount: float) -> None:
        a, _ = self.channels(2, secrets, outputs, secrets)
        a[0] = 0.5 * a[0] + 0.5 * np.eye(outputs)[0]  # so that the first output's posterior is extreme
        b = a.copy()
        b[0, 0] += amount
        b[0, 1] -= amount
        assert not holds(Channel(a, normalize=True), Channel(b, normalize=True))

    @pytest.mark.parametrize(("secrets", "outputs"), [(4, 8), (10, 20)])
    def test_the_boundary_depends_on_rounding(self, secrets: int, outputs: int) -> None:
        a, _ = self.channels(3, secrets, outputs, 3)
        b = np.hstack((a[:, :2].sum(axis=1, keepdims=True), a[:, 2:] * (1 / 3), a[:, 2:] * (2 / 3)))
        decision = decided(Channel(a, normalize=True), Channel(b, normalize=True))
        assert isinstance(decision, Undecided)
        assert decision.reason == ROUNDING_WORDS

    @pytest.mark.parametrize("amount", [1e-15, 3e-13])
    def test_a_step_that_rounding_could_take_is_no_proof(self, amount: float) -> None:
        a = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
        b = a.copy()
        b[0, 0] += amount
        b[0, 1] -= amount
        decision = decided(Channel(a, normalize=True), Channel(b, normalize=True))
        assert isinstance(decision, Undecided)
        assert decision.reason == ROUNDING_WORDS

    @pytest.mark.parametrize("amount", [3e-12, 1e-10])
    def test_a_step_that_only_exact_numbers_see_is_one(self, amount: float) -> None:
        """More than rounding, less than the solver's tolerance."""
        a = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
        b = a.copy()
        b[0, 0] += amount
        b[0, 1] -= amount
        assert not holds(Channel(a, normalize=True), Channel(b, normalize=True))

    @pytest.mark.parametrize(("amount", "near"), [(4e-13, True), (1e-11, False)])
    def test_a_broken_relation_between_rows_may_be_rounding(self, amount: float, near: bool) -> None:
        """The third row is the mean of the first two, in A exactly, in B but for a step."""
        a = np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
        b = np.array([[0.625, 0.375], [0.375, 0.625], [0.5 + amount, 0.5 - amount]])
        decision = decided(Channel(a, normalize=True), Channel(b, normalize=True))
        assert isinstance(decision, Undecided if near else DoesNotRefine)

    def test_a_low_rank_channel_in_floats_depends_on_rounding(self) -> None:
        left, right = self.channels(4, 8, 4, 7)
        a = left @ right
        w = self.channels(5, 8, 7, 5)[1]
        decision = decided(Channel(a, normalize=True), Channel(a @ w, normalize=True))
        assert isinstance(decision, Undecided)
        assert decision.reason == ROUNDING_WORDS

    def test_a_tail_of_tiny_mass_is_not_taken_for_rounding(self) -> None:
        tail = 1e-15
        a = np.array([[0.5, 0.3, 0.2], [0.3, 0.5, 0.2], [0.2, 0.2, 0.6]])
        b = np.column_stack((a * (1 - tail), [tail, tail * 1e-3, tail * 1e-3]))
        assert not holds(Channel(a, normalize=True), Channel(b, normalize=True))

    def test_merging_that_is_exact_in_floats_is_proved(self) -> None:
        counts = np.random.default_rng(6).integers(1, 64, size=(4, 8)).astype(float)
        counts[:, -1] += 1024 - counts.sum(axis=1)  # multiples of 2^-10: sums are exact
        merged = counts[:, ::2] + counts[:, 1::2]
        assert holds(Channel(counts / 1024), Channel(merged / 1024))

    @pytest.mark.parametrize("step", [1e-4, 1e-6, 1e-9])
    def test_randomised_response_at_nearly_one_budget(self, step: float) -> None:
        weaker, stronger = GRR(5, 1 + step).channel(), GRR(5, 1).channel()
        assert holds(weaker, stronger)
        assert not holds(stronger, weaker)

    def test_the_deadline_ends_the_search(self) -> None:
        a, w = self.channels(1, 20, 40, 20)
        answer = decide_explicit_max(
            Channel(a, normalize=True), Channel(a @ w, normalize=True), deadline=time.monotonic()
        )
        assert (answer.proof, answer.reason) == (None, "The time limit was reached.")


class TestProtocols:
    FAMILIES = (
        lambda k, e: GRR(k, exp_epsilon=e),
        lambda k, e: OUE(k, exp_epsilon=e),
        lambda k, e: SS(k, exp_epsilon=e, omega=k - 1),
        lambda k, e: UE(k, p="1/2", q=str(Fraction(1, 1 + e))),
    )

    @pytest.mark.parametrize("size", [2, 3, 4])
    def test_their_matrices_are_decided_as_they_are(self, size: int) -> None:
        seen = {True: 0, False: 0}
        sides = [family(size, budget) for family in self.FAMILIES for budget in (2, 3)]
        for a in sides:
            for b in sides:
                known = decide_refinement(original=a, refined=b, order="max")
                assert not isinstance(known, Undecided)
                expected = isinstance(known, Refines)
                matrices = [side.channel() for side in (a, b)]
                assert all(matrix.is_exact for matrix in matrices)
                assert holds(*matrices) is holds(matrices[0], b) is holds(a, matrices[1]) is expected
                assert max_case_truth(a, b) in (expected, None)
                seen[expected] += 1
        assert min(seen.values()) >= 10

    def test_a_protocol_that_is_not_exact_is_refused_against_a_matrix(self) -> None:
        with pytest.raises(InputError, match=r"^Against a matrix a protocol must be exact, but sue:epsilon=1 is not"):
            decide_refinement(original=SUE(2, 1), refined=Channel([["1", "0"], ["0", "1"]]), order="max")


class TestForgeries:
    A = Channel([["1/2", "0", "1/2"], ["0", "1/2", "1/2"]])
    CLEAR = Channel([["1", "0"], ["0", "1"]])
    V = ((Fraction(2), Fraction(0)), (Fraction(0), Fraction(2)), (Fraction(0), Fraction(0)))
    BLUR = Channel([["3/4", "1/4"], ["1/4", "3/4"]])
    BET = GainMatrix(((Fraction(1), Fraction(0)),))

    def test_what_is_genuine_is_accepted(self) -> None:
        verify_certificate(Certificate(self.A, self.CLEAR, "refines", Witness(self.V), "max"))
        verified = verify_certificate(Certificate(self.BLUR, self.CLEAR, "does_not_refine", self.BET, "max"))
        assert verified.gains == (0.75, 1, 0.25)

    @pytest.mark.parametrize(
        ("rows", "order", "reason"),
        [
            (V, "average", "A row of the witness does not sum to one."),
            (((2, 1), (0, 3), (0, -1)), "max", "The witness has a negative entry."),
            (((2, 0), (0, 1), (0, 0)), "max", "The witness does not turn A into B."),
            (((2, 0), (0, 2)), "max", "The witness has a shape that does not fit the two channels."),
        ],
    )
    def test_forged_witnesses(self, rows: tuple[tuple[int, ...], ...], order: str, reason: str) -> None:
        witness = Witness(tuple(tuple(map(Fraction, row)) for row in rows))
        with pytest.raises(CertificateError) as caught:
            verify_certificate(Certificate(self.A, self.CLEAR, "refines", witness, order))  # type: ignore[arg-type]
        assert str(caught.value) == reason

    @pytest.mark.parametrize(
        ("rows", "reason"),
        [
            (((1, -1),), "The gain function has a negative entry."),
            (((1, 1),), "The adversary does not gain more from B than from A."),
            (((1, 0, 0),), "The gain function has another number of secrets than the channels."),
        ],
    )
    def test_forged_gains(self, rows: tuple[tuple[int, ...], ...], reason: str) -> None:
        gain = GainMatrix(tuple(tuple(map(Fraction, row)) for row in rows))
        with pytest.raises(CertificateError) as caught:
            verify_certificate(Certificate(self.BLUR, self.CLEAR, "does_not_refine", gain, "max"))
        assert str(caught.value) == reason

    @pytest.mark.parametrize("verdict", ["refines", "does_not_refine"])
    def test_no_false_claim_is_accepted(self, verdict: str) -> None:
        """Forgeries that are accepted are true by the plain program; some that are not accepted would be false."""
        source = random.Random(5)
        original = random_table(source, 3, 4)
        a, b = Channel(erased(original)), Channel(times(original, random_table(source, 4, 2)))
        decision = decided(*((a, b) if verdict == "refines" else (b, Channel(random_table(source, 3, 3, 3)))))
        assert not isinstance(decision, Undecided)
        assert decision.certificate.verdict == verdict
        accepted = refused = 0
        for name, document in forgeries(json.loads(json.dumps(decision.certificate.to_json()))):
            try:
                forged = Certificate.from_json(document)
                verify_certificate(forged)
            except (CertificateError, InputError):
                refused += 1
                continue
            if forged.order == "max":
                distance = distance_from_hull(forged.original, forged.refined)  # type: ignore[arg-type]
                assert (distance < NEAR) if forged.verdict == "refines" else (distance > 0), name
                accepted += 1
        assert accepted >= 3
        assert refused >= 100

    def test_vectors_are_what_they_are_called(self) -> None:
        folder = Path(__file__).parents[2] / "vectors" / "certificates"
        row_sums = Certificate.load(folder / "good-witness-max-case.json").proof
        assert isinstance(row_sums, Witness)
        assert any(sum(row) != 1 for row in row_sums.rows)
        assert Certificate.load(folder / "good-gain-max-case.json").order == "max"


class TestPlaceInCone:
    def test_it_ends_from_any_start_on_either_side(self) -> None:
        """A pyramid over a square, whose diagonals cross in a degenerate point."""
        columns = [[fmpq(v) for v in column] for column in ((1, 1, 1), (1, -1, 1), (-1, -1, 1), (-1, 1, 1), (0, 0, 1))]
        starts = [[i, j, m] for i in range(5) for j in range(i) for m in range(j)]
        independent = [start for start in starts if abs(np.linalg.det([[int(v.p) for v in columns[y]] for y in start]))]
        assert len(independent) >= 8
        for start in independent:
            for target, inside in (((0, 0, 1), True), ((1, 0, 1), True), ((1, 1, 1), True), ((9, 0, 8), False)):
                wanted = [fmpq(v) for v in target]
                place = place_in_cone(columns, wanted, start, check_time=lambda: None)
                assert place.inside is inside
                if place.functional is None:
                    assert inside
                    continue
                assert not inside
                gains = [
                    sum((f * v for f, v in zip(place.functional, column, strict=True)), fmpq(0)) for column in columns
                ]
                assert max(gains) <= 0
                assert sum((f * v for f, v in zip(place.functional, wanted, strict=True)), fmpq(0)) > 0


@pytest.mark.slow
class TestRealSizes:
    SECONDS = 60

    def test_thirty_secrets_and_sixty_outputs_of_floats(self) -> None:
        a, w = TestFloats.channels(1, 30, 60, 30)
        start = time.monotonic()
        assert holds(Channel(a, normalize=True), Channel(a @ w, normalize=True))
        assert not holds(Channel(a @ w, normalize=True), Channel(a, normalize=True))
        assert time.monotonic() - start < self.SECONDS
