"""Counting a column of a CSV or Parquet file, in bounded memory, against a declared domain or its own values."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
from pyarrow import compute, csv, parquet

from qifldp.channels.profile import LARGEST_DOMAIN
from qifldp.data.population import Population
from qifldp.errors import InputError, shown
from qifldp.storage import check_readable, read_text

Other = Literal["reject", "bucket"]
"""What becomes of a value outside the declared domain: an error, or one more value, ``(other)``."""

OTHER_VALUE = "(other)"

READ_DOMAIN_NOTE = (
    "The domain was read from the data: publishing which values occur is itself a leak. "
    "Declare a domain that is known without the data (qifldp compare --domain FILE)."
)

BLOCK_BYTES = 8 << 20
"""CSV is read in blocks of this size."""


def read_values(path: str | Path) -> list[str]:
    r"""Return the values of a list in UTF-8 text: one a line, blank lines left out.

    Lines end where files have them end (\n, \r\n, \r), not at the other characters at which Unicode may break a line.

    Raises:
        InputError: If the file cannot be read.
    """
    return [line for line in read_text(path).split("\n") if line.strip()]  # reading has made every end of a line \n


def read_domain(path: str | Path) -> tuple[str, ...]:
    """Return the values of a domain file, a list as :func:`read_values` reads it.

    Raises:
        InputError: If the file cannot be read, holds fewer than two values, or holds one twice.
    """
    values = tuple(read_values(path))
    if not 2 <= len(values) <= LARGEST_DOMAIN:
        raise InputError.expected(f"The domain file {shown(str(path))}", "a list of at least two values", len(values))
    repeated = [value for value, count in Counter(values).items() if count > 1]
    if repeated:
        raise InputError(f"The domain file {shown(str(path))} has the value {shown(repeated[0])} twice.")
    return values


def count_column(
    path: str | Path,
    column: str,
    *,
    domain: tuple[str, ...] | None = None,
    other: Other = "reject",
    progress: Callable[[float], None] | None = None,
) -> Population:
    """Count the values of one column of a CSV or Parquet file.

    Values are compared as text. Rows without a value (empty or null) are left out when the domain is read
    from the data, with a note, and are values outside the domain when it is declared.

    Args:
        path: A file named ``.csv`` (with a header) or ``.parquet``.
        column: Name of the column.
        domain: The values that may occur, in order; by default those that do, the most frequent first.
        other: What becomes of a value outside the declared domain.
        progress: Called with the share of the file that has been read.

    Raises:
        InputError: If the file, the column or a value is not what it has to be.
    """
    counts: Counter[str | None] = Counter()
    for share, (batch,) in read_columns(path, [column]):
        _add(counts, batch)
        if progress is not None:
            progress(share)
    missing = counts.pop(None, 0) + counts.pop("", 0)
    title = column_title(path, column)
    if not counts:
        raise InputError(f"The column {shown(column)} of {shown(str(path))} has no values.")
    if domain is None:
        return own_domain(title, counts, missing)
    return _declared_domain(title, counts, missing, domain, other)


def read_columns(path: str | Path, columns: list[str]) -> Iterator[tuple[float, list[pa.Array]]]:
    """Read columns of a CSV or Parquet file as text, piece by piece, each with the share of the file read so far.

    A column may be asked for more than once.

    Raises:
        InputError: If the file or a column is not what it has to be.
    """
    file = check_readable(path)
    readers = {".csv": _csv_batches, ".parquet": _parquet_batches}
    if file.suffix.lower() not in readers:
        raise InputError.expected("A data file", "named .csv or .parquet", str(path))
    try:
        for share, batch in readers[file.suffix.lower()](file, list(dict.fromkeys(columns))):
            yield share, [as_text(batch.column(name)) for name in columns]
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(f"The file {shown(str(path))} cannot be read: {shown(str(error), 160)}.") from None


def column_title(path: str | Path, column: str) -> str:
    """Return what a column of a file is called, for people."""
    return f"{Path(path).name}, column {column}"


def as_text(column: pa.Array) -> pa.Array:
    """Return an array of plain values as text; what is not a number is no value, and -0 is the number 0.

    Raises:
        pa.ArrowException: If values are not plain, or text is not UTF-8.
    """
    if pa.types.is_floating(column.type):
        column = compute.if_else(compute.is_nan(column), pa.scalar(None, column.type), column)
        text = column.cast(pa.string())
        return compute.if_else(compute.equal(text, "-0"), "0", text)
    text = column.cast(pa.string())
    text.validate(full=True)  # a column that says it is text may hold any bytes
    return text


def own_domain(title: str, counts: Counter[str | None], missing: int) -> Population:
    """Return counts as a population whose domain was read from the data, the most frequent value first.

    Args:
        title: What the data are, for people.
        counts: How often each value occurs.
        missing: Rows without a value, which were left out.
    """
    ordered = sorted(counts.items(), key=lambda pair: (-pair[1], str(pair[0])))
    notes = [READ_DOMAIN_NOTE]
    if missing:
        notes.append(f"{_rows(missing)} without a value {_were(missing)} left out.")
    return Population(title, tuple(str(value) for value, _ in ordered), tuple(n for _, n in ordered), tuple(notes))


def _declared_domain(
    title: str, counts: Counter[str | None], missing: int, domain: tuple[str, ...], other: Other
) -> Population:
    known = set(domain)
    outside = {str(value): count for value, count in counts.items() if value not in known}
    strangers = sum(outside.values()) + missing
    if strangers and other == "reject":
        example = f"the value {shown(next(iter(outside)))}" if outside else "one without a value"
        raise InputError(
            f"{title} has {_rows(strangers)} outside the declared domain, such as {example}: "
            "extend the domain, or count them as one more value (--other bucket)."
        )
    values, numbers = domain, [counts.get(value, 0) for value in domain]
    notes = []
    if other == "bucket":
        if OTHER_VALUE in known:
            raise InputError(f"The declared domain already has a value {OTHER_VALUE}.")
        values, numbers = (*domain, OTHER_VALUE), [*numbers, strangers]
        notes.append(f"{_rows(strangers)} outside the declared domain {_are(strangers)} counted as {OTHER_VALUE}.")
    return Population(title, values, tuple(numbers), tuple(notes))


def _rows(count: int) -> str:
    return "1 row" if count == 1 else f"{count:,} rows"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _add(counts: Counter[str | None], batch: pa.Array) -> None:
    for entry in compute.value_counts(batch):
        counts[entry["values"].as_py()] += entry["counts"].as_py()
    if len(counts) > LARGEST_DOMAIN:
        raise InputError(f"The column has more than {LARGEST_DOMAIN:,} different values.")


def _csv_batches(file: Path, columns: list[str]) -> Iterator[tuple[float, pa.RecordBatch]]:
    size = file.stat().st_size
    lines = csv.ParseOptions(newlines_in_values=True)
    names = csv.open_csv(file, csv.ReadOptions(block_size=BLOCK_BYTES), lines).schema.names
    for column in columns:
        _check_column(column, names)
    with file.open("rb") as raw:
        reader = csv.open_csv(
            raw,
            read_options=csv.ReadOptions(block_size=BLOCK_BYTES),
            parse_options=lines,
            convert_options=csv.ConvertOptions(
                include_columns=columns, column_types=dict.fromkeys(columns, pa.string()), strings_can_be_null=False
            ),
        )
        for batch in reader:
            yield min(1.0, raw.tell() / size), batch


def _parquet_batches(file: Path, columns: list[str]) -> Iterator[tuple[float, pa.RecordBatch]]:
    source: Any = parquet.ParquetFile(file, page_checksum_verification=True)
    for column in columns:
        _check_column(column, source.schema_arrow.names)
        kind = source.schema_arrow.field(column).type
        if pa.types.is_nested(kind):
            raise InputError.expected(f"The column {shown(column)}", "of plain values", str(kind))
    rows = 0
    for batch in source.iter_batches(columns=columns):
        rows += batch.num_rows
        yield rows / max(1, source.metadata.num_rows), batch


def _check_column(column: str, names: list[str]) -> None:
    if names.count(column) == 1:
        return
    if column in names:
        raise InputError(f"There are {names.count(column)} columns called {shown(column)}.")
    near = difflib.get_close_matches(column, names, n=1, cutoff=0.5)
    listed = ", ".join(shown(name) for name in names[:10]) + (", …" if len(names) > 10 else "")
    hint = f"did you mean {shown(near[0])}?" if near else f"there are {listed}."
    raise InputError(f"There is no column called {shown(column)}: {hint}")
