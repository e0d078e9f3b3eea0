"""Servers on known data."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import stdtrit

from qifldp.audit.bounds import proportion_high
from qifldp.audit.estimator import audit_server
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
    spread = np.array([answer[0] for answer in answers]).std(axis=0, ddof=1) / np.sqrt(30)
    reach = spread * stdtrit(29, 1 - error / 2)
    assert np.subtract(found.bias_high, found.bias) == pytest.approx(reach, rel=1e-6)
    assert np.subtract(found.bias, found.bias_low) == pytest.approx(reach, rel=1e-6)
    held = np.array([(low <= 1 / 6) & (high >= 1 / 6) for _, low, high in answers]).sum(axis=0)
    assert found.coverage_high == pytest.approx(proportion_high(held, 30, error), rel=1e-9)
    assert found.confidence == 0.9


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


SHAPE = "A server must return 6 numbers, or three times as many (estimates, low and high ends), got "

BAD = [
    (lambda reports: [1, 2], {}, SHAPE + "[1, 2]."),
    (lambda reports: [float("nan")] * 6, {}, SHAPE + "[nan, nan, nan, nan, nan, nan]."),
    (lambda reports: 1 / 0, {}, "The server failed: ZeroDivisionError: 'division by zero'."),
    (leaves, {}, "The server failed: SystemExit: '0'."),
    (ours, {"confidence": 1}, "confidence must be a number between 0 and 1, got 1."),
    (ours, {"runs": 2}, "runs must be a whole number from 20 to 1,000,000, got 2."),
    (ours, {"counts": [1, 2]}, "counts must be 6 whole numbers of at least 0, not all 0, got [1, 2]."),
]


@pytest.mark.parametrize(("server", "options", "sentence"), BAD)
def test_what_goes_wrong_is_said(server: object, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(InputError) as refused:
        audit_server(PROTOCOL, server, domain=6, **options)  # type: ignore[arg-type]
    assert str(refused.value) == sentence
