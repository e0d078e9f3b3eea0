"""Tables of numbers in CSV, JSON, NPY and Parquet: what is read, and what is exact."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qifldp import matrix_files
from qifldp.errors import InputError
from qifldp.matrix_files import LabelledMatrix, read_matrix


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("0.5,1\n0.25,0\n", LabelledMatrix([[0.5, 1.0], [0.25, 0.0]])),
        ("1/3,2/3\n1,0\n", LabelledMatrix([[Fraction(1, 3), Fraction(2, 3)], [1, 0]])),
        ("1/3,0.5\n1,0\n", LabelledMatrix([[1 / 3, 0.5], [1.0, 0.0]])),
        ("1e-3,5E2\n", LabelledMatrix([[0.001, 500.0]])),
        (" 0.5 , 1\r\n\r\n0.25,0\r\n", LabelledMatrix([[0.5, 1.0], [0.25, 0.0]])),
        ("\ufeff0.5,1\n", LabelledMatrix([[0.5, 1.0]])),
        ("y1,y2\n1,0\n", LabelledMatrix([[1, 0]], None, ["y1", "y2"])),
        ("input,y1,y2\nx,1,0\n", LabelledMatrix([[1, 0]], ["x"], ["y1", "y2"])),
        (",y1,y2\nx,1,0\n", LabelledMatrix([[1, 0]], ["x"], ["y1", "y2"])),
        ('Input,"a,b","c ""d"""\n"x\ny",1,0\n', LabelledMatrix([[1, 0]], ["x\ny"], ["a,b", 'c "d"'])),
    ],
)
def test_csv(content: str, expected: LabelledMatrix) -> None:
    Path("m.csv").write_text(content, encoding="utf-8", newline="")
    found = read_matrix("m.csv", "gain")
    assert found == expected
    assert type(found.entries[0][0]) is (Fraction if isinstance(expected.entries[0][0], Fraction | int) else float)


def test_csv_decimals_are_exact_on_request() -> None:
    Path("m.csv").write_text("0.1,1e-1\n")
    assert read_matrix("m.csv", "gain", exact=True).entries == [[Fraction(1, 10), Fraction(1, 10)]]
    assert read_matrix("m.csv", "gain").entries == [[0.1, 0.1]]


def test_json() -> None:
    Path("m.json").write_text('{"schema_version": 1, "kind": "gain", "matrix": [[1, "1/3", 0.5]], "outputs": ["a"]}')
    assert read_matrix("m.json", "gain") == LabelledMatrix([[1, "1/3", 0.5]], None, ["a"])
    Path("m.json").write_text("[[1, 2]]")
    assert read_matrix("m.json", "gain") == LabelledMatrix([[1, 2]])


@pytest.mark.parametrize("kind", ["<f8", ">f8", "<f4", "<f2", "<i4", "|u1", "|b1"])
def test_npy_of_any_number_type(kind: str) -> None:
    np.save("m.npy", np.asfortranarray(np.array([[0, 1], [1, 1]], dtype=kind)))
    found = read_matrix("m.npy", "gain").entries
    assert found.dtype == np.float64
    assert found.tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_parquet() -> None:
    parquet.write_table(pa.table({"a": [1.5, 0.0], "input": ["x", "y"], "b": ["1/3", "2"]}), "m.parquet")
    assert read_matrix("m.parquet", "gain") == LabelledMatrix([[1.5, "1/3"], [0.0, "2"]], ["x", "y"], ["a", "b"])


def test_tables_that_are_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_files, "LARGEST_MATRIX", 5)
    table = np.ones((2, 3))
    Path("m.csv").write_text("1,1,1\n1,1,1\n")
    Path("m.json").write_text("[[1,1,1],[1,1,1]]")
    np.save("m.npy", table)
    parquet.write_table(pa.table({"a": [1, 1], "b": [1, 1], "c": [1, 1]}), "m.parquet")
    for name in ("m.csv", "m.json", "m.npy", "m.parquet"):
        with pytest.raises(InputError) as caught:
            read_matrix(name, "gain")
        assert str(caught.value).startswith("A gain file must have at most 5 cells")


def test_arrays_larger_than_memory_are_refused_by_their_header() -> None:
    with Path("m.npy").open("wb") as file:
        header = {"descr": "<f8", "fortran_order": False, "shape": (1 << 20, 1 << 10)}
        np.lib.format.write_array_header_1_0(file, header)
        file.truncate((1 << 33) + 1024)  # sparse: takes no room on disk
    with pytest.raises(InputError) as caught:
        read_matrix("m.npy", "gain")
    assert str(caught.value) == "A gain file must have at most 67,108,864 cells, got 1,073,741,824."


def test_other_endings() -> None:
    with pytest.raises(InputError) as caught:
        read_matrix("m.txt", "gain")
    assert str(caught.value) == "A gain file must be named .csv, .json, .npy, .parquet, got 'm.txt'."
