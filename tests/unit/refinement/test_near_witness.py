"""Witnesses known by what they lie near to: the theorem, its bounds to a hair, and when the search uses it."""

from __future__ import annotations

import json
import random
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat

from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.refinement.certificate import Certificate
from qifldp.refinement.decide import decide_refinement
from qifldp.refinement.decision import Refines
from qifldp.refinement.proofs import NearWitness, Witness
from qifldp.refinement.search.explicit import WRITTEN_OUT
from qifldp.refinement.search.explicit_boundary import is_witness
from qifldp.refinement.search.explicit_exact import flint_matrix
from qifldp.refinement.search.explicit_near import DIGITS, near_witness
from qifldp.refinement.search.explicit_reading import exact_channel
from qifldp.refinement.verified import CertificateError
from qifldp.refinement.verify import verify_certificate
from qifldp.refinement.verify_explicit import check_near_witness

HAIR = Fraction(1, 10**40)

IDENTITY = fmpq_mat([[1, 0], [0, 1]])
HALF = Fraction(1, 2)


def random_stochastic(source: random.Random, rows: int, columns: int) -> fmpq_mat:
    table = [[source.randint(1, 9) for _ in range(columns)] for _ in range(rows)]
    return fmpq_mat([[fmpq(entry, sum(row)) for entry in row] for row in table])


def shaken(source: random.Random, matrix: fmpq_mat, amount: fmpq) -> fmpq_mat:
    return fmpq_mat([[entry + amount * source.randint(-9, 9) for entry in row] for row in matrix.tolist()])


def right_inverse(original: fmpq_mat) -> fmpq_mat:
    return original.transpose() * (original * original.transpose()).inv()


def float_pair(secrets: int, outputs: int, seed: int = 1) -> tuple[Channel, Channel]:
    rng = np.random.default_rng(seed)
    a, w = rng.dirichlet(np.ones(outputs), size=secrets), rng.dirichlet(np.ones(secrets), size=outputs)
    return Channel(a, normalize=True), Channel(a @ w, normalize=True)


def proof_of(original: Channel, refined: Channel) -> tuple[Witness | NearWitness, str]:
    """Return what decides the pair, verified a second time after it was written and read."""
    found = decide_refinement(original=original, refined=refined)
    assert isinstance(found, Refines)
    read = Certificate.from_json(json.loads(json.dumps(found.certificate.to_json())))
    assert read == found.certificate
    verify_certificate(read)
    assert isinstance(read.proof, Witness | NearWitness)
    return read.proof, found.method


class TestTheorem:
    @pytest.mark.parametrize(("secrets", "outputs"), [(3, 3), (3, 5), (2, 6)])
    def test_what_is_accepted_has_the_witness_of_the_formula(self, secrets: int, outputs: int) -> None:
        """Both answers occur: W₀, R and B are shaken until the bounds break, and beyond."""
        source = random.Random(outputs)
        seen = {True: 0, False: 0}
        for _ in range(300):
            original, near = random_stochastic(source, secrets, outputs), random_stochastic(source, outputs, 3)
            try:
                inverse = shaken(source, right_inverse(original), fmpq(1, 10 ** source.randint(1, 4)))
            except ZeroDivisionError:
                continue
            away = fmpq(1, 10 ** source.randint(0, 4))
            refined = (1 - away) * (original * near) + away * random_stochastic(source, secrets, 3)
            try:
                check_near_witness(original, refined, near, inverse)
            except CertificateError:
                seen[False] += 1
                continue
            seen[True] += 1
            move = inverse * (original * inverse).inv() * (refined - original * near)
            assert is_witness(original, refined, near + move)
        assert min(seen.values()) >= 50

    @pytest.mark.parametrize("share", [1, fmpq(1, 2), fmpq(1, 1000)])
    def test_the_bound_is_met_exactly_and_broken_by_a_hair(self, share: fmpq | int) -> None:
        """A multiple of the inverse has shorter rows, and e takes back what that gains."""
        refined = flint_matrix([[1, 0], [HALF, HALF]])

        def near(wrong: Fraction) -> fmpq_mat:
            return flint_matrix(
                [[Fraction(9, 10), Fraction(1, 10)], [Fraction(4, 10) - wrong, Fraction(6, 10) + wrong]]
            )

        check_near_witness(IDENTITY, refined, near(Fraction(0)), IDENTITY * share)
        with pytest.raises(CertificateError, match=r"^What turns A into B near .* may have a negative entry\.$"):
            check_near_witness(IDENTITY, refined, near(HAIR), IDENTITY * share)

    def test_a_channel_outside_the_cone_by_a_hair_is_refused(self) -> None:
        original = flint_matrix([[Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)]])
        for step, accepted in ((HAIR, True), (-HAIR, False)):
            near = flint_matrix([[1 - HAIR, HAIR], [HALF, HALF]])
            refined = original * flint_matrix([[1 - step, step], [HALF, HALF]])
            if accepted:
                check_near_witness(original, refined, near, original.inv())
            else:
                with pytest.raises(CertificateError, match="may have a negative entry"):
                    check_near_witness(original, refined, near, original.inv())

    @pytest.mark.parametrize("scale", [0, 2, 3, -1])
    def test_a_matrix_that_is_no_right_inverse_is_refused(self, scale: int) -> None:
        """With e = 1 or more A·R may have no inverse. R = 0 would make every bound hold, for any B."""
        near = flint_matrix([[HALF, HALF], [HALF, HALF]])
        with pytest.raises(CertificateError, match=r"^The right inverse is not one of A, not even roughly\.$"):
            check_near_witness(IDENTITY, IDENTITY * near, near, IDENTITY * scale)

    @pytest.mark.parametrize("scale", [HAIR, 2 - HAIR])
    def test_a_matrix_that_is_hardly_a_right_inverse_will_do(self, scale: Fraction) -> None:
        near = flint_matrix([[HALF, HALF], [HALF, HALF]])
        check_near_witness(IDENTITY, near, near, IDENTITY * fmpq(scale.numerator, scale.denominator))

    def test_more_secrets_than_outputs_have_no_right_inverse(self) -> None:
        tall, near = fmpq_mat([[1, 0], [0, 1], [1, 0]]), IDENTITY
        with pytest.raises(CertificateError, match=r"^The right inverse is not one of A, not even roughly\.$"):
            check_near_witness(tall, tall, near, fmpq_mat([[1, 0, 0], [0, 1, 0]]))

    @pytest.mark.parametrize("total", [1 - HAIR, 1 + HAIR])
    def test_rows_that_do_not_sum_to_one_are_refused(self, total: Fraction) -> None:
        near = flint_matrix([[HALF, total - HALF], [HALF, HALF]])
        with pytest.raises(CertificateError, match=r"^A row of the witness does not sum to one\.$"):
            check_near_witness(IDENTITY, IDENTITY, near, IDENTITY)

    def test_shapes_must_fit(self) -> None:
        row = fmpq_mat([[1, 0]])
        with pytest.raises(CertificateError, match=r"^The witness has a shape that does not fit the two channels\.$"):
            check_near_witness(IDENTITY, IDENTITY, row, IDENTITY)
        with pytest.raises(CertificateError, match=r"^The right inverse has a shape that does not fit A\.$"):
            check_near_witness(IDENTITY, IDENTITY, IDENTITY, row)


class TestForm:
    def certificate(self) -> Certificate:
        rows, inverse = ((HALF, HALF), (HALF, HALF)), ((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1)))
        channels = (Channel([[1, 0], [0, 1]]), Channel([["1/2", "1/2"], ["1/2", "1/2"]]))
        return Certificate(*channels, "refines", NearWitness(rows, inverse))

    @pytest.mark.parametrize("field", ["matrix", "right_inverse"])
    @pytest.mark.parametrize(
        ("rows", "reason"),
        [
            ("1", "A matrix in a certificate must be a list of rows."),
            ([], "A matrix in a certificate must be a list of rows."),
            ([["1"], ["1", "0"]], "A matrix in a certificate must be rectangular, of at most 1,000,000 entries."),
            ([["0"] * 1001] * 1000, "A matrix in a certificate must be rectangular, of at most 1,000,000 entries."),
            ([[1, 0], [0, 1]], 'A number in a proof must be exact text such as "1/3", got 1.'),
            (
                [["9" * 401, "0"]],
                f"a number in a proof must be a finite number such as 0.75 or 3/4, got '{'9' * 58}….",
            ),
        ],
    )
    def test_matrices_are_bounded_and_exact(self, field: str, rows: object, reason: str) -> None:
        document = self.certificate().to_json()
        assert isinstance(document["proof"], dict)
        document["proof"][field] = rows
        with pytest.raises(InputError) as caught:
            Certificate.from_json(document)
        assert str(caught.value) == reason


class TestSearch:
    @pytest.mark.parametrize(("secrets", "outputs"), [(11, 11), (8, 16), (40, 40), (30, 60)])
    def test_floats_get_short_numbers(self, secrets: int, outputs: int) -> None:
        original, refined = map(exact_channel, float_pair(secrets, outputs))
        proof, _ = proof_of(original, refined)
        assert isinstance(proof, NearWitness)
        document = Certificate(original, refined, "refines", proof).to_json()["proof"]
        assert isinstance(document, dict)
        numbers = [entry for key in ("matrix", "right_inverse") for row in document[key] for entry in row]
        assert len(numbers) == 2 * outputs * secrets
        most = 24  # 17 or 18 digits, a sign, a power of ten; one entry of a row makes up what the others lack
        assert sum(map(len, numbers)) < most * len(numbers)

    @pytest.mark.parametrize("outputs", [10, 20])
    def test_a_small_witness_is_written_out(self, outputs: int) -> None:
        source = random.Random(2)
        for targets in (WRITTEN_OUT // outputs, WRITTEN_OUT // outputs + 1):
            original = random_stochastic(source, 10, outputs)
            refined = original * random_stochastic(source, outputs, targets)
            proof, _ = proof_of(_channel(original), _channel(refined))
            assert isinstance(proof, NearWitness) == (targets * outputs > WRITTEN_OUT)

    def test_a_boundary_keeps_the_exact_witness(self) -> None:
        original = random_stochastic(random.Random(3), 12, 12)
        table = original.tolist()
        merged = fmpq_mat([[row[0] + row[1], *row[2:]] for row in table])
        proof, method = proof_of(_channel(original), _channel(merged))
        assert not isinstance(proof, NearWitness)
        assert method == "exact solution"

    def test_rows_that_depend_on_others_keep_the_exact_witness(self) -> None:
        source = random.Random(4)
        original = random_stochastic(source, 9, 8) * random_stochastic(source, 8, 20)
        refined = original * random_stochastic(source, 20, 9)
        proof, _ = proof_of(_channel(original), _channel(refined))
        assert not isinstance(proof, NearWitness)

    def test_proportional_and_zero_columns_on_both_sides(self) -> None:
        """An output that never occurs takes no part: a zero row of R, and a zero column of W₀."""
        a, b = (channel.matrix for channel in map(exact_channel, float_pair(10, 20)))
        nothing = np.full((10, 1), Fraction(0))
        wide = Channel(np.hstack((a[:, :1] / 3, nothing, a[:, 1:], a[:, :1] * Fraction(2, 3))).tolist())
        other = Channel(np.hstack((b[:, 1:], b[:, :1] / 7, nothing, b[:, :1] * Fraction(6, 7))).tolist())
        proof, _ = proof_of(wide, other)
        assert isinstance(proof, NearWitness)
        assert not any(row[-2] for row in proof.rows)
        assert not any(proof.right_inverse[1])

    @pytest.mark.parametrize(("exponent", "rounds"), [(8, 1), (25, 2), (40, 3), (55, 4), (90, None)])
    def test_entries_near_zero_take_more_digits(self, exponent: int, rounds: int | None) -> None:
        tiny = Fraction(1, 10**exponent)
        original = flint_matrix([[HALF, HALF], [Fraction(1, 3), Fraction(2, 3)]])
        refined = original * flint_matrix([[1 - tiny, tiny], [HALF, HALF]])
        found = near_witness(original, refined, np.full((2, 2), 0.5))
        if rounds is None:
            assert found is None
            return
        assert found is not None
        check_near_witness(original, refined, *found)
        digits = len(str(found[0].tolist()[1][1].p))
        assert DIGITS[rounds - 1] <= digits <= DIGITS[rounds - 1] + 1

    def test_the_size_that_is_promised(self) -> None:
        """A pair of 100 × 100 doubles takes less than 2 MB besides the two matrices, layout included."""
        original, refined = map(exact_channel, float_pair(100, 100))
        proof, _ = proof_of(original, refined)
        assert isinstance(proof, NearWitness)
        document = Certificate(original, refined, "refines", proof).to_json()
        assert len(json.dumps(document["proof"], indent=1)) < 2_000_000


def _channel(matrix: fmpq_mat) -> Channel:
    return Channel([[Fraction(int(entry.p), int(entry.q)) for entry in row] for row in matrix.tolist()])
