"""Reports in Parquet: one row group a piece, plain and uncompressed, since reports are noise."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from qifldp.engines.parquet_footer import RowGroup, row_groups
from qifldp.engines.pieces import (
    ID,
    MOST_BYTES,
    REPORT,
    Piece,
    ReportFile,
    check_columns,
    checked,
    reading,
    rows_a_piece,
)
from qifldp.engines.report_schema import LARGEST_HEADER, ReportHeader
from qifldp.errors import InputError, shown

READ_AT_ONCE = 1 << 20
"""Bytes of a column that are read from the disk at a time."""

ENCODINGS = {"PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}
"""Those in which a short column cannot stand for long texts: entries of a dictionary are kept once."""


def write(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a file; each batch becomes a row group."""
    with parquet.ParquetWriter(
        path, schema, use_dictionary=False, compression="none", write_statistics=False, write_page_checksum=True
    ) as writer:
        for batch in batches:
            writer.write_batch(batch)


class ParquetReports(ReportFile):
    """A Parquet file of reports. Columns of bytes of any length are read as dictionaries: equal ones are held once."""

    def __init__(self, path: Path) -> None:
        """Open a file and read its header.

        Raises:
            InputError: If it is not a file of reports.
        """
        with reading(path):
            with parquet.ParquetFile(path, thrift_string_size_limit=2 * LARGEST_HEADER) as opened:
                about, names = opened.metadata, opened.schema_arrow.names
            check_columns(names, path)
            leaves = {about.schema.column(place).path for place in range(about.num_columns)}
            self._file: Any = parquet.ParquetFile(
                path,
                metadata=about,
                read_dictionary=sorted({REPORT, ID} & leaves),
                page_checksum_verification=True,
                buffer_size=READ_AT_ONCE,
                pre_buffer=False,
            )
            schema = self._file.schema_arrow
        super().__init__(
            path, ReportHeader.of_schema(schema, path.name), dict(zip(schema.names, schema.types, strict=True))
        )
        self._rows = 0
        for number, group in enumerate(row_groups(path), 1):
            if group.rows > MOST_BYTES:
                raise InputError(
                    f"Row group {number} of {shown(path.name)} has {group.rows:,} rows: write it in smaller row groups."
                )
            self._rows += group.rows

    def count_rows(self) -> int:
        return self._rows

    def read(self, start: int) -> Iterator[Piece]:
        step, end, total = rows_a_piece(self.header.protocol.mechanism.width), 0, max(1, self.count_rows())
        for number, group in enumerate(row_groups(self.path)):
            expected = end + group.rows
            if expected <= start:
                end = expected
                continue
            self._check(number, group)
            for read in self._file.iter_batches(step, row_groups=[number], columns=self.columns(), use_threads=False):
                batch = checked(read)  # an index of a dictionary may be any number
                end += len(batch)
                ids = batch.column(ID) if self.has_ids else None
                yield Piece(batch.column(REPORT), ids, end, end / total)
            if end != expected:
                raise InputError(f"Row group {number + 1} of {shown(self.path.name)} has fewer rows than it says.")

    def check_footer(self, reader: str, without: AbstractSet[str]) -> None:
        """Check what the file says about all its row groups, for a reader that does not.

        Args:
            reader: What the reader is called, for the error.
            without: Compressions that it cannot undo.

        Raises:
            InputError: If :meth:`read` or that reader would refuse one.
        """
        for number, group in enumerate(row_groups(self.path)):
            self._check(number, group)
            strange = [chunk.codec for chunk in group.chunks if chunk.path in self.columns() and chunk.codec in without]
            if strange:
                raise InputError(
                    f"{reader} cannot read {shown(self.path.name)}, which is compressed with {strange[0]}: "
                    "write it without compression."
                )

    def _check(self, number: int, group: RowGroup) -> None:
        """Raise InputError if a row group could take up too much memory, from what the file says about it."""
        where = f"Row group {number + 1} of {shown(self.path.name)}"
        for chunk in group.chunks:
            if chunk.path not in self.columns():
                continue
            if chunk.largest > MOST_BYTES:
                raise InputError(
                    f"{where} has a column of more than {MOST_BYTES >> 20} MiB: write it in smaller row groups."
                )
            strange = sorted(chunk.encodings - ENCODINGS)
            if strange and chunk.physical_type == "BYTE_ARRAY":
                raise InputError(f"{where} is encoded as {strange[0]}: write it plain.")
