"""Data and domain files that cannot be counted: exit 2, one sentence, nothing on stdout."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from cli.terminal import Terminal

Content = str | bytes


def write(name: str, content: Content) -> None:
    """Write a file of text or bytes."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())


def counted(file: str, *arguments: str) -> tuple[str, ...]:
    """Return the command that counts column a of a file."""
    return ("compare", file, *(arguments or ("--column", "a")), "--epsilon", "1", "--protocols", "grr")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "The file 'd.csv' is empty."),
        ("a,b\n", "The column 'a' of 'd.csv' has no values."),
        ("a,b\n,1\n,2\n", "The column 'a' of 'd.csv' has no values."),
        ("a,b\nx,1\nx,2\n", "d.csv, column a has 1 value: a domain must have at least two."),
        ("a,a\nx,1\ny,2\n", "There are 2 columns called 'a'."),
        ("aa,b\nx,1\ny,2\n", "There is no column called 'a': did you mean 'aa'?"),
        ("xyz,b\nx,1\ny,2\n", "There is no column called 'a': there are 'xyz', 'b'."),
        ("\x1b[31m,[red]b[/red]\nx,1\n", r"There is no column called 'a': there are '\x1b[31m', '[red]b[/red]'."),
    ],
)
def test_csv_without_two_values_of_the_column(terminal: Terminal, content: Content, sentence: str) -> None:
    write("d.csv", content)
    terminal.refuses(sentence, *counted("d.csv"))


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("a,b\nx,1\ny\nz,3,4\n", id="ragged"),
        pytest.param('a,b\n"x,1\ny,2\n', id="quote never closed"),
        pytest.param(b"a,b\n\xff\xfe,1\ny,2\n", id="not UTF-8"),
        pytest.param(b"a,\xff\nx,1\ny,2\n", id="header not UTF-8"),
        pytest.param("a,b\nx,1\ny,2\n".encode("utf-16"), id="UTF-16"),
        pytest.param(b"a,b" + bytes(range(256)) * 40, id="garbage"),
        pytest.param(b"\0" * 5000, id="zeros"),
        pytest.param('a,b\nx,"' + "z" * (20 << 20) + '"\ny,2\n', id="a cell of 20 MiB"),
        pytest.param("a,b", id="no line end"),
    ],
)
def test_csv_that_cannot_be_read(terminal: Terminal, content: Content) -> None:
    write("d.csv", content)
    terminal.refuses_with("The file 'd.csv' ", *counted("d.csv"))


def test_files_that_are_not_there_or_not_files(terminal: Terminal) -> None:
    Path("folder.csv").mkdir()
    terminal.refuses("There is no file 'nope.csv'.", *counted("nope.csv"))
    terminal.refuses("'folder.csv' is not a file.", *counted("folder.csv"))
    write("d.txt", "a\nx\ny\n")
    terminal.refuses("A data file must be named .csv or .parquet, got 'd.txt'.", *counted("d.txt"))


@pytest.mark.parametrize(
    ("column", "sentence"),
    [
        (pa.array([[1], [2]]), "The column 'a' must be of plain values, got 'list<element: int64>'."),
        (pa.array([{"b": 1}, {"b": 2}]), "The column 'a' must be of plain values, got 'struct<b: int64>'."),
        (pa.nulls(3), "The column 'a' of 'd.parquet' has no values."),
        (pa.array([], pa.string()), "The column 'a' of 'd.parquet' has no values."),
        (pa.array([7, 7, None]), "d.parquet, column a has 1 value: a domain must have at least two."),
    ],
)
def test_parquet_columns(terminal: Terminal, column: pa.Array, sentence: str) -> None:
    parquet.write_table(pa.table({"a": column}), "d.parquet")
    terminal.refuses(sentence, *counted("d.parquet"))


def test_parquet_without_the_column(terminal: Terminal) -> None:
    parquet.write_table(pa.table({"age": [1, 2], "sex": [1, 2]}), "d.parquet")
    terminal.refuses("There is no column called 'agee': did you mean 'age'?", *counted("d.parquet", "--column", "agee"))


def test_parquet_that_cannot_be_read(terminal: Terminal) -> None:
    parquet.write_table(pa.table({"a": list(range(100))}), "good.parquet", write_page_checksum=True)
    good = Path("good.parquet").read_bytes()
    flipped = bytearray(good)
    flipped[len(good) // 3] ^= 255
    for content in (good[: len(good) // 2], b"PAR1" + b"\xff" * 200 + b"PAR1", bytes(flipped), b"garbage" * 99):
        write("d.parquet", content)
        terminal.refuses_with("The file 'd.parquet' cannot be read: ", *counted("d.parquet"))
    not_text = pa.array([b"\xff", b"a"])
    for column in (not_text, not_text.view(pa.string()), not_text.cast(pa.large_binary()).view(pa.large_string())):
        parquet.write_table(pa.table({"a": column}), "d.parquet")
        terminal.refuses_with("The file 'd.parquet' cannot be read: ", *counted("d.parquet"))
    write("d.parquet", b"")
    terminal.refuses("The file 'd.parquet' is empty.", *counted("d.parquet"))


@pytest.mark.parametrize(
    ("domain", "sentence"),
    [
        ("x\n", "The domain file 'domain.txt' must be a list of at least two values, got 1."),
        ("\n \n", "The domain file 'domain.txt' must be a list of at least two values, got 0."),
        ("", "The file 'domain.txt' is empty."),
        ("x\ny\nx\n", "The domain file 'domain.txt' has the value 'x' twice."),
        ("x\n\x1b[31m\n\x1b[31m\n", r"The domain file 'domain.txt' has the value '\x1b[31m' twice."),
        (b"x\n\xff\n", "The file 'domain.txt' is not UTF-8 text."),
        (
            "x\nz\n",
            (
                "d.csv, column a has 2 rows outside the declared domain, such as the value 'y': "
                "extend the domain, or count them as one more value (--other bucket)."
            ),
        ),
        (
            "x\ny\n",
            (
                "d.csv, column a has 1 row outside the declared domain, such as one without a value: "
                "extend the domain, or count them as one more value (--other bucket)."
            ),
        ),
    ],
)
def test_domains(terminal: Terminal, domain: Content, sentence: str) -> None:
    write("domain.txt", domain)
    write("d.csv", "a,b\nx,1\ny,2\n,3\n")
    terminal.refuses(sentence, *counted("d.csv", "--column", "a", "--domain", "domain.txt"))


def test_other_values_need_a_free_name(terminal: Terminal) -> None:
    write("domain.txt", "x\n(other)\n")
    write("d.csv", "a\nx\ny\n")
    terminal.refuses(
        "The declared domain already has a value (other).",
        *counted("d.csv", "--column", "a", "--domain", "domain.txt", "--other", "bucket"),
    )


def test_domain_that_is_not_there(terminal: Terminal) -> None:
    terminal.refuses("There is no file 'nope.txt'.", "compare", "--domain", "nope.txt", "--epsilon", "1")
