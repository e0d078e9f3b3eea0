"""Files of reports: a file, or a folder of files, in any of three formats."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
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

MOST_NAMED = 3
"""Folders that a note names at most."""


@dataclass(frozen=True)
class Source:
    """What there is to read.

    Attributes:
        files: The files, in the order in which they are read.
        notes: What in a folder is not read, though somebody might think so.
    """

    files: list[Path]
    notes: list[str]


def list_files(source: str | Path) -> list[Path]:
    """Return the files of a source; see :func:`look_into`."""
    return look_into(source).files


def look_into(source: str | Path) -> Source:
    """Return the files of a source: the file itself, or those of a folder in the order of their names.

    Files of a folder whose names begin with a dot or an underscore, or end otherwise, are none of reports. Folders in
    it are not read, and a file of several names is read once; both are noted.

    Raises:
        InputError: If there is nothing to read, or a file cannot be.
    """
    folder = Path(source)
    try:
        entries = sorted(folder.iterdir(), key=lambda entry: entry.name) if folder.is_dir() else None
    except (OSError, ValueError) as error:
        raise InputError(f"The folder {shown(str(source))} cannot be read: {reason(error)}.") from None
    if entries is None:
        return Source([check_readable(source)], [])
    entries = [entry for entry in entries if entry.name[0] not in "._"]
    named = [entry for entry in entries if entry.suffix.lower() in READERS]
    inside = [shown(entry.name) for entry in entries if entry not in named and entry.is_dir()]
    if not named:
        but = f", and the folders in it are not read: {_listed(inside)}" if inside else ""
        raise InputError(f"The folder {shown(str(source))} has no files {ENDINGS}{but}.")
    notes = [f"Folders in {shown(str(source))} are not read: {_listed(inside)}."] if inside else []
    first: dict[tuple[int, int], Path] = {}
    for file in named:
        about = _status(file)
        same = first.setdefault((about.st_dev, about.st_ino), file)
        if same != file:
            notes.append(f"{shown(file.name)} and {shown(same.name)} are one file, which is counted once.")
    return Source(list(first.values()), notes)


def _status(file: Path) -> os.stat_result:
    try:
        return file.stat()
    except OSError as error:
        what = "link" if file.is_symlink() else "file"
        raise InputError(f"The {what} {shown(str(file))} cannot be read: {reason(error)}.") from None


def _listed(names: list[str]) -> str:
    return ", ".join(names[:MOST_NAMED]) + (f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else "")


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
