"""Packed reports in Arrow: what a file of reports says about itself, and how a batch of them is counted."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute
from numpy.typing import NDArray

from qifldp.collection.accumulator import Accumulator
from qifldp.collection.reports import FORMAT_VERSION, Reports, fingerprint
from qifldp.errors import InputError, shown
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import protocol_from_json
from qifldp.storage import no_key_twice

METADATA_KEY = b"qifldp"
"""Where the schema of a file of reports holds its header, as JSON."""

LARGEST_HEADER = 1 << 28
"""Characters of a header: the labels of ten million values have about as many."""

NO_REPORT = "no report in the row"
ANOTHER_PROTOCOL = "another protocol, or other parameters"


@dataclass(frozen=True)
class ReportHeader:
    """What a file of reports says about itself.

    Attributes:
        protocol: The protocol, with all its parameters.
        values: The labels of the domain, in order; None for the places 0..k − 1.
        simulated: Whether the reports were drawn from a seed, not from the operating system's entropy.
    """

    protocol: Protocol
    values: tuple[str, ...] | None = None
    simulated: bool = False

    def __post_init__(self) -> None:
        if self.values is not None and len(self.values) != self.protocol.domain_size:
            raise InputError(f"A protocol of {self.protocol.domain_size} values has {len(self.values)} labels.")

    def to_json(self) -> dict[str, object]:
        """Return the header as JSON, with the fingerprint of the protocol."""
        return {
            "format": FORMAT_VERSION,
            "protocol": self.protocol.to_json(),
            "fingerprint": fingerprint(self.protocol),
            "values": None if self.values is None else list(self.values),
            "simulated": self.simulated,
        }

    @classmethod
    def from_json(cls, document: object) -> ReportHeader:
        """Return the header that :meth:`to_json` wrote.

        Raises:
            InputError: If it is none, or if its fingerprint is not that of its protocol (written by a client of
                another version, or altered).
        """
        keys = {"format", "protocol", "fingerprint", "values", "simulated"}
        if not isinstance(document, dict) or set(document) != keys:
            raise InputError(f"The header of a file of reports must have exactly: {', '.join(sorted(keys))}.")
        if type(document["format"]) is not int or document["format"] != FORMAT_VERSION:
            raise InputError.expected("format of the reports", str(FORMAT_VERSION), document["format"])
        values, simulated = document["values"], document["simulated"]
        if not isinstance(simulated, bool):
            raise InputError.expected("simulated in the header of the reports", "true or false", simulated)
        labelled = isinstance(values, list) and all(isinstance(value, str) for value in values)
        if values is not None and (not labelled or len(set(values)) != len(values)):
            raise InputError("The values in the header of the reports must be different texts.")
        header = cls(protocol_from_json(document["protocol"]), None if values is None else tuple(values), simulated)
        if document["fingerprint"] != fingerprint(header.protocol):
            raise InputError("The fingerprint in the header of the reports is not that of their protocol.")
        return header

    @classmethod
    def of_schema(cls, schema: pa.Schema, name: str) -> ReportHeader:
        """Return the header of an Arrow schema.

        Args:
            schema: Of a file.
            name: The file's name, for the error.

        Raises:
            InputError: If the schema holds no header, or a wrong one.
        """
        text = (schema.metadata or {}).get(METADATA_KEY)
        if text is None or "report" not in schema.names:
            raise InputError(f"{shown(name)} is not a file of reports: write one with qifldp perturb.")
        return cls.from_text(text, name)

    @classmethod
    def from_text(cls, text: bytes | str, name: str) -> ReportHeader:
        """Return the header that is written as JSON text in a file of that name."""
        if len(text) > LARGEST_HEADER:
            raise InputError(f"The header of {shown(name)} is too long.")
        try:
            document = json.loads(text, object_pairs_hook=no_key_twice)
        except (ValueError, RecursionError):
            raise InputError(f"The header of {shown(name)} is not JSON, or has a key twice.") from None
        try:
            return cls.from_json(document)
        except InputError as error:
            raise InputError(f"The header of {shown(name)} is wrong: {error}") from None

    def schema(self, *, ids: bool = False) -> pa.Schema:
        """Return the Arrow schema of files of these reports, with a column of ids if wanted."""
        fields = [pa.field("report", pa.binary(self.protocol.mechanism.width))]
        fields += [pa.field("id", pa.string())] if ids else []
        return pa.schema(fields, metadata={METADATA_KEY: json.dumps(self.to_json(), ensure_ascii=False)})


def to_batch(reports: Reports, schema: pa.Schema, ids: list[str] | None = None) -> pa.RecordBatch:
    """Return reports as a record batch of a schema."""
    data = pa.py_buffer(np.ascontiguousarray(reports.rows))
    column = pa.FixedSizeBinaryArray.from_buffers(schema.field("report").type, len(reports), [None, data])
    return pa.record_batch([column] + ([] if ids is None else [pa.array(ids)]), schema=schema)


def count_column(column: pa.Array, accumulator: Accumulator) -> None:
    """Count a column of reports; what cannot be one is refused, and counted by its reason.

    Args:
        column: Binary values, of fixed size or not, perhaps with nulls, perhaps as a dictionary.
        accumulator: Added to, in this thread.
    """
    width = accumulator.protocol.mechanism.width
    if pa.types.is_fixed_size_binary(column.type):
        lengths = np.full(len(column), column.type.byte_width)
    elif pa.types.is_dictionary(column.type) and _is_bytes(column.type.value_type):
        lengths = _lengths(pa.compute.binary_length(column.dictionary).take(column.indices))
    elif _is_bytes(column.type):
        lengths = _lengths(pa.compute.binary_length(column))
    else:
        accumulator.refuse(f"{column.type} instead of bytes", len(column))
        return
    present = column.is_valid().to_numpy(zero_copy_only=False)
    accumulator.refuse(NO_REPORT, int(np.count_nonzero(~present)))
    for length, times in zip(*np.unique(lengths[present & (lengths != width)], return_counts=True), strict=True):
        accumulator.refuse(f"{length} bytes instead of {width}", int(times))
    fitting = present & (lengths == width)
    if not fitting.all():
        column = column.filter(pa.array(fitting))
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if len(column):
        accumulator.count_part(binary_rows(column, width))


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind))


def _lengths(column: pa.Array) -> NDArray[np.int64]:
    return column.fill_null(0).to_numpy(zero_copy_only=False)


def binary_rows(column: pa.Array, width: int) -> NDArray[np.uint8]:
    """Return values that all have one width as rows of bytes, without copying them."""
    if pa.types.is_fixed_size_binary(column.type):
        start, data = column.offset * width, column.buffers()[1]
    else:
        offsets = column.buffers()[1]
        kind = np.int64 if pa.types.is_large_binary(column.type) else np.int32
        start, data = int(np.frombuffer(offsets, kind)[column.offset]), column.buffers()[2]
    return np.frombuffer(data, np.uint8, len(column) * width, start).reshape(len(column), width)
