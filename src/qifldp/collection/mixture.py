"""Reports of a public mixture: the place of a part, drawn without a look at the value, and that part's report.

The first byte says which part: 0 for the first. Then come the bytes of that part's own report, and zeros up to the
width of the widest. The place after the last part stands for silence: all its bytes are zero.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.entropy import WORD, Entropy
from qifldp.collection.mechanism import DirectMechanism, Mechanism, Rows
from qifldp.collection.size_law import SizeLaw, mixed

MOST_PARTS = 16
"""Parts of a mixture at most."""

NO_SUCH_PART, NOT_ZERO = 6, 7
"""Places in ``FAULTS``."""


@dataclass(frozen=True)
class MixMechanism(Mechanism):
    """A public choice between mechanisms over one domain, by a coin that does not depend on the value.

    Attributes:
        parts: The mechanisms, at most sixteen.
        chances: 2⁶⁴ · Pr[part] of each, whole numbers above 0; what is left of 2⁶⁴ is silence.
    """

    parts: tuple[DirectMechanism, ...]
    chances: tuple[int, ...]

    @property
    def silence(self) -> int:
        """2⁶⁴ · Pr[a report that says nothing]."""
        return WORD - sum(self.chances)

    @property
    def width(self) -> int:
        return 1 + max(part.width for part in self.parts)

    @property
    def support_chances(self) -> tuple[Fraction, Fraction]:
        return self._mean(part.support_chances for part in self.parts)

    @property
    def pair_chances(self) -> tuple[Fraction, Fraction]:
        return self._mean(part.pair_chances for part in self.parts)

    def _mean(self, chances: Iterable[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction]:
        """Return the means of two chances of each part."""
        weighed = [(Fraction(weight, WORD), pair) for weight, pair in zip(self.chances, chances, strict=True)]
        return sum((share * first for share, (first, _) in weighed), Fraction(0)), sum(
            (share * second for share, (_, second) in weighed), Fraction(0)
        )

    @property
    def likelihood_ratio(self) -> Fraction:
        """The largest of the parts': which part it is says nothing about the value."""
        return max(part.likelihood_ratio for part in self.parts)

    @property
    def sizes(self) -> tuple[int, ...] | None:
        found = {0} if self.silence else set()
        for part in self.parts:
            if part.sizes is None:
                return None
            found.update(part.sizes)
        return tuple(sorted(found))

    def size_law(self) -> SizeLaw:
        return mixed([(chance / WORD, part.size_law()) for chance, part in self._weighed], self.silence / WORD)

    @property
    def _weighed(self) -> Iterator[tuple[int, DirectMechanism]]:
        return zip(self.chances, self.parts, strict=True)

    @cached_property
    def _thresholds(self) -> NDArray[np.uint64]:
        """The words from which on each part is no longer chosen; one of 2⁶⁴ is above all words, and left out."""
        return np.array([end for end in accumulate(self.chances) if end < WORD], np.uint64)

    def _draw(self, values: NDArray[np.int64], state: NDArray[np.uint64], rows: Rows) -> None:
        from qifldp.collection.kernels import random_stream  # noqa: PLC0415  # compiled when first used

        words = np.empty(-(-len(values) // random_stream.LANES) * random_stream.LANES, np.uint64)
        random_stream.fill(random_stream.abreast(state), words)
        states = random_stream.abreast(state).reshape(-1, 4)  # one for each of sixteen parts

        def draw(place: int, part: DirectMechanism, own: NDArray[np.int64]) -> Rows:
            drawn = np.empty((len(own), part.width), np.uint8)
            part._draw(own, states[place].copy(), drawn)  # noqa: SLF001  # a mechanism of mechanisms
            return drawn

        rows[:] = self._reports(values, words[: len(values)], draw)

    def _draw_securely(self, values: NDArray[np.int64], entropy: Entropy) -> Rows:
        words = entropy.integers(len(values), np.uint64)
        return self._reports(values, words, lambda _, part, own: part.draw_securely(own, entropy))

    def _reports(
        self,
        values: NDArray[np.int64],
        words: NDArray[np.unsignedinteger],
        draw: Callable[[int, DirectMechanism, NDArray[np.int64]], Rows],
    ) -> Rows:
        """Return the reports of the parts that uniform words choose, each drawn by its part's place."""
        rows = np.zeros((len(values), self.width), np.uint8)
        rows[:, 0] = np.searchsorted(self._thresholds, words, side="right")
        for place, part in enumerate(self.parts):
            own = np.flatnonzero(rows[:, 0] == place)
            if len(own):
                rows[own, 1 : 1 + part.width] = draw(place, part, values[own])
        return rows

    def _by_part(self, rows: Rows) -> Iterator[tuple[DirectMechanism, NDArray[np.int64], Rows]]:
        """Yield each part with the places of its reports, and these without the first byte and what is beyond."""
        for place, part in enumerate(self.parts):
            own = np.flatnonzero(rows[:, 0] == place)
            yield part, own, np.ascontiguousarray(rows[own, 1 : 1 + part.width])

    def faults(self, rows: Rows) -> NDArray[np.uint8]:
        found = np.full(len(rows), NO_SUCH_PART, np.uint8)
        for part, own, body in self._by_part(rows):
            found[own] = np.where(rows[own, 1 + part.width :].any(axis=1), NOT_ZERO, part.faults(body))
        if self.silence:
            own = np.flatnonzero(rows[:, 0] == len(self.parts))
            found[own] = np.where(rows[own, 1:].any(axis=1), NOT_ZERO, 0)
        return found

    def supports(self, rows: Rows) -> NDArray[np.bool_]:
        found = np.zeros((len(rows), self.domain_size), bool)
        for part, own, body in self._by_part(rows):
            found[own] = part.supports(body)
        return found

    def count(self, rows: Rows, class_of: NDArray[np.uint16], table: NDArray[np.int64]) -> NDArray[np.int64]:
        totals = np.zeros(len(table), np.int64)
        for part, _, body in self._by_part(rows):
            totals += part.count(body, class_of, table)
        totals[class_of[0]] += np.count_nonzero(rows[:, 0] == len(self.parts))
        return totals
