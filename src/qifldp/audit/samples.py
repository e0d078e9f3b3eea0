"""Samples: true values, and the reports on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from qifldp.audit.columns import MOST_ROUNDS
from qifldp.channels.profile import check_domain_size
from qifldp.collection.reports import Reports
from qifldp.errors import InputError, shown

MOST_WATCHED = 64
"""Values that reports are drawn on, and that are looked for in them: of larger domains a random choice."""


@dataclass(frozen=True, eq=False)
class Domain:
    """The values that a client may be given.

    Attributes:
        labels: Each as text.
        values: Each as a client takes it: whole numbers of a domain of k values, else texts.
    """

    labels: tuple[str, ...]
    values: tuple[object, ...]

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def read(cls, domain: int | Sequence[object]) -> Domain:
        """Return the domain 0..k − 1, or of listed values.

        Raises:
            InputError: If there are fewer than two values, or two alike.
        """
        if isinstance(domain, int | np.integer) and not isinstance(domain, bool):
            size = check_domain_size(int(domain))
            return cls(tuple(map(str, range(size))), tuple(range(size)))
        if isinstance(domain, bool) or not isinstance(domain, Iterable):
            raise InputError.expected("A domain", "a whole number of values, or their list", domain)
        values = tuple(domain)
        labels = tuple(str(value) for value in values)
        check_domain_size(len(labels))
        if len(set(labels)) != len(labels):
            raise InputError("The domain has two values that are written alike.")
        return cls(labels, values)

    def places(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Return the places of values that are given as text.

        Raises:
            InputError: If one is not in the domain.
        """
        place_of = {label: place for place, label in enumerate(self.labels)}
        try:
            return np.array([place_of[text] for text in texts], np.int64)
        except KeyError as error:
            raise InputError(
                f"The samples have the value {shown(error.args[0])}, which is not in the domain."
            ) from None


@dataclass(frozen=True, eq=False)
class Samples:
    """Reports with the values that they are on.

    Attributes:
        domain: The values that there are.
        places: The true value of each user, as its place in the domain.
        reports: The reports; of one user after the other, each with as many as there are rounds.
        rounds: Reports of one user.
        source: Where they are from, in words.
    """

    domain: Domain
    places: NDArray[np.int64]
    reports: Reports | Sequence[object]
    rounds: int = 1
    source: str = "samples"

    def __post_init__(self) -> None:
        places = np.asarray(self.places)
        if places.ndim != 1 or places.dtype.kind not in "iu":
            raise InputError("The places of samples must be a list of whole numbers.")
        wrong = places[(places < 0) | (places >= len(self.domain))]
        if len(wrong):
            raise InputError.expected("The places of samples", f"from 0 to {len(self.domain) - 1}", int(wrong[0]))
        if not 1 <= self.rounds <= MOST_ROUNDS:
            raise InputError.expected("rounds", f"a whole number from 1 to {MOST_ROUNDS}", self.rounds)
        object.__setattr__(self, "places", places.astype(np.int64))
        if len(self.reports) != len(self.places) * self.rounds:
            raise InputError(
                f"There are {len(self.reports):,} reports for {len(self.places):,} values in {self.rounds} rounds."
            )

    def __len__(self) -> int:
        return len(self.places)


def watched_of(domain: Domain, places: NDArray[np.int64] | None, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return the places of the values to look at: all of a small domain, else the most frequent or a random choice."""
    if len(domain) <= MOST_WATCHED:
        return np.arange(len(domain))
    if places is None:
        return np.sort(rng.choice(len(domain), MOST_WATCHED, replace=False)).astype(np.int64)
    counts = np.bincount(places, minlength=len(domain))
    return np.sort(np.argsort(-counts, kind="stable")[:MOST_WATCHED])
