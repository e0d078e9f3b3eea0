"""Files to download: no cell is a formula, no name leaves its folder."""

from __future__ import annotations

import csv
import io

import pytest

from qifldp.app.answers import Asked, Files, comparison_of, names_of
from qifldp.app.exports import cell, comparison_csv, name_of, to_csv
from qifldp.app.uploads import matrix_from


@pytest.mark.parametrize("start", ["=1+1", "+1", "-1+cmd|' /C calc'!A0", "@SUM(A1)", "\t=1", "\r=1", " =1", "|x", "%x"])
def test_text_is_never_a_formula(start: str) -> None:
    shown = cell(start)
    assert not shown.lstrip().startswith(("=", "+", "-", "@", "|", "%"))
    assert shown.isprintable()


def test_numbers_stay_numbers() -> None:
    assert [cell(value) for value in (-0.5, 3, None, "grr:epsilon=1")] == ["-0.5", "3", "", "grr:epsilon=1"]


def test_a_table_reads_back() -> None:
    text = to_csv(["name", "=head"], [['a,"b"\nc', 0.1], ["=x", -2]])
    assert list(csv.reader(io.StringIO(text))) == [["name", "'=head"], ['a,"b" c', "0.1"], ["'=x", "-2"]]


def test_a_hostile_file_name_is_no_formula_in_the_table() -> None:
    files = Files(None, matrix_from(b"0.5,0.5\n0.25,0.75\n", "=cmd|calc.csv"))
    question = Asked(2, "1", 100, ("grr",), files="m")
    rows = list(csv.reader(io.StringIO(comparison_csv(comparison_of(question, files), names_of(question, files)))))
    assert rows[0][:4] == ["name", "protocol", "spec", "epsilon"]
    assert [row[0] for row in rows[1:]] == ["GRR", "'=cmd|calc.csv"]


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("GRR", "THE (2)"), "grr-the-2.json"),
        (("../../etc/passwd",), "etc-passwd.json"),
        (("", "<b>"), "b.json"),
        (("é\u202e",), "qifldp.json"),
        (("x" * 400,), f"{'x' * 60}.json"),
    ],
)
def test_names_of_files(parts: tuple[str, ...], name: str) -> None:
    assert name_of(*parts, ending="json") == name
