"""Explicit channels read as exact matrices and reduced; what is found of the reduced, told of the whole."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpq_mat

from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.refinement.search.explicit_exact import column_classes, flint_matrix, fraction, fractions, merged


def exact_channel(channel: Channel) -> Channel:
    """Return the channel of rationals: floats read as what they are, each row divided by its exact sum."""
    if channel.is_exact:
        return channel
    table = [[Fraction(entry) for entry in row] for row in channel.matrix.tolist()]
    rows = [[entry / total for entry in row] for row, total in ((row, sum(row)) for row in table)]
    return Channel(rows, inputs=channel.inputs, outputs=channel.outputs)


@dataclass(frozen=True)
class ReadPair:
    """Two different channels as exact matrices, whole and reduced, and whether rounding had a part in them.

    Attributes:
        original: A.
        refined: B.
        classes_original: Which columns of A are proportional; zero columns are in none.
        classes_refined: Which columns of B are.
        rounded: Whether either comes from floats.
    """

    original: fmpq_mat
    refined: fmpq_mat
    classes_original: list[list[int]]
    classes_refined: list[list[int]]
    rounded: bool

    @property
    def reduced_original(self) -> fmpq_mat:
        """A with the columns of each class added up."""
        return merged(self.original, self.classes_original)

    @property
    def reduced_refined(self) -> fmpq_mat:
        """B with the columns of each class added up."""
        return merged(self.refined, self.classes_refined)

    def lifted(self, witness: fmpq_mat) -> tuple[tuple[Fraction, ...], ...]:
        """Return the witness W of the whole channels, given that of the reduced ones.

        Columns of A that are one class share a row of W; columns of B that are one class split it in proportion.
        """
        sums = [sum(column, fmpq(0)) for column in self.refined.transpose().tolist()]
        nothing, unseen = Fraction(0), (Fraction(1), *(Fraction(0),) * (len(sums) - 1))
        rows = [unseen] * self.original.ncols()  # outputs that never occur stay so
        for group, row in zip(self.classes_original, witness.tolist(), strict=True):
            full = [nothing] * len(sums)
            for parts, entry in zip(self.classes_refined, row, strict=True):
                total = sum((sums[z] for z in parts), fmpq(0))
                for z in parts:
                    full[z] = fraction(entry if len(parts) == 1 else entry * sums[z] / total)
            for y in group:
                rows[y] = tuple(full)
        return tuple(rows)

    def lifted_inverse(self, inverse: fmpq_mat) -> tuple[tuple[Fraction, ...], ...]:
        """Return R of the whole A, from the reduced A's: a class shares a row, and then A·R is what it was."""
        rows: list[tuple[Fraction, ...]] = [(Fraction(0),) * inverse.ncols()] * self.original.ncols()
        for group, row in zip(self.classes_original, fractions(inverse), strict=True):
            for y in group:
                rows[y] = tuple(row)
        return tuple(rows)


def read_pair(original: Channel, refined: Channel) -> ReadPair | None:
    """Return two channels as :func:`exact_channel` reads them, None if they are one.

    Raises:
        InputError: If the numbers of secrets differ.
    """
    if original.domain_size != refined.domain_size:
        raise InputError(
            f"Refinement compares channels of one domain, got {original.domain_size} and {refined.domain_size} secrets."
        )
    left, right = exact_channel(original), exact_channel(refined)
    if left == right:
        return None
    a, b = (flint_matrix(channel.matrix.tolist()) for channel in (left, right))
    return ReadPair(a, b, column_classes(a), column_classes(b), not (original.is_exact and refined.is_exact))
