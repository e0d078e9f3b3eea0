"""Reports in CSV: a line with the header, the names of the columns, and reports in hexadecimal digits.

A row is a line and cells are never quoted, so that what is wrong with one row is of no consequence for another's.
"""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute
import pyarrow.csv

from qifldp.collection.accumulator import Accumulator
from qifldp.data.lines import blocks_of_lines
from qifldp.engines.pieces import ID, REPORT, UNEVEN, Piece, ReportFile, check_columns, reading
from qifldp.engines.report_schema import (
    LARGEST_HEADER,
    METADATA_KEY,
    NO_REPORT,
    ReportHeader,
    binary_rows,
    count_column,
)
from qifldp.errors import InputError, shown

MARK = "#qifldp "
"""What the first line begins with."""

LONGEST_LINE = 8 << 20
"""Bytes of a line at most; so many are read at a time."""

ODD = "an odd number of hexadecimal digits"
NOT_HEXADECIMAL = "not hexadecimal"
NOT_TEXT = "a line that is not UTF-8"
QUOTED = "a quotation mark in the row"
RETURN = "a carriage return within the row"

NOT_PLAIN = re.compile(r'[,"\r\n]')
"""What an id in a CSV file of reports cannot contain."""

BOM = b"\xef\xbb\xbf"
"""A byte order mark: no part of a file that begins with it, and like any other character elsewhere."""


def write(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a file; a header's labels are escaped so that it is one line.

    Raises:
        InputError: If an id would have to be quoted.
    """
    with path.open("w", encoding="utf-8", newline="") as text:
        text.write(f"{MARK}{schema.metadata[METADATA_KEY].decode()}\n{','.join(schema.names)}\n")
        for batch in batches:
            cells = [[report.hex() for report in batch.column(REPORT).to_pylist()]]
            if ID in schema.names:
                cells.append(_plain_ids(batch.column(ID)))
            text.writelines(",".join(row) + "\n" for row in zip(*cells, strict=True))


def _plain_ids(ids: pa.Array) -> list[str]:
    texts = [name or "" for name in ids.to_pylist()]
    if NOT_PLAIN.search("".join(texts)):
        wrong = next(name for name in texts if NOT_PLAIN.search(name))
        raise InputError(
            f"The id {shown(wrong)} has a comma, a quotation mark or the end of a line in it, and ids in CSV are not "
            "quoted: write a .parquet or .arrow file."
        )
    return texts


class CsvReports(ReportFile):
    """A CSV file of reports."""

    def __init__(self, path: Path) -> None:
        """Open a file and read its header.

        Raises:
            InputError: If it is not a file of reports.
        """
        with reading(path), path.open("rb") as raw:
            first = raw.readline(LARGEST_HEADER + len(BOM) + len(MARK) + 2).removeprefix(BOM)
            names = raw.readline(LONGEST_LINE + 1)
            if len(names.removesuffix(b"\n")) > LONGEST_LINE:
                raise InputError(f"{shown(path.name)} has a line of more than {LONGEST_LINE >> 20} MiB.")
            if first.startswith(MARK.encode()) and b"\r" in first.removesuffix(b"\r\n") + names.removesuffix(b"\r\n"):
                raise InputError(
                    f"{shown(path.name)} has a carriage return in its first lines: end lines with newlines."
                )
            self._names = [name.strip() for name in names.decode().split(",")]
            self._body = raw.tell()
        if not first.startswith(MARK.encode()) or REPORT not in self._names:
            raise InputError(f"{shown(path.name)} is not a file of reports: write one with qifldp perturb.")
        check_columns(self._names, path)
        header = ReportHeader.from_text(first.removeprefix(MARK.encode()), path.name)
        super().__init__(path, header, dict.fromkeys(self._names, pa.binary()))

    def count_rows(self) -> int:
        return sum(piece.end - piece.start for piece in self.pieces())

    def read(self, start: int) -> Iterator[Piece]:  # noqa: ARG002  # rows are found by reading lines
        end, size = 0, self.path.stat().st_size
        with self.path.open("rb") as raw:
            raw.seek(self._body)
            for block in blocks_of_lines(raw, LONGEST_LINE, self.path.name):
                table, refused = self._parse(block)
                end += len(table) + sum(refused.values())
                ids = _whole(table.column(ID)) if self.has_ids else None
                reports = _whole(table.column(REPORT))
                yield Piece(reports, ids, end, raw.tell() / size, refused, count_hexadecimal)

    def _parse(self, block: bytes) -> tuple[pa.Table, Counter[str]]:
        refused: Counter[str] = Counter()
        if _fault(block) is not None:
            kept = bytearray()
            for line in io.BytesIO(block):
                why = _fault(line)
                if why is None:
                    kept += line
                else:
                    refused[why] += 1
            block = bytes(kept)
            if not block:
                return pa.table({name: pa.array([], pa.binary()) for name in self.columns()}), refused

        def leave_out(_: pa.csv.InvalidRow) -> str:
            refused[UNEVEN] += 1
            return "skip"

        block = BOM + block  # Arrow takes one from the beginning of whatever it reads
        table = pa.csv.read_csv(
            pa.BufferReader(block),
            pa.csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=self._names),
            pa.csv.ParseOptions(quote_char=False, ignore_empty_lines=False, invalid_row_handler=leave_out),
            pa.csv.ConvertOptions(
                include_columns=self.columns(),
                column_types=dict.fromkeys(self.columns(), pa.binary()),
                null_values=[""],
                strings_can_be_null=True,
            ),
        )
        return table, refused


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def _fault(lines: bytes) -> str | None:
    """Return what lines must not contain, if one does; a carriage return may stand before a newline."""
    if b'"' in lines:
        return QUOTED
    if b"\r" in lines and lines.count(b"\r") > lines.count(b"\r\n"):
        return RETURN
    try:
        lines.decode()
    except UnicodeDecodeError:
        return NOT_TEXT
    return None


DIGITS = np.full(256, 0xFF, np.uint8)
"""The value of each hexadecimal digit; 255 for any other character."""
DIGITS[np.frombuffer(b"0123456789abcdefABCDEF", np.uint8)] = [*range(16), *range(10, 16)]


def count_hexadecimal(column: pa.Array, accumulator: Accumulator) -> None:
    """Count a column of reports in hexadecimal digits; see :func:`~qifldp.engines.report_schema.count_column`."""
    width = accumulator.protocol.mechanism.width
    lengths = pa.compute.binary_length(column).fill_null(0).to_numpy()
    accumulator.refuse(NO_REPORT, int(np.count_nonzero(lengths == 0)))
    accumulator.refuse(ODD, int(np.count_nonzero(lengths % 2)))
    uneven = lengths[(lengths > 0) & (lengths % 2 == 0) & (lengths != 2 * width)]
    for length, times in zip(*np.unique(uneven, return_counts=True), strict=True):
        accumulator.refuse(f"{length // 2} bytes instead of {width}", int(times))
    fitting = column.filter(pa.array(lengths == 2 * width))
    if not len(fitting):
        return
    digits = DIGITS[binary_rows(fitting, 2 * width)]
    wrong = (digits > 0x0F).any(axis=1)
    accumulator.refuse(NOT_HEXADECIMAL, int(np.count_nonzero(wrong)))
    digits = digits[~wrong]
    rows = np.ascontiguousarray(digits[:, ::2] << 4 | digits[:, 1::2])
    column = pa.FixedSizeBinaryArray.from_buffers(pa.binary(width), len(rows), [None, pa.py_buffer(rows)])
    count_column(column, accumulator)
