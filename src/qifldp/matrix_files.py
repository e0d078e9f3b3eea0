"""Matrices of numbers in files: CSV, JSON, NPY and Parquet, told apart by the ending."""

from __future__ import annotations

import csv
import io
import json
import math
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from qifldp.errors import InputError, shown
from qifldp.exact.budget import nearest_double, parse_rational
from qifldp.storage import check_readable, no_key_twice, read_text

SCHEMA_VERSION = 1
INPUT_COLUMN = "input"
"""Name of the column of row labels, in CSV and Parquet."""

SUFFIXES = (".csv", ".json", ".npy", ".parquet")

LARGEST_MATRIX = 1 << 26
"""Cells of a matrix that is read (512 MiB of doubles)."""


@dataclass(frozen=True)
class LabelledMatrix:
    """A table of numbers, perhaps with labels; entries are floats, or exact numbers and text throughout."""

    entries: Any
    rows: list[str] | None = None
    columns: list[str] | None = None


def read_matrix(path: str | Path, kind: str, *, exact: bool = False) -> LabelledMatrix:
    """Read a table of numbers; what the numbers mean is for the caller to check.

    - ``.csv``: entries separated by commas. A first row that begins with ``input`` or an empty cell holds the
      column labels, and the first column then the row labels; a first row of other words holds column
      labels only. If no entry has a decimal point, as in ``1/3``, entries are exact.
    - ``.json``: ``{"kind": kind, "matrix": [[…]], "inputs": […], "outputs": […]}`` (labels optional), or the
      bare table. Whole numbers and text entries such as ``"1/3"`` are exact.
    - ``.npy``: a two-dimensional array of numbers. ``.parquet``: numbers or text, the column ``input`` being
      the row labels.

    Args:
        path: The file.
        kind: What it holds (``"channel"``, ``"gain"``), for JSON and for errors.
        exact: Read decimals as the exact rationals that they state (CSV only).

    Raises:
        InputError: If the file is missing, of another kind, malformed or too large.
    """
    readers: dict[str, Callable[[Path], LabelledMatrix]] = {
        ".csv": lambda file: _from_csv(read_text(file), kind, exact=exact),
        ".json": lambda file: _from_json(read_text(file), kind),
        ".npy": lambda file: _from_npy(file, kind),
        ".parquet": lambda file: _from_parquet(file, kind),
    }
    suffix = Path(path).suffix.lower()
    check_suffix(path, kind)
    return readers[suffix](check_readable(path))


def matrix_of(data: bytes, suffix: str, kind: str) -> LabelledMatrix:
    """Read a table of numbers from a file's bytes, in memory; the formats are those of :func:`read_matrix`.

    Args:
        data: The whole file.
        suffix: The ending of its name.
        kind: What it holds.

    Raises:
        InputError: If it is malformed or too large.
    """
    if suffix == ".parquet":
        return _from_parquet(pa.BufferReader(data), kind)
    if suffix == ".npy":
        return _from_npy_bytes(data, kind)
    check_suffix(f"matrix{suffix}", kind)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"The {kind} file is not UTF-8 text.") from None
    return _from_csv(text, kind, exact=False) if suffix == ".csv" else _from_json(text, kind)


def float_table(rows: list[list[Any]], what: str) -> NDArray[np.float64]:
    """Return a table of numbers of any kind as doubles.

    Raises:
        InputError: If an entry is not a number, or lies beyond the doubles.
    """
    for entry in (entry for row in rows for entry in row):
        if isinstance(entry, str):
            raise InputError(f"{what} must hold numbers, or exact text such as '1/3' throughout, got {shown(entry)}.")
        if isinstance(entry, bool) or not isinstance(entry, numbers.Real):
            raise InputError(f"{what} must hold numbers only, got {shown(entry)}.")
    try:
        return np.array(rows, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{what} must hold numbers of at most 1e308.") from None


def check_suffix(path: str | Path, kind: str) -> str:
    """Return the ending of a matrix file's name, or raise InputError if it is not one of the four."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError.expected(f"A {kind} file", f"named {', '.join(SUFFIXES)}", str(path))
    return suffix


def _from_csv(text: str, kind: str, *, exact: bool) -> LabelledMatrix:
    try:
        rows = [row for row in csv.reader(io.StringIO(text)) if len(row) > 1 or "".join(row).strip()]
    except csv.Error as error:
        raise InputError(f"The {kind} file is not CSV: {error}.") from None
    if not rows:
        raise InputError(f"The {kind} file has no rows.")
    columns, labels = None, None
    labelled = rows[0][0].strip().lower() in ("", INPUT_COLUMN)
    if labelled or not any(map(_is_number, rows[0])):
        columns = rows[0][1:] if labelled else rows[0]
        rows = rows[1:]
        if labelled:
            labels, rows = [row[0] for row in rows], [row[1:] for row in rows]
    if not rows or not rows[0]:
        raise InputError(f"The {kind} file has no rows of numbers.")
    if sum(map(len, rows)) > LARGEST_MATRIX:
        raise InputError(f"A {kind} file must have at most {LARGEST_MATRIX:,} cells.")
    rational = exact or not any(set(entry.lower()) & set(".e") for row in rows for entry in row)
    exactly = [[parse_rational(entry, f"an entry of the {kind} file") for entry in row] for row in rows]
    entries = exactly if rational else [[nearest_double(number) for number in row] for row in exactly]
    return LabelledMatrix(entries, labels, columns)


def _from_json(text: str, kind: str) -> LabelledMatrix:
    try:
        document = json.loads(text, parse_constant=_no_constant, object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as error:
        raise InputError(f"The {kind} file is not JSON: {error}.") from None
    if isinstance(document, list):
        document = {"kind": kind, "matrix": document}
    if not isinstance(document, dict) or document.get("kind") != kind or "matrix" not in document:
        raise InputError(f'A JSON {kind} must be a table, or have "kind": "{kind}" and a "matrix".')
    version = document.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise InputError.expected(f"schema_version of the {kind}", str(SCHEMA_VERSION), version)
    table = document["matrix"]
    if not isinstance(table, list) or not table or not all(isinstance(row, list) and row for row in table):
        raise InputError(f"The matrix of a JSON {kind} must be a list of rows of numbers.")
    if sum(map(len, table)) > LARGEST_MATRIX:
        raise InputError(f"A {kind} file must have at most {LARGEST_MATRIX:,} cells.")
    for key in ("inputs", "outputs"):
        labels = document.get(key, [])
        if not isinstance(labels, list) or not all(isinstance(label, str | int | float) for label in labels):
            raise InputError.expected(f"{key} of the {kind}", "a list of labels", document[key])
    return LabelledMatrix(table, document.get("inputs"), document.get("outputs"))


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is not a number of JSON")


_BAD_NPY = (ValueError, OSError, EOFError, SyntaxError, TypeError, OverflowError, KeyError, TokenError)
"""What NumPy's reader of .npy headers raises on headers that nobody should have written."""


def _from_npy(file: Path, kind: str) -> LabelledMatrix:
    try:
        array = np.lib.format.open_memmap(file, mode="r")
    except _BAD_NPY:
        raise InputError(f"The {kind} file is not a plain .npy array.") from None
    return _checked_npy(array, kind)


def _from_npy_bytes(data: bytes, kind: str) -> LabelledMatrix:
    file = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(file)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, dtype = header(file)
        if dtype.hasobject or any(size < 0 for size in shape):
            raise ValueError
        array = np.frombuffer(data, dtype, count=math.prod(shape), offset=file.tell())  # no more than there is
    except _BAD_NPY:
        raise InputError(f"The {kind} file is not a plain .npy array.") from None
    return _checked_npy(array.reshape(shape, order="F" if by_columns else "C"), kind)


def _checked_npy(array: NDArray[Any], kind: str) -> LabelledMatrix:
    if array.dtype.kind not in "fiub" or array.ndim != 2:
        raise InputError(f"A {kind} in an .npy file must be a two-dimensional array of numbers.")
    if array.size > LARGEST_MATRIX:
        raise InputError(f"A {kind} file must have at most {LARGEST_MATRIX:,} cells, got {array.size:,}.")
    return LabelledMatrix(array.astype(np.float64))


def _from_parquet(file: Path | pa.BufferReader, kind: str) -> LabelledMatrix:
    try:
        metadata = parquet.read_metadata(file)
        if metadata.num_rows * metadata.num_columns > LARGEST_MATRIX:
            raise InputError(f"A {kind} file must have at most {LARGEST_MATRIX:,} cells.")
        table = parquet.read_table(file, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"The {kind} file is not Parquet: {shown(str(error), 120)}.") from None
    labels = None
    if INPUT_COLUMN in table.column_names:
        labels = table.column(INPUT_COLUMN).to_pylist()
        table = table.drop_columns([INPUT_COLUMN])
    columns = [column.to_pylist() for column in table.columns]
    if not columns or not table.num_rows:
        raise InputError(f"The {kind} file has no rows.")
    rows = [list(row) for row in zip(*columns, strict=True)]
    return LabelledMatrix(rows, labels, list(table.column_names))


def _is_number(cell: str) -> bool:
    try:
        parse_rational(cell.strip(), "cell")
    except InputError:
        return False
    return True
