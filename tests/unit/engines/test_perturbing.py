"""From values to files of reports."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from qifldp.engines.local import count_reports
from qifldp.engines.perturbing import People, perturb_to_file, regrouped
from qifldp.engines.pieces import ROWS_A_PIECE
from qifldp.engines.report_files import open_reports
from qifldp.engines.report_schema import ReportHeader
from qifldp.errors import InputError
from unit.engines.samples import build, by_definition

PROTOCOL = build("oue", 30)
HEADER = ReportHeader(PROTOCOL, simulated=True)


@pytest.mark.parametrize("sizes", [[10], [3, 0, 7], [1] * 10, [0, 10, 0], [4, 4, 2], [0]])
def test_people_are_grouped_anew_in_order(sizes: list[int]) -> None:
    starts = np.concatenate([[0], np.cumsum(sizes)])
    people = [
        People(np.arange(a, b), [f"u{i}" for i in range(a, b)], b / 10)
        for a, b in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    found = list(regrouped(iter(people), 4))
    assert [part.places.tolist() for part in found] == [
        list(range(start, min(start + 4, sum(sizes)))) for start in range(0, sum(sizes), 4)
    ]
    assert all(part.ids == [f"u{i}" for i in part.places] for part in found)


def test_a_simulation_depends_on_the_seed_alone(tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 30, 150_000)
    for name, step in (("a.parquet", 150_000), ("b.parquet", 7_777)):
        people = (People(values[start : start + step]) for start in range(0, 150_000, step))
        perturb_to_file(tmp_path / name, HEADER, people, rng=np.random.default_rng(5))
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    at_once = PROTOCOL.perturb(values, rng=np.random.default_rng(5))
    counted = count_reports(tmp_path / "b.parquet").accumulator
    assert counted.counts.tolist() == by_definition(at_once).tolist()


def test_the_secure_client_draws_without_a_seed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("the simulation was asked")

    monkeypatch.setattr(type(PROTOCOL), "perturb", forbidden)
    values = np.arange(30_000) % 30
    written = perturb_to_file(tmp_path / "r.csv", ReportHeader(PROTOCOL), [People(values)])
    assert (written.reports, written.file_bytes) == (30_000, (tmp_path / "r.csv").stat().st_size)
    assert 0.999999 < written.epsilon <= 1
    counts = count_reports(tmp_path / "r.csv").accumulator.counts
    # 1,000 people have each value: six standard deviations, a false alarm in fewer than one of 10^7 runs.
    p, q = (float(chance) for chance in PROTOCOL.mechanism.support_chances)
    spread = (1000 * p * (1 - p) + 29_000 * q * (1 - q)) ** 0.5
    assert np.abs(counts - 1000 * p - 29_000 * q).max() < 6 * spread
    again = perturb_to_file(tmp_path / "s.csv", ReportHeader(PROTOCOL), [People(values)])
    assert again.reports == 30_000
    assert (tmp_path / "r.csv").read_bytes() != (tmp_path / "s.csv").read_bytes()


def test_nothing_is_written_if_anything_fails(tmp_path: Path) -> None:
    def people() -> Iterator[People]:
        yield People(np.zeros(ROWS_A_PIECE, np.int64))
        raise InputError("Row 65,537 has no id.")

    with pytest.raises(InputError, match="no id"):
        perturb_to_file(tmp_path / "r.parquet", HEADER, people(), rng=np.random.default_rng(0))
    with pytest.raises(InputError, match=r"^There is nobody to report: the data have no rows\.$"):
        perturb_to_file(tmp_path / "r.parquet", HEADER, [], rng=np.random.default_rng(0))
    assert list(tmp_path.iterdir()) == []


def test_row_groups_are_bounded(tmp_path: Path) -> None:
    wide = build("oue", 1_000_000)
    people = [People(np.zeros(600, np.int64))]
    perturb_to_file(tmp_path / "r.parquet", ReportHeader(wide), people, rng=np.random.default_rng(0))
    ends = [piece.end for piece in open_reports(tmp_path / "r.parquet").pieces()]
    assert ends == [268, 536, 600]  # 32 MiB of 125,000 bytes
