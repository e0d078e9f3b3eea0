"""What a protocol does with a value: how its report is drawn, packed, checked and counted."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.entropy import WORD, Entropy
from qifldp.collection.size_law import SizeLaw, independent_members
from qifldp.errors import InputError

Rows = NDArray[np.uint8]
"""Packed reports, shape (n, width)."""

TOO_CLOSE = "This protocol cannot be run: its probabilities are within 2^-64 of 0, of 1 or of each other."

NOT_PLACES = "Values must be a list of whole numbers, the places of values in the domain."
MASKED = "Values must not be masked: leave out those who have none."

ROWS_A_STREAM = 1 << 16
"""Reports that are drawn from one random stream: the result depends on the seed alone, not on the threads."""


@dataclass(frozen=True)
class Mechanism(ABC):
    """A protocol ready to run: probabilities are whole numbers of 2⁻⁶⁴, and a report is ``width`` bytes.

    Attributes:
        domain_size: Number of values k.
    """

    domain_size: int

    @property
    @abstractmethod
    def width(self) -> int:
        """Bytes of a report."""

    @property
    @abstractmethod
    def support_chances(self) -> tuple[Fraction, Fraction]:
        """P and q of supporting the true value, and any other, as they are drawn."""

    @property
    def pair_chances(self) -> tuple[Fraction, Fraction]:
        """Of supporting both the true value and a certain other, and two certain others.

        Of independent members, unless overridden.
        """
        p, q = self.support_chances
        return p * q, q * q

    @property
    @abstractmethod
    def likelihood_ratio(self) -> Fraction:
        """The largest ratio of the probabilities of one report under two values: e^ε of the ε actually given."""

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The numbers of values that a report can support, increasing, if they are few; None if all from 0 to k."""
        return None

    @property
    def fixed_size(self) -> int | None:
        """The number of values that every report supports, if it is always the same."""
        return self.sizes[0] if self.sizes is not None and len(self.sizes) == 1 else None

    def size_law(self) -> SizeLaw:
        """Return the law of a report's size, and what each size tells: of independent members, unless overridden."""
        return independent_members(self.domain_size, *self.support_chances)

    def draw(self, values: object, rng: np.random.Generator) -> Rows:
        """Draw a report for each value, for simulation: all cores, and one result for one state of ``rng``.

        Raises:
            InputError: If a value is not a place of the domain, or the source of randomness is none.
        """
        check_generator(rng)
        places = check_values(values, self.domain_size)
        rows = np.empty((len(places), self.width), np.uint8)
        starts = range(0, len(places), ROWS_A_STREAM)
        seeds = np.frombuffer(rng.bytes(32 * len(starts)), np.uint64).reshape(-1, 4)

        def fill(place: int) -> None:
            part = slice(starts[place], starts[place] + ROWS_A_STREAM)
            self._draw(places[part], seeds[place].copy(), rows[part])

        in_threads(fill, len(starts))
        return rows

    @abstractmethod
    def _draw(self, values: NDArray[np.int64], state: NDArray[np.uint64], rows: Rows) -> None:
        """Fill rows with reports, from the stream of a state of four words."""

    def draw_securely(self, values: object, entropy: Entropy) -> Rows:
        """Draw a report for each value from entropy: the same distribution as :meth:`draw`, exactly.

        Raises:
            InputError: If a value is not a place of the domain.
        """
        return self._draw_securely(check_values(values, self.domain_size), entropy)

    @abstractmethod
    def _draw_securely(self, values: NDArray[np.int64], entropy: Entropy) -> Rows:
        """Draw a report for each of checked values."""

    @abstractmethod
    def faults(self, rows: Rows) -> NDArray[np.uint8]:
        """Return for each report 0 if a client can have sent it, else the place of the reason in ``FAULTS``."""

    @abstractmethod
    def supports(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which values each report supports, shape (n, k)."""

    @abstractmethod
    def count(self, rows: Rows, class_of: NDArray[np.uint16], table: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add the reports to counts of support by class of size.

        Args:
            rows: Reports without faults.
            class_of: The class of each size 0..k.
            table: Counts, shape (classes, k), added to in place.

        Returns:
            The number of reports in each class.
        """


@dataclass(frozen=True)
class DirectMechanism(Mechanism):
    """A mechanism that first draws whether the report supports the true value.

    Attributes:
        keep: 2⁶⁴ · Pr[the report supports the true value], rounded to the side that says less.
    """

    keep: int

    def __post_init__(self) -> None:
        if not 0 < self.keep < WORD or len(set(self.support_chances)) == 1:
            raise InputError(TOO_CLOSE)


FAULTS = (
    "",
    "bits beyond the domain are set",
    "another number of values than every report supports",
    "a value outside the domain",
    "values not in increasing order",
    "a bucket that does not exist",
    "a part of the mixture that does not exist",
    "bytes beyond the report of its part are set",
)
"""Why a report of the right width is refused; mechanisms name a reason by its place here, so it keeps its place."""


def in_threads(work: Callable[[int], None], places: int, threads: int | None = None) -> None:
    """Do ``work(0) … work(places − 1)``, which release the interpreter's lock, in threads (all cores by default)."""
    if places == 1:
        work(0)
        return
    with ThreadPoolExecutor(threads or cores()) as pool:
        for done in [pool.submit(work, place) for place in range(places)]:
            done.result()


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def check_threads(threads: int | None) -> None:
    """Raise InputError if there are to be no threads; None stands for all cores."""
    if threads is not None and threads < 1:
        raise InputError.expected("threads", "at least 1", threads)


def check_values(values: object, domain_size: int) -> NDArray[np.int64]:
    """Return values as an array of places 0..k − 1.

    Raises:
        InputError: If one is not a whole number of the domain, or is masked.
    """
    if np.ma.is_masked(values):
        raise InputError(MASKED)
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several lengths
        raise InputError(NOT_PLACES) from None
    mixed = isinstance(values, list | tuple) and any(isinstance(value, bool | np.bool_) for value in values)
    if mixed or array.ndim != 1 or not (array.size == 0 or np.issubdtype(array.dtype, np.integer)):
        raise InputError(NOT_PLACES)
    if array.size and (array.min() < 0 or array.max() >= domain_size):
        wrong = array[(array < 0) | (array >= domain_size)][0]
        raise InputError.expected("A value", f"a place from 0 to {domain_size - 1}", int(wrong))
    return np.ascontiguousarray(array, np.int64)


def check_generator(rng: object) -> None:
    """Raise InputError if a source of randomness is not one of NumPy's generators, which every simulation is given."""
    if not isinstance(rng, np.random.Generator):
        raise InputError.expected("rng", "a numpy.random.Generator, such as numpy.random.default_rng(7)", rng)
