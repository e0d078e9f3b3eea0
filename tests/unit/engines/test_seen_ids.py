"""The set of ids that were seen."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from qifldp.engines.seen_ids import SeenIds, insert


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.binary(), pa.int64(), "dictionary"])
def test_like_a_set_of_python(kind: pa.DataType | str) -> None:
    rng, known, seen = np.random.default_rng(0), set[int](), SeenIds()
    for _ in range(20):
        numbers = rng.integers(0, 30_000, 2_000).tolist()
        texts = pa.array([str(number) for number in numbers])
        fresh = seen.add(texts.dictionary_encode() if kind == "dictionary" else texts.cast(kind)).tolist()
        expected = []
        for number in numbers:
            expected.append(number not in known)
            known.add(number)
        assert fresh == expected
        assert len(seen) == len(known)


def test_memory_of_an_id() -> None:
    seen = SeenIds()
    for start in range(0, 300_000, 10_000):
        seen.add(pa.array(range(start, start + 10_000)))
    assert len(seen) == 300_000
    assert 21 <= seen._table.nbytes / len(seen) <= 43


def test_digests_that_begin_alike_are_told_apart() -> None:
    table = np.zeros((8, 2), np.uint64)
    digests = np.array([[7, 1], [7, 2], [15, 1], [7, 1], [0, 3], [7, 3]], np.uint64)
    fresh = np.empty(6, np.bool_)
    assert insert(table, digests, fresh) == 5
    assert fresh.tolist() == [True, True, True, False, True, True]


def test_a_key_of_its_own_for_each_set() -> None:
    first, second = SeenIds(), SeenIds()
    for seen in (first, second):
        assert seen.add(pa.array(["a"])).tolist() == [True]
    assert first._table.tolist() != second._table.tolist()


def test_no_ids() -> None:
    assert SeenIds().add(pa.array([], pa.string())).tolist() == []
