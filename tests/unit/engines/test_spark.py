"""Spark's counts are those of the local engine, to the last bit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from pyspark.sql import DataFrame, SparkSession

from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.collection.reports import Reports
from qifldp.engines import local, spark
from qifldp.engines.local import NO_ID, SEEN_BEFORE
from qifldp.engines.report_files import write_reports
from qifldp.engines.report_schema import ANOTHER_PROTOCOL, NO_REPORT, ReportHeader, to_batch
from qifldp.engines.spark import count, partials, rows
from qifldp.engines.spark.session import spark_session, with_settings
from qifldp.errors import InputError
from qifldp.exact.budget import Budget
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.specs import SEVEN, parse_spec
from unit.engines.samples import build, with_damaged_index, with_rows

K = 20


def protocol(name: str, epsilon: int = 1) -> Protocol:
    return parse_spec(name).build(K, Budget.read(epsilon))


GRR = ReportHeader(protocol("grr"))
FIRST, SECOND, THIRD = b"\1", b"\2", b"\3"
"""Reports of GRR: one byte each."""


@pytest.fixture(scope="module")
def session(java: Path) -> Iterator[SparkSession]:
    with spark_session("local[2]") as session:
        session.conf.set("spark.sql.codegen.wholeStage", "false")  # compiling takes longer than these few rows
        yield session


def same_counts(folder: Path, weights: Weights = "value") -> local.Counted:
    """Return what both engines count."""
    expected = local.count_reports(folder, weights=weights)
    found = spark.count_reports(folder, weights=weights)
    assert found.header == expected.header
    assert found.accumulator.to_json() == expected.accumulator.to_json()
    return found


def write(path: Path, header: ReportHeader, reports: pa.Array, ids: pa.Array | None = None) -> None:
    """Write a file of reports that another program might have written."""
    columns = {"report": reports} if ids is None else {"report": reports, "id": ids}
    parquet.write_table(pa.table(columns).replace_schema_metadata(header.schema().metadata), path)


def refusal(folder: Path, **options: str) -> str:
    with pytest.raises(InputError) as caught:
        spark.count_reports(folder, **options)  # type: ignore[arg-type]  # texts
    return str(caught.value)


@pytest.mark.parametrize("name", [*SEVEN, "mix:parts=0.3*ss@2+0.4*oue+0.2*olh"])
def test_every_protocol_is_counted_as_locally(session: SparkSession, tmp_path: Path, name: str) -> None:
    header = ReportHeader(protocol(name), simulated=True)
    width = header.protocol.mechanism.width
    rng = np.random.default_rng(7)
    rows = header.protocol.mechanism.draw(rng.integers(0, K, 3000), rng)
    schema = header.schema()
    write_reports(tmp_path / "a b+%[1]é.parquet", schema, [to_batch(Reports(header.protocol, rows), schema)])
    write_reports(tmp_path / "empty.parquet", schema, [to_batch(Reports(header.protocol, rows[:0]), schema)])
    noise = [row.tobytes() for row in rng.integers(0, 256, (300, width), np.uint8)]
    write(tmp_path / "noise.parquet", header, pa.array([*noise, None, b"", b"\0" * (width + 1)], pa.binary()))
    write(tmp_path / "other.parquet", ReportHeader(protocol(name, 2)), pa.array(noise, pa.binary(width)))
    write(tmp_path / "text.parquet", header, pa.array(["a", "b", "c", "d"]))
    counts = same_counts(tmp_path).accumulator
    assert counts.n >= 3000
    assert counts.n + sum(counts.refused.values()) == 3000 + 300 + 3 + 300 + 4
    wrong_length = {f"0 bytes instead of {width}": 1, f"{width + 1} bytes instead of {width}": 1}
    assert (
        counts.refused.items()
        >= ({NO_REPORT: 1, ANOTHER_PROTOCOL: 300, "string instead of bytes": 4} | wrong_length).items()
    )


def test_plain_weights(session: SparkSession, tmp_path: Path) -> None:
    header = ReportHeader(protocol("oue"))
    rows = header.protocol.mechanism.draw(np.arange(2000) % K, np.random.default_rng(1))
    write_reports(tmp_path / "a.parquet", header.schema(), [to_batch(Reports(header.protocol, rows), header.schema())])
    assert same_counts(tmp_path, "plain").accumulator.table.shape == (1, K)


def test_of_one_id_the_first_row_in_reading_order_counts(session: SparkSession, tmp_path: Path) -> None:
    def file(name: str, reports: list[bytes | None], ids: pa.Array) -> None:
        write(tmp_path / name, GRR, pa.array(reports, pa.binary()), ids)

    # Spark's names of these files, %5B for [, stand in another order; so would names with + read as a space.
    file("z!.parquet", [FIRST, SECOND, FIRST, FIRST], pa.array(["7", "8", None, "7"]))
    file("z+.parquet", [THIRD, THIRD, None, SECOND], pa.array([b"9", b"8", None, b"11"]))
    file("z[.parquet", [SECOND, b"wrong", THIRD, b"wrong"], pa.array([7, 9, 10, 13], pa.uint64()))
    file("z\u00e9.parquet", [THIRD, FIRST, FIRST], pa.array(["11", "12", "13"]).dictionary_encode())
    counts = same_counts(tmp_path).accumulator
    assert counts.counts[:5].tolist() == [0, 2, 2, 2, 0]
    assert counts.refused == {NO_ID: 2, SEEN_BEFORE: 6, "5 bytes instead of 1": 1}


def test_an_id_of_a_column_of_text_that_is_not_utf8_is_none(session: SparkSession, tmp_path: Path) -> None:
    reports = pa.array([FIRST, SECOND, THIRD, FIRST, FIRST], pa.binary(1))
    ids = pa.array([b"a\xff", b"b", b"a\xff", b"\xed\xa0\x80", "é".encode()], pa.binary())
    write(tmp_path / "a.parquet", GRR, reports, ids.view(pa.string()))
    write(tmp_path / "b.parquet", GRR, reports, ids)
    counts = same_counts(tmp_path).accumulator
    assert counts.counts[:4].tolist() == [0, 3, 1, 0]
    assert counts.refused == {NO_ID: 3, SEEN_BEFORE: 3}


def test_links_are_read_by_the_names_that_they_have_here(session: SparkSession, tmp_path: Path) -> None:
    """Not by those of the files that they lead to: in another order, twice the same, or names that Spark passes by."""
    folder = tmp_path / "all"
    folder.mkdir()
    targets = ["z/part-0.parquet", "y/part-0.parquet", "y/_hidden.parquet", "y/09:00.parquet"]
    for place, (link, target) in enumerate(zip("abcd", targets, strict=True)):
        at = tmp_path / target
        at.parent.mkdir(exist_ok=True)
        write(at, GRR, pa.array([bytes([place])] * 3, pa.binary()), pa.array(["1", "2", f"own {place}"]))
        (folder / f"{link}.parquet").symlink_to(f"../{target}")
    (tmp_path / "link").symlink_to(folder)
    counts = same_counts(tmp_path / "link").accumulator
    assert counts.counts[:5].tolist() == [3, 1, 1, 1, 0]
    assert counts.refused == {SEEN_BEFORE: 6}


def test_ids_of_one_file_many_times(session: SparkSession, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    rows = GRR.protocol.mechanism.draw(rng.integers(0, K, 4000), rng)
    schema = GRR.schema(ids=True)
    for start in range(0, 4000, 1000):
        part = Reports(GRR.protocol, rows[start : start + 1000])
        ids = [str(number) for number in rng.integers(0, 3000, 1000)]
        write_reports(tmp_path / f"{start}.parquet", schema, [to_batch(part, schema, ids)])
    counts = same_counts(tmp_path).accumulator
    assert counts.n + counts.refused[SEEN_BEFORE] == 4000


def test_a_simulation_is_told_from_others(tmp_path: Path) -> None:
    """Whichever of the files it is."""
    for name, simulated in {"a": False, "b": True, "c": False}.items():
        header = ReportHeader(GRR.protocol, simulated=simulated)
        write(tmp_path / f"{name}.parquet", header, pa.array([FIRST], pa.binary(1)))
    assert count._plan(tmp_path, "value").header.simulated
    assert not count._plan(tmp_path / "a.parquet", "value").header.simulated


def test_many_partitions_are_added_up_in_two_steps(session: SparkSession, tmp_path: Path) -> None:
    for number in range(12):
        write(tmp_path / f"{number}.parquet", GRR, pa.array([FIRST, SECOND, b"bad"], pa.binary()))
    settings = {"spark.sql.files.maxPartitionBytes": "4194304"}  # as much as a file counts for at least
    with with_settings(session, settings):
        plan = count._plan(tmp_path, "value")
        assert rows.plain_rows(session, plan.files).rdd.getNumPartitions() > count.MOST_PARTIALS
        assert same_counts(tmp_path).accumulator.totals.tolist() == [24]


def test_ids_make_no_more_partial_counts(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the session sorts rows into: of a large domain each partial count may have 16 MiB."""
    for number in range(3):
        ids = pa.array(["x", f"{number}", f"y{number}"])
        write(tmp_path / f"{number}.parquet", GRR, pa.array([FIRST, SECOND, THIRD], pa.binary()), ids)
    added: list[Mapping[str, object]] = []

    def noted(row: Mapping[str, object], counts: Accumulator) -> None:
        added.append(row)
        partials.add_row(row, counts)

    monkeypatch.setattr(count, "add_row", noted)
    settings = {
        "spark.sql.shuffle.partitions": "20",
        "spark.sql.adaptive.enabled": "false",
        "spark.sql.autoBroadcastJoinThreshold": "-1",  # as with many rows
    }
    with with_settings(session, settings):
        assert same_counts(tmp_path).accumulator.refused == {SEEN_BEFORE: 2}
        assert {name: session.conf.get(name) for name in settings} == settings
    assert 1 <= len(added) <= count.MOST_PARTIALS


def test_a_running_session_is_used_and_kept(session: SparkSession, tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", GRR, pa.array([FIRST], pa.binary(1)))
    calls: list[tuple[float, int]] = []
    spark.count_reports(tmp_path, master="local[2]", progress=lambda *call: calls.append(call))
    assert calls == [(1.0, 1)]
    assert session.range(3).count() == 3
    assert refusal(tmp_path, master="local[3]") == (
        "A Spark session with master 'local[2]' runs already: name that, or none."
    )


def test_damaged_reports(session: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "a b%.parquet"
    schema = GRR.schema()
    rows = np.zeros((1000, 1), np.uint8)
    write_reports(path, schema, [to_batch(Reports(GRR.protocol, rows), schema)])
    whole = path.read_bytes()
    path.write_bytes(whole[:500] + b"\xff" + whole[501:])
    assert refusal(tmp_path) == (
        "The file 'a b%.parquet' cannot be read: 'could not verify page integrity, CRC checksum verification failed'."
    )
    path.write_bytes(whole[:500])
    assert refusal(tmp_path) == (
        "The file 'a b%.parquet' cannot be read: 'Parquet magic bytes not found in footer. Either the file is "
        "corrupted or this is not a parquet file.'."
    )


@pytest.mark.parametrize("column", ["report", "id"])
def test_index_beyond_a_dictionary_is_told_as_locally(session: SparkSession, tmp_path: Path, column: str) -> None:
    """Spark's reader says which index it is, but not of which file."""
    write(tmp_path / "a.parquet", ReportHeader(build("oue", 5)), pa.array([FIRST], pa.binary()), pa.array(["x"]))
    with_damaged_index(tmp_path / "b.parquet", column)
    with pytest.raises(InputError) as caught:
        local.count_reports(tmp_path)
    found = refusal(tmp_path)
    assert found.startswith("The file 'b.parquet' cannot be read: ")
    assert str(caught.value) == f"{found} 49 reports were counted before."


def test_what_a_footer_says_is_checked_as_locally(session: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"report": pa.array([FIRST], pa.binary())}).replace_schema_metadata(GRR.schema().metadata)
    parquet.write_table(
        table, tmp_path / "a.parquet", use_dictionary=False, column_encoding={"report": "DELTA_BYTE_ARRAY"}
    )
    assert refusal(tmp_path) == "Row group 1 of 'a.parquet' is encoded as DELTA_BYTE_ARRAY: write it plain."


def test_columns_whose_names_differ_in_their_case_only(session: SparkSession, tmp_path: Path) -> None:
    reports, others = pa.array([FIRST, SECOND], pa.binary(1)), pa.array([THIRD, THIRD], pa.binary(1))
    columns = {"REPORT": others, "report": reports, "id": pa.array(["x", "y"]), "Id": pa.array(["z", "z"])}
    table = pa.table(columns).replace_schema_metadata(GRR.schema().metadata)
    parquet.write_table(table, tmp_path / "a.parquet")
    before = session.conf.get("spark.sql.caseSensitive")
    assert same_counts(tmp_path).accumulator.counts[:4].tolist() == [0, 1, 1, 0]
    assert session.conf.get("spark.sql.caseSensitive") == before == "false"


@pytest.mark.parametrize("codec", ["snappy", "gzip", "lz4", "zstd"])
def test_compressed_files(session: SparkSession, tmp_path: Path, codec: str) -> None:
    table = pa.table({"report": pa.array([FIRST] * 50, pa.binary(1))}).replace_schema_metadata(GRR.schema().metadata)
    parquet.write_table(table, tmp_path / "a.parquet", compression=codec)
    assert same_counts(tmp_path).accumulator.n == 50


def test_rows_that_spark_leaves_out_are_noticed(
    session: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "a.parquet", GRR, pa.array([FIRST] * 5, pa.binary(1)))
    plain_rows = rows.plain_rows

    def some(*arguments: object) -> DataFrame:
        return plain_rows(*arguments).limit(4)  # type: ignore[arg-type]  # handed through

    monkeypatch.setattr(count, "plain_rows", some)
    assert refusal(tmp_path) == "Spark found 4 rows in files of 5."


def test_compression_that_spark_cannot_undo(tmp_path: Path) -> None:
    """In another column than those that are read it is of no consequence."""
    columns = {"report": pa.array([FIRST], pa.binary(1)), "more": pa.array(["x"])}
    table = pa.table(columns).replace_schema_metadata(GRR.schema().metadata)
    parquet.write_table(table, tmp_path / "a.parquet", compression={"report": "brotli", "more": "none"})
    assert local.count_reports(tmp_path).accumulator.n == 1
    sentence = "Spark cannot read 'a.parquet', which is compressed with BROTLI: write it without compression."
    assert refusal(tmp_path) == sentence
    parquet.write_table(table, tmp_path / "a.parquet", compression={"report": "none", "more": "brotli"})
    assert count._plan(tmp_path, "value").rows == 1


def test_files_that_spark_cannot_count(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", GRR, pa.array([FIRST], pa.binary(1)))
    write(tmp_path / "b.parquet", GRR, pa.array([FIRST], pa.binary(1)), pa.array(["x"]))
    assert refusal(tmp_path) == "Of 'a.parquet' and 'b.parquet' only one has ids: give them to all files."
    parquet.write_table(pa.table({"report": [FIRST]}), tmp_path / "b.parquet")
    assert refusal(tmp_path) == "'b.parquet' is not a file of reports: write one with qifldp perturb."
    write(tmp_path / "b.parquet", GRR, pa.array([FIRST] * 1000, pa.binary(1)))
    with_rows(tmp_path / "b.parquet", 1000, 5, 1000, 1000)
    assert refusal(tmp_path) == "The file 'b.parquet' cannot be read: its footer is damaged."
    (tmp_path / "b.parquet").unlink()
    write_reports(tmp_path / "b.arrow", GRR.schema(), [])
    assert refusal(tmp_path) == "Spark counts Parquet files, and 'b.arrow' is none."
    for name in ("_a.parquet", "09:00.parquet"):
        write(tmp_path / name, GRR, pa.array([FIRST], pa.binary(1)))
        assert refusal(tmp_path / name) == (
            f"Spark cannot read '{name}': name it without colons, and with no dot or underscore before it."
        )
