"""Counts of reports: the same in any order and on any threads, of one protocol only, and kept as JSON."""

from __future__ import annotations

import copy
import itertools
import json
import tracemalloc
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from qifldp.collection.accumulator import BYTES_A_PART, Accumulator, Weights
from qifldp.collection.estimates import Post
from qifldp.collection.mechanism import Rows
from qifldp.collection.reports import Reports, fingerprint
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

KINDS: list[Protocol] = [
    GRR(20, 1), SS(20, 1, omega=6), SS(20, 1, omega=2), OUE(20, 1), SUE(20, 1), THE(20, 1), UE(20, p="0.1", q="0.4"),
    BLH(20, 1), OLH(20, 2), OUE(100, 1), Mix(20, 1, parts="0.3*ss@2+0.5*ss@6"),
    Mix(100, 1, parts="0.3*ss@2+0.3*oue+0.3*olh+0.1*ss@40"),
]  # fmt: skip

every_kind = pytest.mark.parametrize("protocol", KINDS, ids=repr)


def drawn(protocol: Protocol, n: int = 50_000, seed: int = 1) -> Reports:
    rng = np.random.default_rng(seed)
    return protocol.perturb(rng.integers(0, protocol.domain_size, n), rng=rng)


def counted(*reports: Reports, weights: Weights = "value", threads: int | None = None) -> Accumulator:
    found = reports[0].protocol
    assert isinstance(found, Protocol)
    accumulator = found.accumulator(weights=weights)
    for part in reports:
        accumulator.update(part, threads=threads)
    return accumulator


def test_probabilities_as_drawn_are_part_of_the_fingerprint() -> None:
    """Two machines that round a probability apart run two protocols."""
    one, other = (
        SimpleNamespace(to_json=dict, mechanism=SimpleNamespace(support_chances=(Fraction(1, 2), q)))
        for q in (Fraction(1, 4), Fraction(2**62 + 1, 2**64))
    )
    again = SimpleNamespace(to_json=dict, mechanism=one.mechanism)
    assert fingerprint(one) == fingerprint(again)
    assert fingerprint(one) != fingerprint(other)


def contents(accumulator: Accumulator) -> dict[str, object]:
    return accumulator.to_json()


@every_kind
@pytest.mark.parametrize("weights", ["value", "plain"])
def test_counts_are_those_of_each_report(protocol: Protocol, weights: Weights) -> None:
    reports = drawn(protocol)
    found = counted(reports, weights=weights)
    supports = reports.supports
    classes = found.classes.class_of[supports.sum(axis=1)] if len(found.table) > 1 else np.zeros(len(reports), int)
    assert found.n == len(reports)
    assert (found.counts == supports.sum(axis=0)).all()
    for place in range(len(found.table)):
        assert found.totals[place] == (classes == place).sum()
        assert (found.table[place] == supports[classes == place].sum(axis=0)).all()
    assert contents(found.as_plain()) == contents(counted(reports, weights="plain"))


@every_kind
def test_reports_in_any_layout_of_memory(protocol: Protocol) -> None:
    """What counts them reads row after row."""
    reports = drawn(protocol, 1000)
    wide = np.full((1000, 2 * reports.rows.shape[1] + 1), 0xFF, np.uint8)
    wide[:, 1::2] = reports.rows
    for rows in (np.asfortranarray(reports.rows), wide[:, 1::2]):
        assert Reports(protocol, rows).rows.flags.c_contiguous
        assert contents(counted(Reports(protocol, rows))) == contents(counted(reports))
        assert (Reports(protocol, rows).supports == reports.supports).all()
        found = protocol.accumulator()
        found.count_part(rows)
        assert contents(found) == contents(counted(reports))
    for part in (slice(None, None, 2), slice(None, None, -1), slice(900, 100, -3)):
        picked = Reports(protocol, np.array([list(report) for report in list(reports)[part]], np.uint8))
        assert contents(counted(reports[part])) == contents(counted(picked))
        assert (reports[part].supports == picked.supports).all()


@every_kind
def test_order_parts_and_threads_change_nothing(protocol: Protocol) -> None:
    reports = drawn(protocol)
    whole = contents(counted(reports, threads=1))
    assert contents(counted(reports, threads=2)) == whole
    assert contents(counted(reports)) == whole
    parts = [reports[:7], reports[7:20_000], reports[20_000:]]
    for order in itertools.permutations(parts):
        assert contents(counted(*order)) == whole
        merged = protocol.accumulator()
        for part in order:
            merged.merge(counted(part))
        assert contents(merged) == whole
    assert contents(counted(reports[:0])) == contents(protocol.accumulator())


@every_kind
@pytest.mark.parametrize("weights", ["value", "plain"])
def test_counts_survive_json(protocol: Protocol, weights: Weights) -> None:
    found = counted(drawn(protocol), weights=weights)
    found.refuse("a reason", 3)
    again = Accumulator.from_json(json.loads(json.dumps(found.to_json())), protocol)
    assert contents(again) == contents(found)
    posts: tuple[Post, ...] = ("none", "simplex")
    for post in posts:
        ours, theirs = (each.estimate(post=post).columns for each in (found, again))
        assert all((ours[name] == theirs[name]).all() for name in ours)
    again.merge(found)
    assert again.n == 2 * found.n
    assert again.refused == {"a reason": 6}


def damaged(rows: Rows, place: int, byte: int) -> Rows:
    rows = rows.copy()
    rows[::5, place] = byte
    return rows


@pytest.mark.parametrize(
    ("protocol", "place", "byte", "reason"),
    [
        (OUE(20, 1), 2, 0xFF, "bits beyond the domain are set"),
        (SS(20, 1, omega=6), 2, 0xF0, "bits beyond the domain are set"),
        (SS(20, 1, omega=6), 0, 0xFF, "another number of values than every report supports"),
        (SS(20, 1, omega=2), 1, 20, "a value outside the domain"),
        (SS(20, 1, omega=2), 1, 0, "values not in increasing order"),
        (GRR(20, 1), 0, 20, "a value outside the domain"),
        (OLH(20, 1), 16, 4, "a bucket that does not exist"),
        (Mix(20, 1, parts="0.5*ss@2+0.5*ss@6"), 0, 2, "a part of the mixture that does not exist"),
        (Mix(20, 1, parts="1*grr"), 0, 1, "a part of the mixture that does not exist"),
        (Mix(20, 1, parts="1*grr"), 1, 20, "a value outside the domain"),
    ],
    ids=repr,
)
def test_reports_that_no_client_sends_are_refused_and_counted_as_such(
    protocol: Protocol, place: int, byte: int, reason: str
) -> None:
    right = drawn(protocol, 1000)
    found = counted(Reports(protocol, damaged(right.rows, place, byte)))
    assert found.refused == {reason: 200}
    good = np.ones(1000, bool)
    good[::5] = False
    assert (found.table == counted(Reports(protocol, right.rows[good])).table).all()
    assert found.n == 800


def test_no_fewer_than_none_are_refused() -> None:
    found = OUE(20, 1).accumulator()
    with pytest.raises(InputError) as refused:
        found.refuse("a reason", -1)
    assert str(refused.value) == "The number of refused reports must be at least 0, got -1."
    assert found.refused == {}


OTHERS: list[tuple[Protocol, Protocol]] = [
    (OUE(20, 1), OUE(20, 2)),
    (OUE(20, 1), OUE(21, 1)),
    (OUE(20, 1), SUE(20, 1)),
    (SS(20, 1, omega=6), SS(20, 1, omega=7)),
    (LH(20, 1, g=3), LH(20, 1, g=4)),
    (THE(20, 1, theta="0.8"), THE(20, 1, theta="0.9")),
    (UE(20, p="1/2", q="1/4"), UE(20, p="1/2", q="1/5")),
    (Mix(20, 1, parts="0.5*ss@2+0.5*ss@3"), Mix(20, 1, parts="0.5*ss@3+0.5*ss@2")),
    (Mix(20, 1, parts="1*grr"), Mix(20, 1, parts="1*ss@1")),
    (SS(20, 1, omega=1), GRR(20, 1)),  # the same numbers under another name are not taken for agreement
]


@pytest.mark.parametrize(("protocol", "other"), OTHERS, ids=repr)
def test_counts_of_another_protocol_are_refused(protocol: Protocol, other: Protocol) -> None:
    found = counted(drawn(protocol, 100))
    before = contents(found)
    with pytest.raises(InputError) as refused:
        found.update(drawn(other, 100))
    assert str(refused.value) == "The reports are of another protocol, or of other parameters, than the counts."
    with pytest.raises(InputError) as refused:
        found.merge(counted(drawn(other, 100)))
    assert str(refused.value) == "Counts can be added only for one protocol, with one set of parameters and weights."
    with pytest.raises(InputError) as refused:
        Accumulator.from_json(found.to_json(), other)
    assert str(refused.value) == "The counts are of another protocol, or of other parameters."
    assert contents(found) == before


@pytest.mark.parametrize("threads", [0, -1])
def test_no_threads_are_refused(threads: int) -> None:
    with pytest.raises(InputError) as refused:
        counted(drawn(OUE(20, 1), 100), threads=threads)
    assert str(refused.value) == f"threads must be at least 1, got {threads}."


@pytest.mark.parametrize("protocol", [SS(200_000, "3.3"), SS(200_000, 1), OUE(200_000, 1)], ids=repr)
def test_counting_takes_little_more_memory_than_the_reports(protocol: Protocol) -> None:
    """However wide they are: what is copied is a part of some bytes, not of some reports."""
    reports = drawn(protocol, (48 << 20) // (protocol.report_bytes or 1))
    found = protocol.accumulator(weights="plain")
    found.update(reports[:1])  # compiles
    tracemalloc.start()
    try:
        found.update(reports, threads=1)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    tables = 3 * found.table.nbytes  # of the part, and what is read of both as one is added to the other
    assert peak < 2 * BYTES_A_PART + tables < reports.rows.nbytes / 2


def test_sets_of_one_size_add_up() -> None:
    document = counted(drawn(GRR(4, 1), 100)).to_json()
    document["table"] = [[100, 100, 100, 99]]
    with pytest.raises(InputError) as refused:
        Accumulator.from_json(document, GRR(4, 1))
    assert str(refused.value) == "The counts of a class cannot be those of reports of its sizes."


def test_counts_of_other_weights_and_reports_of_another_width_are_refused() -> None:
    reports = drawn(OUE(20, 1), 100)
    with pytest.raises(InputError, match="with one set of parameters and weights"):
        counted(reports).merge(counted(reports, weights="plain"))
    wrong: list[Any] = [reports.rows[:, :2], reports.rows.astype(np.int64), reports.rows[0]]
    for rows in wrong:
        with pytest.raises(InputError, match=r"^Reports of this protocol must be rows of 3 bytes, got "):
            Reports(reports.protocol, rows)
    with pytest.raises(InputError) as refused:
        OUE(20, 1).accumulator(weights="best")  # type: ignore[arg-type]
    assert str(refused.value) == "weights must be value or plain, got 'best'."


NOT_COUNTS: list[tuple[dict[str, Any], str]] = [
    ({"kind": "channel"}, "must have exactly"),
    ({"more": 1}, "must have exactly"),
    ({"schema_version": 2}, "schema_version of the counts must be 1, got 2"),
    ({"schema_version": True}, "schema_version of the counts must be 1, got True"),
    ({"schema_version": 1.0}, "schema_version of the counts must be 1, got 1.0"),
    ({"fingerprint": "0"}, "of another protocol"),
    ({"protocol": GRR(7, 99).to_json()}, "of another protocol"),
    ({"protocol": OUE(4, 2).to_json()}, "of another protocol"),
    ({"totals": [1, 2]}, "another number of classes"),
    ({"totals": "100"}, "must be whole numbers"),
    ({"table": [[0] * 4] * 4}, "another number of classes"),
    ({"table": [[0] * 3] * 5}, "not of 4 values"),
    ({"table": [[1e3] * 4] * 5}, "must be whole numbers"),
    ({"table": [[101] * 4] * 5}, "must be whole numbers"),
    ({"table": [[-1] * 4] * 5}, "must be whole numbers"),
    ({"table": [[True] * 4] * 5}, "must be whole numbers"),
    ({"table": [[1] * 4] * 5}, "cannot be those of reports of its sizes"),  # of nothing, some
    ({"class_starts": [0, 1, 2, 4, 3]}, "do not start at 0 and increase"),
    ({"class_starts": [1, 2, 3, 4, 5]}, "must be whole numbers of at most 4"),
    ({"refused": ["x"]}, "must be numbers by reason"),
    ({"refused": {"x": -1}}, "must be whole numbers"),
]


@pytest.mark.parametrize(("changes", "words"), NOT_COUNTS, ids=lambda value: str(value)[:40])
def test_documents_that_are_no_counts_are_refused(changes: dict[str, Any], words: str) -> None:
    found = counted(drawn(OUE(4, 1), 100))
    document = copy.deepcopy(found.to_json()) | changes
    with pytest.raises(InputError) as refused:
        Accumulator.from_json(document, OUE(4, 1))
    assert words in str(refused.value)


@pytest.mark.parametrize("document", [None, [], "counts", {}, {"kind": "report-counts"}], ids=repr)
def test_other_documents_are_refused(document: object) -> None:
    with pytest.raises(InputError, match=r"^Counts must have exactly: class_starts, fingerprint, "):
        Accumulator.from_json(document, OUE(4, 1))


def test_only_classes_of_a_protocol_that_has_them() -> None:
    document = counted(drawn(GRR(4, 1), 100)).to_json() | {
        "class_starts": [0, 1], "totals": [0, 0], "table": [[0] * 4] * 2,
    }  # fmt: skip
    with pytest.raises(InputError) as refused:
        Accumulator.from_json(document, GRR(4, 1))
    assert str(refused.value) == "The counts tell sizes apart that this protocol does not."


MOST = (1 << 62) - 1


def of_many(totals: list[int]) -> dict[str, object]:
    """Return counts of OUE on 4 values with so many reports of each size, all of the first values."""
    table = [[total * (place < size) for place in range(4)] for size, total in enumerate(totals)]
    return OUE(4, 1).accumulator().to_json() | {"totals": totals, "table": table}


def test_counts_that_no_64_bits_hold_are_refused() -> None:
    """Neither a document nor a sum of several may make them."""
    for totals in ([MOST] * 5, [MOST, 1, 0, 0, 0], [MOST + 1, 0, 0, 0, 0]):
        with pytest.raises(InputError):
            Accumulator.from_json(of_many(totals), OUE(4, 1))
    found = Accumulator.from_json(of_many([0, MOST - 100, 0, 0, 0]), OUE(4, 1))
    assert (found.n, found.counts.tolist()) == (MOST - 100, [MOST - 100, 0, 0, 0])
    before = contents(found)
    with pytest.raises(InputError) as refused:
        found.merge(counted(drawn(OUE(4, 1), 101)))
    assert str(refused.value) == "Counts of 2^62 reports or more cannot be added up."
    assert contents(found) == before
    found.merge(counted(drawn(OUE(4, 1), 100)))
    assert found.n == MOST
    assert found.counts.min() >= 0
    assert found.estimate(weights="plain").n == MOST


def test_counts_in_a_single_class_are_counts_of_their_own() -> None:
    found = counted(drawn(OUE(4, 1), 100))
    found.refuse("a reason")
    found.as_plain().refuse("another")
    assert found.refused == {"a reason": 1}
