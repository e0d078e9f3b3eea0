"""Counts of a part of the reports, as they travel between Spark's workers: Arrow in, Arrow out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from qifldp.collection.accumulator import Accumulator
from qifldp.collection.size_classes import size_classes
from qifldp.engines.pieces import REPORT
from qifldp.engines.report_schema import ReportHeader, count_column
from qifldp.errors import InputError

SCHEMA = "table binary, totals binary, refused map<string, bigint>"
"""Of a row with one accumulator's counts, for Spark: whole numbers of eight bytes, little end first."""

ARROW_SCHEMA = pa.schema(
    {"table": pa.binary(), "totals": pa.binary(), "refused": pa.map_(pa.string(), pa.int64())},
)
WHOLE = np.dtype("<i8")


@dataclass(frozen=True)
class Task:
    """What a worker is told.

    Attributes:
        header: Of the reports, as JSON text.
        class_starts: The classes of support size: told, since two machines may round their boundaries differently.
    """

    header: str
    class_starts: tuple[int, ...]

    @classmethod
    def of(cls, header: ReportHeader, counts: Accumulator) -> Task:
        """Return the task of counting reports for some counts; labels of values stay at home."""
        return cls(json.dumps(replace(header, values=None).to_json()), counts.classes.starts)

    def empty(self) -> Accumulator:
        """Return an accumulator that has seen nothing."""
        protocol = ReportHeader.from_text(self.header, "the reports").protocol
        classes = size_classes(protocol.mechanism, self.class_starts)
        table = np.zeros((len(classes.starts), protocol.domain_size), np.int64)
        return Accumulator(protocol, classes, table, np.zeros(len(table), np.int64))


def count_batches(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Count the column ``report`` of a partition, and give one row of counts."""
    accumulator = task.empty()
    for batch in batches:
        count_column(batch.column(REPORT), accumulator)
    yield to_row(accumulator)


def merge_batches(task: Task, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Add up the rows of counts of a partition, and give one row."""
    accumulator = task.empty()
    for batch in batches:
        for row in batch.to_pylist(maps_as_pydicts="strict"):
            add_row(row, accumulator)
    yield to_row(accumulator)


def to_row(accumulator: Accumulator) -> pa.RecordBatch:
    """Return the counts of an accumulator as a batch of one row."""
    row = {
        "table": accumulator.table.astype(WHOLE).tobytes(),
        "totals": accumulator.totals.astype(WHOLE).tobytes(),
        "refused": accumulator.refused,
    }
    return pa.RecordBatch.from_pylist([row], ARROW_SCHEMA)


def add_row(row: Mapping[str, object], accumulator: Accumulator) -> None:
    """Add the counts of a row that :func:`to_row` wrote, of the same protocol and weights.

    Raises:
        InputError: If the row is none, or says something that no counts can.
    """
    classes, k = accumulator.table.shape
    totals = _whole_numbers(row.get("totals"), classes)
    table = _whole_numbers(row.get("table"), classes * k).reshape(classes, k)
    refused = row.get("refused")
    if (totals < 0).any() or (table < 0).any() or (table > totals[:, None]).any():
        raise InputError("A worker's counts are negative, or larger than its number of reports.")
    if not isinstance(refused, Mapping) or not all(
        isinstance(reason, str) and type(times) is int and times > 0 for reason, times in refused.items()
    ):
        raise InputError("A worker's refused reports must be numbers by reason.")
    accumulator.merge(Accumulator(accumulator.protocol, accumulator.classes, table, totals, dict(refused)))


def _whole_numbers(data: object, size: int) -> NDArray[np.int64]:
    if not isinstance(data, bytes | bytearray) or len(data) != size * WHOLE.itemsize:
        raise InputError(f"A worker's counts must be {size} whole numbers of {WHOLE.itemsize} bytes.")
    return np.frombuffer(data, WHOLE).astype(np.int64)
