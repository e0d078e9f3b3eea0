"""Reports of mixtures: which part they are of, what is refused, and how their sizes are told apart."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy.stats import binom

from oracles.report_laws import WORD
from qifldp.collection.accumulator import Accumulator
from qifldp.collection.entropy import Entropy
from qifldp.collection.mechanism import FAULTS, ROWS_A_STREAM
from qifldp.collection.mixture import MOST_PARTS, MixMechanism
from qifldp.collection.size_classes import MOST_CELLS, MOST_CLASSES, size_classes
from qifldp.collection.subsets import SubsetMechanism
from qifldp.errors import InputError
from qifldp.protocols.mixture import Mix
from qifldp.protocols.subset_selection import SS

MIX = Mix(20, 1, parts="0.5*ss@2+0.25*oue")
"""Two bytes of members, three of bits, and a quarter of silence: four bytes a report."""


def entropy_of(words: list[int]) -> Entropy:
    """Return an entropy whose first words are these, and then zeros."""
    first = b"".join(word.to_bytes(8, "little") for word in words)

    def source(count: int) -> bytes:
        nonlocal first
        taken, first = first[:count], first[count:]
        return taken.ljust(count, b"\0")

    return Entropy(source)


def test_a_word_below_a_cumulative_chance_takes_the_part() -> None:
    """At the threshold itself the next part reports."""
    mechanism = MIX.mechanism
    half, quarter = WORD // 2, WORD // 4
    words = [0, half - 1, half, half + quarter - 1, half + quarter, WORD - 1]
    rows = mechanism.draw_securely([3] * 6, entropy_of(words))
    assert rows[:, 0].tolist() == [0, 0, 1, 1, 2, 2]
    assert not rows[4:, 1:].any()
    assert not rows[:2, 3:].any()


def test_the_last_part_is_drawn_up_to_the_largest_word() -> None:
    mechanism = Mix(20, 1, parts="0.5*ss@2+0.5*grr").mechanism
    assert mechanism.draw_securely([3, 3], entropy_of([WORD // 2, WORD - 1]))[:, 0].tolist() == [1, 1]
    whole = Mix(20, 1, parts="1*grr").mechanism
    assert whole.draw_securely([3, 3], entropy_of([0, WORD - 1]))[:, 0].tolist() == [0, 0]


def test_one_state_gives_one_result_over_several_streams() -> None:
    values = np.arange(ROWS_A_STREAM + 100) % 20
    once, again = (MIX.perturb(values, rng=np.random.default_rng(4)).rows for _ in range(2))
    assert (once == again).all()
    assert (once[:ROWS_A_STREAM] == MIX.perturb(values[:ROWS_A_STREAM], rng=np.random.default_rng(4)).rows).all()
    halves = once[:100], once[ROWS_A_STREAM:]
    assert (halves[0] != halves[1]).any()


def test_people_of_different_parts_draw_apart() -> None:
    """Of parts of one kind, the i-th reports of two are equal as often as independent ones; of one stream, always."""
    single = SubsetMechanism(1000, WORD // 2, 1)
    mechanism = MixMechanism(1000, (single,) * MOST_PARTS, (WORD // MOST_PARTS,) * MOST_PARTS)
    rows = mechanism.draw(np.zeros(16_000, np.int64), np.random.default_rng(6))
    drawn = [single.members(np.ascontiguousarray(rows[rows[:, 0] == part, 1:])).ravel() for part in range(MOST_PARTS)]
    equal = 1 / 4 + 1 / 4 / 999
    for one, other in itertools.combinations(drawn, 2):
        n = min(len(one), len(other))
        assert n > 800
        # Chance that one of the 120 pairs fails without a fault: 1e-6.
        least, most = binom.ppf(np.array([1e-6 / 240, 1 - 1e-6 / 240]), n, equal)
        assert least <= (one[:n] == other[:n]).sum() <= most


def test_no_reports() -> None:
    assert MIX.perturb([], rng=np.random.default_rng(1)).rows.shape == (0, 4)
    assert MIX.mechanism.draw_securely([], Entropy()).shape == (0, 4)
    assert MIX.mechanism.faults(np.empty((0, 4), np.uint8)).shape == (0,)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ([0, 3, 7, 0], ""),
        ([1, 0xFF, 0xFF, 0x0F], ""),
        ([2, 0, 0, 0], ""),
        ([3, 0, 0, 0], "a part of the mixture that does not exist"),
        ([255, 3, 7, 0], "a part of the mixture that does not exist"),
        ([0, 3, 7, 1], "bytes beyond the report of its part are set"),
        ([2, 0, 0, 1], "bytes beyond the report of its part are set"),
        ([2, 1, 0, 0], "bytes beyond the report of its part are set"),
        ([0, 7, 3, 0], "values not in increasing order"),
        ([0, 3, 20, 0], "a value outside the domain"),
        ([0, 3, 20, 9], "bytes beyond the report of its part are set"),
        ([1, 0, 0, 0x10], "bits beyond the domain are set"),
    ],
)
def test_reasons(row: list[int], reason: str) -> None:
    (fault,) = MIX.mechanism.faults(np.array([row], np.uint8))
    assert FAULTS[fault] == reason


def test_reasons_keep_their_places() -> None:
    """A mechanism names a reason by a number; new ones are added at the end."""
    assert FAULTS[:6] == (
        "",
        "bits beyond the domain are set",
        "another number of values than every report supports",
        "a value outside the domain",
        "values not in increasing order",
        "a bucket that does not exist",
    )


def test_silence_that_is_not_in_the_mixture_is_refused() -> None:
    whole = Mix(20, 1, parts="0.5*ss@2+0.5*oue").mechanism
    (fault,) = whole.faults(np.array([[2, 0, 0, 0]], np.uint8))
    assert FAULTS[fault] == "a part of the mixture that does not exist"


def test_supports_and_counts_are_those_of_the_parts() -> None:
    rows = np.array([[0, 3, 7, 0], [1, 0b101, 0, 0], [2, 0, 0, 0], [1, 0, 0, 0]], np.uint8)
    supports = MIX.mechanism.supports(rows)
    assert [np.flatnonzero(row).tolist() for row in supports] == [[3, 7], [0, 2], [], []]
    counts = MIX.accumulator()
    counts.count_part(rows)
    assert counts.totals.tolist()[:4] == [2, 0, 2, 0]
    assert counts.counts.tolist() == supports.sum(axis=0).tolist()


@pytest.mark.parametrize(
    ("k", "parts", "starts"),
    [
        (1000, "0.3*ss@20+0.6*ss@25+0.05*grr", (0, 1, 20, 25)),
        (1000, "0.4*ss@20+0.6*ss@25", (0, 25)),
        (1000, "0.001*ss@20+0.999*ss@25", (0, 25)),
        (10, "0.4*ss@2+0.3*ss@5", (0, 2, 5)),
        (10, "0.5*ss@2+0.3*grr+0.2*ss@1", (0, 2)),
        (10, "1*ss@3", (0,)),
        (10, "0.5*grr+0.5*ss@1", (0,)),
        (10, "0.9*ss@3", (0, 3)),
        (3, "0.5*grr+0.5*oue", (0, 1, 2, 3)),
        (MOST_CELLS, "0.5*ss@2+0.5*ss@3", (0,)),
    ],
)
def test_each_size_of_a_few_is_a_class(k: int, parts: str, starts: tuple[int, ...]) -> None:
    found = size_classes(Mix(k, 1, parts=parts).mechanism)
    assert found.starts == starts
    assert found.share.sum() == pytest.approx(1, abs=1e-15)


def test_many_sizes_are_put_together() -> None:
    found = size_classes(Mix(1000, 1, parts="0.5*oue+0.5*ss@400").mechanism)
    assert 10 < len(found.starts) <= MOST_CLASSES
    assert found.share.sum() == pytest.approx(1, abs=1e-12)  # a thousand masses from logarithms
    few = size_classes(Mix(MOST_CELLS // 2, 1, parts="0.4*ss@2+0.3*ss@3+0.3*ss@4").mechanism)
    assert len(few.starts) == 2  # as many as there is room for


def test_a_class_tells_what_its_reports_tell() -> None:
    """At size 2, and at nothing; sizes of one class are weighed by their masses."""
    single = SS(20, 2, omega=2).mechanism
    p, q = (float(chance) for chance in single.support_chances)
    found = size_classes(Mix(20, 2, parts="0.5*ss@2+0.25*ss@5").mechanism)
    assert found.share.tolist() == [0.25, 0.5, 0.25]
    assert (found.absent[:2].tolist(), found.gap[:2].tolist()) == ([0, q], [0, p - q])
    together = size_classes(Mix(20, 2, parts="0.5*ss@2+0.25*ss@5").mechanism, (0, 3))
    assert (together.absent[0], together.gap[0]) == pytest.approx((q * 2 / 3, (p - q) * 2 / 3), rel=1e-15)
    assert together.sizes == [(0, 2), (5, 5)]


def test_counts_that_sizes_of_a_mixture_do_not_allow_are_refused() -> None:
    mix = Mix(10, 1, parts="0.5*ss@2+0.5*ss@5")
    counts = mix.accumulator()
    counts.update(mix.perturb(np.arange(100) % 10, rng=np.random.default_rng(1)))
    document = counts.to_json()
    assert (Accumulator.from_json(document, mix).table == counts.table).all()
    for more in (1, -1):
        wrong = [row.copy() for row in counts.table.tolist()]
        wrong[0][0] += more
        with pytest.raises(InputError) as refused:
            Accumulator.from_json(document | {"table": wrong}, mix)
        assert str(refused.value) == "The counts of a class cannot be those of reports of its sizes."


def test_silence_alone_is_nothing_to_estimate_from() -> None:
    counts = MIX.accumulator()
    counts.count_part(np.array([[2, 0, 0, 0]] * 5, np.uint8))
    assert counts.n == 5
    with pytest.raises(InputError) as refused:
        counts.estimate()
    assert str(refused.value) == (
        "All reports support no value or all values, and weighed by size they say nothing: "
        "take the textbook estimate (--weights plain)."
    )


def test_as_many_parts_as_there_are_streams() -> None:
    """Sixteen parts, each of which draws from a stream of its own."""
    parts = tuple(SubsetMechanism(40, WORD // 3 * 2, size) for size in range(1, MOST_PARTS + 1))
    mechanism = MixMechanism(40, parts, (WORD // MOST_PARTS,) * MOST_PARTS)
    rows = mechanism.draw(np.zeros(4000, np.int64), np.random.default_rng(3))
    assert set(rows[:, 0].tolist()) == set(range(MOST_PARTS))
    assert not mechanism.faults(rows).any()
    assert (mechanism.supports(rows).sum(axis=1) == rows[:, 0] + 1).all()
