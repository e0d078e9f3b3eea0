"""Channels written to files read back as they were: bit for bit, or as exact rationals."""

from __future__ import annotations

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from qifldp.channels.channel import Channel
from qifldp.channels.files import read_channel, to_json, write_channel
from qifldp.errors import InputError

LABELS = ["a,b", 'say "hi"', "Köln 東京", "x\ny", " ", "", "1/2", "input"]
ENDINGS = (".csv", ".json", ".parquet")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def random_channel(labelled: bool) -> Channel:
    """Return a channel of awkward doubles, subnormal ones among them."""
    matrix = np.random.default_rng(5).dirichlet(np.full(8, 0.2), size=8)
    matrix[0, :2] = (5e-324, 1 - matrix[0, 2:].sum())
    labels = LABELS if labelled else None
    return Channel(matrix, inputs=labels, outputs=None if labels is None else [*labels[:-1], "output"], normalize=True)


def exact_channel() -> Channel:
    """Return a channel whose rationals no double holds."""
    tiny = Fraction(1, 3**60)
    return Channel([[Fraction(1, 3), Fraction(2, 3)], [tiny, 1 - tiny], [0, 1]], inputs=["a,b", "é", '"'])


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("labelled", [False, True])
def test_floats_survive_bit_for_bit(tmp_path: Path, ending: str, labelled: bool) -> None:
    channel = random_channel(labelled)
    write_channel(channel, tmp_path / f"c{ending}")
    found = read_channel(tmp_path / f"c{ending}")
    assert not found.is_exact
    assert found.matrix.tobytes() == channel.matrix.tobytes()
    assert (found.inputs, found.outputs) == (channel.inputs, channel.outputs)


@pytest.mark.parametrize("ending", ENDINGS)
def test_rationals_survive_exactly(tmp_path: Path, ending: str) -> None:
    channel = exact_channel()
    write_channel(channel, tmp_path / f"c{ending}")
    found = read_channel(tmp_path / f"c{ending}")
    assert found.is_exact
    assert found == channel


@pytest.mark.parametrize("ending", ENDINGS)
def test_whole_numbers_of_either_kind_keep_their_kind(tmp_path: Path, ending: str) -> None:
    for channel in (Channel([[1, 0], [0, 1]]), Channel([[1.0, 0.0], [0.0, 1.0]])):
        write_channel(channel, tmp_path / f"c{ending}")
        found = read_channel(tmp_path / f"c{ending}")
        assert found == channel
        assert found.is_exact == channel.is_exact


def test_plain_arrays_hold_floats_without_labels(tmp_path: Path) -> None:
    channel = random_channel(labelled=True)
    write_channel(channel, tmp_path / "c.npy")
    found = read_channel(tmp_path / "c.npy")
    assert found.matrix.tobytes() == channel.matrix.tobytes()
    assert found.inputs == tuple(map(str, range(8)))
    with pytest.raises(InputError) as caught:
        write_channel(exact_channel(), tmp_path / "exact.npy")
    assert str(caught.value) == "An .npy file cannot hold exact rationals: write .csv, .json or .parquet."
    assert names(tmp_path) == ["c.npy"]


def test_written_documents_are_plain(tmp_path: Path) -> None:
    write_channel(exact_channel(), tmp_path / "c.json")
    document = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert document == to_json(exact_channel())
    assert (document["schema_version"], document["kind"], document["inputs"]) == (1, "channel", ["a,b", "é", '"'])
    assert document["matrix"][0] == ["1/3", "2/3"]
    write_channel(exact_channel(), tmp_path / "c.csv")
    with (tmp_path / "c.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["input", "0", "1"]
    assert rows[1] == ["a,b", "1/3", "2/3"]


def test_decimals_are_exact_on_request(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("0.1,0.9\n0.2,0.8\n")
    exact = read_channel(tmp_path / "c.csv", exact=True)
    assert exact.is_exact
    assert exact.matrix[0, 0] == Fraction(1, 10)
    assert not read_channel(tmp_path / "c.csv").is_exact


def test_rows_are_normalised_exactly_on_request(tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("1,2\n3,1\n")
    found = read_channel(tmp_path / "c.csv", normalize=True)
    assert found.matrix.tolist() == [[Fraction(1, 3), Fraction(2, 3)], [Fraction(3, 4), Fraction(1, 4)]]


@pytest.mark.parametrize("name", ["c.txt", "c", "c.csv.gz"])
def test_unknown_endings_write_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError) as caught:
        write_channel(exact_channel(), tmp_path / name)
    assert str(caught.value).startswith("A channel file must be named .csv, .json, .npy, .parquet, got ")
    assert names(tmp_path) == []


def test_an_old_file_survives_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_channel(exact_channel(), tmp_path / "c.json")

    def fails(*_arguments: object) -> str:
        raise RuntimeError

    monkeypatch.setattr(json, "dumps", fails)
    with pytest.raises(RuntimeError):
        write_channel(random_channel(labelled=False), tmp_path / "c.json")
    assert read_channel(tmp_path / "c.json") == exact_channel()
    assert names(tmp_path) == ["c.json"]
