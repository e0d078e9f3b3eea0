"""Files of reports: a file, or a folder of files, in any of three formats."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pyarrow as pa

from qifldp.engines import arrow_reports, csv_reports, parquet_reports
from qifldp.engines.arrow_reports import ArrowReports
from qifldp.engines.csv_reports import CsvReports
from qifldp.engines.parquet_reports import ParquetReports
from qifldp.engines.pieces import ReportFile
from qifldp.errors import InputError, shown
from qifldp.storage import check_readable, reason, write_atomically

READERS: dict[str, Callable[[Path], ReportFile]] = {
    ".parquet": ParquetReports,
    ".arrow": ArrowReports,
    ".feather": ArrowReports,
    ".csv": CsvReports,
}

WRITERS: dict[str, Callable[[Path, pa.Schema, Iterable[pa.RecordBatch]], None]] = {
    ".parquet": parquet_reports.write,
    ".arrow": arrow_reports.write,
    ".feather": arrow_reports.write,
    ".csv": csv_reports.write,
}

ENDINGS = "named .parquet, .arrow, .feather or .csv"


def list_files(source: str | Path) -> list[Path]:
    """Return the files of a source: the file itself, or those of a folder in the order of their names.

    Files of a folder whose names begin with a dot or an underscore, or end otherwise, are none of reports.

    Raises:
        InputError: If there is nothing to read.
    """
    folder = Path(source)
    try:
        files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else None
    except (OSError, ValueError) as error:
        raise InputError(f"The folder {shown(str(source))} cannot be read: {reason(error)}.") from None
    if files is None:
        return [check_readable(source)]
    found = [file for file in files if file.suffix.lower() in READERS and file.name[0] not in "._"]
    if not found:
        raise InputError(f"The folder {shown(str(source))} has no files {ENDINGS}.")
    return found


def open_reports(path: Path) -> ReportFile:
    """Open one file of reports, and read its header.

    Raises:
        InputError: If it is not a file of reports.
    """
    check_ending(path)
    return READERS[path.suffix.lower()](check_readable(path))


def write_reports(path: str | Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write reports to a file, whole or not at all, and return its size in bytes.

    Args:
        path: Where; its ending says the format.
        schema: From :meth:`~qifldp.engines.report_schema.ReportHeader.schema`.
        batches: From :func:`~qifldp.engines.report_schema.to_batch`.

    Raises:
        InputError: If the name has another ending, or the file cannot be written.
    """
    check_ending(path)
    writer = WRITERS[Path(path).suffix.lower()]
    write_atomically(path, lambda file: writer(file, schema, batches))
    return Path(path).stat().st_size


def check_ending(path: str | Path) -> None:
    """Raise InputError if a name does not say a format of report files."""
    if Path(path).suffix.lower() not in READERS:
        raise InputError.expected("A file of reports", ENDINGS, str(path))
