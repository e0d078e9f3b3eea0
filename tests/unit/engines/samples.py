"""Reports, and files of them: good ones, and ones that are written by hand to be wrong."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import ipc, parquet

from qifldp.collection.accumulator import Accumulator
from qifldp.collection.reports import Reports
from qifldp.engines.local import count_reports
from qifldp.engines.parquet_footer import TAIL, _footer
from qifldp.engines.report_files import write_reports
from qifldp.engines.report_schema import ReportHeader, to_batch
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import parse_spec

ENDINGS = (".parquet", ".arrow", ".feather", ".csv")


def build(spec: str, domain_size: int) -> Protocol:
    return parse_spec(spec).build(domain_size, None if spec.startswith("ue") else Budget.read("1"))


def draw(protocol: Protocol, n: int, seed: int = 0) -> Reports:
    rng = np.random.default_rng(seed)
    return protocol.perturb(rng.integers(0, protocol.domain_size, n), rng=rng)


def write(
    path: Path,
    reports: Reports,
    *,
    ids: Sequence[str] | None = None,
    rows: int = 1000,
    header: ReportHeader | None = None,
) -> Path:
    """Write reports, so many in a piece."""
    assert isinstance(reports.protocol, Protocol)
    schema = (header or ReportHeader(reports.protocol)).schema(ids=ids is not None)
    parts = [slice(start, start + rows) for start in range(0, len(reports), rows)]
    batches = [to_batch(reports[part], schema, None if ids is None else list(ids[part])) for part in parts]
    write_reports(path, schema, batches)
    return path


def by_definition(reports: Reports) -> NDArray[np.int64]:
    """Return the number of reports that support each value, from the supports of each report."""
    return reports.supports.sum(axis=0, dtype=np.int64)


def same(first: Accumulator, second: Accumulator) -> bool:
    return (
        first.table.tolist() == second.table.tolist()
        and first.totals.tolist() == second.totals.tolist()
        and first.refused == second.refused
    )


def header_of(protocol: Protocol, /, **changes: object) -> dict[bytes, bytes]:
    """Return a schema's metadata with a header in which some entries are changed; None takes one out."""
    document = ReportHeader(protocol).to_json() | changes
    return {b"qifldp": json.dumps({key: value for key, value in document.items() if value != "gone"}).encode()}


def raw_parquet(
    path: Path, columns: dict[str, pa.Array], metadata: dict[bytes, bytes] | None, **options: object
) -> Path:
    parquet.write_table(pa.table(columns).replace_schema_metadata(metadata), path, **options)
    return path


def raw_arrow(
    path: Path, columns: dict[str, pa.Array], metadata: dict[bytes, bytes] | None, compression: str | None = None
) -> Path:
    table = pa.table(columns).replace_schema_metadata(metadata)
    with ipc.new_file(str(path), table.schema, options=ipc.IpcWriteOptions(compression=compression)) as writer:
        writer.write_table(table, max_chunksize=max(1, len(table)))
    return path


def with_damaged_index(path: Path, column: str) -> Path:
    """Write a file of two row groups, in the second of which an index of a dictionary points beyond its end."""
    reports, ids = [b"\1", b"\2", b"\4"] * 32, [f"u{place}" for place in range(96)]
    table = pa.table({"report": pa.array(reports, pa.binary()), "id": ids})
    table = table.replace_schema_metadata(header_of(build("oue", 5)))
    options = {"use_dictionary": [column], "compression": "none", "write_statistics": False, "row_group_size": 48}
    parquet.write_table(table, path, **options)
    whole = bytearray(path.read_bytes())
    about = parquet.ParquetFile(path).metadata.row_group(1).column(column == "id")
    end = about.dictionary_page_offset + about.total_compressed_size
    whole[end - 1] = 0xFF  # the last indices of the page, two bits and six bits each
    path.write_bytes(whole)
    return path


def with_footer(path: Path, footer: bytes) -> Path:
    """Give a Parquet file another footer."""
    whole = path.read_bytes()
    old, mark = TAIL.unpack(whole[-TAIL.size :])
    path.write_bytes(whole[: -TAIL.size - old] + footer + TAIL.pack(len(footer), mark))
    return path


def with_rows(path: Path, rows: int, *said: int) -> Path:
    """Let the footer of a file of one column and one row group say other numbers of rows.

    Args:
        path: The file.
        rows: The number that it has.
        said: What it is to say of the file, of the values of the column, and of the row group.
    """
    start, *between, end = _footer(path).split(_whole_number(rows))
    assert len(between) == 2
    parts = zip(map(_whole_number, said), [*between, end], strict=True)
    return with_footer(path, start + b"".join(number + rest for number, rest in parts))


def _whole_number(value: int) -> bytes:
    """Return a field of 64 bits, after the field before it, in Thrift's compact protocol."""
    rest, digits = value << 1 ^ value >> 63, [0x16]
    while rest >= 0x80:
        digits.append(rest & 0x7F | 0x80)
        rest >>= 7
    return bytes([*digits, rest])


def raw_csv(path: Path, protocol: Protocol, lines: str | bytes) -> Path:
    body = lines if isinstance(lines, bytes) else lines.encode()
    path.write_bytes(b"#qifldp " + header_of(protocol)[b"qifldp"] + b"\n" + body)
    return path


def outcome(source: Path) -> dict[str, int] | str:
    """Return how many reports of a source are counted and refused, by reason; or the error."""
    try:
        found = count_reports(source, threads=1).accumulator
    except InputError as error:
        return str(error)
    return {"counted": found.n} | found.refused


def binary(*reports: bytes | None) -> pa.Array:
    """Return a column of bytes."""
    return pa.array(reports, pa.binary())
