"""Checking witnesses, given or near, and gain functions on explicit channels, in exact rationals (flint matrices)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from qifldp.channels.channel import Channel
from qifldp.channels.exact_profile import expand
from qifldp.errors import InexactError
from qifldp.exact.budget import nearest_double
from qifldp.exact.fields import RATIONALS
from qifldp.protocols.protocol import Protocol
from qifldp.refinement.certificate import Certificate, Side, same_secrets
from qifldp.refinement.proofs import GainMatrix, NearWitness, Witness
from qifldp.refinement.verified import LEAST, CertificateError, Gains, Verified

LARGEST_WRITTEN = 2_048
"""Domain size up to which a protocol is written out: it has a column for each value at least."""

MOST_BITS = 1 << 33
"""Bits of a protocol's matrix that is written out to be checked, counted generously (about a minute)."""

MOST_PRODUCT_BITS = 1 << 31
"""Bits of what is multiplied, brought over common denominators, and of the product (about 40 seconds, 1.5 GB).

Entries that share no denominators become each as long as all of theirs together: a small file would take any memory.
Those of 100 × 200 doubles take a tenth of this.
"""


def verify_explicit(certificate: Certificate) -> Verified:
    """Check a witness or a gain function between two channels of rationals, on average or in the max-case order.

    Raises:
        CertificateError: If it does not prove its claim.
    """
    worst = certificate.order == "max"
    if worst and isinstance(certificate.proof, NearWitness):
        raise CertificateError("A proof of kind near_witness is about refinement on average only.")
    sides = certificate.original, certificate.refined
    if isinstance(sides[0], Channel) and isinstance(sides[1], Channel) and not same_secrets(sides[0], sides[1]):
        raise CertificateError("The rows of the two channels have different names, or another order.")
    original, refined, proof = _matrix(certificate.original), _matrix(certificate.refined), certificate.proof
    if isinstance(proof, NearWitness):
        check_near_witness(original, refined, _table(proof.rows), _table(proof.right_inverse))
        return Verified(certificate, 0)
    if isinstance(proof, Witness):
        _check_witness(original, refined, _table(proof.rows), stochastic=not worst)
        return Verified(certificate, 0)
    if not isinstance(proof, GainMatrix):
        raise CertificateError(f"A proof of kind {proof.kind} is not about explicit channels.")
    measure = luckiest_gain if worst else _bounded_posterior_gain
    return Verified(certificate, 0, _check_gain(original, refined, proof, measure))


def _check_witness(original: fmpq_mat, refined: fmpq_mat, witness: fmpq_mat, *, stochastic: bool) -> None:
    _check_not_negative(original, refined, witness)
    if stochastic:
        _check_row_sums(witness)
    if _product(original, witness) != refined:
        raise CertificateError("The witness does not turn A into B.")


def check_near_witness(original: fmpq_mat, refined: fmpq_mat, near: fmpq_mat, inverse: fmpq_mat) -> None:
    """Check that there is a witness near the given one (:class:`~qifldp.refinement.certificate.NearWitness`).

    Args:
        original: A, of shape (k, n), whose rows sum to one.
        refined: B, of shape (k, m), whose rows sum to one.
        near: W₀, of shape (n, m).
        inverse: R, of shape (n, k).

    Raises:
        CertificateError: If a condition fails.
    """
    _check_not_negative(original, refined, near)
    _check_row_sums(near)
    if (inverse.nrows(), inverse.ncols()) != (original.ncols(), original.nrows()):
        raise CertificateError("The right inverse has a shape that does not fit A.")
    room = 1 - _largest_row_sum_off_identity(original, inverse)
    if room <= 0:
        raise CertificateError("The right inverse is not one of A, not even roughly.")
    errors = [
        max(abs(entry) for entry in column) for column in (refined - _product(original, near)).transpose().tolist()
    ]
    for row, reach in zip(near.tolist(), _row_sums(inverse), strict=True):
        if any(reach * error > room * entry for entry, error in zip(row, errors, strict=True)):
            raise CertificateError("What turns A into B near the given witness may have a negative entry.")


def _check_not_negative(original: fmpq_mat, refined: fmpq_mat, witness: fmpq_mat) -> None:
    if (witness.nrows(), witness.ncols()) != (original.ncols(), refined.ncols()):
        raise CertificateError("The witness has a shape that does not fit the two channels.")
    if any(entry < 0 for entry in witness.entries()):
        raise CertificateError("The witness has a negative entry.")


def _check_row_sums(witness: fmpq_mat) -> None:
    if any(entry != 1 for entry in _product(witness, fmpq_mat([[1]] * witness.ncols())).entries()):
        raise CertificateError("A row of the witness does not sum to one.")


def _largest_row_sum_off_identity(original: fmpq_mat, inverse: fmpq_mat) -> fmpq:
    """Return ‖I − A·R‖, or 1, which it is at least, for more rows than columns (where the product could be huge)."""
    k = original.nrows()
    if k > original.ncols():
        return fmpq(1)
    identity = fmpq_mat([[int(x == other) for other in range(k)] for x in range(k)])
    return max(_row_sums(identity - _product(original, inverse)))


def _row_sums(matrix: fmpq_mat) -> list[fmpq]:
    """Return Σ |entry| of each row."""
    return [sum((abs(entry) for entry in row), fmpq(0)) for row in matrix.tolist()]


def _check_gain(
    original: fmpq_mat, refined: fmpq_mat, proof: GainMatrix, measure: Callable[[fmpq_mat, fmpq_mat], fmpq]
) -> Gains:
    gain = _table(proof.rows)
    if gain.ncols() != original.nrows():
        raise CertificateError("The gain function has another number of secrets than the channels.")
    if any(entry < 0 for row in proof.rows for entry in row):
        raise CertificateError("The gain function has a negative entry.")
    gain_a, gain_b = measure(gain, original), measure(gain, refined)
    if not gain_a < gain_b:
        raise CertificateError("The adversary does not gain more from B than from A.")
    return Gains(_float(gain_a), _float(gain_b), max(_float(gain_b - gain_a), LEAST))


def _matrix(side: Side) -> fmpq_mat:
    """Return a side as an exact matrix, a protocol's profile written out."""
    if isinstance(side, Protocol):
        if not side.is_exact:
            raise CertificateError(f"{side.spec} has no matrix of rationals.")
        if _bits(side) > MOST_BITS:
            raise CertificateError(f"The matrix of {side.spec} over {side.domain_size:,} values is too large to check.")
    channel = expand(side.exact_profile(RATIONALS)) if isinstance(side, Protocol) else side
    if not isinstance(channel, Channel) or not channel.is_exact:
        raise InexactError("A certificate is about channels of exact rationals.")
    return _table(channel.matrix.tolist())


def _bits(protocol: Protocol) -> float:
    """Return about how many bits the matrix of a protocol's profile has."""
    k = protocol.domain_size
    if k > LARGEST_WRITTEN:
        return math.inf
    sizes = protocol.profile.sizes.tolist()
    digits = max(chance.denominator.bit_length() for chance in protocol.support_probabilities(RATIONALS))
    powers = k if len(sizes) > 1 else 1  # an entry is a product of that many chances
    return k * sum(math.comb(k, size) for size in sizes) * (powers * digits + k)


def posterior_gain(gain: fmpq_mat, channel: fmpq_mat) -> fmpq:
    """Return Σ_y max_w Σ_x (1/k) C[x, y] g(w, x), the maxima compared as integers over one denominator."""
    rows, denominators = _over_row_denominators(channel)
    numerators, denominator = gain.numer_denom()
    common = math.lcm(*denominators)
    weights = [common // divisor for divisor in denominators]
    scaled = [[entry * weight for entry, weight in zip(row, weights, strict=True)] for row in numerators.tolist()]
    table = (fmpz_mat(scaled) * rows).transpose().tolist()
    return fmpq(sum(max(column) for column in table), denominator * common * channel.nrows())


def _bounded_posterior_gain(gain: fmpq_mat, channel: fmpq_mat) -> fmpq:
    """Return :func:`posterior_gain`, if its integers are not too long to compute.

    Raises:
        CertificateError: If they are.
    """
    filled = gain.nrows() * (gain.ncols() + channel.ncols())  # numbers over the denominators of all entries
    rows = sum(_bits_over_one(row, channel.ncols()) for row in channel.tolist())
    _check_bits(rows + _bits_over_one(gain.entries(), filled) + _bits_over_one(channel.entries(), filled))
    return posterior_gain(gain, channel)


def luckiest_gain(gain: fmpq_mat, channel: fmpq_mat) -> fmpq:
    """Return max_y max_w Σ_x δ_y(x) g(w, x) over the outputs y that occur, with posteriors δ_y (uniform prior).

    Raises:
        CertificateError: If its numbers are too long to multiply.
    """
    products = _product(gain, channel).transpose().tolist()
    masses = [sum(column, fmpq(0)) for column in channel.transpose().tolist()]
    return max(max(column) / mass for column, mass in zip(products, masses, strict=True) if mass)


def passing_gain(certificate: Certificate) -> float:
    """Return what the adversary of a max-case gain function gains more from B on average, if they pass at A's luckiest.

    They act on what promises more than any report of A does, at the price of that, and else pass: from A they gain
    nothing. Their gains are as far apart as those of the gain function.

    Args:
        certificate: A verified one, with a gain function.
    """
    assert isinstance(certificate.proof, GainMatrix)
    gain, refined = _table(certificate.proof.rows), _matrix(certificate.refined)
    price = luckiest_gain(gain, _matrix(certificate.original))
    offers = [[entry - price for entry in row] for row in gain.tolist()]
    return _float(posterior_gain(fmpq_mat([*offers, [0] * gain.ncols()]), refined))


def _product(left: fmpq_mat, right: fmpq_mat) -> fmpq_mat:
    """Return left·right, which flint computes over one denominator for each row of the left and column of the right.

    Raises:
        CertificateError: If its numbers are too long to multiply.
    """
    (rows, inner), columns = (left.nrows(), left.ncols()), right.ncols()
    bits = 0
    for vectors, times in ((left, inner + columns), (right.transpose(), inner + rows)):
        for vector in vectors.tolist():
            bits += _bits_over_one(vector, times)
            _check_bits(bits)
    return left * right


def _bits_over_one(entries: Iterable[fmpq], times: int) -> int:
    """Return a bound on the bits of so many numbers, each as long as an entry over the common denominator of all.

    Raises:
        CertificateError: If they are too many, which is seen before the common denominator is as long.
    """
    common, longest = fmpz(1), 0
    for entry in entries:
        common, longest = common.lcm(entry.q), max(longest, entry.p.height_bits())
        _check_bits(times * (common.height_bits() + longest))
    return times * int(common.height_bits() + longest)


def _check_bits(bits: int) -> None:
    if bits > MOST_PRODUCT_BITS:
        raise CertificateError(f"The numbers of its matrices are too long to check (over {MOST_PRODUCT_BITS:,} bits).")


def _over_row_denominators(matrix: fmpq_mat) -> tuple[fmpz_mat, list[int]]:
    """Return the integer matrix and the divisors of its rows that make up a rational matrix."""
    table = matrix.tolist()
    divisors = [math.lcm(*(int(entry.q) for entry in row)) for row in table]
    rows = [[entry.p * (d // int(entry.q)) for entry in row] for row, d in zip(table, divisors, strict=True)]
    return fmpz_mat(rows), divisors


def _table(rows: Iterable[Iterable[Fraction]]) -> fmpq_mat:
    return fmpq_mat([[fmpq(entry.numerator, entry.denominator) for entry in row] for row in rows])


def _float(value: fmpq) -> float:
    return nearest_double(Fraction(int(value.p), int(value.q)))
