"""Channel and gain files that are malformed, or made to do harm: exit 2, one sentence, nothing on stdout."""

from __future__ import annotations

import pickle
import zipfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.terminal import Terminal

ENTRY = "an entry of the channel file must be a finite number such as 0.75 or 3/4, got "
CELL = "an entry of a channel matrix must be a finite number such as 0.75 or 3/4, got "
PROBABILITY = "Each entry of a channel matrix must be a probability, but "
JSON_SHAPE = 'A JSON channel must be a table, or have "kind": "channel" and a "matrix".'
JSON_ROWS = "The matrix of a JSON channel must be a list of rows of numbers."
NPY_SHAPE = "A channel in an .npy file must be a two-dimensional array of numbers."


def write(name: str, content: str | bytes) -> None:
    """Write a file of text or bytes."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (
            "0.5,0.5\n0.1,0.8\n",
            (
                "Each row of a channel matrix must sum to one, but row 1 sums to 0.9 "
                "(if that is rounding, write fractions, or more digits)."
            ),
        ),
        ("0.5,0.5\n1.5,-0.5\n", f"{PROBABILITY}row 1, column 1 is -0.5."),
        ("0.5,0.5\nnan,0.5\n", f"{ENTRY}'nan'."),
        ("0.5,0.5\n0.5,inf\n", f"{ENTRY}'inf'."),
        ("nan,0.5\n0.5,0.5\n0.5,0.5\n", f"{ENTRY}'nan'."),
        ("1/0,0.5\n0.5,0.5\n0.5,0.5\n", f"{ENTRY}'1/0'."),
        ("0.5x,0.5\n0.5,0.5\n0.5,0.5\n", f"{ENTRY}'0.5x'."),
        ("0.5,0.5\n0.1,[red]x[/red]\n", f"{ENTRY}'[red]x[/red]'."),
        ("0.5,0.5\n0.1,\x1b[31m\n", ENTRY + r"'\x1b[31m'."),
        ("0.5;0.5\n0.1;0.9\n", f"{ENTRY}'0.1;0.9'."),
        ("0.5,0.5\n1\n", "Each row of a channel matrix must have the same number of entries."),
        ("\n", "The channel file has no rows."),
        ("a,b\n", "The channel file has no rows of numbers."),
        ("input\nx\ny\n", "The channel file has no rows of numbers."),
        ("0.5,0.5\n", "domain size must be from 2 to 10,000,000, got 1."),
        ("input,a,a\nx,1,0\ny,0,1\n", "The labels of the columns must differ from one another."),
        ("input,a,b\nx,1,0\nx,0,1\n", "The labels of the rows must differ from one another."),
        ("input,a\nx,1,0\ny,0,1\n", "There must be one label for each column (2), got 1."),
        (b"\xff,0.5\n0.1,0.9\n", "The file 'c.csv' is not UTF-8 text."),
        (bytes(range(256)) * 10, "The file 'c.csv' is not UTF-8 text."),
    ],
)
def test_csv(terminal: Terminal, content: str | bytes, sentence: str) -> None:
    write("c.csv", content)
    terminal.refuses(sentence, "leakage", "file:c.csv")


def test_numbers_beyond_the_doubles(terminal: Terminal) -> None:
    write("c.csv", "1.0,0\n0.5,1e400\n")
    terminal.refuses_with("", "leakage", "file:c.csv")
    write("c.json", "[[" + "9" * 400 + ",0.5],[0.5,0.5]]")
    terminal.refuses_with("", "leakage", "file:c.json")


def test_csv_with_a_huge_field(terminal: Terminal) -> None:
    write("c.csv", '"' + "z" * 200_000 + '",0.5\n0.1,0.9\n')
    terminal.refuses_with("The channel file is not CSV: ", "leakage", "file:c.csv")


def test_rows_that_sum_to_zero_cannot_be_normalised(terminal: Terminal) -> None:
    write("c.csv", "0.5,0.5\n0,0\n")
    terminal.refuses("Row 1 of the channel matrix sums to zero.", "leakage", "file:c.csv", "--normalize")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("[[NaN,1],[0.5,0.5]]", "The channel file is not JSON: NaN is not a number of JSON."),
        ("[[-Infinity,1],[0.5,0.5]]", "The channel file is not JSON: -Infinity is not a number of JSON."),
        ("3", JSON_SHAPE),
        ("null", JSON_SHAPE),
        ('{"kind":"gain","matrix":[[1]]}', JSON_SHAPE),
        ('{"kind":"channel"}', JSON_SHAPE),
        ("[]", JSON_ROWS),
        ("[[]]", JSON_ROWS),
        ("[1,2]", JSON_ROWS),
        ('{"kind":"channel","matrix":{"a":1}}', JSON_ROWS),
        ("[[1],[[2]]]", f"{CELL}[2]."),
        ('[["x","1/2"],["1/3","2/3"]]', f"{CELL}'x'."),
        (
            '[["1/2",0.5],[0.5,0.5]]',
            "A channel matrix must hold numbers, or exact text such as '1/3' throughout, got '1/2'.",
        ),
        ("[[true,false],[1,0]]", f"{CELL}True."),
        ("[[true,false],[0.5,0.5]]", "A channel matrix must hold numbers only, got True."),
        ("[[null,1],[0.5,0.5]]", "A channel matrix must hold numbers only, got None."),
        ("[[1e999,1],[0.5,0.5]]", f"{PROBABILITY}row 0, column 0 is inf."),
        ("[[0.5,0.5],[1]]", "Each row of a channel matrix must have the same number of entries."),
        (
            '{"kind":"channel","matrix":[[1,0],[0,1]],"inputs":["x"]}',
            "There must be one label for each row (2), got 1.",
        ),
        (
            '{"kind":"channel","matrix":[[1,0],[0,1]],"inputs":"xy"}',
            "inputs of the channel must be a list of labels, got 'xy'.",
        ),
        (
            '{"kind":"channel","schema_version":2,"matrix":[[1,0],[0,1]]}',
            "schema_version of the channel must be 1, got 2.",
        ),
        (b"\xff\xfe[[1]]", "The file 'c.json' is not UTF-8 text."),
    ],
)
def test_json(terminal: Terminal, content: str | bytes, sentence: str) -> None:
    write("c.json", content)
    terminal.refuses(sentence, "leakage", "file:c.json")


@pytest.mark.parametrize(
    "content",
    ["{", "[[1,0],", "[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000, "[[" + "9" * 5000 + "]]"],
    ids=["cut short", "cut later", "deep lists", "deep objects", "huge number"],
)
def test_json_that_cannot_be_read(terminal: Terminal, content: str) -> None:
    write("c.json", content)
    terminal.refuses_with("The channel file is not JSON: ", "leakage", "file:c.json")


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.array([[0.5, np.nan], [0, 1]]), f"{PROBABILITY}row 0, column 1 is nan."),
        (np.array([[1.5, -0.5], [0, 1]]), f"{PROBABILITY}row 0, column 1 is -0.5."),
        (np.array([1.0, 2.0]), NPY_SHAPE),
        (np.array(0.5), NPY_SHAPE),
        (np.array([["a", "b"]]), NPY_SHAPE),
        (np.array([[1 + 1j]]), NPY_SHAPE),
        (np.array([(1, 2)], dtype=[("a", "f8"), ("b", "f8")]), NPY_SHAPE),
        (np.zeros((0, 3)), "A channel matrix must have rows and columns, got the shape (0, 3)."),
    ],
)
def test_npy(terminal: Terminal, array: np.ndarray, sentence: str) -> None:
    np.save("c.npy", array)
    terminal.refuses(sentence, "leakage", "file:c.npy")


def npy(header: str, content: bytes = b"\0" * 80) -> bytes:
    """Return a version 1 .npy file with any header."""
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + content


def lying(shape: str, descr: str = "'<f8'") -> bytes:
    """Return an .npy file whose header claims a shape and a type that its 80 bytes do not have."""
    return npy(f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}")


HOSTILE_ARRAYS = {
    "more cells than bytes": lying("(1000000, 1000000)"),
    "a little longer than the file": lying("(11, 1)"),
    "negative shape": lying("(-2, 2)"),
    "shape beyond 64 bits": lying("(99999999999999999999, 2)"),
    "a shape of truth values": lying("(True, 2)"),
    "objects": lying("(2, 2)", "'|O'"),
    "no such type": lying("(2, 2)", "'zz'"),
    "no shape": npy("{'descr': '<f8', 'fortran_order': False, }"),
    "code for a header": npy("__import__('os').system('touch ran')"),
    "open brackets for a header": npy("(" * 5000),
    "only the magic": b"\x93NUMPY",
    "text": b"garbage" * 10,
    "a pickle": pickle.dumps([[1.0]]),
    "half a zip": b"PK\x03\x04garbage" * 10,
}


@pytest.mark.parametrize("content", HOSTILE_ARRAYS.values(), ids=HOSTILE_ARRAYS)
def test_npy_that_lies(terminal: Terminal, content: bytes) -> None:
    write("c.npy", content)
    terminal.refuses_with("The channel file is not a plain .npy array", "leakage", "file:c.npy")
    assert not Path("ran").exists()


def test_npy_of_objects_and_zip_of_arrays(terminal: Terminal) -> None:
    np.save("c.npy", np.array([[{}, 1]], dtype=object), allow_pickle=True)
    terminal.refuses_with("The channel file is not a plain .npy array", "leakage", "file:c.npy")
    with zipfile.ZipFile("z.npy", "w") as archive:
        archive.writestr("a", "b")
    terminal.refuses_with("", "leakage", "file:z.npy")


@pytest.mark.parametrize("content", [pickle.dumps([[1.0]]), b"garbage" * 10])
def test_nobody_is_told_to_load_a_stranger_s_pickle(terminal: Terminal, content: bytes) -> None:
    write("c.npy", content)
    assert "allow_pickle" not in terminal("leakage", "file:c.npy").err


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"a": [0.5, None], "b": [0.5, 0.5]}, "A channel matrix must hold numbers only, got None."),
        ({"a": [0.5, float("nan")], "b": [0.5, 0.5]}, f"{PROBABILITY}row 1, column 0 is nan."),
        ({"a": [[1], [2]]}, f"{CELL}[1]."),
        ({"a": [True, True]}, f"{CELL}True."),
        ({"input": ["x", "x"], "a": [1, 1]}, "The labels of the rows must differ from one another."),
        ({"input": ["x", "y"]}, "The channel file has no rows."),
        ({"a": pa.array([], pa.float64())}, "The channel file has no rows."),
    ],
)
def test_parquet(terminal: Terminal, columns: dict[str, object], sentence: str) -> None:
    parquet.write_table(pa.table(columns), "c.parquet")
    terminal.refuses(sentence, "leakage", "file:c.parquet")


def test_parquet_that_cannot_be_read(terminal: Terminal) -> None:
    twins = pa.Table.from_arrays([pa.array([0.5, 0.1]), pa.array([0.5, 0.9])], names=["a", "a"])
    parquet.write_table(twins, "c.parquet")
    terminal.refuses_with("The ", "leakage", "file:c.parquet")
    write("c.parquet", b"PAR1" + b"\xff" * 200 + b"PAR1")
    terminal.refuses_with("The channel file is not Parquet: ", "leakage", "file:c.parquet")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("file:", "A channel file must be named .csv, .json, .npy, .parquet, got ''."),
        ("file:c.txt", "A channel file must be named .csv, .json, .npy, .parquet, got 'c.txt'."),
        ("file:nope.csv", "There is no file 'nope.csv'."),
        ("file:folder.npy", "'folder.npy' is not a file."),
        ("file:empty.parquet", "The file 'empty.parquet' is empty."),
    ],
)
def test_names(terminal: Terminal, spec: str, sentence: str) -> None:
    Path("folder.npy").mkdir()
    Path("empty.parquet").touch()
    terminal.refuses(sentence, "leakage", spec)


def test_channels_of_another_size_or_with_a_budget(terminal: Terminal) -> None:
    write("c.csv", "1,0\n0,1\n")
    terminal.refuses(
        "The channel file:c.csv has 2 rows, but the domain has 3 values.",
        *("compare", "--domain-size", "3", "--epsilon", "1", "--protocols", "file:c.csv"),
    )
    terminal.refuses("A channel matrix has no budget: leave --epsilon out.", "leakage", "file:c.csv", "--epsilon", "1")
