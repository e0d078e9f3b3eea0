"""Counting reports with Spark: each partition into counts of its own, which are added up in two steps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.engines.local import Counted
from qifldp.engines.parquet_reports import ParquetReports
from qifldp.engines.report_files import list_files, open_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.engines.spark.partials import SCHEMA, Task, add_row, count_batches, merge_batches
from qifldp.engines.spark.rows import SETTINGS, plain_rows, rows_by_id
from qifldp.engines.spark.session import spark_session, with_settings
from qifldp.engines.spark.telling import telling
from qifldp.errors import InputError, shown

MOST_PARTIALS = 8
"""Partial counts that the driver adds up itself: of a large domain, each may have 16 MiB."""

NOT_IN_SPARK = {"BROTLI", "LZO"}
"""Compressions of Parquet for which Spark has no code."""


def count_with_spark(source: str | Path, master: str | None, weights: Weights) -> Counted:
    """Count the reports of a file or a folder."""
    plan = _plan(source, weights)
    with spark_session(master) as session, telling(plan.files), with_settings(session, SETTINGS):
        counts = _count(session, plan)
    counts.merge(plan.refused)
    rows = counts.n + sum(counts.refused.values())
    if rows != plan.rows:
        raise InputError(f"Spark found {rows:,} rows in files of {plan.rows:,}.")
    return Counted(plan.header, counts)


@dataclass(frozen=True, eq=False)
class _Plan:
    """What the files say about themselves.

    Attributes:
        header: Of the first file; simulated if any counted file is.
        files: Those whose rows are counted.
        rows: The number of rows of all files.
        refused: No counts, and the rows of the other files as refused.
    """

    header: ReportHeader
    files: Sequence[ParquetReports]
    rows: int
    refused: Accumulator


def _plan(source: str | Path, weights: Weights) -> _Plan:
    opened = [_open(path) for path in list_files(source)]
    first, files, rows, simulated = opened[0], [], 0, False
    refused = Accumulator.empty(first.header.protocol, weights=weights)
    for file in opened:
        rows += file.count_rows()
        why = file.refusal(first.header)
        if why is not None:
            refused.refuse(why, file.count_rows())
            continue
        file.check_ids(first)
        simulated |= file.header.simulated
        files.append(file)
    return _Plan(replace(first.header, simulated=simulated), files, rows, refused)


def _open(path: Path) -> ParquetReports:
    file = open_reports(path)
    if not isinstance(file, ParquetReports):
        raise InputError(f"Spark counts Parquet files, and {shown(path.name)} is none.")
    if path.name[0] in "._" or ":" in path.name:  # Spark passes over the former, and Hadoop takes the latter for URLs
        raise InputError(
            f"Spark cannot read {shown(path.name)}: name it without colons, and with no dot or underscore before it."
        )
    file.check_footer("Spark", NOT_IN_SPARK)
    return file


def _count(session: SparkSession, plan: _Plan) -> Accumulator:
    counts = plan.refused.fresh()
    if not plan.files:
        return counts
    parts = max(1, plain_rows(session, plan.files).rdd.getNumPartitions())
    task = Task.of(plan.header, counts)
    # Rows that are sorted by id lie in as many parts as they are read in: as large ones, and no more partial counts.
    with with_settings(session, {"spark.sql.shuffle.partitions": str(parts)}):
        if plan.files[0].has_ids:
            rows, refused = rows_by_id(session, plan.files)
            for reason, times in refused.items():
                counts.refuse(reason, times)
        else:
            rows = plain_rows(session, plan.files)
        partials = _gathered(rows.mapInArrow(partial(count_batches, task), SCHEMA), task, parts)
        for row in partials.collect():
            add_row(row.asDict(), counts)
    return counts


def _gathered(partials: DataFrame, task: Task, count: int) -> DataFrame:
    """Return few partial counts for many."""
    if count <= MOST_PARTIALS:
        return partials
    return partials.repartition(math.isqrt(count)).mapInArrow(partial(merge_batches, task), SCHEMA)
