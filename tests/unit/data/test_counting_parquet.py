"""Counting a column of a Parquet file."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from qifldp.data.columns import READ_DOMAIN_NOTE, count_column, read_columns


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(pa.array(["x", "y", "x"]), {"x": 2, "y": 1}, id="text"),
        pytest.param(pa.array(["x", "y", "x"], pa.large_string()), {"x": 2, "y": 1}, id="large text"),
        pytest.param(pa.array(["x", "y", "x"]).dictionary_encode(), {"x": 2, "y": 1}, id="dictionary"),
        pytest.param(pa.array([3, 4, 3]).dictionary_encode(), {"3": 2, "4": 1}, id="dictionary of integers"),
        pytest.param(pa.array([-1, 2, 2], pa.int8()), {"2": 2, "-1": 1}, id="integers"),
        pytest.param(pa.array([1.5, 2.0, 1.5]), {"1.5": 2, "2": 1}, id="floats"),
        pytest.param(pa.array([True, False, True]), {"true": 2, "false": 1}, id="truth values"),
        pytest.param(pa.array([Decimal("1.50"), Decimal("2.00")]), {"1.50": 1, "2.00": 1}, id="decimals"),
        pytest.param(
            pa.array([dt.date(2020, 1, 2), dt.date(2020, 1, 3)]),
            {"2020-01-02": 1, "2020-01-03": 1},
            id="dates",
        ),
    ],
)
def test_kinds_of_columns(tmp_path: Path, column: pa.Array, expected: dict[str, int]) -> None:
    parquet.write_table(pa.table({"other": [0] * len(column), "a": column}), tmp_path / "d.parquet")
    found = count_column(tmp_path / "d.parquet", "a")
    assert dict(zip(found.values, found.counts, strict=True)) == expected
    assert found.notes == (READ_DOMAIN_NOTE,)


def test_nulls_are_left_out_and_noted(tmp_path: Path) -> None:
    parquet.write_table(
        pa.table({"a": pa.array(["x", None, "y", None, ""]).dictionary_encode()}), tmp_path / "d.parquet"
    )
    found = count_column(tmp_path / "d.parquet", "a")
    assert (found.values, found.counts) == (("x", "y"), (1, 1))
    assert found.notes == (READ_DOMAIN_NOTE, "3 rows without a value were left out.")


def test_not_a_number_is_no_value(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": [1.5, float("nan"), 2.5]}), tmp_path / "d.parquet")
    found = count_column(tmp_path / "d.parquet", "a")
    assert found.values == ("1.5", "2.5")


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_minus_zero_is_zero(tmp_path: Path, kind: type[np.floating[Any]]) -> None:
    parquet.write_table(pa.table({"a": np.array([0.0, -0.0, 0.5, -0.5], kind)}), tmp_path / "d.parquet")
    found = count_column(tmp_path / "d.parquet", "a")
    assert (found.values, found.counts) == (("0", "-0.5", "0.5"), (2, 1, 1))


def test_columns_with_a_dot_in_their_name(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": ["p", "q"], "a.b": ["x", "y"]}), tmp_path / "d.parquet")
    assert count_column(tmp_path / "d.parquet", "a.b").values == ("x", "y")


def test_many_row_groups_are_counted_whole(tmp_path: Path) -> None:
    rows = 200_000
    table = pa.table({"a": pa.array([f"v{i % 3}" for i in range(rows)] + ["last"])})
    parquet.write_table(table, tmp_path / "d.parquet", row_group_size=1000)
    assert parquet.ParquetFile(tmp_path / "d.parquet").num_row_groups == 201
    shares: list[float] = []
    found = count_column(tmp_path / "d.parquet", "a", progress=shares.append)
    assert dict(zip(found.values, found.counts, strict=True)) == {"v0": 66667, "v1": 66667, "v2": 66666, "last": 1}
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_dictionaries_that_differ_between_row_groups(tmp_path: Path) -> None:
    schema = pa.schema({"a": pa.dictionary(pa.int32(), pa.string())})
    with parquet.ParquetWriter(tmp_path / "d.parquet", schema) as writer:
        for values in (["x", "y"], ["z", "x", None]):
            writer.write_table(pa.table({"a": pa.array(values).dictionary_encode()}, schema=schema))
    found = count_column(tmp_path / "d.parquet", "a", domain=("z", "y", "x"), other="bucket")
    assert (found.values, found.counts) == (("z", "y", "x", "(other)"), (1, 1, 2, 1))


def test_a_column_may_be_asked_for_twice(tmp_path: Path) -> None:
    parquet.write_table(pa.table({"a": ["x", "y"], "b": [1, 2]}), tmp_path / "d.parquet")
    ((_, texts),) = read_columns(tmp_path / "d.parquet", ["b", "a", "b"])
    assert [text.to_pylist() for text in texts] == [["1", "2"], ["x", "y"], ["1", "2"]]
