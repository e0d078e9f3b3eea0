"""Gain functions: what an adversary wants, and how much a belief is worth to them.

Every gain function answers one question about non-negative weights over the secrets (a posterior, a
column of a joint matrix, any scaling of either): how much does the best action gain? Actions are called
w in the literature, gains g(w, x) ≥ 0.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qifldp.errors import InputError, TooLargeError
from qifldp.exact.budget import parse_rational

Numbers = NDArray[Any]

LARGEST_MATRIX = 1 << 24
"""Cells of a gain function that is written out as a matrix."""


class Gain(ABC):
    """A gain function g: actions × secrets → [0, ∞)."""

    @abstractmethod
    def best(self, weights: Numbers) -> Numbers:
        """Return max_w Σ_x weights[…, x] · g(w, x) for each row of weights.

        Args:
            weights: Non-negative, shape (m, k); exact rationals give exact answers.

        Returns:
            Shape (m,).
        """

    @abstractmethod
    def matrix(self, domain_size: int) -> Numbers:
        """Return g written out: a row an action, a column a secret."""

    @abstractmethod
    def peak(self, domain_size: int) -> Numbers:
        """Return max_w g(w, x) for every secret, shape (k,)."""

    @abstractmethod
    def describe(self) -> str:
        """Return what this adversary wants, in words."""

    def check(self, domain_size: int) -> None:
        """Raise InputError if this gain function does not fit a domain of this size."""
        if domain_size < 1:
            raise InputError.expected("domain size", "positive", domain_size)


@dataclass(frozen=True)
class Guesses(Gain):
    """The adversary names t values and gains 1 if the secret is among them (t = 1: Bayes vulnerability)."""

    tries: int

    def __post_init__(self) -> None:
        if isinstance(self.tries, bool) or not isinstance(self.tries, int | np.integer) or self.tries < 1:
            raise InputError.expected("number of guesses", "a positive whole number", self.tries)

    def best(self, weights: Numbers) -> Numbers:
        if self.tries == 1:
            return weights.max(axis=1)
        if self.tries >= weights.shape[1]:
            return weights.sum(axis=1)
        return np.sort(weights, axis=1)[:, -self.tries :].sum(axis=1)

    def matrix(self, domain_size: int) -> Numbers:
        tries = min(self.tries, domain_size)
        actions = math.comb(domain_size, tries)
        _check_size(actions, domain_size)
        matrix = np.zeros((actions, domain_size))
        for row, chosen in enumerate(combinations(range(domain_size), tries)):
            matrix[row, chosen] = 1
        return matrix

    def peak(self, domain_size: int) -> Numbers:
        return np.ones(domain_size, dtype=np.int64)

    def describe(self) -> str:
        return "guesses the value in one try" if self.tries == 1 else f"guesses the value in {self.tries} tries"


@dataclass(frozen=True)
class Membership(Gain):
    """The adversary says whether the secret lies in a sensitive set, and gains 1 if that is right.

    Attributes:
        members: Indices of the secrets in the set.
    """

    members: tuple[int, ...]

    def check(self, domain_size: int) -> None:
        if self.members[-1] >= domain_size:
            raise InputError.expected("sensitive set", f"of values 0 to {domain_size - 1}", self.members[-1])

    def best(self, weights: Numbers) -> Numbers:
        self.check(weights.shape[1])
        inside = weights[:, list(self.members)].sum(axis=1)
        outside = np.delete(weights, list(self.members), axis=1).sum(axis=1)
        return np.maximum(inside, outside)

    def matrix(self, domain_size: int) -> Numbers:
        self.check(domain_size)
        matrix = np.zeros((2, domain_size))
        matrix[0, list(self.members)] = 1
        matrix[1] = 1 - matrix[0]
        return matrix

    def peak(self, domain_size: int) -> Numbers:
        return np.ones(domain_size, dtype=np.int64)

    def describe(self) -> str:
        return f"tells whether the value is in a sensitive set of {len(self.members)}"


@dataclass(frozen=True)
class Distance(Gain):
    """The adversary names a point on an ordered scale: gain 1 − |w − x|/(k − 1), values being 0..k−1."""

    def best(self, weights: Numbers) -> Numbers:
        k = weights.shape[1]
        if k == 1:
            return weights.sum(axis=1)
        below = np.cumsum(weights, axis=1)
        total = below[:, -1]
        above = total[:, None] - below
        # The best point is a median, and the expected distance to it sums the lighter side at every step.
        return total - np.minimum(below[:, :-1], above[:, :-1]).sum(axis=1) / (k - 1)

    def matrix(self, domain_size: int) -> Numbers:
        _check_size(domain_size, domain_size)
        points = np.arange(domain_size)
        return 1 - np.abs(points[:, None] - points[None, :]) / max(domain_size - 1, 1)

    def peak(self, domain_size: int) -> Numbers:
        return np.ones(domain_size, dtype=np.int64)

    def describe(self) -> str:
        return "comes near the value on its scale"


@dataclass(frozen=True, eq=False)
class MatrixGain(Gain):
    """Any gain function, written out: rows are actions, columns secrets, entries ≥ 0."""

    entries: Numbers

    def check(self, domain_size: int) -> None:
        if self.entries.shape[1] != domain_size:
            raise InputError(
                f"The gain matrix must have one column for each of the {domain_size} secrets, "
                f"got {self.entries.shape[1]}."
            )

    def best(self, weights: Numbers) -> Numbers:
        self.check(weights.shape[1])
        exact = weights.dtype == object and self.entries.dtype == object
        entries = self.entries if exact else self.entries.astype(np.float64)
        beliefs = weights if exact else weights.astype(np.float64)
        return (beliefs @ entries.T).max(axis=1)

    def matrix(self, domain_size: int) -> Numbers:
        self.check(domain_size)
        return self.entries

    def peak(self, domain_size: int) -> Numbers:
        self.check(domain_size)
        return self.entries.max(axis=0)

    def describe(self) -> str:
        actions = self.entries.shape[0]
        return f"plays a gain function of {actions:,} action{'' if actions == 1 else 's'}"


def bayes() -> Gain:
    """Return the gain of guessing the secret in one try: g(w, x) = 1 if w = x, else 0."""
    return Guesses(1)


def guesses(tries: int) -> Gain:
    """Return the gain of guessing the secret in ``tries`` tries."""
    return Guesses(tries)


def membership(members: Iterable[int]) -> Gain:
    """Return the gain of telling whether the secret lies in a sensitive set.

    Args:
        members: Indices of the secrets in the set, at least one.

    Raises:
        InputError: If the set is empty or an index is not a whole number ≥ 0.
    """
    chosen = list(members)
    for member in chosen:
        if isinstance(member, bool) or not isinstance(member, int | np.integer) or member < 0:
            raise InputError.expected("a member of the sensitive set", "the index of a value", member)
    if not chosen:
        raise InputError("The sensitive set must have at least one value.")
    return Membership(tuple(sorted({int(member) for member in chosen})))


def distance() -> Gain:
    """Return the gain of coming near on an ordered scale: g(w, x) = 1 − |w − x|/(k − 1)."""
    return Distance()


def from_matrix(entries: object) -> Gain:
    """Return any gain function, given as a table.

    Args:
        entries: Shape (actions, secrets), non-negative and finite. Exact if no entry is a float.

    Raises:
        InputError: If the table is ragged, empty, or has a negative or non-finite entry. (With negative
            gains multiplicative leakage has no bound; shift them by a constant instead.)
    """
    rows = [list(row) for row in entries.tolist()] if isinstance(entries, np.ndarray) else entries
    if not isinstance(rows, list | tuple) or not rows or not all(isinstance(row, list | tuple) and row for row in rows):
        raise InputError("A gain function must be a table: a row an action, a column a secret.")
    if len({len(row) for row in rows}) > 1:
        raise InputError("Each row of a gain function must have the same number of entries.")
    _check_size(len(rows), len(rows[0]))
    exact = not any(isinstance(entry, float | np.floating) for row in rows for entry in row)
    table = np.empty((len(rows), len(rows[0])), dtype=object if exact else np.float64)
    for index, row in enumerate(rows):
        numbers = [parse_rational(entry, "a gain") for entry in row] if exact else [_finite(entry) for entry in row]
        if min(numbers) < 0:
            raise InputError(f"A gain must not be negative, got {min(numbers)} in row {index}: add a constant to all.")
        table[index, :] = numbers
    table.setflags(write=False)
    return MatrixGain(table)


def _finite(entry: object) -> float:
    return float(parse_rational(entry, "a gain"))


def _check_size(actions: int, domain_size: int) -> None:
    if actions * domain_size > LARGEST_MATRIX:
        raise TooLargeError(
            f"A gain function of {actions:,} actions on {domain_size:,} secrets is too large to write out."
        )
