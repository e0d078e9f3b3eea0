"""What the footer of a Parquet file says about the size and encoding of its columns: Thrift's compact protocol.

PyArrow's own view of a column chunk ends the process at some damaged footers (a C++ exception that nobody catches,
while statistics are parsed that nobody has asked for). So what is to be known before a row group is read is read here.

Source: parquet-format's parquet.thrift, and Thrift's doc/specs/thrift-compact-protocol.md.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qifldp.errors import InputError, shown

TAIL = struct.Struct("<I4s")
"""The last bytes of a file: length of the footer, and the mark."""

PHYSICAL_TYPES = (
    "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY",
)  # fmt: skip
ENCODINGS = (
    "PLAIN", "GROUP_VAR_INT", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED", "DELTA_LENGTH_BYTE_ARRAY",
    "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT",
)  # fmt: skip

ALL_ROWS, ROW_GROUPS = 3, 4
COLUMNS, ROWS = 1, 3
META_DATA = 3
"""Fields of FileMetaData, RowGroup and ColumnChunk."""

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")

TYPE, ENCODED, PATH, CODEC, VALUES, UNCOMPRESSED = 1, 2, 3, 4, 5, 6
"""Fields of ColumnMetaData."""

STOP, BINARY, LIST, STRUCT = 0, 8, 9, 12
WHOLE_NUMBERS = (4, 5, 6)
BYTES = {1: 0, 2: 0, 3: 1, 7: 8}
"""Types of Thrift: true and false are types of a field, then bytes and doubles. A footer has no sets and no maps."""

LONG = 15
"""Elements from which on a list's number of elements has bytes of its own."""

DEEPEST, LONGEST_NUMBER = 32, 10
"""Levels of nesting, and bytes of a number, at most."""


@dataclass(frozen=True)
class Chunk:
    """A column of a row group.

    Attributes:
        path: The column's name; names of nested ones are joined by dots.
        physical_type: Such as ``BYTE_ARRAY``.
        encodings: Those of its pages.
        codec: How its pages are compressed, such as ``ZSTD``.
        largest: Its uncompressed bytes or its number of values, whichever is more.
    """

    path: str
    physical_type: str
    encodings: frozenset[str]
    codec: str
    largest: int


@dataclass(frozen=True)
class RowGroup:
    """A row group.

    Attributes:
        rows: Its number of rows: no column has fewer values.
        chunks: Its columns.
    """

    rows: int
    chunks: list[Chunk]


def row_groups(path: Path) -> Iterator[RowGroup]:
    """Give the row groups in turn.

    Raises:
        InputError: If the footer is damaged, or its numbers of rows do not fit together: also after the last of them.
    """
    try:
        yield from _row_groups(_Reader(_footer(path)))
    except (LookupError, TypeError, ValueError, struct.error):
        raise InputError(f"The file {shown(path.name)} cannot be read: its footer is damaged.") from None


def _row_groups(reader: _Reader) -> Iterator[RowGroup]:
    total, rows = None, 0
    for number, kind in reader.fields():
        if number == ALL_ROWS:
            total = reader.value(kind)
        elif number == ROW_GROUPS:
            for element in reader.elements():
                group = _row_group(reader.value(element))
                rows += group.rows
                yield group
        else:
            reader.value(kind)
    if total != rows:
        raise ValueError(f"{total} rows, and {rows} in the row groups")


def _footer(path: Path) -> bytes:
    with path.open("rb") as raw:
        raw.seek(-TAIL.size, os.SEEK_END)
        length, _ = TAIL.unpack(raw.read())
        raw.seek(-TAIL.size - length, os.SEEK_END)
        return raw.read(length)


def _row_group(about: Mapping[int, Any]) -> RowGroup:
    columns, rows = [column[META_DATA] for column in about[COLUMNS]], about[ROWS]
    if not 0 <= rows <= min(column[VALUES] for column in columns):  # a nested column may have more values than rows
        raise ValueError(f"{rows} rows")
    return RowGroup(rows, [_chunk(column) for column in columns])


def _chunk(about: Mapping[int, Any]) -> Chunk:
    return Chunk(
        b".".join(about[PATH]).decode(),
        _name(PHYSICAL_TYPES, about[TYPE]),
        frozenset(_name(ENCODINGS, number) for number in about[ENCODED]),
        _name(CODECS, about[CODEC]),
        max(about[UNCOMPRESSED], about[VALUES]),
    )


def _name(names: tuple[str, ...], number: int) -> str:
    return names[number] if 0 <= number < len(names) else f"number {number}"


class _Reader:
    """Reads values of Thrift's compact protocol, one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """Give number and type of each field of a structure; its value is to be read before the next."""
        number = 0
        while (head := self._byte()) != STOP:
            number = number + (head >> 4) if head >> 4 else self._signed()
            yield number, head & 0x0F

    def elements(self) -> Iterator[int]:
        """Give the type of each element of a list; its value is to be read before the next."""
        head = self._byte()
        size = self._number() if head >> 4 == LONG else head >> 4
        for _ in range(size):
            yield head & 0x0F

    def value(self, kind: int, depth: int = 0) -> Any:
        """Read a value of a type: a number, bytes, a list, or a structure as a dictionary.

        Raises:
            ValueError: If there is no such type, or the value is nested too deeply.
        """
        if kind in WHOLE_NUMBERS:
            return self._signed()
        if kind == BINARY:
            return self._bytes(self._number())
        if kind in BYTES:
            return self._bytes(BYTES[kind])
        if kind not in (LIST, STRUCT) or depth > DEEPEST:
            raise ValueError(f"type {kind} at depth {depth}")
        if kind == LIST:
            return [self.value(inner, depth + 1) for inner in self.elements()]
        return {number: self.value(inner, depth + 1) for number, inner in self.fields()}

    def _bytes(self, size: int) -> bytes:
        found = self._data[self._at : self._at + size]
        if len(found) != size:
            raise ValueError("the end")
        self._at += size
        return found

    def _byte(self) -> int:
        found = self._data[self._at]
        self._at += 1
        return found

    def _number(self) -> int:
        found = 0
        for place in range(LONGEST_NUMBER):
            byte = self._byte()
            found |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                return found
        raise ValueError("too long a number")

    def _signed(self) -> int:
        found = self._number()
        return found >> 1 ^ -(found & 1)
