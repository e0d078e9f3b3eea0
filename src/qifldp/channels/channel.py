"""Explicit channels: labelled matrices of floats or of exact rationals."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from qifldp.adversaries.prior import Prior
from qifldp.channels.hyper import Hyper, Numbers
from qifldp.channels.reduction import merge_proportional
from qifldp.errors import InputError, TooLargeError, shown
from qifldp.exact.budget import parse_rational
from qifldp.matrix_files import float_table

ROW_SUM_TOLERANCE = 1e-12
"""A row of m doubles that was normalised in floats sums to one within m·1e-16; a matrix printed with
fewer than twelve digits does not, and is asked to say so (``normalize=True``)."""

LARGEST_CHANNEL = 1 << 26
"""Cells of an explicit matrix (512 MiB of doubles)."""


class Channel:
    """A channel C with C[x, y] = Pr[output y | secret x]: rows are secrets, columns outputs.

    Entries are float64, or exact rationals (``fractions.Fraction``) if every entry given is an integer,
    a fraction, or text such as ``"1/3"`` or ``"0.25"``. Exact channels give exact answers.

    Attributes:
        matrix: Array of shape (secrets, outputs), float64 or of dtype object; read-only.
        inputs: Labels of the rows.
        outputs: Labels of the columns.
    """

    matrix: Numbers
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def __init__(
        self,
        matrix: object,
        *,
        inputs: Iterable[object] | None = None,
        outputs: Iterable[object] | None = None,
        normalize: bool = False,
    ) -> None:
        """Check and keep a channel matrix.

        Args:
            matrix: Two-dimensional, rows are secrets; non-negative, each row sums to one.
            inputs: Labels of the rows, by default 0, 1, ….
            outputs: Labels of the columns, by default 0, 1, ….
            normalize: Divide every row by its sum first.

        Raises:
            InputError: If the matrix is not a channel, naming the row or entry that is wrong.
        """
        numbers = _numbers(matrix)
        if numbers.ndim != 2 or numbers.shape[0] < 1 or numbers.shape[1] < 1:
            raise InputError(f"A channel matrix must have rows and columns, got the shape {numbers.shape}.")
        if numbers.size > LARGEST_CHANNEL:
            raise TooLargeError(f"A channel matrix must have at most {LARGEST_CHANNEL:,} cells, got {numbers.size:,}.")
        _check_entries(numbers)
        sums = numbers.sum(axis=1)
        if normalize:
            if not (sums > 0).all():
                raise InputError(f"Row {int(np.argmin(sums > 0))} of the channel matrix sums to zero.")
            numbers = numbers / sums[:, None]
        else:
            tolerance = 0 if numbers.dtype == object else ROW_SUM_TOLERANCE
            wrong = np.flatnonzero(np.abs(sums - 1) > tolerance)
            if wrong.size:
                raise InputError(
                    f"Each row of a channel matrix must sum to one, but row {wrong[0]} sums to {sums[wrong[0]]} "
                    "(if that is rounding, write fractions, or more digits)."
                )
        numbers.setflags(write=False)
        self.matrix = numbers
        self.inputs = _labels(inputs, numbers.shape[0], "row")
        self.outputs = _labels(outputs, numbers.shape[1], "column")

    @property
    def is_exact(self) -> bool:
        """Whether the entries are exact rationals."""
        return self.matrix.dtype == object

    @property
    def domain_size(self) -> int:
        """Number of secrets k."""
        return int(self.matrix.shape[0])

    def to_float(self) -> Channel:
        """Return the channel with its entries rounded to float64 (rows renormalised)."""
        if not self.is_exact:
            return self
        return Channel(self.matrix.astype(np.float64), inputs=self.inputs, outputs=self.outputs, normalize=True)

    def to_exact(self) -> Channel:
        """Return the channel with its float entries read as the rationals that they are.

        Raises:
            InputError: If a row of those rationals does not sum to exactly one.
        """
        exact = np.array([[Fraction(value) for value in row] for row in self.matrix.tolist()], dtype=object)
        return Channel(exact, inputs=self.inputs, outputs=self.outputs)

    def joint(self, prior: Prior | None = None) -> Numbers:
        """Return J[x, y] = π_x · C[x, y], exact if prior and channel are (default: the uniform prior)."""
        weights, matrix = self._with_prior(prior)
        return weights[:, None] * matrix

    def posterior(self, output: object, prior: Prior | None = None) -> Prior:
        """Return the adversary's posterior after one output.

        Args:
            output: A column's label, or its index.
            prior: The adversary's prior, uniform by default.

        Raises:
            InputError: If there is no such output, or it never occurs under the prior.
        """
        column = self.joint(prior)[:, self._column(output)]
        total = column.sum()
        if not total > 0:
            raise InputError(f"The output {shown(output)} never occurs under this prior.")
        return Prior(column / total, labels=self.inputs)

    def _column(self, output: object) -> int:
        if str(output) in self.outputs:
            return self.outputs.index(str(output))
        if isinstance(output, int | np.integer) and 0 <= output < len(self.outputs):
            return int(output)
        raise InputError.expected("output", f"one of the {len(self.outputs)} columns", output)

    def hyper(self, prior: Prior | None = None) -> Hyper:
        """Return the hyper-distribution under a prior (uniform by default): a row an output that occurs."""
        weights, matrix = self._with_prior(prior)
        support = np.flatnonzero(weights > 0)
        weights, matrix = weights[support], matrix[support]
        outer = (weights[:, None] * matrix).sum(axis=0)
        seen = np.flatnonzero(outer > 0)
        density = (matrix[:, seen] / outer[seen]).T
        ones = np.ones(density.shape, dtype=np.int64)
        return Hyper(outer=outer[seen], prior=weights, density=density, excess=density - 1, multiplicity=ones)

    def _with_prior(self, prior: Prior | None) -> tuple[Numbers, Numbers]:
        """Return prior and matrix as exact numbers if both are, else both as floats."""
        size = self.domain_size
        weights = Prior.uniform(size, exact=self.is_exact).probabilities if prior is None else prior.for_domain(size)
        if self.is_exact and weights.dtype == object:
            return weights, self.matrix
        return weights.astype(np.float64), self.matrix.astype(np.float64)

    @cached_property
    def _reduced(self) -> Channel:
        groups = merge_proportional(self.matrix)
        matrix = np.stack([self.matrix[:, group].sum(axis=1) for group in groups], axis=1)
        outputs = ["|".join(self.outputs[column] for column in group) for group in groups]
        return Channel(matrix, inputs=self.inputs, outputs=outputs)

    def reduced(self) -> Channel:
        """Return the abstract channel: zero columns dropped, proportional columns merged.

        No adversary can tell it from the original. Columns are ordered by their posteriors, so equal
        abstract channels have equal reduced matrices. A merged output is labelled by its parts, ``a|b``.
        Exact for rationals; see :func:`qifldp.channels.reduction.merge_proportional` for floats.
        """
        return self._reduced

    def __matmul__(self, other: Channel) -> Channel:
        """Return the cascade: this channel, then ``other`` applied to its output (C·D)."""
        if not isinstance(other, Channel):
            return NotImplemented
        if len(self.outputs) != other.domain_size:
            raise InputError(
                f"A cascade needs as many outputs ({len(self.outputs)}) as the next channel has rows "
                f"({other.domain_size})."
            )
        left, right = common_kind(self, other)
        return Channel(
            left.matrix @ right.matrix, inputs=self.inputs, outputs=other.outputs, normalize=not left.is_exact
        )

    def parallel(self, other: Channel) -> Channel:
        """Return both channels run on one secret, both outputs seen: C[x, y] · D[x, z] at column (y, z)."""
        if self.domain_size != other.domain_size:
            raise InputError(
                f"Channels in parallel need one domain, got {self.domain_size} and {other.domain_size} secrets."
            )
        left, right = common_kind(self, other)
        product = left.matrix[:, :, None] * right.matrix[:, None, :]
        return Channel(
            product.reshape(self.domain_size, -1),
            inputs=self.inputs,
            outputs=pair_labels(self.outputs, other.outputs),
            normalize=not left.is_exact,
        )

    def __eq__(self, other: object) -> bool:
        """Whether matrices and labels are equal, entry for entry."""
        if not isinstance(other, Channel):
            return NotImplemented
        return (
            self.inputs == other.inputs
            and self.outputs == other.outputs
            and bool(np.array_equal(self.matrix, other.matrix))
        )

    __hash__ = None  # type: ignore[assignment]  # equal matrices may differ in kind; use them as values, not keys

    def __repr__(self) -> str:
        kind = "exact" if self.is_exact else "float64"
        return f"<Channel {self.matrix.shape[0]} × {self.matrix.shape[1]}, {kind}>"


def common_kind(first: Channel, second: Channel) -> tuple[Channel, Channel]:
    """Return both channels as exact ones if both are, else both as floats."""
    if first.is_exact and second.is_exact:
        return first, second
    return first.to_float(), second.to_float()


def pair_labels(first: Sequence[str], second: Sequence[str]) -> list[str]:
    """Return the labels of pairs, the second label varying fastest."""
    return [f"({a},{b})" for a in first for b in second]


def set_label(members: Iterable[int]) -> str:
    """Return the label of the output that supports a set of values, such as ``{0,2}``."""
    return "{" + ",".join(str(member) for member in members) + "}"


def _numbers(matrix: object) -> Numbers:
    """Read a matrix: float64, or Fractions if every entry is exact."""
    if isinstance(matrix, np.ndarray) and matrix.dtype.kind == "f":
        return np.array(matrix, dtype=np.float64)
    if not isinstance(matrix, Sequence | np.ndarray) or isinstance(matrix, str):
        raise InputError.expected("A channel matrix", "a table of numbers", matrix)
    rows: list[list[Any]] = [list(row) if isinstance(row, Iterable) else [row] for row in matrix]
    if len({len(row) for row in rows}) > 1:
        raise InputError("Each row of a channel matrix must have the same number of entries.")
    if any(isinstance(entry, float | np.floating) for row in rows for entry in row):
        return float_table(rows, "A channel matrix")
    parsed = [[parse_rational(entry, "an entry of a channel matrix") for entry in row] for row in rows]
    table = np.empty((len(parsed), len(parsed[0]) if parsed else 0), dtype=object)
    for index, row in enumerate(parsed):
        table[index, :] = row
    return table


def _check_entries(numbers: Numbers) -> None:
    wrong = np.argwhere(~(numbers >= 0))
    if numbers.dtype != object and not wrong.size:
        wrong = np.argwhere(~np.isfinite(numbers))
    if wrong.size:
        row, column = wrong[0]
        raise InputError(
            "Each entry of a channel matrix must be a probability, but "
            f"row {row}, column {column} is {numbers[row, column]}."
        )


def _labels(labels: Iterable[object] | None, count: int, kind: str) -> tuple[str, ...]:
    found = tuple(str(label) for label in (range(count) if labels is None else labels))
    if len(found) != count:
        raise InputError(f"There must be one label for each {kind} ({count}), got {len(found)}.")
    if len(set(found)) != count:
        raise InputError(f"The labels of the {kind}s must differ from one another.")
    return found
