"""Tables of pairs, which may come from strangers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qifldp.audit.tables import read_samples
from qifldp.collection.reports import Reports
from qifldp.engines.report_schema import METADATA_KEY, ReportHeader
from qifldp.errors import InputError
from qifldp.protocols.unary_encoding import OUE


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def csv(folder: Path, text: str) -> Path:
    file = folder / "pairs.csv"
    file.write_text(text, encoding="utf-8")
    return file


def table(folder: Path, columns: dict[str, object], schema: pa.Schema | None = None) -> Path:
    file = folder / "pairs.parquet"
    parquet.write_table(pa.table(columns, schema=schema), file)
    return file


def test_csv(folder: Path) -> None:
    found = read_samples(csv(folder, "value,report\n0,1 2\n1,2 1\n"), 2)
    assert (found.places.tolist(), list(found.reports), found.rounds) == ([0, 1], ["1 2", "2 1"], 1)
    assert list(read_samples(csv(folder, 'value,report\n0,"[1, 2]"\n'), 2, form="json").reports) == [[1, 2]]


@pytest.mark.parametrize(
    "reports",
    [[1, 2], ["a", "b"], [b"\x00", b"\xff"], [1.5, 2.5], [True, False], [[1, 2], [2]], [["x"], []]],
    ids=str,
)
def test_parquet_keeps_types(folder: Path, reports: list[object]) -> None:
    found = read_samples(table(folder, {"value": ["a", "b"], "report": reports}), ["a", "b"])
    assert (found.places.tolist(), list(found.reports)) == ([0, 1], reports)
    assert [type(report) for report in found.reports] == [type(report) for report in reports]


def test_our_own_reports_beside_their_values(folder: Path) -> None:
    protocol = OUE(5, 1)
    rows = protocol.perturb([0, 4], rng=np.random.default_rng(1)).rows
    header = ReportHeader(protocol)
    schema = pa.schema([("value", pa.int64()), ("report", pa.binary(1))], metadata=header.schema().metadata)
    assert METADATA_KEY in schema.metadata
    found = read_samples(table(folder, {"value": [0, 4], "report": [row.tobytes() for row in rows]}, schema), 5)
    assert isinstance(found.reports, Reports)
    assert found.reports.rows.tolist() == rows.tolist()
    assert found.reports.protocol == protocol


def test_rounds_are_told_by_users(folder: Path) -> None:
    text = "user,value,report\nann,0,a\nbob,1,b\nann,0,c\nbob,1,d\neve,1,e\n"
    found = read_samples(csv(folder, text), 2, rounds=2)
    assert (found.places.tolist(), list(found.reports), found.rounds) == ([0, 1], ["a", "c", "b", "d"], 2)
    assert list(read_samples(csv(folder, text), 2).reports) == ["a", "b", "e"]


REFUSED = [
    ("value,report\n7,a\n", {}, "The samples have the value '7', which is not in the domain."),
    ("value,report\n0,a\n", {"rounds": 2}, "Rounds are told by users: the table needs a column user."),
    ("user,value,report\nann,0,a\n", {"rounds": 2}, "No user of the table has 2 reports."),
    ("user,value,report\nann,0,a\nann,1,a\n", {"rounds": 2}, "The user 'ann' has more than one value."),
    ("value,report\n", {}, "The table 'pairs.csv' has no rows."),
    ("user,value,report\nann,0,a\n,0,a\n", {}, "Row 2 has no user."),
    ("value,reports\n0,a\n", {}, "There is no column called 'report': did you mean 'reports'?"),
    (f"value,report\n0,{'x' * 70000}\n", {}, "Row 1 has a report of more than 65,536 characters."),
    ("value,report\n0,0g\n", {"form": "hex"}, "Row 1 has a report that is not pairs of hexadecimal digits: '0g'."),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "sentence"), REFUSED)
def test_what_is_wrong_is_said(folder: Path, text: str, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        read_samples(csv(folder, text), 2, **options)  # type: ignore[arg-type]
    assert str(refused.value) == sentence


PARQUET = [
    ({"value": [0, 1], "report": [1, 1], "user": [None, None]}, "Row 1 has no user."),
    ({"value": pa.array([], pa.int64()), "report": pa.array([], pa.int64())}, "The table 'pairs.parquet' has no rows."),
    ({"value": [0], "reports": [1]},
     "The table 'pairs.parquet' must have one column report: it has 'value', 'reports'."),
    ({"value": [0, None], "report": [1, 2]}, "Row 2 has no value."),
    ({"value": [0, 1], "report": [1, None]}, "Row 2 has no report."),
    ({"value": [0], "report": [{"a": 1}]},
     "The column report must be of numbers, texts, bytes or lists of these, got 'struct<a: int64>'."),
    ({"value": [0], "report": ["x" * 70000]}, "The table has a text of more than 65,536 bytes."),
]  # fmt: skip


@pytest.mark.parametrize(("columns", "sentence"), PARQUET)
def test_what_is_wrong_with_parquet_is_said(folder: Path, columns: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        read_samples(table(folder, columns), 2)
    assert str(refused.value) == sentence


def test_a_small_file_cannot_stand_for_a_large_one(folder: Path) -> None:
    """A dictionary of one long text, met a million times, is looked at before it is written out."""
    long = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), pa.array(["x" * 70_000]))
    file = folder / "bomb.parquet"
    parquet.write_table(pa.table({"value": [0] * 100_000, "report": long}), file, compression="zstd")
    assert file.stat().st_size < 10_000_000
    with pytest.raises(InputError, match=r"^The table has a text of more than 65,536 bytes\.$"):
        read_samples(file, 2)


def test_what_is_no_parquet(folder: Path) -> None:
    file = folder / "pairs.parquet"
    file.write_bytes(b"PAR1 nothing")
    with pytest.raises(InputError, match=r"^The file '.* cannot be read: 'Parquet magic bytes not found.*'\.$"):
        read_samples(file, 2)
