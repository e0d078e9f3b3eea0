"""Channel matrices in files: CSV, JSON, NPY and Parquet, told apart by the ending; rows are inputs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from qifldp.channels.channel import Channel
from qifldp.errors import InputError
from qifldp.matrix_files import INPUT_COLUMN, SCHEMA_VERSION, check_suffix, read_matrix
from qifldp.storage import write_atomically


def read_channel(path: str | Path, *, exact: bool = False, normalize: bool = False) -> Channel:
    """Read a channel matrix; rows are inputs, the formats are those of :func:`qifldp.matrix_files.read_matrix`.

    Args:
        path: The file.
        exact: Read decimals as the exact rationals that they state (CSV only).
        normalize: Divide every row by its sum.

    Raises:
        InputError: If the file is missing, of another kind, malformed, or not a channel.
    """
    table = read_matrix(path, "channel", exact=exact)
    return Channel(table.entries, inputs=table.rows, outputs=table.columns, normalize=normalize)


def write_channel(channel: Channel, path: str | Path) -> None:
    """Write a channel matrix atomically, in the format of the path's ending (see :func:`read_channel`).

    Everything but ``.npy``, which has no labels and no rationals, reads back as the same channel.

    Raises:
        InputError: If the ending is not known, or an exact channel is to be written as ``.npy``.
    """
    writers: dict[str, Callable[[Path], None]] = {
        ".csv": lambda file: file.write_text(_to_csv(channel), encoding="utf-8"),  # type: ignore[dict-item]
        ".json": lambda file: file.write_text(json.dumps(to_json(channel)), encoding="utf-8"),  # type: ignore[dict-item]
        ".npy": lambda file: _to_npy(channel, file),
        ".parquet": lambda file: parquet.write_table(_to_table(channel), file),
    }
    suffix = check_suffix(path, "channel")
    if suffix == ".npy" and channel.is_exact:
        raise InputError("An .npy file cannot hold exact rationals: write .csv, .json or .parquet.")
    if suffix == ".parquet" and INPUT_COLUMN in channel.outputs:
        raise InputError(f"In Parquet the column {INPUT_COLUMN} holds row labels: no output can be called that.")
    write_atomically(path, writers[suffix])


def to_json(channel: Channel) -> dict[str, object]:
    """Return a channel as JSON; rationals are text, floats are numbers."""
    return {
        "schema_version": SCHEMA_VERSION,
        "kind": "channel",
        "inputs": list(channel.inputs),
        "outputs": list(channel.outputs),
        "matrix": [[_plain(entry) for entry in row] for row in channel.matrix.tolist()],
    }


def _to_csv(channel: Channel) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([INPUT_COLUMN, *channel.outputs])
    for label, row in zip(channel.inputs, channel.matrix.tolist(), strict=True):
        writer.writerow([label, *map(_plain, row)])
    return text.getvalue()


def _to_npy(channel: Channel, file: Path) -> None:
    with file.open("wb") as handle:
        np.save(handle, channel.matrix, allow_pickle=False)


def _to_table(channel: Channel) -> pa.Table:
    columns = {INPUT_COLUMN: pa.array(channel.inputs)}
    for label, column in zip(channel.outputs, channel.matrix.T, strict=True):
        columns[label] = pa.array([_plain(entry) for entry in column.tolist()])
    return pa.table(columns)


def _plain(entry: object) -> object:
    return str(entry) if isinstance(entry, Fraction) else entry
