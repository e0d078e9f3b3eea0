"""Samples from a table of pairs, which may come from a stranger: values, and the reports on them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import compute, parquet

from qifldp.audit.samples import Domain, Samples
from qifldp.audit.text_reports import LONGEST, Form, read_report
from qifldp.collection.reports import Reports
from qifldp.data.columns import read_columns
from qifldp.engines.pieces import MOST_BYTES
from qifldp.engines.report_schema import METADATA_KEY, ReportHeader
from qifldp.errors import InputError, shown
from qifldp.storage import check_readable

VALUE, REPORT, USER = "value", "report", "user"

MOST_ROWS = 10**7

ROWS_AT_ONCE = 1 << 14


def read_samples(
    path: str | Path, domain: int | Sequence[object] | Domain, *, form: Form = "text", rounds: int = 1
) -> Samples:
    """Return the samples of a CSV or Parquet file with columns ``value`` and ``report``.

    With a column ``user`` the first reports of every user, ``rounds`` of them, are one; users with fewer are left out.
    A Parquet file may hold numbers, texts, bytes or lists of these, or reports in this package's own format beside
    their values.

    Args:
        path: The file.
        domain: The number of values (which are then 0 to k − 1), or their list.
        form: How reports that are text are read.
        rounds: Reports of each user.

    Raises:
        InputError: If the file is not what it has to be, has too many rows, or a value that is not in the domain.
    """
    listed = domain if isinstance(domain, Domain) else Domain.read(domain)
    file = check_readable(path)
    if file.suffix.lower() == ".parquet":
        values, reports, users = _read_parquet(file, form)
    else:
        values, reports, users = _read_csv(file, form)
    if not values:
        raise InputError(f"The table {shown(file.name)} has no rows.")
    if users is not None and not all(users):
        raise InputError(f"Row {[bool(user) for user in users].index(False) + 1:,} has no user.")
    places = listed.places(values)
    if rounds == 1 and users is None:
        return Samples(listed, places, reports, 1, file.name)
    if users is None:
        raise InputError("Rounds are told by users: the table needs a column user.")
    return _by_user(listed, places, reports, users, rounds, file.name)


Read = tuple[list[str], "Reports | list[object]", list[str] | None]


def _read_csv(file: Path, form: Form) -> Read:
    columns = [VALUE, REPORT] + ([USER] if _has_user(file) else [])
    values: list[str] = []
    reports: list[object] = []
    users: list[str] = []
    for _, (some, texts, *ids) in read_columns(file, columns):
        values += some.to_pylist()
        for text in texts.to_pylist():
            reports.append(read_report(text, form, f"Row {len(reports) + 1:,}"))
        for column in ids:
            users += column.to_pylist()
        _check_rows(len(values))
    _check_values(values)
    return values, reports, users if len(columns) > 2 else None  # the two that there must be


def _has_user(file: Path) -> bool:
    if file.suffix.lower() != ".csv":
        return False
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        return USER in [name.strip().strip('"') for name in lines.readline(LONGEST).split(",")]


def _read_parquet(file: Path, form: Form) -> Read:
    try:
        with parquet.ParquetFile(file) as opened:
            schema, about = opened.schema_arrow, opened.metadata
        for name in (VALUE, REPORT):
            if schema.names.count(name) != 1:
                raise InputError(
                    f"The table {shown(file.name)} must have one column {name}: it has {_listed(schema.names)}."
                )
        _check_rows(about.num_rows)
        names = [VALUE, REPORT] + ([USER] if USER in schema.names else [])
        for group in range(about.num_row_groups):
            row_group = about.row_group(group)
            for place in range(row_group.num_columns):
                chunk = row_group.column(place)
                if max(chunk.total_uncompressed_size, chunk.num_values) > MOST_BYTES:
                    raise InputError(
                        f"Row group {group + 1} of {shown(file.name)} has a column of more than "
                        f"{MOST_BYTES >> 20} MiB: write it in smaller row groups."
                    )
        texts = [name for name in names if _is_text(schema.field(name).type)]
        source: Any = parquet.ParquetFile(file, page_checksum_verification=True, read_dictionary=texts)
        batches = list(source.iter_batches(ROWS_AT_ONCE, columns=names, use_threads=False))
        return _of_batches(
            batches, names, ReportHeader.of_schema(schema, file.name) if _is_ours(schema) else None, form
        )
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"The file {shown(str(file))} cannot be read: {shown(str(error), 160)}.") from None


def _of_batches(batches: list[pa.RecordBatch], names: list[str], header: ReportHeader | None, form: Form) -> Read:
    values: list[str] = []
    reports: list[object] = []
    users: list[str] = []
    for batch in batches:
        some = _plain(batch.column(VALUE)).cast(pa.string()).to_pylist()
        values += some
        found = _plain(batch.column(REPORT))
        if found.null_count:
            raise InputError(f"Row {len(reports) + found.is_null().index(True).as_py() + 1:,} has no report.")
        if pa.types.is_nested(found.type) and not _is_flat_list(found.type):
            raise InputError.expected(
                "The column report", "of numbers, texts, bytes or lists of these", str(found.type)
            )
        for report in found.to_pylist():
            where = f"Row {len(reports) + 1:,}"
            reports.append(read_report(report, form, where) if isinstance(report, str) else report)
        if USER in names:
            users += _plain(batch.column(USER)).cast(pa.string()).to_pylist()
    _check_values(values)
    if header is None:
        return values, reports, users if USER in names else None
    width = header.protocol.mechanism.width
    if not all(isinstance(report, bytes) and len(report) == width for report in reports):
        raise InputError(f"Reports of {header.protocol.spec} must have {width} bytes each.")
    rows = np.frombuffer(b"".join(reports), np.uint8).reshape(-1, width)  # type: ignore[arg-type]
    return values, Reports(header.protocol, rows), users if USER in names else None


def _plain(column: pa.Array) -> pa.Array:
    """Return a column without its dictionary, none of whose texts is longer than a report may be."""
    if not pa.types.is_dictionary(column.type):
        return column
    longest = compute.max(compute.binary_length(column.dictionary)).as_py() or 0
    if longest > LONGEST:
        raise InputError(f"The table has a text of more than {LONGEST:,} bytes.")
    return column.dictionary_decode()


def _is_text(kind: pa.DataType) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(test(kind) for test in tests)


def _is_flat_list(kind: pa.DataType) -> bool:
    lists = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list)
    return any(test(kind) for test in lists) and not pa.types.is_nested(kind.value_type)


def _is_ours(schema: pa.Schema) -> bool:
    return METADATA_KEY in (schema.metadata or {})


def _listed(names: Sequence[str]) -> str:
    return ", ".join(shown(name) for name in names[:10]) or "none"


def _check_rows(rows: int) -> None:
    if rows > MOST_ROWS:
        raise InputError(f"A table of samples must have at most {MOST_ROWS:,} rows.")


def _check_values(values: Sequence[str | None]) -> None:
    if None in values:
        raise InputError(f"Row {list(values).index(None) + 1:,} has no value.")


def _by_user(
    domain: Domain,
    places: NDArray[np.int64],
    reports: Reports | list[object],
    users: list[str],
    rounds: int,
    name: str,
) -> Samples:
    rows_of: dict[str, list[int]] = {}
    for row, user in enumerate(users):
        rows_of.setdefault(user, []).append(row)
    kept = [rows for rows in rows_of.values() if len(rows) >= rounds]
    if not kept:
        raise InputError(f"No user of the table has {rounds} reports.")
    for rows in kept:
        if len({int(places[row]) for row in rows}) > 1:
            raise InputError(f"The user {shown(users[rows[0]])} has more than one value.")
    chosen = [row for rows in kept for row in rows[:rounds]]
    firsts = places[[rows[0] for rows in kept]]
    if isinstance(reports, Reports):
        return Samples(domain, firsts, Reports(reports.protocol, reports.rows[chosen]), rounds, name)
    return Samples(domain, firsts, [reports[row] for row in chosen], rounds, name)
