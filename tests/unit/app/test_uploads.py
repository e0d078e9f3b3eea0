"""Uploaded files: what is read, and what becomes of files that nobody should have made."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qifldp.app import uploads
from qifldp.errors import InputError

HOSTILE = '<script>window.harmed=1</script>=cmd|" /C calc"!A1'


def parquet_of(columns: dict[str, object], **options: Any) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


def npy_of(array: object) -> bytes:
    sink = io.BytesIO()
    np.save(sink, np.asarray(array), allow_pickle=True)
    return sink.getvalue()


def test_a_column_of_csv() -> None:
    data = b"age,answer\n1,yes\n2,no\n3,yes\n4,\n"
    assert uploads.column_names(data, "survey.csv") == ("age", "answer")
    found = uploads.population_of(data, "survey.csv", "answer")
    assert (found.title, found.values, found.counts) == ("survey.csv, column answer", ("yes", "no"), (2, 1))
    assert found.notes[1] == "1 row without a value was left out."


def test_a_column_of_parquet() -> None:
    data = parquet_of(
        {"a": pa.array([1.5, None, float("nan"), 2.0, 2.0]), "b": ["x", "y", "x", "x", "y"], "c": [[1]] * 5}
    )
    assert uploads.column_names(data, "T.PARQUET") == ("a", "b")
    assert uploads.population_of(data, "T.PARQUET", "a").counts == (2, 1)
    assert uploads.population_of(data, "T.PARQUET", "b").values == ("x", "y")


def test_minus_zero_is_zero() -> None:
    data = parquet_of({"a": [0.0, -0.0, 1.5]})
    assert uploads.population_of(data, "t.parquet", "a").values == ("0", "1.5")


def test_hostile_names_and_values_are_text() -> None:
    data = f'"{HOSTILE.replace(chr(34), chr(34) * 2)}"\n=1+1\n@x\n=1+1\n'.encode()
    (column,) = uploads.column_names(data, "../../etc/<b>.csv")
    assert column == HOSTILE
    found = uploads.population_of(data, "../../etc/<b>.csv", column)
    assert found.title == f"<b>.csv, column {HOSTILE}"
    assert found.values == ("=1+1", "@x")


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("a/b/c.csv", "c.csv"),
        ("C:\\data\\c.csv", "c.csv"),
        ("\x1b[31m\u202e.csv", "\N{REPLACEMENT CHARACTER}[31m\N{REPLACEMENT CHARACTER}.csv"),
        ("x" * 500 + ".csv", "x" * 56 + ".csv"),
        ("..", ".."),
        ("", "file"),
    ],
)
def test_file_names_are_short_and_printable(name: str, kept: str) -> None:
    assert uploads.file_name(name) == kept


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"", "a.csv", "The file is empty."),
        (b"x", "a.exe", "The file must be named .csv, .parquet, got 'a.exe'."),
        (b"x", "a", "The file must be named .csv, .parquet, got 'a'."),
        (b"PAR1" * 9, "a.parquet", "The file is not Parquet that can be read: "),
        (b"\x89PNG\r\n\x1a\n\x00\x00\xff\xfe" * 99, "a.csv", "The file is not CSV that can be read: "),
        (b"a,b\n1\n", "a.csv", "The file is not CSV that can be read: "),
        (b"a\n" + b"x" * (3 << 20), "a.csv", "The file is not CSV that can be read: "),
        (b"\xff\xfe\x00a\n1\n", "a.csv", "The file is not CSV that can be read: "),
        (",".join(f"c{i}" for i in range(1_001)).encode() + b"\n", "a.csv", "A table may have at most 1,000 columns"),
        (b"a,a\n1,2\n", "a.csv", "The table has no column that can be chosen: "),
        (b"n" * 201 + b"\nx\n", "a.csv", "The table has no column that can be chosen: "),
        (b"\x00" * ((20 << 20) + 1), "a.csv", "The file has more than 20 MB; qifldp compare reads larger ones."),
    ],
)
def test_refused_tables(data: bytes, name: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        uploads.column_names(data, name)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"a\n\n\n", "a.csv", "The column has no values."),
        (b"a\nx\nx\n", "a.csv", "a.csv, column a has 1 value: a domain must have at least two."),
        (b"a\n" + b"x" * 201 + b"\ny\n", "a.csv", "A value may have at most 200 letters; the column has one of 201."),
        (b"a\nx\n\xff\xfe\n", "a.csv", "The file is not CSV that can be read: "),
        (
            b"a\n" + b"\n".join(b"%d" % i for i in range(100_001)),
            "a.csv",
            "A column may have at most 100,000 different values here.",
        ),
        (
            parquet_of({"a": pa.array(["x" * 300_000, "y"] * 500).dictionary_encode()}),
            "a.parquet",
            "A value may have at most 200 letters; the column has one of 300,000.",
        ),
    ],
    ids=["empty", "one value", "long value", "not text", "many values", "repeats much"],
)
def test_refused_columns(data: bytes, name: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        uploads.population_of(data, name, "a")
    assert str(caught.value).startswith(sentence)


def test_columns_that_are_not_plain_are_not_offered() -> None:
    tensors = pa.FixedShapeTensorArray.from_numpy_ndarray(np.ones((3, 2)))
    nested = pa.array([{"b": 1}, {"b": 2}, {"b": 2}])
    data = parquet_of({"a": nested, "a.b": ["x", "y", "x"], "secret": tensors})
    assert uploads.column_names(data, "t.parquet") == ("a.b",)
    found = uploads.population_of(data, "t.parquet", "a.b")
    assert (found.values, found.counts) == (("x", "y"), (2, 1))


def test_whatever_a_parser_raises_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it says may be a column's name or a value, which are not to stand in a server's log."""

    def broken(data: bytes, column: str) -> None:
        raise KeyError(column)

    monkeypatch.setattr(uploads, "_csv_arrays", broken)
    with pytest.raises(InputError, match="The file is not CSV that can be read") as refused:
        uploads.population_of(b"secret\nx\ny\n", "t.csv", "secret")
    assert refused.value.__suppress_context__


def test_a_column_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"^The table has no column 'b'\.$"):
        uploads.population_of(b"a\nx\ny\n", "a.csv", "b")


def test_what_unpacks_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "UNPACKED", 1 << 20)
    data = parquet_of({"a": ["x" * 150, "y"] * 40_000}, use_dictionary=False)
    assert len(data) < 1 << 19
    for read in (lambda: uploads.population_of(data, "a.parquet", "a"), lambda: uploads.matrix_from(data, "m.parquet")):
        with pytest.raises(InputError, match=r"^The table has more than 1 MB once it is unpacked\.$"):
            read()


def test_too_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_ROWS", 3)
    for data, name in ((b"a\nx\ny\nx\ny\n", "a.csv"), (parquet_of({"a": ["x", "y", "x", "y"]}), "a.parquet")):
        with pytest.raises(InputError, match=r"^A table may have at most 3 rows\.$"):
            uploads.population_of(data, name, "a")


MATRIX = [[0.5, 0.5], [0.25, 0.75]]


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (b"0.5,0.5\n0.25,0.75\n", "m.csv"),
        (b"input,a,b\nx,0.5,0.5\ny,0.25,0.75\n", "m.csv"),
        (b"[[0.5,0.5],[0.25,0.75]]", "m.json"),
        (npy_of(MATRIX), "m.npy"),
        (npy_of(np.asfortranarray(MATRIX)), "m.npy"),
        (parquet_of({"a": [0.5, 0.25], "b": [0.5, 0.75]}), "m.parquet"),
    ],
)
def test_matrices(data: bytes, name: str) -> None:
    found = uploads.matrix_from(data, f"folder/{name}")
    assert found.spec == f"file:{name}"
    assert found.channel.matrix.tolist() == MATRIX


def big_header(shape: str) -> bytes:
    return npy_of(MATRIX).replace(b"(2, 2), }" + b" " * (len(shape) - len("(2, 2)")), f"{shape}, }}".encode())


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"=1+1,0.5\n0.1,0.9", "m.csv", "an entry of the channel file must be a finite number such as 0.75 or 3/4"),
        (b"0.5,0.6\n0.1,0.9", "m.csv", "Each row of a channel matrix must sum to one, but row 0 sums to 1.1"),
        (b"1,0\n", "m.csv", "A channel here must be of 2 to 200 rows, got 1."),
        (b"1,0\n" * 201, "m.csv", "A channel here must be of 2 to 200 rows, got 201."),
        (b"0,1" + b",0" * 20_000, "m.csv", "A channel matrix may have at most 10,000 cells here"),
        (b"[" * 100_000, "m.json", "The channel file is not JSON: "),
        (b"\xff\xfe", "m.csv", "The channel file is not UTF-8 text."),
        (b"\x93NUMPY", "m.npy", "The channel file is not a plain .npy array."),
        (npy_of([[object(), 1], [2, 3]]), "m.npy", "The channel file is not a plain .npy array."),
        (big_header("(99999999999, 2)"), "m.npy", "The channel file is not a plain .npy array."),
        (big_header("(-1, 2)"), "m.npy", "The channel file is not a plain .npy array."),
        (npy_of(["a", "b"]), "m.npy", "A channel in an .npy file must be a two-dimensional array of numbers."),
        (npy_of(np.eye(101)), "m.npy", "A channel matrix may have at most 10,000 cells here"),
        (b"PAR1", "m.parquet", "The file is not Parquet that can be read: "),
        (parquet_of({"a": [[1.0], [0.0]], "b": [[0.0], [1.0]]}), "m.parquet", ""),
        (b"x" * 201 + b",b\n1,0\n0,1\n", "m.csv", "The name of a row or of an output may have at most 200 letters."),
        (b"1,0\n0,1\n", "m.txt", "The file must be named .csv, .json, .npy, .parquet, got 'm.txt'."),
    ],
)
def test_refused_matrices(data: bytes, name: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        uploads.matrix_from(data, name)
    assert str(caught.value).startswith(sentence)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "read", [lambda data: uploads.column_names(data, "a.csv"), lambda data: uploads.matrix_from(data, "a.csv")]
)
def test_no_bytes_raise_anything_else(read: Callable[[bytes], object]) -> None:
    rng = np.random.default_rng(6)
    for length in (1, 10, 1_000, 100_000):
        for _ in range(20):
            with contextlib.suppress(InputError):
                read(rng.bytes(length))


def test_nothing_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: object) -> None:
    """Opening anything for writing while files are read would fail here."""

    def refuse(*arguments: object, **options: object) -> object:
        raise AssertionError("a file was opened")

    for place in ("builtins.open", "io.open", "os.open", "tempfile.mkstemp"):
        monkeypatch.setattr(place, refuse)
    uploads.population_of(b"a\nx\ny\n", "a.csv", "a")
    uploads.matrix_from(b"1,0\n0,1\n", "m.csv")
