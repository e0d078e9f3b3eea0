"""Reports that no client can have sent are refused with the reason, each alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from qifldp.collection.reports import Reports
from qifldp.engines import csv_reports
from qifldp.engines.local import count_reports
from qifldp.engines.report_schema import NO_REPORT
from qifldp.protocols.protocol import Protocol
from unit.engines.samples import (
    binary,
    build,
    draw,
    header_of,
    outcome,
    raw_arrow,
    raw_csv,
    raw_parquet,
    write,
)

BITS = build("oue", 5)
SET = build("ss:omega=2", 1000)
ONE = build("grr", 300)
FEW = build("ss:omega=4", 11)
HASH = build("lh:g=3", 9)

SEED = bytes(range(16))


@pytest.mark.parametrize(
    ("protocol", "report", "reason"),
    [
        (BITS, b"\x20", "bits beyond the domain are set"),
        (BITS, b"\x80", "bits beyond the domain are set"),
        (BITS, b"\xff", "bits beyond the domain are set"),
        (BITS, b"", "0 bytes instead of 1"),
        (BITS, b"\0\0", "2 bytes instead of 1"),
        (BITS, b"\0" * 1000, "1000 bytes instead of 1"),
        (BITS, None, "no report in the row"),
        (FEW, b"\x01\x08", "bits beyond the domain are set"),
        (FEW, b"\x00\x00", "another number of values than every report supports"),
        (FEW, b"\x01\x00", "another number of values than every report supports"),
        (FEW, b"\x1f\x00", "another number of values than every report supports"),
        (SET, bytes.fromhex("01000100"), "values not in increasing order"),
        (SET, bytes.fromhex("02000100"), "values not in increasing order"),
        (SET, bytes.fromhex("0100e803"), "a value outside the domain"),
        (SET, bytes.fromhex("0100ffff"), "a value outside the domain"),
        (SET, bytes.fromhex("ffff0100"), "a value outside the domain"),
        (SET, bytes.fromhex("0100"), "2 bytes instead of 4"),
        (SET, bytes.fromhex("010002000300"), "6 bytes instead of 4"),
        (ONE, bytes.fromhex("2c01"), "a value outside the domain"),
        (ONE, bytes.fromhex("2c"), "1 bytes instead of 2"),
        (HASH, SEED + b"\x03", "a bucket that does not exist"),
        (HASH, SEED + b"\xff", "a bucket that does not exist"),
        (HASH, SEED, "16 bytes instead of 17"),
        (HASH, SEED + b"\0\0", "18 bytes instead of 17"),
        (HASH, None, "no report in the row"),
    ],
)
def test_reports_that_nobody_can_have_sent(
    tmp_path: Path, protocol: Protocol, report: bytes | None, reason: str
) -> None:
    good = [row.tobytes() for row in draw(protocol, 5).rows]
    column, metadata = binary(*good[:3], report, *good[3:], report), header_of(protocol)
    expected = {"counted": 5, reason: 2}
    assert outcome(raw_parquet(tmp_path / "r.parquet", {"report": column}, metadata)) == expected
    assert outcome(raw_parquet(tmp_path / "p.parquet", {"report": column}, metadata, use_dictionary=False)) == expected
    assert outcome(raw_arrow(tmp_path / "r.arrow", {"report": column}, metadata)) == expected
    large = {"report": column.cast(pa.large_binary())}
    assert outcome(raw_arrow(tmp_path / "l.arrow", large, metadata)) == expected
    assert outcome(raw_parquet(tmp_path / "l.parquet", large, metadata)) == expected
    lines = "\n".join(f"x,{'' if item is None else item.hex()}" for item in column.to_pylist())
    missing = {"counted": 5, "no report in the row" if not report else reason: 2}  # CSV has no empty text
    assert outcome(raw_csv(tmp_path / "r.csv", protocol, f"more,report\n{lines}\n")) == missing


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (pa.array(["00", "01"]), "string instead of bytes"),
        (pa.array([0, 1]), "int64 instead of bytes"),
        (pa.array([0.5, float("nan")]), "double instead of bytes"),
        (pa.array([[0], [1]]), "list<element: int64> instead of bytes"),
        (pa.array([b"\0\0", b"\1\1"], pa.binary(2)), "2 bytes instead of 1"),
    ],
)
def test_columns_of_other_types(tmp_path: Path, column: pa.Array, reason: str) -> None:
    path = raw_parquet(tmp_path / "r.parquet", {"report": column}, header_of(BITS))
    assert outcome(path) == {"counted": 0, reason: 2}
    reason = reason.replace("element", "item")  # Parquet has its own name for what is in a list
    assert outcome(raw_arrow(tmp_path / "r.arrow", {"report": column}, header_of(BITS))) == {"counted": 0, reason: 2}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("report\n0g\n01\n", {"counted": 1, csv_reports.NOT_HEXADECIMAL: 1}),
        ("report\n 1\n01\n", {"counted": 1, csv_reports.NOT_HEXADECIMAL: 1}),
        ("report\n0x\n-1\n+1\n", {"counted": 0, csv_reports.NOT_HEXADECIMAL: 3}),
        ("report\n0\n000\n01\n", {"counted": 1, csv_reports.ODD: 2}),
        ("report\n0001\n01\n", {"counted": 1, "2 bytes instead of 1": 1}),
        ("report\n01,02\n01\n", {"counted": 1, "another number of cells": 1}),
        ("report,id\n01,a\n01\n01,b,c\n01,d\n", {"counted": 2, "another number of cells": 2}),
        ("report,id\n01,a\n01,\n01,a\n", {"counted": 1, "no id in the row": 1, "an id seen before": 1}),
        ("report\n0A\n0a\n1F\n", {"counted": 3}),
        ("report\n01\n\n\n02", {"counted": 2, NO_REPORT: 2}),
        ("report\n\n", {"counted": 0, NO_REPORT: 1}),
        ("report\r\n01\r\n\r\n", {"counted": 1, NO_REPORT: 1}),
        ("report\n  \n", {"counted": 0, csv_reports.NOT_HEXADECIMAL: 1}),
        ("report\n01\n  \n", {"counted": 1, csv_reports.NOT_HEXADECIMAL: 1}),
        ("report,more\n01,x\n\n", {"counted": 1, NO_REPORT: 1}),
        ("report,id\n\n01,a\n\n", {"counted": 1, "no id in the row": 2}),
        ('report\n"\n\n', {"counted": 0, csv_reports.QUOTED: 1, NO_REPORT: 1}),
        ("report\r\n01\r\n02\r\n", {"counted": 2}),
        ("id,report,more\na,01,x\nb,02,\n", {"counted": 2}),
        (b"report\n01\n\xff\n", {"counted": 1, csv_reports.NOT_TEXT: 1}),
        (b"report\n\xff\xfe\n", {"counted": 0, csv_reports.NOT_TEXT: 1}),
        (b"report,id\n01,\xff\n01,\xfe,\xfd\n02,b\n", {"counted": 1, csv_reports.NOT_TEXT: 2}),
        ("report\n0\0\n01\n", {"counted": 1, csv_reports.NOT_HEXADECIMAL: 1}),
        ('report\n01\n"01\n02\n03\n', {"counted": 3, csv_reports.QUOTED: 1}),
        ('report\n01\n"01"\n02\n03"\n', {"counted": 2, csv_reports.QUOTED: 2}),
        ('report,id\n01,a\n01,"b\nc"\n02,b\n', {"counted": 2, csv_reports.QUOTED: 2}),
        ('report\n"', {"counted": 0, csv_reports.QUOTED: 1}),
        ("report\n01\r02\n03\r\n04\n", {"counted": 2, csv_reports.RETURN: 1}),
        ("report,id\r\n01,a\r\n01,a\r\n01,b\r\n", {"counted": 2, "an id seen before": 1}),
        (
            b'report\n\xff"\n\xff\n0\r1\n01\n',
            {"counted": 1, csv_reports.QUOTED: 1, csv_reports.NOT_TEXT: 1, csv_reports.RETURN: 1},
        ),
    ],
)
def test_lines_of_csv(tmp_path: Path, lines: str | bytes, expected: dict[str, int]) -> None:
    assert outcome(raw_csv(tmp_path / "r.csv", BITS, lines)) == expected


def test_a_quotation_mark_takes_no_other_rows_with_it_across_blocks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_reports, "LONGEST_LINE", 50)
    lines = [f"01,u{place}" for place in range(100)]
    lines[30], lines[71] = '01,"u30', '"01,u71'
    path = raw_csv(tmp_path / "r.csv", BITS, "report,id\n" + "\n".join(lines))
    assert outcome(path) == {"counted": 98, csv_reports.QUOTED: 2}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_byte_order_mark_before_a_csv_file_is_no_part_of_it(tmp_path: Path, end: str) -> None:
    path = raw_csv(tmp_path / "r.csv", BITS, "report\n01\n02\n")
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", end.encode()))
    assert outcome(path) == {"counted": 2}


@pytest.mark.parametrize("block", [9, 12, 20, 50, 8 << 20])
def test_a_byte_order_mark_within_a_csv_file_is_a_character_wherever_it_stands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(csv_reports, "LONGEST_LINE", block)
    for others in range(3):
        rows = "".join(f"bob{place},03\n" for place in range(others))
        path = raw_csv(tmp_path / "r.csv", BITS, f"id,report\n{rows}\ufeffann,01\nann,02\n")
        assert outcome(path) == {"counted": others + 2}
        rows = "03\n" * others
        path = raw_csv(tmp_path / "r.csv", BITS, f"report\n{rows}\ufeff01\n")
        assert outcome(path) == {"counted": others, csv_reports.ODD: 1}


@pytest.mark.parametrize("before", ["", "01\n", "01\n" * 5000])
@pytest.mark.parametrize("after", ["", "\n", "\n02\n"])
def test_lines_of_csv_have_the_same_limit_wherever_they_stand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str
) -> None:
    most = 1 << 20
    monkeypatch.setattr(csv_reports, "LONGEST_LINE", most)
    counted = before.count("\n") + after.count("2")
    path = raw_csv(tmp_path / "r.csv", BITS, f"report\n{before}{'0' * most}{after}")
    assert outcome(path) == {"counted": counted, f"{most // 2} bytes instead of 1": 1}
    for length in (most + 1, most * 3 // 2, 2 * most):
        path = raw_csv(tmp_path / "r.csv", BITS, f"report\n{before}{'0' * length}{after}")
        assert str(outcome(path)).startswith("'r.csv' has a line of more than 1 MiB.")


def test_names_of_columns_that_are_too_long_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_reports, "LONGEST_LINE", 1 << 20)
    name = "x" * ((1 << 20) - len("report,"))
    assert outcome(raw_csv(tmp_path / "r.csv", BITS, f"report,{name}\n01,\n")) == {"counted": 1}
    sentence = "'r.csv' has a line of more than 1 MiB."
    assert outcome(raw_csv(tmp_path / "r.csv", BITS, f"report,{name}x\n01,\n")) == sentence


def test_csv_whose_first_lines_do_not_end(tmp_path: Path) -> None:
    sentence = "'r.csv' has a carriage return in its first lines: end lines with newlines."
    path = raw_csv(tmp_path / "r.csv", BITS, "report\r01\r02\r")
    assert outcome(path) == sentence
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r"))
    assert outcome(path) == sentence
    assert outcome(raw_csv(tmp_path / "r.csv", BITS, "repo\rrt\n01\n")) == sentence


def test_missing_reports_of_fixed_size(tmp_path: Path) -> None:
    column = pa.array([b"\1", None, b"\2", None, b"\3"], pa.binary(1))
    expected = {"counted": 3, "no report in the row": 2}
    assert outcome(raw_parquet(tmp_path / "r.parquet", {"report": column}, header_of(BITS))) == expected
    assert outcome(raw_arrow(tmp_path / "r.arrow", {"report": column}, header_of(BITS))) == expected


def test_ids_within_a_piece_and_across_pieces_and_files(tmp_path: Path) -> None:
    reports = draw(BITS, 6)
    write(tmp_path / "a.parquet", reports, ids=["p", "q", "p", "r", "q", "s"], rows=2)
    write(tmp_path / "b.csv", reports, ids=["t", "s", "u", "t", "v", "p"], rows=3)
    write(tmp_path / "c.arrow", reports, ids=["w", "x", "y", "z", "", "w"], rows=6)
    first = {"a": [0, 1, 3, 5], "b": [0, 2, 4], "c": [0, 1, 2, 3, 4]}
    rows = np.concatenate([reports.rows[places] for places in first.values()])
    counted = count_reports(tmp_path, threads=2).accumulator
    assert counted.counts.tolist() == Reports(BITS, rows).supports.sum(axis=0).tolist()
    assert counted.refused == {"an id seen before": 6}


def test_ids_of_numbers_texts_and_bytes_are_compared_as_text(tmp_path: Path) -> None:
    for name, ids in {
        "a": pa.array([1, 2], pa.int32()),
        "b": pa.array(["2", "3"]),
        "c": pa.array([b"3", b"4"]),
        "d": pa.array(["4", None], pa.large_string()),
        "e": pa.array([5, 1], pa.uint64()),
    }.items():
        raw_parquet(tmp_path / f"{name}.parquet", {"report": binary(b"\0", b"\1"), "id": ids}, header_of(BITS))
    assert outcome(tmp_path) == {"counted": 5, "an id seen before": 4, "no id in the row": 1}


@pytest.mark.parametrize(
    ("ending", "form"),
    [
        (".parquet", "plain"),
        (".parquet", "large"),
        (".parquet", "dictionary"),
        (".arrow", "plain"),
        (".arrow", "large"),
    ],
)
def test_an_id_of_a_column_of_text_that_is_not_utf8_is_none(tmp_path: Path, ending: str, form: str) -> None:
    """As a line of CSV is refused alone; ids of a column of bytes may be any."""
    names = [b"a\xff", b"b", b"a\xff", None, b"\xed\xa0\x80", "é".encode(), b"b"]
    ids = pa.array(names, pa.large_binary() if form == "large" else pa.binary())
    text = ids.view(pa.large_string() if form == "large" else pa.string())
    if form == "dictionary":
        entries = pa.array([b"a\xff", b"b", b"\xed\xa0\x80", "é".encode()], pa.binary()).view(pa.string())
        text = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None, 2, 3, 1], pa.int32()), entries)
    raw = raw_parquet if ending == ".parquet" else raw_arrow
    reports = binary(*[b"\0"] * len(names))
    path = raw(tmp_path / f"text{ending}", {"report": reports, "id": text}, header_of(BITS))
    assert outcome(path) == {"counted": 2, "no id in the row": 4, "an id seen before": 1}
    path = raw(tmp_path / f"bytes{ending}", {"report": reports, "id": ids}, header_of(BITS))
    assert outcome(path) == {"counted": 4, "no id in the row": 1, "an id seen before": 2}


def test_the_first_row_with_an_id_is_the_one_that_is_counted_or_refused(tmp_path: Path) -> None:
    path = raw_csv(tmp_path / "r.csv", BITS, "report,id\nff,a\n01,a\n01,b\n")
    assert outcome(path) == {"counted": 1, "bits beyond the domain are set": 1, "an id seen before": 1}


@pytest.mark.parametrize(("first", "second"), [(["p"], None), (None, ["p"])])
def test_ids_in_all_files_or_none(tmp_path: Path, first: list[str] | None, second: list[str] | None) -> None:
    write(tmp_path / "a.parquet", draw(BITS, 1), ids=first)
    write(tmp_path / "b.parquet", draw(BITS, 1), ids=second)
    sentence = "Of 'a.parquet' and 'b.parquet' only one has ids: give them to all files."
    assert outcome(tmp_path) == f"{sentence} 1 report was counted before."
