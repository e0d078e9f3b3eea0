"""Priors: what the adversary knows before any report."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qifldp.errors import InputError
from qifldp.exact.budget import parse_rational
from qifldp.matrix_files import float_table

SUM_TOLERANCE = 1e-9
"""Probabilities printed with ten digits pass and are rescaled; a forgotten or doubled value does not."""


class Prior:
    """A probability distribution over the secrets.

    Attributes:
        probabilities: π, shape (k,): float64, or exact rationals (dtype object); read-only.
        labels: Names of the secrets, or None.
    """

    probabilities: NDArray[Any]
    labels: tuple[str, ...] | None

    def __init__(self, probabilities: Sequence[object] | NDArray[Any], labels: Iterable[object] | None = None) -> None:
        """Check and keep a distribution.

        Args:
            probabilities: Non-negative, summing to one. Exact if every entry is an integer, a fraction or text.
            labels: Names of the secrets.

        Raises:
            InputError: If this is not a probability distribution.
        """
        values = _read(probabilities)
        if values.ndim != 1 or values.size < 1:
            raise InputError("A prior must be a list of probabilities, one for each secret.")
        wrong = np.flatnonzero(~(values >= 0))
        if wrong.size:
            raise InputError(f"A prior must have probabilities only, but entry {wrong[0]} is {values[wrong[0]]}.")
        total = values.sum()
        exact = values.dtype == object
        if (total != 1) if exact else not abs(total - 1) <= SUM_TOLERANCE:
            raise InputError(f"The probabilities of a prior must sum to one, but they sum to {total}.")
        self.probabilities = values if exact else values / total
        self.probabilities.setflags(write=False)
        self.labels = None if labels is None else tuple(str(label) for label in labels)
        if self.labels is not None and len(self.labels) != values.size:
            raise InputError(f"A prior over {values.size} secrets needs as many labels, got {len(self.labels)}.")

    @classmethod
    def uniform(cls, domain_size: int, *, exact: bool = False) -> Prior:
        """Return the prior of an adversary who knows nothing: 1/k for each of k secrets."""
        if domain_size < 1:
            raise InputError.expected("domain size", "positive", domain_size)
        if exact:
            return cls([Fraction(1, domain_size)] * domain_size)
        return cls(np.full(domain_size, 1 / domain_size))

    @classmethod
    def zipf(cls, domain_size: int, exponent: float = 1.0) -> Prior:
        """Return the prior π_i ∝ i^(−exponent), i = 1..k: a few values are common, most are rare."""
        if not 0 <= exponent < math.inf:
            raise InputError.expected("Zipf exponent", "finite and not negative", exponent)
        weights = np.arange(1, domain_size + 1, dtype=np.float64) ** -exponent
        return cls(weights / weights.sum())

    @classmethod
    def from_counts(
        cls, counts: Iterable[object], labels: Iterable[object] | None = None, *, exact: bool = False
    ) -> Prior:
        """Return the prior of an adversary who knows the population's counts.

        Args:
            counts: How often each value occurs, at least one of them not zero.
            labels: Names of the values.
            exact: Keep the frequencies as exact rationals.

        Raises:
            InputError: If a count is negative or not a number, or all are zero.
        """
        numbers = [parse_rational(count, "a count") for count in _plain(counts)]
        total = sum(numbers)
        if not numbers or min(numbers) < 0 or total == 0:
            raise InputError("Counts must be non-negative numbers that are not all zero.")
        if exact:
            return cls([number / total for number in numbers], labels)
        return cls(np.array([float(number) for number in numbers]) / float(total), labels)

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are exact rationals."""
        return self.probabilities.dtype == object

    @property
    def is_uniform(self) -> bool:
        """Whether all secrets have exactly one probability."""
        return bool((self.probabilities == self.probabilities[0]).all())

    @property
    def domain_size(self) -> int:
        """Number of secrets."""
        return int(self.probabilities.size)

    def for_domain(self, domain_size: int) -> NDArray[Any]:
        """Return the probabilities if they are of this many secrets, else raise InputError."""
        if self.domain_size != domain_size:
            raise InputError(
                f"The prior must have one probability for each of the {domain_size} secrets, got {self.domain_size}."
            )
        return self.probabilities

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prior):
            return NotImplemented
        return bool(np.array_equal(self.probabilities, other.probabilities)) and self.labels == other.labels

    __hash__ = None  # type: ignore[assignment]  # a value with an array inside, never a key

    def __repr__(self) -> str:
        return f"<Prior over {self.domain_size} secrets, largest {float(self.probabilities.max()):.4g}>"


def _plain(values: Iterable[object]) -> list[object]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _read(values: Sequence[object] | NDArray[Any]) -> NDArray[Any]:
    plain = _plain(values)
    if not plain or any(isinstance(value, list | tuple) for value in plain):
        return np.zeros((0,))
    if any(isinstance(value, float | np.floating) for value in plain):
        return float_table([plain], "A prior")[0]
    exact = np.empty(len(plain), dtype=object)
    exact[:] = [parse_rational(value, "a probability") for value in plain]
    return exact
