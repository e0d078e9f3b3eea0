"""Where counting stands: written now and then, so that a run that was killed goes on with nothing counted twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.errors import InputError, shown
from qifldp.storage import exists, read_text, write_atomically

SCHEMA_VERSION = 1
KIND = "counting-checkpoint"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Counts of all rows before a place in the input.

    Attributes:
        inputs: Name, size and time of change of each file; those that were begun must be as they were.
        weights: What the counts are made for.
        files: Number of files that are done.
        rows: Rows that are done of the next file.
        counts: The counts.
    """

    inputs: list[list[object]]
    weights: Weights
    files: int
    rows: int
    counts: Accumulator

    def save(self, path: str | Path) -> None:
        """Write the checkpoint, whole or not at all.

        Raises:
            InputError: If the file cannot be written.
        """
        document = {
            "schema_version": SCHEMA_VERSION,
            "kind": KIND,
            "inputs": self.inputs,
            "weights": self.weights,
            "files": self.files,
            "rows": self.rows,
            "counts": self.counts.to_json(),
        }
        text = json.dumps(document)

        def write(file: Path) -> None:
            file.write_text(text, encoding="utf-8")

        write_atomically(path, write)

    @classmethod
    def load(cls, path: str | Path, files: Sequence[Path], empty: Accumulator, weights: Weights) -> Checkpoint:
        """Return the checkpoint of a file, or one at the beginning if there is no such file.

        Args:
            path: The file.
            files: The files that are counted.
            empty: Counts that have seen nothing, of the protocol and classes that are expected.
            weights: What the counts are made for.

        Raises:
            InputError: If it is no checkpoint, or one of other files or weights.
        """
        inputs = describe(files)
        if not exists(path):
            return cls(inputs, weights, 0, 0, empty)
        document = _read(path)
        again = "remove it to count from the beginning"
        if document["weights"] != weights:
            raise InputError(f"The checkpoint {shown(str(path))} is of other --weights: {again}.")
        then, done, rows = document["inputs"], document["files"], document["rows"]
        if type(done) is not int or type(rows) is not int or min(done, rows) < 0 or not isinstance(then, list):
            raise InputError(f"{shown(str(path))} is not a checkpoint: {again}.")
        read = done + (rows > 0)  # files that were not begun may have changed
        if then[:read] != inputs[:read] or len(inputs) < read:
            changed = _first_difference(then, inputs)
            raise InputError(f"The checkpoint {shown(str(path))} is of other reports, see {changed}: {again}.")
        try:
            counts = Accumulator.from_json(document["counts"], empty.protocol)
        except InputError as error:
            raise InputError(f"{shown(str(path))} is not a checkpoint of these reports: {error}") from None
        if counts.classes.starts != empty.classes.starts:
            raise InputError(f"The checkpoint {shown(str(path))} is of other classes of size: {again}.")
        return cls(inputs, weights, done, rows, counts)


def describe(files: Sequence[Path]) -> list[list[object]]:
    """Return name, size and time of change of files."""
    return [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]


def _read(path: str | Path) -> dict[str, object]:
    try:
        document = json.loads(read_text(path))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        document = None
    keys = {"schema_version", "kind", "inputs", "weights", "files", "rows", "counts"}
    if not isinstance(document, dict) or set(document) != keys or document["kind"] != KIND:
        raise InputError(f"{shown(str(path))} exists and is not a checkpoint: name another file to keep the counts in.")
    if document["schema_version"] != SCHEMA_VERSION:
        raise InputError.expected("schema_version of the checkpoint", str(SCHEMA_VERSION), document["schema_version"])
    return document


def _first_difference(then: list[object], now: list[list[object]]) -> str:
    for before, after in zip(then, now, strict=False):
        if before != after:
            return shown(after[0])
    return f"the number of files, {len(now):,}"
