"""The footer of a Parquet file as it is read here says what PyArrow says, and no damage ends the process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

import qifldp
from qifldp.engines.parquet_footer import _footer, row_groups
from qifldp.errors import InputError
from unit.engines.samples import build, draw, header_of, raw_parquet, with_footer, with_rows, write

PROTOCOL = build("oue", 20)

COUNTING = """
import sys
from qifldp.engines.local import count_reports
from qifldp.errors import InputError
try:
    print("counted", count_reports(sys.argv[1], threads=1).accumulator.n)
except InputError as error:
    print(error)
"""


NONE, TWO = b"\x19\x06", b"\x19\x26\x00\x3c"
"""Lists of no whole numbers, and of 0 and 30: the histograms of repetition and definition levels of thirty values."""


Described = list[tuple[int, list[tuple[str, str, set[str], str, int]]]]
"""Of each row group its rows, and of its columns path, type, encodings, compression and size."""


def described(path: Path) -> Described:
    """Return what PyArrow says."""
    about = parquet.ParquetFile(path).metadata
    groups = [about.row_group(place) for place in range(about.num_row_groups)]
    return [
        (
            group.num_rows,
            [
                (
                    chunk.path_in_schema,
                    chunk.physical_type,
                    set(chunk.encodings),
                    chunk.compression,
                    max(chunk.total_uncompressed_size, chunk.num_values),
                )
                for chunk in map(group.column, range(group.num_columns))
            ],
        )
        for group in groups
    ]


def read(path: Path) -> Described:
    return [
        (
            group.rows,
            [
                (chunk.path, chunk.physical_type, set(chunk.encodings), chunk.codec, chunk.largest)
                for chunk in group.chunks
            ],
        )
        for group in row_groups(path)
    ]


def strange(path: Path, **options: object) -> Path:
    """Write columns of every physical type, nested ones, many, and statistics of all of them."""
    columns = {
        "report": pa.array([b"a", b"bc", None] * 40),
        "fixed": pa.array([b"ab"] * 120, pa.binary(2)),
        "whole": pa.array(range(120), pa.int32()),
        "long": pa.array(range(120)),
        "real": pa.array([0.5] * 120),
        "short": pa.array([0.5] * 120, pa.float32()),
        "truth": pa.array([True, False, None] * 40),
        "nested.name": pa.array([{"a": [1, 2]}] * 120),
    } | {f"c{place}": pa.array(["x"] * 120) for place in range(20)}
    return raw_parquet(path, columns, header_of(PROTOCOL), row_group_size=50, **options)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"write_statistics": False, "use_dictionary": False, "compression": "zstd"},
        {"use_dictionary": False, "column_encoding": {"report": "DELTA_BYTE_ARRAY", "long": "DELTA_BINARY_PACKED"}},
        {"compression": "gzip"},
        {"compression": "brotli"},
        {"version": "1.0", "data_page_version": "2.0", "write_page_index": True, "write_page_checksum": True},
        {"sorting_columns": [parquet.SortingColumn(2)]},
    ],
)
def test_columns_are_what_pyarrow_says(tmp_path: Path, options: dict[str, object]) -> None:
    path = strange(tmp_path / "s.parquet", **options)
    assert read(path) == described(path)
    assert len(read(path)) == 3


def test_our_own_files(tmp_path: Path) -> None:
    path = write(tmp_path / "r.parquet", draw(PROTOCOL, 300), ids=[f"u{place}" for place in range(300)], rows=10)
    assert read(path) == described(path)


@pytest.mark.parametrize(
    "footer",
    [
        b"",
        b"\x15",  # a field without a value
        b"\x15" + b"\xff" * 11,  # a number that does not end
        b"\x4c" * 100,  # structures in structures
        b"\x49\xfc\xff\xff\xff\xff\x0f",  # four billion structures
        b"\x49\x1c\x00\x00",  # a row group without columns
        b"\x49\x15\x02\x00",  # row groups that are numbers
        b"\x4f\x00",  # no type
        b"\x18\x7f",  # text beyond the end
    ],
)
def test_footers_that_are_none(tmp_path: Path, footer: bytes) -> None:
    path = with_footer(write(tmp_path / "r.parquet", draw(PROTOCOL, 3)), footer)
    with pytest.raises(InputError, match=r"^The file 'r\.parquet' cannot be read: its footer is damaged\.$"):
        list(row_groups(path))


def test_no_column_has_fewer_values_than_rows(tmp_path: Path) -> None:
    """Whatever a nested column has: here two values a row."""
    columns = {"report": pa.array([b"\1\2\3"] * 777, pa.binary()), "nested": pa.array([[1, 2]] * 777)}
    path = raw_parquet(tmp_path / "r.parquet", columns, header_of(PROTOCOL), write_statistics=False)
    with_rows(path, 777, 1000, 777, 1000)
    about = parquet.ParquetFile(path).metadata.row_group(0)
    assert [about.num_rows, *(about.column(place).num_values for place in range(2))] == [1000, 777, 1554]
    with pytest.raises(InputError, match=r"^The file 'r\.parquet' cannot be read: its footer is damaged\.$"):
        list(row_groups(path))


def test_a_damaged_footer_does_not_end_the_process(tmp_path: Path) -> None:
    """Two repetition levels where a flat column has one: PyArrow's own view of such a column aborts."""
    columns = {"report": pa.array([b"\1", b"\2", b"\3"] * 10, pa.binary())}
    path = raw_parquet(tmp_path / "r.parquet", columns, header_of(PROTOCOL))
    footer = _footer(path)
    assert NONE + TWO in footer
    damaged = footer.replace(NONE + TWO, TWO + NONE)
    process = subprocess.run(
        [sys.executable, "-c", COUNTING, str(with_footer(path, damaged))],
        env=os.environ | {"PYTHONPATH": str(Path(qifldp.__file__).parents[1])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout == (
        "The file 'r.parquet' cannot be read: 'Repetition level histogram size mismatch, size: 2, expected: 1'.\n"
    )
