"""Uploaded files, read in memory: a column's counts or a channel matrix, within limits. Nothing here writes or logs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath

import pyarrow as pa
from pyarrow import compute, csv, parquet

from qifldp.channels.channel import Channel
from qifldp.comparison.subjects import FILE_PREFIX, MatrixSubject
from qifldp.data.columns import as_text, own_domain
from qifldp.data.population import Population
from qifldp.errors import InputError, QifldpError, shown
from qifldp.matrix_files import SUFFIXES, matrix_of
from qifldp.rendering.text import plain

MEGABYTES = 20
"""Of a file. The server refuses more as well (server.maxUploadSize)."""

MOST_ROWS, MOST_COLUMNS, MOST_VALUES = 5_000_000, 1_000, 100_000
"""Rows and columns of a table, and different values of its column."""

MOST_CELLS, MOST_SECRETS = 10_000, 200
"""Cells and rows of a channel matrix, whose capacities are computed anew for each question: in a second or two."""

LONGEST = 200
"""Letters of a value, or of the name of a column, a row or an output."""

LONGEST_NAME = 60
"""Letters of a file's name that are kept."""

UNPACKED = 256 << 20
"""Bytes of a Parquet file once it is unpacked, as it states them itself."""

BATCH = 1 << 16
"""Rows of Parquet that are unpacked at a time."""

TABLES = (".csv", ".parquet")
"""Endings of tables with a column."""


def file_name(name: str) -> str:
    """Return a file's name without folders, short and printable."""
    last = PurePath(name.replace("\\", "/")).name
    return plain(last).replace("\n", " ")[-LONGEST_NAME:] or "file"


def column_names(data: bytes, name: str) -> tuple[str, ...]:
    """Return the columns of a table that can be chosen: those that hold plain values, and whose name occurs once.

    Raises:
        InputError: If the file is too large, is no table, or has too many columns.
    """
    suffix = _checked(data, name, TABLES)
    with _sentence(name):
        if suffix == ".csv":
            reader = _csv_reader(data, None)
            names, plain_ones = reader.schema.names, reader.schema.names
        else:
            schema = parquet.ParquetFile(pa.BufferReader(data)).schema_arrow
            names = schema.names
            plain_ones = [field.name for field in schema if _is_plain(field.type)]
    if len(names) > MOST_COLUMNS:
        raise InputError(f"A table may have at most {MOST_COLUMNS:,} columns; this one has {len(names):,}.")
    counted = Counter(names)
    found = tuple(one for one in plain_ones if counted[one] == 1 and 0 < len(one) <= LONGEST)
    if not found:
        raise InputError("The table has no column that can be chosen: names must occur once, values must be plain.")
    return found


def population_of(data: bytes, name: str, column: str) -> Population:
    """Return how often each value of a column occurs. Values are compared as text.

    Raises:
        InputError: If the file, the column or a value is not what it has to be, or beyond a limit.
    """
    if column not in column_names(data, name):
        raise InputError(f"The table has no column {shown(column)}.")
    batches = _csv_arrays if name.lower().endswith(".csv") else _parquet_arrays
    counts: Counter[str | None] = Counter()
    rows = 0
    with _sentence(name):
        for array in batches(data, column):
            rows += len(array)
            if rows > MOST_ROWS:
                raise InputError(f"A table may have at most {MOST_ROWS:,} rows.")
            _count(array, counts)
    missing = counts.pop(None, 0) + counts.pop("", 0)
    title = f"{file_name(name)}, column {plain(column)}"
    if not counts:
        raise InputError("The column has no values.")
    return own_domain(title, counts, missing)


def matrix_from(data: bytes, name: str) -> MatrixSubject:
    """Return a channel matrix; rows are inputs and must sum to one.

    Raises:
        InputError: If the file is not a channel, or beyond a limit.
    """
    suffix = _checked(data, name, SUFFIXES)
    if suffix in (".csv", ".json") and data.count(b",") > 2 * MOST_CELLS:
        raise InputError(_too_many_cells())
    if suffix == ".parquet":
        with _sentence(name):
            metadata = parquet.ParquetFile(pa.BufferReader(data)).metadata
            _check_unpacked(metadata)
        if metadata.num_rows * metadata.num_columns > 2 * MOST_CELLS:
            raise InputError(_too_many_cells())
    table = matrix_of(data, suffix, "channel")
    labels = [*map(str, table.rows or ()), *map(str, table.columns or ())]
    if any(len(label) > LONGEST for label in labels):
        raise InputError(f"The name of a row or of an output may have at most {LONGEST} letters.")
    channel = Channel(table.entries, inputs=table.rows, outputs=table.columns)
    if channel.matrix.size > MOST_CELLS:
        raise InputError(_too_many_cells())
    if not 2 <= channel.domain_size <= MOST_SECRETS:
        raise InputError.expected("A channel here", f"of 2 to {MOST_SECRETS:,} rows", channel.domain_size)
    return MatrixSubject(f"{FILE_PREFIX}{file_name(name)}", channel)


def _too_many_cells() -> str:
    return f"A channel matrix may have at most {MOST_CELLS:,} cells here; qifldp compare takes larger ones."


def _checked(data: bytes, name: str, endings: tuple[str, ...]) -> str:
    suffix = PurePath(name).suffix.lower()
    if suffix not in endings:
        raise InputError.expected("The file", f"named {', '.join(endings)}", file_name(name))
    if not data:
        raise InputError("The file is empty.")
    if len(data) > MEGABYTES << 20:
        raise InputError(f"The file has more than {MEGABYTES} MB; qifldp compare reads larger ones.")
    return suffix


def _is_plain(kind: pa.DataType) -> bool:
    return not (pa.types.is_nested(kind) or isinstance(kind, pa.BaseExtensionType))


class _sentence:  # noqa: N801  # a context manager, used like a function
    """Turn whatever goes wrong while a file is parsed into one sentence: what a parser says may hold the file's text.

    So nothing of it reaches the server's log, whatever a stranger's file does to the parser.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, QifldpError):
            what = "CSV" if self.name.lower().endswith(".csv") else "Parquet"
            raise InputError(f"The file is not {what} that can be read: {shown(str(error), 120)}.") from None


def _csv_reader(data: bytes, column: str | None) -> csv.CSVStreamingReader:
    convert = csv.ConvertOptions()
    if column is not None:
        convert = csv.ConvertOptions(
            include_columns=[column], column_types={column: pa.string()}, strings_can_be_null=False
        )
    return csv.open_csv(
        pa.BufferReader(data), parse_options=csv.ParseOptions(newlines_in_values=True), convert_options=convert
    )


def _csv_arrays(data: bytes, column: str) -> Iterator[pa.Array]:
    for batch in _csv_reader(data, column):
        yield batch.column(0)


def _parquet_arrays(data: bytes, column: str) -> Iterator[pa.Array]:
    source = parquet.ParquetFile(
        pa.BufferReader(data), read_dictionary=[column], page_checksum_verification=True
    )  # as a dictionary, a long text that is repeated stays as small as it is in the file
    _check_unpacked(source.metadata)
    if source.metadata.num_rows > MOST_ROWS:
        raise InputError(f"A table may have at most {MOST_ROWS:,} rows.")
    for batch in source.iter_batches(batch_size=BATCH, columns=[column]):
        yield batch.column(column)  # "a.b" names a member of the structure "a", too


def _check_unpacked(metadata: parquet.FileMetaData) -> None:
    groups = (metadata.row_group(place).total_byte_size for place in range(metadata.num_row_groups))
    if sum(groups) > UNPACKED:
        raise InputError(f"The table has more than {UNPACKED >> 20} MB once it is unpacked.")


def _count(array: pa.Array, counts: Counter[str | None]) -> None:
    found = compute.value_counts(array)
    values = found.field("values")
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    texts = as_text(values)
    longest = compute.max(compute.utf8_length(texts)).as_py() or 0
    if longest > LONGEST:
        raise InputError(f"A value may have at most {LONGEST} letters; the column has one of {longest:,}.")
    for value, count in zip(texts.to_pylist(), found.field("counts").to_pylist(), strict=True):
        counts[value] += count
    if len(counts) > MOST_VALUES:
        raise InputError(f"A column may have at most {MOST_VALUES:,} different values here.")
