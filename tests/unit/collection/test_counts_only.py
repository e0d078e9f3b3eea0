"""Counts drawn without reports: their joint law is that of the counts of reports."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from oracles.definitions import Table, local_hashing, public_mixture, subset_selection, unary_encoding
from oracles.report_laws import chi_square
from qifldp.collection import counts_only
from qifldp.collection.counts_only import sample_counts
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import BLH, LH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.unary_encoding import OUE, UE

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""

DRAWS = 4_000

Joint = dict[tuple[int, ...], Fraction]


def joint_law(table: Table, people: tuple[int, ...]) -> Joint:
    """Return the law of the k counts of support, over all that all people can report."""
    law: Joint = {(0,) * len(people): Fraction(1)}
    for x, number in enumerate(people):
        for _ in range(number):
            added: Joint = {}
            for counts, chance in law.items():
                for members, column in table.items():
                    after = tuple(count + (v in members) for v, count in enumerate(counts))
                    added[after] = added.get(after, Fraction(0)) + chance * column[x]
            law = added
    return law


def of_independent_counts(law: Joint) -> Joint:
    """Return the law with the same marginals and independent counts."""
    k = len(next(iter(law)))
    marginals: list[Counter[int]] = [Counter() for _ in range(k)]
    for counts, chance in law.items():
        for x, count in enumerate(counts):
            marginals[x][count] += chance  # type: ignore[assignment]
    return {
        tuple(count for count, _ in cell): prod((Fraction(chance) for _, chance in cell), start=Fraction(1))
        for cell in itertools.product(*(marginal.items() for marginal in marginals))
    }


def fit(drawn: Counter[tuple[int, ...]], law: Joint) -> float:
    expected = {("all", counts): DRAWS * float(chance) for counts, chance in law.items()}
    return chi_square(Counter({("all", counts): times for counts, times in drawn.items()}), expected)


def draw(protocol: Protocol, people: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    rng = np.random.default_rng(1)
    return Counter(tuple(sample_counts(protocol, people, rng=rng).counts.tolist()) for _ in range(DRAWS))


CASES: list[tuple[Protocol, Callable[[Fraction], Table]]] = [
    (GRR(3, exp_epsilon=3), lambda e: subset_selection(3, 1, e)),
    (GRR(4, exp_epsilon=3), lambda e: subset_selection(4, 1, e)),
    (SS(3, exp_epsilon=3, omega=2), lambda e: subset_selection(3, 2, e)),
    (SS(4, exp_epsilon=3, omega=2), lambda e: subset_selection(4, 2, e)),
    (SS(4, exp_epsilon=3, omega=3), lambda e: subset_selection(4, 3, e)),
    (OUE(3, exp_epsilon=3), lambda e: unary_encoding(3, Fraction(1, 2), 1 / (e + 1))),
    (UE(3, p="1/5", q="3/5"), lambda e: unary_encoding(3, Fraction(1, 5), Fraction(3, 5) + (e - 3) / 30)),
    (BLH(3, exp_epsilon=3), lambda e: unary_encoding(3, e / (e + 1), Fraction(1, 2))),
    (LH(3, exp_epsilon=3, g=3), lambda e: local_hashing(3, 3, e)),
    (
        Mix(4, exp_epsilon=3, parts="1/4*grr+1/2*ss@2+1/8*oue"),
        lambda e: public_mixture(
            4,
            [
                (Fraction(1, 4), subset_selection(4, 1, e)),
                (Fraction(1, 2), subset_selection(4, 2, e)),
                (Fraction(1, 8), unary_encoding(4, Fraction(1, 2), 1 / (e + 1))),
            ],
        ),
    ),
]
"""Protocols, and their reports enumerated from the definition. (For one report BLH is a unary encoding.)"""


@pytest.mark.parametrize(
    ("protocol", "table"), CASES, ids=lambda case: repr(case) if isinstance(case, Protocol) else ""
)
@pytest.mark.parametrize("people", [(2, 1, 1, 0), (0, 0, 4, 0)])
def test_counts_have_the_joint_law_of_reports(
    protocol: Protocol, table: Callable[[Fraction], Table], people: tuple[int, ...]
) -> None:
    people = people[: protocol.domain_size]
    drawn = draw(protocol, people)
    law = joint_law(table(Fraction(3)), people)
    assert sum(law.values()) == 1
    assert fit(drawn, law) > FALSE_ALARM
    assert fit(drawn, joint_law(table(Fraction(9)), people)) < FALSE_ALARM
    if isinstance(protocol, SS):
        assert fit(drawn, of_independent_counts(law)) < FALSE_ALARM


@pytest.mark.parametrize(("protocol", "table"), CASES[3:5], ids=["omega=2", "omega=3"])
def test_people_who_are_swept_in_parts_have_the_same_law(
    protocol: Protocol, table: Callable[[Fraction], Table], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counts_only, "MOST_SWEPT", 2)
    people = (2, 0, 2, 0)
    assert fit(draw(protocol, people), joint_law(table(Fraction(3)), people)) > FALSE_ALARM


BILLION = 10**9


@pytest.mark.parametrize(
    ("protocol", "each"),
    [
        (GRR(1024, 1), BILLION // 1024),
        (OUE(1024, 1), BILLION // 1024),
        (LH(1024, 2, g=8), BILLION // 1024),
        (SS(1024, 1), BILLION // 1024),
        (SS(8, 1), 3 * BILLION // 8),  # beyond what NumPy draws at once
        (OUE(8, 1), 10**14),
        (GRR(8, 1), 10**14),
        (Mix(1024, 1, parts="0.5*grr+0.3*oue"), BILLION // 1024),
        (Mix(8, 1, parts="0.5*grr+0.3*oue"), 10**14),
    ],
    ids=str,
)
def test_counts_of_billions_of_people(protocol: Protocol, each: int) -> None:
    k = protocol.domain_size
    found = sample_counts(protocol, np.full(k, each), rng=np.random.default_rng(1))
    assert found.n == k * each
    size = protocol.mechanism.fixed_size
    if size is not None:
        assert found.counts.sum() == found.n * size
    error = found.estimate().frequency - 1 / k
    deviation = protocol.variance(1 / k, found.n) ** 0.5
    assert np.abs(error).max() < 7 * deviation  # of 1,024 normal numbers one is beyond seven with chance 3e-9
    assert np.abs(error).max() > deviation / 10  # and all of eight within a tenth with chance 2e-9


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        ([1, 2], "The true counts must be 3 whole numbers, one for each value."),
        ([[1, 2, 3]], "The true counts must be 3 whole numbers, one for each value."),
        ([1.0, 2.0, 3.0], "The true counts must be 3 whole numbers, one for each value."),
        ([True, True, False], "The true counts must be 3 whole numbers, one for each value."),
        (["1", "2", "3"], "The true counts must be 3 whole numbers, one for each value."),
        (None, "The true counts must be 3 whole numbers, one for each value."),
        ([0, 0, 0], "The true counts must be of at least one person and at most 10^15, and none negative."),
        ([-1, 2, 3], "The true counts must be of at least one person and at most 10^15, and none negative."),
        ([10**15, 1, 0], "The true counts must be of at least one person and at most 10^15, and none negative."),
        ([2**62] * 3, "The true counts must be of at least one person and at most 10^15, and none negative."),
        ([2**64] * 3, "The true counts must be 3 whole numbers, one for each value."),
        (
            np.ma.array([1, 2, 3], mask=[False, True, False]),
            "The true counts must be 3 whole numbers, one for each value.",
        ),
        ([[1], [2, 3], 4], "The true counts must be 3 whole numbers, one for each value."),
    ],
    ids=repr,
)
def test_counts_that_are_none_are_refused(counts: object, sentence: str) -> None:
    for protocol in (GRR(3, 1), SS(3, 1, omega=2), OUE(3, 1), BLH(3, 1)):
        with pytest.raises(InputError) as refused:
            sample_counts(protocol, counts, rng=np.random.default_rng(1))
        assert str(refused.value) == sentence


@pytest.mark.parametrize("rng", [None, 5])
def test_randomness_that_is_none_is_refused(rng: Any) -> None:
    with pytest.raises(InputError, match=r"^rng must be a numpy\.random\.Generator, such as "):
        sample_counts(OUE(3, 1), [1, 2, 3], rng=rng)


def test_more_people_than_can_be_swept_at_once_are_swept_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    swept: list[int] = []
    take = counts_only._take

    def noted(waiting: NDArray[np.int64], left: int, rng: np.random.Generator) -> int:
        swept.append(int(waiting.sum()))
        return take(waiting, left, rng)

    monkeypatch.setattr(counts_only, "_take", noted)
    monkeypatch.setattr(counts_only, "MOST_SWEPT", 30)
    found = sample_counts(SS(6, 1, omega=2), [40, 41, 0, 7, 1, 12], rng=np.random.default_rng(1))
    assert 0 < max(swept) <= 30
    assert (found.n, found.counts.sum()) == (101, 202)
