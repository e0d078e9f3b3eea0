"""Transactions in FIMI's format: one item each, strictly parsed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from qifldp.data.transactions import LONGEST_LINE, Item, read_items
from qifldp.errors import InputError


def items(path: Path, item: Item = "first", seed: int | None = None) -> tuple[list[str], int]:
    rng = None if seed is None else np.random.default_rng(seed)
    parts = list(read_items(path, item=item, rng=rng))
    return [text for part in parts for text in part.texts.to_pylist()], sum(part.empty for part in parts)


@pytest.mark.parametrize(
    ("content", "expected", "empty"),
    [
        ("1 2 3\n1\n4 5\n", ["1", "1", "4"], 0),
        ("1 2 3\n\n  \n4", ["1", "4"], 2),
        ("007 1\r\n 9\t8 \r\n", ["7", "9"], 0),
        ("1\n\n", ["1"], 1),
        ("\n", [], 1),
        ("999999999999999999\n", ["999999999999999999"], 0),
        ("1 2\r\n3\r", ["1", "3"], 0),
    ],
)
def test_first_items(tmp_path: Path, content: str, expected: list[str], empty: int) -> None:
    (tmp_path / "t.dat").write_bytes(content.encode())
    assert items(tmp_path / "t.dat") == (expected, empty)


@pytest.mark.parametrize(
    ("content", "line", "got"),
    [
        ("1 2\n3 x\n", 2, "'3 x'"),
        ("-1\n", 1, "'-1'"),
        ("1\n2\n\n1.5 2\n3\n", 4, "'1.5 2'"),
        ("1,2\n", 1, "'1,2'"),
        ("1\n+2\n", 2, "'+2'"),
        ("1\n1e3\n", 2, "'1e3'"),
        ("1\0\n", 1, r"'1\x00'"),
        ("١\n", 1, "'��'"),
        ("1000000000000000000\n", 1, "'1000000000000000000'"),
        ("nan", 1, "'nan'"),
        ("1\n2\r3\n", 2, r"'2\r3'"),
        ("1 2\r3\r4\r", 1, r"'1 2\r3\r4\r'"),
    ],
)
def test_anything_else_is_refused(tmp_path: Path, content: str, line: int, got: str) -> None:
    (tmp_path / "t.dat").write_bytes(content.encode())
    with pytest.raises(InputError) as caught:
        items(tmp_path / "t.dat")
    assert str(caught.value) == (
        f"Line {line} of 't.dat' must be whole numbers of at most 18 digits, "
        f"separated by blanks and ended by a newline, got {got}."
    )


def test_lines_across_blocks_and_too_long_ones(tmp_path: Path) -> None:
    path = tmp_path / "t.dat"
    path.write_text("".join(f"{number} 5 6\n" for number in range(700_000)))
    assert path.stat().st_size > LONGEST_LINE
    assert items(path) == ([str(number) for number in range(700_000)], 0)
    path.write_text("1 2\n" * 700_000 + "3 x\n")
    with pytest.raises(InputError, match=r"^Line 700,001 of "):
        items(path)


@pytest.mark.parametrize("before", ["", "1\n", "1\n" * 1000])
@pytest.mark.parametrize("after", ["", "\n", "\n2\n"])
def test_lines_have_the_same_limit_wherever_they_stand(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "t.dat"
    path.write_text(before + "1 " * (LONGEST_LINE // 2) + after)
    assert items(path)[0] == ["1"] * (before.count("\n") + 1) + ["2"] * after.count("2")
    for length in (LONGEST_LINE + 1, LONGEST_LINE * 3 // 2, 2 * LONGEST_LINE):
        path.write_text(before + "1" + " " * (length - 1) + after)
        with pytest.raises(InputError, match=r"^'t\.dat' has a line of more than 4 MiB\.$"):
            items(path)


def test_random_items_are_uniform_over_the_entries_of_a_line(tmp_path: Path) -> None:
    path = tmp_path / "t.dat"
    path.write_text("1 2 2 3\n7\n" * 20_000)
    assert items(path, "random", 1) == items(path, "random", 1)
    assert items(path, "random", 1) != items(path, "random", 2)
    for seed in (1, None):  # None is the operating system's entropy
        found = Counter(items(path, "random", seed)[0])
        assert found["7"] == 20_000
        assert set(found) == {"1", "2", "3", "7"}
        # Six standard deviations of Bin(20 000, p): a false alarm in fewer than one of 10^8 runs.
        for item, chance in (("1", 0.25), ("2", 0.5), ("3", 0.25)):
            assert abs(found[item] - 20_000 * chance) < 6 * (20_000 * chance * (1 - chance)) ** 0.5
