"""The rows of Parquet files of reports as Spark reads them, and which of those with one id comes first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from qifldp.engines.local import NO_ID, SEEN_BEFORE
from qifldp.engines.parquet_reports import ParquetReports
from qifldp.engines.pieces import ID, REPORT
from qifldp.engines.report_schema import LARGEST_HEADER

READING = {
    "ignoreCorruptFiles": "false",
    "ignoreMissingFiles": "false",
    "mergeSchema": "false",
    "parquet.page.verify-checksum.enabled": "true",
}
"""Said for each reading, since a session that runs already may have settings of its own."""

SETTINGS = {"spark.sql.caseSensitive": "true"}
"""Of the session while it counts: a file may have a column ``REPORT`` beside the column ``report``."""

READ_AS = {
    pa.string(): "string",
    pa.large_string(): "string",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.uint8(): "smallint",
    pa.uint16(): "int",
    pa.uint32(): "bigint",
    pa.uint64(): "decimal(20, 0)",
}
"""What Spark reads ids as that are not bytes."""


def plain_rows(session: SparkSession, files: Sequence[ParquetReports]) -> DataFrame:
    """Return the reports of files."""
    return _read(session, files, f"{REPORT} binary")


def rows_by_id(session: SparkSession, files: Sequence[ParquetReports]) -> tuple[DataFrame, Mapping[str, int]]:
    """Return the reports of files that are the first with their id, and how many rows are refused, by reason."""
    by_type: dict[str, list[ParquetReports]] = {}
    for file in files:
        by_type.setdefault(READ_AS.get(_id_type(file.path), "binary"), []).append(file)
    parts = [_with_ids(session, group, kind) for kind, group in by_type.items()]
    rows = reduce(lambda left, right: left.union(right), parts)
    times = rows.groupBy(ID).agg(f.count(f.lit(1)).alias("times"))
    none = f.col(ID).isNull()
    total = times.agg(
        f.sum(f.when(none, f.col("times"))).alias(NO_ID), f.sum(f.when(~none, f.col("times") - 1)).alias(SEEN_BEFORE)
    )
    refused = {reason: times or 0 for reason, times in total.collect()[0].asDict().items()}
    named = rows.where(~none)
    if refused[SEEN_BEFORE]:
        doubled = times.where(~none & (f.col("times") > 1)).select(ID)
        firsts = named.join(doubled, ID, "left_semi").groupBy(ID).agg(f.min("place").alias("first"))
        named = named.join(firsts, ID, "left").where(f.col("first").isNull() | (f.col("first") == f.col("place")))
    return named.select(REPORT), refused


def _with_ids(session: SparkSession, files: Sequence[ParquetReports], kind: str) -> DataFrame:
    name = f.url_decode(f.replace(f.col("_metadata.file_name"), f.lit("+"), f.lit("%2B")))
    place = f.struct(name, "_metadata.row_index").alias("place")
    text = f.col(ID).cast("string")  # of a column of text Spark takes all bytes for text
    found = f.col(ID) if kind == "binary" else f.when(f.is_valid_utf8(text), text).cast("binary")
    return _read(session, files, f"{REPORT} binary, {ID} {kind}").select(REPORT, found.alias(ID), place)


def _read(session: SparkSession, files: Iterable[ParquetReports], schema: str) -> DataFrame:
    return session.read.options(**READING).schema(schema).parquet(*[_spark_path(file.path) for file in files])


def _spark_path(path: Path) -> str:
    """Return the name of a local file for Spark, which would take some characters for a pattern.

    A link keeps the name that it has in its folder: by these names files are ordered, here and locally.
    """
    return "file:" + re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.parent.resolve() / path.name))


def _id_type(path: Path) -> pa.DataType:
    with parquet.ParquetFile(path, thrift_string_size_limit=2 * LARGEST_HEADER) as opened:
        kind = opened.schema_arrow.field(ID).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind
