"""The clicks of a file, and what stands in for them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from qifldp.data.datasets import load_dataset
from qifldp.errors import InputError
from qifldp.experiments import clicks
from qifldp.experiments.clicks import STAND_IN_VALUES, most_frequent, read_clicks, sample

LINES = "\n".join(" ".join(str(item % (7 + line)) for item in range(3 * line)) for line in range(1, 30))
COUNTS = sorted(Counter(LINES.split()).values(), reverse=True)


@pytest.mark.parametrize("block", [1, 2, 3, 64, 1 << 22])
@pytest.mark.parametrize("end", ["", "\n", " \r\n\n"])
def test_all_items_are_counted_wherever_blocks_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, end: str
) -> None:
    monkeypatch.setattr(clicks, "BLOCK_BYTES", block)
    file = tmp_path / "c.dat"
    file.write_bytes((LINES + end).encode())
    shares: list[float] = []
    found = read_clicks(file, shares.append)
    assert found.counts.tolist() == COUNTS
    assert found.title == f"{sum(COUNTS):,} clicks of 'c.dat'"
    assert shares == sorted(shares)
    assert shares[-1] == 1.0


@pytest.mark.parametrize("text", ["1 2 3", "a", "-1", "1.5", LINES + " 10000000", LINES + " " + "9" * 30, LINES + " é"])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "c.dat"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refused:
        read_clicks(file)
    assert str(refused.value) == (
        "'c.dat' is no file of transactions: lines of whole numbers below 10,000,000, ten different ones at least, "
        "separated by blanks."
    )


def test_ten_different_items_are_enough(tmp_path: Path) -> None:
    file = tmp_path / "c.dat"
    file.write_text(" ".join(map(str, range(10))))
    assert read_clicks(file).counts.tolist() == [1] * 10
    file.write_text(" ".join(map(str, [*range(9), 8])))
    with pytest.raises(InputError, match="ten different ones at least"):
        read_clicks(file)


def test_a_file_without_blanks_is_refused_at_its_first_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers are carried from block to block; what is longer than a number is not."""
    monkeypatch.setattr(clicks, "BLOCK_BYTES", 64)
    file = tmp_path / "c.dat"
    file.write_bytes(LINES.encode() + b" " + b"1" * 10_000)
    shares: list[float] = []
    with pytest.raises(InputError, match="is no file of transactions"):
        read_clicks(file, shares.append)
    assert shares
    assert max(shares) * file.stat().st_size < len(LINES) + 2 * 64


@pytest.mark.parametrize(
    ("pack", "program"), [(gzip.compress, "gunzip"), (lzma.compress, "unxz"), (bz2.compress, "bunzip2")]
)
def test_a_compressed_file_is_named_as_one(tmp_path: Path, pack: Callable[[bytes], bytes], program: str) -> None:
    file = tmp_path / "c.dat.xz"
    file.write_bytes(pack(LINES.encode()))
    with pytest.raises(InputError) as refused:
        read_clicks(file)
    assert str(refused.value) == f"'c.dat.xz' is compressed: unpack it first ({program})."


def test_a_sample_is_of_real_clicks(tmp_path: Path) -> None:
    file = tmp_path / "c.dat"
    file.write_text(LINES)
    real = read_clicks(file)
    counts, words = sample(real, 100, np.random.default_rng(1))
    assert (counts.sum(), counts.min() >= 1, len(counts) <= len(COUNTS)) == (100, True, True)
    assert words == f"100 of {sum(COUNTS):,} clicks of 'c.dat', {len(counts)} values"
    everything, _ = sample(real, sum(COUNTS), np.random.default_rng(1))
    assert sorted(everything.tolist(), reverse=True) == COUNTS  # without replacement
    with pytest.raises(InputError) as refused:
        sample(real, sum(COUNTS) + 1, np.random.default_rng(1))
    assert str(refused.value) == f"Of {sum(COUNTS):,} clicks of 'c.dat' {sum(COUNTS) + 1:,} cannot be drawn."


def test_a_sample_on_one_item_is_refused(tmp_path: Path) -> None:
    """Of 2,000,009 clicks all but nine are on one item; a sample of 10,000 that has another is one in twenty."""
    file = tmp_path / "c.dat"
    file.write_text("0 " * 2_000_000 + " ".join(map(str, range(1, 10))))
    with pytest.raises(InputError) as refused:
        sample(read_clicks(file), 10_000, np.random.default_rng(1))
    assert str(refused.value) == (
        "The 10,000 clicks drawn of 2,000,009 clicks of 'c.dat' are all on one item: a histogram needs two at least."
    )


def test_the_stand_in_has_as_many_values_as_it_says() -> None:
    counts, words = sample(None, 10_000, np.random.default_rng(1))
    assert (counts.sum(), len(counts), counts.min()) == (10_000, STAND_IN_VALUES, 1)
    assert words == "a stand-in for Kosarak (10,000 clicks on 3,450 values by Zipf's law)"


def test_the_most_frequent_items(tmp_path: Path) -> None:
    embedded, words = most_frequent(None, 10)
    assert embedded.tolist() == sorted(load_dataset("kosarak").counts, reverse=True)[:10]
    assert words == "the 10 most frequent items of Kosarak (embedded counts)"
    file = tmp_path / "c.dat"
    file.write_text(LINES)
    counts, words = most_frequent(read_clicks(file), 10)
    assert counts.tolist() == COUNTS[:10]
    assert words == f"the 10 most frequent items of {sum(COUNTS):,} clicks of 'c.dat'"


def test_the_real_file_has_as_many_values_as_the_stand_in() -> None:
    named = os.environ.get("QIFLDP_KOSARAK")
    if named is None:
        pytest.skip("QIFLDP_KOSARAK names no file")
    real = read_clicks(named)
    for seed in range(5):  # a packed or shortened file of Kosarak has somewhat fewer
        assert 3_100 < len(sample(real, 10_000, np.random.default_rng(seed))[0]) < 3_700
