"""The audit of a server: what it makes of reports on data that are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainccinv, stdtrit

from qifldp.audit.blame import failure
from qifldp.audit.bounds import check_confidence, proportion_high
from qifldp.audit.result import Server
from qifldp.audit.samples import Domain
from qifldp.audit.sources import as_source
from qifldp.errors import InputError, shown

FEWEST_RUNS = 20

ROUNDING = 1e-12
"""By how much doubles may make an estimate, or the end of an interval, err that is right but for them."""

Numbers = NDArray[np.float64]

Progress = Callable[[str, int, int], None]


def audit_server(
    source: object,
    server: Callable[[Any], Any],
    *,
    domain: int | Sequence[object],
    counts: Sequence[int] | None = None,
    runs: int = 200,
    users: int = 2000,
    nominal: float = 0.95,
    confidence: float = 0.995,
    seed: int = 0,
    progress: Progress | None = None,
) -> Server:
    """Report known data again and again, and compare what the server estimates with the truth.

    A value's estimate is biased if the interval of its mean error (:func:`mean_reach`) leaves out 0, and its intervals
    hold too seldom if the Clopper–Pearson bound on how often they do is below what the server says; all values together
    (Bonferroni).

    Args:
        source: The client, as for :func:`~qifldp.audit.auditing.audit_client`.
        server: From a list of reports to one frequency for each value (shares of 1); or to three such lists, the
            estimates and both ends of their intervals.
        domain: The number of values, or their list.
        counts: How many users have each value; by default ``users`` of them, like 1, 1/2, 1/3, …
        runs: How many times.
        users: Users, if no counts are given.
        nominal: The confidence of the server's intervals.
        confidence: 1 − the chance that a server without bias, whose intervals hold, is said to have a fault. With the
            default one half of a chance of .01 is left for the audit of the client. It holds for servers whose
            estimates are sums over the reports, as :func:`mean_reach` says.
        seed: Of the client.
        progress: Called with (what is done, done, in all).

    Raises:
        InputError: If an argument is out of range, or client or server fail.
    """
    check_confidence(confidence)
    values = Domain.read(domain)
    k = len(values)
    if not FEWEST_RUNS <= runs <= 10**6:
        raise InputError.expected("runs", f"a whole number from {FEWEST_RUNS} to 1,000,000", runs)
    known = np.array(_zipf(k, users) if counts is None else counts, np.int64)
    if known.shape != (k,) or known.min() < 0 or not known.sum():
        raise InputError.expected("counts", f"{k} whole numbers of at least 0, not all 0", counts)
    truth = known / known.sum()
    places, rng, client = np.repeat(np.arange(k), known), np.random.default_rng([seed, 2]), as_source(source)
    errors, held = np.empty((runs, k)), np.zeros(k, np.int64)
    has_intervals = False
    for run in range(runs):
        reports = client.draw(values.values, rng.permutation(places), rounds=1, rng=rng)
        found = _called(server, reports, k)
        errors[run] = found[0] - truth
        has_intervals = len(found) > 1
        if has_intervals:
            held += (found[1] - ROUNDING <= truth) & (truth <= found[2] + ROUNDING)
        if progress is not None:
            progress("asking the server", run + 1, runs)
    error = (1 - confidence) / (2 if has_intervals else 1) / k
    bias, reach = errors.mean(axis=0), mean_reach(errors, int(known.sum()), error) + ROUNDING
    biased = [label for label, wrong in zip(values.labels, np.abs(bias) > reach, strict=True) if wrong]
    upper = proportion_high(held, runs, error)
    uncovered = [label for label, high in zip(values.labels, upper, strict=True) if has_intervals and high < nominal]
    return Server(
        runs=runs,
        bias=tuple(bias.tolist()),
        bias_low=tuple((bias - reach).tolist()),
        bias_high=tuple((bias + reach).tolist()),
        biased=tuple(biased),
        coverage=tuple((held / runs).tolist()) if has_intervals else None,
        coverage_high=tuple(upper.tolist()) if has_intervals else None,
        uncovered=tuple(uncovered),
        nominal=nominal if has_intervals else None,
        confidence=confidence,
    )


def mean_reach(errors: Numbers, users: int, error: float) -> Numbers:
    """Return how far the mean of each value's errors is from their expectation at most.

    With Student's quantile t, and with N steps of size b away from the median in R runs, of which a Poisson count has
    the upper confidence limit u(N) (Garwood, 1936), each at half of the error:

        max{ t · s/√R,  (b/R) · (u(N) − N) },     b = max{ 1/n, Σ|d|³/Σd² },   N = Σd²/b²

    A report that comes out otherwise moves an estimate by a step. Where that is rare, N counts these, and the limit is
    the exact one of their number, also if none was seen; where it is frequent u(N) − N is about the normal quantile
    times √N, and the reach a little above Student's, which alone is far too short for what is rare. Of an estimate
    that is the same in all runs the step is that of other values, and 1/n at least: an estimate without bias that
    moves by less when a user has another value does not exist.

    It needs estimates that are sums over n independent reports, none of which moves one by much more than others do,
    as all linear estimates from counts are; without any such thing no interval of a mean holds (Bahadur and Savage,
    1956).

    Args:
        errors: Of each run and value, shape (R, k).
        users: The number of users n of a run.
        error: The chance that the interval of one value is wrong.

    Returns:
        The half-widths, shape (k,).
    """
    runs = len(errors)
    away = np.abs(errors - np.median(errors, axis=0))
    squares, moves = (away**2).sum(axis=0), away.max(axis=0) > ROUNDING
    steps = np.full(errors.shape[1], 1 / users)
    steps[moves] = np.maximum(1 / users, (away[:, moves] ** 3).sum(axis=0) / squares[moves])
    steps[~moves] = steps.max()
    times = squares / steps**2
    rare = steps / runs * (gammainccinv(times + 1, error / 2) - times)
    student = errors.std(axis=0, ddof=1) / np.sqrt(runs) * float(stdtrit(runs - 1, 1 - error / 2))
    found: Numbers = np.maximum(rare, student)
    return found


def _zipf(domain_size: int, users: int) -> NDArray[np.int64]:
    shares = 1 / np.arange(1, domain_size + 1)
    return np.maximum(1, np.round(users * shares / shares.sum())).astype(np.int64)


def _called(server: Callable[[Any], Any], reports: object, domain_size: int) -> list[Numbers]:
    try:
        answer = server(reports)
        numbers = _numbers(answer)
        fits = numbers.shape in ((domain_size,), (3, domain_size)) and bool(np.isfinite(numbers).all())
        got = "" if fits else shown(answer)
    except BaseException as error:
        raise failure("The server failed", error) from error
    if not fits:
        raise InputError(
            f"A server must return {domain_size} numbers, or three times as many (estimates, low and high ends), "
            f"got {got}."
        )
    return [numbers] if numbers.ndim == 1 else list(numbers)


def _numbers(answer: object) -> Numbers:
    try:
        return np.asarray(answer, float)
    except (TypeError, ValueError):
        return np.empty(0)
