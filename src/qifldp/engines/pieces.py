"""What every format of report files has in common: a header, and pieces of bounded size."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute

from qifldp.collection.accumulator import Accumulator
from qifldp.collection.reports import fingerprint
from qifldp.engines.report_schema import ANOTHER_PROTOCOL, ReportHeader, count_column
from qifldp.errors import InputError, shown

REPORT, ID = "report", "id"
"""Names of the columns."""

ROWS_A_PIECE = 1 << 16
BYTES_A_PIECE = 32 << 20
"""A piece has at most so many rows, and reports of at most so many bytes."""

MOST_BYTES = 256 << 20
"""Bytes of a column that a file may ask to be read into memory at once (a row group, a batch)."""

ANOTHER_DOMAIN = "another list of values"
UNEVEN = "another number of cells"


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a file, in the order of the file.

    Attributes:
        reports: The column of reports.
        ids: The column of ids, if the file has one.
        end: Rows of the file up to the end of this piece.
        share: Share of the file up to there.
        refused: Rows that are not among the reports, by reason.
        count: Counts a column of reports of this file.
    """

    reports: pa.Array
    ids: pa.Array | None
    end: int
    share: float
    refused: Mapping[str, int] = field(default_factory=dict)
    count: Callable[[pa.Array, Accumulator], None] = count_column

    @property
    def start(self) -> int:
        """Rows of the file before this piece."""
        return self.end - len(self.reports) - sum(self.refused.values())


class ReportFile(ABC):
    """A file of reports.

    Attributes:
        path: Where it is.
        header: What it says about itself.
        has_ids: Whether its rows have ids.
        fault: Why none of its rows can be a report, if so.
    """

    def __init__(self, path: Path, header: ReportHeader, columns: Mapping[str, pa.DataType]) -> None:
        """Check the types of the columns.

        Raises:
            InputError: If the ids cannot be such.
        """
        self.path, self.header, self.has_ids = path, header, ID in columns
        self.fault = _fault(columns[REPORT], header.protocol.mechanism.width)
        if self.has_ids and not _can_be_id(_plain(columns[ID])):
            raise InputError.expected(f"The column id of {shown(path.name)}", "text or whole numbers", str(columns[ID]))

    @abstractmethod
    def count_rows(self) -> int:
        """Return the number of rows."""

    @abstractmethod
    def read(self, start: int) -> Iterator[Piece]:
        """Read pieces, the same at every reading; those that end at or before the row ``start`` may be left out."""

    def pieces(self, start: int = 0) -> Iterator[Piece]:
        """Read the pieces from a row on, at which a piece begins.

        Raises:
            InputError: If the file cannot be read to its end.
        """
        with reading(self.path):
            for piece in self.read(start):
                if piece.end > start:
                    yield piece

    def refusal(self, expected: ReportHeader) -> str | None:
        """Return why no row of this file can be counted together with those of another file, if so."""
        if fingerprint(self.header.protocol) != fingerprint(expected.protocol):
            return ANOTHER_PROTOCOL
        return ANOTHER_DOMAIN if self.header.values != expected.values else self.fault

    def check_ids(self, first: ReportFile) -> None:
        """Raise InputError if only one of two files has ids."""
        if self.has_ids != first.has_ids:
            raise InputError(
                f"Of {shown(first.path.name)} and {shown(self.path.name)} only one has ids: give them to all files."
            )

    def columns(self) -> list[str]:
        """Return the names of the columns that are read."""
        return [REPORT, ID] if self.has_ids else [REPORT]


def rows_a_piece(width: int) -> int:
    """Return how many reports of that many bytes a piece has."""
    return max(1, min(ROWS_A_PIECE, BYTES_A_PIECE // width))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turn what a reader raises at a damaged file into one sentence."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file {shown(path.name)} cannot be read: {shown(str(error), 160)}.") from None


def checked(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Return a batch that was checked in full, in which an id of a column of text that is not UTF-8 is none.

    Raises:
        pa.ArrowException: If anything else is wrong with it.
    """
    if ID not in batch.schema.names or not _is_text(_plain(batch.column(ID).type)):
        batch.validate(full=True)
        return batch
    place = batch.schema.get_field_index(ID)
    batch = batch.set_column(place, ID, _as_bytes(batch.column(ID)))
    batch.validate(full=True)
    return batch.set_column(place, ID, _only_text(batch.column(ID)))


def _as_bytes(texts: pa.Array) -> pa.Array:
    """Return texts as bytes, unchecked and without copying them."""
    if pa.types.is_dictionary(texts.type):
        return pa.DictionaryArray.from_arrays(texts.indices, _as_bytes(texts.dictionary), safe=False)
    return texts.view(pa.large_binary() if pa.types.is_large_string(texts.type) else pa.binary())


def _only_text(ids: pa.Array) -> pa.Array:
    """Return ids with null in place of those that are not UTF-8."""
    entries = ids.dictionary if pa.types.is_dictionary(ids.type) else ids
    try:
        entries.cast(pa.large_string())  # fails at the first that is none
    except pa.ArrowInvalid:
        text = pa.array([_is_utf8(entry) for entry in entries.to_pylist()])
    else:
        return ids
    if pa.types.is_dictionary(ids.type):
        indices = pa.compute.if_else(text.take(ids.indices), ids.indices, None)
        return pa.DictionaryArray.from_arrays(indices, entries)
    return pa.compute.if_else(text, ids, None)


def _is_utf8(entry: bytes | None) -> bool:
    try:
        (entry or b"").decode()
    except UnicodeDecodeError:
        return False
    return True


def check_columns(names: list[str], path: Path) -> None:
    """Raise InputError if a column of a file of reports occurs twice."""
    for name in (REPORT, ID):
        if names.count(name) > 1:
            raise InputError(f"{shown(path.name)} has {names.count(name)} columns called {name}.")


def _fault(kind: pa.DataType, width: int) -> str | None:
    if pa.types.is_fixed_size_binary(kind):
        return None if kind.byte_width == width else f"{kind.byte_width} bytes instead of {width}"
    return None if _is_bytes(_plain(kind)) else f"{_plain(kind)} instead of bytes"


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _can_be_id(kind: pa.DataType) -> bool:
    return bool(_is_bytes(kind) or _is_text(kind) or pa.types.is_integer(kind))
