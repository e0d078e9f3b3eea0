"""Servers on known data."""

from __future__ import annotations

import asyncio
from math import exp, log, sqrt

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.stats import poisson, t

from qifldp.audit.bounds import proportion_high
from qifldp.audit.estimator import audit_server, mean_reach
from qifldp.collection.reports import Reports
from qifldp.errors import InputError
from qifldp.protocols.protocol import Protocol
from qifldp.protocols.subset_selection import GRR
from qifldp.protocols.unary_encoding import OUE

PROTOCOL = OUE(6, 2)


def ours(reports: Reports) -> list[NDArray[np.float64]]:
    protocol = reports.protocol
    assert isinstance(protocol, Protocol)
    counts = protocol.accumulator()
    counts.update(reports)
    found = counts.estimate()
    return [found.frequency, found.low, found.high]


def test_our_server_has_no_bias_and_its_intervals_hold() -> None:
    found = audit_server(PROTOCOL, ours, domain=6, runs=100)
    assert found.sound
    assert found.coverage is not None
    assert min(found.coverage) > 0.85
    assert found.nominal == 0.95
    document = found.to_json()
    assert document["sound"] is True
    assert document["biased"] == document["uncovered"] == ()


def test_errors_are_shared_by_bias_and_coverage_and_by_values() -> None:
    answers: list[NDArray[np.float64]] = []

    def noting(reports: Reports) -> list[NDArray[np.float64]]:
        answers.append(np.array(ours(reports)))
        return list(answers[-1])

    found = audit_server(PROTOCOL, noting, domain=6, runs=30, counts=[100] * 6, confidence=0.9)
    error = 0.1 / 2 / 6
    reach = mean_reach(np.array([answer[0] for answer in answers]) - 1 / 6, 600, error)
    assert np.subtract(found.bias_high, found.bias) == pytest.approx(reach, rel=1e-6)
    assert np.subtract(found.bias, found.bias_low) == pytest.approx(reach, rel=1e-6)
    held = np.array([(low <= 1 / 6) & (high >= 1 / 6) for _, low, high in answers]).sum(axis=0)
    assert found.coverage_high == pytest.approx(proportion_high(held, 30, error), rel=1e-9)
    assert found.confidence == 0.9


def poisson_limit(times: int, error: float) -> float:
    return float(brentq(lambda mean: poisson.cdf(times, mean) - error, 1e-9, 1000))


def test_the_interval_of_what_is_rare_is_that_of_a_count() -> None:
    errors, error = np.zeros((200, 3)), 0.001
    errors[7, 1] = 0.002
    errors[:9, 2] = -0.001
    reach = mean_reach(errors, 1000, error)
    assert reach[1] == pytest.approx(0.002 / 200 * (poisson_limit(1, error / 2) - 1), rel=1e-6)
    assert reach[2] == pytest.approx(0.001 / 200 * (poisson_limit(9, error / 2) - 9), rel=1e-6)
    assert reach[0] == pytest.approx(0.002 / 200 * -log(error / 2), rel=1e-6)  # the larger step of the others, unseen
    assert mean_reach(errors[:, :1], 1000, error) == pytest.approx(0.001 / 200 * -log(error / 2), rel=1e-6)


def test_the_interval_of_what_is_frequent_is_a_little_longer_than_students() -> None:
    errors = np.random.default_rng(0).normal(size=(200, 5))
    student = errors.std(axis=0, ddof=1) / sqrt(200) * t.isf(0.0005, 199)
    longer = mean_reach(errors, 10**6, 0.001) / student
    assert 1 <= longer.min() <= longer.max() < 1.2


@pytest.mark.parametrize("epsilon", [4, 8, 12, 14])
def test_a_server_without_bias_is_accused_as_often_as_is_said_at_most(epsilon: float) -> None:
    """One hundred audits with an error of .005 each: above three with a chance of .002."""
    k, runs, audits = 16, 200, 100
    known = np.round(2000 / np.arange(1, k + 1) / sum(1 / np.arange(1, k + 1))).astype(int)
    n, q = known.sum(), 1 / (exp(epsilon) + k - 1)
    p, rng = exp(epsilon) * q, np.random.default_rng(0)
    counts = sum(
        rng.multinomial(known[value], np.where(np.arange(k) == value, p, q), size=(audits, runs)) for value in range(k)
    )
    errors = (counts / n - q) / (p - q) - known / n
    accused = [(abs(each.mean(axis=0)) > mean_reach(each, n, 0.005 / k) + 1e-12).any() for each in errors]
    assert sum(accused) <= 3


@pytest.mark.parametrize("epsilon", [12, 14])
def test_a_server_whose_errors_are_too_rare_to_be_seen_is_sound(epsilon: float) -> None:
    assert audit_server(GRR(16, epsilon), lambda reports: ours(reports)[0], domain=16).sound


@pytest.mark.parametrize("epsilon", [2, 4, 14])
def test_what_is_said_of_rare_values_without_looking_is_seen(epsilon: float) -> None:
    def careless(reports: Reports) -> NDArray[np.float64]:
        found = ours(reports)[0]
        return np.where(np.arange(16) < 8, found, 0)

    found = audit_server(GRR(16, epsilon), careless, domain=16)
    assert found.biased == tuple(map(str, range(8, 16)))


@pytest.mark.parametrize("epsilon", [1, 4, 8])
def test_a_shift_by_half_of_the_error_of_one_estimate_is_seen(epsilon: float) -> None:
    protocol = GRR(16, epsilon)
    error = ours(protocol.perturb(np.repeat(np.arange(16), 125), rng=np.random.default_rng(0)))[0].std()

    def shifted(reports: Reports) -> NDArray[np.float64]:
        return ours(reports)[0] + np.where(np.arange(16) == 3, error / 2, 0)

    found = audit_server(protocol, shifted, domain=16, counts=[125] * 16)
    assert found.biased == ("3",)


def test_intervals_that_are_right_but_for_rounding_hold() -> None:
    def exact(reports: Reports) -> list[NDArray[np.float64]]:
        truth = np.array([0.1, 0.2, 0.7])
        return [truth, truth * (1 + 1e-15), truth * (1 + 1e-15)]

    assert audit_server(GRR(3, 1), exact, domain=3, counts=[1, 2, 7], runs=50).sound


def test_clipping_is_seen_as_bias() -> None:
    def clipped(reports: Reports) -> NDArray[np.float64]:
        found = np.clip(ours(reports)[0], 0, None)
        return found / found.sum()

    found = audit_server(GRR(40, 1), clipped, domain=40, runs=100)
    assert not found.sound
    assert "0" in found.biased
    assert found.coverage is None


def test_intervals_that_are_too_short_are_seen() -> None:
    def short(reports: Reports) -> list[NDArray[np.float64]]:
        value, low, high = ours(reports)
        return [value, value + (low - value) / 3, value + (high - value) / 3]

    found = audit_server(PROTOCOL, short, domain=6, runs=100)
    assert (found.biased, len(found.uncovered)) == ((), 6)


def test_a_server_of_other_parameters_is_seen() -> None:
    def wrong(reports: Reports) -> NDArray[np.float64]:
        return (reports.supports.mean(axis=0) - 0.2) / 0.3  # q is 0.119

    assert len(audit_server(PROTOCOL, wrong, domain=6, runs=50).biased) >= 5


def leaves(reports: Reports) -> list[float]:
    raise SystemExit(0)


def cancelled(reports: Reports) -> list[float]:
    raise asyncio.CancelledError("stop")


class Unreadable:
    def __array__(self, *_: object, **__: object) -> NDArray[np.float64]:
        raise asyncio.CancelledError("stop")


def interrupts(reports: Reports) -> list[float]:
    raise KeyboardInterrupt


def test_an_interrupt_is_the_users() -> None:
    with pytest.raises(KeyboardInterrupt):
        audit_server(PROTOCOL, interrupts, domain=6)


SHAPE = "A server must return 6 numbers, or three times as many (estimates, low and high ends), got "

BAD = [
    (lambda reports: [1, 2], {}, SHAPE + "[1, 2]."),
    (lambda reports: [float("nan")] * 6, {}, SHAPE + "[nan, nan, nan, nan, nan, nan]."),
    (lambda reports: 1 / 0, {}, "The server failed: ZeroDivisionError: 'division by zero'."),
    (leaves, {}, "The server failed: SystemExit: '0'."),
    (cancelled, {}, "The server failed: CancelledError: 'stop'."),
    (lambda reports: Unreadable(), {}, "The server failed: CancelledError: 'stop'."),
    (lambda reports: [10**400] * 6, {}, "The server failed: OverflowError: 'int too large to convert to float'."),
    (ours, {"confidence": 1}, "confidence must be a number between 0 and 1, got 1."),
    (ours, {"runs": 2}, "runs must be a whole number from 20 to 1,000,000, got 2."),
    (ours, {"counts": [1, 2]}, "counts must be 6 whole numbers of at least 0, not all 0, got [1, 2]."),
]


@pytest.mark.parametrize(("server", "options", "sentence"), BAD)
def test_what_goes_wrong_is_said(server: object, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        audit_server(PROTOCOL, server, domain=6, **options)  # type: ignore[arg-type]
    assert str(refused.value) == sentence
