"""Counts of a population's values: what is known about the data that a protocol will collect."""

from __future__ import annotations

from dataclasses import dataclass

from qifldp.adversaries.prior import Prior
from qifldp.errors import InputError


@dataclass(frozen=True)
class Population:
    """How often each value of a domain occurs.

    Attributes:
        title: What the data are, for people.
        values: The domain, in order.
        counts: How often each value occurs.
        notes: Sentences that a reader of any result about these data should see.
        source: Where embedded data come from, and under which licence; empty for a user's own.
    """

    title: str
    values: tuple[str, ...]
    counts: tuple[int, ...]
    notes: tuple[str, ...] = ()
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.values) < 2:
            found = "1 value" if self.values else "no values"
            raise InputError(f"{self.title} has {found}: a domain must have at least two.")
        if sum(self.counts) == 0:
            raise InputError(f"{self.title} has no rows with a value of the domain.")

    @property
    def n(self) -> int:
        """Number of people (rows)."""
        return sum(self.counts)

    @property
    def prior(self) -> Prior:
        """The prior of an adversary who knows the frequencies."""
        return Prior.from_counts(self.counts, self.values)
