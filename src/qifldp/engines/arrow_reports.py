"""Reports in Arrow's file format: read message by message, so that sizes are known before memory is taken."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

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
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError, shown

MAGIC = b"ARROW1\0\0"
"""What a file begins with; the messages follow."""

HEADER_FIELD, COMPRESSION_FIELD = 2, 3
"""Places of fields in the tables Message and RecordBatch of Arrow's format/Message.fbs."""


def write(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    """Write a file; each batch becomes a record batch."""
    with ipc.new_file(str(path), schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


class ArrowReports(ReportFile):
    """An Arrow IPC file of reports, without compression or dictionaries, and without views of what is read."""

    def __init__(self, path: Path) -> None:
        """Open a file and read its header.

        Raises:
            InputError: If it is not a file of reports.
        """
        with reading(path), path.open("rb") as raw:
            opened: Any = ipc.open_file(raw)
            schema, self._batches = opened.schema, opened.num_record_batches
            check_columns(schema.names, path)
        header = ReportHeader.of_schema(schema, path.name)
        for field in schema:
            what = _not_plain(field)
            if what is not None:
                raise InputError(f"{shown(path.name)} has {what} in its column {shown(field.name)}: write it plain.")
        self._schema = schema
        super().__init__(path, header, dict(zip(schema.names, schema.types, strict=True)))

    def count_rows(self) -> int:
        with reading(self.path):
            return sum(len(batch) for batch, _ in self._read())

    def read(self, start: int) -> Iterator[Piece]:  # noqa: ARG002  # all messages must be passed
        step, end = rows_a_piece(self.header.protocol.mechanism.width), 0
        for batch, share in self._read():
            for first in range(0, len(batch), step):
                part = batch.slice(first, step)
                end += len(part)
                yield Piece(part.column(REPORT), part.column(ID) if self.has_ids else None, end, share)

    def _read(self) -> Iterator[tuple[pa.RecordBatch, float]]:
        """Read the record batches, each checked in full, with the share of the file up to them."""
        found = 0
        with _Bounded(self.path) as raw:
            raw.seek(len(MAGIC))
            for message in ipc.MessageReader.open_stream(raw):
                if message.type != "record batch":
                    continue
                if _is_compressed(message.metadata.to_pybytes()):
                    raise InputError(f"{shown(self.path.name)} is compressed: write it without compression.")
                batch = checked(ipc.read_record_batch(message, self._schema).select(self.columns()))
                if len(batch) > MOST_BYTES:
                    raise InputError(f"{shown(self.path.name)} has a batch of {len(batch):,} rows.")
                found += 1
                yield batch, found / max(self._batches, found)
        if found != self._batches:
            raise InputError(f"{shown(self.path.name)} has another number of batches than it says.")


def _not_plain(field: pa.Field) -> str | None:
    """Return what in a column this reader does not read, if it is there.

    Dictionaries are messages of their own, which are passed over here. Of views, a small batch may stand for texts of
    any length.
    """
    if _has_dictionary(field.type):
        return "a dictionary"
    views = pa.types.is_string_view(field.type) or pa.types.is_binary_view(field.type)
    return "views" if views and field.name in (REPORT, ID) else None


def _has_dictionary(kind: pa.DataType) -> bool:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return bool(pa.types.is_dictionary(kind)) or any(
        _has_dictionary(kind.field(place).type) for place in range(kind.num_fields)
    )


class _Bounded(io.FileIO):
    """A file of which no single read may be larger than the memory that one is given."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= MOST_BYTES:
            raise InputError(f"{shown(Path(str(self.name)).name)} has a batch of more than {MOST_BYTES >> 20} MiB.")
        return super().read(size) or b""


def _is_compressed(message: bytes) -> bool:
    """Whether the buffers of a record batch are compressed, from its message (a FlatBuffer)."""
    try:
        (root,) = struct.unpack_from("<I", message, 0)
        table = root + _field(message, root, HEADER_FIELD)
        table += struct.unpack_from("<I", message, table)[0]
        return _field(message, table, COMPRESSION_FIELD) != 0
    except struct.error as error:
        raise pa.ArrowInvalid(f"damaged message: {error}") from None


def _field(message: bytes, table: int, place: int) -> int:
    """Return where in a table a field is, 0 if it is not there."""
    places = table - struct.unpack_from("<i", message, table)[0]
    (size,) = struct.unpack_from("<H", message, places)
    at = 4 + 2 * place
    return int(struct.unpack_from("<H", message, places + at)[0]) if at < size else 0
