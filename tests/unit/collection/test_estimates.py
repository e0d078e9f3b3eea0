"""Estimates: unbiased, of the variance that is stated, in intervals that hold as often as they say."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import get_args

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom, norm
from scipy.stats import t as student

from oracles.weighing import shares
from qifldp.collection.accumulator import Accumulator, Weights
from qifldp.collection.counts_only import sample_counts
from qifldp.collection.estimates import Estimates, Post, estimate
from qifldp.collection.size_classes import single_class
from qifldp.errors import InputError
from qifldp.protocols.local_hashing import BLH, LH, OLH
from qifldp.protocols.mixture import Mix
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR, SS
from qifldp.protocols.threshold_histogram import THE
from qifldp.protocols.unary_encoding import OUE, SUE, UE

FALSE_ALARM = 1e-6
"""Chance of a failure without a fault, for each statistical test; seeds are fixed, so it is met once or never."""

Floats = NDArray[np.float64]

SHAPES = ("uniform", "zipf", "one")


def is_mean(samples: Floats, expected: float) -> bool:
    """Return whether independent samples of a nearly normal mean have it (Student)."""
    error = samples.std(ddof=1) / math.sqrt(len(samples))
    return bool(abs(samples.mean() - expected) <= student.isf(FALSE_ALARM / 2, len(samples) - 1) * error)


def check_law(errors: Floats, variances: Floats) -> None:
    """Assert that errors, shape (runs, k), have mean zero and the variances, and that theirs are not 30 % off."""
    runs, k = errors.shape
    standard = errors / np.sqrt(variances)
    assert np.abs(standard.mean(axis=0)).max() * math.sqrt(runs) < norm.isf(FALSE_ALARM / (2 * k))
    squares = (standard**2).mean(axis=1)
    assert is_mean(squares, 1)
    for scale in (0.7, 1.3):
        assert not is_mean(squares / scale**2, 1)


def mixture(k: int, epsilon: float) -> Protocol:
    """Errors of many values would be far from independent: all have the number of reports of each part in common."""
    return Mix(k, epsilon, parts="0.3*grr+0.4*oue+0.2*blh")


AT_ONCE = 5000
"""Counts that are estimated from at once: more do not stay in a processor's cache."""


def frequencies(counts: list[Accumulator]) -> Floats:
    """Return the estimates of many runs of as many people, in a single class: there a value is like another run's."""
    classes, totals, k = counts[0].classes, counts[0].totals, len(counts[0].counts)
    table = np.concatenate([each.table for each in counts], axis=1)
    parts = np.array_split(table, math.ceil(table.shape[1] / AT_ONCE), axis=1)
    return np.concatenate([estimate(classes, part, totals).frequency for part in parts]).reshape(-1, k)


PLAIN: list[tuple[Callable[[int, float], Protocol], int, float]] = [
    (kind, k, epsilon)
    for kind in (GRR, OUE, SUE, THE, BLH, OLH)
    for k, epsilon in ((2, 0.01), (2, 20), (10, 1), (10_000, 0.01), (10_000, 20))
] + [(SS, 10, 0.01), (SS, 10, 1), (SS, 100, 2), (SS, 2, 20), (SS, 10_000, 20)]
PLAIN += [(mixture, 2, 0.01), (mixture, 2, 20), (mixture, 10, 1)]


@pytest.mark.parametrize(("kind", "k", "epsilon"), PLAIN)
@pytest.mark.parametrize("shape", SHAPES)
def test_plain_estimates_are_unbiased_and_of_the_stated_variance(
    kind: Callable[[int, float], Protocol], k: int, epsilon: float, shape: str
) -> None:
    """So many people that every count is nearly normal: q is 2e-9 where ε is 20."""
    protocol = kind(k, epsilon)
    people = shares(shape, k, 10**8 if protocol.mechanism.fixed_size not in (None, 1) else 10**13)
    rng, n = np.random.default_rng(1), int(people.sum())
    runs = {2: 500, 100: 100, 10_000: 30}.get(k, 200)  # two counts can be one: they add up to n
    counts = [sample_counts(protocol, people, rng=rng) for _ in range(runs)]
    found = frequencies(counts)
    assert (found[-1] == counts[-1].estimate().frequency).all()
    stated = {int(count): protocol.variance(count / n, n) for count in np.unique(people)}
    check_law(found - people / n, np.array([stated[int(count)] for count in people]))


MIXED = Mix(9, 1, parts="0.3*grr+0.4*ss@3+0.2*oue")


@pytest.mark.parametrize(
    "protocol", [GRR(9, 1), SS(9, 1), OUE(9, 1), UE(9, p="0.2", q="0.7"), OLH(9, 2), MIXED], ids=repr
)
def test_the_plain_estimator_is_the_textbook_one(protocol: Protocol) -> None:
    counts = sample_counts(protocol, shares("zipf", 9, 10_000), rng=np.random.default_rng(1))
    found = counts.estimate()
    p, _, q, _ = (float(chance) for chance in protocol.chances)
    # doubles, and probabilities that differ by 2⁻⁶⁴ of about 0.1 from those of the definition
    np.testing.assert_allclose(found.frequency, (counts.counts / counts.n - q) / (p - q), rtol=0, atol=1e-13)
    variances = [protocol.variance(min(max(f, 0), 1), counts.n) for f in found.frequency.tolist()]
    np.testing.assert_allclose(found.standard_error**2, variances, rtol=1e-12)


def counted(protocol: Protocol, people: NDArray[np.int64], runs: int, weights: Weights) -> Iterator[Accumulator]:
    """Yield the counts of so many runs in which the same people report."""
    n, rng = int(people.sum()), np.random.default_rng(1)
    values, empty = np.repeat(np.arange(len(people)), people), protocol.accumulator(weights=weights)
    for start in range(0, runs, 50):
        rows = protocol.perturb(np.tile(values, min(50, runs - start)), rng=rng).rows
        for at in range(0, len(rows), n):
            found = empty.fresh()
            found.count_part(rows[at : at + n])
            yield found


REPORTED: list[Protocol] = [
    GRR(5, 1), SS(9, 1, omega=2), OUE(2, 0.1), OUE(4, 2), SUE(20, 4), THE(10, 2), UE(6, p="0.3", q="0.6"), BLH(4, 1),
    LH(8, 2, g=4), Mix(9, 2, parts="0.3*grr+0.4*ss@3+0.2*oue"), Mix(5, 1, parts="0.6*ss@1+0.4*ss@2"),
]  # fmt: skip


@pytest.mark.parametrize("protocol", REPORTED, ids=repr)
@pytest.mark.parametrize("shape", SHAPES)
def test_weighted_estimates_of_real_reports_have_the_stated_variance(protocol: Protocol, shape: str) -> None:
    """The weights' own bias is of order 1/n: at 5,000 people about a hundredth of an error, not to be seen."""
    people = shares(shape, protocol.domain_size, 5_000)
    found = [
        counts.estimate() for counts in counted(protocol, people, 500 if protocol.domain_size == 2 else 200, "value")
    ]
    errors = np.array([each.frequency for each in found]) - people / 5_000
    check_law(errors, np.array([each.standard_error**2 for each in found]))


def narrowed(confidence: float, k: int, scale: float) -> float:
    """Return the confidence at which simultaneous intervals of k values are so much narrower."""
    level = confidence ** (1 / k)
    return float((1 - 2 * norm.sf(norm.isf((1 - level) / 2) * scale)) ** k)


def held(found: list[Estimates], truth: Floats) -> tuple[Floats, int]:
    """Return the share of values whose interval holds, by run, and the number of runs in which all k hold."""
    alone = np.array([((each.low <= truth) & (truth <= each.high)).mean() for each in found])
    together = [bool(((each.low_simultaneous <= truth) & (truth <= each.high_simultaneous)).all()) for each in found]
    return alone, sum(together)


def is_share(hits: int, runs: int, share: float) -> bool:
    """Return whether so many of the runs can be a share of them."""
    return bool(2 * min(binom.cdf(hits, runs, share), binom.sf(hits - 1, runs, share)) > FALSE_ALARM)


CALIBRATED: list[tuple[Protocol, Weights]] = [
    (OUE(10, 2), "value"), (OUE(10, 2), "plain"), (SUE(10, 3), "value"), (BLH(10, 1), "value"), (GRR(10, 1), "plain"),
    (Mix(10, 2, parts="0.5*grr+0.4*ss@2"), "value"),
]  # fmt: skip


@pytest.mark.parametrize(("protocol", "weights"), CALIBRATED, ids=repr)
def test_intervals_hold_as_often_as_they_say(protocol: Protocol, weights: Weights) -> None:
    """Each on its own, and all together; intervals of 70 % and of 130 % of the width are told from them.

    Of all values together: exact for independent counts; those of GRR repel each other, by so little that Šidák's
    level is as good.
    """
    runs, k = 500, protocol.domain_size
    people = shares("uniform", k, 4_000)
    truth = people / 4_000
    counts = list(counted(protocol, people, runs, weights))
    alone, together = held([each.estimate() for each in counts], truth)
    assert is_mean(alone, 0.95)
    assert is_share(together, runs, 0.95)
    for scale, enough in ((0.7, 100), (1.3, runs)):  # that all miss too seldom is seen in many runs only
        alone, _ = held([each.estimate(confidence=narrowed(0.95, 1, scale)) for each in counts[:200]], truth)
        assert not is_mean(alone, 0.95)
        _, together = held([each.estimate(confidence=narrowed(0.95, k, scale)) for each in counts[:enough]], truth)
        assert not is_share(together, enough, 0.95)


@cache
def counted_and_estimated(shape: str, k: int, n: int, runs: int) -> tuple[list[Accumulator], list[Estimates]]:
    """Return counts and unbiased estimates of OUE, on which all post-processing is tried."""
    counts = list(counted(OUE(k, 1), shares(shape, k, n), runs, "value"))
    return counts, [each.estimate() for each in counts]


@pytest.mark.parametrize("post", ["normsub", "simplex", "mle"])
@pytest.mark.parametrize("shape", ["uniform", "zipf"])
def test_intervals_hold_at_least_as_often_after_post_processing(post: Post, shape: str) -> None:
    k, runs, enough = 20, 200, 100
    people = shares(shape, k, 3_000)
    truth = people / 3_000
    counts, raw = counted_and_estimated(shape, k, 3_000, runs)
    found = [each.estimate(post=post) for each in counts]
    for before, after in zip(raw, found, strict=True):
        assert ((after.low <= after.frequency) & (after.frequency <= after.high)).all()
        assert ((after.low <= before.low) & (before.high <= after.high)).all()
        assert (after.low_simultaneous <= after.low).all()
        assert (after.high <= after.high_simultaneous).all()
        assert after.frequency.min() >= 0
        assert after.frequency.sum() == pytest.approx(1, abs=1e-12)  # a sum of twenty doubles
    alone, together = held(found, truth)
    least = student.isf(FALSE_ALARM, runs - 1) * alone.std(ddof=1) / math.sqrt(runs)
    assert alone.mean() > 0.95 - least
    assert binom.cdf(together, runs, 0.95) > FALSE_ALARM
    narrow = [each.estimate(post=post, confidence=narrowed(0.95, k, 0.7)) for each in counts[:enough]]
    _, together = held(narrow, truth)
    assert binom.cdf(together, enough, 0.95) < FALSE_ALARM


RARE: list[Protocol] = [
    OUE(4, 1), OUE(4, 4), OUE(4, 8), SUE(4, 8), GRR(1024, 1), GRR(50, 8), UE(4, p="1/2", q="0.99"),
    UE(4, p="0.999", q="0.2"), THE(4, 8), OLH(4, 6),
]  # fmt: skip

MOST_MISSED = 1.5
"""Times that intervals may miss more often than they say, at any frequency: counts are whole numbers."""


def missed(protocol: Protocol, n: int, people: int, confidence: float, *, normal: bool = False) -> float:
    """Return the exact chance that the interval of a value that so many of n people have does not hold."""
    mechanism = protocol.mechanism
    p, q = (float(chance) for chance in mechanism.support_chances)
    counts = np.arange(n + 1)
    if normal:
        z = norm.isf((1 - confidence) / 2)
        f = people / n
        deviation = math.sqrt((f * p * (1 - p) + (1 - f) * q * (1 - q)) / n) / abs(p - q)
        holds = np.abs((counts / n - q) / (p - q) - f) <= z * deviation
    else:
        found = estimate(single_class(mechanism), counts[None, :], np.array([n]), confidence=confidence)
        holds = (found.low <= people / n) & (people / n <= found.high)
    law = np.convolve(binom.pmf(np.arange(people + 1), people, p), binom.pmf(np.arange(n - people + 1), n - people, q))
    return float(law[~holds].sum())


@pytest.mark.parametrize("protocol", RARE, ids=repr)
@pytest.mark.parametrize("values", [1, 100, 1024])
def test_intervals_miss_no_more_than_they_say_in_exact_sums(protocol: Protocol, values: int) -> None:
    """Each end at the level at which so many values hold together, from a handful of counts of support upwards."""
    confidence = 0.95 ** (1 / values)
    for n in (50, 500, 2000):
        for people in {0, 1, 2, n // 20, n // 4, n // 2, n - 1, n}:
            assert missed(protocol, n, people, confidence) <= MOST_MISSED * (1 - confidence)


def test_normal_intervals_would_miss_far_more_often() -> None:
    """What the skewness is for: the ends of simultaneous intervals, where support is rare."""
    confidence = 0.95 ** (1 / 1024)
    for protocol, n in ((GRR(1024, 1), 2000), (OUE(4, 8), 500), (OUE(4, 8), 2000)):
        assert missed(protocol, n, 0, confidence, normal=True) > 10 * (1 - confidence)


def test_intervals_are_no_wider_than_they_need_to_be() -> None:
    """With many counts of support the skewness is nothing: half of what they may miss, at least, is missed."""
    for protocol in (OUE(4, 1), SUE(4, 1), BLH(4, 1)):
        for people in (200, 1000):
            for confidence in (0.95, 0.95 ** (1 / 100)):
                assert missed(protocol, 2000, people, confidence) > (1 - confidence) / 2


@pytest.mark.parametrize("protocol", [GRR(4, 15), GRR(4, 20), SUE(4, 20), OUE(4, 20)], ids=repr)
def test_intervals_of_many_people_keep_their_digits(protocol: Protocol) -> None:
    """Of 10^14 people estimates are known to some 1e-11: less than the root of a double's last digit."""
    counts = sample_counts(protocol, np.full(4, 10**14 // 4), rng=np.random.default_rng(1))
    found = counts.estimate()
    for end in (found.low, found.high):  # the skewness moves ends by a thousandth of a standard error
        np.testing.assert_allclose(np.abs(end - found.frequency) / found.standard_error, norm.isf(0.025), rtol=2e-3)


@pytest.mark.parametrize("kind", [GRR, SS, OUE, SUE, THE, BLH])
@pytest.mark.parametrize("epsilon", [1, 20, 30, 37, 40, 44])
def test_intervals_that_are_to_hold_together_are_no_narrower(
    kind: Callable[[int, float], Protocol], epsilon: float
) -> None:
    """Whatever is rounded."""
    rng = np.random.default_rng(1)
    for k, n in itertools.product((2, 3, 10), (3, 1000)):
        for people in (np.arange(n) % k, np.zeros(n, int)):
            counts = kind(k, epsilon).accumulator(weights="plain")
            counts.count_part(counts.protocol.mechanism.draw(people, rng))
            for confidence in (0.5, 0.95, 1 - 1e-12):
                found = counts.estimate(confidence=confidence)
                assert (found.low_simultaneous <= found.low).all()
                assert (found.low <= found.high).all()
                assert (found.high <= found.high_simultaneous).all()


def test_detected_values_occur() -> None:
    """In 300 runs of absent values beside one, the share of runs with a false detection is 5 % at most."""
    protocol, people = GRR(1024, 1), shares("one", 1024, 10_000)
    rng, runs = np.random.default_rng(1), 300
    found = [sample_counts(protocol, people, rng=rng).estimate() for _ in range(runs)]
    false = sum(bool((each.detected & (people == 0)).any()) for each in found)
    assert binom.sf(false - 1, runs, 0.05) > FALSE_ALARM
    assert sum(bool(each.detected[512]) for each in found) > runs / 2
    narrow = [
        sample_counts(protocol, people, rng=rng).estimate(confidence=narrowed(0.95, 1024, 0.7)) for _ in range(runs)
    ]
    false = sum(bool((each.detected & (people == 0)).any()) for each in narrow)
    assert binom.sf(false - 1, runs, 0.05) < FALSE_ALARM


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"post": "clip"}, "post must be none, normsub, simplex, mle, got 'clip'."),
        ({"confidence": 0}, "confidence must be between 0 and 1, got 0."),
        ({"confidence": 1.0}, "confidence must be between 0 and 1, got 1.0."),
        ({"confidence": float("nan")}, "confidence must be between 0 and 1, got nan."),
        ({"weights": "best"}, "weights must be value or plain, got 'best'."),
    ],
)
def test_options_that_are_none_are_refused(options: dict[str, object], sentence: str) -> None:
    counts = sample_counts(OUE(3, 1), [5, 5, 5], rng=np.random.default_rng(1))
    with pytest.raises(InputError) as refused:
        counts.estimate(**options)  # type: ignore[arg-type]
    assert str(refused.value) == sentence


@pytest.mark.parametrize("weights", ["value", "plain"])
def test_frequencies_alone_are_those_of_the_estimates(weights: Weights, monkeypatch: pytest.MonkeyPatch) -> None:
    protocol, rng = OUE(5, 2), np.random.default_rng(1)
    counts = protocol.accumulator()
    counts.update(protocol.perturb(np.repeat(np.arange(4), [50, 30, 20, 1]), rng=rng))
    wanted = counts.estimate(weights=weights).frequency
    assert (wanted != counts.estimate(weights="plain").frequency).any() == (weights == "value")
    monkeypatch.delattr("qifldp.collection.estimates._Variance.intervals")  # which take most of the time
    found = (counts.as_plain() if weights == "plain" else counts).frequencies()
    np.testing.assert_array_equal(found, wanted)


def test_no_reports_and_reports_that_say_nothing() -> None:
    for method in ("estimate", "frequencies"):
        with pytest.raises(InputError, match="There are no reports to estimate from"):
            getattr(OUE(3, 1).accumulator(), method)()
    counts = OUE(3, 1).accumulator()
    counts.count_part(np.array([[0], [7], [7]], np.uint8))
    for post in get_args(Post):
        with pytest.raises(InputError) as refused:
            counts.estimate(post=post)
        assert str(refused.value) == (
            "All reports support no value or all values, and weighed by size they say nothing: "
            "take the textbook estimate (--weights plain)."
        )
        assert np.isfinite(counts.estimate(weights="plain", post=post).frequency).all()
    with pytest.raises(InputError, match="weighed by size they say nothing"):
        counts.frequencies()
    found = counts.estimate(weights="plain")  # p = 1/2, q = 1/(e + 1)
    q = 1 / (math.e + 1)
    np.testing.assert_allclose(found.frequency, np.full(3, (2 / 3 - q) / (1 / 2 - q)), rtol=1e-12)


def test_columns_are_a_table() -> None:
    found = sample_counts(OUE(3, 1), [500, 0, 0], rng=np.random.default_rng(1)).estimate()
    table = found.to_arrow(["a", "b", "c"])
    assert table.column_names == [
        "value", "frequency", "standard_error", "low", "high", "low_simultaneous", "high_simultaneous", "detected",
    ]  # fmt: skip
    assert table["value"].to_pylist() == ["a", "b", "c"]
    assert found.to_arrow()["value"].to_pylist() == [0, 1, 2]
    assert table["detected"].to_pylist() == [True, False, False]
