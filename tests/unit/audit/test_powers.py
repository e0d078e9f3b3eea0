"""The power that is claimed where nothing but an ε is: of which reports, and how often a leak in one is found."""

from __future__ import annotations

from collections.abc import Callable
from math import exp

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from qifldp.audit.auditing import audit_client
from qifldp.audit.bounds import Tally, apart_power, proportion_high
from qifldp.audit.powers import MISLED, Coverage, cover, report_power
from qifldp.audit.result import Audit
from qifldp.protocols.subset_selection import GRR

QUARTERS = np.full(4, 0.25)
LOW = exp(-1.5)
"""What a chance falls to under the other value, at 1.5 times ε = 1."""


def test_the_power_on_two_groups_of_reports_is_the_sum_over_all_counts() -> None:
    n, p, q, error = 60, 0.7, 0.1, 0.05
    expected = sum(
        binom.pmf(a, n, p) * binom.pmf(b, n, q)
        for a in range(n + 1)
        for b in range(n + 1)
        if Tally(a, n, b, n).bound(error)[2] > 1
    )
    assert 0.2 < expected < 0.8
    assert apart_power(p, q, n, epsilon=1, error=error) == pytest.approx(expected, abs=1e-5)  # the tails are left out


def test_many_counts_are_taken_together() -> None:
    """The rare count has 14,000 likely values here; taken one by one they give the same to the third digit."""
    n, p, q, error = 2_000_000, 0.5, 0.5 / exp(1.006), 0.01
    counts = np.arange(int(binom.ppf(1e-9, n, q)), int(binom.isf(1e-9, n, q)))
    needed = binom.isf(error / 2, n, np.e * proportion_high(counts, n, error / 2))
    expected = float(np.sum(binom.pmf(counts, n, q) * binom.sf(needed, n, p)))
    assert 0.2 < expected < 0.8
    assert expected - 0.005 < apart_power(p, q, n, epsilon=1, error=error) <= expected
    assert apart_power(0.1, 0.1, 10**12, epsilon=1, error=0.01) == 0


COVERED = [
    ([0.25] * 4, Coverage(0.25, 0.0)),
    ([0.5, 0.46, 0.02, 0.02], Coverage(0.02, 0.0)),  # nothing but the rare ones can have one frequent value: all count
    ([0.24] * 4 + [0.01] * 4, Coverage(0.24, 0.04)),
    ([0.23] * 4 + [0.02] * 4, Coverage(0.02, 0.04)),
    ([0.24] * 4, Coverage(0.24, 0.04)),  # a twentieth at most is not looked at
    ([0.23] * 4, None),
    ([0.96, 0.04], Coverage(0.04, 0.0)),  # the first cannot be 4.5 times as rare under any value
    ([0.96], None),
    ([0.96, 0.02], None),  # half of what can carry a leak is not looked at
    ([1.0], None),  # nothing that is seen can
    ([], None),
]  # fmt: skip


@pytest.mark.parametrize(("shares", "expected"), COVERED)
def test_what_can_carry_a_leak_has_to_be_covered(shares: list[float], expected: Coverage | None) -> None:
    found = cover(np.array(shares), QUARTERS, epsilon=1)
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert (found.least, found.left_out) == pytest.approx((expected.least, expected.left_out))


def test_a_report_can_carry_a_leak_if_it_is_not_too_frequent() -> None:
    """With values of the shares 1/10 and 9/10: at most e^-1.5 + 9/10 (1 − e^-1.5), that is 0.922."""
    shares = np.array([0.1, 0.9])
    assert cover(np.array([0.92]), shares, epsilon=1) is None  # 0.08 that is not looked at is more than a twentieth
    assert cover(np.array([0.92, 0.08]), shares, epsilon=1) == Coverage(0.08, 0.0)
    assert cover(np.array([0.921, 0.0395, 0.0395]), shares, epsilon=1) == Coverage(0.0395, 0.0)


def test_a_report_can_be_rare_under_the_few_or_under_the_many() -> None:
    """e^-6 + 1/4 is below 0.3, and e^-6 + 3/4 is not: that one value alone does not send it makes 0.3 a carrier."""
    assert cover(np.array([0.4, 0.3, 0.3]), QUARTERS, epsilon=4) == Coverage(0.3, 0.0)


def test_the_least_power_is_where_one_value_is_rare() -> None:
    """It is chosen on the first half, at an error that the comparisons share, and found on the second."""
    chance = 0.1 / (LOW + 0.75 * (1 - LOW))
    found = report_power(0.1, QUARTERS, (6000, 4000), compared=50, epsilon=1, error=0.005)
    chosen = apart_power(chance, chance * LOW, 6000, epsilon=1, error=MISLED / 50) - MISLED
    assert found == chosen * apart_power(chance, chance * LOW, 4000, epsilon=1, error=0.005)
    assert 0.1 < found < report_power(0.1, np.array([0.5, 0.5]), (6000, 4000), compared=50, epsilon=1, error=0.005)
    assert found > report_power(0.1, QUARTERS, (6000, 4000), compared=5000, epsilon=1, error=0.005)
    assert report_power(0.1, QUARTERS, (60, 4000), compared=50, epsilon=1, error=0.005) == 0


def test_the_value_that_is_rare_is_the_one_with_the_fewest_users() -> None:
    shares = np.array([0.1, 0.6, 0.3])
    chance = 0.1 / (LOW + 0.9 * (1 - LOW))
    expected = apart_power(chance, chance * LOW, 4000, epsilon=1, error=0.005) * (
        apart_power(chance, chance * LOW, 4000, epsilon=1, error=MISLED) - MISLED
    )
    assert report_power(0.1, shares, (4000, 4000), compared=1, epsilon=1, error=0.005) == pytest.approx(expected)


def leaky(share: float, others: int, *, rare: bool) -> Callable[..., list[int]]:
    """Return a client with a tight ε of 1.5, on one report of this share: that is rare, or frequent, under one of four
    values alone. All else is sent alike."""

    def client(values: list[int], rng: np.random.Generator) -> list[int]:
        mine: NDArray[np.bool_] = np.array(values) == 0
        often = share / (LOW + (0.75 if rare else 0.25) * (1 - LOW))
        sent = rng.random(len(mine)) < np.where(mine == rare, often * LOW, often)
        found: list[int] = np.where(sent, 0, 1 + rng.integers(others, size=len(mine))).tolist()
        return found

    client.batched = True  # type: ignore[attr-defined]
    return client


def audits(client: object, samples: int, runs: int) -> list[Audit]:
    return [
        audit_client(client, domain=4, epsilon=1, samples=samples, classifier=False, seed=seed) for seed in range(runs)
    ]


def once_chosen(samples: int, found: list[Audit]) -> float:
    """Return the chance that the least leak in a tenth of all is found on the second half."""
    chance = 0.1 / (LOW + 0.75 * (1 - LOW))
    error = 0.01 / max(len(audit.findings) for audit in found)
    return apart_power(chance, chance * LOW, samples // 8, epsilon=1, error=error)


def test_the_least_leak_is_found_as_often_as_is_said_and_no_more_often_than_the_second_half_allows() -> None:
    """Both sides at an error of 0.001, with the mean of the stated powers: the seeds are fixed."""
    found = audits(leaky(0.1, 7, rare=True), 18_000, 60)
    stated = float(np.mean([audit.power for audit in found]))
    times = sum(audit.verdict == "violates" for audit in found)
    at_best = once_chosen(18_000, found)
    assert stated < at_best < 0.9
    assert binom.cdf(times, 60, stated) > 1e-3
    assert binom.sf(times - 1, 60, at_best) > 1e-3


@pytest.mark.parametrize("rare", [True, False])
def test_leaks_on_a_report_that_is_covered_are_found_as_often_as_is_said(rare: bool) -> None:
    found = audits(leaky(0.1, 7, rare=rare), 42_000, 20)
    stated = float(np.mean([audit.power for audit in found]))
    assert 0.4 < stated < 0.9
    assert binom.cdf(sum(audit.verdict == "violates" for audit in found), 20, stated) > 1e-3


def test_other_leaks_on_a_report_as_frequent_are_found_more_often() -> None:
    found = audits(leaky(0.1, 7, rare=False), 14_000, 20)
    least = once_chosen(14_000, found)
    assert 0.2 < least < 0.6
    assert binom.sf(sum(audit.verdict == "violates" for audit in found) - 1, 20, least) < 1e-3


@pytest.mark.parametrize("samples", [3000, 10_000, 40_000])
def test_a_frequent_report_that_cannot_leak_is_no_evidence(samples: int) -> None:
    for found in audits(leaky(0.037, 1, rare=True), samples, 4):
        assert found.verdict != "consistent"
        assert found.power < 0.6


def test_what_is_covered_is_said() -> None:
    def sound(values: list[int], rng: np.random.Generator) -> list[object]:
        answers = GRR(4, 1).perturb(values, rng=rng).supports.argmax(axis=1)
        odd = rng.random(len(values)) < 0.03
        return [("?", float(rng.random())) if strange else int(a) for a, strange in zip(answers, odd, strict=True)]

    sound.batched = True  # type: ignore[attr-defined]
    (found,) = audits(sound, 40_000, 1)
    assert found.covered is not None
    assert found.reason == (
        "No violation was found; a leak of 1.5 times the claimed ε would have been, "
        f"with a chance of {found.power:.4f}, in any one report that makes up {found.covered.least:.2%} of all, "
        f"or more; rarer ones, together {found.covered.left_out:.2%}, are not covered."
    )
    assert found.to_json()["covered"] == {"least": found.covered.least, "left_out": found.covered.left_out}
    assert (found.covered.least, found.covered.left_out) == pytest.approx((0.2425, 0.03), abs=0.02)
    assert "covered" not in found.reasons


def test_without_rarer_reports_none_are_named_and_without_coverage_the_reason_is() -> None:
    (found,) = audits(GRR(4, 1), 30_000, 1)
    assert found.reason.endswith("% of all, or more.")
    constant = audits(lambda value: "same", 4000, 1)[0]
    assert (constant.verdict, constant.covered) == ("inconclusive", None)
    assert constant.reasons["covered"] == (
        "Too few of the reports that could carry a leak are frequent enough to be looked at."
    )
    declared = audit_client(GRR(4, 1), protocol=GRR(4, 1), samples=4000, classifier=False)
    assert declared.covered is None
    assert declared.reasons["covered"] == "The power is that of finding the declared protocol at 1.5 times its ε."
    assert declared.reason.startswith(
        "No violation was found; the same protocol at 1.5 times the claimed ε would have "
    )
