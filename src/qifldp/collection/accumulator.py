"""Counts of support, by class of size: what a server keeps of the reports that it has seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from qifldp.collection.estimates import Estimates, Post, estimate, frequencies
from qifldp.collection.mechanism import FAULTS, check_threads, cores, in_threads
from qifldp.collection.reports import Collectable, Reports, fingerprint
from qifldp.collection.size_classes import SizeClasses, single_class, size_classes
from qifldp.errors import InputError

SCHEMA_VERSION = 1
KIND = "report-counts"

ROWS_A_PART = 1 << 14
BYTES_A_PART = 8 << 20
"""A thread counts so many reports at once, of at most so many bytes: faults are looked for in copies of this size."""

MOST_REPORTS = (1 << 62) - 1
"""Reports in counts that are read or added up: no sum of them is too large for 64 bits."""

Weights = Literal["value", "plain"]
"""How reports are weighed: by their size, for each value on its own; or all alike (the textbook estimator)."""


@dataclass(eq=False)
class Accumulator:
    """Integer counts of the reports seen so far. Adding reports in any order and any parts gives the same counts.

    Attributes:
        protocol: The protocol.
        classes: The classes of support size that are told apart.
        table: For each class and value the number of reports that support the value, shape (classes, k).
        totals: The number of reports of each class.
        refused: How many reports were refused, by reason.
    """

    protocol: Collectable
    classes: SizeClasses
    table: NDArray[np.int64]
    totals: NDArray[np.int64]
    refused: dict[str, int] = field(default_factory=dict)

    @classmethod
    def empty(cls, protocol: Collectable, *, weights: Weights = "value") -> Accumulator:
        """Return an accumulator that has seen nothing; ``plain`` keeps a single row of counts."""
        make = {"value": size_classes, "plain": single_class}.get(weights)
        if make is None:
            raise InputError.expected("weights", "value or plain", weights)
        classes = make(protocol.mechanism)
        return cls._zero(protocol, classes)

    def fresh(self) -> Accumulator:
        """Return an accumulator of the same protocol and classes that has seen nothing."""
        return self._zero(self.protocol, self.classes)

    @classmethod
    def _zero(cls, protocol: Collectable, classes: SizeClasses) -> Accumulator:
        table = np.zeros((len(classes.starts), protocol.domain_size), np.int64)
        return cls(protocol, classes, table, np.zeros(len(table), np.int64))

    @property
    def n(self) -> int:
        """Number of reports that were counted."""
        return sum(self.totals.tolist())

    @property
    def counts(self) -> NDArray[np.int64]:
        """The number of reports that support each value, shape (k,)."""
        found: NDArray[np.int64] = self.table.sum(axis=0)
        return found

    def update(self, reports: Reports, *, threads: int | None = None) -> None:
        """Count reports; those that no client can have sent are refused, and counted as such.

        Args:
            reports: Reports of this protocol.
            threads: How many to use; all cores by default.

        Raises:
            InputError: If the reports are of another protocol, or there are to be no threads.
        """
        check_threads(threads)
        if fingerprint(reports.protocol) != fingerprint(self.protocol):
            raise InputError("The reports are of another protocol, or of other parameters, than the counts.")
        step = max(1, min(ROWS_A_PART, BYTES_A_PART // self.protocol.mechanism.width))
        starts = range(0, len(reports), step)
        parts = [self.fresh() for _ in range(min(len(starts), threads or cores()))]

        def count(worker: int) -> None:
            for start in starts[worker :: len(parts)]:
                parts[worker].count_part(reports.rows[start : start + step])

        in_threads(count, len(parts), threads)
        for part in parts:
            self.merge(part)

    def count_part(self, rows: NDArray[np.uint8]) -> None:
        """Count some rows of the right width in this thread."""
        mechanism = self.protocol.mechanism
        rows = np.ascontiguousarray(rows)
        faults = mechanism.faults(rows)
        if faults.any():
            for fault, times in zip(*np.unique(faults[faults > 0], return_counts=True), strict=True):
                self.refuse(FAULTS[fault], int(times))
            rows = rows[faults == 0]
        self.totals += mechanism.count(rows, self.classes.class_of, self.table)

    def refuse(self, reason: str, times: int = 1) -> None:
        """Count reports that are refused.

        Raises:
            InputError: If they are fewer than none.
        """
        if times < 0:
            raise InputError.expected("The number of refused reports", "at least 0", times)
        if times:
            self.refused[reason] = self.refused.get(reason, 0) + times

    def merge(self, other: Accumulator) -> None:
        """Add the counts of another accumulator of the same protocol and classes.

        Raises:
            InputError: If it is of another protocol, of other parameters or of other classes, or there would be 2⁶²
                reports or more.
        """
        if fingerprint(other.protocol) != fingerprint(self.protocol) or other.classes.starts != self.classes.starts:
            raise InputError("Counts can be added only for one protocol, with one set of parameters and weights.")
        if self.n + other.n > MOST_REPORTS:
            raise InputError("Counts of 2^62 reports or more cannot be added up.")
        self.table += other.table
        self.totals += other.totals
        for reason, times in other.refused.items():
            self.refuse(reason, times)

    def estimate(self, *, weights: Weights | None = None, post: Post = "none", confidence: float = 0.95) -> Estimates:
        """Return estimates of the frequency of each value among those who reported.

        Args:
            weights: ``value`` or ``plain``; by default what the accumulator was made for.
            post: ``none`` (unbiased), ``normsub``, ``simplex`` or ``mle`` (frequencies, at least 0, of sum 1).
            confidence: Of the intervals, between 0 and 1.

        Raises:
            InputError: If there are no reports, or an option is none of these. Also, unless weights are ``plain``, if
                all reports support no value or all values: weighed by size these say nothing, while the textbook
                estimate takes their number itself for information.
        """
        if weights not in (None, "value", "plain"):
            raise InputError.expected("weights", "value or plain", weights)
        if weights == "plain" and len(self.table) > 1:
            return self.as_plain().estimate(post=post, confidence=confidence)
        return estimate(self.classes, self.table, self.totals, post=post, confidence=confidence)

    def frequencies(self) -> NDArray[np.float64]:
        """Return the unbiased estimates alone, shape (k,), without their errors and intervals.

        Raises:
            InputError: As :meth:`estimate`.
        """
        return frequencies(self.classes, self.table, self.totals)

    def as_plain(self) -> Accumulator:
        """Return the same counts in a single class."""
        classes, totals = single_class(self.protocol.mechanism), self.totals.sum(keepdims=True)
        return Accumulator(self.protocol, classes, self.counts[None, :], totals, dict(self.refused))

    def to_json(self) -> dict[str, object]:
        """Return the counts as JSON."""
        return {
            "schema_version": SCHEMA_VERSION,
            "kind": KIND,
            "protocol": self.protocol.to_json(),
            "fingerprint": fingerprint(self.protocol),
            "class_starts": list(self.classes.starts),
            "totals": self.totals.tolist(),
            "table": self.table.tolist(),
            "refused": dict(sorted(self.refused.items())),
        }

    @classmethod
    def from_json(cls, document: object, protocol: Collectable) -> Accumulator:
        """Return the accumulator that :meth:`to_json` wrote, for the protocol that it is expected to be of.

        Raises:
            InputError: If the document is none, is inconsistent, or is of another protocol.
        """
        document = _document(document)
        if document["fingerprint"] != fingerprint(protocol) or document["protocol"] != protocol.to_json():
            raise InputError("The counts are of another protocol, or of other parameters.")
        k = protocol.domain_size
        starts = _whole_numbers(document["class_starts"], k)
        totals = _whole_numbers(document["totals"], None)
        if sum(totals) > MOST_REPORTS:
            raise InputError("The counts are of 2^62 reports or more.")
        rows = document["table"]
        if not isinstance(rows, list) or len(rows) != len(starts) or len(totals) != len(starts):
            raise InputError("The counts have another number of classes than they name.")
        if starts[:1] != [0] or sorted(set(starts)) != starts:
            raise InputError("The classes of the counts do not start at 0 and increase.")
        table = [_whole_numbers(row, total) for row, total in zip(rows, totals, strict=True)]
        if any(len(row) != k for row in table):
            raise InputError(f"The counts are not of {k} values.")
        found = cls._zero(protocol, size_classes(protocol.mechanism, tuple(starts)))
        if len(found.table) != len(starts):
            raise InputError("The counts tell sizes apart that this protocol does not.")
        _check_sizes(found.classes, table, totals)
        found.table[:], found.totals[:] = table, totals
        refused = document["refused"]
        if not isinstance(refused, Mapping) or not all(isinstance(reason, str) for reason in refused):
            raise InputError("The refused reports of the counts must be numbers by reason.")
        for reason, times in refused.items():
            found.refuse(reason, _whole_numbers([times], None)[0])
        return found


def _document(document: object) -> dict[str, object]:
    """Return a document that has the fields of counts."""
    keys = {"schema_version", "kind", "protocol", "fingerprint", "class_starts", "totals", "table", "refused"}
    if not isinstance(document, dict) or set(document) != keys or document["kind"] != KIND:
        raise InputError(f"Counts must have exactly: {', '.join(sorted(keys))}.")
    version = document["schema_version"]
    if type(version) is not int or version != SCHEMA_VERSION:
        raise InputError.expected("schema_version of the counts", str(SCHEMA_VERSION), version)
    return document


def _check_sizes(classes: SizeClasses, table: list[list[int]], totals: list[int]) -> None:
    for row, total, (least, most) in zip(table, totals, classes.sizes, strict=True):
        if not total * least <= sum(row) <= total * most:
            raise InputError("The counts of a class cannot be those of reports of its sizes.")


def _whole_numbers(value: object, most: int | None) -> list[int]:
    if not isinstance(value, list) or not all(
        type(number) is int and 0 <= number <= MOST_REPORTS and (most is None or number <= most) for number in value
    ):
        limit = "" if most is None else f" of at most {most}"
        raise InputError(f"The counts must be whole numbers{limit}.")
    return value
