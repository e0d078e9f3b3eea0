"""What Spark's workers send is read strictly."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from qifldp.collection.accumulator import Accumulator
from qifldp.engines.report_schema import ReportHeader
from qifldp.engines.spark.partials import Task, add_row, merge_batches, to_row
from qifldp.errors import InputError
from qifldp.protocols.unary_encoding import OUE

K = 5
HEADER = ReportHeader(OUE(K, 1), values=tuple("abcde"))


def counted() -> Accumulator:
    counts = Accumulator.empty(HEADER.protocol)
    counts.totals[:] = np.arange(len(counts.totals)) << 40
    counts.table[:] = counts.totals[:, None] - 1
    counts.table[0] = 0
    counts.refuse("nothing", 3)
    return counts


def row() -> dict[str, Any]:
    return dict(to_row(counted()).to_pylist(maps_as_pydicts="strict")[0])


def test_counts_survive_the_way() -> None:
    read = Task.of(HEADER, counted()).empty()
    add_row(row(), read)
    assert read.to_json() == counted().to_json()


def test_rows_are_added_up() -> None:
    task = Task.of(HEADER, counted())
    batches = list(merge_batches(task, [to_row(counted()), to_row(counted())]))
    read = task.empty()
    for batch in batches:
        add_row(batch.to_pylist(maps_as_pydicts="strict")[0], read)
    twice = counted()
    twice.merge(counted())
    assert len(batches) == 1
    assert read.to_json() == twice.to_json()


def test_a_worker_is_told_no_labels_and_the_classes() -> None:
    task = Task.of(HEADER, counted())
    assert '"values": null' in task.header
    assert Task(task.header, (0, 3)).empty().classes.starts == (0, 3)


CLASSES = len(counted().totals)
TOTALS = np.full(CLASSES, 10, "<i8")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"totals": b""}, f"A worker's counts must be {CLASSES} whole numbers of 8 bytes."),
        ({"totals": None}, f"A worker's counts must be {CLASSES} whole numbers of 8 bytes."),
        ({"table": b"\0" * 8}, f"A worker's counts must be {CLASSES * K} whole numbers of 8 bytes."),
        ({"table": None}, f"A worker's counts must be {CLASSES * K} whole numbers of 8 bytes."),
        ({"totals": (-TOTALS).tobytes()}, "A worker's counts are negative, or larger than its number of reports."),
        ({"totals": TOTALS.tobytes()}, "A worker's counts are negative, or larger than its number of reports."),
        (
            {"table": np.full(CLASSES * K, -1, "<i8").tobytes()},
            "A worker's counts are negative, or larger than its number of reports.",
        ),
        ({"totals": np.full(CLASSES, 1 << 62, "<i8").tobytes()}, "Counts of 2^62 reports or more cannot be added up."),
        ({"refused": None}, "A worker's refused reports must be numbers by reason."),
        ({"refused": {"nothing": 0}}, "A worker's refused reports must be numbers by reason."),
        ({"refused": {"nothing": True}}, "A worker's refused reports must be numbers by reason."),
        ({"refused": {1: 1}}, "A worker's refused reports must be numbers by reason."),
    ],
)
def test_other_rows_are_refused(change: dict[str, object], message: str) -> None:
    read = Task.of(HEADER, counted()).empty()
    with pytest.raises(InputError) as caught:
        add_row(row() | change, read)
    assert str(caught.value) == message
    assert read.to_json() == Task.of(HEADER, counted()).empty().to_json()
