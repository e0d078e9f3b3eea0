"""Counting a column of a CSV file."""

from __future__ import annotations

from pathlib import Path

import pytest

from qifldp.data.columns import OTHER_VALUE, READ_DOMAIN_NOTE, count_column, read_columns
from qifldp.data.population import Population


def counts(population: Population) -> dict[str, int]:
    return dict(zip(population.values, population.counts, strict=True))


def counted(folder: Path, content: str | bytes, column: str = "a") -> Population:
    """Write a CSV file and count a column of it."""
    file = folder / "d.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return count_column(file, column)


def test_values_are_ordered_by_frequency_then_name(tmp_path: Path) -> None:
    found = counted(tmp_path, "a,b\nz,1\ny,1\nx,1\ny,1\nw,1\nw,1\n")
    assert found == Population("d.csv, column a", ("w", "y", "x", "z"), (2, 2, 1, 1), (READ_DOMAIN_NOTE,))
    assert found.n == 6


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("a\n1\n2\n1\n", {"1": 2, "2": 1}, id="integers"),
        pytest.param("a\n1.0\n1\n01\n", {"01": 1, "1": 1, "1.0": 1}, id="numbers are compared as text"),
        pytest.param("a\ntrue\nTrue\nNA\nnull\n", {"NA": 1, "True": 1, "null": 1, "true": 1}, id="words stay words"),
        pytest.param("a\n2020-01-01\n2020-01-01\nx\n", {"2020-01-01": 2, "x": 1}, id="dates"),
        pytest.param('a\n"x,y"\n"say ""hi"""\nx\n', {'say "hi"': 1, "x": 1, "x,y": 1}, id="quotes"),
        pytest.param("a,b\r\nx,1\r\ny,2\r\nx,3\r\n", {"x": 2, "y": 1}, id="CRLF"),
        pytest.param(b"\xef\xbb\xbfa,b\nx,1\ny,2\n", {"x": 1, "y": 1}, id="byte order mark"),
        pytest.param("b,a\n1,x\n2,y", {"x": 1, "y": 1}, id="no last line end"),
        pytest.param("a\nKöln\n東京\nKöln\n", {"Köln": 2, "東京": 1}, id="unicode"),
        pytest.param("a\n x\nx\n", {" x": 1, "x": 1}, id="blanks count"),
    ],
)
def test_cells(tmp_path: Path, content: str | bytes, expected: dict[str, int]) -> None:
    assert counts(counted(tmp_path, content)) == expected


def test_a_column_may_be_asked_for_twice(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,b\nx,1\ny,2\n")
    ((_, texts),) = read_columns(tmp_path / "d.csv", ["b", "a", "b"])
    assert [text.to_pylist() for text in texts] == [["1", "2"], ["x", "y"], ["1", "2"]]


def test_rows_without_a_value_are_left_out_and_noted(tmp_path: Path) -> None:
    found = counted(tmp_path, 'a,b\nx,1\n,2\n"",3\ny,4\n')
    assert counts(found) == {"x": 1, "y": 1}
    assert found.notes == (READ_DOMAIN_NOTE, "2 rows without a value were left out.")


def test_rows_without_a_value_are_outside_a_declared_domain(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,b\nx,1\n,2\nz,3\n")
    found = count_column(tmp_path / "d.csv", "a", domain=("y", "x"), other="bucket")
    assert counts(found) == {"y": 0, "x": 1, OTHER_VALUE: 2}
    assert found.notes == ("2 rows outside the declared domain are counted as (other).",)


def test_bucket_without_strangers_is_empty(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a\nx\ny\n")
    assert counts(count_column(tmp_path / "d.csv", "a", domain=("x", "y"), other="bucket")) == {
        "x": 1,
        "y": 1,
        OTHER_VALUE: 0,
    }


def test_quoted_cells_may_hold_line_ends(tmp_path: Path) -> None:
    assert counts(counted(tmp_path, 'a,b\n"x\ny",1\nz,"1\n2"\n')) == {"x\ny": 1, "z": 1}


def test_many_blocks_are_counted_whole_and_reported_on_the_way(tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    rows = 1_200_000
    cycle = "".join(f"{number},value-{number % 7}\n" for number in range(70))
    file.write_text("id,a\n" + cycle * (rows // 70))
    assert file.stat().st_size > 12 << 20
    shares: list[float] = []
    found = count_column(file, "a", progress=shares.append)
    assert counts(found) == {f"value-{i}": rows // 70 * 10 for i in range(7)}
    assert len(shares) >= 2
    assert shares == sorted(shares)
    assert 0 < shares[0] <= shares[-1] == 1


def test_value_that_appears_only_in_the_last_block_is_found(tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    file.write_text("a\n" + "common\n" * 1_300_000 + "rare\n7\n")
    assert counts(count_column(file, "a")) == {"common": 1_300_000, "7": 1, "rare": 1}
