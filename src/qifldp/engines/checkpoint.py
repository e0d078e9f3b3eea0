"""Where counting stands: written now and then, so that a run that was killed goes on with nothing counted twice."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.errors import InputError, shown
from qifldp.storage import exists, no_key_twice, read_text, write_atomically

SCHEMA_VERSION = 1
KIND = "counting-checkpoint"


@dataclass(frozen=True, eq=False)
class Begun:
    """Counts of the first rows of a file: of use only as long as the file stays as it is.

    Attributes:
        rows: How many rows.
        counts: The counts.
    """

    rows: int
    counts: Accumulator


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Counts of whole files, and apart from them of the file that was begun.

    Attributes:
        inputs: Name, size and time of change of each file; whole files must be as they were.
        weights: What the counts are made for.
        files: Number of whole files.
        counts: Their counts.
        begun: What is counted of the next file, if something is.
    """

    inputs: list[list[object]]
    weights: Weights
    files: int
    counts: Accumulator
    begun: Begun | None = None

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
            "counts": self.counts.to_json(),
            "begun": self.begun and {"rows": self.begun.rows, "counts": self.begun.counts.to_json()},
        }
        text = json.dumps(document)

        def write(file: Path) -> None:
            file.write_text(text, encoding="utf-8")

        write_atomically(path, write)

    @classmethod
    def load(cls, path: str | Path, files: Sequence[Path], empty: Accumulator, weights: Weights) -> Checkpoint:
        """Return the checkpoint of a file, or one at the beginning if there is no such file.

        What is counted of a file that was begun is left out if that file has changed; without whole files that is all
        there is, and nothing else in the checkpoint has to hold.

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
            return cls(inputs, weights, 0, empty)
        document = _read(path)
        again = "remove it to count from the beginning"
        if document["weights"] != weights:
            raise InputError(f"The checkpoint {shown(str(path))} is of other --weights: {again}.")
        then, done = document["inputs"], document["files"]
        if not _is_number(done, 0) or not isinstance(then, list):
            raise InputError(f"{shown(str(path))} is not a checkpoint: {again}.")
        if then[:done] != inputs[:done] or len(inputs) < done:  # the other files may have changed
            changed = _first_difference(then, inputs)
            raise InputError(f"The checkpoint {shown(str(path))} is of other reports, see {changed}: {again}.")
        part = _check_begun(path, document["begun"])
        same = done < len(inputs) and then[done : done + 1] == [inputs[done]]
        counts = _counts(path, document["counts"], empty) if done else empty
        begun = Begun(part[0], _counts(path, part[1], empty)) if part is not None and same else None
        return cls(inputs, weights, done, counts, begun)


def _check_begun(path: str | Path, document: object) -> tuple[int, object] | None:
    """Return the rows of a begun file, and the document of their counts, if there are any."""
    if document is None:
        return None
    if not isinstance(document, dict) or set(document) != {"rows", "counts"} or not _is_number(document["rows"], 1):
        raise InputError(f"{shown(str(path))} is not a checkpoint: remove it to count from the beginning.")
    return document["rows"], document["counts"]


def _counts(path: str | Path, document: object, empty: Accumulator) -> Accumulator:
    try:
        counts = Accumulator.from_json(document, empty.protocol)
    except InputError as error:
        raise InputError(
            f"{shown(str(path))} is not a checkpoint of these reports: {error} Remove it to count from the beginning."
        ) from None
    if counts.classes.starts != empty.classes.starts:
        raise InputError(
            f"The checkpoint {shown(str(path))} is of other classes of size: remove it to count from the beginning."
        )
    return counts


def _is_number(value: object, least: int) -> TypeGuard[int]:
    return type(value) is int and value >= least


def describe(files: Sequence[Path]) -> list[list[object]]:
    """Return name, size and time of change of files."""
    return [[file.name, file.stat().st_size, file.stat().st_mtime_ns] for file in files]


def _read(path: str | Path) -> dict[str, object]:
    try:
        document = json.loads(read_text(path), object_pairs_hook=no_key_twice)
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        document = None
    keys = {"schema_version", "kind", "inputs", "weights", "files", "counts", "begun"}
    if not isinstance(document, dict) or set(document) != keys or document["kind"] != KIND:
        raise InputError(f"{shown(str(path))} exists and is not a checkpoint: name another file to keep the counts in.")
    if type(document["schema_version"]) is not int or document["schema_version"] != SCHEMA_VERSION:
        raise InputError.expected("schema_version of the checkpoint", str(SCHEMA_VERSION), document["schema_version"])
    return document


def _first_difference(then: list[object], now: list[list[object]]) -> str:
    for before, after in zip(then, now, strict=False):
        if before != after:
            return shown(after[0])
    return f"the number of files, {len(now):,}"
