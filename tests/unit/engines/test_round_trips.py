"""What is written in any format is counted whole, by any number of threads and in any order."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from qifldp.collection.accumulator import Weights
from qifldp.collection.reports import Reports
from qifldp.engines import pieces, report_files
from qifldp.engines.local import count_reports
from qifldp.engines.report_files import list_files, look_into, open_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError
from qifldp.protocols.specs import SEVEN
from unit.engines.samples import ENDINGS, build, by_definition, draw, same, write

SPECS = (*SEVEN, "lh:g=300", "ss:omega=2", "ue:p=0.2,q=0.7", "mix:parts=0.3*ss@2+0.4*oue+0.2*olh")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("spec", SPECS)
def test_every_protocol_in_every_format(tmp_path: Path, spec: str, ending: str) -> None:
    protocol = build(spec, 37)
    reports = draw(protocol, 2500)
    header = ReportHeader(protocol, tuple(f'värde, "{place}"\n' for place in range(37)), simulated=True)
    anything = "id {}" if ending == ".csv" else 'id, "{}"\r\n'
    for ids in (None, [anything.format(place) for place in range(2500)]):
        path = write(tmp_path / f"r{ending}", reports, ids=ids, header=header)
        counted = count_reports(path, threads=2)
        assert counted.header == header
        assert counted.accumulator.n == 2500
        assert counted.accumulator.counts.tolist() == by_definition(reports).tolist()
        assert counted.accumulator.refused == {}


@pytest.mark.parametrize("weights", ["value", "plain"])
@pytest.mark.parametrize("spec", ["ss", "olh", "oue"])
def test_threads_order_and_parts_make_no_difference(tmp_path: Path, spec: str, weights: Weights) -> None:
    protocol = build(spec, 100)
    reports = draw(protocol, 20_000)
    one = count_reports(write(tmp_path / "a.parquet", reports), weights=weights, threads=1).accumulator
    shuffled = Reports(protocol, reports.rows[np.random.default_rng(1).permutation(20_000)])
    two = count_reports(write(tmp_path / "b.parquet", shuffled, rows=777), weights=weights, threads=2).accumulator
    whole = protocol.accumulator(weights=weights)
    whole.update(reports)
    assert same(one, two)
    assert same(one, whole)
    assert len(one.table) == (1 if weights == "plain" or spec == "ss" else len(whole.classes.starts))


def test_folder_of_all_formats(tmp_path: Path) -> None:
    reports = draw(build("oue", 20), 4000)
    for place, ending in enumerate(ENDINGS):
        write(tmp_path / f"part-{place}{ending}", reports[1000 * place : 1000 * place + 1000], rows=300)
    for name in ("_SUCCESS", ".part-0.parquet.crc", ".hidden.parquet", "_meta.csv", "notes.txt"):
        (tmp_path / name).write_text("not of reports")
    counted = count_reports(tmp_path).accumulator
    assert counted.counts.tolist() == by_definition(reports).tolist()
    assert [file.name for file in list_files(tmp_path)] == [f"part-{i}{ending}" for i, ending in enumerate(ENDINGS)]


def test_pieces_have_a_bounded_number_of_rows(tmp_path: Path) -> None:
    protocol = build("oue", 16)
    reports = draw(protocol, 150_000)
    path = write(tmp_path / "r.parquet", reports, rows=150_000)  # one row group
    found = [(piece.start, piece.end) for piece in open_reports(path).pieces()]
    assert found == [(0, 65_536), (65_536, 131_072), (131_072, 150_000)]
    assert [piece.start for piece in open_reports(path).pieces(65_536)] == [65_536, 131_072]
    assert pieces.rows_a_piece(1 << 20) == 32
    assert pieces.rows_a_piece(1 << 30) == 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_pieces_from_a_row_on_are_the_same(tmp_path: Path, ending: str) -> None:
    path = write(tmp_path / f"r{ending}", draw(build("olh", 50), 900), rows=200)
    file = open_reports(path)
    whole = [(piece.start, piece.end) for piece in file.pieces()]
    assert whole[-1][1] == file.count_rows() == 900
    for start, _ in whole:
        assert [(piece.start, piece.end) for piece in file.pieces(start)] == [
            pair for pair in whole if pair[0] >= start
        ]


def test_reports_of_a_simulation_are_told_from_others(tmp_path: Path) -> None:
    protocol = build("oue", 20)
    write(tmp_path / "a.parquet", draw(protocol, 10), header=ReportHeader(protocol))
    assert not count_reports(tmp_path).header.simulated
    write(tmp_path / "b.parquet", draw(protocol, 10), header=ReportHeader(protocol, simulated=True))
    assert count_reports(tmp_path).header.simulated
    write(tmp_path / "c.parquet", draw(protocol, 10), header=ReportHeader(protocol))
    assert count_reports(tmp_path).header.simulated


def test_parquet_files_say_nothing_about_ranges(tmp_path: Path) -> None:
    """The least and largest report of a row group would be one more thing about single people."""
    path = write(tmp_path / "a.parquet", draw(build("oue", 20), 10))
    column = pq.ParquetFile(path).metadata.row_group(0).column(0)
    assert not column.is_stats_set
    assert not column.has_dictionary_page


def test_progress_reaches_the_end(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.csv", "c.arrow"):
        write(tmp_path / name, draw(build("oue", 20), 1000), rows=300)
    told: list[tuple[float, int]] = []
    count_reports(tmp_path, progress=lambda share, rows: told.append((share, rows)))
    assert told == sorted(told)
    assert told[-1] == (1.0, 3000)


@pytest.mark.parametrize("name", ["a,b", 'a"b', "a\nb", "a\rb"])
def test_ids_that_csv_would_have_to_quote_are_not_written(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        write(tmp_path / "r.csv", draw(build("oue", 20), 3), ids=["a", name, "b"])
    assert str(caught.value) == (
        f"The id {name!r} has a comma, a quotation mark or the end of a line in it, and ids in CSV are not quoted: "
        "write a .parquet or .arrow file."
    )
    assert list(tmp_path.iterdir()) == []


def test_links_to_a_file_of_the_folder_and_folders_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path.parent)
    write(tmp_path / "a.parquet", draw(build("oue", 20), 10))
    (tmp_path / "b.parquet").symlink_to("a.parquet")
    (tmp_path / "c.parquet").hardlink_to(tmp_path / "a.parquet")
    for name in ("day=1", "day=2", "day=3", "day=4", "_temporary"):
        (tmp_path / name).mkdir()
    write(tmp_path / "day=1" / "d.parquet", draw(build("oue", 20), 10))
    found = look_into(tmp_path.name)
    assert [file.name for file in found.files] == ["a.parquet"]
    assert found.notes == [
        f"Folders in '{tmp_path.name}' are not read: 'day=1', 'day=2', 'day=3' and 1 more.",
        "'b.parquet' and 'a.parquet' are one file, which is counted once.",
        "'c.parquet' and 'a.parquet' are one file, which is counted once.",
    ]
    assert count_reports(tmp_path).accumulator.n == 10


def test_one_number_on_two_disks_is_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of two file systems, brought together by links, may have one inode number."""
    for name in ("a.parquet", "b.parquet"):
        write(tmp_path / name, draw(build("oue", 20), 10))
    disks = {"a.parquet": 1, "b.parquet": 2}
    monkeypatch.setattr(
        report_files, "_status", lambda file: os.stat_result((0, 7, disks[file.name], 1, 0, 0, 0, 0, 0, 0))
    )
    assert [file.name for file in look_into(tmp_path).files] == ["a.parquet", "b.parquet"]


@pytest.mark.parametrize(("target", "why"), [("gone", "No such file"), ("b.csv", "Too many levels of symbolic links")])
def test_links_that_lead_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("f").mkdir()
    write(Path("f/a.csv"), draw(build("oue", 20), 10))
    Path("f/b.csv").symlink_to(target)
    with pytest.raises(InputError, match=rf"^The link 'f/b\.csv' cannot be read: {why}"):
        count_reports("f")


def test_sources_without_reports(tmp_path: Path) -> None:
    folder = tmp_path / "f"
    folder.mkdir()
    with pytest.raises(InputError, match=r"has no files named \.parquet, \.arrow, \.feather or \.csv\.$"):
        count_reports(folder)
    (folder / "inner").mkdir()
    with pytest.raises(InputError, match=r" or \.csv, and the folders in it are not read: 'inner'\.$"):
        count_reports(folder)
    with pytest.raises(InputError, match=r"^There is no file "):
        count_reports(tmp_path / "nothing.parquet")
    (tmp_path / "r.txt").write_text("x")
    with pytest.raises(InputError, match=r"^A file of reports must be named \.parquet, .* or \.csv, got "):
        count_reports(tmp_path / "r.txt")
