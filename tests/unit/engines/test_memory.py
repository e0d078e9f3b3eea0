"""Memory is bounded by the size of a piece, whatever the size of a file, and whatever it says."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import qifldp
from qifldp.collection.reports import Reports
from unit.engines.samples import build, header_of, outcome, raw_arrow, raw_parquet, write

pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from Linux's /proc")

PEAK = r"""
import re, sys
from pathlib import Path
from qifldp.engines.local import count_reports
from qifldp.errors import InputError
try:
    found = count_reports(sys.argv[1], threads=2).accumulator
    print(found.n, sum(found.refused.values()))
except InputError as error:
    print("refused", error)
print(int(re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024)
"""

SLACK = 100
"""MiB by which the peak of a process may differ from another's: pieces of 8 MiB wait, and allocators keep some."""


def peak(source: Path) -> tuple[str, int]:
    """Return what a process of its own counted, and the most memory that it had, in MiB."""
    environment = os.environ | {"PYTHONPATH": str(Path(qifldp.__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", PEAK, str(source)], env=environment, capture_output=True, text=True, check=True
    )
    counted, memory = done.stdout.splitlines()
    return counted, int(memory)


@pytest.mark.parametrize("ending", [".parquet", ".arrow"])
def test_large_files_take_no_more_than_small_ones(tmp_path: Path, ending: str) -> None:
    protocol = build("oue", 1024)
    rows = np.random.default_rng(0).integers(0, 256, (1 << 16, 128), np.uint8)
    small, large = tmp_path / f"s{ending}", tmp_path / f"l{ending}"
    write(small, Reports(protocol, rows), rows=1 << 16)
    write(large, Reports(protocol, np.tile(rows, (24, 1))), rows=1 << 16)
    assert large.stat().st_size > 192 << 20
    (counted_small, peak_small), (counted_large, peak_large) = peak(small), peak(large)
    assert (counted_small, counted_large) == (f"{1 << 16} 0", f"{24 << 16} 0")
    assert peak_large < peak_small + SLACK


def test_a_long_text_that_stands_for_many(tmp_path: Path) -> None:
    protocol = build("oue", 5)
    base = peak(raw_parquet(tmp_path / "s.parquet", {"report": pa.array([b"\0"])}, header_of(protocol)))[1]
    once = pa.array([b"\0" * (16 << 20), b"\1"])
    many = pa.DictionaryArray.from_arrays(np.array([0] * 100_000 + [1] * 7, np.int32), once)
    path = raw_parquet(
        tmp_path / "r.parquet", {"report": many, "id": many}, header_of(protocol), write_statistics=False
    )
    assert path.stat().st_size < 80 << 20  # for 1.6 TB of reports
    counted, memory = peak(path)
    assert counted == "1 100006"
    assert memory < base + 16 * 16 + SLACK  # about five copies of a column, and of its digests


def test_row_groups_that_are_too_large(tmp_path: Path) -> None:
    protocol = build("oue", 5)
    column = pa.array([b"\0" * (1 << 20)] * 300)
    path = raw_parquet(tmp_path / "r.parquet", {"report": column}, header_of(protocol), use_dictionary=False)
    sentence = "Row group 1 of 'r.parquet' has a column of more than 256 MiB: write it in smaller row groups."
    assert outcome(path) == sentence
    assert outcome(raw_arrow(tmp_path / "r.arrow", {"report": column}, header_of(protocol))) == (
        "'r.arrow' has a batch of more than 256 MiB."
    )


def test_batches_of_absurd_lengths(tmp_path: Path) -> None:
    columns = {"report": pa.Array.from_buffers(pa.null(), (1 << 31) - 1, [None])}
    found = outcome(raw_arrow(tmp_path / "r.arrow", columns, header_of(build("oue", 5))))
    assert found == "'r.arrow' has a batch of 2,147,483,647 rows."


def test_lines_that_are_too_long(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(b"#qifldp " + header_of(build("oue", 5))[b"qifldp"] + b"\nreport\n" + b"00" * (9 << 20))
    assert outcome(path) == "'r.csv' has a line of more than 8 MiB."
